"""Merging: themes that are the same become one, by their names, their tools, or all that they say.

Candidates come from an index, so that the work grows with the number of themes. The theme with more operations is kept,
of equal ones the first.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Literal

from schemas.themes import Entity, Merge, Theme
from tasks.mining.columns.naming import unique_name
from tasks.similarity.shingles import Index, overlap, shingles
from tasks.themes.findings import Finding
from tasks.themes.lexicon import words_of
from tasks.themes.reading import MOST_OPERATIONS

_SAME_TEXT = 0.7
_SAME_TOOLS = 0.8
_SAME_THINGS = 0.5
_LONGEST_NAME = 48
_MOST_FIELDS = 24

Rule = Literal["name", "tools", "text"]


@dataclass(frozen=True)
class _Marks:
    """What two themes are compared by: name, operations with their parameters, things, and shingles of all words."""

    name: str
    tools: frozenset[str]
    things: frozenset[str]
    shingles: frozenset[str]


@dataclass
class _Kept:
    """A theme that stands for others, with what it is compared by; `known` from an earlier discovery."""

    theme: Theme
    marks: _Marks
    known: bool


class _Shelf:
    """Themes that stand for others, by key, and an index of which of them another theme may equal."""

    def __init__(self) -> None:
        self.kept: dict[str, _Kept] = {}
        self._index = Index()
        self._by_mark: dict[str, list[str]] = defaultdict(list)

    def add(self, key: str, theme: Theme, known: bool = False) -> None:
        marks = _marks(theme)
        self.kept[key] = _Kept(theme, marks, known)
        self._by_mark[f"name {marks.name}"].append(key)
        self._by_mark[_tools_key(marks)].append(key)
        self._index.add(key, marks.shingles)

    def match(self, theme: Theme) -> tuple[str, float, Rule] | None:
        """Return the theme that is the same: its key, how similar it is, and by which rule; None for none."""
        marks = _marks(theme)
        near = [*self._by_mark[f"name {marks.name}"], *self._by_mark[_tools_key(marks)]]
        near += self._index.near(marks.shingles)
        return _best(marks, [(key, self.kept[key].marks) for key in dict.fromkeys(sorted(near)) if key in self.kept])

    def take(self, key: str) -> Theme:
        """Take a theme off the shelf."""
        return self.kept.pop(key).theme


def merge_themes(finding: Finding, known: Sequence[Theme] = ()) -> Finding:
    """Return a finding in which no two themes are the same and no two are called the same; merges are recorded.

    Of one and the same product (equal names, tools in common) the operations and entities are united; any other
    theme is dropped for the one that it equals. The order of the themes given decides nothing but ties. `known`
    are themes of earlier discoveries, each of another name. What equals one of them is merged into it, except a
    newer reading: of the same document, or under the same name, it comes back to take its place.
    """
    read_again = {_origin(theme) for theme in finding.themes if theme.evidence}
    sorting = _Sorting(known, read_again)
    order = sorted(range(len(finding.themes)), key=lambda i: (-len(finding.themes[i].operations), i))
    for number in order:
        sorting.place(f"{number:08d}", finding.themes[number])
    named, merges = sorting.outcome()
    themes = sorted(named.values(), key=lambda theme: theme.name)
    return Finding(themes, finding.refusals, [*finding.merges, *merges], finding.notes)


class _Sorting:
    """New themes being put on a shelf, or into one that stands there."""

    def __init__(self, known: Sequence[Theme], read_again: Set[tuple[str, str]]) -> None:
        """`read_again` are the documents of the new themes: a known theme of one of these waits for its new reading."""
        self._shelf = _Shelf()
        self._waiting = {_origin(theme): theme.name for theme in known if _origin(theme) in read_again}
        for number, theme in enumerate(known):
            if _origin(theme) not in read_again:
                self._shelf.add(f"known {number:06d}", theme, known=True)
        self._absorbed: list[tuple[Theme, str, float, Rule]] = []
        self._moved: dict[str, str] = {}
        self._renewed: dict[str, str] = {}

    def place(self, key: str, theme: Theme) -> None:
        """Put a theme on the shelf under `key`, or into the one that it equals."""
        shelf = self._shelf
        if name := self._waiting.pop(_origin(theme), ""):
            self._renewed[key] = name
        elif found := shelf.match(theme):
            older = shelf.kept[found[0]]
            if not (older.known and older.theme.name == theme.name):
                self._absorbed.append((theme, *found))
                return
            self._renewed[key], self._moved[found[0]] = shelf.take(found[0]).name, key
        shelf.add(key, theme)

    def outcome(self) -> tuple[dict[str, Theme], list[Merge]]:
        """Return the new themes by key, each of its own name, and a merge for each that went into another."""
        kept = self._shelf.kept
        absorbed = [(theme, self._moved.get(key, key), alike, rule) for theme, key, alike, rule in self._absorbed]
        for theme, key, _, _ in absorbed:
            if _same_product(kept[key].marks, _marks(theme)):
                kept[key].theme = unite(kept[key].theme, theme)
        named = _named_apart(self._shelf, self._renewed)
        merges = [_merge(theme, named.get(key, kept[key].theme), alike, rule) for theme, key, alike, rule in absorbed]
        return named, merges


def _origin(theme: Theme) -> tuple[str, str]:
    """Return the first document that a theme rests on, and the hash of its bytes."""
    return (theme.evidence[0].address, theme.evidence[0].sha256) if theme.evidence else ("", "")


def _marks(theme: Theme) -> _Marks:
    tools = frozenset(f"{one.name} {' '.join(sorted(p.name for p in one.parameters))}" for one in theme.operations)
    said = [theme.title, theme.description, *(f"{one.name} {one.description}" for one in theme.operations)]
    said += [" ".join(p.name for p in one.parameters) for one in theme.operations]
    words = [word for text in said for word in re.findall(r"\w+", text.lower())]
    things = frozenset(entity.name for entity in theme.entities) or frozenset(table.name for table in theme.tables)
    return _Marks(theme.name, tools, things, shingles(words))


def _tools_key(marks: _Marks) -> str:
    return "tools " + "\n".join(sorted(marks.tools))


def _best(marks: _Marks, candidates: Sequence[tuple[str, _Marks]]) -> tuple[str, float, Rule] | None:
    """Return the kept theme that is the same: its key, how similar it is, and by which rule; None for none."""
    found: list[tuple[float, str, Rule]] = []
    for key, other in candidates:
        tools, text = overlap(marks.tools, other.tools), overlap(marks.shingles, other.shingles)
        if marks.tools and tools >= _SAME_TOOLS and (len(marks.tools) > 1 or marks.things == other.things):
            found.append((tools, key, "tools"))
        elif marks.name == other.name and overlap(marks.things, other.things) >= _SAME_THINGS:
            found.append((max(overlap(marks.things, other.things), tools), key, "name"))
        elif text >= _SAME_TEXT:
            found.append((text, key, "text"))
    if not found:
        return None
    similarity, key, rule = max(found, key=lambda one: (one[0], one[1]))
    return key, round(similarity, 4), rule


def _same_product(one: _Marks, other: _Marks) -> bool:
    """Return whether two themes are of one product: called the same by a word that names it, and sharing a tool."""
    names = frozenset(tool.partition(" ")[0] for tool in one.tools), frozenset(t.partition(" ")[0] for t in other.tools)
    return one.name == other.name and bool(names[0] & names[1]) and one.name not in one.things | other.things


def unite(kept: Theme, other: Theme) -> Theme:
    """Return a theme with what another of the same product has more: operations, entities, fields and evidence."""
    names = {operation.name for operation in kept.operations}
    operations = [operation for operation in other.operations if operation.name not in names]
    entities = {entity.name: entity for entity in kept.entities}
    for entity in other.entities:
        entities[entity.name] = _united(entities[entity.name], entity) if entity.name in entities else entity
    evidence = [one for one in other.evidence if one not in kept.evidence]
    return kept.model_copy(
        update={
            "operations": [*kept.operations, *operations][:MOST_OPERATIONS],
            "entities": list(entities.values()),
            "evidence": [*kept.evidence, *evidence],
            "rules": list(dict.fromkeys((*kept.rules, *other.rules))),
        }
    )


def _united(one: Entity, other: Entity) -> Entity:
    names = {field.name for field in one.fields}
    more = [field for field in other.fields if field.name not in names]
    return one.model_copy(update={"fields": [*one.fields, *more][:_MOST_FIELDS]})


def _named_apart(shelf: _Shelf, renewed: dict[str, str]) -> dict[str, Theme]:
    """Return the new themes by key, with names that differ: equal ones get what they are about behind them, then a number.

    `renewed` are the names of known themes whose place a new one takes.
    """
    new = {key: shelf.kept[key].theme for key in sorted(shelf.kept) if not shelf.kept[key].known}
    known = {kept.theme.name for kept in shelf.kept.values() if kept.known}
    often = Counter([*(theme.name for theme in new.values()), *known])
    taken = known | set(renewed.values())
    named: dict[str, Theme] = {}
    for key, theme in new.items():
        name = renewed.get(key, theme.name)
        if key not in renewed:
            if often[name] > 1 and name in taken:
                things = [entity.name for entity in theme.entities if entity.name not in name]
                name = "_".join(words_of(f"{name} {things[0] if things else ''}"))[:_LONGEST_NAME].rstrip("_")
            name = unique_name(name, taken)
            taken.add(name)
        named[key] = theme if name == theme.name else theme.model_copy(update={"name": name})
    return named


def _merge(theme: Theme, into: Theme, similarity: float, rule: Rule) -> Merge:
    address = theme.evidence[0].address if theme.evidence else theme.package
    return Merge(merged_name=theme.name, merged_address=address, theme_id=into.id, rule=rule, similarity=similarity)
