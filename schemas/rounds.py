"""Rounds: what complexification adds to an environment, how it is measured, and whether it is accepted."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

AdditionKind = Literal["related", "operations", "hierarchy", "links", "history", "documents", "policy"]


class Guideline(BaseModel):
    """What a round is steered by: from a diagnosis, or from a person. Empty lists leave the choice to the author."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    additions: tuple[AdditionKind, ...] = ()
    archetypes: tuple[str, ...] = ()
    tables: tuple[str, ...] = Field((), description="tables that the round should build on")
    reason: str = ""


class Measures(BaseModel):
    """Structure of one version of an environment. All counts; `formats` includes 'sqlite'."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    tables: int
    fk_depth: int = Field(description="references of the longest way from table to table")
    guarded_writes: int = Field(description="kept write tools that enforce more than that their rows exist")
    max_chain: int = Field(description="calls of the longest chain in which each takes an id that the one before found")
    formats: tuple[str, ...]
    tools: int
    simple_tools: int = Field(
        description="kept single-table create, read, update or delete tools without a precondition"
    )
    rich_tools: int = Field(description="kept tools that touch two or more tables or enforce a precondition")


class Round(BaseModel):
    """The verdict on one round: the parent's and the candidate's measures, and why it was refused (None: accepted)."""

    model_config = ConfigDict(extra="forbid")
    parent_id: str
    environment_id: str = Field("", description="the candidate's; empty when nothing was proposed")
    number: int = Field(ge=1)
    additions: list[str] = Field(
        description="one line for each thing added: 'operations: subscriptions over customers'"
    )
    before: Measures
    after: Measures | None = Field(None, description="None: no larger world was built, or it was not judged so far")
    refusal: str | None = None
    detail: str = ""
