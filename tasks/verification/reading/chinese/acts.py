"""What a clause asks to be done: a tool that writes, by the reader's own phrases for it, with all its arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from schemas.plans import Act, Look, Rest, Said
from tasks.verification.reading.chinese.grammar import Grammar, Known, Readings, data
from tasks.verification.reading.chinese.names import Names
from tasks.verification.reading.chinese.things import Things
from tasks.verification.reading.tools import PublicTool

_OBJECT = "~"
"""Begins a phrase about one row, which a clause says in front (把…) or leaves unsaid where it is the item at hand."""
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Phrase:
    """A pattern for one tool; `about` is the parameter for the row that it is about."""

    tool: PublicTool
    pattern: str
    about: str | None

    @property
    def row(self) -> str:
        """The slot for that row."""
        return f"{{{self.about}:{_rule(self.tool, str(self.about))}}}"


class Acts:
    """Rules for clauses that ask for an act: on the item at hand, on rows that are described, or on one said in front."""

    def __init__(self, grammar: Grammar, names: Names, things: Things) -> None:
        self._grammar, self._names, self._things = grammar, names, things
        tools = [tool for tool in names.vocabulary.actions if tool.name in data("acts")]
        self._phrases = [_phrase(tool, words) for tool in tools for words in data("acts")[tool.name]]
        for tool in tools:
            for parameter in tool.required:
                grammar.add(_rule(tool, parameter), self._reader(tool.parameters[parameter]))
        grammar.add("act", self._act)
        grammar.add("act_of", self._act_of)

    def _act(self, at: int, known: Known) -> Readings:
        """Read an act on the item at hand, or on a row that the clause describes."""
        for phrase in self._phrases:
            if phrase.about is None:
                yield from self._fitted(phrase, phrase.pattern, at, known, {})
                continue
            yield from self._fitted(phrase, f"[将把]{phrase.row}{phrase.pattern}", at, known, {})
            item = self._item(phrase, known.get("item"))
            if item is not None:
                unsaid = f"(?:将|把)?{phrase.pattern.removeprefix('的')}"
                yield from self._fitted(phrase, unsaid, at, known, {phrase.about: item})

    def _act_of(self, at: int, known: Known) -> Readings:
        """Read 'ticket A should be cancelled': the row stands in front."""
        for phrase in self._phrases:
            if phrase.about is not None and not phrase.pattern.startswith("的"):
                yield from self._fitted(phrase, f"{phrase.row}{{modal}}{phrase.pattern}", at, known, {})

    def _item(self, phrase: Phrase, item: str | None) -> Look | None:
        """Return the item's key where the tool is about rows of its table."""
        if item is None or phrase.about is None:
            return None
        key = self._key(item, phrase.tool.parameters[phrase.about].get("x-domain"))
        return Look(column=key) if key is not None else None

    def _fitted(
        self, phrase: Phrase, pattern: str, at: int, known: Known, unsaid: Mapping[str, Any]
    ) -> Iterator[tuple[Act, int]]:
        for found, end in self._grammar.fit(pattern, at, {"item": known.get("item")}):
            arguments = {name: unsaid.get(name, found.get(name)) for name in phrase.tool.required}
            if all(value is not None for value in arguments.values()):
                yield Act(tool=phrase.tool.name, arguments=arguments), end

    def _reader(self, schema: Mapping[str, Any]) -> Any:
        """Return the rule for an argument: a row whose key it takes, an amount, a time or a quoted text."""
        if self._is_key(schema.get("x-domain")):
            return lambda at, known: self._row(schema["x-domain"], at, known)
        if schema.get("type") in ("integer", "number"):
            return lambda at, known: self._amount(at)
        kind = "time" if "pattern" in schema else "quote"
        return lambda at, known: (
            (Said(value=value), end)
            for value, end in self._grammar.read(kind, at)
            if value in schema.get("enum", (value,))
        )

    def _amount(self, at: int) -> Readings:
        if self._grammar.text.plain.startswith("N", at):
            yield Rest(), at + 1
        for value, end in self._grammar.read("number", at):
            yield Said(value=value), end
        yield from self._grammar.read("ruled", at)

    def _row(self, domain: str, at: int, known: Known) -> Readings:
        """Read a row whose key is of a domain: a thing, the item, or what the item leads to."""
        for place, end in self._grammar.read("thing", at):
            key = self._key(self._things.all[place].table, domain)
            if key is not None:
                yield Look(thing=place, column=key), end
        for (way, table), end in self._grammar.read("itself", at, item=known.get("item")):
            key = self._key(table, domain)
            if key is not None:
                yield Look(hops=way, column=key), end

    def _is_key(self, domain: str | None) -> bool:
        return any(self._key(table, domain) for table in self._names.vocabulary.tables)

    def _key(self, table: str, domain: str | None) -> str | None:
        known = self._names.table(table)
        return known.key if domain and known.columns[known.key].domain == domain else None


def _phrase(tool: PublicTool, words: str) -> Phrase:
    """Return the pattern of a phrase: a slot that is no parameter is the one key that the phrase does not name."""
    named = _SLOT.findall(words)
    unnamed = [name for name in tool.required if name not in named and "x-domain" in tool.parameters[name]]
    only = unnamed[0] if len(unnamed) == 1 else None
    about = only if words.startswith(_OBJECT) else None

    def slot(found: re.Match[str]) -> str:
        name = found[1] if found[1] in tool.required else str(only)
        return f"{{{name}:{_rule(tool, name)}}}"

    return Phrase(tool, _SLOT.sub(slot, words.removeprefix(_OBJECT)), about)


def _rule(tool: PublicTool, parameter: str) -> str:
    return f"{tool.name}__{parameter}"
