"""Worlds of several file formats: sessions copy them, tools edit them, the difference covers them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.world.bundle import Bundle, write_bundle
from tasks.world.errors import BundleError, StateUnreadable
from tasks.world.session import World, state_identity

FILES = {
    "staff.json": b'[{"id": 1, "name": "Bob"}, {"id": 2, "name": "Eve"}]',
    "shops/hours.yaml": b"monday:\n  opens: 9\n  closes: 18\n",
    "shops/stock.csv": b"sku,count\nA1,3\nB2,5\n",
    "notes/readme.md": b"# Shops\n",
    "audit.json": b"[]",
}
SOURCE = """
import json

def edit(path, content):
    with open(path, "w") as file:
        file.write(content)
    return {"size": len(content)}

def read(path):
    with open(path) as file:
        return {"content": file.read()}

def attempt(path, action):
    import os
    {"create": lambda: open(path, "x"), "remove": lambda: os.remove(path), "folder": lambda: os.mkdir(path),
     "link": lambda: os.symlink("/etc/passwd", path), "rename": lambda: os.rename("files/staff.json", path)}[action]()
"""
TEXT = {"type": "string"}


@pytest.fixture(scope="module")
def shops(make_bundle: Callable[..., Bundle]) -> Bundle:
    tools = {
        "edit": ({"path": TEXT, "content": TEXT}, SOURCE),
        "read": ({"path": TEXT}, ""),
        "attempt": ({"path": TEXT, "action": TEXT}, ""),
    }
    return make_bundle(tools, files=FILES, contract={"log_tables": ["call_log", "files/audit.json"]})


def test_every_session_has_its_own_copy(world: World, shops: Bundle) -> None:
    assert shops.files == tuple(sorted(f"files/{name}" for name in FILES))
    with world.open(shops, "a") as one, world.open(shops, "a") as two:
        for name, content in FILES.items():
            assert one.call("read", {"path": f"files/{name}"}) == {"content": content.decode()}
        assert one.diff() == {}
        one.call("edit", {"path": "files/notes/readme.md", "content": "# Closed\n"})
        assert two.call("read", {"path": "files/notes/readme.md"}) == {"content": "# Shops\n"}
        assert (two.diff(), len(one.diff())) == ({}, 1)
    assert (shops.path / "files/notes/readme.md").read_bytes() == FILES["notes/readme.md"]


def test_the_difference_tells_tables_and_files(world: World, shops: Bundle) -> None:
    with world.open(shops, "a") as session:
        booking = session.call("create_booking", {"flight_id": 7, "seats": 2})
        session.call("edit", {"path": "files/staff.json", "content": '[{"name":"Eva","id":2},{"id":3,"name":"Ann"}]'})
        session.call("edit", {"path": "files/shops/hours.yaml", "content": "monday:\n  opens: 10 # late\n  closes: 18"})
        session.call("edit", {"path": "files/shops/stock.csv", "content": 'count,sku\n"4","A1"\n5,B2\n'})
        session.call("edit", {"path": "files/audit.json", "content": '["seen"]'})
        change = {
            "bookings": {"inserted": [booking], "updated": [], "deleted": []},
            "files/shops/hours.yaml": {
                "inserted": [],
                "updated": [{"key": "$.monday.opens", "old": {"value": 9}, "new": {"value": 10}}],
                "deleted": [],
            },
            "files/shops/stock.csv": {
                "inserted": [],
                "updated": [{"key": "A1", "old": {"count": "3"}, "new": {"count": "4"}}],
                "deleted": [],
            },
            "files/staff.json": {
                "inserted": [{"id": 3, "name": "Ann"}],
                "updated": [{"key": 2, "old": {"name": "Eve"}, "new": {"name": "Eva"}}],
                "deleted": [{"id": 1, "name": "Bob"}],
            },
        }
        assert session.diff() == change
        assert list(session.diff()) == sorted(change)
        assert session.state_id() == state_identity(shops.world_sha256, change)


def test_another_formatting_is_no_change_of_state(world: World, shops: Bundle) -> None:
    with world.open(shops, "a") as session:
        before = session.state_id()
        pretty = json.dumps(json.loads(FILES["staff.json"]), indent=4)
        assert session.call("edit", {"path": "files/staff.json", "content": pretty}) == {"size": len(pretty)}
        assert (session.diff(), session.state_id()) == ({}, before)


@pytest.mark.attack
@pytest.mark.parametrize("action", ["create", "remove", "folder", "link", "rename"])
def test_tools_edit_what_is_there_and_nothing_else(world: World, shops: Bundle, action: str) -> None:
    path = "files/staff.json" if action == "remove" else "files/shops/new"
    with world.open(shops, "a") as session:
        assert "PermissionError" in session.call("attempt", {"path": path, "action": action})["error"]["message"]
        assert session.diff() == {}


def test_a_file_that_vanished_or_became_a_link_is_told(world: World, shops: Bundle) -> None:
    with world.open(shops, "a") as session:
        folder = session._workspace.path / "files"
        (folder / "notes" / "readme.md").unlink()
        assert session.diff()["files/notes/readme.md"]["deleted"][0]["bytes"] == len(FILES["notes/readme.md"])
        (folder / "more.txt").write_text("more")
        assert session.diff()["files/more.txt"]["inserted"][0]["bytes"] == 4
        (folder / "notes" / "readme.md").symlink_to("/etc/hostname")
        with pytest.raises(StateUnreadable):
            session.diff()


def test_the_seeds_identity_covers_its_files(make_bundle: Callable[..., Bundle], shops: Bundle) -> None:
    plain, same = make_bundle(), make_bundle(files=FILES)
    other = make_bundle(files={**FILES, "audit.json": b"[1]"})
    assert plain.world_sha256 == "0" * 64
    assert len({plain.world_sha256, same.world_sha256, other.world_sha256}) == 3
    assert same.world_sha256 == shops.world_sha256 == Bundle.load(same.path).world_sha256


def test_rewriting_a_bundle_keeps_its_files(shops: Bundle) -> None:
    again = write_bundle(
        shops.path, environment_id="e", world_sha256="0" * 64, clock_start=shops.clock_start, contract=shops.contract,
        tools_source=shops.tools_source.read_text(), tools=list(shops.tools.values()),
    )  # fmt: skip
    assert (again.files, again.world_sha256) == (shops.files, shops.world_sha256)


@pytest.mark.parametrize("name", ["../world.db", "/etc/x", "a//b", "", "./a"])
def test_a_path_that_leads_out_is_refused(make_bundle: Callable[..., Bundle], name: str) -> None:
    with pytest.raises(BundleError, match="no path of a file"):
        make_bundle(files={name: b""})


def test_links_in_a_bundle_are_refused(make_bundle: Callable[..., Bundle], tmp_path: Path) -> None:
    path = make_bundle(files={"a.txt": b""}).path
    os.symlink(tmp_path, path / "files" / "folder")
    with pytest.raises(BundleError, match="neither a file nor a folder"):
        Bundle.load(path)
