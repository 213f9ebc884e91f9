"""Support: whether what a model writes about a document is said in the document."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from schemas.themes import SourceOperation, Theme
from tasks.taxonomy.texts import theme_text
from tasks.themes.lexicon import DETERMINERS, GENERIC, PREPOSITIONS, base_of, singular, words_of

_LAST_LATIN = "\u024f"
"""Last of the letters that the lexicon spells in ASCII."""
_MOST_UNSAID = 0.5
"""Share of a text's words that a document need not say: a title may name what the tools have in common."""


def content_words(text: str) -> list[str]:
    """Return the words of a text that say something, in order: no prepositions, determiners and general words."""
    return [word for word in _words(text) if word not in PREPOSITIONS | DETERMINERS | GENERIC and not word.isdigit()]


def said_in(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of some texts in their base forms."""
    return frozenset(form for text in texts for word in _words(text) for form in _forms(word))


def theme_words(theme: Theme) -> frozenset[str]:
    """Return the words of all that a theme's source says."""
    return said_in(
        (theme.title, theme.description, *(text for one in theme.operations for text in operation_texts(one)))
    )


def operation_texts(operation: SourceOperation) -> list[str]:
    """Return what a source says of an operation: its name, description, parameters, and what these say."""
    parameters = (text for one in operation.parameters for text in (one.name, one.description, *one.choices))
    return [operation.name, operation.description, *parameters]


def unsaid(text: str, said: Collection[str]) -> list[str]:
    """Return the content words of a text that are not among the words `said`, in order."""
    return [word for word in content_words(text) if not any(form in said for form in _forms(word))]


def is_supported(text: str, said: Collection[str]) -> bool:
    """Return whether a text says something, and at least half of its content words are said."""
    words = content_words(text)
    return bool(words) and len(unsaid(text, said)) <= _MOST_UNSAID * len(words)


def is_quoted(quote: str, theme: Theme) -> bool:
    """Return whether a quote says something and stands in a theme's text, whatever its spaces and capitals."""
    return bool(content_words(quote)) and _flat(quote) in _flat(theme_text(theme))


def _words(text: str) -> list[str]:
    """Return the words of a text in any script; beyond Latin letters each letter is one."""
    return [*words_of(text), *(letter for letter in text if letter > _LAST_LATIN and letter.isalpha())]


def _forms(word: str) -> tuple[str, str]:
    return singular(word), base_of(word)


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().lower()
