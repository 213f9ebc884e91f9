"""Read a request's plan from its words and the tools' public schemas alone."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.plans import Plan
from tasks.verification.reading.english.reader import read_english
from tasks.verification.reading.errors import Unreadable
from tasks.verification.reading.tools import PublicTool
from tasks.verification.reading.vocabulary import Vocabulary


def read(request: str, language: str, tools: Sequence[PublicTool]) -> Plan:
    """Return the plan that a request tells; raise Unreadable with what its words lack."""
    if language != "en":
        raise Unreadable(f"no reader knows {language}")
    return read_english(request, Vocabulary(tools))
