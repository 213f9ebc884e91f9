"""Diagnoses: why attempts failed, what that says of a policy, and what is to be built against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from schemas.diagnoses import Failure, Finding, Findings, TaskGuideline
from schemas.identity import content_id
from warehouse.loading import parsed
from warehouse.saving import Batch, new_batch
from warehouse.stamp import Row, Stamp
from warehouse.store import Reader, Warehouse


def save_findings(
    wh: Warehouse,
    findings: Findings,
    failures: Sequence[Failure],
    guidelines: Sequence[TaskGuideline],
    stamp: Stamp,
    round: int,
) -> str:
    """Store a diagnosis of a policy in a round with the failures it stands on and its guidelines; return the batch's id.

    The diagnosis that was stored last counts, an older one that comes out again too.
    """
    rows = {guideline_id(one): one for one in guidelines}
    evidence = [findings.model_dump(mode="json"), [one.model_dump(mode="json") for one in failures]]
    kept = [("guideline", row_id) for row_id in rows]
    batch = new_batch("diagnose", f"{findings.policy_id}/{round}", kept, [], stamp, evidence)
    place = {"batch_id": batch.id, "policy_id": findings.policy_id, "round": round}
    wh.merge(
        {
            "findings": _finding_rows(findings, place, stamp),
            "diagnoses": _environment_rows(findings, place, stamp),
            "failures": [
                stamp.mark(content_id("failure", batch.id, one.rollout_id), batch_id=batch.id, **one.model_dump())
                for one in failures
            ],
            "guidelines": [
                stamp.mark(row_id, author=stamp.author or "rules", **one.model_dump(mode="json"))
                for row_id, one in rows.items()
            ],
            **batch.tables,
            "batch_uses": [_use_row(batch, stamp)],
        }
    )
    return batch.id


def save_claims(wh: Warehouse, policy_id: str, round: int, claims: Sequence[Mapping[str, Any]], stamp: Stamp) -> str:
    """Store what a model claims of a policy in a round and the warehouse bears out, beside the rules' diagnosis.

    A claim has `environment_id`, the environment's `rank` and `pass_rate`, and what it states with its evidence; those of
    one environment follow each other. Returns the batch's id.
    """
    batch = new_batch("diagnose", f"{policy_id}/{round}/llm", [], [], stamp, [dict(claim) for claim in claims])
    about = ("environment_id", "rank", "pass_rate")
    rows = []
    for environment_id, group in groupby(claims, key=lambda claim: str(claim["environment_id"])):
        found = list(group)
        rows.append(
            stamp.mark(
                content_id("diagnosis", batch.id, environment_id),
                author="llm",
                batch_id=batch.id,
                policy_id=policy_id,
                round=round,
                causes=[{name: value for name, value in claim.items() if name not in about} for claim in found],
                **{name: found[0][name] for name in about},
            )
        )
    wh.merge({"diagnoses": rows, **batch.tables, "batch_uses": [_use_row(batch, stamp)]})
    return batch.id


def load_guidelines(reader: Reader, policy_id: str, round: int) -> list[TaskGuideline]:
    """Return the guidelines of the latest diagnosis of a policy in a round, in their order."""
    rows = reader.rows("stored_guidelines", policy=policy_id, round=round)
    return [TaskGuideline.model_validate(parsed(row, "growth")) for row in rows]


def guideline_id(guideline: TaskGuideline) -> str:
    """Return the id of a guideline, which follows from what it says."""
    return content_id("guideline", guideline.model_dump(mode="json"))


def _use_row(batch: Batch, stamp: Stamp) -> Row:
    return stamp.mark(content_id("use", stamp.run_id, batch.id), batch_id=batch.id)


def _finding_rows(findings: Findings, place: Row, stamp: Stamp) -> list[Row]:
    groups: dict[str, Sequence[Finding]] = {"cause": findings.causes, "tool": findings.tools}
    return [
        stamp.mark(
            content_id("finding", place["batch_id"], kind, position),
            **place,
            control_id=findings.control_id,
            kind=kind,
            position=position,
            **finding.model_dump(),
        )
        for kind, group in groups.items()
        for position, finding in enumerate(group)
    ]


def _environment_rows(findings: Findings, place: Row, stamp: Stamp) -> list[Row]:
    return [
        stamp.mark(
            content_id("diagnosis", place["batch_id"], weak.environment_id),
            **place,
            author="rules",
            control_id=findings.control_id,
            pass_rate=1 - weak.failures / weak.attempts,
            **weak.model_dump(include={"environment_id", "rank", "attempts", "failures", "causes"}),
            **weak.finding.model_dump(include={"expected", "p_value", "named"}),
        )
        for weak in findings.environments
    ]
