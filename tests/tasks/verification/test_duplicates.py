"""Repetitions are found, by what they repeat; what differs is left alone; the work grows with the number of tasks."""

from __future__ import annotations

import random
from typing import Any

import pytest

from schemas.programs import Call, Const, Program
from schemas.tasks import AgentTask, GoldRun
from tasks.similarity import shingles
from tasks.verification import duplicates
from tasks.verification.duplicates import NEAR, SAME_CHAIN, SAME_REQUEST, Seen, find_duplicates
from tests.tasks.verification.runs import Step, make_proof

REQUEST = "The twelve oldest open tickets should go to the crew with the most room, and we need to know how many went."
STEPS: list[Step] = [("search_tickets", {}, {}), ("assign_ticket", {"ticket": 1}, {})]


def proof(name: str, request: str = REQUEST, answer: int = 3, status: str = "open", **changes: Any) -> Any:
    calls = [Call(bind=f"b{i}", tool="search", arguments={f"a{i}": Const(value=i)}) for i in range(8)]
    calls.append(Call(bind="page", tool="search_tickets", arguments={"status": Const(value=status)}))
    program = changes.pop("program", Program(body=tuple(calls), answer={"n": Const(value=answer)}))
    return make_proof(name, request, changes.pop("steps", STEPS), {"n": answer}, program=program, **changes)


def kinds(*proofs: tuple[AgentTask, GoldRun]) -> list[tuple[str, str, str]]:
    found = find_duplicates([task for task, _ in proofs], [gold for _, gold in proofs])
    return [(one.subject_id, one.what, one.evidence) for one in found]


def test_the_same_words_are_the_same_request() -> None:
    again = (
        "  the twelve oldest OPEN tickets should go to the crew with the most room — and we need to know how many went"
    )
    assert kinds(proof("a"), proof("b", again, answer=9)) == [("b", "a", SAME_REQUEST)]


def test_one_word_more_is_near_when_the_program_is_too() -> None:
    more = REQUEST.replace("open tickets", "open tickets first")
    assert kinds(proof("a"), proof("b", more, answer=9)) == [("b", "a", NEAR)]
    assert find_duplicates(*zip(proof("a"), proof("b", more, answer=9), strict=True))[0].score < 1
    other = Program(body=(), answer={"n": Const(value=9)})
    assert kinds(proof("a"), proof("b", more, answer=9, program=other)) == []


def test_the_same_chain_and_answer_repeat_whatever_the_words() -> None:
    assert kinds(proof("a"), proof("b", "Something else entirely is wanted here.")) == [("b", "a", SAME_CHAIN)]
    assert kinds(proof("a"), proof("b", "Something else entirely is wanted here.", answer=4)) == []
    longer = [*STEPS, ("get_ticket", {}, {})]
    assert kinds(proof("a"), proof("b", "Something else entirely is wanted here.", steps=longer)) == []


def test_another_language_is_no_repetition() -> None:
    chinese = "最早的十二张未结工单应交给最空闲的班组，我们想知道一共交了多少张。"
    assert kinds(proof("a"), proof("b", chinese, language="zh")) == []
    nearly = chinese.replace("一共", "总共")
    found = kinds(proof("a", chinese, language="zh"), proof("b", nearly, answer=9, language="zh"))
    assert found == [("b", "a", NEAR)]


def test_a_draft_is_checked_before_it_has_a_gold_run() -> None:
    task, gold = proof("a")
    seen = Seen()
    assert seen.check("a", task) is None
    seen.add("a", task, gold)
    other = proof("b", "Something else entirely is wanted here.")
    assert seen.check("b", other[0]) is None
    assert (duplicate := seen.check("b", *other)) is not None and duplicate.evidence == SAME_CHAIN


def test_only_near_requests_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    overlap = shingles.overlap

    def counted(one: frozenset[str], other: frozenset[str]) -> float:
        nonlocal compared
        compared += 1
        return overlap(one, other)

    monkeypatch.setattr(duplicates, "overlap", counted)
    rng = random.Random("tasks")
    words = [f"word{n}" for n in range(400)]
    proofs = [proof(f"t{n:03}", " ".join(rng.choices(words, k=30)), answer=n) for n in range(200)]
    assert kinds(*proofs) == []
    assert compared < len(proofs)
