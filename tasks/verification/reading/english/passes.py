"""A pass in words: its rows, its conditions, what is done with those that meet them and with the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from schemas.plans import Act, Branch, Condition, Demand, Entries, Entry, Look, Pass, Ruled, Said, Source, Total
from tasks.verification.reading.english.actions import Actions, Wish, is_wanted
from tasks.verification.reading.english.conditions import Conditions
from tasks.verification.reading.english.lexicon import find
from tasks.verification.reading.english.sources import Found, Sources
from tasks.verification.reading.english.things import Things
from tasks.verification.reading.english.tokens import Token
from tasks.verification.reading.errors import Unreadable
from tasks.verification.reading.naming import plain_field

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
        self.sources = Sources(nouns)
        self.conditions = Conditions(nouns)
        self.actions = Actions(nouns.names)

    def parse(self, tokens: Sequence[Token]) -> Told | None:
        """Read one pass from the sentences that tell it; None where they want nothing of the rows that they name."""
        found = self.sources.find(tokens)
        if found is None:
            raise Unreadable("no rows are said to go through")
        if find("that_many", tokens) is not None and find("capacities", tokens) is not None:
            return self._spread(tokens, found)
        whole = find("whole", tokens) is not None
        left = _unsaid("sequences", [*tokens[: found.place], *tokens[found.end :]])
        branches, clauses = self._branches(left, found.source, whole)
        if not branches:
            return None
        if find("attempts", left) is not None and branches[0].acts:
            branches[0] = branches[0].model_copy(update={"attempt": True})
        if len(branches) > 1 and find("second_refusals", left) is not None:
            branches[1] = branches[1].model_copy(update={"attempt": True})
        return Told(Pass(source=found.source, branches=tuple(branches), whole=whole), tuple(clauses))

    def _branches(
        self, tokens: Sequence[Token], source: Source, whole: bool
    ) -> tuple[list[Branch], list[Sequence[Token]]]:
        branches: list[Branch] = []
        clauses: list[Sequence[Token]] = []
        entries = source if isinstance(source, Entries) else None
        wanted = is_wanted(tokens)
        for part in self._parts(tokens, whole):
            read = self.conditions.parse(part, 0, len(part), source.table, entries)
            left = _unsaid("refused", _without(part, [(begin, end) for _, begin, end in read]))
            when: tuple[Condition, ...] = tuple(condition for condition, _, _ in read)
            act = self._edit(left, entries, when) if entries is not None else None
            if act is None and wanted:
                wish = self.act(left, source.table)
                act = wish.act if wish is not None else None
            if when or act is not None:
                branches.append(Branch(when=when, acts=(act,) if act else ()))
                clauses.append(left)
        return branches, clauses

    def _parts(self, tokens: Sequence[Token], whole: bool) -> list[Sequence[Token]]:
        """Split what is said of the rows by the branches that it tells, in their order."""
        excepted = find("exceptions", tokens)
        if excepted is not None:
            return [tokens[excepted[1] :], tokens[: excepted[1]]]
        cuts = [] if whole else self._rests(tokens)
        bounds = [0, *cuts, len(tokens)]
        parts = [tokens[begin:end] for begin, end in pairwise(bounds)]
        return [parts[0], *(without_clauses(part, ("untouched",)) for part in parts[1:])]

    def _rests(self, tokens: Sequence[Token]) -> list[int]:
        """Return where the words for remaining rows begin: the clauses that name them."""
        cuts: list[int] = []
        found = find("rest", tokens)
        while found is not None:
            place = found[1]
            while place and tokens[place - 1].text not in _BREAKS:
                place -= 1
            if place not in cuts:
                cuts.append(place)
            found = find("rest", tokens, found[2])
        return cuts

    def _edit(self, tokens: Sequence[Token], entries: Entries, when: Sequence[Condition]) -> Act | None:
        """Read '“Signing limit” there must be corrected to its signing limit': a cell of the entry's row."""
        for place, token in enumerate(tokens[:-2]):
            if token.kind != "quote" or tokens[place + 1].text.lower() != "there":
                continue
            ways = [at for at in range(place + 2, len(tokens) - 1) if tokens[at].text.lower() == "to"]
            for at in ways:
                value = self._correct(tokens, at + 1, entries, when)
                if value is not None:
                    first = self.nouns.vocabulary.tables[entries.table].columns[entries.column].words
                    row, column = Entry(field=plain_field(first)), Said(value=token.value)
                    return Act(tool="update_document_row", arguments={"row": row, "column": column, "value": value})
        return None

    def _correct(
        self, tokens: Sequence[Token], place: int, entries: Entries, when: Sequence[Condition]
    ) -> Ruled | Look | Total | None:
        """Return what a cell is corrected to: a value of the row, or the figure that it was compared with."""
        own = self.conditions.own(tokens, place, len(tokens), entries)
        if own is not None:
            return own[0]
        compared = [each.right for each in when if isinstance(each.left, Entry)]
        if tokens[place].text.lower() in ("that", "this", "it") and len(compared) == 1:
            return compared[0] if isinstance(compared[0], Total | Look) else None
        return None

    def _spread(self, tokens: Sequence[Token], found: Found) -> Told:
        """Read '400 seats in all should be spread over …: the seats still free say how many one can take …'."""
        end, source = found.end, found.source
        amounts = [token.value for token in tokens[: found.place] if token.kind == "number"]
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


def _unsaid(section: str, tokens: list[Token]) -> list[Token]:
    """Return tokens without the phrases of a section."""
    while (found := find(section, tokens)) is not None:
        tokens = [*tokens[: found[1]], *tokens[found[2] :]]
    return tokens


def without_clauses(tokens: Sequence[Token], sections: Sequence[str]) -> list[Token]:
    """Return the clauses that hold no phrase of the sections: those that say that rows stay as they are."""
    kept: list[Token] = []
    clause: list[Token] = []
    for token in [*tokens, None]:
        if token is None or token.text in _BREAKS:
            kept += [] if any(find(section, clause) for section in sections) else clause
            clause = []
        if token is not None:
            clause.append(token)
    return kept


def _without(tokens: Sequence[Token], spans: list[tuple[int, int]]) -> list[Token]:
    return [t for n, t in enumerate(tokens) if not any(begin <= n < end and t.kind != "mark" for begin, end in spans)]
