"""Collections: named lists of things that curators keep, each thing once a list, with a most size.

private → shared → archived. A curator has a limit of lists, and no two lists have the same name; one is shared once it
has a few entries, and deleted when it is empty.
"""

from __future__ import annotations

from random import Random
from typing import Any

import polars as pl

from schemas.environments import Overlay
from schemas.operations import Action, Guard, Value, View
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
    transition,
    update,
    whole_number,
)
from tasks.authors.rules.overlays.affordances import rank
from tasks.authors.rules.overlays.archetype import Archetype
from tasks.authors.rules.overlays.clauses import must_be, require
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.draws import collection_names
from tasks.authors.rules.overlays.names import host_column_name
from tasks.authors.rules.overlays.parts import Part, overlay_of, part
from tasks.authors.rules.overlays.popularity import Popularity
from tasks.authors.rules.overlays.profiles import Row, host_column
from tasks.authors.rules.overlays.vocabulary import person_names

STATUSES = ("private", "shared", "archived")
ALIVE = ("private", "shared")
CURATORS = 60
SEEDED_LISTS = 150
FEWEST_SHARED = 3
FITS = {
    **{
        "work": 0.75,
        "thing": 0.55,
        "place": 0.55,
        "living": 0.6,
        "topic": 0.4,
        "territory": 0.5,
        "person": 0.45,
        "goods": 0.6,
    },
    **{"record": 0.35, "organisation": 0.4, "vehicle": 0.45, "equipment": 0.4},
}
OWN_NAMES = {
    *("curator", "curator_id", "curator_name", "list_limit", "collection", "collection_id", "collection_name"),
    *("most_entries", "status", "created_at", "collection_entry", "entry_id", "added_at", "about"),
}
THIS = cell("collection", "collection_id")


def _propose(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int, start: str) -> Overlay:
    """Return curators, their collections and what of `host` is in them, simulated with `seed`."""
    table = profile.table(host)
    rng = Random(f"collections:{host}:{seed}")
    key = host_column_name(table, OWN_NAMES)
    lists, entries = _lists(rng, key, Popularity(rng, profile, frames, host), start)
    names = person_names(rng, CURATORS)
    curators = [
        {"curator_name": name, "list_limit": _limit(rng, [row for row in lists if row["curator_id"] == number])}
        for number, name in enumerate(names, 1)
    ]
    parts = _parts(table, key, clauses.numbered("curator_id", curators), lists, entries)
    curator, collection, entry = (each.table for each in parts)
    actions = (
        _create(curator, collection),
        _add(table, key, collection, entry),
        *_entry_changes(key, collection, entry),
        *_lifecycle(collection),
        _delete(collection),
        _resize(collection),
        _hand_over(curator, collection),
    )
    return overlay_of("collections", table, key, parts, (_curator_view(), _collection_view()), actions)


def _limit(rng: Random, lists: list[Row]) -> int:
    """Return a limit of lists that a curator keeps to; half of those with archived ones could not take them back."""
    kept = sum(row["status"] in ALIVE for row in lists)
    return max(kept + (rng.choice((0, 2)) if len(lists) > kept else rng.choice((0, 1, 2, 4))), 1)


def _lists(rng: Random, key: str, popular: Popularity, start: str) -> tuple[list[Row], list[Row]]:
    """Simulate lists: some full, some empty, popular things on many."""
    lists: list[Row] = []
    entries: list[dict[str, Any]] = []
    names = collection_names(rng)
    for number, created_at in enumerate(moments_before(start, 500, [rng.random() for _ in range(SEEDED_LISTS)]), 1):
        status = rng.choices(STATUSES, (50, 35, 15))[0]
        wanted = rng.randint(FEWEST_SHARED, 6) if status == "shared" else rng.choices((0, 1, 2, 4), (20, 30, 25, 25))[0]
        chosen = sorted({popular.draw(rng) for _ in range(wanted * 3)}, key=str)
        chosen = sorted(rng.sample(chosen, min(wanted, len(chosen))), key=str)
        status = "private" if status == "shared" and len(chosen) < FEWEST_SHARED else status
        entries += [{"collection_id": number, key: value} for value in chosen]
        row = {
            "curator_id": rng.randint(1, rng.choice((15, CURATORS))),
            "collection_name": names[number],
        }
        row |= {"most_entries": max(len(chosen) + rng.choice((0, 0, 2, 5)), 1), "status": status}
        lists.append({**row, "created_at": created_at})
    moments = moments_before(start, 200, [rng.random() for _ in entries])
    dated = [{**row, "added_at": at} for row, at in zip(entries, moments, strict=True)]
    return clauses.numbered("collection_id", lists), clauses.numbered("entry_id", dated)


def _parts(host: TableProfile, key: str, curators: list[Row], lists: list[Row], entries: list[Row]) -> list[Part]:
    named = [
        clauses.key("curator_id", "curator number"),
        clauses.label("curator_name", "curator name"),
        clauses.count("list_limit", "limit of lists", "lists"),
    ]
    kept = [
        clauses.key("collection_id", "collection number"),
        clauses.label("collection_name", "collection name"),
        clauses.refers("curator_id", "curator number"),
        clauses.count("most_entries", "most entries", "entries"),
        clauses.category("status", "collection status", STATUSES),
        clauses.moment("created_at", "time of creation"),
    ]
    listed = [
        clauses.key("entry_id", "entry number"),
        clauses.refers("collection_id", "collection number"),
        host_column(host, "reference", key),
        clauses.moment("added_at", "time of adding"),
    ]
    names = ("curators", "curator", "curators")
    curator = part(names, named, curators, label="curator_name", checks=("list_limit >= 1",))
    names = ("collections", "collection", "collections")
    checks = ("most_entries >= 1", "length(collection_name) BETWEEN 1 AND 80")
    references = {"curator_id": curator.table}
    collection = part(names, kept, lists, refers=references, label="collection_name", checks=checks)
    names = ("collection_entries", "collection entry", "collection entries")
    return [curator, collection, part(names, listed, entries, refers={"collection_id": collection.table, key: host})]


def _size(collection: Value) -> Value:
    return number_of("collection_entries", {"collection_id": collection})


def _kept(curator: Value) -> Value:
    return number_of("collections", {"curator_id": curator, "status": ALIVE})


def _curator_view() -> View:
    kept = _kept(cell("row", "curator_id"))
    return View(
        name="get_curator_lists",
        table="curators",
        description="Tell how many lists a curator keeps that are not archived, and how many more they can have.",
        figures=(
            clauses.figure("lists_kept", kept, "lists kept"),
            clauses.figure("lists_left", minus(cell("row", "list_limit"), kept), "lists they can still have"),
        ),
    )


def _collection_view() -> View:
    size = _size(cell("row", "collection_id"))
    return View(
        name="get_collection_size",
        table="collections",
        description="Tell whose a collection is, how many entries it has, and how many more it can take.",
        figures=(
            clauses.figure("entries", size, "entries"),
            clauses.figure("room", minus(cell("row", "most_entries"), size), "entries it can still take"),
        ),
    )


def _may_have_more(curator: Value) -> Guard:
    return require(
        _kept(curator),
        "<",
        cell("curator", "list_limit"),
        "too_many_lists",
        "The curator keeps {0} lists; the limit is {1}.",
    )


def _name_free(name: Value) -> Guard:
    return no_rows_of("collections", {"collection_name": name}, "name_taken", "{0} collection is called that already.")


def _has_room(collection: Value) -> Guard:
    return require(
        _size(collection),
        "<",
        cell("collection", "most_entries"),
        "collection_full",
        "It has {0} entries of {1} allowed.",
    )


def _not_in_it(key: str, value: Value) -> Guard:
    same = {"collection_id": given("collection_id"), key: value}
    return no_rows_of("collection_entries", same, "already_in_collection", "It is in the collection {0} time already.")


def _create(curator: TableProfile, collection: TableProfile) -> Action:
    return create(
        "create_collection",
        collection,
        "Start a private collection for a curator. Refused beyond their limit of lists, and under a name that is taken.",
        arguments=(
            key_argument(curator, "Whose collection it is."),
            free_text("collection_name", "What it is called.", 80, "collection_names"),
            clauses.drawn(whole_number("most_entries", "How many entries it can have.", most=200), "places"),
        ),
        finds=(find("curator", "curators", given("curator_id")),),
        guards=(_may_have_more(given("curator_id")), _name_free(given("collection_name"))),
        values={
            **{name: given(name) for name in ("collection_name", "curator_id", "most_entries")},
            "status": fixed("private"),
            "created_at": now(),
        },
        requests=(
            "start a collection “{collection_name}” for {curator_id} with room for {most_entries} entries",
            "set up a list called “{collection_name}” in the name of {curator_id}, of at most {most_entries} entries",
        ),
    )


def _add(host: TableProfile, key: str, collection: TableProfile, entry: TableProfile) -> Action:
    noun = host.singular
    return create(
        "add_to_collection",
        entry,
        f"Put a {noun} into a collection that is not archived. Refused when it is in it, or the collection is full.",
        arguments=(key_argument(collection, "The collection."), key_argument(host, f"The {noun} to put into it.", key)),
        finds=(find("collection", "collections", given("collection_id")), find("about", host.name, given(key))),
        guards=(
            must_be(collection, ALIVE, "invalid_transition", so="nothing can be put into it"),
            _not_in_it(key, given(key)),
            _has_room(given("collection_id")),
        ),
        values={"collection_id": given("collection_id"), key: given(key), "added_at": now()},
        requests=(f"put {{{key}}} into {{collection_id}}", f"add {{{key}}} to {{collection_id}}"),
    )


def _entry_changes(key: str, collection: TableProfile, entry: TableProfile) -> tuple[Action, Action]:
    """Return the actions that take an entry out, or move it to another collection."""
    remove = delete(
        "remove_from_collection",
        entry,
        "Take an entry out of a private collection; shared and archived ones keep theirs.",
        finds=(find("collection", "collections", cell("collection_entry", "collection_id")),),
        guards=(must_be(collection, ("private",), "invalid_transition", so="it keeps its entries"),),
        requests=("take {row} out", "remove {row}"),
    )
    move = update(
        "move_collection_entry",
        entry,
        "Move an entry to another collection that is not archived. Refused when it is in it, or that collection is full.",
        arguments=(key_argument(collection, "The collection to move it to."),),
        finds=(find("collection", "collections", given("collection_id")),),
        guards=(
            must_be(collection, ALIVE, "invalid_transition", so="nothing can be put into it"),
            _not_in_it(key, cell("collection_entry", key)),
            _has_room(given("collection_id")),
        ),
        requests=("move {row} to {collection_id}", "put {row} into {collection_id} instead"),
    )
    return remove, move


def _lifecycle(collection: TableProfile) -> tuple[Action, ...]:
    """Return the actions that share, archive and restore a collection."""
    enough = require(
        _size(THIS), ">=", fixed(FEWEST_SHARED), "too_few_entries", "It has {0} entries; {1} are needed to share it."
    )
    curator = (find("curator", "curators", cell("collection", "curator_id")),)
    return (
        transition(
            "share_collection",
            collection,
            f"Share a private collection with everybody. Refused with fewer than {FEWEST_SHARED} entries.",
            source=("private",),
            to="shared",
            guards=(enough,),
            requests=("share {row}", "make {row} public"),
        ),
        transition(
            "archive_collection",
            collection,
            "Archive a collection: it counts no more for its curator.",
            source=ALIVE,
            to="archived",
            requests=("archive {row}", "put {row} into the archive"),
        ),
        transition(
            "restore_collection",
            collection,
            "Take an archived collection out of the archive, as a private one. Refused beyond its curator's limit of lists.",
            source=("archived",),
            to="private",
            done="restored",
            finds=curator,
            guards=(_may_have_more(cell("collection", "curator_id")),),
            requests=("restore {row}", "take {row} out of the archive"),
        ),
    )


def _delete(collection: TableProfile) -> Action:
    empty = no_rows_of("collection_entries", {"collection_id": THIS}, "not_empty", "It still has {0} entries.")
    return delete(
        "delete_collection",
        collection,
        "Delete a private collection. Refused unless it is empty.",
        source=("private",),
        guards=(empty,),
        requests=("delete {row}", "remove {row} altogether"),
    )


def _resize(collection: TableProfile) -> Action:
    return update(
        "resize_collection",
        collection,
        "Change how many entries a collection can have. Refused below those it has.",
        source=ALIVE,
        arguments=(clauses.drawn(whole_number("most_entries", "Most entries.", most=200), "small_counts"),),
        guards=(
            require(
                given("most_entries"), ">=", _size(THIS), "below_size", "{0} entries are fewer than the {1} in it."
            ),
        ),
        requests=("limit {row} to {most_entries} entries", "let {row} have at most {most_entries} entries"),
    )


def _hand_over(curator: TableProfile, collection: TableProfile) -> Action:
    return update(
        "hand_over_collection",
        collection,
        "Give a collection to another curator. Refused beyond their limit of lists.",
        source=ALIVE,
        done="handed over",
        arguments=(key_argument(curator, "Who gets it."),),
        finds=(find("curator", "curators", given("curator_id")),),
        guards=(
            require(
                given("curator_id"),
                "!=",
                cell("collection", "curator_id"),
                "same_curator",
                "It is curator {0}'s already.",
            ),
            _may_have_more(given("curator_id")),
        ),
        requests=("hand {row} over to {curator_id}", "give {row} to {curator_id}"),
    )


COLLECTIONS = Archetype("collections", _propose, lambda profile: rank(profile, FITS, fewest=4))
