"""Places in the taxonomy: all names there, equal on every run, learning from people, near themes called alike."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from schemas.errors import UsageError
from schemas.themes import Theme
from tasks.bench.taxonomy import measure_agreement, read_corpus
from tasks.taxonomy.classifier import Classifier
from tasks.taxonomy.clusters import second_levels
from tasks.taxonomy.names import Example, read_taxonomy
from tasks.taxonomy.placement import place_themes
from tasks.taxonomy.texts import spelt_out, theme_text
from tasks.themes.bundled import bundled_themes
from warehouse.seeds import mcp_labels, taxonomy_rows

TAXONOMY = read_taxonomy(taxonomy_rows())
CORPUS = Path(__file__).resolve().parents[4] / "shared/mcp/servers.jsonl.gz"


def theme(name: str, description: str) -> Theme:
    return Theme(
        name=name, title=name, description=description, kind="mcp", package="x", version="1", licence="MIT", tables=[]
    )


def test_the_names_are_the_papers() -> None:
    assert len(TAXONOMY.first_levels) == 20 and len(TAXONOMY.second_levels) == 50
    assert len({second.name for second in TAXONOMY.second_levels}) == 50
    assert all(TAXONOMY.under(level) for level in TAXONOMY.first_levels)
    assert set(mcp_labels().values()) <= set(TAXONOMY.first_levels)


@pytest.mark.parametrize(
    ("description", "level1", "level2"),
    [
        ("Get the weather forecast and alerts for a city", "Weather & Geospatial", "Weather Forecasting"),
        ("Search papers on arxiv and read their abstracts", "Academic & Scientific Research", None),
        ("Stock prices, dividends and earnings of a company by ticker", "Finance & Markets", "Stock & Equity Data"),
        ("Send a message to a Slack channel or an email", "Communication & General Utilities", None),
        ("Run SQL queries on a postgres database and describe its tables", "Data Storage & Databases", None),
    ],
)
def test_plain_descriptions_are_placed(description: str, level1: str, level2: str | None) -> None:
    (place,) = place_themes([theme("x", description)], TAXONOMY)
    assert place.level1 == level1
    assert place.level2 in {second.name for second in TAXONOMY.under(level1)}
    assert level2 is None or place.level2 == level2
    assert place.confidence is not None and 0.05 < place.confidence <= 1 and place.runner_up != level1


def test_bundled_themes_are_placed_alike_on_every_run() -> None:
    themes = bundled_themes()
    places = place_themes(themes, TAXONOMY)
    assert places == place_themes(themes, TAXONOMY)
    assert [place.theme_name for place in places] == [theme.name for theme in themes]
    found = {place.theme_name: place.level1 for place in places}
    assert found["seattle_weather"] == "Weather & Geospatial" and found["music_store"] == "Media & Entertainment"


def test_it_learns_from_what_people_correct() -> None:
    odd = theme("quux_board", "Quux and frobnication of wibbles on the quux board")
    before = place_themes([odd], TAXONOMY)[0]
    examples = [Example(theme_text(odd), "Healthcare & Life Sciences")]
    after = place_themes([theme("quux_list", "Frobnication of a quux")], TAXONOMY, examples)[0]
    assert before.level1 != "Healthcare & Life Sciences" and after.level1 == "Healthcare & Life Sciences"


def test_neighbours_are_called_alike() -> None:
    texts = [f"playlist of songs and lyrics number {n}" for n in range(4)] + [
        f"football match league {n}" for n in range(4)
    ]
    likeness = Classifier(TAXONOMY).likeness(texts)
    names = second_levels(texts, ["Media & Entertainment"] * 8, likeness, TAXONOMY)
    assert len(set(names[:4])) == 1 and len(set(names[4:])) == 1 and names[0] != names[4]


def test_names_are_spelt_out() -> None:
    assert spelt_out("listOpen-issues_by.owner") == "list Open issues by owner"


def test_a_corpus_is_read_or_refused_in_one_line(tmp_path: Path) -> None:
    server = {"name": "Rain", "overview": "weather", "primary_label": "Weather", "secondary_labels": [], "tools": []}
    path = tmp_path / "servers.jsonl.gz"
    path.write_bytes(gzip.compress((json.dumps(server) + "\n" + json.dumps({**server, "primary_label": "?"})).encode()))
    (found,) = read_corpus(path, mcp_labels())
    assert found.level1 == "Weather & Geospatial"
    (tmp_path / "broken.jsonl").write_text("{")
    for wrong in ("broken.jsonl", "missing.jsonl"):
        with pytest.raises(UsageError, match="--corpus FILE"):
            read_corpus(tmp_path / wrong, mcp_labels())


@pytest.mark.skipif(not CORPUS.is_file(), reason="no ../shared/mcp here")
def test_agreement_with_labelled_servers_is_what_the_documents_say() -> None:
    figures = measure_agreement(read_corpus(CORPUS, mcp_labels()), TAXONOMY)
    assert figures["n"] == 652
    assert figures["accuracy"] > 0.62 and figures["any_label"] > 0.79 and figures["macro_f1"] > 0.55
    assert figures["accuracy"] > 3 * figures["majority"]
    assert abs(figures["mean_confidence"] - figures["accuracy"]) < 0.1
