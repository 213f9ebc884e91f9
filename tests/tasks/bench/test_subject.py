"""The world that is measured: of the size it says, the same every time, and rollouts that do what they count as."""

from __future__ import annotations

from pathlib import Path

from tasks.bench.subject import BOOKS, LOANS, build_bundle, read_call, rollout_calls, write_call
from tasks.world.bundle import Bundle
from tasks.world.session import World


def test_it_is_five_megabytes_and_the_same_every_time(library: Bundle, tmp_path: Path) -> None:
    assert 4.5e6 < library.database.stat().st_size < 5.5e6
    again = build_bundle(tmp_path)
    assert again.world_sha256 == library.world_sha256
    assert sorted(path.name for path in tmp_path.iterdir()) == ["contract.json", "tools.json", "tools.py", "world.db"]


def test_a_rollout_is_ten_calls_of_which_three_write(library: Bundle, world: World) -> None:
    for number in (0, 1, 17):
        calls = rollout_calls(number)
        assert len(calls) == 10
        assert [library.tools[name]["read_only"] for name, _ in calls].count(False) == 3
        with world.open(library, seed="rollout") as session:
            results = [session.call(name, arguments) for name, arguments in calls]
            changes = session.diff()["loans"]
        assert not any("error" in result for result in results)
        assert all(len(result["items"]) for result in results if "total" in result)
        assert (len(changes["inserted"]), len(changes["updated"]), len(changes["deleted"])) == (1, 2, 0)


def test_timed_calls_are_never_refused(library: Bundle, world: World) -> None:
    with world.open(library, seed="timed") as session:
        for number in (0, 1, BOOKS, LOANS, 123_456):
            assert "error" not in session.call(*read_call(number))
            assert "error" not in session.call(*write_call(number))
        assert set(session.diff()) == {"loans"}
