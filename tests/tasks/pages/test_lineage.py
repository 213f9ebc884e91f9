"""Lineage joins each package once to all its themes, and is bounded."""

from __future__ import annotations

from typing import Any

from tasks.pages.lineage import MOST_THEMES, lineage_page


def theme(name: str, package: str = "loaves", **more: Any) -> dict[str, Any]:
    return {
        "theme_name": name,
        "environment_id": f"env_{name}",
        "state": "accepted",
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
    assert "| loaves 1 | 2 | `bakery` | `env_bakery` | 5 | 4 |   |" in page


def test_only_the_table_has_all_of_many_themes() -> None:
    page = lineage_page([theme(f"theme_{number:02d}", f"package {number}") for number in range(55)])
    assert page.count(" --> m") == MOST_THEMES
    assert f"… and {55 - MOST_THEMES} more themes" in page
    assert page.count("| `theme_") == 55


def test_before_anything_was_made() -> None:
    assert "Nothing was made yet." in lineage_page([])
