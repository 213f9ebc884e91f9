"""Theme inference: from the operations of a document back to its topic (paper section 1, source M2).

What the rules read is the floor. A model gives it another title and description, and says what operations are about that
the rules could not place; each is kept only where the document's own words bear it out. Operations and their parameters
stay as the source wrote them, and the fields of a thing are read by the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from schemas.themes import Entity, SourceOperation, Theme
from tasks.authors.llm.labels.proposals import NamedThing, ThemeDraft
from tasks.authors.llm.labels.support import is_supported, operation_texts, said_in, theme_words, unsaid
from tasks.authors.llm.model import BudgetSpent, Message, Model, Unusable
from tasks.authors.llm.react.fences import fence
from tasks.authors.llm.react.prompts import render
from tasks.authors.llm.reporting import report
from tasks.themes.entities import MOST_ENTITIES, find_things
from tasks.themes.findings import Finding
from tasks.themes.lexicon import plain_text, singular, words_of
from tasks.themes.operations import Named, Understood, understand
from tasks.themes.reading import name_of, subject_of, tidy_title

MOST_LISTED = 60
"""Operations that a model is told of: first those about nothing yet."""
_LONGEST_TOLD = 160
_LONGEST_LISTING = 12_000


class _Refused(Exception):
    def __init__(self, gate: str, detail: str) -> None:
        super().__init__(detail)
        self.gate, self.detail = gate, detail


def refine_finding(door: Callable[[str], Model], finding: Finding) -> Finding:
    """Return a finding whose themes of documents are named by a model; `door` gives the model for a theme's id.

    Raises ModelUnavailable.
    """
    return replace(
        finding, themes=[refine_theme(door(one.id), one) if one.operations else one for one in finding.themes]
    )


def refine_theme(model: Model, theme: Theme) -> Theme:
    """Return a theme with what of a model's draft its source supports; without a usable draft the theme as it is."""
    try:
        draft = infer_theme(model, theme)
    except Unusable as fault:
        report(model, "theme", theme.title, fault.reason, fault.detail)
        return theme
    except BudgetSpent:
        return theme
    refined = _described(model, theme, draft)
    for thing in draft.things:
        try:
            refined = _with_thing(refined, thing)
        except _Refused as refused:
            report(model, "theme", thing.thing, refused.gate, refused.detail)
        else:
            report(model, "theme", thing.thing)
    return refined


def infer_theme(model: Model, theme: Theme) -> ThemeDraft:
    """Return what a model makes of a theme's operations. Raises as `Model.ask` does."""
    listed = sorted(theme.operations, key=lambda one: one.entity != "")[:MOST_LISTED]
    document = "\n".join([f"{theme.title}: {theme.description}", *(_line(one) for one in listed)])
    task = render(__package__, "theme_task.jinja", document=fence(document, "the document", _LONGEST_LISTING))
    return model.ask([Message("system", render(__package__, "theme_system.jinja")), Message("user", task)], ThemeDraft)


def _line(operation: SourceOperation) -> str:
    about = operation.entity.replace("_", " ") or "nothing yet"
    parameters = ", ".join(one.name for one in operation.parameters)
    return f"- {operation.name}({parameters}) (about {about}): {plain_text(operation.description, _LONGEST_TOLD)}"


def _described(model: Model, theme: Theme, draft: ThemeDraft) -> Theme:
    """Return the theme with the draft's title and description, each where the source says at least half of its words."""
    said, update = theme_words(theme), {}
    title, description = tidy_title(draft.title), plain_text(draft.description, 600)
    if is_supported(title, said):
        update |= {"title": title, "name": theme.name if title == theme.title else name_of(title)}
    if is_supported(description, said):
        update |= {"description": description}
    for part, text in (("title", title), ("description", description)):
        refusal = () if part in update else ("unsupported", f"the source does not say: {', '.join(unsaid(text, said))}")
        report(model, "theme", f"{part}: {text}", *refusal)
    return theme.model_copy(update=update)


def _with_thing(theme: Theme, proposed: NamedThing) -> Theme:
    """Return the theme with operations placed that a model says are about one thing; _Refused where they are not."""
    noun = singular("_".join(words_of(proposed.thing)))
    unplaced = [one for one in theme.operations if one.name in proposed.operations and not one.entity]
    if not unplaced:
        raise _Refused("no_such_operation", f"none about nothing yet is called {', '.join(proposed.operations)[:120]}")
    if not noun or not any(_says(one, noun) for one in unplaced):
        raise _Refused("unsupported", f"no operation of {', '.join(one.name for one in unplaced)[:120]} says it")
    read = _read_again(theme, {one.name for one in unplaced}, noun)
    placed = {one.named.name: one.verb for one in read if one.noun == noun and one.verb != "other"}
    if not placed.keys() & {one.name for one in unplaced}:
        raise _Refused("nothing_to_store", "its operations compute or steer something")
    things = find_things(subject_of(theme.title), read, {})
    table = things.tables.get(noun)
    entities = _with_entity(theme.entities, next((one for one in things.entities if one.name == table), None))
    operations = [
        one.model_copy(update={"entity": table, "verb": placed[one.name]})
        if one in unplaced and one.name in placed
        else one
        for one in theme.operations
    ]
    return theme.model_copy(update={"entities": entities, "operations": operations})


def _says(operation: SourceOperation, noun: str) -> bool:
    """Return whether an operation's name, description or parameters have all words of a thing (singular)."""
    said = said_in(operation_texts(operation))
    return singular(noun) in said or all(singular(word) in said for word in noun.split("_"))


def _read_again(theme: Theme, named: Collection[str], noun: str) -> list[Understood]:
    """Return the operations that are about something, those `named` about `noun`, as the rules take them apart."""
    nouns = {entity.name: singular("_".join(words_of(entity.singular))) for entity in theme.entities}
    operations = [
        Named(one.name, one.description, one.parameters, verb=one.verb, noun=nouns[one.entity])
        if one.entity in nouns
        else Named(one.name, one.description, one.parameters, noun=noun)
        for one in theme.operations
        if one.entity in nouns or one.name in named
    ]
    return understand(theme.title, theme.description, operations)


def _with_entity(entities: list[Entity], found: Entity | None) -> list[Entity]:
    """Return the entities with one more, if it is not among them; its references go to those that are there."""
    if found is None:
        raise _Refused("no_fields", "fewer than three fields of it are known")
    names = {entity.name for entity in entities} | {found.name}
    if len(names) == len(entities):
        return entities
    if len(entities) >= MOST_ENTITIES:
        raise _Refused("too_many", f"the theme has {MOST_ENTITIES} things already")
    fields = [one if one.refers_to in names else one.model_copy(update={"refers_to": None}) for one in found.fields]
    return [*entities, found.model_copy(update={"fields": fields})]
