"""Classes by a model: chosen among those that are open, with words of the theme; both places are known afterwards."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.taxonomy import Classification
from schemas.themes import Theme
from tasks.authors.llm.labels.classes import UNSURE, eligible, label_class
from tasks.authors.llm.labels.proposals import ProposedClass, choice_among
from tasks.authors.llm.model import BudgetSpent, ModelUnavailable, Unusable
from tasks.taxonomy.names import read_taxonomy
from tests.tasks.authors.llm.scripted import ScriptedModel
from warehouse.seeds import taxonomy_rows

TAXONOMY = read_taxonomy(taxonomy_rows())
THEME = Theme(
    name="sky", title="Sky", description="Forecasts of rain\nand wind for a city, and its weather stations.", kind="mcp",
    package="x", version="1", licence="MIT", tables=[],
)  # fmt: skip
SURE = Classification(
    theme_name="sky", level1="News & Trends", level2="News Aggregation & Feeds", level3="Sky", confidence=UNSURE,
    runner_up="Weather & Geospatial",
)  # fmt: skip
UNSURELY = SURE.model_copy(update={"confidence": UNSURE - 0.01})
QUOTE = "Forecasts of rain and wind"


def answer(floor: Classification, level2: str, quote: str = QUOTE) -> ProposedClass:
    names = tuple(second.name for second in eligible(TAXONOMY, floor))
    return choice_among(names)(level2=level2, quote=quote)


def scripted(*answers: Any) -> ScriptedModel:
    return ScriptedModel("taxonomy", answers, subject="theme_1")


def test_a_quoted_choice_is_the_models_and_the_rules_place_is_kept_beside_it() -> None:
    model = scripted(answer(SURE, "Weather Forecasting"))
    label = label_class(model, THEME, TAXONOMY, SURE)
    assert (label.author, label.floor, label.quote) == ("llm", SURE, QUOTE)
    assert (label.place.level1, label.place.level2) == ("Weather & Geospatial", "Weather Forecasting")
    assert (label.place.level3, label.place.confidence, label.place.runner_up) == ("Sky", None, "News & Trends")
    assert [(one.kind, one.outcome) for one in model.contributions] == [("label", "kept")]


def test_where_the_rules_are_sure_only_their_two_likeliest_first_levels_are_open() -> None:
    assert {second.level1 for second in eligible(TAXONOMY, SURE)} == {"News & Trends", "Weather & Geospatial"}
    with pytest.raises(ValidationError):
        answer(SURE, "Clinical Medicine & Health")
    with pytest.raises(ValidationError):
        answer(UNSURELY, "Sailing")
    assert len(eligible(TAXONOMY, UNSURELY)) == len(TAXONOMY.second_levels)
    label = label_class(scripted(answer(UNSURELY, "Clinical Medicine & Health")), THEME, TAXONOMY, UNSURELY)
    assert label.place.level1 == "Healthcare & Life Sciences"


def test_the_choice_is_a_closed_list_in_the_schema_too() -> None:
    level2 = choice_among(("A", "B")).model_json_schema()["properties"]["level2"]
    assert level2["enum"] == ["A", "B"]


@pytest.mark.parametrize("quote", ["Prices of shares", "for a", "...", "Forecasts of rain and snow"])
def test_a_quote_that_the_theme_does_not_hold_is_refused(quote: str) -> None:
    model = scripted(answer(SURE, "Weather Forecasting", quote), answer(SURE, "Weather Forecasting", quote))
    label = label_class(model, THEME, TAXONOMY, SURE)
    assert (label.place, label.author) == (SURE, "rules")
    assert [one.gate for one in model.contributions] == ["quote_not_found"] * 2
    assert model.attempts == [0, 1]


def test_a_second_answer_may_be_right() -> None:
    model = scripted(Unusable("no_json", "prose"), answer(SURE, "Weather Forecasting"))
    assert label_class(model, THEME, TAXONOMY, SURE).author == "llm"
    assert [one.outcome for one in model.contributions] == ["refused", "kept"]


def test_a_spent_budget_leaves_the_rules_and_a_dead_endpoint_goes_up() -> None:
    assert label_class(scripted(BudgetSpent("spent")), THEME, TAXONOMY, SURE).author == "rules"
    with pytest.raises(ModelUnavailable):
        label_class(scripted(ModelUnavailable("down")), THEME, TAXONOMY, SURE)


def test_a_persons_word_is_not_asked_about() -> None:
    person = SURE.model_copy(update={"confidence": None})
    model = scripted()
    assert label_class(model, THEME, TAXONOMY, person).place == person and model.seen == []
