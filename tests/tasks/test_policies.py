"""What @task modules share: keys with a stage's identity, and which faults are worth a retry."""

import errno
import shutil
from pathlib import Path

import pytest
from prefect.states import Failed

from schemas.errors import UsageError
from tasks.policies import cache_key, clocked, is_transient, stamp_of
from warehouse.rows import save_run
from warehouse.store import Warehouse


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FACTORY_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


RUN = {"run_id": "run_1"}


def whole(parameters: dict[str, object]) -> object:
    return parameters


def test_a_key_tells_stage_version_and_dependence(home: Path) -> None:
    keys = [
        cache_key("mine", "1", whole)(None, {"seed": 0, **RUN}),
        cache_key("build_tools", "1", whole)(None, {"seed": 0, **RUN}),
        cache_key("mine", "2", whole)(None, {"seed": 0, **RUN}),
        cache_key("mine", "1", whole)(None, {"seed": 1, **RUN}),
    ]
    assert len(set(keys)) == len(keys)
    assert keys[0].startswith("mine-")
    assert keys[0] == cache_key("mine", "1", whole)(None, {"seed": 0, **RUN})


def test_a_run_asks_for_its_warehouse_once_and_the_next_one_anew(home: Path) -> None:
    """Opening the warehouse is what task runs wait for; and a warehouse that is gone takes what is known of it along."""
    first = cache_key("mine", "1", lambda _: None)(None, RUN)
    shutil.rmtree(home)
    assert cache_key("mine", "2", lambda _: None)(None, RUN) and not home.exists()
    assert cache_key("mine", "1", lambda _: None)(None, {"run_id": "run_2"}) != first


def test_an_empty_warehouse_forgets(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = cache_key("mine", "1", whole)(None, RUN)
    monkeypatch.setenv("FACTORY_HOME", str(tmp_path / "another"))
    assert cache_key("mine", "1", whole)(None, RUN) != first


@pytest.mark.parametrize(
    ("error", "worth"),
    [
        (BlockingIOError(errno.EAGAIN, "locked"), True),
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (FileNotFoundError(errno.ENOENT, "gone"), False),
        (PermissionError(errno.EACCES, "not yours"), False),
        (ValueError("a verdict"), False),
        (UsageError("a user's mistake"), False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_only_the_systems_faults_are_retried(error: Exception, worth: bool) -> None:
    assert is_transient(None, None, Failed(data=error)) is worth


def test_work_that_raises_leaves_no_interval_and_nothing_of_what_it_stored(home: Path) -> None:
    warehouse = Warehouse(home)
    stamp = stamp_of("run", 0, "rules")
    save_run(warehouse, "expand", {}, 0.0, stamp)
    with pytest.raises(ValueError, match="broken"), clocked(warehouse, stamp, "mine", "theme") as work:
        save_run(work.store, "diagnose", {}, 0.0, stamp_of("run_2", 0))
        raise ValueError("broken")
    with clocked(warehouse, stamp, "mine", "theme") as work:
        work.counts["tables"] = 3
    assert [row["built"] for row in warehouse.rows("runs")] == [1]
