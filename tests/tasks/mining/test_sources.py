"""Sources are found through the installed package, or refused with the command that mends it."""

import hashlib

import pytest

from schemas.errors import UsageError
from schemas.themes import TableRecipe, Theme
from tasks.mining.sources import fingerprint, locate

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
