"""READMEs: what a folder's own page says it holds, as plain text of bounded length."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

LONGEST_TITLE = 80
LONGEST_DESCRIPTION = 400
_LONGEST_FILE = 200_000
_SHORTEST_PARAGRAPH = 20
_DEFINES = {"definition", "description", "meaning", "explanation"}
_ITEM = re.compile(r"`([^`]+)`\s*(?::|-|–|—|=)\s+([^\n]+)")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?\n---[ \t]*(\n|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Readme:
    """The first heading, the first paragraph that says something, and all of the text; None where there is none."""

    title: str | None = None
    description: str | None = None
    text: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """What tables and lists of the page say of columns, by header."""


def read_readme(path: Path) -> Readme:
    """Return what a README in Markdown or plain text says; markup is stripped, a damaged byte becomes '\ufffd'."""
    try:
        with path.open("rb") as handle:
            source = handle.read(_LONGEST_FILE).decode("utf-8-sig", errors="replace")
    except OSError:
        return Readme()
    source = _FRONT_MATTER.sub("", source.replace("\r\n", "\n").replace("\r", "\n"))
    tokens = MarkdownIt("commonmark").enable("table").parse(source)
    headings = [plain(after) for token, after in pairwise(tokens) if token.type == "heading_open"]
    text = "\n".join(plain(token) for token in tokens if token.type == "inline")
    title = next((heading for heading in headings if re.search(r"\w", heading)), None)
    return Readme(shorten(title, LONGEST_TITLE) if title else None, _description(tokens), text, _meanings(tokens))


def plain(token: Token) -> str:
    """Return the text of an inline token: links by their words, no pictures, no HTML."""
    said = []
    for child in token.children or []:
        if child.type in ("text", "code_inline"):
            said.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            said.append(" ")
    return re.sub(r"\s+", " ", "".join(said)).strip()


def shorten(text: str, most: int) -> str:
    """Return a text of at most `most` characters, cut behind a sentence or else a word."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    sentence = max(cut.rfind(end) for end in (". ", "! ", "? "))
    if sentence > most // 3:
        return cut[: sentence + 1]
    return f"{cut.rpartition(' ')[0] or cut}…"


def _description(tokens: list[Token]) -> str | None:
    """Return the first paragraph outside of lists and quotes, with the list that it announces."""
    for position, token in enumerate(tokens):
        if token.type != "paragraph_open" or token.level:
            continue
        said = plain(tokens[position + 1])
        if len(said) < _SHORTEST_PARAGRAPH or not re.search(r"[^\W\d_]{2}", said):
            continue
        if said.endswith(":"):
            said = f"{said} {'; '.join(_list_behind(tokens, position + 3))}".rstrip(" :")
        return shorten(said, LONGEST_DESCRIPTION)
    return None


def _meanings(tokens: list[Token]) -> dict[str, str]:
    """Return the rows of tables headed like 'Header | Definition', and list items like '`column`: meaning'."""
    meanings: dict[str, str] = {}
    row: list[str] = []
    defines = False
    for before, token in pairwise(tokens):
        if before.type in ("th_open", "td_open"):
            row.append(plain(token))
        elif token.type == "tr_close":
            if before.type == "th_close":
                defines = len(row) == 2 and row[1].lower().rstrip("s") in _DEFINES
            elif defines and len(row) == 2:
                meanings.setdefault(*row)
            row = []
        elif token.type == "inline" and token.level > 2 and (item := _ITEM.fullmatch(token.content)):
            meanings.setdefault(item[1], item[2].strip())
    return meanings


def _list_behind(tokens: list[Token], start: int) -> list[str]:
    if start >= len(tokens) or tokens[start].type not in ("bullet_list_open", "ordered_list_open"):
        return []
    end = next(i for i in range(start, len(tokens)) if tokens[i].type.endswith("list_close") and not tokens[i].level)
    return [plain(token).rstrip(".") for token in tokens[start:end] if token.type == "inline"]
