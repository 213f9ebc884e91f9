"""Groups that end alike teach nothing: predicted, and counted on simulated groups."""

from __future__ import annotations

import random

import pytest

from tasks.training.learnability import GROUP, zero_variance


def test_the_prediction_is_what_simulated_groups_show() -> None:
    rng = random.Random(0)
    rates = [0.1, 0.5, 0.9]
    alike = [len({rng.random() < rate for _ in range(GROUP)}) == 1 for _ in range(4000) for rate in rates]
    assert zero_variance(rates) == pytest.approx(sum(alike) / len(alike), abs=0.02)


def test_what_always_or_never_passes_is_all_alike() -> None:
    assert zero_variance([0.0, 1.0]) == 1.0 and zero_variance([]) is None
