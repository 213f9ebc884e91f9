"""What lies in a library is told apart, and nothing is followed out of it."""

import os

import pytest

from schemas.errors import UsageError
from tasks.mining.library.folders import tree_hash, walk_library

ROWS = "a,b\n1,2\n"


def test_data_is_told_from_what_goes_with_it(plant):
    root = plant(
        {
            "sales/orders.csv": ROWS,
            "sales/book.xlsx": b"PK",
            "sales/strange.xyz": b"?",
            "sales/README.md": "# Sales",
            "sales/Licence.txt": "MIT",
            "sales/map.PNG": b"",
            "sales/clean.py": "",
            "sales/.hidden.csv": ROWS,
            "sales/Thumbs.db": b"",
            "sales/~$book.xlsx": b"",
            "sales/__MACOSX/orders.csv": ROWS,
            ".git/config": "",
        }
    )
    folders = walk_library(root)
    assert list(folders) == ["", "sales"]
    sales = folders["sales"]
    assert sales.data == ("sales/book.xlsx", "sales/orders.csv", "sales/strange.xyz")
    assert (sales.readme, sales.licence) == ("sales/README.md", "sales/Licence.txt")
    assert sales.companions == ("sales/Licence.txt", "sales/README.md", "sales/clean.py", "sales/map.PNG")


def test_links_end_no_walk_and_lead_nowhere_else(plant, tmp_path):
    (tmp_path / "secret.csv").write_text(ROWS)
    root = plant({"a/rows.csv": ROWS, "a/deep/more.csv": ROWS})
    (root / "a/ring").symlink_to(root / "a")
    (root / "a/out.csv").symlink_to(tmp_path / "secret.csv")
    (root / "a/gone.csv").symlink_to(root / "nothing.csv")
    (root / "a/self.csv").symlink_to(root / "a/self.csv")
    (root / "a/same.csv").symlink_to(root / "a/deep/more.csv")
    folders = walk_library(root)
    assert list(folders) == ["", "a", "a/deep"]
    assert folders["a"].data == ("a/rows.csv", "a/same.csv")
    assert dict(folders["a"].strays) == {
        "a/gone.csv": "a link to nothing",
        "a/out.csv": "a link that leaves the library",
        "a/ring": "a link to a folder, which is looked at where it lies",
        "a/self.csv": "a link to nothing",
    }


def test_what_is_no_file_is_no_data(plant):
    root = plant({"a/rows.csv": ROWS})
    os.mkfifo(root / "a/pipe.csv")
    assert walk_library(root)["a"].data == ("a/rows.csv",)


def test_a_folder_that_cannot_be_listed_is_told(plant, monkeypatch):
    root = plant({"a/rows.csv": ROWS, "closed/rows.csv": ROWS})
    listed = os.scandir

    def refuse(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", refuse)
    folders = walk_library(root)
    assert folders["closed"].closed and not folders["a"].closed


@pytest.mark.skipif(os.sep != "/", reason="names of bytes")
def test_a_name_that_is_no_text_is_left(plant):
    root = plant({"a/rows.csv": ROWS})
    try:
        with open(os.fsencode(root) + b"/a/\xff.csv", "wb") as handle:
            handle.write(ROWS.encode())
    except OSError:
        pytest.skip("this file system takes no such name")
    assert walk_library(root)["a"].strays == (("a/?.csv", "its name is not valid UTF-8"),)


@pytest.mark.parametrize(
    ("tree", "said"),
    [(None, "does not exist"), ({}, "holds no data"), ({"README.md": "# Nothing"}, "holds no data")],
)
def test_a_root_without_data_is_a_usage_error(plant, tmp_path, tree, said):
    root = tmp_path / "missing" if tree is None else plant(tree)
    with pytest.raises(UsageError, match=rf"{said}.*factory expand --library DIR"):
        walk_library(root)


def test_a_file_as_root_is_a_usage_error(plant):
    root = plant({"rows.csv": ROWS}) / "rows.csv"
    with pytest.raises(UsageError, match="is no folder"):
        walk_library(root)


def test_the_hash_of_a_tree_follows_its_content_alone(plant):
    tree = {"a/rows.csv": ROWS, "a/README.md": "# A", "b/more.csv": ROWS}
    first = tree_hash(plant(tree, "one"))
    assert tree_hash(plant(dict(reversed(tree.items())), "two")) == first
    changed = [{**tree, "a/rows.csv": "a,b\n1,3\n"}, {**tree, "a/README.md": "# B"}, {**tree, "c/README.md": ""}]
    hashes = {tree_hash(plant(other, f"other_{i}")) for i, other in enumerate(changed)}
    assert len(hashes | {first}) == 4
