"""Every odd file of the corpus has the outcome it is expected to have; none crashes, none loses rows in silence."""

from collections import Counter
from typing import get_args

import polars as pl
import pytest

from tasks.mining.reading.raw import RepairCode, Unreadable, UnreadableReason
from tasks.mining.reading.tables import list_members, read_table
from tests.tasks.mining.reading.cases import OddFile
from tests.tasks.mining.reading.corpus import CORPUS


@pytest.mark.parametrize("odd", CORPUS, ids=lambda odd: odd.name)
def test_outcome(odd: OddFile, tmp_path) -> None:
    path = odd.write(tmp_path)
    before = sorted(file.name for file in tmp_path.rglob("*"))
    if odd.refused:
        with pytest.raises(Unreadable) as caught:
            read_table(path, odd.member, odd.discriminator, odd.limits)
        message = str(caught.value)
        assert caught.value.reason == odd.refused, message
        assert "\n" not in message and str(path) in message and len(message) < 600
        return
    table = read_table(path, odd.member, odd.discriminator, odd.limits)
    frame = table.frame
    assert (frame.height, table.rows_unreadable, table.rows_beyond_limit) == (odd.rows, odd.unreadable, odd.beyond)
    assert table.rows_read == frame.height + table.rows_unreadable + table.rows_beyond_limit
    assert (frame.width if isinstance(odd.columns, int) else tuple(frame.columns)) == odd.columns
    assert set(frame.dtypes) <= {pl.String}
    if odd.cell:
        row, column, text = odd.cell
        assert frame[column][row] == text
    assert {repair.code for repair in table.repairs} == odd.repairs
    if odd.members:
        assert tuple(list_members(path, odd.limits)) == odd.members
    assert sorted(file.name for file in tmp_path.rglob("*")) == before, "reading left files behind"


@pytest.mark.parametrize("odd", [odd for odd in CORPUS if odd.discriminator is None], ids=lambda odd: odd.name)
def test_each_member_listed_is_read_or_refused(odd: OddFile, tmp_path) -> None:
    path = odd.write(tmp_path)
    try:
        members = list_members(path, odd.limits)
    except Unreadable as refusal:
        assert odd.refused == refusal.reason
        return
    assert len(set(members)) == len(members) > 0
    for member in members:
        try:
            table = read_table(path, member, limits=odd.limits)
        except Unreadable as refusal:
            assert refusal.reason != "no_member"
        else:
            assert table.rows_read == table.frame.height + table.rows_unreadable + table.rows_beyond_limit


def test_the_corpus_is_large_and_covers_every_repair_and_refusal() -> None:
    assert len(CORPUS) >= 60
    assert [name for name, count in Counter(odd.name for odd in CORPUS).items() if count > 1] in ([], ["utf16.json"])
    assert {code for odd in CORPUS for code in odd.repairs} == set(get_args(RepairCode))
    assert {odd.refused for odd in CORPUS if odd.refused} | {"no_permission"} == set(get_args(UnreadableReason))
