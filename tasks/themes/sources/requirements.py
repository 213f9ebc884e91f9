"""Requirements documents as sources of themes: markdown or docx with headings, lists and tables.

Entities come from 'each … has …', from items and headings with lists of fields, and from tables of fields; operations
from what somebody can do; rules from what must hold. Where a document only tells stories, the things that its
operations are about are its entities.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from schemas.themes import SourceParameter, Theme
from tasks.mining.library.names import title_of
from tasks.themes.findings import Finding, Refusal, RefusalReason
from tasks.themes.lexicon import plain_text, singular, words_of
from tasks.themes.operations import Named
from tasks.themes.reading import Described, read_theme
from tasks.themes.sources.bounds import Bounds, TooLarge, read_bounded
from tasks.themes.sources.evidence import evidence_of
from tasks.themes.sources.sentences import (
    is_rule,
    operations_in,
    parameter_of,
    rule_of,
    sentences_of,
    split_list,
    thing_of_heading,
    things_in,
)
from tasks.themes.sources.subjects import Declared, declared_noun
from tasks.themes.sources.text_blocks import Block, NoDocument, docx_blocks, markdown_blocks

_MOST_RULES = 60
_RULES = re.compile(r"\b(rules?|constraints?|polic(y|ies)|restrictions?|validation)\b", re.IGNORECASE)
_OPERATIONS = re.compile(
    r"\b(operations?|features?|functions?|functional|use cases?|stories|capabilities|actions|api)\b", re.IGNORECASE
)
_NAMES = re.compile(r"field|attribute|property|column|name", re.IGNORECASE)
_ENTITIES = re.compile(r"entity|object|table|record|thing", re.IGNORECASE)


@dataclass
class _Reading:
    """A document while it is read: the headings above the block, what was found, and what it is known to declare."""

    headings: dict[int, str] = field(default_factory=dict)
    fields: dict[str, list[SourceParameter]] = field(default_factory=lambda: defaultdict(list))
    operations: dict[str, Named] = field(default_factory=dict)
    rules: dict[str, None] = field(default_factory=dict)
    title: str = ""
    overview: str = ""
    declared: Declared = field(default_factory=dict)

    def under(self, pattern: re.Pattern[str]) -> bool:
        """Return whether a heading above says what the pattern looks for."""
        return any(pattern.search(heading) for heading in self.headings.values())

    def thing(self) -> str:
        """Return the thing that the nearest heading names; "" for none."""
        return thing_of_heading(self.headings[max(self.headings)]) if self.headings else ""


def read_requirements(path: Path, bounds: Bounds, licence: str, name: str | None = None) -> Finding:
    """Return the theme of a requirements document, or why it gives none; UsageError for a file that cannot be read."""

    def refused(reason: RefusalReason, detail: str) -> Finding:
        return Finding([], [Refusal(name or path.name, path.name, reason, detail)])

    try:
        content = read_bounded(path, bounds.document_bytes)
        is_docx = path.suffix.lower() == ".docx" or content.startswith(b"PK\x03\x04")
        blocks = docx_blocks(content, bounds.document_bytes) if is_docx else markdown_blocks(_text(content))
    except TooLarge as error:
        return refused("too_large", str(error))
    except NoDocument as error:
        return refused("unreadable", str(error))
    # Things may be declared behind the operations that name them, so the document is read a second time.
    reading = _read(blocks, _read(blocks, {}).fields)
    if not reading.operations and not reading.fields:
        return refused("no_tools", f"none of {len(blocks)} blocks says what things there are or what can be done")
    evidence = evidence_of("requirements", path.name, content, licence)
    source = Described(
        title=name or reading.title or title_of(path.name.partition(".")[0]),
        overview=reading.overview,
        operations=list(reading.operations.values()),
        evidence=evidence,
        kind="requirements",
        rules=list(reading.rules)[:_MOST_RULES],
        fields={noun: found for noun, found in reading.fields.items() if found},
    )
    found = read_theme(source)
    return Finding([found]) if isinstance(found, Theme) else Finding([], [found])


def _read(blocks: Sequence[Block], declared: Declared) -> _Reading:
    reading = _Reading(declared={noun: fields for noun, fields in declared.items() if fields})
    for block in blocks:
        _read_block(reading, block)
    return reading


def _text(content: bytes) -> str:
    if b"\x00" in content[:4_096]:
        raise NoDocument("it is no text, and no docx file")
    return content.decode("utf-8-sig", "replace")


def _read_block(reading: _Reading, block: Block) -> None:
    if block.kind == "heading":
        reading.headings = {level: text for level, text in reading.headings.items() if level < block.level}
        if not reading.title:
            reading.title = plain_text(block.text, 80)
        else:
            reading.headings[block.level] = block.text
    elif block.kind == "table":
        _read_table(reading, block.rows)
    else:
        if block.kind == "paragraph" and not reading.overview:
            reading.overview = plain_text(block.text, 1_000)
        _read_prose(reading, block)


def _read_prose(reading: _Reading, block: Block) -> None:
    for sentence in sentences_of(block.text):
        if reading.under(_RULES) or is_rule(sentence):
            reading.rules.setdefault(rule_of(sentence))
            continue
        imperative = block.kind == "item" and reading.under(_OPERATIONS)
        operations = operations_in(sentence, imperative, reading.declared)
        for operation in operations:
            reading.operations.setdefault(operation.name, operation)
        if operations or imperative:
            continue
        described = things_in(sentence, block.lead)
        if described is not None:
            reading.fields[described[0]] += described[1]
        elif block.kind == "item" and (noun := reading.thing()) and not reading.under(_OPERATIONS):
            reading.fields[noun] += [found for found in (parameter_of(sentence),) if found.name]


def _read_table(reading: _Reading, rows: Sequence[Sequence[str]]) -> None:
    """Read a table of a thing's fields (a row a field), or of things with their fields (a row a thing)."""
    if len(rows) < 2:
        return
    head = [cell.lower() for cell in rows[0]]
    thing_at = next((at for at, cell in enumerate(head) if _ENTITIES.search(cell)), None)
    name_at = next((at for at, cell in enumerate(head) if _NAMES.search(cell) and at != thing_at), None)
    for row in rows[1:]:
        cells = dict(zip(head, row, strict=False))
        if thing_at is not None and name_at is not None and thing_at < len(row) and name_at < len(row):
            noun = declared_noun(words_of(row[thing_at]), explicit=True)
            found = [parameter_of(item) for item in split_list(row[name_at])]
        elif name_at is not None and name_at < len(row):
            noun = reading.thing()
            found = [_described_field(row[name_at], cells)]
        else:
            continue
        if noun:
            reading.fields[singular(noun)] += [one for one in found if one.name]


def _described_field(name: str, cells: dict[str, str]) -> SourceParameter:
    """Return a field by its row: a name, and a type, values or a description in other columns."""
    kind = next((text for head, text in cells.items() if "type" in head or "format" in head), "")
    values = next((text for head, text in cells.items() if "value" in head or "allowed" in head), "")
    said = next((text for head, text in cells.items() if "descr" in head or "note" in head or "meaning" in head), "")
    found = parameter_of(f"{name} ({values or kind})" if values or kind else name)
    return found.model_copy(update={"description": plain_text(said or found.description, 160)})
