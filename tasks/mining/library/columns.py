"""Columns: what mining will call a table's columns, as far as discovery can be certain, and a README's words for them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tasks.mining.columns.naming import name_columns, row_noun
from tasks.mining.library.digests import TableDigest

MOST_WORDS = 6
_NOUN_PHRASE = re.compile(r"[^\W\d_][^\W_]*(?:[ ’'-]+[^\W_]+)*")
_NO_NOUN = set(
    """a an the is are was were does did do has have had if whether how what which who when where why can could yes no
    true false source n same see also this these that it not indicates denotes equals""".split()
)


def certain_names(table: TableDigest, table_name: str) -> dict[str, str]:
    """Return our name of each column by its header, where it does not hang on what typing will find.

    Typing leaves empty columns out and takes units out of the headers of numbers, and either may change what
    other columns are called.
    """
    noun = row_noun(table_name)
    every = [column.header for column in table.columns]
    some = [column.header for column in table.columns if column.kind != "empty" and column.distinct > 1]
    variants = [name_columns(headers, noun, numeric) for headers in (every, some) for numeric in ((), headers)]
    return {
        header: variants[0][header].name for header in some if len({variant[header].name for variant in variants}) == 1
    }


def words_for(table: TableDigest, table_name: str, meanings: Mapping[str, str]) -> dict[str, str]:
    """Return a README's plain words by our column name: short noun phrases for headers that it names exactly."""
    headers = [column.header for column in table.columns]
    said = {header: phrase for header in headers if (phrase := _phrase(meanings.get(header, "")))}
    if not said:
        return {}
    taken = {named.words.lower() for named in name_columns(headers, row_noun(table_name)).values()}
    words: dict[str, str] = {}
    for header, name in certain_names(table, table_name).items():
        if header in said and said[header].lower() not in taken:
            words[name] = said[header]
            taken.add(said[header].lower())
    return words


def _phrase(meaning: str) -> str | None:
    """Return a meaning that can stand in a sentence: 'Year of release.' → 'year of release'; None for any other."""
    said = meaning.strip().rstrip(".")
    words = said.split(" ")
    if not 2 <= len(words) <= MOST_WORDS or not _NOUN_PHRASE.fullmatch(said) or words[0].lower() in _NO_NOUN:
        return None
    first = words[0]
    return said if first[1:] != first[1:].lower() else " ".join([first.lower(), *words[1:]])
