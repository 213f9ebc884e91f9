"""Lineage joins each package once to all its themes, and is bounded."""

from __future__ import annotations

from typing import Any

from tasks.pages.lineage import MOST_THEMES, MOST_VERSIONS, lineage_page
from tasks.pages.markdown import MOST_TABLE_ROWS


def grown(number: int) -> list[dict[str, Any]]:
    return [{"version": n, "environment_id": f"env_{n}", "tables": 2 * n} for n in range(1, number + 1)]


def theme(name: str, package: str = "loaves", **more: Any) -> dict[str, Any]:
    return {
        "theme_name": name,
        "environment_id": f"env_{name}",
        "state": "accepted",
        "kind": "dataset",
        "versions": grown(1),
        "package": package,
        "package_version": "1",
        "files": 2,
        "source_bytes": 2000,
        "world_tables": 3,
        "world_rows": 1234,
        "tools": 5,
        "tasks": 4,
        "reason": None,
        **more,
    }


def test_one_package_feeds_two_themes_and_a_refused_one_ends() -> None:
    refused = theme("notes", environment_id=None, state="rejected", reason='no "rows"', files=1)
    page = lineage_page([theme("bakery"), theme("loaves"), refused])
    assert '  p0["loaves 1<br>5 files, 6.0 kB"]' in page
    assert page.count('p0["') == 1 and "p1" not in page
    for arrow in ("p0 --> t0", "p0 --> t1", "p0 --> t2", "t0 --> e0", "e0 --> m0", "t2 --> e2"):
        assert f"  {arrow}\n" in page
    assert "m2" not in page and "class t2,e2 refused" in page
    assert "refused#58; no #34;rows#34;" in page
    assert "| loaves 1 | 2 | `bakery` | `env_bakery` | 1 | 5 | 4 |" in page
    assert '| refused: no "rows" |' in page.replace("`", "")


def test_both_diagram_and_table_of_many_themes_are_bounded() -> None:
    page = lineage_page(
        [
            theme(f"theme_{number:03d}_of_a_name_as_long_as_is_drawn", f"package {number}", versions=grown(9))
            for number in range(200)
        ]
    )
    assert page.count(" --> m") == MOST_THEMES
    assert f"The first {MOST_THEMES} of 200 themes are drawn." in page
    assert page.count("| `theme_") == MOST_TABLE_ROWS and f"… and {200 - MOST_TABLE_ROWS} more" in page
    assert len(page) < 25_000


def test_versions_are_a_chain() -> None:
    page = lineage_page([theme("bakery", versions=grown(3))])
    assert '  e0v1["version 1<br>2 tables"]' in page
    assert '  e0["version 3<br>3 tables<br>1,234 rows"]' in page
    for arrow in ("t0 --> e0v1", "e0v1 --> e0v2", "e0v2 --> e0", "e0 --> m0"):
        assert f"  {arrow}\n" in page


def test_of_a_long_chain_the_first_and_the_last_are_drawn() -> None:
    page = lineage_page([theme("bakery", versions=grown(9))])
    assert page.count('["version ') == MOST_VERSIONS
    for arrow in ("e0v1 --> e0v7", "e0v7 --> e0v8", "e0v8 --> e0"):
        assert f"  {arrow}\n" in page


def test_documents_of_one_file_are_one_source() -> None:
    page = lineage_page([theme(name, f"servers.jsonl.gz#{name}", kind="mcp") for name in ("a", "b")])
    assert '  p0["servers.jsonl.gz<br>4 files, 4.0 kB"]' in page and "p1" not in page


def test_before_anything_was_made() -> None:
    assert "Nothing was made yet." in lineage_page([])
