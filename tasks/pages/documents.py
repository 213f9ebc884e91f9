"""The files of a workspace: in an environment's page one line each, and a page for one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from schemas.documents import Document, Fact
from tasks.pages.markdown import bounded, bullets, code, codes, fence, page, plural, size, table, text

MOST_DOCUMENTS = 40
MOST_WORDS = 4
"""Kinds of fact, or rules, that are told of one document."""
LONGEST_ABOUT = 300


def documents_section(documents: Sequence[Document], theme: str) -> str:
    """Return one line a document: title, format, size, path, what it is about and what it holds."""
    if not documents:
        return "None."
    told = [_line(document) for document in documents[:MOST_DOCUMENTS]]
    more = [f"… and {len(documents) - MOST_DOCUMENTS} more"] if len(documents) > MOST_DOCUMENTS else []
    return page(bullets([*told, *more]), f"Read one: {code(f'factory show {theme}.PATH')}.")


def document_page(document: Document, theme: str) -> str:
    """Return the page of one document: what is known of it, the facts it holds, and its text."""
    rows = [
        ("file", code(document.path)),
        ("theme", code(theme)),
        ("format", f"{code(document.format)}, {_size(document)}"),
        ("origin", "a file of the source" if document.origin == "mined" else "written by a round"),
        ("editable", "yes" if document.editable else "no"),
        ("rows of", codes(document.tables, most=12) or "no table"),
    ]
    return page(
        f"# {text(document.title)}",
        text(document.about, LONGEST_ABOUT),
        table(("what", "value"), rows),
        f"## Facts ({len(document.facts)})",
        _facts(document.facts),
        "## Text",
        fence(document.text, document.format),
    )


def _line(document: Document) -> str:
    kinds = f"{document.format}, {_size(document)}, {'editable' if document.editable else 'read only'}"
    about = text(document.about, LONGEST_ABOUT).rstrip(".")
    return f"**{text(document.title)}** ({kinds}, {code(document.path)}). {about}. {_holds(document.facts)}"


def _size(document: Document) -> str:
    return size(len(document.text.encode()))


def _holds(facts: Sequence[Fact]) -> str:
    """Tell the rules with their limits, or else how often each kind of fact occurs."""
    rules = [f"{text(fact.words)} ({_value(fact)})" for fact in facts if fact.rule]
    if rules:
        return f"{plural(len(rules), 'rule')}: {_joined(rules)}."
    kinds = Counter(fact.words for fact in facts)
    told = [text(words) if number == 1 else f"{text(words)} ({number})" for words, number in kinds.items()]
    return f"{plural(len(facts), 'fact')}: {_joined(told)}." if facts else "No facts."


def _joined(told: Sequence[str]) -> str:
    more = [f"and {len(told) - MOST_WORDS} more"] if len(told) > MOST_WORDS else []
    return "; ".join([*told[:MOST_WORDS], *more])


def _facts(facts: Sequence[Fact]) -> str:
    if not facts:
        return "None."
    rows = [
        (text(fact.words) + (" (rule)" if fact.rule else ""), _value(fact), text(_subject(fact)), text(fact.place))
        for fact in facts
    ]
    return bounded(("what", "value", "of", "where"), rows)


def _value(fact: Fact) -> str:
    return " ".join(part for part in (text(fact.value), text(fact.unit)) if part)


def _subject(fact: Fact) -> str:
    if fact.subject is None:
        return ".".join(fact.column) if fact.column else "the whole world"
    return f"{fact.subject[0].replace('_', ' ')}: {fact.subject[1]}"
