"""Deployments name flows that load, by module path, and no path of any machine."""

from pathlib import Path

import pytest
import yaml
from prefect.flows import load_flow_from_entrypoint

FILE = Path(__file__).resolve().parents[2] / "deployments" / "prefect.yaml"
DEPLOYMENTS = yaml.safe_load(FILE.read_text())["deployments"]


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=[d["name"] for d in DEPLOYMENTS])
def test_entrypoint_loads_and_its_parameters_make_a_form(deployment: dict) -> None:
    flow = load_flow_from_entrypoint(deployment["entrypoint"], use_placeholder_flow=False)
    assert flow.name == deployment["entrypoint"].rsplit(".", 1)[1]
    assert set(deployment.get("parameters", {})) <= set(flow.parameters.model_dump()["properties"])
    assert flow.parameters.model_dump()["properties"], "a flow without parameters needs no form"


def test_what_writes_runs_one_at_a_time() -> None:
    assert all(deployment["concurrency_limit"]["limit"] == 1 for deployment in DEPLOYMENTS)


def test_no_absolute_paths() -> None:
    lines = [line for line in FILE.read_text().splitlines() if not line.startswith("#")]
    assert not any(word.startswith("/") for line in lines for word in line.split())
