"""Training: what is trained how on which snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Trainer = Literal["trl"]
ProfileName = Literal["tiny", "paper"]


class TrainingOrder(BaseModel):
    """An order for a training. Equal orders on equal snapshots are one training."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    snapshot: str = Field(description="id or folder of the snapshot")
    trainer: Trainer = "trl"
    profile: ProfileName = "tiny"
    model: str | None = Field(None, description="model to begin with, a name or a folder; None: a tiny random one")
    parent_id: str | None = Field(None, description="policy that the model is, where it is one of ours")
    seed: int = Field(0, ge=0)
    shared: bool = Field(False, description="graph tasks are worth the share of their checks that hold")
    tasks: int | None = Field(None, ge=1, description="tasks, those with the fewest calls; None: the profile's")
    steps: int | None = Field(None, ge=1, description="steps by reward; None: the profile's")

    @property
    def changes(self) -> dict[str, Any]:
        """What is otherwise than in the profile."""
        return self.model_dump(include={"tasks", "steps", "shared"}, exclude_none=True, exclude_defaults=True)

    def arguments(self) -> list[str]:
        """Return the arguments of the trainer's program."""
        return [
            text for name, value in self._named() for text in (f"--{name}", *([] if value is True else [str(value)]))
        ]

    def _named(self) -> Iterator[tuple[str, Any]]:
        yield from (("profile", self.profile), ("seed", self.seed))
        for name in ("model", "tasks", "steps", "shared"):
            if value := getattr(self, name):
                yield name, value
