"""Review requests about any records: reviewers with a field of expertise, and requests to check or mend a record.

requested → assigned → done; requests that wait or are assigned can be withdrawn, done and
withdrawn ones reopened. This suits whatever data there is: every record can be wrong.
"""

from __future__ import annotations

from schemas.profiles import WorldProfile
from tasks.authors.rules.overlays.casework import ActionText, Cases, Casework, Workers
from tasks.authors.rules.overlays.hosts import mined_tables, rated, tells
from tasks.authors.rules.overlays.vocabulary import review_subjects, reviewer_names

REVIEWERS_A_FIELD = 3

REVIEWS = Casework(
    name="review_requests",
    cases=Cases(
        table="review_requests",
        singular="review request",
        plural="review requests",
        key="request_id",
        key_words="request number",
        moment="requested_at",
        moment_words="request time",
        waiting="requested",
        done="done",
        withdrawn="withdrawn",
    ),
    workers=Workers(
        table="reviewers",
        singular="reviewer",
        plural="reviewers",
        key="reviewer_id",
        key_words="reviewer number",
        name="reviewer_name",
        name_words="reviewer name",
        field="expertise",
        field_words="field of expertise",
        pronoun="they",
        figures=("in_hand", "capacity_left"),
        limit="assignment_limit",
        limit_words="assignment limit",
    ),
    full="reviewer_full",
    texts={
        "view": ActionText(
            "get_reviewer_workload",
            "Tell how many review requests a reviewer can have assigned at a time, how many they have, and how many "
            "more they can take.",
        ),
        "open": ActionText(
            "request_review",
            "Request a review of the record of a {host}.",
            requests=(
                "file a review request “{subject}” about {host} with {priority} priority",
                "request a review of {host}: “{subject}”, {priority} priority",
            ),
        ),
        "assign": ActionText(
            "assign_review_request",
            "Assign a waiting review request to a reviewer, or an assigned one to another reviewer. Refused when the "
            "reviewer has all they can take.",
            requests=("assign {row} to {worker}", "hand {row} over to {worker}"),
        ),
        "resolve": ActionText(
            "complete_review_request", "Mark an assigned review request as done.", requests=("mark {row} as done",)
        ),
        "reopen": ActionText(
            "reopen_review_request",
            "Reopen a review request that is done or withdrawn; no reviewer is assigned to it then.",
            requests=("reopen {row}",),
        ),
        "cancel": ActionText(
            "withdraw_review_request",
            "Withdraw a review request that is waiting or assigned.",
            requests=("withdraw {row}",),
        ),
        "set_priority": ActionText(
            "set_review_priority",
            "Change the priority of a review request that is waiting or assigned.",
            requests=("set {row} to {priority} priority",),
        ),
    },
    arguments={
        "host": "The {host} whose record is to be reviewed.",
        "subject": "What is to be checked or mended, and for whom.",
        "priority": "Priority of the review request.",
        "worker": "The reviewer to assign.",
    },
    figures=(
        ("review requests assigned to the reviewer and not done", "review requests in hand"),
        ("review requests that the reviewer can still take", "review requests that can still be taken"),
    ),
    vocabulary="review_subjects",
    draw_workers=lambda rng: reviewer_names(rng, REVIEWERS_A_FIELD),
    draw_subjects=review_subjects,
)


def _hosts(profile: WorldProfile) -> list[tuple[str, float]]:
    """Return all tables, those that tell most first; small ones where all are."""
    tables = mined_tables(profile) or mined_tables(profile, fewest=1)
    most = max((tells(profile, table) for table in tables), default=0) or 1.0
    return rated(profile, tables, lambda table: tells(profile, table) / most)


REVIEW_REQUESTS = REVIEWS.archetype(_hosts)
