"""Merging: themes that are the same become one, by their names, their tools, or all that they say.

Candidates come from an index (MinHash LSH of datasketch), so that the work grows with the number of themes and not
with its square; what decides is the exact similarity. The theme with more operations is kept, of equal ones the first.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from datasketch import MinHash, MinHashLSH

from schemas.themes import Entity, Merge, Theme
from tasks.mining.columns.naming import unique_name
from tasks.themes.findings import Finding
from tasks.themes.lexicon import words_of
from tasks.themes.reading import MOST_OPERATIONS

_PERMUTATIONS = 64
_CANDIDATES = 0.5
"""Estimated similarity from which on two themes are compared."""
_SAME_TEXT = 0.7
_SAME_TOOLS = 0.8
_SAME_THINGS = 0.5
_LONGEST_NAME = 48
_WORDS_TOGETHER = 3
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
    """A theme that stands for others, with what it is compared by."""

    theme: Theme
    marks: _Marks


def merge_themes(finding: Finding) -> Finding:
    """Return a finding in which no two themes are the same and no two are called the same; merges are recorded.

    Of one and the same product (equal names, tools in common) the operations and entities are united; any other
    theme is dropped for the one that it equals. The order of the themes given decides nothing but ties.
    """
    marked = [(theme, _marks(theme)) for theme in finding.themes]
    order = sorted(range(len(marked)), key=lambda i: (-len(marked[i][0].operations), i))
    index = MinHashLSH(threshold=_CANDIDATES, num_perm=_PERMUTATIONS)
    kept: dict[str, _Kept] = {}
    by_mark: dict[str, list[str]] = defaultdict(list)
    absorbed: list[tuple[Theme, str, float, Rule]] = []
    for number in order:
        theme, marks = marked[number]
        sketch = _sketch(marks.shingles)
        keys = [*by_mark[f"name {marks.name}"], *by_mark[_tools_key(marks)], *index.query(sketch)]
        found = _best(marks, [(key, kept[key].marks) for key in dict.fromkeys(sorted(map(str, keys)))])
        if found is None:
            key = f"{number:08d}"
            kept[key] = _Kept(theme, marks)
            by_mark[f"name {marks.name}"].append(key)
            by_mark[_tools_key(marks)].append(key)
            index.insert(key, sketch)
        else:
            absorbed.append((theme, *found))
    for theme, key, _, _ in absorbed:
        if _same_product(kept[key].marks, _marks(theme)):
            kept[key].theme = unite(kept[key].theme, theme)
    named = _named_apart({key: kept[key].theme for key in sorted(kept)})
    merges = [_merge(theme, named[key], similarity, rule) for theme, key, similarity, rule in absorbed]
    themes = sorted(named.values(), key=lambda theme: theme.name)
    return Finding(themes, finding.refusals, [*finding.merges, *merges], finding.notes)


def _marks(theme: Theme) -> _Marks:
    tools = frozenset(f"{one.name} {' '.join(sorted(p.name for p in one.parameters))}" for one in theme.operations)
    said = [theme.title, theme.description, *(f"{one.name} {one.description}" for one in theme.operations)]
    said += [" ".join(p.name for p in one.parameters) for one in theme.operations]
    words = [word for text in said for word in re.findall(r"\w+", text.lower())]
    shingles = frozenset(
        " ".join(words[at : at + _WORDS_TOGETHER]) for at in range(max(1, len(words) - _WORDS_TOGETHER + 1))
    )
    things = frozenset(entity.name for entity in theme.entities) or frozenset(table.name for table in theme.tables)
    return _Marks(theme.name, tools, things, shingles)


def _tools_key(marks: _Marks) -> str:
    return "tools " + "\n".join(sorted(marks.tools))


def _sketch(shingles: Iterable[str]) -> MinHash:
    sketch = MinHash(num_perm=_PERMUTATIONS, seed=1)
    sketch.update_batch([shingle.encode("utf-8", "replace") for shingle in sorted(shingles)])
    return sketch


def _best(marks: _Marks, candidates: Sequence[tuple[str, _Marks]]) -> tuple[str, float, Rule] | None:
    """Return the kept theme that is the same: its key, how similar it is, and by which rule; None for none."""
    found: list[tuple[float, str, Rule]] = []
    for key, other in candidates:
        tools, text = _overlap(marks.tools, other.tools), _overlap(marks.shingles, other.shingles)
        if marks.tools and tools >= _SAME_TOOLS and (len(marks.tools) > 1 or marks.things == other.things):
            found.append((tools, key, "tools"))
        elif marks.name == other.name and _overlap(marks.things, other.things) >= _SAME_THINGS:
            found.append((max(_overlap(marks.things, other.things), tools), key, "name"))
        elif text >= _SAME_TEXT:
            found.append((text, key, "text"))
    if not found:
        return None
    similarity, key, rule = max(found, key=lambda one: (one[0], one[1]))
    return key, round(similarity, 4), rule


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the Jaccard similarity of two sets; 0 for two empty ones."""
    return len(one & other) / len(one | other) if one | other else 0.0


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


def _named_apart(themes: dict[str, Theme]) -> dict[str, Theme]:
    """Return themes whose names differ: equal ones get what they are about behind them, then a number."""
    often = Counter(theme.name for theme in themes.values())
    taken: set[str] = set()
    named: dict[str, Theme] = {}
    for key, theme in themes.items():
        name = theme.name
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
