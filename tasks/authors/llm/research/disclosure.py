"""Disclosure: whether a text that leaves the agent repeats what its prompt says."""

from __future__ import annotations

import re

STRETCH = 6
"""So many words of the prompt in a row are a quotation; fewer are chance."""
_WORD = re.compile(r"[^\W_]+")


def discloses(text: str, prompt: str) -> bool:
    """Return whether a text has a stretch of the prompt's words, whatever their case and what stands between them."""
    words = _words(text)
    said = f" {' '.join(_words(prompt))} "
    return any(f" {' '.join(words[start : start + STRETCH])} " in said for start in range(len(words) - STRETCH + 1))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
