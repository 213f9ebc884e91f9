"""Fields: what is known of a kind of thing, from the parameters, results and descriptions of its operations."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from schemas.themes import SourceParameter
from tasks.themes.concepts import FieldType, concept_of, concepts, is_known
from tasks.themes.controls import is_free_text, leaf
from tasks.themes.lexicon import (
    FIELDS,
    GENERIC,
    KINDS,
    PREPOSITIONS,
    STATES,
    WRAPPERS,
    plain_text,
    singular,
    usual_fields,
    words_of,
)
from tasks.themes.operations import Understood

_LONGEST_NAME = 40
_LONGEST_DESCRIPTION = 160
_MOST_VALUES = 24
_MOST_EXAMPLES = 5
_BOUND = re.compile(
    r"^(min|max|minimum|maximum|from|to|since|until|before|after|start|end)_|_(min|max|from|to|gte|lte|gt|lt|start|end)$"
)
_REFERENCE = ("id", "ids", "key", "uid", "uuid", "slug", "number", "name", "guid")
_LISTED = re.compile(
    r"\b(?:including|includes?|such as|containing|contains|returns?|with|like|e\.g\.|fields?:?|by)\s*:?\s*"
    r"((?:[A-Za-z][\w /-]{1,28},\s*){1,}(?:and |or |and/or )?[A-Za-z][\w /-]{1,28})"
)
_ENDS = {
    "from": "sender", "to": "recipient", "start": "start_time", "end": "end_time", "since": "start_date",
    "until": "end_date", "before": "date", "after": "date",
}  # fmt: skip
"""Ends of a range: when they narrow, the range is of dates."""
_LABELS = ("name", "title", "full_name", "display_name", "subject", "username", "label")
_BODIES = {"content", "text", "body", "message"}
"""Names of a document's own text: it has one."""
_TRACES = ("status", "state")
_NOISE = frozenset(
    "value data item other info type_of more etc input output result text_value self none null true false".split()
)


@dataclass(frozen=True)
class Known:
    """A field as evidence suggests it; `refers_to` is the thing (singular) that it names another row of.

    `said` tells whether the source itself names it; else it is usual for things of the kind.
    """

    name: str
    type: FieldType
    concept: str
    description: str = ""
    values: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    refers_to: str = ""
    said: bool = True


def fields_of(
    noun: str, operations: Iterable[Understood], nouns: Collection[str], declared: Iterable[SourceParameter] = ()
) -> list[Known]:
    """Return the fields that a thing's operations name, in their order; `nouns` are all things of the source.

    Fields that were `declared` come first, then parameters of what creates and changes the thing, then filters,
    results, and lists in descriptions.
    """
    found: dict[str, Known] = {}
    stated = list(declared)
    own = {parameter.name for parameter in stated}
    for parameter in stated:
        _add(found, _from_parameter(parameter, noun, nouns, True, own))
    ranked = sorted(operations, key=lambda one: one.verb not in ("create", "update"))
    for one in ranked:
        writes = one.verb in ("create", "update")
        for parameter in one.parameters:
            if not is_free_text(parameter) or (writes and parameter.required):
                _add(found, _from_parameter(parameter, noun, nouns, writes, own))
    for one in ranked:
        for parameter in one.named.returns:
            _add(found, _from_parameter(parameter, noun, nouns, True, own))
        if one.verb not in ("create", "other"):
            for name in _listed(one.named.description, noun):
                if not own or name not in nouns:  # a document's sentence lists its other things as well
                    _add(found, _named(name))
    return list(found.values())


def _add(found: dict[str, Known], field: Known | None) -> None:
    """Keep a field, or what is new in it where the name is known already."""
    if field is None:
        return
    old = found.get(field.name)
    if old is None:
        found[field.name] = field
        return
    found[field.name] = replace(
        old,
        description=old.description or field.description,
        values=old.values or field.values,
        examples=old.examples or field.examples,
        refers_to=old.refers_to or field.refers_to,
    )


def _from_parameter(
    parameter: SourceParameter, noun: str, nouns: Collection[str], stated: bool, own: Collection[str]
) -> Known | None:
    """Return the field that a parameter states or narrows by; None for the thing's own key and what says nothing.

    Names among `own` were declared as the thing's: they say something.
    """
    if parameter.type == "object":
        return None
    name = _own_name(parameter.name, noun)
    if not stated:
        name = _BOUND.sub("", name) or name
    if name not in own or name not in usual_fields(noun):
        name = _without_noun(FIELDS.get(name, name), noun)
    if name in _ENDS:
        name = _ENDS[name] if stated else "date"
    if name in _REFERENCE[:4] or name in ("uuid", "guid") or name.isdigit():
        return None
    if name not in own and (name in WRAPPERS or name in _NOISE):
        return None
    plain = parameter.type in ("boolean", "number") or bool(parameter.choices)
    other = "" if plain else _refers_to(name, noun, nouns)
    if other == noun:
        return None
    if other:
        return Known(f"{other}_id"[:_LONGEST_NAME], "integer", "id", _described(parameter), refers_to=other)
    name = name if is_known(name) else re.sub(r"_ids?$", "", name)
    if parameter.type == "array" and singular(name) in (*_LABELS, "path"):
        name = singular(name)
    if not name or len(name) > _LONGEST_NAME or not name[0].isalpha():
        return None
    concept = concept_of(name)
    return Known(
        name=name,
        type=_type_of(parameter, concept),
        concept=concept,
        description=_described(parameter),
        values=_tidy(parameter.choices)[:_MOST_VALUES],
        examples=_tidy(parameter.examples)[:_MOST_EXAMPLES],
    )


def _own_name(dotted: str, noun: str) -> str:
    """Return what a nested parameter is called as a field: what only wraps it is left out.

    'body.issue.title' of an issue is 'title'; 'category.name' of a pet is 'category', 'category.id' its 'category_id'.
    """
    parts = [leaf(part) for part in dotted.split(".")]
    while len(parts) > 1 and (parts[0] in WRAPPERS or singular(parts[0]) in (noun, noun.rpartition("_")[2])):
        parts.pop(0)
    if len(parts) == 1:
        return parts[0]
    parent, last = singular(parts[-2]), parts[-1]
    if last in ("id", "key", "uid"):
        return f"{parent}_{last}"
    if last in _LABELS or last in ("value", "code"):
        return parent
    return last if concept_of(last) not in ("", "category", "type", "count", "number", "status") else f"{parent}_{last}"


def _without_noun(name: str, noun: str) -> str:
    """Return a field's name without the thing's own in front: 'issue_title' of an issue is 'title'."""
    for start in (noun, noun.rpartition("_")[2]):
        short = name.removeprefix(f"{start}_")
        if short != name and short not in ("type", "class"):
            return short
    return name


def _refers_to(name: str, noun: str, nouns: Collection[str]) -> str:
    """Return the thing that a field names a row of: of a source's own, or a known kind where it ends like a key."""
    start, _, end = name.rpartition("_")
    keyed = end in _REFERENCE and bool(start)
    said = singular(start if keyed else name)
    parts = said.split("_")
    for first in range(len(parts)):
        candidate = "_".join(parts[first:])
        if candidate in nouns:
            return candidate
        if keyed and end in ("id", "ids", "uid", "uuid", "guid") and candidate in KINDS:
            return candidate if candidate != noun else noun
    return ""


def _described(parameter: SourceParameter) -> str:
    return plain_text(parameter.description, _LONGEST_DESCRIPTION)


def _tidy(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for value in values if (text := plain_text(value, 80))))


def _type_of(parameter: SourceParameter, concept: str) -> FieldType:
    usual = concepts().get(concept, "text")
    said = parameter.description.lower()
    if parameter.choices:
        return "boolean" if set(parameter.choices) <= {"true", "false"} else "text"
    match parameter.type:
        case "boolean":
            return "boolean"
        case "integer" | "number":
            return usual if usual in ("money", "integer", "number") else parameter.type
        case "array":
            return "text"
    if usual in ("date", "datetime", "money", "integer", "number"):
        return usual
    if re.search(r"yyyy-mm-ddt|iso ?8601|date-time|timestamp", said):
        return "datetime"
    return "date" if re.search(r"yyyy-mm-dd|yyyy/mm/dd", said) else "text"


def _named(name: str, said: bool = True) -> Known:
    concept = concept_of(name)
    return Known(name, concepts().get(concept, "text"), concept, said=said)


def _listed(description: str, noun: str) -> list[str]:
    """Return the field names of lists in a description ('including title, authors and abstract')."""
    names = []
    for match in _LISTED.finditer(description[:1_500]):
        for item in re.split(r",\s*(?:and |or |and/or )?|\s+and\s+|\s+or\s+", match[1]):
            words = [word for word in words_of(item) if word not in ("the", "a", "an", "its", "their", "full", "by")]
            name = _without_noun("_".join(words), noun)
            known = concept_of(name) and name not in GENERIC and not set(words) & PREPOSITIONS
            if words and len(words) <= 3 and known and len(name) <= _LONGEST_NAME and singular(name) != noun:
                names.append(name)
    return names


def with_label(fields: list[Known], usual: Sequence[str]) -> list[Known]:
    """Return the fields with the one first that names a row to a person; it is added where there is none.

    `usual` are the names of the fields that things of the kind have.
    """
    order = [*usual[:1], *_LABELS]
    names = {field.name: field for field in fields if not field.refers_to and field.type == "text"}
    label = next((name for name in order if name in names), None)
    if label is None and usual:
        same = concept_of(usual[0])
        label = next((name for name, field in names.items() if same and field.concept == same), None)
    if label is None:
        label = usual[0] if usual else "name"
    first = names.get(label) or _named(label, said=False)
    first = replace(first, type="text", values=())
    alike = {label} | ({"name", "full_name", "display_name"} if label in ("name", "full_name") else set())
    return [first, *(field for field in fields if field.name not in alike)]


def completed(fields: list[Known], usual: Sequence[str], fewest: int) -> list[Known]:
    """Return the fields with the `usual` ones of the kind behind them, as far as there are fewer than `fewest`."""
    known = {field.name for field in fields} | {field.concept for field in fields} - {"", "text", "category"}
    known |= {"name", "title"}
    known |= _BODIES if known & _BODIES else set()
    added = list(fields)
    for name in usual:
        field = _named(name, said=False)
        if len(added) >= fewest:
            break
        if name not in known and f"{name}_id" not in known and field.concept not in known:
            added.append(field)
    return added


def padded(fields: list[Known], fewest: int) -> list[Known]:
    """Return the fields with those behind them that anything has: what it is, and of which sort."""
    names = {field.name for field in fields}
    more = [_named(name, said=False) for name in ("description", "category") if name not in names]
    return [*fields, *more[: max(0, fewest - len(fields))]]


def with_lifecycle(fields: list[Known], words: Iterable[str]) -> list[Known]:
    """Return the fields with a status that takes all values that the transitions (verbs' own words) imply."""
    implied: list[str] = []
    for word in sorted(set(words) & STATES.keys()):
        implied += [STATES[word]["from"], STATES[word]["to"]]
    first = [state for state in implied if state in ("draft", "pending", "open", "scheduled", "active", "stopped")]
    states = tuple(dict.fromkeys((*first, *implied)))
    position = next((i for i, field in enumerate(fields) if field.name in _TRACES and not field.refers_to), None)
    if position is None:
        return [*fields, Known("status", "text", "status", values=states)] if states else fields
    field = fields[position]
    values = field.values or tuple(state for state in states)
    if states and field.values:
        same = {value.lower() for value in field.values}
        values = (*field.values, *(state for state in states if state not in same))
    return [*fields[:position], replace(field, type="text", concept="status", values=values), *fields[position + 1 :]]


def renamed(fields: Iterable[Known], names: Mapping[str, str]) -> list[Known]:
    """Return fields whose references name things that were kept; others become plain fields."""
    kept: dict[str, Known] = {}
    for field in fields:
        if field.refers_to and field.refers_to not in names:
            plain = _named(field.refers_to)
            field = replace(plain, description=field.description)
        kept.setdefault(field.name, field)
    return list(kept.values())
