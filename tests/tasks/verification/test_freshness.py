"""What an earlier batch asked is found again, whatever it was worded in; what is only like it is not."""

from __future__ import annotations

from schemas.programs import Call, Const, Program
from schemas.tasks import AgentTask, GoldRun
from tasks.verification.duplicates import SAME_REQUEST
from tasks.verification.freshness import SAME_CALLS, SAME_PROGRAM, Made
from tests.tasks.verification.runs import Step, make_proof

STEPS: list[Step] = [
    ("get_album", {"album_id": 3}, {"title": "Big Ones"}),
    ("get_artist", {"artist_id": 9}, {"name": "X"}),
]


def program(number: int) -> Program:
    return Program(body=(Call(bind="album", tool="get_album", arguments={"album_id": Const(value=number)}),), answer={})


def proven(
    name: str, request: str, steps: list[Step] = STEPS, number: int = 3, language: str = "en"
) -> tuple[AgentTask, GoldRun]:
    return make_proof(name, request, steps, program=program(number), language=language)


EARLIER = proven("task_1", "Which artist made the album of the largest order, and what is it called?")


def test_a_program_is_not_asked_again_in_another_language() -> None:
    task, _ = proven("task_2", "下单最多的专辑是哪位艺术家的？", language="zh")
    flag = Made([EARLIER]).repeated_by(task.id, task)
    assert flag is not None and (flag.what, flag.evidence) == ("task_1", SAME_PROGRAM)


def test_equal_calls_are_a_repetition_once_they_are_known() -> None:
    task, gold = proven("task_2", "Something else entirely is wanted of whom we buy from.", number=4)
    made = Made([EARLIER])
    assert made.repeated_by(task.id, task) is None
    flag = made.repeated_by(task.id, task, gold)
    assert flag is not None and flag.evidence == SAME_CALLS


def test_a_call_that_was_kept_off_makes_no_other_chain() -> None:
    failed: Step = ("get_album", {"album_id": 3}, {"error": {"code": "unavailable", "message": "try again"}})
    task, gold = proven("task_2", "Something else entirely is wanted of whom we buy from.", [failed, *STEPS], number=4)
    assert Made([EARLIER]).repeated_by(task.id, task, gold) is not None


def test_an_equal_request_is_a_repetition() -> None:
    task, _ = proven("task_2", EARLIER[0].request, number=4)
    flag = Made([EARLIER]).repeated_by(task.id, task)
    assert flag is not None and flag.evidence == SAME_REQUEST


def test_other_words_program_and_calls_are_fresh() -> None:
    steps: list[Step] = [("get_album", {"album_id": 4}, {"title": "Facelift"})]
    task, gold = proven("task_2", "How long is the longest song that nobody has ordered so far?", steps, number=4)
    assert Made([EARLIER]).repeated_by(task.id, task, gold) is None
    assert Made().repeated_by(task.id, task, gold) is None
