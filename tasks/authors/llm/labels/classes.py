"""Classes: a theme's place in the taxonomy by a model, where the rules leave it open, with words of the theme that show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from schemas.taxonomy import Classification
from schemas.themes import Theme
from tasks.authors.llm.labels.proposals import ProposedClass, choice_among
from tasks.authors.llm.labels.support import is_quoted
from tasks.authors.llm.model import BudgetSpent, Message, Model, Unusable
from tasks.authors.llm.react.fences import fence
from tasks.authors.llm.react.prompts import render
from tasks.authors.llm.reporting import report
from tasks.taxonomy.names import SecondLevel, Taxonomy
from tasks.taxonomy.texts import theme_text

UNSURE = 0.5
"""Confidence of the rules below which a model may choose any class; else one of their two likeliest first levels."""
SAMPLES = 2
"""Answers that are drawn until one has a quote that the theme holds."""


@dataclass(frozen=True)
class Label:
    """Where a theme stands, who decided it, and what shows it; `floor` is where the rules place it, which stays stored too."""

    place: Classification
    author: Literal["rules", "llm"]
    floor: Classification
    quote: str = ""


def label_class(model: Model, theme: Theme, taxonomy: Taxonomy, floor: Classification) -> Label:
    """Return a theme's class by a model, or the rules' where the model gives none that stands. Raises ModelUnavailable.

    `floor` is the rules' place; a person's word (a place without confidence) is not asked about.
    """
    choices = {second.name: second for second in eligible(taxonomy, floor)}
    if not choices:
        return Label(floor, "rules", floor)
    schema, messages = choice_among(tuple(choices)), _messages(theme, list(choices.values()))
    for attempt in range(SAMPLES):
        try:
            answer = model.ask(messages, schema, attempt=attempt)
        except Unusable as fault:
            report(model, "label", theme.name, fault.reason, fault.detail)
            continue
        except BudgetSpent:
            break
        if is_quoted(answer.quote, theme):
            report(model, "label", f"{theme.name}: {answer.level2}")
            return Label(_place(floor, choices[answer.level2]), "llm", floor, answer.quote)
        report(model, "label", f"{theme.name}: {answer.level2}", "quote_not_found", _unfound(answer))
    return Label(floor, "rules", floor)


def eligible(taxonomy: Taxonomy, floor: Classification) -> list[SecondLevel]:
    """Return the classes that a model may choose: those of the rules' two likeliest first levels, or all where they are unsure.

    What it may not choose is not in the schema that it answers in.
    """
    if floor.confidence is None:
        return []
    if floor.confidence < UNSURE:
        return list(taxonomy.second_levels)
    return [second for second in taxonomy.second_levels if second.level1 in (floor.level1, floor.runner_up)]


def _messages(theme: Theme, choices: list[SecondLevel]) -> list[Message]:
    system = render(__package__, "class_system.jinja", choices=choices)
    task = render(__package__, "class_task.jinja", theme=fence(theme_text(theme), "the theme"))
    return [Message("system", system), Message("user", task)]


def _place(floor: Classification, chosen: SecondLevel) -> Classification:
    """Return the place that a model chose; it has no probability, and the rules' first level is what else was likely."""
    other = floor.runner_up if chosen.level1 == floor.level1 else floor.level1
    return floor.model_copy(
        update={"level1": chosen.level1, "level2": chosen.name, "confidence": None, "runner_up": other}
    )


def _unfound(answer: ProposedClass) -> str:
    return f"the theme does not say {answer.quote!r}"
