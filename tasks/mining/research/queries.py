"""Queries: what to search for next, from what is not covered and from what good pages are called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from schemas.themes import Entity, Theme

_MOST_FIELDS = 4
_MOST_HEADINGS = 5
_LONGEST = 200


class QueryPlan:
    """Gives queries round by round, each once."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._asked: set[str] = set()

    def next_round(self, missing: Mapping[str, Sequence[str]], headings: Sequence[str]) -> list[str]:
        """Return one new query for each uncovered entity; for a theme without entities, one about its topic.

        `missing` are field names by entity, `headings` of pages that had rows, best first. Empty when all was asked.
        """
        if not self._theme.entities:
            return self._first(self._about_topic(headings))
        entities = [entity for entity in self._theme.entities if entity.name in missing]
        found: list[str] = []
        for entity in entities:
            found += self._first(self._about(entity, missing[entity.name], headings))
        return found

    def _first(self, queries: Iterator[str]) -> list[str]:
        for query in queries:
            words = " ".join(query.split())[:_LONGEST]
            if words and words.lower() not in self._asked:
                self._asked.add(words.lower())
                return [words]
        return []

    def _about(self, entity: Entity, fields: Sequence[str], headings: Sequence[str]) -> Iterator[str]:
        words = {field.name: field.words for field in entity.fields}
        yield from entity.queries
        yield f"{entity.plural} list"
        yield f"{self._theme.title} {entity.plural}"
        yield f"{entity.plural} {' '.join(words[name] for name in fields[:_MOST_FIELDS])}"
        for name in fields[:_MOST_FIELDS]:
            yield f"{entity.singular} {words[name]}"
        for heading in headings[:_MOST_HEADINGS]:
            yield f"{heading} {entity.plural}"

    def _about_topic(self, headings: Sequence[str]) -> Iterator[str]:
        yield self._theme.title
        yield self._theme.description
        yield from headings[:_MOST_HEADINGS]
