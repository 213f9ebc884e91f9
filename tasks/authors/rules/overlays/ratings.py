"""Ratings of things by people: one to five stars, one rating a person and thing, and what moderators do about them.

published → reported → hidden or published again. Every thing has a score, kept with each change: how many ratings
count and how many stars they give together. A rating is hidden once two people have reported it.
"""

from __future__ import annotations

from random import Random
from typing import Any

import polars as pl

from schemas.environments import Overlay
from schemas.operations import Action, Change, Value, View
from schemas.profiles import TableProfile, WorldProfile
from tasks.authors.rules.overlays import clauses
from tasks.authors.rules.overlays.actions import (
    cell,
    create,
    delete,
    find,
    fixed,
    free_text,
    given,
    key_argument,
    minus,
    no_rows_of,
    now,
    number_of,
    plus,
    transition,
    update,
    whole_number,
)
from tasks.authors.rules.overlays.affordances import rank
from tasks.authors.rules.overlays.archetype import Archetype
from tasks.authors.rules.overlays.clauses import must_be, require, set_to
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.draws import vocabulary
from tasks.authors.rules.overlays.names import host_column_name
from tasks.authors.rules.overlays.parts import Part, overlay_of, part
from tasks.authors.rules.overlays.popularity import Popularity
from tasks.authors.rules.overlays.profiles import Row, host_column
from tasks.authors.rules.overlays.vocabulary import person_names

STATUSES = ("published", "reported", "hidden")
STANDINGS = ("trusted", "barred")
COUNTED = ("published", "reported")
RATERS = 150
SEEDED_RATINGS = 340
MOST_EDITS = 2
REPORTS_TO_HIDE = 2
STARS = cell("rating", "stars")
FITS = {
    **{"work": 0.85, "goods": 0.85, "place": 0.7, "territory": 0.4, "organisation": 0.6, "thing": 0.45, "vehicle": 0.5},
    **{"living": 0.3, "equipment": 0.5},
}
OWN_NAMES = {
    *("rater", "rater_id", "rater_name", "status", "score", "rating_count", "star_total", "rating", "rating_id"),
    *("stars", "comment", "edits", "rated_at", "rating_report", "report_id", "reason", "reported_at"),
}


def _propose(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int, start: str) -> Overlay:
    """Return scores of `host`, raters, ratings and reports of them, simulated with `seed`."""
    table = profile.table(host)
    rng = Random(f"ratings:{host}:{seed}")
    key = host_column_name(table, OWN_NAMES)
    popular = Popularity(rng, profile, frames, host)
    names = person_names(rng, RATERS)
    raters = [{"rater_name": name, "status": rng.choices(STANDINGS, (92, 8))[0]} for name in names]
    ratings = _ratings(rng, key, popular, start)
    reports = _reports(rng, ratings, start)
    parts = _parts(
        table, key, _scores(key, popular.listed, ratings), clauses.numbered("rater_id", raters), ratings, reports
    )
    score, rater, rating, report = (each.table for each in parts)
    actions = (
        _rate(table.singular, key, score, rater, rating),
        _edit(key, rating),
        _report(rater, rating, report),
        *_moderation(key, rating),
        _delete(key, rating),
        *_standing(rater),
    )
    return overlay_of("ratings", table, key, parts, (_score_view(table, key), _rater_view()), actions)


def _ratings(rng: Random, key: str, popular: Popularity, start: str) -> list[Row]:
    """Simulate ratings: every thing has a quality around which its stars lie, and busy raters rate many."""
    quality = {value: rng.choice((2, 3, 3, 4, 4, 4, 5)) for value in popular.keys}
    rated: set[tuple[int, Any]] = set()
    rows: list[Row] = []
    while len(rows) < min(SEEDED_RATINGS, 40 * len(quality)):
        rater, value = rng.randint(1, rng.choice((30, RATERS))), popular.draw(rng)
        if (rater, value) in rated:
            continue
        rated.add((rater, value))
        stars = min(5, max(1, quality[value] + rng.choice((-2, -1, -1, 0, 0, 0, 1, 1))))
        status = rng.choices(STATUSES, (80, 13, 7))[0]
        edits = rng.choices((0, 1, MOST_EDITS), (75, 15, 10))[0]
        comment = rng.choice(vocabulary("comments"))
        rows.append(
            {"rater_id": rater, key: value, "stars": stars, "comment": comment, "status": status, "edits": edits}
        )
    moments = moments_before(start, 300, [rng.random() for _ in rows])
    return clauses.numbered("rating_id", [{**row, "rated_at": at} for row, at in zip(rows, moments, strict=True)])


def _reports(rng: Random, ratings: list[Row], start: str) -> list[Row]:
    """Simulate reports: one or two of a reported rating, at least two of a hidden one, never by its own author."""
    rows = []
    for rating in ratings:
        wanted = {"reported": rng.choice((1, 1, 2, 3)), "hidden": rng.choice((2, 3))}.get(rating["status"], 0)
        wanted = wanted or int(rng.random() < 0.06)
        others = [rater for rater in range(1, RATERS + 1) if rater != rating["rater_id"]]
        for rater in rng.sample(others, wanted):
            reason = rng.choice(vocabulary("report_reasons"))
            rows.append({"rating_id": rating["rating_id"], "rater_id": rater, "reason": reason})
    moments = moments_before(start, 60, [rng.random() for _ in rows])
    return clauses.numbered("report_id", [{**row, "reported_at": at} for row, at in zip(rows, moments, strict=True)])


def _scores(key: str, values: list[Any], ratings: list[Row]) -> list[Row]:
    """Count what is not hidden."""
    scores = {value: {key: value, "rating_count": 0, "star_total": 0} for value in values}
    for rating in ratings:
        if rating["status"] in COUNTED:
            scores[rating[key]]["rating_count"] += 1
            scores[rating[key]]["star_total"] += rating["stars"]
    return list(scores.values())


def _parts(
    host: TableProfile, key: str, scores: list[Row], raters: list[Row], ratings: list[Row], reports: list[Row]
) -> list[Part]:
    counted = [
        host_column(host, "key", key),
        clauses.count("rating_count", "number of ratings", "ratings"),
        clauses.count("star_total", "total of stars", "stars"),
    ]
    named = [
        clauses.key("rater_id", "rater number"),
        clauses.label("rater_name", "rater name"),
        clauses.category("status", "standing", STANDINGS),
    ]
    rated = [
        clauses.key("rating_id", "rating number"),
        clauses.refers("rater_id", "rater number"),
        host_column(host, "reference", key),
        clauses.count("stars", "stars given", "stars"),
        clauses.text("comment", "comment"),
        clauses.category("status", "rating status", STATUSES),
        clauses.count("edits", "times edited", "edits"),
        clauses.moment("rated_at", "time of rating"),
    ]
    reported = [
        clauses.key("report_id", "report number"),
        clauses.refers("rating_id", "rating number"),
        clauses.refers("rater_id", "rater number"),
        clauses.text("reason", "reason for reporting"),
        clauses.moment("reported_at", "time of reporting"),
    ]
    names = ("scores", "score", "scores")
    within = "star_total BETWEEN rating_count AND 5 * rating_count"
    score = part(names, counted, scores, refers={key: host}, checks=(within,), opaque=host.key_is_opaque)
    rater = part(("raters", "rater", "raters"), named, raters, label="rater_name")
    names = ("ratings", "rating", "ratings")
    checks = ("stars BETWEEN 1 AND 5", f"edits BETWEEN 0 AND {MOST_EDITS}", "length(comment) BETWEEN 1 AND 200")
    rating = part(names, rated, ratings, refers={"rater_id": rater.table, key: host}, checks=checks)
    names = ("rating_reports", "rating report", "rating reports")
    references = {"rating_id": rating.table, "rater_id": rater.table}
    return [score, rater, rating, part(names, reported, reports, refers=references)]


def _score_view(host: TableProfile, key: str) -> View:
    about = {key: cell("row", key)}
    return View(
        name="get_score",
        table="scores",
        description=f"Tell how a {host.singular} is rated: ratings and stars that count, and how many are disputed or perfect.",
        figures=(
            clauses.figure(
                "disputed", number_of("ratings", {**about, "status": ("reported", "hidden")}), "disputed ratings"
            ),
            clauses.figure(
                "perfect", number_of("ratings", {**about, "stars": fixed(5), "status": COUNTED}), "five-star ratings"
            ),
        ),
    )


def _rater_view() -> View:
    mine = {"rater_id": cell("row", "rater_id")}
    return View(
        name="get_rater_record",
        table="raters",
        description="Tell a rater's standing, how many ratings they gave, how many were hidden, and how many they reported.",
        figures=(
            clauses.figure("ratings_given", number_of("ratings", mine), "ratings given"),
            clauses.figure("ratings_hidden", number_of("ratings", {**mine, "status": ("hidden",)}), "ratings hidden"),
            clauses.figure("reports_made", number_of("rating_reports", mine), "ratings reported"),
        ),
    )


def _rescored(ratings: int, stars: Value) -> Change:
    """Count so many more ratings and stars for the thing whose score was found."""
    count = plus(cell("score", "rating_count"), fixed(ratings))
    return set_to("score", rating_count=count, star_total=plus(cell("score", "star_total"), stars))


def _rate(noun: str, key: str, score: TableProfile, rater: TableProfile, rating: TableProfile) -> Action:
    return create(
        "rate",
        rating,
        f"Publish somebody's rating of a {noun}. Refused to barred raters, and when they have rated it before.",
        arguments=(
            key_argument(rater, "Who rates."),
            key_argument(score, f"The {noun} that is rated.", key),
            whole_number("stars", "One star to five.", most=5),
            free_text("comment", "What they say about it.", 200, "comments"),
        ),
        finds=(find("rater", "raters", given("rater_id")), find("score", "scores", given(key))),
        guards=(
            must_be(rater, ("trusted",), "rater_barred", so="they cannot rate"),
            no_rows_of(
                "ratings",
                {"rater_id": given("rater_id"), key: given(key)},
                "already_rated",
                "They have given {0} rating of it; edit that one.",
            ),
        ),
        values={
            "rater_id": given("rater_id"),
            key: given(key),
            "stars": given("stars"),
            "comment": given("comment"),
            "status": fixed("published"),
            "edits": fixed(0),
            "rated_at": now(),
        },
        after=(_rescored(1, given("stars")),),
        requests=(
            f"publish a rating of {{{key}}} by {{rater_id}}: {{stars}} of five stars, “{{comment}}”",
            f"let {{rater_id}} rate {{{key}}} at {{stars}} of five stars with the comment “{{comment}}”",
        ),
    )


def _edit(key: str, rating: TableProfile) -> Action:
    return update(
        "edit_rating",
        rating,
        f"Change the stars of a rating that counts. Refused after {MOST_EDITS} edits.",
        source=COUNTED,
        done="edited",
        arguments=(whole_number("stars", "One star to five.", most=5),),
        values={"stars": given("stars"), "edits": plus(cell("rating", "edits"), fixed(1))},
        finds=(find("score", "scores", cell("rating", key)),),
        guards=(
            require(
                cell("rating", "edits"),
                "<",
                fixed(MOST_EDITS),
                "too_many_edits",
                "It was edited {0} times; {1} are allowed.",
            ),
        ),
        before=(_rescored(0, minus(given("stars"), STARS)),),
        requests=("change {row} to {stars} of five stars", "correct {row} to {stars} of five stars"),
    )


def _report(rater: TableProfile, rating: TableProfile, report: TableProfile) -> Action:
    return create(
        "report_rating",
        report,
        "Report a rating that counts, for a reason. Refused to its own author, and a second time by the same person.",
        arguments=(
            key_argument(rating, "The rating to report."),
            key_argument(rater, "Who reports it."),
            free_text("reason", "What is wrong with it.", 120, "report_reasons"),
        ),
        finds=(find("rating", "ratings", given("rating_id")), find("rater", "raters", given("rater_id"))),
        guards=(
            must_be(rating, COUNTED, "invalid_transition", so="it cannot be reported"),
            require(
                given("rater_id"),
                "!=",
                cell("rating", "rater_id"),
                "own_rating",
                "Rater {0} wrote it and cannot report it.",
            ),
            no_rows_of(
                "rating_reports",
                {"rating_id": given("rating_id"), "rater_id": given("rater_id")},
                "already_reported",
                "They have reported it {0} time already.",
            ),
        ),
        values={
            "rating_id": given("rating_id"),
            "rater_id": given("rater_id"),
            "reason": given("reason"),
            "reported_at": now(),
        },
        after=(set_to("rating", status=fixed("reported")),),
        requests=(
            "report {rating_id} on behalf of {rater_id} for this reason: “{reason}”",
            "file a report by {rater_id} against {rating_id}, reason “{reason}”",
        ),
    )


def _moderation(key: str, rating: TableProfile) -> tuple[Action, ...]:
    """Return the actions by which reported ratings are hidden, cleared and restored."""
    reports = number_of("rating_reports", {"rating_id": given("rating_id")})
    needed = "It has {0} report; {1} are needed to hide it."
    enough = require(reports, ">=", fixed(REPORTS_TO_HIDE), "too_few_reports", needed)
    score = (find("score", "scores", cell("rating", key)),)
    return (
        transition(
            "hide_rating",
            rating,
            f"Hide a reported rating; it counts no more. Refused with fewer than {REPORTS_TO_HIDE} reports.",
            source=("reported",),
            to="hidden",
            finds=score,
            guards=(enough,),
            before=(_rescored(-1, minus(fixed(0), STARS)),),
            requests=("hide {row}", "take {row} down"),
        ),
        transition(
            "clear_rating",
            rating,
            "Publish a reported rating again, as it was.",
            source=("reported",),
            to="published",
            done="cleared",
            requests=("clear {row}", "dismiss the reports about {row}"),
        ),
        transition(
            "restore_rating",
            rating,
            "Publish a hidden rating again; it counts once more.",
            source=("hidden",),
            to="published",
            done="restored",
            finds=score,
            before=(_rescored(1, STARS),),
            requests=("restore {row}", "bring {row} back"),
        ),
    )


def _delete(key: str, rating: TableProfile) -> Action:
    return delete(
        "withdraw_rating",
        rating,
        "Delete a published rating for good. Refused once it was reported.",
        source=("published",),
        done="withdrawn",
        finds=(find("score", "scores", cell("rating", key)),),
        guards=(
            no_rows_of(
                "rating_reports", {"rating_id": given("rating_id")}, "was_reported", "{0} report of it must be kept."
            ),
        ),
        before=(_rescored(-1, minus(fixed(0), STARS)),),
        requests=("withdraw {row}", "delete {row}"),
    )


def _standing(rater: TableProfile) -> tuple[Action, ...]:
    """Return the actions that bar raters, and trust them again."""
    moves = (
        ("bar_rater", "Bar a rater from rating.", "trusted", "barred", ("bar {row}", "bar {row} from rating")),
        (
            "trust_rater",
            "Let a barred rater rate again.",
            "barred",
            "trusted",
            ("let {row} rate again", "trust {row} again"),
        ),
    )
    return tuple(
        transition(name, rater, text, source=(source,), to=to, requests=ways) for name, text, source, to, ways in moves
    )


RATINGS = Archetype("ratings", _propose, lambda profile: rank(profile, FITS))
