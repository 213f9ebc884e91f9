"""A Chinese request in which each quoted text and each time is one character, so that marks inside cut nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["quote", "time"]

_FIRST = 0xE000
_PUT_AWAY = re.compile(r"“(?P<quote>[^”]*)”|(?P<date>\d{4}-\d\d-\d\d)(?:[ T](?P<clock>\d\d:\d\d(?::\d\d)?))?")


@dataclass(frozen=True)
class Text:
    """Words without spaces, and what was put away: the character for the n-th of it is the n-th private one."""

    plain: str
    away: tuple[tuple[Kind, str], ...]

    def value(self, at: int, kind: Kind) -> str | None:
        """Return the quoted text or the time that stands at a place."""
        if at >= len(self.plain) or not self.is_away(self.plain[at]):
            return None
        there, value = self.away[ord(self.plain[at]) - _FIRST]
        return value if there == kind else None

    def is_away(self, letter: str) -> bool:
        """Say whether a character stands for what was put away."""
        return 0 <= ord(letter) - _FIRST < len(self.away)

    def shown(self, start: int, end: int) -> str:
        """Return a part as it was written."""
        return "".join(self._shown(letter) for letter in self.plain[start:end])

    def _shown(self, letter: str) -> str:
        if not self.is_away(letter):
            return letter
        kind, value = self.away[ord(letter) - _FIRST]
        return f"“{value}”" if kind == "quote" else value


def put_away(request: str) -> Text:
    """Return a request with its quoted texts and times put away."""
    away: list[tuple[Kind, str]] = []

    def replace(found: re.Match[str]) -> str:
        away.append(("quote", found["quote"]) if found["quote"] is not None else ("time", _moment(found)))
        return chr(_FIRST + len(away) - 1)

    plain = _PUT_AWAY.sub(replace, request)
    return Text(re.sub(r"\n+", "\n", re.sub(r"[ \t]+", "", plain)), tuple(away))


def _moment(found: re.Match[str]) -> str:
    clock: Any = found["clock"]
    if clock is None:
        return found["date"]
    return f"{found['date']}T{clock if clock.count(':') == 2 else clock + ':00'}"
