"""llm stats, llm forecast: one row a role whatever was drained, and a forecast that says what it rests on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from flows.cli import app
from schemas.models import ROLES, Contribution, ModelCall
from schemas.themes import TableRecipe, Theme
from tasks.authors.llm.client.spool import spool_of
from warehouse import catalogue, structure
from warehouse.rows import Stamp, save_model_calls, save_themes
from warehouse.store import Warehouse

STAMP = Stamp(run_id="run_2", code_version="1", seed=0, author="llm")
THEME = Theme(
    name="bakery", title="The bakery", description="Loaves", package="loaves", version="1", licence="CC0",
    tables=[TableRecipe(name="loaves", file="loaves.csv")],
)  # fmt: skip


def run(home: Path, *arguments: str) -> Any:
    ended = CliRunner().invoke(app, ["llm", *arguments, "--home", str(home), "--json"])
    assert ended.exit_code == 0, ended.output
    return json.loads(ended.stdout)


def call(number: int, **more: Any) -> ModelCall:
    values = {"role": "coder", "subject": THEME.id, "model": "small", "mode": "text", "run_id": "run_1", "attempts": 1}
    figures = {"cached": False, "tokens_in": 60, "tokens_out": 40, "cost": 0.25, "latency_s": 1.0, "request": {}}
    numbered = {"id": f"call_{number}", "prompt_sha": f"sha_{number}", "finished_at": 100.0 + number, "response": "{}"}
    return ModelCall(**{**values, **figures, **numbered, "outcome": "parsed", **more})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose warehouse holds two of three calls and one of two proposals."""
    spool, warehouse = spool_of(tmp_path), Warehouse(tmp_path)
    save_themes(warehouse, [THEME], [], [], STAMP)
    proposal = {"role": "coder", "subject": THEME.id, "kind": "tool"}
    spool.record(call(1))
    spool.record(call(2, outcome="refused", reason="truncated"))
    spool.report("run_1", Contribution(**proposal, name="get_loaf", outcome="kept"))
    stored = spool.undrained()
    save_model_calls(warehouse, stored.calls, stored.contributions, STAMP)
    spool.mark_drained(stored)
    warehouse.publish()
    spool.record(call(3, cached=True, attempts=0, tokens_in=0, tokens_out=0, cost=0.0))
    spool.report("run_1", Contribution(**proposal, name="get_baker", outcome="refused", gate="sandbox"))
    return tmp_path


def test_stats_have_a_row_for_every_role_also_where_nothing_ever_ran(tmp_path: Path) -> None:
    rows = run(tmp_path / "home", "stats")["roles"]
    assert [row["role"] for row in rows] == list(ROLES)
    assert all({row[name] for name in row if name not in ("role", "refused_by")} == {0} for row in rows)
    assert not (tmp_path / "home").exists(), "looking changes nothing"


def test_stats_count_what_is_stored_and_what_is_not_yet_once(home: Path) -> None:
    rows = {row["role"]: row for row in run(home, "stats")["roles"]}
    assert rows["coder"] == {
        "role": "coder",
        "calls": 3,
        "tokens_in": 120,
        "tokens_out": 80,
        "cost": 0.5,
        "cached": 1,
        "parsed": 2,
        "refused": 1,
        "errors": 0,
        "kept": 1,
        "refused_by": {"sandbox": 1},
    }


def test_stats_and_the_query_of_the_warehouse_agree_once_all_is_drained(home: Path) -> None:
    spool, warehouse = spool_of(home), Warehouse(home)
    stored = spool.undrained()
    save_model_calls(warehouse, stored.calls, stored.contributions, STAMP)  # killed here, so drained again
    save_model_calls(warehouse, stored.calls, stored.contributions, STAMP)
    spool.mark_drained(stored)
    rows = run(home, "stats")["roles"]
    for row in rows:
        gates = row["refused_by"].items()
        row["refused_by"] = ", ".join(f"{gate} {count}" for gate, count in gates) or None
    assert rows == warehouse.rows("model_roles")


def test_stats_for_people_are_a_table(home: Path) -> None:
    ended = CliRunner().invoke(app, ["llm", "stats", "--home", str(home)])
    assert ended.exit_code == 0 and "sandbox 1" in ended.stdout and "diagnostician" in ended.stdout


def test_a_forecast_takes_the_means_of_the_warehouse(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTORY_LLM__MODEL", "small")
    monkeypatch.setenv("FACTORY_AUTHORS__CODER", "llm")
    found = run(home, "forecast", "--themes", "10")
    coder, tester = found["roles"]
    assert (coder["role"], coder["calls"], coder["tokens"], coder["dollars"]) == ("coder", 20, 2000, 5.0)
    assert coder["basis"] == "mean of themes so far (1)"
    assert tester["role"] == "tester" and tester["basis"].startswith("at most") and tester["dollars"] is None


def test_a_forecast_without_settings_is_of_all_roles_and_names_no_model(tmp_path: Path) -> None:
    found = run(tmp_path / "home", "forecast", "--themes", "1")
    assert [row["role"] for row in found["roles"]] == list(ROLES)
    assert {row["model"] for row in found["roles"]} == {None}


def test_a_warehouse_of_an_older_factory_is_no_history(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as older:
        older.setattr(structure, "migrations", lambda: catalogue.migrations()[:5])
        older.setattr(structure, "views", lambda: ())
        Warehouse(home / "older").publish()
    found = run(home / "older", "forecast", "--themes", "1")
    assert all(row["basis"].startswith(("at most", "not asked")) for row in found["roles"])


def test_a_wrong_price_table_is_a_mistake_that_the_user_can_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTORY_LLM__PRICES", str(tmp_path / "none.toml"))
    ended = CliRunner().invoke(app, ["llm", "forecast", "--themes", "1", "--home", str(tmp_path)])
    assert "FACTORY_LLM__PRICES" in str(ended.exception)
