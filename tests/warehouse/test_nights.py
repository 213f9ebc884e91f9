"""Simulated nights: the planner works through a backlog; every night adds environments or versions until nothing waits."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta

from schemas.rounds import Guideline
from schemas.taxonomy import Classification
from tasks.candidates import planned_themes
from warehouse import rows

NIGHTLY = 2
ROUNDS = 3
CLASSES = ("Weather & Geospatial", "Finance & Markets", "Finance & Markets", "News & Trends")


def work(warehouse, samples, stamp, name: str) -> str:
    """Do what a night does for a theme: build its environment, or try its next round; say which."""
    known = {row["theme_name"]: row for row in warehouse.rows("backlog", rounds=ROUNDS)}[name]
    if known["wants"] == "environment":
        samples.fill(warehouse, stamp, name=name)
        return "environment"
    environment = samples.environment(samples.theme(name))
    accepted, _ = samples.rounds(environment)
    verdict = accepted.model_copy(update={"number": known["rounds"] + 1, "environment_id": f"{environment.id}_grown"})
    child = environment.model_copy(update={"id": verdict.environment_id, "version": 2, "parent_id": environment.id})
    rows.save_round(warehouse, environment.theme_id, verdict, Guideline(), child, [], [], stamp)
    return "version"


def test_ten_nights_empty_a_backlog(warehouse, stamp, samples) -> None:
    themes = [samples.theme(f"theme_{number:02d}") for number in range(9)]
    for theme in themes:
        rows.save_themes(warehouse, [theme], [], [], stamp)
    rows.save_backlog(warehouse, themes, None, "discovered in a test", stamp)
    places = [
        Classification(theme_name=theme.name, level1=CLASSES[number % 4], confidence=0.5)
        for number, theme in enumerate(themes)
    ]
    rows.save_classes(warehouse, places, stamp)
    level_of = {place.theme_name: place.level1 for place in places}

    nights = []
    while planned := planned_themes(warehouse, NIGHTLY, ROUNDS):
        night = replace(stamp, run_id=f"night_{len(nights)}", created_at=stamp.created_at + timedelta(days=len(nights)))
        nights.append([(theme.name, work(warehouse, samples, night, theme.name)) for theme, _ in planned])
        assert 1 <= len(nights[-1]) <= NIGHTLY, "as long as something waits, a night adds something"
        assert len(nights) <= 10, "the backlog does not come to an end"

    done = Counter(kind for night in nights for _, kind in night)
    assert done["environment"] == 9 and done["version"] == 9
    first = Counter(level_of[name] for name, _ in nights[0])
    assert set(first.values()) == {1}, "on the first night each class gets one"
    assert warehouse.rows("backlog", rounds=ROUNDS) == []
    assert len(warehouse.rows("environments")) == 9
