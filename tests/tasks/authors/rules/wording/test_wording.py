"""Requests of drawn plans: they say all that a plan holds, in good form, and hardly ever in the same words."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from schemas.plans import Plan, Rows
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.plans.practice import draw_practice
from tasks.authors.rules.plans.programs import draw_programmatic
from tasks.authors.rules.wording.vocabulary import Vocabulary
from tasks.authors.rules.wording.worded import NoWords, Worded
from tasks.authors.rules.wording.wording import word
from tasks.verification.style.measures import imperatives
from tests.tasks.authors.rules.tool_worlds import ToolWorld

WANTED = 30
LARGEST_SHARE = 0.02
SHORTEST = 4
"""Words from which a sentence has a skeleton."""
NUMBERS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
Said = list[tuple[Plan, Worded]]


@pytest.fixture(scope="module")
def vocabularies(worlds: list[ToolWorld]) -> list[Vocabulary]:
    return [Vocabulary(Catalog(world.environment, world.module.tools, world.frames)) for world in worlds]


@pytest.fixture(scope="module")
def plans(vocabularies: list[Vocabulary]) -> list[tuple[Plan, Vocabulary]]:
    drawers = ((draw_programmatic, WANTED), (draw_practice, 4))
    return [
        (drawn.plan, vocabulary)
        for vocabulary in vocabularies
        for draw, wanted in drawers
        for drawn in islice(draw(vocabulary.catalog, 0), wanted)
    ]


@pytest.fixture(scope="module")
def said(plans: list[tuple[Plan, Vocabulary]]) -> Said:
    return [(plan, word(plan, v, "en", random.Random(f"said/{n}"))) for n, (plan, v) in enumerate(plans)]


def test_every_field_is_announced_with_its_form(said: Said) -> None:
    assert len(said) > 2 * WANTED
    for plan, worded in said:
        assert set(worded.descriptions) == {asked.name for asked in plan.asked}
        for asked in plan.asked:
            assert worded.request.count(f"“{asked.name}”") == 1, worded.request
            assert asked.unit is None or asked.unit in worded.request
        assert "JSON" in worded.request


def test_every_constant_is_said(said: Said) -> None:
    for plan, worded in said:
        for value in _constants(plan.model_dump(mode="json")):
            shown = (
                re.sub(r"^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d)?)$", r"\1 \2", value)
                if isinstance(value, str)
                else f"{value:.15g}"
            )
            shown = re.sub(r"^(\d{4}-\d\d-\d\d \d\d:\d\d):00$", r"\1", shown)
            assert shown in worded.request, (value, worded.request)
        for each in plan.passes:
            if isinstance(each.source, Rows) and each.source.count is not None:
                many = str(each.source.count)
                assert many in worded.request or NUMBERS.split()[each.source.count - 1] in worded.request.lower()


def _constants(node: Any) -> Iterator[Any]:
    if isinstance(node, list):
        for each in node:
            yield from _constants(each)
    elif isinstance(node, dict):
        if node.get("is_") == "said" and not isinstance(node["value"], bool):
            yield node["value"]
        for each in node.values():
            yield from _constants(each)


def test_requests_are_well_formed(said: Said) -> None:
    for plan, worded in said:
        text = worded.request
        for asked in plan.asked:
            text = text.replace(f"“{asked.name}”", "“”")
        for value in _constants(plan.model_dump(mode="json")):
            text = text.replace(value, "text") if isinstance(value, str) and "_" in value else text
        assert not re.search(r"_|\{|\}|  |,,| ,|,;|;;|\.\.|None|\ba [aeio]\w|\ban [bcdfgjklmnpqrstvwxz]\w", text), text
        assert not re.search(r"\b(the the|of of|for for|to to|highest highest|lowest lowest|total total)\b", text), text
        assert text.count("“") == text.count("”")


def test_forms_say_only_what_does_not_go_without_saying(said: Said) -> None:
    """A count is a whole number and a name a text; a unit, decimals, the order of a list and the form of dates are said."""
    assert not any(re.search(r"whole numbers?\)|integer|a text\)|not rounded", worded.request) for _, worded in said)
    for plan, worded in said:
        for asked in plan.asked:
            assert asked.type != "datetime" or "YYYY-MM-DDTHH:MM:SS" in worded.request
            assert asked.digits is None or "decimal" in worded.request
            assert asked.type != "list" or "order" in worded.request


def test_requests_state_goals(said: Said) -> None:
    orders = [imperatives(worded.request, "en") for _, worded in said]
    assert sum(orders) / len(orders) < 0.5
    assert max(orders) <= 2


def test_a_small_wish_is_a_short_message(plans: list[tuple[Plan, Vocabulary]]) -> None:
    lengths = [
        len(word(plan, vocabulary, "en", random.Random(seed)).request.split())
        for plan, vocabulary in plans
        if not plan.passes and len(plan.asked) == 1
        for seed in range(10)
    ]
    assert lengths
    assert sum(lengths) / len(lengths) < 60
    assert max(lengths) < 120


def test_no_sentence_is_a_habit(plans: list[tuple[Plan, Vocabulary]]) -> None:
    """With quoted texts, numbers, dates and names masked, no sentence is in more than 2 % of requests."""
    skeletons: Counter[str] = Counter()
    times = 3
    for turn in range(times):
        for number, (plan, vocabulary) in enumerate(plans):
            skeletons.update(_skeletons(word(plan, vocabulary, "en", random.Random(f"{turn}/{number}")).request))
    worst, count = skeletons.most_common(1)[0]
    assert count / (times * len(plans)) <= LARGEST_SHARE, worst


def _skeletons(request: str) -> set[str]:
    masked = re.sub(r"“[^”]*”", "Q", request)
    masked = re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?|-?\b\d[\d.]*\b", "N", masked)
    masked = re.sub(rf"\b({NUMBERS.replace(' ', '|')})\b", "N", masked)
    sentences = re.split(r"(?<=[.!?])\s+|\n+", masked)
    named = [re.sub(r"(?<!^)\b[A-Z]\w*( [A-Z]\w*)*", "X", sentence.strip()) for sentence in sentences]
    return {sentence.lower() for sentence in named if len(sentence.split()) >= SHORTEST}


def test_the_same_seed_gives_the_same_words(plans: list[tuple[Plan, Vocabulary]]) -> None:
    plan, vocabulary = plans[0]
    first, again, other = (word(plan, vocabulary, "en", random.Random(seed)).request for seed in (1, 1, 2))
    assert first == again != other


def test_a_changed_plan_changes_the_words(plans: list[tuple[Plan, Vocabulary]]) -> None:
    """Another comparator, constant, order or count is said in other words, whatever is drawn."""
    opposite = {"at_least": "below", "at_most": "above", "above": "at_most", "below": "at_least"}
    changed = 0
    for plan, vocabulary in plans:
        text = json.dumps(plan.model_dump(mode="json"))
        for old, new in opposite.items():
            other = Plan.model_validate_json(re.sub(rf'"comparator": "{old}"', f'"comparator": "{new}"', text, count=1))
            if other != plan and not any(each.filters for each in plan.things if hasattr(each, "filters")):
                words = {word(p, vocabulary, "en", random.Random("same")).request for p in (plan, other)}
                assert len(words) == 2
                changed += 1
    assert changed > WANTED


def test_an_action_without_words_is_refused(plans: list[tuple[Plan, Vocabulary]]) -> None:
    plan, vocabulary = next((p, v) for p, v in plans if any(b.acts for each in p.passes for b in each.branches))
    silent = [tool.model_copy(update={"intent": {**tool.intent, "requests": []}}) for tool in vocabulary.catalog.tools]
    catalog = Catalog(vocabulary.catalog.environment, silent, vocabulary.catalog.frames)
    with pytest.raises(NoWords):
        word(plan, Vocabulary(catalog), "en", random.Random(0))
    with pytest.raises(NoWords):
        word(plan, vocabulary, "xx", random.Random(0))
