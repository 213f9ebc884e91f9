"""A pass in words: its rows, its conditions, what is done with those that meet them and with the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from schemas.plans import Branch, Condition, Demand, Pass, Rows, Saved
from tasks.verification.reading.english.actions import Actions, Wish
from tasks.verification.reading.english.conditions import Conditions
from tasks.verification.reading.english.lexicon import find
from tasks.verification.reading.english.nouns import Phrase
from tasks.verification.reading.english.things import Things
from tasks.verification.reading.english.tokens import Token
from tasks.verification.reading.errors import Unreadable

_BREAKS = frozenset(", ; : .".split())


@dataclass(frozen=True)
class Told:
    """A pass as it was read, and the words that say what is done by each branch."""

    each: Pass
    clauses: tuple[Sequence[Token], ...]


class Passes:
    """A parser of what is wanted of many rows."""

    def __init__(self, nouns: Things) -> None:
        self.nouns = nouns
        self.conditions = Conditions(nouns)
        self.actions = Actions(nouns.names)

    def source(self, tokens: Sequence[Token], start: int = 0) -> tuple[int, Phrase] | None:
        """Return the first noun phrase that means many rows, and where it begins."""
        inside = {n for _, begin, end in self.nouns.mentions(tokens) for n in range(begin, end)}
        for place in range(start, len(tokens)):
            if place in inside:
                continue
            phrase = self.nouns.parse(tokens, place)
            saved = None if phrase is None else self._query(tokens, phrase.end)
            if phrase is not None and saved is not None:
                return place, replace(phrase, end=saved[1])
            if phrase is not None and (phrase.order or phrase.filters) and not (phrase.singular and not phrase.count):
                return place, phrase
        return None

    def _query(self, tokens: Sequence[Token], place: int) -> tuple[tuple[str, str], int] | None:
        """Read 'found by the query “…”, which is kept in “…”': the document, the query, and where it ends."""
        opening = {token.text.lower() for token in tokens[place : place + 5]}
        here = [n for n in range(place, min(place + 14, len(tokens))) if tokens[n].kind == "quote"][:2]
        if "query" not in opening or len(here) < 2:
            return None
        first, second = (str(tokens[n].value) for n in here)
        turned = "query" not in {token.text.lower() for token in tokens[place : here[0]]}
        return ((first, second) if turned else (second, first)), here[1] + 1

    def _saved(self, tokens: Sequence[Token], place: int, phrase: Phrase) -> Saved | None:
        noun = self.nouns.parse(tokens, place)
        query = self._query(tokens, noun.end) if noun is not None else None
        return Saved(document=query[0][0], name=query[0][1], table=phrase.table) if query is not None else None

    def parse(self, tokens: Sequence[Token]) -> Told | None:
        """Read one pass from the sentences that tell it; None where they want nothing of the rows that they name."""
        found = self.source(tokens)
        if found is None:
            raise Unreadable("no rows are said to go through")
        place, phrase = found
        source = self._saved(tokens, place, phrase) or Rows(
            table=phrase.table, filters=phrase.filters, order=phrase.order, count=phrase.count
        )
        before, after = list(tokens[:place]), list(tokens[phrase.end :])
        if find("demands", tokens) is not None:
            return self._spread(tokens, source, place, phrase.end)
        whole = find("whole", tokens) is not None
        attempt = find("attempts", tokens) is not None
        branches, clauses = self._branches([*before, *after], phrase.table, whole)
        if not branches:
            return None
        if attempt and branches[0].acts:
            branches[0] = branches[0].model_copy(update={"attempt": True})
        if len(branches) > 1 and find("second_refusals", tokens) is not None:
            branches[1] = branches[1].model_copy(update={"attempt": True})
        return Told(Pass(source=source, branches=tuple(branches), whole=whole), tuple(clauses))

    def _branches(self, tokens: Sequence[Token], table: str, whole: bool) -> tuple[list[Branch], list[Sequence[Token]]]:
        excepted = find("exceptions", tokens)
        cut = excepted[1] if excepted is not None else len(tokens) if whole else self._rest(tokens)
        parts = [tokens[:cut], tokens[cut:]] if excepted is None else [tokens[cut:], tokens[:cut]]
        branches: list[Branch] = []
        clauses: list[Sequence[Token]] = []
        parts[1] = parts[1] if excepted is not None else _touched(parts[1])
        for part in parts:
            read = self.conditions.parse(part, 0, len(part), table)
            left = _without(part, [(begin, end) for _, begin, end in read])
            wish = self.act(left, table)
            when: tuple[Condition, ...] = tuple(condition for condition, _, _ in read)
            if when or wish is not None:
                branches.append(Branch(when=when, acts=(wish.act,) if wish else ()))
                clauses.append(left)
        return branches, clauses

    def _spread(self, tokens: Sequence[Token], source: Rows | Saved, place: int, end: int) -> Told:
        """Read '400 seats in all should be spread over …: the seats still free say how many one can take …'."""
        amounts = [token.value for token in tokens[:place] if token.kind == "number"]
        said, asked = find("capacities", tokens, end), find("that_many", tokens, end)
        spots = [self.nouns.names.longest(tokens, start, ("column",)) for start in range(end, said[1] if said else end)]
        for spot in [each for each in spots if each is not None][::-1]:
            left = self.conditions.look(tokens, spot, end, spot.end, source.table)
            wish = self.act(tokens[asked[1] :], source.table) if asked is not None else None
            if left is None or wish is None or not amounts:
                continue
            demand = Demand(amount=amounts[-1], left=left[0])
            each = Pass(source=source, branches=(Branch(acts=(wish.act,)),), demand=demand)
            return Told(each, (tokens[spot.end :],))
        raise Unreadable("an amount is to be spread, but not said how much or how")

    def act(self, tokens: Sequence[Token], table: str | None) -> Wish | None:
        """Read what a clause asks to be done, with the things that it mentions."""
        mentioned = self.nouns.mentions(tokens)
        spans = [(begin, end) for _, begin, end in mentioned]
        things = [(place, self.nouns.things[place].table) for place, _, _ in mentioned]
        return self.actions.read(_without(tokens, spans), table, things)

    def _rest(self, tokens: Sequence[Token]) -> int:
        """Return where the words for the remaining rows begin: the clause that names them."""
        found = find("rest", tokens)
        if found is None:
            return len(tokens)
        place = found[1]
        while place and tokens[place - 1].text not in _BREAKS:
            place -= 1
        return place


def _touched(tokens: Sequence[Token]) -> list[Token]:
    """Return the clauses that do not say that rows stay as they are."""
    kept: list[Token] = []
    clause: list[Token] = []
    for token in [*tokens, None]:
        if token is None or token.text in _BREAKS:
            kept += clause if find("untouched", clause) is None else []
            clause = []
        if token is not None:
            clause.append(token)
    return kept


def _without(tokens: Sequence[Token], spans: list[tuple[int, int]]) -> list[Token]:
    return [t for n, t in enumerate(tokens) if not any(begin <= n < end and t.kind != "mark" for begin, end in spans)]
