"""The summary says in words what was named, how often and where."""

from __future__ import annotations

from schemas.diagnoses import CAUSES
from tasks.arena.diagnosis.findings import find
from tasks.arena.diagnosis.summary import LACKING, describe
from tests.tasks.arena.diagnosis.simulation import Ecosystem


def test_every_cause_has_words() -> None:
    assert set(LACKING) == set(CAUSES)


def test_named_causes_are_told_with_their_places() -> None:
    ecosystem = Ecosystem(2)
    control = ecosystem.attempts(0.12, 8)
    found = find("policy", "control", ecosystem.attempts(0.12, planted={"state_lost": 0.6}), control)
    sentences = describe(found)
    count = next(each.failures for each in found.causes if each.what == "state_lost")
    assert len(sentences) == 1 + len(found.named_causes)
    assert sentences[1].startswith(f"It {LACKING['state_lost']}: {count} failures")
    assert found.environments[0].theme_name in " ".join(sentences)


def test_noise_is_called_noise() -> None:
    ecosystem = Ecosystem(4)
    found = find("policy", "control", ecosystem.attempts(0.12), ecosystem.attempts(0.12, 8))
    assert len(describe(found)) == 2 and "none stands out" in describe(found)[1]
