"""Nothing of ours is left: after closing at once, after a killed host at the next start."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest

from tasks.world.bundle import Bundle
from tasks.world.leftovers import clear_leftovers, hold
from tasks.world.session import FOLDER, World

ROOT = Path(__file__).resolve().parents[3]
HOST = """
import sys, time
from pathlib import Path
from tasks.world.bundle import Bundle
from tasks.world.session import World
with World(scratch=Path(sys.argv[2]) if sys.argv[2:] else None) as world:
    session = world.open(Bundle.load(Path(sys.argv[1])), "a")
    session.call("create_booking", {"flight_id": 7, "seats": 2})
    print("ready", flush=True)
    time.sleep(60)
"""


def parents() -> dict[int, int]:
    """Every process that is no zombie → its parent."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                state, parent = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:  # gone meanwhile
                continue
            if state != "Z":
                found[int(entry)] = int(parent)
    return found


def descendants(process: int) -> set[int]:
    family, known = {process}, parents()
    while more := {child for child, parent in known.items() if parent in family} - family:
        family |= more
    return family - {process}


def descriptors() -> set[tuple[str, str]]:
    """Number and target of every open file of this process; what earlier tests dropped is closed first."""
    gc.collect()
    found = set()
    for number in os.listdir("/proc/self/fd"):
        try:
            found.add((number, os.readlink(f"/proc/self/fd/{number}")))
        except OSError:  # the listing itself
            continue
    return found


def locks(process: int) -> list[str]:
    lines = Path("/proc/locks").read_text().splitlines()
    return sorted(line.partition(": ")[2] for line in lines if f" {process} " in line)


@contextmanager
def host(*arguments: str, temporary: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    """A process of its own with an open session; killed at the end."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)} | ({"TMPDIR": str(temporary)} if temporary else {})
    with subprocess.Popen(
        [sys.executable, "-c", HOST, *arguments], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()
            process.wait()


def wait_until_gone(processes: set[int]) -> None:
    deadline = monotonic() + 10
    while processes & parents().keys():
        assert monotonic() < deadline, f"still alive: {processes & parents().keys()}"
        sleep(0.02)


@pytest.mark.parametrize("where", ["scratch", "the temporary folder"])
def test_what_a_killed_host_left_is_cleared_at_the_next_start(
    where: str, bundle: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = where == "scratch"
    (tmp_path / f"{FOLDER}notes").mkdir()
    with host(str(bundle.path), *([str(tmp_path)] if given else []), temporary=None if given else tmp_path) as process:
        (left,) = tmp_path.glob(f"{FOLDER}{process.pid}-*")
        family = descendants(process.pid)
        assert len(family) == 2  # the fork server and one worker
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        with World(scratch=tmp_path if given else None):
            assert left.is_dir()  # its host lives
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    wait_until_gone(family)
    assert [entry.name.partition("-")[0] for entry in left.iterdir()] == ["session"]
    with World(scratch=tmp_path if given else None):
        assert not left.exists()
    assert [entry.name for entry in tmp_path.iterdir()] == [f"{FOLDER}notes"]  # not one of ours


def test_a_closed_world_leaves_nothing(bundle: Bundle, tmp_path: Path) -> None:
    """Processes, folders, descriptors and locks, with sessions closed and left open."""
    own = os.getpid()
    before, opened = (descendants(own), locks(own)), descriptors()

    def rollout(number: int) -> None:
        session = world.open(bundle, f"task {number}")
        session.call("create_booking", {"flight_id": 1, "seats": 1})
        assert len(session.diff()) == 1
        if number % 2:  # the others are left open, for the world to close
            session.close()

    with World(scratch=tmp_path) as world:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(rollout, range(12)))
        assert len(descendants(own)) > len(before[0]) and locks(own) != before[1]
    wait_until_gone(descendants(own) - before[0])
    assert (descendants(own), locks(own)) == before
    assert descriptors() - opened == set()  # fewer is no fault: another test's file may close meanwhile
    assert list(tmp_path.iterdir()) == []


def test_only_folders_of_dead_processes_are_cleared(tmp_path: Path) -> None:
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True
    ).stdout
    names = [f"x-{dead.strip()}-a", f"x-{dead.strip()}", f"x-{os.getpid()}-b", "x-1-c", "x-notes", "y-2", "x-٣", "x--1"]
    for name in names:
        (tmp_path / name).mkdir()
    (tmp_path / f"x-{dead.strip()}-file").touch()
    (tmp_path / f"x-{dead.strip()}-link").symlink_to(tmp_path / "y-2")
    held = tmp_path / f"x-{dead.strip()}-held"  # as a process in another container holds it
    held.mkdir()
    descriptor = hold(held)
    clear_leftovers(tmp_path, "x-")
    kept = {entry.name for entry in tmp_path.iterdir()}
    assert kept == {*names[2:], held.name, f"x-{dead.strip()}-file", f"x-{dead.strip()}-link"}
    os.close(descriptor)
    clear_leftovers(tmp_path, "x-")
    assert not held.exists()
