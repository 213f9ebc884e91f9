"""Files of the corpus, cut and changed at random, are read with true counts or refused with one line; none crashes."""

import random
from pathlib import Path

import pytest

from tasks.mining.reading.raw import Unreadable
from tasks.mining.reading.tables import list_members, read_table
from tests.tasks.mining.reading.corpus import CORPUS

_LARGEST = 20_000
_TIMES = 3


def _changed(content: bytes, draw: random.Random) -> bytes:
    """Return bytes that are cut, have some bytes overwritten, or lack a part."""
    manner, at = draw.random(), draw.randrange(len(content))
    if manner < 0.3:
        return content[:at]
    if manner < 0.8:
        changed = bytearray(content)
        for _ in range(draw.choice([1, 1, 2, 5, 20])):
            changed[draw.randrange(len(content))] = draw.randrange(256)
        return bytes(changed)
    return content[:at] + content[at + draw.randrange(60) :]


@pytest.mark.parametrize("suffix", sorted({Path(odd.name).suffix for odd in CORPUS}))
def test_damage_never_crashes_nor_loses_rows_in_silence(suffix: str, tmp_path) -> None:
    draw = random.Random(f"damage of {suffix}")
    tried = 0
    for number, odd in enumerate(odd for odd in CORPUS if odd.name.endswith(suffix)):
        path = odd.write(tmp_path / str(number))
        if not path.is_file() or not 0 < path.stat().st_size < _LARGEST:
            continue
        content = path.read_bytes()
        for _ in range(_TIMES):
            path.write_bytes(_changed(content, draw))
            tried += 1
            try:
                for member in list_members(path, odd.limits):
                    table = read_table(path, member, limits=odd.limits)
                    assert table.rows_read == table.frame.height + table.rows_unreadable + table.rows_beyond_limit
            except Unreadable as refusal:
                assert "\n" not in str(refusal) and refusal.reason != "no_member"
    assert tried
