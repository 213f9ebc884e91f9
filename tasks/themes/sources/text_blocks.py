"""Text blocks: a markdown or docx document as headings, paragraphs, list items and tables, in their order."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from docx import Document as open_docx
from docx.opc.exceptions import PackageNotFoundError
from docx.table import Table
from docx.text.paragraph import Paragraph
from lxml.etree import XMLSyntaxError
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tasks.mining.library.readmes import plain
from tasks.themes.sources.bounds import MEGABYTE, TooLarge

_MOST_BLOCKS = 20_000


@dataclass(frozen=True)
class Block:
    """One block: a heading with its level (1 the highest), a paragraph, a list's item, or a table's rows of cells.

    `lead` is how much of the text was set in bold at its beginning ('Book: …' → 'Book').
    """

    kind: Literal["heading", "paragraph", "item", "table"]
    text: str = ""
    level: int = 0
    lead: str = ""
    rows: tuple[tuple[str, ...], ...] = field(default=())


class NoDocument(Exception):
    """Bytes that are no document of the kind; the text says what was found."""


def markdown_blocks(text: str) -> list[Block]:
    """Return the blocks of a markdown text."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    blocks: list[Block] = []
    rows: list[tuple[str, ...]] = []
    cells: list[str] = []
    depth, heading, in_cell = 0, 0, False
    for token in tokens[: 20 * _MOST_BLOCKS]:
        match token.type:
            case "heading_open":
                heading = int(token.tag[1:])
            case "list_item_open":
                depth += 1
            case "list_item_close":
                depth -= 1
            case "table_open":
                rows = []
            case "tr_open":
                cells = []
            case "tr_close":
                rows.append(tuple(cells))
            case "table_close":
                blocks.append(Block("table", rows=tuple(rows)))
                rows, cells = [], []
            case "td_open" | "th_open":
                in_cell = True
            case "td_close" | "th_close":
                in_cell = False
            case "inline" if in_cell:
                cells.append(plain(token))
            case "inline":
                blocks.append(_inline(token, heading, depth))
                heading = 0
    return blocks[:_MOST_BLOCKS]


def _inline(token: Token, heading: int, depth: int) -> Block:
    text = plain(token)
    if heading:
        return Block("heading", text, heading)
    return Block("item" if depth else "paragraph", text, lead=_lead(token))


def _lead(token: Token) -> str:
    """Return the words that an inline token sets in bold first."""
    children = [child for child in token.children or [] if child.type != "text" or child.content.strip()]
    if not children or children[0].type != "strong_open":
        return ""
    said = []
    for child in children[1:]:
        if child.type == "strong_close":
            break
        said.append(child.content)
    return "".join(said).strip(" :")


def docx_blocks(content: bytes, most: int) -> list[Block]:
    """Return the blocks of a docx file; raise NoDocument for other bytes, TooLarge above `most` bytes unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > most:
            raise TooLarge(f"more than {most / MEGABYTE:g} MB unpacked")
        return list(_docx(open_docx(io.BytesIO(content)).iter_inner_content()))[:_MOST_BLOCKS]
    except (zipfile.BadZipFile, PackageNotFoundError, XMLSyntaxError, KeyError, ValueError) as error:
        raise NoDocument(f"no docx file: {error}") from error


def _docx(content: Iterator[Paragraph | Table]) -> Iterator[Block]:
    for part in content:
        if isinstance(part, Table):
            yield Block("table", rows=tuple(tuple(_cell(cell.text) for cell in row.cells) for row in part.rows))
            continue
        text = _cell(part.text)
        if not text:
            continue
        style = (part.style.name or "") if part.style is not None else ""
        heading = re.fullmatch(r"Heading (\d)", style)
        if style == "Title" or heading:
            yield Block("heading", text, int(heading[1]) if heading else 1)
        else:
            lead = part.runs[0].text.strip(" :") if part.runs and part.runs[0].bold else ""
            listed = style.startswith("List") and style != "List Continue"
            yield Block("item" if listed else "paragraph", text, lead=lead)


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
