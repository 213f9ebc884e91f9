"""A chain over the music store, and a proposal of a task with a program and a verifier over it."""

from __future__ import annotations

from typing import Any

from schemas.answers import AnswerField
from schemas.programs import NewList, Program
from schemas.tasks import TaskDraft
from tasks.authors.llm.writer.proposals import AnswerKey, FinalRequest, FirstRequest, ProposedField, ProposedTask
from tests.tasks.authors.rules.drafts.handwritten import at, call, each, first, keep, total

RULES_WORDING = "Of the four tracks with the highest duration: report the total file size."
GOOD = (
    "We are short of disk space. How much room do the four longest songs take up together? "
    "Please answer with JSON: “bytes_in_all” is the sum of their sizes in bytes."
)
FIRST = FirstRequest(request="How much room do our longest songs take up?")


def final(request: str = GOOD) -> FinalRequest:
    return FinalRequest(request=request, keys=[AnswerKey(name="bytes_in_all", holds="bytes of the four longest songs")])


def longest(count: int = 4, **changes: Any) -> TaskDraft:
    """The longest tracks, each looked up, as a draft of the rules."""
    body = (
        call("page", "top_tracks", measure="duration", count=count + 1),
        *first("rows", "page.items", count, "duration"),
        NewList(bind="sizes"),
        each("row", "rows", call("track", "get_track", track_id=at("row.track_id")), keep("sizes", "track.file_size")),
    )
    draft = TaskDraft(
        kind="programmatic",
        shape="planted",
        request=RULES_WORDING,
        answer_fields=[AnswerField(name="bytes_in_all", type="integer", description="total", unit="bytes")],
        program=Program(body=body, answer={"bytes_in_all": total("sizes")}),
    )
    return draft.model_copy(update=changes)


READING = """
def solve(call):
    page = call("top_tracks", measure="duration", count=9)
    _require_distinct([item["duration"] for item in page["items"][:9]])
    sizes = []
    for row in page["items"][:8]:
        track = call("get_track", track_id=row["track_id"])
        sizes.append(track["file_size"])
    return {"bytes_in_all": sum(sizes)}
"""
VERIFYING = """
def verify(answer, before, after):
    tracks = sorted(before["tracks"], key=lambda row: -row["duration"])[:8]
    return answer == {"bytes_in_all": sum(row["file_size"] for row in tracks)} and before == after
"""
WRITING = """
def solve(call):
    page = call("search_purchase_orders", status="draft", sort_by="created_at", limit=5)
    _require_distinct([item["created_at"] for item in page["items"][:5]])
    approved = 0
    left = []
    for row in page["items"][:4]:
        order = call("get_purchase_order", order_id=row["order_id"])
        stock = call("get_stock_level", album_id=order["album_id"])
        if stock["unit_cost"] > 0:
            call("approve_purchase_order", order_id=row["order_id"])
            approved += order["quantity"]
    return {"copies_in_all": approved}
"""
WRITING_VERIFIER = """
def verify(answer, before, after):
    drafts = sorted((row for row in before["purchase_orders"] if row["status"] == "draft"), key=lambda row: row["created_at"])
    ids = {row["order_id"] for row in drafts[:4]}
    done = [row for row in after["purchase_orders"] if row["order_id"] in ids and row["status"] == "approved"]
    return len(done) == 4 and answer == {"copies_in_all": sum(row["quantity"] for row in done)}
"""


def proposed(**changes: Any) -> ProposedTask:
    """A task that is accepted."""
    made = ProposedTask(
        request=GOOD.replace("four", "eight"),
        answer_fields=[ProposedField(name="bytes_in_all", type="integer", holds="bytes of the songs", unit="bytes")],
        solution=READING,
        verifier=VERIFYING,
    )
    return made.model_copy(update=changes)


def proposed_change(**changes: Any) -> ProposedTask:
    """A task that changes records and is accepted."""
    made = ProposedTask(
        request=(
            "The buyer is back on Monday. Would you see to it that the four oldest orders that are still a “draft” are "
            "approved, as long as the album costs anything? As JSON I need “copies_in_all”, the copies in them."
        ),
        answer_fields=[ProposedField(name="copies_in_all", type="integer", holds="copies in the approved orders")],
        solution=WRITING,
        verifier=WRITING_VERIFIER,
    )
    return made.model_copy(update=changes)
