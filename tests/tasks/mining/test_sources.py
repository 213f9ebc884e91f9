"""Sources are found through the installed package, or refused with the command that mends it."""

import hashlib
import os

import pytest

from schemas.errors import UsageError
from schemas.themes import TableRecipe, Theme
from tasks.mining.sources import files_of, fingerprint, locate, version_of

CONTENT = b"a,b\n1,2\n"


def theme(package: str = "tiny-data", version: str = "1.2", file: str = "tiny/rows.csv") -> Theme:
    return Theme(
        name="tiny",
        title="Tiny",
        description="Two cells.",
        package=package,
        version=version,
        licence="CC0",
        tables=[TableRecipe(name="rows", file=file)],
    )


def test_a_file_is_found_by_its_suffix(install_package):
    site = install_package("tiny_data", "1.2", {"tiny/rows.csv": CONTENT, "tiny/other_rows.csv": b""})
    assert locate(theme()) == {"tiny/rows.csv": (site / "tiny/rows.csv").resolve()}
    assert locate(theme(file="rows.csv"))["rows.csv"] == (site / "tiny/rows.csv").resolve()


def test_a_suffix_ends_at_a_folder_not_inside_a_name(install_package):
    install_package("tiny_data", "1.2", {"tiny/other_rows.csv": CONTENT})
    with pytest.raises(UsageError, match="no file rows.csv"):
        locate(theme(file="rows.csv"))


def test_a_fingerprint_tells_content_and_origin(install_package):
    install_package("tiny_data", "1.2", {"tiny/rows.csv": CONTENT})
    [source] = fingerprint(theme())
    assert source.sha256 == hashlib.sha256(CONTENT).hexdigest()
    assert (source.bytes, source.package, source.version, source.licence) == (8, "tiny-data", "1.2", "CC0")
    assert source.theme_id == theme().id
    assert fingerprint(theme())[0].id == source.id


def test_a_missing_package_names_the_install_command():
    with pytest.raises(UsageError, match=r"theme tiny needs the package no-such-data.*pip install no-such-data==1\.2"):
        locate(theme(package="no-such-data"))


def test_another_version_is_refused(install_package):
    install_package("tiny_data", "1.3", {"tiny/rows.csv": CONTENT})
    with pytest.raises(UsageError, match=r"needs tiny-data 1\.2, but 1\.3 is installed.*pip install tiny-data==1\.2"):
        locate(theme())


def test_a_missing_file_is_named(install_package):
    install_package("tiny_data", "1.2", {"tiny/rows.csv": CONTENT})
    with pytest.raises(UsageError, match=r"tiny-data 1\.2 has no file tiny/gone\.csv.*--force-reinstall"):
        locate(theme(file="tiny/gone.csv"))


def test_a_listed_but_deleted_file_is_missing(install_package):
    site = install_package("tiny_data", "1.2", {"tiny/rows.csv": CONTENT})
    (site / "tiny/rows.csv").unlink()
    with pytest.raises(UsageError, match="no file tiny/rows.csv"):
        locate(theme())


@pytest.fixture
def library(tmp_path):
    root = tmp_path / "library"
    (root / "tiny").mkdir(parents=True)
    (root / "tiny/rows.csv").write_bytes(CONTENT)
    (root / "tiny/more.csv").write_bytes(CONTENT)
    return root


def folder_theme(root, *files: str) -> Theme:
    hashes = {file: hashlib.sha256((root / file).read_bytes()).hexdigest() for file in files if (root / file).is_file()}
    recipe = TableRecipe(name="rows", file=files[0], parts=dict.fromkeys(files, "1"), part_column="part")
    version = version_of(hashes)
    return theme(package="tiny", version=version).model_copy(update={"kind": "folder", "tables": [recipe]})


def test_files_of_a_folder_theme_are_inside_the_library(library):
    found = folder_theme(library, "tiny/rows.csv", "tiny/more.csv")
    assert files_of(found) == ["tiny/more.csv", "tiny/rows.csv"]
    assert locate(found, library) == {file: (library / file).resolve() for file in files_of(found)}
    sources = fingerprint(found, library)
    assert [(source.file, source.bytes) for source in sources] == [("tiny/more.csv", 8), ("tiny/rows.csv", 8)]
    assert {source.sha256 for source in sources} == {hashlib.sha256(CONTENT).hexdigest()}


def test_a_folder_theme_needs_its_library(library):
    with pytest.raises(UsageError, match="Give the library again: factory expand --library DIR"):
        locate(folder_theme(library, "tiny/rows.csv"))


def test_a_refused_folder_theme_has_no_files(library):
    refused = folder_theme(library, "tiny/rows.csv").model_copy(update={"tables": []})
    assert locate(refused, library) == {} and fingerprint(refused, library) == []


def test_a_changed_file_is_named(library):
    alone, both = folder_theme(library, "tiny/rows.csv"), folder_theme(library, "tiny/rows.csv", "tiny/more.csv")
    (library / "tiny/rows.csv").write_bytes(CONTENT + b"3,4\n")
    os.utime(library / "tiny/more.csv", (1, 1))
    with pytest.raises(UsageError, match=r"tiny: tiny/rows\.csv has changed since.*factory expand --library"):
        fingerprint(alone, library)
    with pytest.raises(UsageError, match=r"one of its 2 files \(last written: tiny/rows\.csv\) has changed"):
        locate(both, library)


def test_a_file_that_is_gone_is_named(library):
    found = folder_theme(library, "tiny/rows.csv")
    (library / "tiny/rows.csv").unlink()
    with pytest.raises(UsageError, match=r"reads tiny/rows\.csv, which the library .* does not hold any more"):
        locate(found, library)


@pytest.mark.parametrize(
    "file", ["../secret.csv", "tiny/../../secret.csv", "tiny/../tiny/rows.csv", "tiny/out.csv", "a\0b"]
)
def test_a_path_out_of_the_library_is_refused(library, file):
    (library.parent / "secret.csv").write_bytes(CONTENT)
    (library / "tiny/out.csv").symlink_to(library.parent / "secret.csv")
    outside = folder_theme(library, "tiny/rows.csv")
    outside = outside.model_copy(update={"tables": [TableRecipe(name="rows", file=file)]})
    with pytest.raises(UsageError, match="outside the library"):
        locate(outside, library)


def test_an_absolute_path_is_outside_too(library):
    outside = folder_theme(library, "tiny/rows.csv")
    outside = outside.model_copy(update={"tables": [TableRecipe(name="rows", file="/etc/hostname")]})
    with pytest.raises(UsageError, match="outside the library"):
        fingerprint(outside, library)
