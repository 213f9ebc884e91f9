"""Reports: what the factory decided on something that a model proposed."""

from __future__ import annotations

from schemas.models import Contribution, ContributionKind
from tasks.authors.llm.model import Model


def report(model: Model, kind: ContributionKind, name: str, gate: str = "", detail: str = "") -> None:
    """Keep that what a model proposed was kept or, with a `gate`, that it was refused there; `detail` in one line why."""
    model.report(
        Contribution(
            role=model.role,
            subject=model.subject,
            kind=kind,
            name=name,
            outcome="refused" if gate else "kept",
            gate=gate,
            detail=detail,
        )
    )
