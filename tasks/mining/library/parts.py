"""Parts: files of one folder that are pieces of one table, by year, place or number, told by their headers.

Equal headers alone are no proof (`id,name,notes` of categories and of colours), so the files' names must
differ in a number, a date or a code only, or the header be wide.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from tasks.mining.columns.naming import plural_of, row_noun, snake_case
from tasks.mining.library.digests import FileDigest

WIDE = 8
"""Columns from which an equal header is proof by itself."""
NESTED = 0.8
"""Share of the widest part's columns that a narrower part has at least."""
_NARROWEST = 2
_SEPARATORS = "-_. "
_YEAR = re.compile(r"(1[5-9]|20)\d\d")
_MONTH = "jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?"
_NUMBERED = re.compile(rf"\d.*|[A-Za-z]{{1,2}}\d{{1,4}}|[A-Z]{{1,5}}|(?i:{_MONTH})([-_. ]?\d.*)?|")
"""2017, 2014-q3, v2, KCLT, jan-2014, or nothing."""


@dataclass(frozen=True)
class Group:
    """Files that become one table: `values` says by file which part it is; one file alone has no column for it."""

    stem: str
    files: tuple[str, ...]
    values: tuple[str, ...] = ()
    column: str | None = None


def group_parts(digests: Mapping[str, FileDigest], folder_name: str) -> list[Group]:
    """Return the files of one folder that give tables, pieces of one table together, by their first file."""
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    groups = []
    for file in sorted(digests):
        tables = digests[file].tables
        if len(tables) == 1 and len(tables[0].columns) >= _NARROWEST:
            alike[tables[0].header].append(file)
        elif tables:
            groups.append(Group(stem_of(file), (file,)))
    for header, files in _nested(alike):
        stacked = _stacked(files, header, folder_name)
        groups += [stacked] if stacked else [Group(stem_of(file), (file,)) for file in files]
    return sorted(groups, key=lambda group: group.files)


def stem_of(file: str) -> str:
    """Return a file's name without its suffixes: 'flights' of 'data/flights.csv.gz'."""
    name = PurePosixPath(file).name
    while (suffix := PurePosixPath(name).suffix) and re.fullmatch(r"\.[A-Za-z][A-Za-z0-9]{0,7}", suffix):
        name = name[: -len(suffix)]
    return name


def _nested(alike: Mapping[tuple[str, ...], list[str]]) -> list[tuple[tuple[str, ...], list[str]]]:
    """Return files by header, with those of a somewhat narrower one that their names number in the same row.

    A column more from some year on is usual: bracket-00 … bracket-05 without the time that bracket-06 has.
    """
    waiting = sorted(alike, key=lambda header: (-len(header), alike[header]))
    found = []
    while waiting:
        wide = waiting.pop(0)
        files = alike[wide]
        for narrow in list(waiting):
            together = sorted([*files, *alike[narrow]])
            if (
                set(narrow) < set(wide)
                and len(narrow) >= NESTED * len(wide)
                and _numbered(list(map(stem_of, together)))
            ):
                files = together
                waiting.remove(narrow)
        found.append((wide, files))
    return found


def _stacked(files: list[str], header: tuple[str, ...], folder_name: str) -> Group | None:
    stems = [stem_of(file) for file in files]
    if len(files) < 2 or len(set(stems)) < len(stems) or not (_numbered(stems) or len(header) >= WIDE):
        return None
    start, rests = _taken_apart(stems)
    values = [re.sub(r"[\s_]+", " ", rest) or stem for rest, stem in zip(rests, stems, strict=True)]
    if "" in rests and "1" not in rests and all(rest.isdigit() for rest in rests if rest):
        values[rests.index("")] = "1"  # solutions, solutions-2, solutions-3
    column, stem = _named(start, values, folder_name)
    taken = {snake_case(name) for name in header}
    return Group(
        stem,
        tuple(files),
        tuple(values),
        next(c for c in (column, "part", "file_part", "file_part_2") if c not in taken),
    )


def _numbered(stems: list[str]) -> bool:
    """Return whether names differ in numbers, dates or codes only; one may be without."""
    rests = _taken_apart(stems)[1]
    return all(_NUMBERED.fullmatch(rest) for rest in rests) and rests.count("") <= 1


def _taken_apart(stems: list[str]) -> tuple[str, list[str]]:
    """Return the words that names start with, and what each has beyond them."""
    start = _shared_words(stems)
    return start.strip(_SEPARATORS), [stem[len(start) :].strip(_SEPARATORS) for stem in stems]


def _named(start: str, values: list[str], folder_name: str) -> tuple[str, str]:
    """Return what to call the column for the part, and the stem that names the table."""
    noun = snake_case(start) if start else ""
    several = bool(noun) and plural_of(row_noun(noun).replace(" ", "_")) == noun
    if all(_YEAR.fullmatch(value) for value in values):
        return "year", start or folder_name
    if noun and not several and "_" not in noun and all(re.fullmatch(r"\w{1,6}", value) for value in values):
        return noun, folder_name  # bracket-00, bracket-01: rows of the folder's table, each of one bracket
    if all(re.fullmatch(r"[A-Z]{2,5}\d?", value) for value in values):
        return "code", start or folder_name
    return "part", start or folder_name


def _shared_words(stems: list[str]) -> str:
    """Return the start that all stems share and that cuts no word or number; '' when there is none."""
    first, last = min(stems), max(stems)
    start = first[: next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]
    while start and any(_cuts(stem, len(start)) for stem in stems):
        start = start[:-1]
    return start


def _cuts(stem: str, position: int) -> bool:
    before, after = stem[position - 1], stem[position : position + 1]
    return (before.isalpha() and after.isalpha()) or (before.isdigit() and after.isdigit())
