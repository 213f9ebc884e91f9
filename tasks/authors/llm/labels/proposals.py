"""What a model fills in about a document: its topic, and its class."""

from __future__ import annotations

from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

_LEVEL2 = "one of the classes, exactly as listed"


class NamedThing(BaseModel):
    """A kind of thing that some operations are about."""

    model_config = ConfigDict(extra="forbid")
    thing: str = Field(
        min_length=2, max_length=40, description="one thing, in the singular, in the document's own words"
    )
    operations: list[str] = Field(min_length=1, max_length=20, description="names of operations, exactly as listed")


class ThemeDraft(BaseModel):
    """What the operations of a document are for."""

    model_config = ConfigDict(extra="forbid")
    title: str = Field(min_length=3, max_length=80, description="the topic in two to six words")
    description: str = Field(min_length=10, max_length=400, description="one or two sentences: what one can do with it")
    things: list[NamedThing] = Field(
        default_factory=list, max_length=8, description="what the operations marked (about nothing yet) are about"
    )


class ProposedClass(BaseModel):
    """A class, and the words of the theme that speak for it."""

    model_config = ConfigDict(extra="forbid")
    quote: str = Field(min_length=3, max_length=200, description="words copied from the theme that show it")
    level2: str = Field(description=_LEVEL2)


@cache
def choice_among(names: tuple[str, ...]) -> type[ProposedClass]:
    """Return the schema of a choice among `names` and nothing else."""
    return create_model("ProposedClass", __base__=ProposedClass, level2=(Literal[names], Field(description=_LEVEL2)))
