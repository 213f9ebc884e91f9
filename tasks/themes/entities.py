"""Entities: the kinds of things that a source's operations are about, as tables to be."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from schemas.themes import Entity, EntityField, SourceParameter
from tasks.mining.columns.naming import SQL_RESERVED, TOOL_PARAMETERS, name_columns
from tasks.themes.fields import Known, completed, fields_of, padded, renamed, with_label, with_lifecycle
from tasks.themes.lexicon import KINDS, plain_text, plural, spoken, usual_fields
from tasks.themes.operations import Understood

FEWEST_FIELDS = 3
MOST_ENTITIES = 12
_MOST_FIELDS = 16
_USUAL_FIELDS = 6
"""Fields up to which an entity is completed with what is usual for its kind."""
_LONGEST_NAME = 40
_VARIANTS = 3
"""Nouns that differ in their first word, from which on they are variants of one thing."""


@dataclass(frozen=True)
class Things:
    """The entities of a source, and the table's name of each noun that stands for one."""

    entities: list[Entity]
    tables: dict[str, str]


def find_things(
    topic: str, operations: Sequence[Understood], declared: Mapping[str, Sequence[SourceParameter]]
) -> Things:
    """Return the entities of operations that were taken apart; those named most come first, behind `declared` ones.

    A thing that is only referred to ('project_id') is an entity where its kind is known. `topic` is what the
    source is called, for the searches.
    """
    stored = [one for one in operations if one.noun and one.verb != "other"]
    often = Counter(one.noun for one in stored)
    merged, variants = _same_things(often, declared)
    stored = [replace(one, noun=merged.get(one.noun, one.noun)) for one in stored]
    often = Counter(one.noun for one in stored)
    nouns = [*declared, *sorted(often.keys() - declared.keys(), key=lambda noun: (-often[noun], noun))]
    by_noun: dict[str, list[Understood]] = defaultdict(list)
    for one in stored:
        by_noun[one.noun].append(one)
    fields = {noun: fields_of(noun, by_noun[noun], nouns, declared.get(noun, ())) for noun in nouns}
    referred = Counter(f.refers_to for known in fields.values() for f in known if f.refers_to not in fields)
    del referred[""]
    nouns += sorted(referred, key=lambda noun: (-referred[noun], noun))
    fields |= {noun: [] for noun in referred}
    fields = {noun: _with_variants(known, variants.get(noun, ())) for noun, known in fields.items()}
    prose = _prose(topic, stored, declared)
    whole = {noun: _complete(noun, fields[noun], by_noun[noun], noun in declared, prose) for noun in nouns}
    several = {one.noun for one in stored if one.plural}
    kept = [noun for noun in nouns if _is_evident(noun, whole[noun], noun in several, noun in declared)]
    if kept:
        told = " ".join(one.named.description for one in stored).lower()
        slight = [n for n in nouns if n not in kept and (n in several or often[n] > 1) and _is_said(n, told)]
        whole |= {noun: padded(whole[noun], FEWEST_FIELDS) for noun in slight}
        kept = [noun for noun in nouns if noun in kept or noun in slight]
    kept = kept[:MOST_ENTITIES]
    tables = {noun: _table_name(noun) for noun in kept}
    entities = [_entity(topic, noun, renamed(whole[noun], tables), by_noun[noun], tables) for noun in kept]
    return Things(entities, tables | {old: tables[new] for old, new in merged.items() if new in tables})


def _prose(
    topic: str, operations: Sequence[Understood], declared: Mapping[str, Sequence[SourceParameter]]
) -> str | None:
    """Return all that a document says of its things, in small letters; None for a source that declares none."""
    if not declared:
        return None
    fields = (field.name for fields in declared.values() for field in fields)
    return " ".join((topic, *(one.named.description for one in operations), *declared, *fields)).lower()


def _same_things(often: Counter[str], declared: Collection[str]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return which nouns stand for another, and what the variants of a thing are called.

    'issue_comment' is a comment where comments are named too; 'amazon_product', 'ebay_product' and 'etsy_product'
    are products of three variants. What was `declared` stands for itself.
    """
    ends: dict[str, list[str]] = defaultdict(list)
    same: dict[str, str] = {}
    for noun in sorted(often):
        parts = noun.split("_")
        for first in range(1, len(parts)):
            end = "_".join(parts[first:])
            if noun not in KINDS and noun not in declared and (end in often or end in KINDS):
                ends[end].append(noun)
                break
    variants: dict[str, list[str]] = {}
    for end, nouns in ends.items():
        if end in often or len(nouns) >= _VARIANTS:
            same |= dict.fromkeys(nouns, end)
        starts = [noun.removesuffix(f"_{end}") for noun in nouns]
        if len(nouns) >= _VARIANTS and not any(start in KINDS or start in often for start in starts):
            variants[end] = starts
    return {noun: same.get(end, end) for noun, end in same.items()}, variants


def _with_variants(fields: list[Known], variants: Sequence[str]) -> list[Known]:
    if not variants or any(field.name == "source" for field in fields):
        return fields
    return [*fields, Known("source", "text", "category", values=tuple(spoken(variant) for variant in variants))]


def _is_evident(noun: str, fields: Sequence[Known], plural: bool, declared: bool) -> bool:
    """Return whether enough is known of a thing: its kind, or fields that its source names itself.

    What names a row is a field like others where it was declared; elsewhere every call has a name.
    """
    said = sum(field.said for field in fields[0 if declared else 1 :])
    needed = 1 if usual_fields(noun) else FEWEST_FIELDS - 1 if plural else FEWEST_FIELDS
    return len(fields) >= FEWEST_FIELDS and (said >= needed or bool(usual_fields(noun)))


def _is_said(noun: str, prose: str) -> bool:
    """Return whether descriptions speak of a thing in small letters, as of a thing and not of a name."""
    return re.search(rf"\b{re.escape(spoken(noun))}|\b{re.escape(spoken(plural(noun)))}", prose) is not None


def _complete(
    noun: str, fields: Sequence[Known], operations: Collection[Understood], declared: bool, prose: str | None
) -> list[Known]:
    """Return a thing's fields with a label and a status, completed with what is usual for its kind.

    A thing that its source describes is completed only where it shares a field with the kind: a branch with an
    address is none of a repository.
    """
    lived = with_lifecycle(list(fields), [one.word for one in operations if one.verb == "transition"])
    usual = usual_fields(noun, prose)
    labelled = with_label(lived, usual)
    shares = {field.name for field in lived} & set(usual[1:])
    if declared and len(labelled) >= FEWEST_FIELDS and not shares:
        return labelled[:_MOST_FIELDS]
    return completed(labelled, usual, _USUAL_FIELDS)[:_MOST_FIELDS]


def _table_name(noun: str) -> str:
    many = plural(noun)
    name = f"{noun}_records" if many == noun else many
    while len(name) > _LONGEST_NAME and "_" in name:
        name = name.partition("_")[2]
    name = name[:_LONGEST_NAME]
    return f"{name}_records" if name in SQL_RESERVED | TOOL_PARAMETERS or not name[0].isalpha() else name


def _entity(
    topic: str, noun: str, fields: Sequence[Known], operations: Sequence[Understood], tables: dict[str, str]
) -> Entity:
    named = name_columns([field.name for field in fields], spoken(noun))
    many = tables[noun].replace("_", " ")
    described = next((one.named.description for one in operations if one.verb in ("get", "list", "search")), "")
    return Entity(
        name=tables[noun],
        singular=spoken(noun),
        plural=many,
        description=plain_text(described, 200),
        fields=[
            EntityField(
                name=named[field.name].name,
                type=field.type,
                words=named[field.name].words,
                description=field.description or ("" if field.said else f"usual for {many}"),
                concept=field.concept,
                values=list(field.values),
                examples=list(field.examples),
                refers_to=tables.get(field.refers_to),
            )
            for field in fields
        ],
        queries=_queries(topic, many),
    )


def _queries(topic: str, many: str) -> list[str]:
    return list(dict.fromkeys((f"{topic} {many}", many, f"list of {many}", f"{many} dataset")))
