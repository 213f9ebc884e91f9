"""Requests by the hash of all that their responses depend on, and the rows that their calls become."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from schemas.identity import canonical_json, content_id, sha256_text
from schemas.models import Mode, ModelCall, RefusalReason, Role
from tasks.authors.llm.client.door import Delivery
from tasks.authors.llm.client.spool import StoredReply
from tasks.authors.llm.client.structure import Sampling


@dataclass(frozen=True)
class Request:
    """What a role asks of a model."""

    run_id: str
    role: Role
    subject: str
    model: str
    mode: Mode
    body: dict[str, Any]
    sha: str


def request_of(run_id: str, role: Role, subject: str, sampling: Sampling, body: dict[str, Any]) -> Request:
    """Return a request, with the key under which its response is cached."""
    sha = key_of(sampling.mode, sampling.attempt, body)
    return Request(run_id, role, subject, sampling.model, sampling.mode, body, sha)


def key_of(*parts: Any) -> str:
    """Return the key of the cache for what a response depends on."""
    return sha256_text(canonical_json(parts))


def paid_call(request: Request, kept: StoredReply, refused: RefusalReason | None, cost: float | None) -> ModelCall:
    """Return the row of a response that was paid for: one row, whichever process comes to record it."""
    return _call(
        request,
        id=content_id("model_call", request.sha, kept.model_dump()),
        **_reading(kept, refused),
        attempts=kept.attempts,
        cached=False,
        tokens_in=kept.tokens_in,
        tokens_out=kept.tokens_out,
        cost=cost,
        latency_s=kept.latency_s,
    )


def cached_call(request: Request, kept: StoredReply, refused: RefusalReason | None) -> ModelCall:
    """Return the row of a response that was paid for before."""
    return _call(request, **_reading(kept, refused), attempts=0, cached=True, cost=0.0, latency_s=0.0)


def failed_call(request: Request, delivery: Delivery, latency_s: float) -> ModelCall:
    """Return the row of a request that no response came to."""
    reason, attempts = str(delivery.fault), delivery.attempts
    return _call(
        request, outcome="error", reason=reason, attempts=attempts, cached=False, cost=0.0, latency_s=latency_s
    )


def _reading(kept: StoredReply, refused: RefusalReason | None) -> dict[str, Any]:
    response = json.dumps(kept.message, ensure_ascii=False)
    return {"response": response, "outcome": "refused" if refused else "parsed", "reason": refused or ""}


def _call(request: Request, **values: Any) -> ModelCall:
    return ModelCall(
        **{
            "id": f"model_call_{uuid4().hex[:16]}",
            "run_id": request.run_id,
            "role": request.role,
            "subject": request.subject,
            "model": request.model,
            "mode": request.mode,
            "prompt_sha": request.sha,
            "request": request.body,
            "finished_at": time.time(),
            **values,
        }
    )
