from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.world.bundle import Bundle
from tasks.world.errors import StateUnreadable
from tasks.world.workspace import Workspace, copy_file, open_regular


def test_a_workspace_is_private_and_writable(bundle: Bundle, world_db: Path, tmp_path: Path) -> None:
    workspace = Workspace(bundle, tmp_path)
    assert workspace.path.stat().st_mode & 0o777 == 0o700
    assert workspace.database.stat().st_mode & 0o777 == 0o600
    assert workspace.database.read_bytes() == world_db.read_bytes()
    workspace.remove()
    workspace.remove()
    assert os.listdir(tmp_path) == []


def test_a_changed_byte_is_seen(bundle: Bundle, world_db: Path, tmp_path: Path) -> None:
    workspace = Workspace(bundle, tmp_path)
    assert workspace.is_unchanged()
    data = bytearray(world_db.read_bytes())
    data[-1] ^= 1
    workspace.database.write_bytes(data)
    assert not workspace.is_unchanged()
    workspace.database.write_bytes(data + b"more")
    assert not workspace.is_unchanged()


@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_was_written_is_written_back_in_place(
    bundle: Bundle, world_db: Path, tmp_path: Path, data: st.DataObject
) -> None:
    workspace = Workspace(bundle, tmp_path)
    inode, size = workspace.database.stat().st_ino, world_db.stat().st_size
    for place in data.draw(st.lists(st.integers(0, size + 5000), max_size=5)):
        with workspace.database.open("r+b") as file:
            file.seek(place)
            file.write(data.draw(st.binary(min_size=1, max_size=9000)))
    with workspace.database.open("r+b") as file:
        file.truncate(data.draw(st.integers(0, size + 9000)))
    assert workspace.restore() and workspace.is_unchanged()
    assert workspace.database.stat().st_ino == inode
    workspace.remove()


def test_what_is_no_file_is_not_written_back(bundle: Bundle, world_db: Path, tmp_path: Path) -> None:
    workspace = Workspace(bundle, tmp_path)
    workspace.database.unlink()
    assert not workspace.restore()
    workspace.database.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_bytes(b"mine")
    assert not workspace.restore() and (tmp_path / "elsewhere").read_bytes() == b"mine"


def test_a_failed_copy_leaves_nothing(bundle: Bundle, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Workspace(replace(bundle, path=tmp_path / "missing"), tmp_path)
    assert os.listdir(tmp_path) == []


def test_copying_to_another_kind_of_file_system(world_db: Path, tmp_path: Path) -> None:
    """A scratch in memory over a home on disk: the kernel may refuse to copy between the two by itself."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK) or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system at /dev/shm")
    target = memory / f"copy-{os.getpid()}.db"
    try:
        copy_file(world_db, target)
        assert target.read_bytes() == world_db.read_bytes()
    finally:
        target.unlink(missing_ok=True)


def test_copying_never_writes_over_a_file(world_db: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(FileExistsError):
        copy_file(world_db, tmp_path / "taken")


def test_links_and_pipes_are_not_followed(world_db: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(world_db)
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(OSError):
            open_regular(tmp_path / name)


def test_a_link_in_a_files_place_is_no_state(bundle: Bundle, tmp_path: Path) -> None:
    workspace = Workspace(bundle, tmp_path)
    workspace.database.unlink()
    workspace.database.symlink_to(bundle.database)
    with pytest.raises(StateUnreadable):
        workspace.is_unchanged()
