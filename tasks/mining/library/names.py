"""Naming: what the themes of a library and their tables are called, from folders' and files' names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable

from tasks.mining.columns.naming import WRAPPERS, plural_of, row_noun, singular_of, snake_case, unique_name

_LONGEST = 48
_SHORTEST = 3
"""Letters of a file's name that may name a table: of 'x.csv' the folder's name does."""
_WITHOUT_PLURAL = set(
    """safety etiquette history talent consumption audience circulation data information weather traffic population pop
    stem elo index time climate music software research staff equipment health education finance energy performance
    production trade research water advanced historical undefeated comparison matrix surveymonkey""".split()
)
"""Last words of file names that count nothing: rows of 'airline-safety' are records of it, not safeties."""
_SAYS_NOTHING = set(
    "data dataset raw clean cleaned final anonymized anonymised export csv file table main all new results".split()
)
_SHEET = re.compile(r"(sheet|table|tabelle|feuil|hoja|blad|page|planilha)[ _-]?\d*|main|root", re.IGNORECASE)


def name_themes(paths: Iterable[str]) -> dict[str, str]:
    """Return a unique theme name for every folder's path: its own name, behind its parents' where two are equal."""
    paths = sorted(set(paths))
    depths = dict.fromkeys(paths, 1)
    while True:
        names = {path: theme_name(path.split("/")[-depth:]) for path, depth in depths.items()}
        often = Counter(names.values())
        deeper = [path for path in paths if often[names[path]] > 1 and depths[path] < len(path.split("/"))]
        if not deeper:
            break
        for path in deeper:
            depths[path] += 1
    unique: dict[str, str] = {}
    for path in paths:
        unique[path] = unique_name(names[path], set(unique.values()))
    return unique


def theme_name(parts: Iterable[str]) -> str:
    """Return words as one legal name that starts with a letter: ['2015', 'nba draft'] → 'nba_draft_2015'."""
    words = [word for part in parts for word in snake_case(part).split("_")]
    digits = [word for word in words if word[0].isdigit()]
    if words and words[0] in digits:
        letters = [word for word in words if word not in digits]
        words = [*(letters or ["data"]), *digits]
    return "_".join(words)[:_LONGEST].strip("_")


def table_stem(stem: str, folder_name: str, headers: Collection[str] = ()) -> str:
    """Return the words that name a table of a file: counted things, for `name_tables` to put in order.

    A survey's rows are responses; a name that says nothing ('data', 'Sheet1') gives way to the folder's; one
    that is the folder's own and counts nothing names a topic, of which there are records.
    """
    words = snake_case(stem).split("_")
    telling = [word for word in words if word not in _SAYS_NOTHING and not word.isdigit()]
    if len("".join(telling)) < _SHORTEST:
        words = snake_case(folder_name).split("_")
        telling = [word for word in words if not word.isdigit()] or words
    if _is_survey(headers):
        kept = [word for word in telling if word not in ("survey", "poll", "surveys", "responses")] or telling
        return f"{' '.join(kept)} responses"
    while words[-1] in _SAYS_NOTHING | {"list"} and any(word in telling for word in words[:-1]):
        words.pop()
    last = next((i for i in range(len(words) - 1, -1, -1) if not words[i].isdigit()), 0)
    counted = plural_of(row_noun(words[last]).replace(" ", "_"))
    if "by" in words[1:last]:
        # 'calls by day' has a row a day: call days
        by = words.index("by", 1)
        words[by - 1 : by + 1] = [singular_of(words[by - 1])]
        last -= 1
    topic = words == snake_case(folder_name).split("_") and words[last] != counted
    if topic or words[last] in _WITHOUT_PLURAL:
        return " ".join([*words[: last + 1], "records", *words[last + 1 :]])
    return " ".join([*words[:last], counted, *words[last + 1 :]])


def member_stem(stem: str, member: str | None, members: int) -> str:
    """Return the name of a file's table: the file's for its only one, or where the member's says nothing.

    Of a path in a document the last part counts: 'orders[].lines[]' are lines.
    """
    if member is None:
        return stem
    member = member.rpartition("#")[2]  # a sheet of a book in an archive
    own = re.sub(r"\.(csv|tsv|txt|jsonl?|xlsx?|parquet)$", "", member.rpartition("/")[2], flags=re.IGNORECASE)
    if "[]" not in member and snake_case(own.rpartition(".")[2]) in WRAPPERS:
        return stem
    own = own.removesuffix("[]").rpartition("[].")[2].rpartition(".")[2] or own
    if _SHEET.fullmatch(own):
        return stem if members == 1 else f"{stem} {own}"
    return own


def title_of(name: str) -> str:
    """Return a title in sentence case of a folder's or file's name: 'fight-songs' → 'Fight songs'."""
    words = re.sub(r"[\s_\-.]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).strip()
    return words[:1].upper() + words[1:] or name


def is_slug(title: str) -> bool:
    """Return whether a heading is a name for machines: 'foul-balls'."""
    return " " not in title.strip() and re.search(r"[a-z][-_][a-z]", title) is not None


def and_list(words: Iterable[str]) -> str:
    """Return words as an English list: 'a, b and c'."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _is_survey(headers: Collection[str]) -> bool:
    first = snake_case(next(iter(headers), "")).replace("_", "")
    return first in ("respondentid", "responseid", "respondent")
