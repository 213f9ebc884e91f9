"""The classifier of first levels: linear, over words and parts of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_union
from sklearn.svm import LinearSVC

from tasks.taxonomy.names import Example, Taxonomy

REGULARITY = 0.3
SHARPNESS = 7.0
"""Factor from margins to probabilities: with it the mean confidence on labelled servers is about their accuracy."""


@dataclass(frozen=True)
class Place:
    """First level of a text, how sure that is (0 to 1), and the second likeliest."""

    level1: str
    confidence: float
    runner_up: str


class Classifier:
    """Learns from the taxonomy's words and from `examples`; equal input gives equal places."""

    def __init__(self, taxonomy: Taxonomy, examples: Sequence[Example] = ()) -> None:
        self._seeds = [second.text for second in taxonomy.second_levels]
        texts = [*(example.text for example in examples), *self._seeds]
        levels = [*(example.level1 for example in examples), *(second.level1 for second in taxonomy.second_levels)]
        self._words = make_union(
            TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, stop_words="english"),
            TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4), sublinear_tf=True),
        ).fit(texts)
        self._likeness = TfidfVectorizer(sublinear_tf=True, stop_words="english").fit(texts)
        self._model = LinearSVC(C=REGULARITY, class_weight="balanced", random_state=0)
        self._model.fit(self._words.transform(texts), levels)

    @cached_property
    def _seed_words(self) -> Any:
        return self._likeness.transform(self._seeds)

    def likeness(self, texts: Sequence[str]) -> np.ndarray:
        """Return how much each text is like each second level's words: texts × second levels, 0 to 1."""
        return np.asarray((self._likeness.transform(texts) @ self._seed_words.T).todense())

    def classify(self, texts: Sequence[str]) -> list[Place]:
        """Return the place of each text."""
        if not texts:
            return []
        margins = self._model.decision_function(self._words.transform(texts))
        chances = softmax(SHARPNESS * margins, axis=1)
        names = self._model.classes_
        places = []
        for row in chances:
            second, first = np.argsort(row, kind="stable")[-2:]
            places.append(Place(str(names[first]), round(float(row[first]), 4), str(names[second])))
        return places
