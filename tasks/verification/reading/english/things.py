"""Single rows that a request describes: by name, by rank, by what leads to them, or by what it called them before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemas.plans import Best, Function, Thing, Total
from tasks.verification.reading.english.lexicon import find, match, truth
from tasks.verification.reading.english.names import Names
from tasks.verification.reading.english.nouns import Nouns
from tasks.verification.reading.english.tokens import Token
from tasks.verification.reading.paths import hops_of, references

Mention = tuple[int, int, int]
"""A thing's place, and the tokens that mention it: begin and end."""


class Things(Nouns):
    """Noun phrases, with what was said before: 'that crew', 'review request A'."""

    def __init__(self, names: Names) -> None:
        super().__init__(names)
        self._called: dict[tuple[str, str], int] = {}

    def thing(self, tokens: Sequence[Token], place: int) -> tuple[int, int] | None:
        """Read a phrase for one row, and return its place among the things and where it ends."""
        return (
            self._again(tokens, place)
            or self._best(tokens, place)
            or self._led_to(tokens, place)
            or super().thing(tokens, place)
        )

    def _best(self, tokens: Sequence[Token], place: int) -> tuple[int, int] | None:
        """Read 'whichever of the crews “A”, “B” and “C” has the most tickets'."""
        while place < len(tokens) and tokens[place].text.lower() in ("whichever", "the", "one", "of"):
            place += 1
        spot = self.names.longest(tokens, place, ("table",))
        end = spot.end if spot is not None else place
        candidates = []
        while end < len(tokens) and (tokens[end].kind == "quote" or tokens[end].text in (",", "and")):
            candidates += [tokens[end].value] if tokens[end].kind == "quote" else []
            end += 1
        if spot is None or len(candidates) < 2:
            return None
        while end < len(tokens) and tokens[end].text.lower() in ("that", "which", "has", "have", "the"):
            end += 1
        for table in spot.tables():
            by = self._by_figure(tokens, end, table)
            if by is not None:
                total, descending, after = by
                best = Best(table=table, candidates=tuple(candidates), by=total, descending=descending)
                return self.place_of(best), after
        return None

    def _by_figure(self, tokens: Sequence[Token], place: int, table: str) -> tuple[Total, bool, int] | None:
        """Read 'most tickets', 'highest number of its flights' and 'largest mean number of stars given of its ratings'."""
        extreme = match("superlatives", tokens, place)
        if extreme is None:
            return None
        descending, place = truth(extreme[0]), extreme[1]
        found = match("functions", tokens, place)
        function: Function = found[0] if found is not None else "count"  # type: ignore[assignment]
        place = found[1] if found is not None else place
        column = self.names.longest(tokens, place, ("column",)) if function != "count" else None
        place = column.end if column is not None else place
        while place < len(tokens) and tokens[place].text.lower() in ("of", "its", "their", "the"):
            place += 1
        rows = self.names.longest(tokens, place, ("table",))
        for other in rows.tables() if rows is not None else ():
            columns = column.columns(other) if column is not None else []
            refers = references(self.vocabulary, other, table)
            end = rows.end if rows is not None else place
            role = self._role(tokens, end, other, refers)
            if role is not None:
                refers, end = [role[0]], role[1]
            if len(refers) == 1 and (function == "count" or columns):
                measure = columns[0].column if columns else None
                return Total(table=other, reference=refers[0], function=function, measure=measure), descending, end
        return None

    def _role(self, tokens: Sequence[Token], place: int, table: str, refers: list[str]) -> tuple[str, int] | None:
        """Read 'whose destination airport it is' behind rows that refer to a thing in several ways."""
        spot = self.names.longest(tokens, place + 1, ("column", "role"))
        named = [name.column for name in spot.names if name.table == table and name.column in refers] if spot else []
        low = [token.text.lower() for token in tokens[spot.end : spot.end + 2]] if spot else []
        return (named[0], spot.end + 2) if spot and named and low == ["it", "is"] else None

    def _again(self, tokens: Sequence[Token], place: int) -> tuple[int, int] | None:
        """Read 'that crew' and 'review request A'."""
        that = place < len(tokens) and tokens[place].text.lower() == "that"
        spot = self.names.longest(tokens, place + that, ("table",))
        if spot is None:
            return None
        letter = "that" if that else _letter(tokens, spot.end)
        for table in spot.tables():
            only = self._only(table) if that else None
            if only is not None and (table, letter) not in self._called:
                return only, spot.end
            if letter and (table, letter) in self._called:
                return self._called[table, letter], spot.end + (not that)
        return None

    def _only(self, table: str) -> int | None:
        """Return the place of the only thing of a table that was called by its name."""
        named = [
            n for n, each in enumerate(self.things) if isinstance(each, Thing) and each.table == table and each.name
        ]
        return named[0] if len(named) == 1 else None

    def _led_to(self, tokens: Sequence[Token], place: int) -> tuple[int, int] | None:
        """Read 'the crew of the ticket …': what a thing leads to."""
        place += place < len(tokens) and tokens[place].text.lower() in ("the", "its", "their")
        spot = self.names.longest(tokens, place, ("table", "column", "role"))
        if spot is None or spot.end + 1 >= len(tokens) or tokens[spot.end].text.lower() not in ("of", "for", "behind"):
            return None
        start = self.thing(tokens, spot.end + 1)
        if start is None:
            return None
        table = self.things[start[0]].table
        for hop in hops_of(self.vocabulary, table):
            if self.names_hop(spot, table, hop):
                return self.place_of(Thing(table=hop.table, of=(start[0], hop))), start[1]
        return None

    def mentions(self, tokens: Sequence[Token]) -> list[Mention]:
        """Return the things that some words mention, in their order; a thing within another's words is not told."""
        found: list[Mention] = []
        place = 0
        while place < len(tokens):
            thing = self.thing(tokens, place)
            if thing is not None:
                found.append((thing[0], place, thing[1]))
                place = thing[1]
            else:
                place += 1
        return found

    def note(self, sentence: Sequence[Token]) -> bool:
        """Learn what a sentence calls a thing; return whether it does."""
        noted = False
        for clause in _clauses(sentence):
            calls = [call for place in range(len(clause)) if (call := self._call(clause, place)) is not None]
            mentioned = [each for each in self.mentions(clause) if self._again(clause, each[1]) is None]
            if not mentioned:
                continue
            place = max(mentioned, key=lambda each: each[2] - each[1])[0]
            table = self.things[place].table
            new = [letter for tables, letter in calls if table in tables and (table, letter) not in self._called]
            if new:
                self._called[table, new[0]] = place
                noted = True
            elif find("introductions", clause) is not None and mentioned[-1][2] >= len(clause) - 1:
                self._called[table, "that"] = place
                noted = True
        return noted

    def _call(self, tokens: Sequence[Token], place: int) -> tuple[list[str], str] | None:
        spot = self.names.longest(tokens, place, ("table",))
        letter = _letter(tokens, spot.end) if spot is not None else None
        return (spot.tables(), letter) if spot is not None and letter else None


def _letter(tokens: Sequence[Token], place: int) -> str | None:
    """Return the single capital that stands at a place."""
    text = tokens[place].text if place < len(tokens) else ""
    return text if len(text) == 1 and text.isupper() else None


def _clauses(sentence: Sequence[Token]) -> list[list[Any]]:
    parts: list[list[Any]] = [[]]
    for token in sentence:
        if token.text == ";":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
