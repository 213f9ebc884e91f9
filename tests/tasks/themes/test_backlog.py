"""The planner: thin classes first, nothing twice, and ten nights empty a backlog."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tasks.themes.backlog import Waiting, plan_night

CLASSES = ["Weather & Geospatial", "Finance & Markets", "News & Trends", None]
themes = st.lists(
    st.builds(
        Waiting,
        theme_name=st.text("abcdef", min_size=1, max_size=4),
        wants=st.sampled_from(["environment", "version"]),
        level1=st.sampled_from(CLASSES),
        rounds=st.integers(0, 2),
        guided=st.booleans(),
    ),
    unique_by=lambda theme: theme.theme_name,
    max_size=30,
)


def test_the_thinnest_class_comes_first_and_counts_what_was_planned() -> None:
    waiting = [Waiting(f"money_{n}", "environment", "Finance & Markets") for n in range(3)]
    waiting += [Waiting(f"rain_{n}", "environment", "Weather & Geospatial") for n in range(3)]
    plan = plan_night(waiting, {"Finance & Markets": 2}, 4)
    assert [theme.theme_name for theme in plan] == ["rain_0", "rain_1", "money_0", "rain_2"]


def test_what_a_guideline_asks_for_comes_before_all() -> None:
    waiting = [Waiting("new", "environment", "News & Trends"), Waiting("weak", "version", "Finance & Markets", 2, True)]
    assert [theme.theme_name for theme in plan_night(waiting, {"Finance & Markets": 9}, 2)] == ["weak", "new"]


@given(themes, st.integers(1, 10), st.dictionaries(st.sampled_from(CLASSES[:3]), st.integers(0, 9)))
def test_a_plan_is_within_budget_without_repeats_and_fair(
    waiting: list[Waiting], budget: int, standing: dict[str, int]
) -> None:
    plan = plan_night(waiting, standing, budget)
    assert len(plan) == min(budget, len(waiting))
    assert len({theme.theme_name for theme in plan}) == len(plan)
    assert plan == plan_night(list(reversed(waiting)), standing, budget), "the order in which themes come is no matter"
    left = [theme for theme in waiting if theme not in plan and not theme.guided and theme.wants == "environment"]
    counts = Counter(standing) + Counter(theme.level1 for theme in plan if theme.wants == "environment")
    for theme in left:
        later = [other for other in plan if not other.guided and other.wants == "environment"]
        assert all(counts[theme.level1 or "unclassified"] + 1 >= counts[other.level1 or ""] for other in later)


@given(themes, st.integers(1, 6))
def test_nights_go_on_until_the_backlog_is_empty(waiting: list[Waiting], budget: int) -> None:
    nights = 0
    while waiting:
        plan = plan_night(waiting, {}, budget)
        assert plan, "as long as something waits, a night adds something"
        waiting = [theme for theme in waiting if theme not in plan]
        nights += 1
    assert nights <= 30
