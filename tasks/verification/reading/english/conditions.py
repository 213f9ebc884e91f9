"""Conditions on the item at hand: 'if its flight's distance is below 1,000 miles and …'."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.plans import Condition, Entries, Function, Look, Ruled, Said, Total
from tasks.verification.reading.english.bounds import comparator_at, compare
from tasks.verification.reading.english.lexicon import find, match
from tasks.verification.reading.english.names import Name, Spot
from tasks.verification.reading.english.nouns import Nouns
from tasks.verification.reading.english.papers import compare_field, ruled, stated
from tasks.verification.reading.english.tokens import Token
from tasks.verification.reading.paths import Path, paths_from, references
from tasks.verification.reading.vocabulary import Column

_NUMBER = Column("", "number", None, None, "integer")


class Conditions:
    """A parser of comparisons of what an item is, or leads to."""

    def __init__(self, nouns: Nouns) -> None:
        self.nouns = nouns
        self.vocabulary = nouns.vocabulary
        self._pending: tuple[Look, Column] | None = None

    def parse(
        self, tokens: Sequence[Token], start: int, end: int, table: str, entries: Entries | None = None
    ) -> list[tuple[Condition, int, int]]:
        """Return the comparisons between two places, each with the tokens that say it.

        `entries`: the items are what a document lists, and the words may compare what stands there.
        """
        found, place, begin = [], start, start
        self._pending = None
        while place < end:
            read = self._of_entry(tokens, place, end, entries) if entries is not None else None
            read = read or self._of_rows(tokens, place, table) or self._at(tokens, place, begin, end, table)
            if read is None:
                place = self._past(tokens, place)
                begin = place if tokens[place - 1].text in (".", ";") else begin
                continue
            condition, after = read
            opening = self._opening(tokens, begin, place) if found else self._opener(tokens, begin, place)
            found.append((condition, opening, after))
            place = begin = after
        return found

    def _past(self, tokens: Sequence[Token], place: int) -> int:
        """Return the place behind a word, or behind the name of a table: 'team season' speaks of no season."""
        noun = self.nouns.names.longest(tokens, place, ("table",))
        rule = ruled(tokens, place) if tokens[place].text.lower() in ("as", "what") else None
        column = self.nouns.names.longest(tokens, place, ("column",))
        ends = [each.end for each in (noun, column) if each is not None]
        return rule[1] if rule is not None else max([place + 1, *ends])

    # --- what a document states ---------------------------------------------------------------

    def _of_entry(
        self, tokens: Sequence[Token], place: int, end: int, entries: Entries
    ) -> tuple[Condition, int] | None:
        """Read 'the “Signing limit” stated there is not its signing limit' and 'the number of tickets with that priority is 5'."""
        left = stated(tokens, place) or self.counted(tokens, place, entries)
        if left is None:
            return None
        comparator, after = comparator_at(tokens, left[1])
        right = self.own(tokens, after, end, entries)
        if right is not None:
            return Condition(left=left[0], comparator=comparator, right=right[0]), right[1]
        compared = compare_field(tokens, left[1])
        if compared is None or compared.end > end:
            return None
        return Condition(left=left[0], comparator=compared.comparator, right=Said(value=compared.value)), compared.end

    def own(
        self, tokens: Sequence[Token], place: int, end: int, entries: Entries
    ) -> tuple[Ruled | Look | Total, int] | None:
        """Read a rule's figure, 'its signing limit' or 'the number of tickets with that priority'."""
        told: tuple[Ruled | Total, int] | None = ruled(tokens, place) or self.counted(tokens, place, entries)
        if told is not None or place >= end or tokens[place].text.lower() not in ("its", "their", "the"):
            return told
        spot = self.nouns.names.longest(tokens, place + 1, ("column",))
        look = self.look(tokens, spot, place, end, entries.table) if spot is not None and spot.end <= end else None
        return (look[0], spot.end) if look is not None and spot is not None else None

    def counted(self, tokens: Sequence[Token], place: int, entries: Entries) -> tuple[Total, int] | None:
        """Read 'the number of tickets with that priority': a figure over the rows that an entry stands for."""
        names = self.nouns.names
        place += place < len(tokens) and tokens[place].text.lower() == "the"
        found = match("functions", tokens, place)
        if found is None:
            return None
        function: Function = found[0]  # type: ignore[assignment]
        spot = names.longest(tokens, found[1], ("column",)) if function != "count" else None
        at = spot.end if spot is not None else found[1]
        while at < len(tokens) and tokens[at].text.lower() in ("of", "the", "all"):
            at += 1
        rows = names.longest(tokens, at, ("table",))
        if rows is None or entries.table not in rows.tables():
            return None
        for group in range(rows.end, min(rows.end + 5, len(tokens))):
            by = names.longest(tokens, group, ("column",))
            if by is not None and any(each.column == entries.column for each in by.columns(entries.table)):
                measure = self.nouns.column(entries.table, spot).name if spot is not None else None
                total = Total(table=entries.table, reference=entries.column, function=function, measure=measure)
                return total, by.end + (_low(tokens, by.end) == ["among", "them"]) * 2
        return None

    # --- what the item is ---------------------------------------------------------------------

    def _opener(self, tokens: Sequence[Token], begin: int, place: int) -> int:
        """Return where the last opener before what a condition compares stands; else that place itself."""
        opened = [start for start in range(begin, place + 1) if match("openers", tokens, start) is not None]
        return opened[-1] if opened else place

    def _opening(self, tokens: Sequence[Token], begin: int, place: int) -> int:
        """Return where the words of a further condition begin: at its opener, else behind the condition before."""
        opener = self._opener(tokens, begin, place)
        return begin if opener == place and find("modals", tokens[begin:place]) is None else opener

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
        noun = self.nouns.names.longest(tokens, place, ("table",))
        look = self.look(tokens, spot, begin, end, table) if noun is None or noun.end <= spot.end else None
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

    def _of_rows(self, tokens: Sequence[Token], place: int, table: str) -> tuple[Condition, int] | None:
        """Read 'the number of open tickets that belong to it is below 5': a figure over the rows that refer to the item."""
        found = match("functions", tokens, place)
        if found is None:
            return None
        function: Function = found[0]  # type: ignore[assignment]
        spot = self.nouns.names.longest(tokens, found[1], ("column",)) if function != "count" else None
        at = spot.end + (_low(tokens, spot.end)[:1] == ["of"]) if spot is not None else found[1]
        phrase = self.nouns.parse(tokens, at)
        owned = self._owned(tokens, phrase.end) if phrase is not None and not phrase.order else None
        refers = references(self.vocabulary, phrase.table, table) if phrase is not None else []
        if phrase is None or owned is None or len(refers) != 1 or (spot is not None and not spot.columns(phrase.table)):
            return None
        measure = self.nouns.column(phrase.table, spot).name if spot is not None else None
        left = Total(
            table=phrase.table, reference=refers[0], filters=phrase.filters, function=function, measure=measure
        )
        comparator, after = comparator_at(tokens, owned)
        rule = ruled(tokens, after)
        if rule is not None:
            return Condition(left=left, comparator=comparator, right=rule[0]), rule[1]
        compared = compare(tokens, owned, _NUMBER)
        if compared is None:
            return None
        return Condition(left=left, comparator=compared.comparator, right=Said(value=compared.value)), compared.end

    def _owned(self, tokens: Sequence[Token], place: int) -> int | None:
        """Return where 'that belong to it' ends."""
        low = [token.text.lower() for token in tokens[place : place + 5]]
        for words in (["that", "belong", "to"], ["and", "that", "belong", "to"], ["belonging", "to"], ["of"], ["for"]):
            if low[: len(words)] == words and low[len(words) : len(words) + 1] in (["it"], ["them"]):
                return place + len(words) + 1
        return None

    def _with_other(
        self, tokens: Sequence[Token], place: int, look: tuple[Look, Column]
    ) -> tuple[Condition, int] | None:
        """Read a comparison with a figure of a document, or with a column of a thing."""
        comparator, after = comparator_at(tokens, place)
        rule = ruled(tokens, after)
        if rule is not None:
            return Condition(left=look[0], comparator=comparator, right=rule[0]), rule[1]
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
        after = range(spot.end, min(end, spot.end + 4))
        other = [place for place in after if tokens[place].kind == "mark" or match("openers", tokens, place)]
        said = self._said(tokens, begin, min([after.stop, *other]))
        ranked: list[tuple[tuple[int, int, int], Path, Name]] = []
        for order, path in enumerate(paths_from(self.vocabulary, table)):
            for named in spot.columns(path.table):
                ranked.append(((self._mentioned(path, table, said), -len(path.hops), -order), path, named))
        if not ranked:
            return None
        _, path, named = max(ranked, key=lambda each: each[0])
        return Look(hops=path.hops, column=named.column), self.vocabulary.tables[path.table].columns[named.column]

    def _held(self, tokens: Sequence[Token], spot: Spot, begin: int) -> tuple[Look, Column] | None:
        """Read 'the crew “X” has at least 1 ticket that can still be taken': a value of a thing."""
        for place in range(begin, spot.start):
            thing = self.nouns.thing(tokens, place)
            if thing is None or _low(tokens, thing[1])[:1] not in (["has"], ["can"]):
                continue
            table = self.nouns.things[thing[0]].table
            columns = spot.columns(table)
            if columns:
                column = self.vocabulary.tables[table].columns[columns[0].column]
                return Look(thing=thing[0], column=column.name), column
        return None

    def _said(self, tokens: Sequence[Token], start: int, end: int) -> set[str | tuple[str, str]]:
        """Return the tables and the columns of tables that some words name."""
        found: set[str | tuple[str, str]] = set()
        place = start
        while place < end:
            spots = [spot for spot in self.nouns.names.at(tokens, place) if not spot.values()]
            longest = [spot for spot in spots if spot.end == spots[0].end]
            for spot in longest:
                found |= {*spot.tables(), *((name.table, name.column) for name in spot.names if name.column)}
            place = longest[0].end if longest and longest[0].tables() else place + 1
        return found

    def _mentioned(self, path: Path, table: str, said: set[str | tuple[str, str]]) -> int:
        """Count the steps of a way whose nouns or roles stand in the words around."""
        count = 0
        for hop in path.hops:
            count += 2 * ((table, hop.column) in said) or hop.table in said
            table = hop.table
        return count


def _low(tokens: Sequence[Token], place: int) -> list[str]:
    return [token.text.lower() for token in tokens[place : place + 2]]
