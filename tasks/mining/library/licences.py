"""Licences: under which terms a folder's data comes, by the nearest file that says so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tasks.mining.library.folders import Folder
from tasks.mining.library.readmes import shorten

UNKNOWN = "unknown"
_LONGEST = 80
_LONGEST_FILE = 40_000
_KNOWN = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), name)
    for pattern, name in (
        (r"attribution-noncommercial-noderiv\w* (\d\.\d)|CC[ -]BY-NC-ND[ -](\d\.\d)", "CC BY-NC-ND {}"),
        (r"attribution-noncommercial-sharealike (\d\.\d)|CC[ -]BY-NC-SA[ -](\d\.\d)", "CC BY-NC-SA {}"),
        (r"attribution-noncommercial (\d\.\d)|CC[ -]BY-NC[ -](\d\.\d)", "CC BY-NC {}"),
        (r"attribution-sharealike (\d\.\d)|CC[ -]BY-SA[ -](\d\.\d)", "CC BY-SA {}"),
        (r"attribution-noderiv\w* (\d\.\d)|CC[ -]BY-ND[ -](\d\.\d)", "CC BY-ND {}"),
        (r"(?:creative commons )?attribution (\d\.\d)|CC[ -]BY[ -](\d\.\d)", "CC BY {}"),
        (r"\bCC0\b(?:[ -](\d\.\d))?", "CC0 1.0"),
        (r"open data commons attribution|\bODC-By\b", "ODC-By 1.0"),
        (r"open database licen[cs]e|\bODbL\b", "ODbL 1.0"),
        (r"public domain dedication (?:and|&) licen[cs]e|\bPDDL\b", "PDDL 1.0"),
        (r"this is free and unencumbered software|\bunlicense\b", "Unlicense"),
        (
            r"\bMIT licen[cs]e\b|\blicen[cs]ed?\b\W+(?:under\W+)?(?:the\W+)?MIT\b|permission is hereby granted, free of charge, to any person obtaining a copy",
            "MIT",
        ),
        (r"apache licen[cs]e,?\s+version 2\.0|\bapache[- ]2\.0\b", "Apache-2.0"),
        (r"gnu affero general public licen[cs]e\s+version 3|\bAGPL-?v?3", "AGPL-3.0"),
        (r"gnu lesser general public licen[cs]e\s+version (\d(?:\.\d)?)", "LGPL-{}"),
        (r"gnu general public licen[cs]e\s+version (\d)|\bGPL-?v?(\d)\b", "GPL-{}.0"),
        (r"redistribution and use in source and binary forms.*neither the name", "BSD-3-Clause"),
        (r"redistribution and use in source and binary forms", "BSD-2-Clause"),
        (r"open government licen[cs]e(?: v(?:ersion )?(\d\.\d))?", "Open Government Licence"),
        (r"public domain", "public domain"),
    )
)
_STATEMENT = re.compile(
    r"^.*\b(?:licen[cs]ed?|public domain|creative commons|copyright)\b.*$", re.IGNORECASE | re.MULTILINE
)


def licences_of(folders: Mapping[str, Folder], root: Path, readme_texts: Mapping[str, str]) -> dict[str, str]:
    """Return the licence of every folder's data, by its licence file or README, else by those of the folders around it.

    A known text gives its short name ('MIT', 'CC BY 4.0'), another licence file its first line; 'unknown' when
    nothing up to the root says one. `readme_texts` are the READMEs' texts by folder.
    """
    licences: dict[str, str] = {}
    for path in sorted(folders):  # a folder comes behind the one around it
        file = folders[path].licence
        own = (_of_file(root / file) if file else None) or _stated(readme_texts.get(path, ""))
        licences[path] = own or (licences[folders[path].parent] if path else UNKNOWN)
    return licences


def known_licence(text: str) -> str | None:
    """Return the short name of the first licence that a text names or is; None when it is none that is known."""
    found = []
    for rank, (pattern, name) in enumerate(_KNOWN):
        if match := pattern.search(text):
            version = next((group for group in match.groups() if group), None)
            found.append(
                (match.start(), rank, name.format(version) if version else name.replace(" {}", "").replace("-{}", ""))
            )
    return min(found)[2] if found else None


def _of_file(path: Path) -> str | None:
    try:
        with path.open("rb") as handle:
            text = handle.read(_LONGEST_FILE).decode("utf-8-sig", errors="replace")
    except OSError:
        return None
    lines = [line.strip(" \t#*=-_") for line in text.splitlines()]
    first = next((line for line in lines if line), None)
    return known_licence(re.sub(r"[ \t\r\n]+", " ", text)) or (shorten(first, _LONGEST) if first else None)


def _stated(text: str) -> str | None:
    """Return the licence that a README's sentence about licences names; a heading's next line belongs to it."""
    lines = text.splitlines()
    for position, line in enumerate(lines):
        if _STATEMENT.match(line):
            if said := known_licence(" ".join(lines[position : position + 2])):
                return said
    return None
