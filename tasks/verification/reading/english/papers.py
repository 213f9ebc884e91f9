"""What a request takes from documents: entries to go through, what they state, saved queries, rules, sections."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.plans import Act, Deed, Entries, Entry, Filter, Ruled, Said, Saved
from tasks.verification.reading.english.bounds import Comparison, compare
from tasks.verification.reading.english.names import Names
from tasks.verification.reading.english.nouns import Nouns
from tasks.verification.reading.english.tokens import Token, tokenize
from tasks.verification.reading.naming import plain_field
from tasks.verification.reading.vocabulary import Column

_ENTRIES = frozenset("entry figure line row".split())
_HELD = frozenset("that which are is stand stands named listed mentioned given found kept in on by the of".split())
_REACH = 12
"""Words between a noun and the titles that say where its rows stand."""


class Papers:
    """A parser of what documents list and state."""

    def __init__(self, nouns: Nouns) -> None:
        self.nouns = nouns
        self.names: Names = nouns.names

    # --- sources ----------------------------------------------------------------------------

    def source(self, tokens: Sequence[Token], place: int) -> tuple[Entries | Saved, int] | None:
        """Read rows that a document lists or a saved query gives, and return where the words end."""
        return self._saved(tokens, place) or self._grouped(tokens, place) or self._listed(tokens, place)

    def _saved(self, tokens: Sequence[Token], place: int) -> tuple[Saved, int] | None:
        """Read 'the budgets found by the query “…”, which is kept in “…”'."""
        noun = self.names.longest(tokens, _past_article(tokens, place), ("table",))
        quotes = _quotes(tokens, noun.end, _REACH + 4)[:2] if noun is not None else []
        if noun is None or len(quotes) < 2 or any(each.text in ".;:" for each in tokens[noun.end : quotes[0]]):
            return None
        before, between = (_words(tokens, noun.end, quotes[0]), _words(tokens, quotes[0], quotes[1]))
        if "query" not in before and "query" not in between:
            return None
        first, second = (str(tokens[each].value) for each in quotes)
        name, document = (first, second) if between & {"in", "of", "from"} else (second, first)
        end = quotes[1] + 1
        end += tokens[end : end + 1] != [] and tokens[end].text.lower() in ("gives", "finds", "returns")
        return Saved(document=document, name=name, table=noun.tables()[0]), end

    def _grouped(self, tokens: Sequence[Token], place: int) -> tuple[Entries, int] | None:
        """Read 'the entries of “…”, one for each status' and 'the figures by status in “…”'."""
        start = _past_article(tokens, place)
        if start >= len(tokens) or tokens[start].lemma not in _ENTRIES:
            return None
        quotes = _quotes(tokens, start, _REACH)[:1]
        for at in range(start + 1, min(start + _REACH + 8, len(tokens))) if quotes else ():
            if tokens[at].text.lower() not in ("by", "each", "every", "per"):
                continue
            spot = self.names.longest(tokens, at + 1, ("column",))
            if spot is not None:
                table = self._counted(tokens, {each.table for each in spot.columns()}, str(tokens[quotes[0]].value))
                column = next((each.column for each in spot.columns(table)), None) if table else None
                if table and column:
                    entries = Entries(document=str(tokens[quotes[0]].value), table=table, column=column)
                    return self._kept(tokens, entries, max(spot.end, quotes[0] + 1))
        return None

    def _counted(self, tokens: Sequence[Token], tables: set[str], title: str) -> str | None:
        """Return the table whose rows the entries are about: the request or the title names them."""
        for words in (tokens, tokenize(title)):
            for place in range(len(words)):
                spot = self.names.longest(words, place, ("table",))
                named = [each for each in spot.tables() if each in tables] if spot is not None else []
                if named:
                    return named[0]
        return None

    def _listed(self, tokens: Sequence[Token], place: int) -> tuple[Entries, int] | None:
        """Read 'the approvers named in “…” whose “…” there is 5 or more'."""
        noun = self.names.longest(tokens, _past_article(tokens, place), ("table",))
        end = noun.end if noun is not None else len(tokens)
        while end < len(tokens) and tokens[end].text.lower() in _HELD:
            end += 1
        if noun is None or end >= len(tokens) or end == noun.end or tokens[end].kind != "quote":
            return None
        if tokens[end - 1].text.lower() not in ("in", "on"):
            return None
        table = noun.tables()[0]
        label = self.nouns.vocabulary.tables[table].label
        return self._kept(tokens, Entries(document=str(tokens[end].value), table=table, column=label), end + 1)

    def _kept(self, tokens: Sequence[Token], entries: Entries, place: int) -> tuple[Entries, int]:
        """Read 'whose “Next check” there is not after 2024-05-01' behind entries."""
        for at in range(place, min(place + 4, len(tokens))):
            if tokens[at].kind == "quote" and at > place:
                end = at + 1
                end += tokens[end : end + 1] != [] and tokens[end].text.lower() == "there"
                compared = compare_field(tokens, end)
                if compared is not None:
                    field = plain_field(str(tokens[at].value))
                    where = Filter(column=field, comparator=compared.comparator, value=Said(value=compared.value))
                    return entries.model_copy(update={"where": where}), compared.end
        return entries, place


def stated(tokens: Sequence[Token], place: int) -> tuple[Entry, int] | None:
    """Read 'the “Signing limit” stated there' and 'what stands there as “Signing limit”': a field of an entry."""
    if place >= len(tokens):
        return None
    if tokens[place].kind == "quote":
        after = [token.text.lower() for token in tokens[place + 1 : place + 3]]
        if "there" in after:
            return Entry(field=plain_field(str(tokens[place].value))), place + 2 + after.index("there")
        if after in (["as", "stated"], ["of", "each"]) or after[:1] == ["stated"]:
            return Entry(field=plain_field(str(tokens[place].value))), place + 1 + len(after)
        return None
    if tokens[place].text.lower() not in ("what", "the"):
        return None
    for at in _quotes(tokens, place, 7)[:1]:
        words = _words(tokens, place, at)
        if "there" in words and tokens[at - 1].text.lower() == "as":
            return Entry(field=plain_field(str(tokens[at].value))), at + 1
    return None


def ruled(tokens: Sequence[Token], place: int) -> tuple[Ruled, int] | None:
    """Read 'the value of “…” in “Ticket policy”' and 'what “Ticket policy” states as “…”'."""
    quotes = _quotes(tokens, place, 9)[:2]
    if len(quotes) < 2 or any(token.kind == "mark" for token in tokens[place : quotes[1]]):
        return None
    first, second = (str(tokens[each].value) for each in quotes)
    turned = bool(_words(tokens, quotes[0], quotes[1]) & {"in", "of", "from"})
    document, words = (second, first) if turned else (first, second)
    return Ruled(document=document, words=words), quotes[1] + 1


def replacement(sentence: Sequence[Token]) -> Deed | None:
    """Read 'the section “…” of “…” should be replaced by “…”'."""
    heads = [place for place, token in enumerate(sentence) if token.text.lower() == "section"]
    quotes = _quotes(sentence, heads[0], len(sentence)) if heads else []
    if len(quotes) != 3:
        return None
    heading, document, text = (str(sentence[place].value) for place in quotes)
    arguments = {"heading": Said(value=heading), "text": Said(value=text)}
    return Deed(act=Act(tool="replace_document_section", arguments=arguments, document=document))  # type: ignore[arg-type]


def compare_field(tokens: Sequence[Token], place: int) -> Comparison | None:
    """Read a comparison of what a document states, whose kind no schema tells."""
    for kind in ("integer", "date", "string"):
        compared = compare(tokens, place, Column("", "", None, None, kind))
        if compared is not None:
            return compared
    return None


def _past_article(tokens: Sequence[Token], place: int) -> int:
    while place < len(tokens) and tokens[place].text.lower() in ("all", "of", "the", "those", "each", "every"):
        place += 1
    return place


def _quotes(tokens: Sequence[Token], start: int, reach: int) -> list[int]:
    return [place for place in range(start, min(start + reach, len(tokens))) if tokens[place].kind == "quote"]


def _words(tokens: Sequence[Token], start: int, end: int) -> set[str]:
    return {token.text.lower() for token in tokens[start:end] if token.kind == "word"}
