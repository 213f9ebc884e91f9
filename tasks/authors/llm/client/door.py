"""What goes through the door to an endpoint: a request as a dictionary, and back a reply or a fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

FaultKind = Literal["unreachable", "server", "busy", "too_long", "final"]
"""unreachable: no or no whole answer; server: 5xx; busy: asked to come later; too_long: the conversation is longer than
the model's context; final: the request itself is refused."""


class Fault(Exception):
    """No usable reply arrived. `parameter` is the one that the endpoint objects to, where it names one."""

    def __init__(
        self,
        kind: FaultKind,
        message: str,
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
        parameter: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind, self.status, self.retry_after_s, self.parameter = kind, status, retry_after_s, parameter

    @property
    def passing(self) -> bool:
        """Whether the same request may succeed later."""
        return self.kind in ("unreachable", "server", "busy")


@dataclass(frozen=True)
class Reply:
    """What a model answered: its raw message. `finish_reason` is "too_long" when the body was, and was not read."""

    message: dict[str, Any]
    finish_reason: str | None
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True)
class Delivery:
    """What became of a request: a reply, or the last fault. `attempts` is how often it was sent."""

    reply: Reply | None
    fault: Fault | None
    attempts: int


class Door(Protocol):
    """Whatever requests are sent through: an endpoint, or a courier that sends them again."""

    def complete(self, body: dict[str, Any]) -> Reply:
        """Send one request for a chat completion. Raises Fault."""
        ...

    def models(self) -> list[dict[str, Any]]:
        """Return what the endpoint lists of its models. Raises Fault."""
        ...
