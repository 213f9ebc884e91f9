"""A round that a model steers: it chooses among what the floor could add, and the floor builds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import get_args

import pytest
from pydantic import ValidationError

from schemas.rounds import AdditionKind, Guideline
from tasks.authors.base import Growth
from tasks.authors.llm.model import BudgetSpent, Message, ModelUnavailable, Unusable
from tasks.authors.llm.research.proposals import RoundChoice
from tasks.authors.llm.research.rounds import Options, options_of, propose_growth
from tasks.authors.rules.rounds.plan import propose_round
from tests.tasks.authors.llm.scripted import ScriptedModel
from tests.tasks.authors.rules.rounds.drafts import THEME, bundled, draft
from tests.tasks.themes.mined import theme_by_name

WORLD, THEMED, NUMBER = bundled("chemical_elements"), theme_by_name("chemical_elements"), 2


@cache
def rules(guideline: Guideline) -> Growth | None:
    """The floor's round."""
    return propose_round(WORLD, THEMED, NUMBER, guideline, 0)


@cache
def options() -> Options:
    return options_of(WORLD, Guideline(), rules)


def choosing(*additions: str, archetypes: Sequence[str] = (), tables: Sequence[str] = ()) -> RoundChoice:
    """Return a choice as a model's output would be read; one outside the lists is built without the check."""
    said = {"reason": "More to do.", "additions": list(additions)}
    return options().schema.model_construct(**said, archetypes=list(archetypes), tables=list(tables))


def steer(model: ScriptedModel, guideline: Guideline = Guideline()) -> Growth:
    growth = propose_growth(model, WORLD, THEMED, NUMBER, guideline, rules)
    assert growth is not None
    return growth


def test_the_options_are_what_the_floor_could_add() -> None:
    found = options()
    assert set(found.additions) <= set(get_args(AdditionKind)) and len(found.additions) >= 3
    assert all(line.startswith(f"{kind}: ") for kind, line in found.additions.items())
    assert not {o.archetype for o in WORLD.operations} & set(found.archetypes)


def test_what_the_model_chose_comes_first() -> None:
    kind = list(options().additions)[-1]
    model = ScriptedModel("research", [choosing(kind)])
    growth = steer(model)
    assert growth.additions[0].startswith(f"{kind}: ") and growth.author == "llm"
    plain = rules(Guideline())
    assert plain is not None and not plain.additions[0].startswith(f"{kind}: ") and plain.author == "rules"
    assert [(c.kind, c.name, c.outcome) for c in model.contributions] == [("round", f"round 2: {kind}", "kept")]


def test_an_archetype_over_a_table() -> None:
    archetype, table = options().archetypes[-1], options().tables[0]
    growth = steer(ScriptedModel("research", [choosing("operations", archetypes=[archetype], tables=[table])]))
    assert growth.additions[0].startswith(f"operations: {archetype.replace('_', ' ')} over ")


def test_a_guideline_stays_before_the_choice() -> None:
    first, second = list(options().additions)[:2]
    guideline = Guideline(additions=(second,), reason="its tasks are solved too easily")
    model = ScriptedModel("research", [choosing(first)])
    growth = steer(model, guideline)
    assert growth.additions[0].startswith(f"{second}: ")
    assert guideline.reason in model.seen[0][1].content


def test_what_is_no_option_is_refused_and_the_rest_stays() -> None:
    kind = next(iter(options().additions))
    model = ScriptedModel("research", [choosing("drop_tables", kind, tables=["nowhere"])])
    growth = steer(model)
    assert growth.additions[0].startswith(f"{kind}: ")
    assert [(c.outcome, c.gate) for c in model.contributions] == [("refused", "plan"), ("kept", "")]
    with pytest.raises(ValidationError):
        options().schema(reason="", additions=["drop_tables"])
    nothing = steer(ScriptedModel("research", [choosing("drop_tables")]))
    assert nothing.author == "rules" and nothing.additions == rules(Guideline()).additions  # type: ignore[union-attr]


@pytest.mark.parametrize("fault", [Unusable("no_json", "prose"), BudgetSpent("tokens")])
def test_without_a_choice_the_floor_decides(fault: Exception) -> None:
    growth = steer(ScriptedModel("research", [fault]))
    assert growth is rules(Guideline()) and growth.author == "rules"


def test_a_dead_endpoint_is_told() -> None:
    with pytest.raises(ModelUnavailable):
        steer(ScriptedModel("research", [ModelUnavailable("gone")]))


def test_where_nothing_is_left_nobody_is_asked() -> None:
    nothing: Callable[[Guideline], Growth | None] = lambda guideline: propose_round(draft(), THEME, 1, guideline, 0)  # noqa: E731
    assert propose_growth(ScriptedModel("research"), draft(), THEME, 1, Guideline(), nothing) is None


def test_the_prompt_fences_what_comes_from_data() -> None:
    seen: list[Sequence[Message]] = []

    def answer(messages: Sequence[Message]) -> RoundChoice:
        seen.append(messages)
        return choosing(next(iter(options().additions)))

    steer(ScriptedModel("research", [answer]))
    outside = seen[0][1].content
    for block in ("world", "what could be added"):
        start = outside.index(f'source="{block}"')
        assert start > 0
    assert len(seen[0]) == 2 and THEMED.description.split(".")[0] not in seen[0][0].content
