"""Operations over the tables that a theme is about; a row that others refer to now is not removed."""

from pathlib import Path
from random import Random

import polars as pl

from schemas.operations import Action, Argument, Fixed, Operations
from schemas.profiles import SamplingNote
from schemas.rounds import Guideline
from tasks.authors.base import WorldDraft
from tasks.authors.rules.overlays.actions import delete
from tasks.authors.rules.rounds.additions import NewTable
from tasks.authors.rules.rounds.operations import add_operations
from tasks.authors.rules.rounds.related import add_related
from tests.tasks.authors.rules.rounds.drafts import THEME, bundled, draft, loaded, table


def removing(things: NewTable) -> WorldDraft:
    """Return a world of things that its own operations remove."""
    action: Action = delete("delete_product", things.profile, "Delete a product.", requests=("delete {row}",))
    assert action.arguments == (Argument(**action.arguments[0].model_dump()),)
    operations = Operations(archetype="records", host="products", host_key="product", tables={}, actions=(action,))
    world = draft(things)
    world.profile.sampling.append(SamplingNote(table="products", rows_read=40, rows_kept=40))
    return WorldDraft(**{**vars(world), "operations": (operations,)})


def test_a_row_that_the_new_operations_refer_to_is_in_use(tmp_path: Path) -> None:
    frame = pl.DataFrame({"product": [f"Lamp {n}" for n in range(40)], "price": [5.0 + n for n in range(40)]})
    world = removing(table("products", "product", frame, kind="operational"))
    growth = add_operations(world, THEME, Random(0), Guideline(tables=("products",)))
    assert growth is not None and growth.additions[0].endswith("over products")
    laid = growth.world.operations[1]
    referring = {t.name for t in growth.world.profile.tables for f in t.foreign_keys if f.to_table == "products"}
    guards = growth.world.operations[0].actions[0].guards
    assert referring
    assert {guard.value.table for guard in guards} == referring
    assert {(guard.code, guard.operator, guard.than) for guard in guards} == {("in_use", "==", Fixed(value=0))}
    assert all(operations.archetype != "records" for operations in (laid,))
    loaded(growth.world, tmp_path).close()


def test_what_was_borrowed_is_no_host() -> None:
    related = add_related(bundled("films"), THEME, Random(0), Guideline())
    assert related is not None
    borrowed = {t.name for t in related.world.profile.tables} - set(bundled("films").frames)
    for archetype in ("service_tickets", "subscriptions", "ratings"):
        growth = add_operations(related.world, THEME, Random(0), Guideline(archetypes=(archetype,)))
        assert growth is None or growth.world.operations[-1].host not in borrowed
