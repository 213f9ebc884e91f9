"""A proven task that solvers try: four songs are looked up, and the album of the last one is ordered."""

from __future__ import annotations

import pytest

from schemas.tasks import AgentTask, GoldRun
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.test_admission import draft, longest, order


@pytest.fixture(scope="package")
def proven(records: ProvingGround) -> tuple[AgentTask, GoldRun]:
    """The task and its gold run."""
    admitted = records.gate(2).prove(draft(longest(order(3))))
    assert isinstance(admitted, tuple)
    return admitted[0], admitted[1]
