"""A folder tree becomes themes: named, described, refused with true reasons, joined across folders, and told."""

import os
from collections import Counter
from pathlib import Path

import pytest

from schemas.errors import UsageError
from tasks.mining.library import discovery
from tasks.mining.library.discovery import LibraryFinding, discover_library
from tasks.mining.sources import fingerprint, locate
from tasks.mining.tables import mine_tables

TOWNS = [f"{start}{end}" for start in ("Ald", "Bex", "Cor", "Dun", "Esk") for end in ("by", "ham", "ton", "wick")]
ORDERS = "order_id,town,amount\n" + "".join(f"{i},{TOWNS[i % 20]},{i * 7 % 90}\n" for i in range(60))
PEOPLE = "town,people\n" + "".join(f"{town},{i * 911}\n" for i, town in enumerate(TOWNS))
TREE = {
    "LICENSE": "MIT License",
    "shop/README.md": "# Shop\n\nOrders of a shop in many towns.\n\nHeader | Definition\n---|---\n`amount` | Amount in euros\n",
    "shop/order-list.csv": ORDERS,
    "geography/towns.csv": PEOPLE,
    "geography/img/map.png": b"\x89PNG",
    "lookalike/towns.csv": PEOPLE.replace("by,", "bridge,").replace("ham,", "ford,").replace("ton,", "mouth,"),
    "text only/README.md": "# Plans\n\nNothing here yet, come again.\n",
    "text only/img/a.png": b"\x89PNG",
    "header/rows.csv": "a,b\n",
    "tiny/rows.csv": "a,b\n1,2\n3,4\n",
    "thin/words.csv": "word\nupon\nonce\nthere\nwas\nking\n",
    "broken/rows.csv": "",
}


@pytest.fixture
def found(plant, tmp_path) -> tuple[LibraryFinding, Path]:
    root = plant(TREE)
    return discover_library(root, tmp_path / "home/library/index.sqlite"), root


def theme_of(finding, name):
    return next(theme for theme in finding.themes if theme.name == name)


def steps_of(finding, name):
    theme = theme_of(finding, name)
    return [step for step in finding.trail if step.theme_id == theme.id]


def test_every_collection_is_a_theme_or_a_refusal(found):
    finding, _ = found
    names = [theme.name for theme in finding.themes]
    assert names == sorted(names) == ["broken", "geography", "header", "lookalike", "shop", "text_only", "thin", "tiny"]
    refused = {t.name: finding.refusals[t.id][0] for t in finding.themes if t.id in finding.refusals}
    assert {name: rejection.reason for name, rejection in refused.items()} == {
        "broken": "unreadable",
        "header": "no_rows",
        "text_only": "no_data",
        "thin": "too_few_columns",
        "tiny": "too_few_rows",
    }
    assert refused["tiny"].detail == "the largest of 1 table has 2 rows, fewer than 5"
    assert refused["text_only"].detail == "the folder text only holds 1 file and no data: README.md"
    for name, rejection in refused.items():
        theme = theme_of(finding, name)
        assert theme.tables == [] and theme.kind == "folder"
        assert (rejection.stage, rejection.subject_kind, rejection.subject_id) == ("discover", "theme", theme.id)


def test_a_theme_says_what_its_readme_says(found):
    shop = theme_of(found[0], "shop")
    assert (shop.title, shop.description) == ("Shop", "Orders of a shop in many towns.")
    assert (shop.package, shop.licence) == ("shop", "MIT")
    orders = next(recipe for recipe in shop.tables if recipe.name == "orders")
    assert orders.file == "shop/order-list.csv" and orders.normalise and orders.words == {"amount": "amount in euros"}
    towns = theme_of(found[0], "geography")
    assert (towns.title, towns.description) == ("Geography", "1 table of 20 rows from towns.csv: towns.")


def test_a_related_file_is_found_across_folders_and_told(found):
    finding, root = found
    towns = next(recipe for recipe in theme_of(finding, "shop").tables if recipe.name == "towns")
    assert (towns.file, towns.key) == ("geography/towns.csv", "town")
    first, *others = steps_of(finding, "shop")
    assert (first.query, first.file, first.outcome, first.score) == ("", "shop/order-list.csv", "taken", None)
    assert [step.position for step in (first, *others)] == list(range(1 + len(others)))
    by_file = {step.file: step for step in others}
    taken, left = by_file["geography/towns.csv"], by_file["lookalike/towns.csv"]
    assert taken.outcome == "taken" and taken.tables == ["towns"] and taken.query and taken.score is not None
    assert taken.why == "20 of 20 values of orders's 'town' (100%) are in its unique column 'town'"
    assert left.outcome == "left" and left.tables == [] and "5 of 20 values" in left.why and "too few" in left.why
    profile = mine_tables(theme_of(finding, "shop"), 1, 1.0, root).profile
    assert [(f.column, f.to_table, f.coverage) for f in profile.table("orders").foreign_keys] == [
        ("town", "towns", 1.0)
    ]


def test_an_index_follows_its_library(found, tmp_path):
    finding, _ = found
    index = tmp_path / "home/library/index.sqlite"
    with discovery.open_index(index, [], lambda path: pytest.fail(f"read {path}")) as opened:
        assert opened.search(steps_of(finding, "shop")[1].query, 5) == []


def test_equal_trees_give_equal_findings_wherever_they_lie(found, plant, tmp_path, monkeypatch):
    walked = os.walk

    def backwards(*args, **kwargs):
        for place, below, names in walked(*args, **kwargs):
            names.reverse()
            yield place, below, names

    monkeypatch.setattr(os, "walk", backwards)
    again = discover_library(plant(dict(reversed(TREE.items())), "elsewhere"), tmp_path / "other.sqlite")
    assert again == found[0]


def test_a_second_discovery_reads_no_file_again(found, tmp_path, monkeypatch):
    finding, root = found
    read = []
    digest = discovery.digest_file
    monkeypatch.setattr(discovery, "digest_file", lambda path: read.append(path.name) or digest(path))
    assert discover_library(root, tmp_path / "home/library/index.sqlite") == finding
    assert read == []
    (root / "tiny/rows.csv").write_text("a,b\n" + "5,6\n" * 9)
    changed = discover_library(root, tmp_path / "home/library/index.sqlite")
    assert read == ["rows.csv"]
    assert theme_of(changed, "tiny").tables and theme_of(changed, "tiny").id not in changed.refusals


def test_changed_data_is_another_theme_and_refused_as_the_old_one(found, tmp_path):
    finding, root = found
    geography = theme_of(finding, "geography")
    assert [source.file for source in fingerprint(geography, root)] == ["geography/towns.csv"]
    (root / "geography/towns.csv").write_text(PEOPLE + "Newton,5\n")
    with pytest.raises(UsageError, match=r"geography: geography/towns\.csv has changed.*factory expand --library"):
        locate(geography, root)
    again = discover_library(root, tmp_path / "index.sqlite")
    assert theme_of(again, "geography").id != geography.id
    assert theme_of(again, "shop").id != theme_of(finding, "shop").id, "it takes the file too"
    assert theme_of(again, "lookalike").version == theme_of(finding, "lookalike").version


def test_copies_and_other_editions_are_no_related_files(plant, tmp_path):
    copies = {f"copy {i}/towns.csv": PEOPLE for i in range(3)}
    root = plant({"shop/orders.csv": ORDERS, "old shop/orders.csv": ORDERS.replace(",1\n", ",2\n"), **copies})
    finding = discover_library(root, tmp_path / "index.sqlite")
    assert [recipe.file for recipe in theme_of(finding, "shop").tables] == ["shop/orders.csv", "copy 0/towns.csv"]
    whys = {step.file: step.why for step in steps_of(finding, "shop")}
    assert whys["old shop/orders.csv"] == "a copy or another edition of orders: the same columns"
    assert whys["copy 1/towns.csv"].endswith("; the columns of towns again")
    assert [recipe.file for recipe in theme_of(finding, "copy_2").tables] == ["copy 2/towns.csv"]


def test_files_in_the_root_go_together_if_they_are_linked(plant, tmp_path):
    customers = "customer_id,name\n" + "".join(f"{i},{town} Ltd\n" for i, town in enumerate(TOWNS))
    orders = "order_id,customer_id\n" + "".join(f"{i},{i % 20}\n" for i in range(100, 160))
    root = plant({"customers.csv": customers, "orders.csv": orders, "birds.csv": "bird,seen\n" + "wren,1\nowl,2\n" * 4})
    finding = discover_library(root, tmp_path / "index.sqlite")
    assert [(theme.name, [recipe.name for recipe in theme.tables]) for theme in finding.themes] == [
        ("birds", ["birds"]),
        ("customers_orders", ["customers", "orders"]),
    ]
    assert {theme.package for theme in finding.themes} == {"."}


def test_parts_are_stacked_and_mined(plant, tmp_path):
    rain = {f"rain/K{code}.csv": f"day,mm\n1,{i}\n2,0\n3,4\n" for i, code in enumerate(("NYC", "SEA", "CLT"))}
    root = plant(rain)
    finding = discover_library(root, tmp_path / "index.sqlite")
    [recipe] = finding.themes[0].tables
    assert recipe.part_column == "code" and recipe.parts["rain/KNYC.csv"] == "KNYC"
    assert [step.outcome for step in finding.trail] == ["taken"] * 3
    assert "one of 3 files stacked into one table" in finding.trail[0].why
    profile = mine_tables(finding.themes[0], 1, 1.0, root).profile
    assert sum(note.rows_read for note in profile.sampling if note.split_from is None) == 9


def test_the_tables_of_a_theme_are_bounded(plant, tmp_path):
    many = {f"many/kind {a}{b}.csv": f"{a}{b},x\n" + "1,2\n" * (6 + len(a + b)) for a in "pqrst" for b in "vwxyz"}
    finding = discover_library(plant(many), tmp_path / "index.sqlite")
    outcomes = Counter(step.outcome for step in finding.trail)
    assert len(finding.themes[0].tables) == 24 and outcomes == {"taken": 24, "left": 1}
    assert "beyond the 24 of a theme" in next(step.why for step in finding.trail if step.outcome == "left")


def test_what_is_not_followed_is_told(plant, tmp_path):
    (tmp_path / "secret.csv").write_text(ORDERS)
    root = plant({"shop/orders.csv": ORDERS})
    (root / "shop/out.csv").symlink_to(tmp_path / "secret.csv")
    finding = discover_library(root, tmp_path / "index.sqlite")
    assert [(step.file, step.outcome, step.why) for step in finding.trail if step.outcome != "taken"] == [
        ("shop/out.csv", "unreadable", "a link that leaves the library")
    ]


LIBRARY = Path(__file__).resolve().parents[5] / "shared" / "library"


@pytest.mark.skipif(not LIBRARY.is_dir(), reason="no shared library beside this checkout")
def test_the_shared_library(tmp_path):
    finding = discover_library(LIBRARY, tmp_path / "index.sqlite")
    assert len(finding.themes) == 55
    reasons = Counter(rejection.reason for one in finding.refusals.values() for rejection in one)
    assert reasons == {"no_data": 5}
    assert {theme.name for theme in finding.themes if theme.id in finding.refusals} == {
        "comic_characters",
        "mlb_elo",
        "subreddit_algebra",
        "womens_world_cup_2019",
        "world_cup_2018",
    }
    assert len(theme_of(finding, "northwind").tables) == len(theme_of(finding, "chinook").tables) == 11
    assert len(theme_of(finding, "march_madness_predictions").tables[0].parts) == 62
    related = {t.name for t in finding.themes for r in t.tables if not r.file.startswith(f"{t.package}/")}
    assert {"bad_drivers", "alcohol_consumption"} <= related and not {"chinook", "northwind"} & related
