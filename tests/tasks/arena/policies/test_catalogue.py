"""Specifications of scripted policies: what they make, and that a mistake is told in one line."""

from __future__ import annotations

import pytest

from schemas.arena import IMPAIRMENTS
from schemas.errors import UsageError
from tasks.arena.policies.catalogue import SCRIPTED, Ailment, Scripted, scripted


def made(spec: str, seed: int = 3, **families: list[str]) -> Scripted:
    contender = scripted(spec, seed, families)
    assert isinstance(contender, Scripted)
    assert (contender.record.name, contender.record.kind, contender.record.parameters) == (
        spec,
        "scripted",
        {"seed": 3},
    )
    return contender


def test_perfect_and_noisy() -> None:
    perfect, noisy = made("perfect"), made("noisy:0.15")
    assert (perfect.ailments, perfect.floor, perfect.detours) == ((), 0.0, 0.0)
    assert (noisy.ailments, noisy.floor) == ((), 0.15) and noisy.detours > 0


def test_every_impairment_can_be_written() -> None:
    for impairment in IMPAIRMENTS:
        assert made(f"impaired:{impairment}=1").ailments == (Ailment(impairment, 1.0),)


def test_a_mixture_held_to_places() -> None:
    policy = made(
        "impaired:wrong_tool=0.3, stopped_early=0.2,floor=0.15,detours=0.05@shop,list_tracks", shop=["env_1", "env_2"]
    )
    held = frozenset({"env_1", "env_2", "list_tracks"})
    assert policy.ailments == (Ailment("wrong_tool", 0.3, held), Ailment("stopped_early", 0.2, held))
    assert (policy.floor, policy.detours) == (0.15, 0.05)


def test_random_is_a_contender() -> None:
    assert scripted("random", 0).record.name == "random" and "random" in SCRIPTED


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "perfekt",
        "perfect:1",
        "noisy",
        "noisy:much",
        "noisy:1.5",
        "noisy:nan",
        "impaired",
        "impaired:",
        "impaired:wrong_tool",
        "impaired:wrong_tool=0.3,wrong_tool=0.4",
        "impaired:sleepy=0.3",
        "impaired:wrong_tool=-1",
        "impaired:wrong_tool=0.3@",
        "impaired:wrong_tool=0.3@shop,,",
    ],
)
def test_a_mistake_is_told_in_one_line_with_what_may_be_written(spec: str) -> None:
    with pytest.raises(UsageError) as told:
        scripted(spec, 0)
    assert "\n" not in str(told.value) and ("impaired:" in str(told.value) or "skipped_lookup" in str(told.value))
