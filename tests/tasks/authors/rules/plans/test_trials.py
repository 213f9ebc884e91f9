"""Trials of acts on rows of memory: they agree with the tools, one act after the other."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from schemas.plans import Look
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.plans.sketch import Sketch
from tasks.authors.rules.plans.stock import Stock
from tasks.authors.rules.plans.trials import Trial
from tests.tasks.authors.rules.tool_worlds import ModuleProcess, ToolWorld

TABLES = ("bookings", "flights")


@pytest.mark.parametrize("seed", range(4))
def test_trials_are_refused_what_tools_refuse(small: ToolWorld, tmp_path: Path, seed: int) -> None:
    stock, rng = Stock(Catalog(small.environment, small.module.tools, small.frames)), random.Random(seed)
    trial, refused = Trial(stock, Sketch(stock, rng, "audit").state), set()
    with ModuleProcess(small, tmp_path / "trial") as process:
        for _ in range(40):
            table = stock.catalog.table(rng.choice(TABLES))
            tool, parameter = rng.choice(stock.ways(table.name))
            record = stock.catalog.record(table.name, rng)
            assert record is not None
            act = Sketch(stock, rng, "audit").act(tool, {parameter: Look(column=table.key)})
            arguments = {name: trial.value(value, table.name, record) for name, value in act.arguments.items()}
            found = process.call(tool.name, **arguments)
            code = trial.do(act, table.name, record)
            assert code == found.get("error", {}).get("code"), (tool.name, arguments)
            refused.add(code)
    assert None in refused and len(refused) > 1
