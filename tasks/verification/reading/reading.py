"""Read a request's plan from its words and the tools' public schemas alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from schemas.plans import Plan
from tasks.verification.reading.chinese import names as chinese
from tasks.verification.reading.chinese.reader import read_chinese
from tasks.verification.reading.english import names as english
from tasks.verification.reading.english.reader import read_english
from tasks.verification.reading.errors import Unreadable
from tasks.verification.reading.tools import PublicTool
from tasks.verification.reading.vocabulary import Vocabulary


class Reader:
    """What one world's tools say, made out once for all requests of the world."""

    def __init__(self, tools: Sequence[PublicTool]) -> None:
        self.vocabulary = Vocabulary(tools)

    @cached_property
    def _english(self) -> english.Names:
        return english.Names(self.vocabulary)

    @cached_property
    def _chinese(self) -> chinese.Names:
        return chinese.Names(self.vocabulary)

    def read(self, request: str, language: str) -> Plan:
        """Return the plan that a request tells; raise Unreadable with what its words lack."""
        if language == "en":
            return read_english(request, self._english)
        if language == "zh":
            return read_chinese(request, self._chinese)
        raise Unreadable(f"no reader knows {language}")


def read(request: str, language: str, tools: Sequence[PublicTool]) -> Plan:
    """Return the plan that a request tells; raise Unreadable with what its words lack."""
    return Reader(tools).read(request, language)
