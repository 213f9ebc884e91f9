"""Second levels by Ward clustering, as in the paper (section 3): a cluster of themes is named as a whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from tasks.taxonomy.names import Taxonomy

CLUSTERS = 50
DIMENSIONS = 100
FEWEST = 4
"""Themes from which clusters mean something; fewer are named one by one."""
OWN_SHARE = 0.5
"""What a theme's own likeness counts beside its cluster's."""


def second_levels(texts: Sequence[str], level1: Sequence[str], likeness: np.ndarray, taxonomy: Taxonomy) -> list[str]:
    """Return a second-level name under each text's first level.

    `likeness` is texts × second levels. Themes are clustered by Ward's method over their words; a theme
    takes the name that it and its cluster are most like, so that neighbours are called alike.
    """
    shared = likeness if len(texts) < FEWEST else _cluster_means(texts, likeness)
    mixed = OWN_SHARE * likeness + (1 - OWN_SHARE) * shared
    names = taxonomy.second_levels
    found = []
    for row, first in zip(mixed, level1, strict=True):
        able = [index for index, second in enumerate(names) if second.level1 == first]
        found.append(names[max(able, key=lambda index: (row[index], -index))].name)
    return found


def _cluster_means(texts: Sequence[str], likeness: np.ndarray) -> np.ndarray:
    """Return for each text the mean likeness of its cluster."""
    words = TfidfVectorizer(sublinear_tf=True, stop_words="english", max_features=20_000)
    dimensions = min(DIMENSIONS, len(texts) - 1)
    reduce = make_pipeline(words, TruncatedSVD(dimensions, random_state=0), Normalizer(copy=False))
    count = min(CLUSTERS, max(2, len(texts) // 2))
    labels = AgglomerativeClustering(n_clusters=count, linkage="ward").fit_predict(reduce.fit_transform(texts))
    means = np.stack([likeness[labels == label].mean(axis=0) for label in range(count)])
    return means[labels]
