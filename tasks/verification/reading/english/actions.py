"""What a clause asks to be done: the tool that its verb, its nouns and its values fit, with all arguments."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from schemas.plans import Act, Look, Rest, Ruled, Said, Value
from tasks.verification.reading.english.lexicon import find
from tasks.verification.reading.english.names import Names
from tasks.verification.reading.english.papers import ruled
from tasks.verification.reading.english.tokens import Token, lemmas, number_of
from tasks.verification.reading.paths import paths_from
from tasks.verification.reading.tools import PublicTool


@cache
def _verbs() -> Mapping[str, Any]:
    return tomllib.loads((Path(__file__).parent / "verbs.toml").read_text("utf-8"))


def stem(word: str) -> str:
    """Return what a verb's forms share: confirm, confirms, confirmed and confirming."""
    low = word.lower()
    low = _verbs()["irregular"].get(low, low)
    low = re.sub(r"(ing|ed|es|s|e)$" if len(low) > 4 else r"e$", "", low)
    return re.sub(r"(.)\1$", r"\1", low) if len(low) > 3 else low


@dataclass(frozen=True)
class Wish:
    """A tool that a clause fits, how well, and the act."""

    score: int
    act: Act


class Actions:
    """The tools that write, by what people say of them."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.vocabulary = names.vocabulary
        self._tools = [tool for tool in self.vocabulary.actions if "document" not in tool.name]

    def read(self, tokens: Sequence[Token], table: str | None, things: Sequence[tuple[int, str]]) -> Wish | None:
        """Return the act that a clause asks for, on an item of a table; None where no verb of it is known.

        `things` are the places and tables of the things that the clause mentions, in its order.
        """
        wishes = [wish for tool in self._tools if (wish := self._wish(tool, tokens, table, things)) is not None]
        return max(wishes, key=lambda wish: wish.score, default=None)

    def _wish(
        self, tool: PublicTool, tokens: Sequence[Token], table: str | None, things: Sequence[tuple[int, str]]
    ) -> Wish | None:
        stems = self._stems(tokens[_clause(tokens) :])
        verb, _, noun = tool.name.partition("_")
        score = 6 * (stem(verb) in stems) or 3 * any(stem(each) in stems for each in _verbs().get(verb, ()))
        if not score:
            return None
        said = {token.lemma for token in tokens if token.kind == "word"}
        score += len(set(lemmas(noun)) & said)
        score += 2 * bool(
            {stem(word) for word in lemmas(tool.description.partition(".")[0])[1:]} & stems - {stem(verb)}
        )
        arguments: dict[str, Value] = {}
        used: set[int] = set()
        left = list(things)
        for name in sorted(tool.required, key=lambda each: "x-domain" not in tool.parameters[each]):
            value = self._argument(tool, name, tokens, table, left, used)
            if value is None:
                return None
            arguments[name] = value
            score += 1 - 5 * (isinstance(value, Look) and bool(value.hops))
        spare = [n for n, token in enumerate(tokens) if token.kind in ("quote", "time", "number") and n not in used]
        spare += [0] * len(self._stated_names(tokens) - set(tool.required))
        return Wish(score - 3 * len(spare), Act(tool=tool.name, arguments=arguments))

    def _stated_names(self, tokens: Sequence[Token]) -> set[str]:
        """Return the arguments of any tool that the words name: 'with high priority'."""
        said = {token.lemma for token in tokens if token.kind == "word"}
        return {
            name
            for tool in self._tools
            for name in tool.required
            if "enum" in tool.parameters[name] and lemmas(name)[-1] in said
        }

    def _stems(self, tokens: Sequence[Token]) -> set[str]:
        """Return the stems of the words that name no table: 'review requests' request nothing."""
        found, place = set(), 0
        while place < len(tokens):
            noun = self.names.longest(tokens, place, ("table",))
            if noun is None and tokens[place].kind == "word":
                found.add(stem(tokens[place].text))
            place = noun.end if noun is not None else place + 1
        return found

    def _argument(
        self,
        tool: PublicTool,
        name: str,
        tokens: Sequence[Token],
        table: str | None,
        things: list[tuple[int, str]],
        used: set[int],
    ) -> Value | None:
        schema = tool.parameters[name]
        if "x-domain" in schema:
            return self._row(schema["x-domain"], table, things)
        if schema.get("type") == "integer" and _that_many(tokens):
            return Rest()
        rule = _rule(tokens) if schema.get("type") in ("integer", "number") else None
        told = {n for n in range(rule[2], rule[1]) if tokens[n].kind == "quote"} if rule is not None else set()
        if rule is not None and not told & used:
            used |= told
            return rule[0]
        for place, token in enumerate(tokens):
            value = _stated(schema, token)
            if value is not None and place not in used:
                used.add(place)
                return Said(value=value)
        if schema.get("type") == "string" and not {"enum", "pattern"} & set(schema):
            proper = _proper(tokens)
            return Said(value=proper) if proper else None
        return None

    def _row(self, domain: str, table: str | None, things: list[tuple[int, str]]) -> Value | None:
        """Return the row that an argument names: the item, a thing, or what the item leads to."""
        if table is not None:
            known = self.vocabulary.tables[table]
            if known.columns[known.key].domain == domain:
                return Look(column=known.key)
        for place, thing in things:
            known = self.vocabulary.tables[thing]
            if known.columns[known.key].domain == domain:
                things.remove((place, thing))
                return Look(thing=place, column=known.key)
        for path in paths_from(self.vocabulary, table) if table is not None else []:
            known = self.vocabulary.tables[path.table]
            if known.columns[known.key].domain == domain:
                return Look(hops=path.hops, column=known.key)
        return None


def is_wanted(tokens: Sequence[Token]) -> bool:
    """Say whether words ask for something to be done."""
    return find("modals", tokens) is not None or find("wishes", tokens) is not None


def _clause(tokens: Sequence[Token]) -> int:
    """Return where the clause begins that says what is to be done: the one with 'should' or 'has to'."""
    modal = find("modals", tokens)
    breaks = [place for place in range(modal[1]) if tokens[place].text in (",", ";", ":", ".")] if modal else []
    return breaks[-1] + 1 if breaks else 0


def _that_many(tokens: Sequence[Token]) -> bool:
    """Say whether the clause means as many as a pass still has to place."""
    low = [token.text.lower() for token in tokens]
    return any(pair == ("that", "many") for pair in pairwise(low))


def _rule(tokens: Sequence[Token]) -> tuple[Ruled, int, int] | None:
    """Read 'as many dollars as “Policy” states under “…”': a document's figure, where it ends and begins."""
    for place, token in enumerate(tokens):
        if token.text.lower() in ("as", "what", "that"):
            rule = ruled(tokens, place)
            if rule is not None:
                return rule[0], rule[1], place
    return None


def _stated(schema: Mapping[str, Any], token: Token) -> Any:
    """Return the value that a token states for an argument, or None."""
    if "enum" in schema:
        return next((each for each in schema["enum"] if str(each).lower() == str(token.value).lower()), None)
    if schema.get("type") in ("integer", "number"):
        return None if token.text.lower() in ("one", "no") else number_of(token)
    return token.value if token.kind == ("time" if "pattern" in schema else "quote") else None


def _proper(tokens: Sequence[Token]) -> str | None:
    """Return the longest name of at least two capitalised words that stands without quotes."""
    runs: list[list[str]] = [[]]
    for place, token in enumerate(tokens):
        if place and token.kind == "word" and token.text[:1].isupper():
            runs[-1].append(token.text)
        elif runs[-1]:
            runs.append([])
    best = max(runs, key=len)
    return " ".join(best) if len(best) > 1 else None
