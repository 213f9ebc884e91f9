"""The loop: what is called, shown, accepted and given back, and how it ends."""

from typing import Any

import pytest
from pydantic import BaseModel

from tasks.authors.llm.model import BudgetSpent, Message, ModelUnavailable, ToolSpec, Unusable
from tasks.authors.llm.react.loop import MOST_USES, AgentTool, Episode, ToolFault, react
from tests.tasks.authors.llm.scripted import Scripted, ScriptedModel, call, calls, finish


class Total(BaseModel):
    total: int


def look(arguments: dict[str, Any]) -> str:
    if "name" not in arguments:
        raise ToolFault("name is missing")
    return f"{arguments['name']} has 3 rows"


LOOK = AgentTool(ToolSpec("look", "Look.", {"type": "object", "properties": {}}), look)


def run(*script: Scripted, turns: int = 6, **more: Any) -> tuple[Episode[Total], ScriptedModel]:
    model = ScriptedModel("solver", script)
    return react(model, "system", "task", [LOOK], Total, turns=turns, **more), model


def test_it_calls_reads_and_finishes() -> None:
    episode, model = run(call("look", name="a"), finish(Total(total=3)), attempt=2)
    assert (episode.answer, episode.ended, episode.turns) == (Total(total=3), "finished", 2)
    assert [use.arguments for use in episode.uses] == [{"name": "a"}]
    assert [message.role for message in model.seen[1]] == ["system", "user", "assistant", "tool"]
    assert "a has 3 rows" in model.seen[1][-1].content and model.seen[1][-1].answers == "use-0"
    assert model.attempts == [2, 2]


def test_a_fault_and_a_tool_that_does_not_exist_are_shown() -> None:
    episode, model = run(calls(("look", {}), ("drop", {})), finish(Total(total=0)))
    fault, missing = model.seen[1][-2:]
    assert "name is missing" in fault.content and "look" in missing.content
    assert episode.ended == "finished" and len(episode.uses) == 1


def test_an_answer_that_is_not_accepted_goes_back() -> None:
    def accept(answer: Total) -> str | None:
        return None if answer.total > 2 else f"{answer.total} is too small"

    episode, model = run(finish(Total(total=1)), finish(Total(total=3)), accept=accept)
    assert episode.answer == Total(total=3) and episode.turns == 2
    objection = model.seen[1][-1]
    assert (objection.role, objection.answers) == ("tool", "finish") and "1 is too small" in objection.content


def test_turns_end_and_the_last_offers_finishing_only() -> None:
    episode, model = run(*[call("look", name=str(n)) for n in range(3)], turns=3)
    assert (episode.answer, episode.ended, episode.turns) == (None, "out_of_turns", 3)
    assert model.offered == [("look",), ("look",), ()]
    assert "last turn" in model.seen[2][-1].content and "last turn" not in model.seen[1][-1].content


def test_an_answer_refused_to_the_end_says_why() -> None:
    episode, _ = run(finish(Total(total=1)), turns=1, accept=lambda answer: "wrong")
    assert (episode.answer, episode.ended, episode.detail) == (None, "out_of_turns", "wrong")


@pytest.mark.parametrize(
    ("raised", "ended", "turns"),
    [(Unusable("no_json", "prose"), "unusable", 2), (BudgetSpent("spent"), "budget_spent", 1)],
)
def test_it_ends_with_what_it_has(raised: Exception, ended: str, turns: int) -> None:
    episode, _ = run(call("look", name="a"), raised)
    assert (episode.answer, episode.ended, episode.turns, len(episode.uses)) == (None, ended, turns, 1)
    assert episode.detail == str(raised)


def test_a_conversation_that_is_too_long_loses_its_older_results() -> None:
    too_long = Unusable("too_long", "context")
    looks = [call("look", name=name) for name in "abcd"]
    episode, model = run(*looks, too_long, too_long, finish(Total(total=0)), turns=9)
    assert episode.ended == "finished" and len(episode.uses) == 4
    for before, shown in ((4, "cd"), (5, "d")):
        assert [name for name in "abcd" if f"{name} has 3 rows" in str(model.seen[before + 1])] == list(shown)
    episode, model = run(call("look", name="a"), too_long)
    assert episode.ended == "unusable" and len(model.seen) == 2


def test_an_endpoint_that_is_gone_goes_up() -> None:
    with pytest.raises(ModelUnavailable):
        run(ModelUnavailable("gone"))


def test_calls_in_one_turn_are_bounded_and_each_is_answered() -> None:
    many = calls(*[("look", {"name": str(n)}) for n in range(MOST_USES + 2)])
    episode, model = run(many, finish(Total(total=0)))
    assert len(episode.uses) == MOST_USES
    assert [message.answers for message in model.seen[1][3:]] == [use.id for use in many.uses]


def test_a_long_observation_is_cut() -> None:
    tool = AgentTool(LOOK.spec, lambda arguments: "x" * 100_000)
    model = ScriptedModel("solver", [call("look"), finish(Total(total=0))])
    react(model, "", "", [tool], Total, turns=3)
    assert len(model.seen[1][-1].content) < 6500


def test_a_call_that_is_made_again_with_the_same_result_is_told_so() -> None:
    _, model = run(*[call("look", name="a")] * 2, call("look", name="b"), finish(Total(total=0)))
    said = ["as before" in messages[-1].content for messages in model.seen[1:]]
    assert said == [False, True, False]


def test_equal_runs_ask_equal_things() -> None:
    def asked() -> list[tuple[Message, ...]]:
        return run(call("look", name="a"), finish(Total(total=3)))[1].seen

    assert asked() == asked()
