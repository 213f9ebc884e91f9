"""Conditions on the item at hand: 'if its flight's distance is below 1,000 miles and …'."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.plans import Condition, Look, Ruled, Said
from tasks.verification.reading.english.bounds import comparator_at, compare
from tasks.verification.reading.english.lexicon import match
from tasks.verification.reading.english.names import Name, Spot
from tasks.verification.reading.english.nouns import Nouns
from tasks.verification.reading.english.tokens import Token, lemmas
from tasks.verification.reading.paths import Path, paths_from
from tasks.verification.reading.vocabulary import Column


class Conditions:
    """A parser of comparisons of what an item is, or leads to."""

    def __init__(self, nouns: Nouns) -> None:
        self.nouns = nouns
        self.vocabulary = nouns.vocabulary
        self._pending: tuple[Look, Column] | None = None

    def parse(self, tokens: Sequence[Token], start: int, end: int, table: str) -> list[tuple[Condition, int, int]]:
        """Return the comparisons between two places, each with the tokens that say it."""
        found, place, begin = [], start, start
        self._pending = None
        while place < end:
            read = self._at(tokens, place, begin, end, table)
            if read is None:
                place += 1
                begin = place if tokens[place - 1].text in (".", ";") else begin
                continue
            condition, after = read
            found.append((condition, self._opening(tokens, begin, place), after))
            place = begin = after
        return found

    def _opening(self, tokens: Sequence[Token], begin: int, place: int) -> int:
        """Return where the words of a condition begin: at the last opener before what it compares."""
        for start in range(place, begin - 1, -1):
            if match("openers", tokens, start) is not None:
                return start
        return place

    def _taken_up(self, tokens: Sequence[Token], place: int) -> tuple[Condition, int] | None:
        """Read 'it is at least 4', said of what was named before."""
        words = [token.text.lower() for token in tokens[place : place + 2]]
        if self._pending is None or words not in (["it", "is"], ["that", "is"], ["this", "is"]):
            return None
        look, column = self._pending
        compared = compare(tokens, place + 1, column)
        if compared is None:
            return None
        right = Said(value=compared.value)
        return Condition(left=look, comparator=compared.comparator, right=right), compared.end

    def _at(
        self, tokens: Sequence[Token], place: int, begin: int, end: int, table: str
    ) -> tuple[Condition, int] | None:
        taken_up = self._taken_up(tokens, place)
        if taken_up is not None:
            return taken_up
        spot = self.nouns.names.longest(tokens, place, ("column",))
        if spot is None or spot.end > end:
            return self._valued(tokens, place, begin, table)
        look = self.look(tokens, spot, begin, end, table)
        if look is None:
            return None
        after = self._past_owner(tokens, spot.end, end)
        other = self._with_other(tokens, after, look)
        if other is not None:
            return other
        compared = compare(tokens, after, look[1])
        if compared is None or compared.end > end:
            before = self._before(tokens, spot, begin, look)
            self._pending = look if before is None else None
            return before
        condition = Condition(left=look[0], comparator=compared.comparator, right=Said(value=compared.value))
        return condition, compared.end

    def _valued(self, tokens: Sequence[Token], place: int, begin: int, table: str) -> tuple[Condition, int] | None:
        """Read 'is held' and 'is not urgent', whose column goes without saying."""
        said = [token.text.lower() for token in tokens[begin:place]]
        if said[-1:] not in (["is"], ["are"]) and said[-2:] not in (["is", "not"], ["are", "not"], ["is", "still"]):
            return None
        if "that" in said[-3:] or not any(match("openers", tokens, n) for n in range(begin, place)):
            return None
        spot = self.nouns.names.longest(tokens, place, ("value",))
        if spot is None or not spot.values(table):
            return None
        named = spot.values(table)[0]
        negated = any(token.text.lower() in ("not", "n't") for token in tokens[begin:place][-2:])
        look = Look(column=named.column)
        return Condition(left=look, comparator="is_not" if negated else "is", right=Said(value=named.value)), spot.end

    def _with_other(
        self, tokens: Sequence[Token], place: int, look: tuple[Look, Column]
    ) -> tuple[Condition, int] | None:
        """Read a comparison with a figure of a document, or with a column of a thing."""
        comparator, after = comparator_at(tokens, place)
        ruled = self._ruled(tokens, after)
        if ruled is not None:
            return Condition(left=look[0], comparator=comparator, right=ruled[0]), ruled[1]
        after += after < len(tokens) and tokens[after].text.lower() == "the"
        spot = self.nouns.names.longest(tokens, after, ("column",))
        if spot is None or spot.end + 1 >= len(tokens) or tokens[spot.end].text.lower() != "of":
            return None
        thing = self.nouns.thing(tokens, spot.end + 1)
        columns = spot.columns(self.nouns.things[thing[0]].table) if thing else []
        if thing is None or not columns:
            return None
        right = Look(thing=thing[0], column=columns[0].column)
        return Condition(left=look[0], comparator=comparator, right=right), thing[1]

    def _ruled(self, tokens: Sequence[Token], place: int) -> tuple[Ruled, int] | None:
        """Read 'the value of “…” in “Ticket policy”' and 'what “Ticket policy” states as “…”'."""
        here = [n for n in range(place, min(place + 9, len(tokens))) if tokens[n].kind == "quote"]
        if len(here) < 2 or any(token.kind == "mark" for token in tokens[place : here[1]]):
            return None
        first, second = (str(tokens[n].value) for n in here[:2])
        between = {token.text.lower() for token in tokens[here[0] : here[1]]}
        turned = bool(between & {"in", "of", "from"})
        document, words = (second, first) if turned else (first, second)
        return Ruled(document=document, words=words), here[1] + 1

    def _past_owner(self, tokens: Sequence[Token], place: int, end: int) -> int:
        """Skip 'of its flight' behind a column."""
        while place + 1 < end and tokens[place].text.lower() in ("of", "at", "for", "on"):
            owner = place + 1 + (tokens[place + 1].text.lower() in ("the", "its", "their", "a", "an", "that"))
            spot = self.nouns.names.longest(tokens, owner, ("table",))
            if spot is None or spot.end > end:
                break
            place = spot.end
        return place

    def _before(
        self, tokens: Sequence[Token], spot: Spot, begin: int, look: tuple[Look, Column]
    ) -> tuple[Condition, int] | None:
        """Read 'at least three places left': the comparison stands before what is compared."""
        for place in range(spot.start - 1, begin - 1, -1):
            found = match("before_a_value", tokens, place)
            longer = match("before_a_value", tokens, place - 1) if place > begin else None
            if found is not None and found[0] != "is" and (longer is None or longer[1] < found[1]):
                compared = compare(tokens, place, look[1])
                if compared is not None and compared.end <= spot.start + 1:
                    right = Said(value=compared.value)
                    return Condition(left=look[0], comparator=compared.comparator, right=right), spot.end
        return None

    def look(self, tokens: Sequence[Token], spot: Spot, begin: int, end: int, table: str) -> tuple[Look, Column] | None:
        """Return the look that some words mean for an item of a table: by the nouns around, then by the fewest hops."""
        held = self._held(tokens, spot, begin)
        if held is not None:
            return held
        said = {token.lemma for token in tokens[begin : min(end, spot.end + 4)] if token.kind == "word"}
        ranked: list[tuple[tuple[int, int, int], Path, Name]] = []
        for order, path in enumerate(paths_from(self.vocabulary, table)):
            for named in spot.columns(path.table):
                ranked.append(((self._mentioned(path, said), -len(path.hops), -order), path, named))
        if not ranked:
            return None
        _, path, named = max(ranked, key=lambda each: each[0])
        return Look(hops=path.hops, column=named.column), self.vocabulary.tables[path.table].columns[named.column]

    def _held(self, tokens: Sequence[Token], spot: Spot, begin: int) -> tuple[Look, Column] | None:
        """Read 'the crew “X” has at least 1 ticket that can still be taken': a value of a thing."""
        for place in range(begin, spot.start):
            phrase = self.nouns.parse(tokens, place)
            if phrase is None or phrase.name is None or phrase.end >= len(tokens):
                continue
            columns = spot.columns(phrase.table)
            if tokens[phrase.end].text.lower() in ("has", "can") and columns:
                thing = self.nouns.thing(tokens, place)
                if thing is not None:
                    column = self.vocabulary.tables[phrase.table].columns[columns[0].column]
                    return Look(thing=thing[0], column=column.name), column
        return None

    def _mentioned(self, path: Path, said: set[str]) -> int:
        """Count the steps of a way whose nouns or roles stand in the words around."""
        tables = self.vocabulary.tables
        count = 0
        table: str | None = None
        for hop in path.hops:
            nouns = {lemmas(noun)[-1] for noun in tables[hop.table].nouns}
            roles: set[str] = set(lemmas(tables[table].columns[hop.column].words)) if table else set()
            count += bool(nouns & said) or bool(roles & said)
            table = hop.table
        return count
