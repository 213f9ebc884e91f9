"""The door to wording: a plan in, a request in a language out."""

from __future__ import annotations

import random
from importlib import import_module

from schemas.plans import Plan
from tasks.authors.rules.wording.vocabulary import Vocabulary
from tasks.authors.rules.wording.worded import NoWords, Worded

LANGUAGES = {"en": "english", "zh": "chinese"}
"""Codes of languages, and the packages here that word plans in them: each has `request.word(plan, vocabulary, rng)`."""


def word(plan: Plan, vocabulary: Vocabulary, language: str, rng: random.Random) -> Worded:
    """Word a plan in a language. Raises NoWords where the language has none for something in the plan."""
    if language not in LANGUAGES:
        raise NoWords(f"no language {language}: there are {', '.join(sorted(LANGUAGES))}")
    worded: Worded = import_module(f"{__package__}.{LANGUAGES[language]}.request").word(plan, vocabulary, rng)
    return worded
