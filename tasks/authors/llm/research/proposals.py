"""What a model fills in: the tables that research ends with, and what a round is to add."""

from __future__ import annotations

from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, create_model


class CitedTable(BaseModel):
    """A table of the topic, and where it was found."""

    model_config = ConfigDict(extra="forbid")
    table: str = Field(description="name of a gathered table, or path of a csv or json file in the workspace")
    sources: list[str] = Field(min_length=1, description="addresses of pages that its rows stand on")
    note: str = Field("", description="what a row of it is, in one sentence")


class Findings(BaseModel):
    """The tables of the topic; empty when none was found."""

    model_config = ConfigDict(extra="forbid")
    tables: list[CitedTable]


class RoundChoice(BaseModel):
    """What a round is to add, the most wanted first."""

    model_config = ConfigDict(extra="forbid")
    reason: str = Field(description="one sentence: what the world lacks")
    additions: list[str] = Field(description="kinds of additions, the most wanted first")
    archetypes: list[str] = Field([], description="operations to lay over a table")
    tables: list[str] = Field([], description="tables to build on")


@cache
def choice_among(additions: tuple[str, ...], archetypes: tuple[str, ...], tables: tuple[str, ...]) -> type[RoundChoice]:
    """Return the choice with closed lists: a model whose output is constrained cannot name anything else."""

    def listed(names: tuple[str, ...]) -> type:
        return list[Literal[names]] if names else list[str]  # type: ignore[valid-type,return-value]

    return create_model(
        "RoundChoice",
        __base__=RoundChoice,
        additions=(listed(additions), Field(min_length=1, max_length=4, description="kinds, the most wanted first")),
        archetypes=(listed(archetypes), Field([], max_length=2, description="operations to lay over a table")),
        tables=(listed(tables), Field([], max_length=3, description="tables to build on")),
    )
