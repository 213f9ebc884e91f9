"""A large library of real collections: every one becomes an environment with tasks, or a rejection with a true reason."""

from pathlib import Path
from typing import Any

import pytest

from warehouse.published import Published

LIBRARY = Path(__file__).resolve().parents[3] / "shared" / "library"
COLLECTIONS, ENVIRONMENTS = 55, 42

pytestmark = [
    pytest.mark.library,
    pytest.mark.skipif(not LIBRARY.is_dir(), reason="no ../shared/library beside this checkout"),
]


def test_every_collection_has_an_outcome(factory: Any, tmp_path: Path, at_server: dict[str, str]) -> None:
    arguments = ("expand", "--library", str(LIBRARY), "--json", "--home", str(tmp_path))
    ended = factory(*arguments, env=at_server, timeout=2400)
    assert ended.code == 0, ended.err[-3000:]
    published = Published(tmp_path)
    outcomes = dict(published.sql("select theme_name, state from current_environments").rows)
    assert len(outcomes) == COLLECTIONS
    assert set(outcomes.values()) <= {"accepted", "rejected"}
    with_tasks = published.sql("select count(distinct theme_name) from current_tasks").rows[0][0]
    assert with_tasks >= ENVIRONMENTS
    refused = {theme for theme, state in outcomes.items() if state == "rejected"}
    reasons = published.sql(
        "select theme_name, detail from current_decisions "
        "where outcome = 'rejected' and subject_kind in ('theme', 'environment')"
    )
    assert {theme for theme, _ in reasons.rows} == refused
    assert all(detail for _, detail in reasons.rows)
