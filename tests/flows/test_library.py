"""`factory expand --library DIR`: a user's folders become environments or rejections with a true reason."""

import json
import random
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from warehouse.published import Published

SHOPS, SALES = 40, 600
STREETS = ("Mill Lane", "Harbour Street", "Station Road", "Church Walk", "Market Square")
TOWNS = ("Ashby", "Bexley", "Corby", "Derby", "Ely")


def write_shops(folder: Path) -> None:
    """Two linked files with a README: shops, and the sales of each."""
    rng = random.Random("shops")
    folder.mkdir(parents=True)
    (folder / "README.md").write_text("# Bicycle shops\n\nSales of a chain of bicycle shops, by shop and day.\n")
    shops = ["shop_id,shop_name,town,street,opened"]
    for n in range(1, SHOPS + 1):
        town, street = rng.choice(TOWNS), rng.choice(STREETS)
        shops.append(f"{n},{town} Cycles {n},{town},{n} {street},{rng.randint(1990, 2015)}-0{rng.randint(1, 9)}-15")
    (folder / "shops.csv").write_text("\n".join(shops) + "\n")
    sales = ["sale_id,shop_id,sold_on,bicycle,price"]
    for n in range(1, SALES + 1):
        kind = rng.choice(("road", "gravel", "city", "folding", "cargo"))
        day = f"2023-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        sales.append(f"{n},{rng.randint(1, SHOPS)},{day},{kind},{rng.randint(200, 4000) + rng.random():.2f}")
    (folder / "sales.csv").write_text("\n".join(sales) + "\n")


def write_library(root: Path) -> None:
    write_shops(root / "retail" / "bicycle-shops")
    (root / "only-words").mkdir()
    (root / "only-words" / "README.md").write_text("# Only words\n\nThe data lies elsewhere.\n")
    (root / "broken").mkdir()
    (root / "broken" / "figures.parquet").write_bytes(b"PAR1 but not really")


@dataclass(frozen=True)
class Shelved:
    """A library, a home, and the first run over it."""

    library: Path
    home: Path
    ended: Any

    @property
    def arguments(self) -> tuple[str, ...]:
        return ("expand", "--library", str(self.library), "--tasks", "2", "--json", "--home", str(self.home))


@pytest.fixture(scope="module")
def shelved(factory: Any, tmp_path_factory: pytest.TempPathFactory, at_server: dict[str, str]) -> Shelved:
    folder = tmp_path_factory.mktemp("shelved")
    write_library(folder / "library")
    shelved = Shelved(folder / "library", folder / "home", None)
    return Shelved(shelved.library, shelved.home, factory(*shelved.arguments, env=at_server))


def state_of(home: Path) -> dict[str, str]:
    return dict(Published(home).sql("select theme_name, state from current_environments order by 1").rows)


def test_every_folder_becomes_an_environment_or_a_rejection(shelved: Shelved) -> None:
    assert shelved.ended.code == 0, shelved.ended.err
    assert state_of(shelved.home) == {"bicycle_shops": "accepted", "broken": "rejected", "only_words": "rejected"}
    reasons = Published(shelved.home).sql(
        "select theme_name, stage, reason from current_decisions where outcome = 'rejected' and subject_kind = 'theme' order by 1"
    )
    assert reasons.rows == [("broken", "discover", "unreadable"), ("only_words", "discover", "no_data")]
    figures = shelved.ended.json
    assert (figures["environments"], figures["tasks"]["accepted"]) == ({"accepted": 1, "rejected": 2}, 2)
    assert figures["run"]["message"].endswith("; 2 themes refused")


def test_the_files_and_why_they_were_taken_are_told(shelved: Shelved) -> None:
    trail = [(r["theme_name"], r["file"], r["outcome"]) for r in Published(shelved.home).named("library").records()]
    assert ("bicycle_shops", "retail/bicycle-shops/sales.csv", "taken") in trail
    assert ("broken", "broken/figures.parquet", "unreadable") in trail
    references = Published(shelved.home).sql(
        "select table_name, references_table from profiles where table_kind <> 'operational' and references_table is not null"
    )
    assert ("sales", "shops") in references.rows
    quality = Published(shelved.home).named("quality").records()
    assert {row["theme_name"] for row in quality} == {"bicycle_shops"}
    assert not [row for row in quality if row["severity"] == "critical" and not row["passed"]]


def test_a_rerun_finds_all_done_wherever_the_library_lies(
    shelved: Shelved, factory: Any, at_server: dict[str, str]
) -> None:
    again = factory(*shelved.arguments, env=at_server)
    assert again.json["run"]["built"] == 0
    assert again.json["environments"] == {"accepted": 1, "rejected": 2}


def test_a_changed_file_is_another_theme_of_that_name(
    shelved: Shelved, factory: Any, at_server: dict[str, str], tmp_path: Path
) -> None:
    library, home = tmp_path / "library", tmp_path / "home"
    shutil.copytree(shelved.library, library)
    shutil.copytree(shelved.home, home, symlinks=True)
    (library / "only-words" / "towns.csv").write_text(
        "town,inhabitants\n" + "".join(f"Town {n},{1000 + 7 * n}\n" for n in range(30))
    )
    grown = factory("expand", "--library", str(library), "--tasks", "1", "--json", "--home", str(home), env=at_server)
    assert grown.code == 0, grown.err
    assert state_of(home)["only_words"] == "accepted"


def test_some_themes_by_name_and_number(shelved: Shelved, factory: Any, at_server: dict[str, str]) -> None:
    one = factory(*shelved.arguments, "--n", "1", env=at_server)
    assert one.json["run"]["message"].startswith("everything was done already")
    unknown = factory(*shelved.arguments, "--themes", "bicycle_shop", env=at_server)
    assert (unknown.code, unknown.out) == (2, "")
    assert "no theme is called 'bicycle_shop'. Choose from: bicycle_shops" in unknown.err


@pytest.mark.parametrize(("name", "said"), [("gone", "does not exist"), ("a.csv", "is not a folder"), ("empty", "no")])
def test_a_library_that_is_none_is_one_line(factory: Any, tmp_path: Path, name: str, said: str, at_server: Any) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    (tmp_path / "empty").mkdir()
    ended = factory("expand", "--library", str(tmp_path / name), "--home", str(tmp_path / "home"), env=at_server)
    assert ended.code == 2
    lines = [line for line in ended.err.splitlines() if line.startswith("factory: ")]
    assert len(lines) == 1 and said in lines[0] and str(tmp_path / name) in lines[0]


def test_frames_that_are_gone_are_named_with_the_command_that_mends_them(
    shelved: Shelved, factory: Any, at_server: dict[str, str], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    shutil.copytree(shelved.home, home, symlinks=True)
    shutil.rmtree(home / "frames")
    arguments = ("--library", str(shelved.library), "--home", str(home))
    ended = factory("expand", *arguments, "--tasks", "3", env=at_server)
    assert ended.code == 2
    assert "missing" in ended.err and "factory expand --refresh" in ended.err
    mended = factory("expand", *arguments, "--tasks", "3", "--refresh", "--json", env=at_server)
    assert json.loads(mended.out)["tasks"]["accepted"] == 3


def test_a_home_inside_the_library_is_refused(shelved: Shelved, factory: Any) -> None:
    ended = factory("expand", "--library", str(shelved.library), "--home", str(shelved.library / "home"))
    assert ended.code == 2
    assert "lies inside the library" in ended.err and "--home DIR" in ended.err
