"""What can go wrong between the host and a jailed worker."""

from __future__ import annotations

from typing import Literal

FaultCode = Literal["bad_request", "raised", "reply_too_large", "timed_out", "died", "bad_reply", "not_started"]
SURVIVABLE = frozenset({"bad_request", "raised", "reply_too_large"})
"""After these the worker lives on; after any other it is dead."""


class SandboxUnavailable(RuntimeError):
    """This machine cannot isolate a worker. The message says why and names the fix."""


class WorkerFault(Exception):
    """A request that a worker did not answer as it should.

    `bad_request` is the caller's fault (a payload that is not JSON), all others are the worker's.
    """

    def __init__(self, code: FaultCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
