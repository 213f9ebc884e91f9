"""Placement of themes: all three levels, with confidence and runner-up."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.taxonomy import Classification
from schemas.themes import Theme
from tasks.taxonomy.classifier import Classifier
from tasks.taxonomy.clusters import second_levels
from tasks.taxonomy.names import Example, Taxonomy
from tasks.taxonomy.texts import theme_text


def place_themes(themes: Sequence[Theme], taxonomy: Taxonomy, examples: Sequence[Example] = ()) -> list[Classification]:
    """Return the place of every theme, in their order; `examples` are texts whose first level people told."""
    if not themes:
        return []
    texts = [theme_text(theme) for theme in themes]
    classifier = Classifier(taxonomy, examples)
    places = classifier.classify(texts)
    names = second_levels(texts, [place.level1 for place in places], classifier.likeness(texts), taxonomy)
    return [
        Classification(
            theme_name=theme.name,
            level1=place.level1,
            level2=second,
            level3=theme.title,
            confidence=place.confidence,
            runner_up=place.runner_up,
        )
        for theme, place, second in zip(themes, places, names, strict=True)
    ]
