"""TRL: one environment class for each environment of a snapshot, the rows of its data set, and the reward.

    snapshot = Snapshot(Path("snap_1c87170d330f4acb"))
    GRPOTrainer(
        model, processing_class=tokenizer, reward_funcs=rewards, args=GRPOConfig(...),
        train_dataset=Dataset.from_list(list(rows(snapshot, "train"))),
        environment_factory=environment_classes(snapshot),
    )

Followed: trl/trainer/grpo_trainer.py of TRL 1.16.0. Its tools are the public methods of a class, it makes one instance of
every class as it starts and uses instances again, and it describes a method by its signature and its docstring.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ...world.functions import functions_of
from ..reader import PROMPTS, Snapshot
from .attempt import BROKEN_WORLD, Attempt
from .signatures import described, signature_of

RESERVED = {"reset", "get_reward"}


class SnapshotEnvironment:
    """An environment as TRL plays it. Its subclasses have the tools; see `environment_classes`."""

    snapshot: ClassVar[Snapshot]

    def __init__(self) -> None:
        self._attempt: Attempt | None = None

    def reset(self, task_id: str, **columns: Any) -> None:
        """Begin an attempt at a task; what was open here is closed. `columns`: the rest of the data set's row."""
        self._close()
        try:
            self._attempt = Attempt(self.snapshot, task_id)
        except BROKEN_WORLD:
            self._attempt = None  # nobody can tell what the policy is worth: see `verdicts`

    def _call(self, tool: str, arguments: dict[str, Any]) -> str:
        return self._attempt.call(tool, arguments) if self._attempt else '{"error": {"code": "no_world"}}'

    def _reward(self, last_message: str, shared: bool) -> float | None:
        return self._attempt.reward(last_message, shared) if self._attempt else None

    def _close(self) -> None:
        if self._attempt is not None:
            self._attempt.close()
            self._attempt = None


def environment_classes(
    snapshot: Snapshot, offered: Mapping[str, Collection[str]] | None = None
) -> dict[str, type[SnapshotEnvironment]]:
    """Return environment id → its class; ids are what rows have as `environment`.

    `offered`: the environments that are wanted, each with the names of the tools that are offered there, since every tool is
    described in every prompt; None: all of them.
    """
    wanted: Mapping[str, Collection[str] | None] = offered or dict.fromkeys(snapshot.environment_ids)
    return {
        environment_id: environment_class(snapshot, environment_id, only) for environment_id, only in wanted.items()
    }


def environment_class(
    snapshot: Snapshot, environment_id: str, only: Collection[str] | None = None
) -> type[SnapshotEnvironment]:
    """Return the class of an environment: a method for each tool. ValueError for a tool with a name that TRL reserves."""
    functions = [each["function"] for each in functions_of(snapshot.bundle(environment_id).list_tools())]
    members = {each["name"]: _method(each) for each in functions if only is None or each["name"] in only}
    if reserved := sorted(RESERVED & set(members)):
        raise ValueError(f"{environment_id}: TRL reserves the name {reserved[0]}")
    return type(environment_id, (SnapshotEnvironment,), {"snapshot": snapshot, **members})


def _method(function: Mapping[str, Any]) -> Any:
    name = function["name"]

    def method(self: SnapshotEnvironment, **arguments: Any) -> str:
        return self._call(name, arguments)  # what a policy left out is not among them: TRL fills in no defaults

    method.__name__ = method.__qualname__ = name
    method.__doc__ = described(function)
    signature = signature_of(function["parameters"])
    method.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()} | {"return": str}
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    method.__signature__ = signature.replace(parameters=[own, *signature.parameters.values()])  # type: ignore[attr-defined]
    return method


def called_tools(conversations: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Return environment id → the tools that its conversations call: what may be `offered` at the least."""
    found: dict[str, set[str]] = {}
    for each in conversations:
        calls = (call for message in each["messages"] for call in message.get("tool_calls", ()))
        found.setdefault(each["environment_id"], set()).update(call["function"]["name"] for call in calls)
    return found


def rows(snapshot: Snapshot, split: str) -> Iterator[dict[str, Any]]:
    """Yield a split's tasks as rows of TRL's data set: prompt (messages), environment, task_id."""
    for row in snapshot.rows(PROMPTS, split):
        yield {"prompt": row["prompt"], "environment": row["environment_id"], "task_id": row["task_id"]}


def verdicts(
    completions: Sequence[Sequence[Mapping[str, Any]]],
    environments: Sequence[SnapshotEnvironment],
    shared: bool = False,
) -> list[float | None]:
    """Return the reward of each attempt by its final state and last message; None where nobody can tell."""
    return [
        environment._reward(_last_message(completion), shared)
        for completion, environment in zip(completions, environments, strict=True)
    ]


def rewards(
    completions: Sequence[Sequence[Mapping[str, Any]]],
    environments: Sequence[SnapshotEnvironment],
    task_id: Sequence[str],
    **columns: Any,
) -> list[float]:
    """The reward function for TRL: 1 for an attempt that passes, 0 for one that fails.

    TRL would count a missing reward as 0. One that nobody can tell is the mean of the others at the same task instead, so
    that its advantage is 0 and theirs stay as they are.
    """
    return masked(verdicts(completions, environments), task_id)


def shared_rewards(
    completions: Sequence[Sequence[Mapping[str, Any]]],
    environments: Sequence[SnapshotEnvironment],
    task_id: Sequence[str],
    **columns: Any,
) -> list[float]:
    """The same, with the share of checks that hold for graph tasks."""
    return masked(verdicts(completions, environments, shared=True), task_id)


def masked(found: Sequence[float | None], task_id: Sequence[str]) -> list[float]:
    """Return rewards with the mean of the others at the same task for each that is None."""
    known: defaultdict[str, list[float]] = defaultdict(list)
    for reward, task in zip(found, task_id, strict=True):
        if reward is not None:
            known[task].append(reward)
    means = {task: sum(some) / len(some) for task, some in known.items()}
    return [means.get(task, 0.0) if reward is None else reward for reward, task in zip(found, task_id, strict=True)]


def _last_message(completion: Sequence[Mapping[str, Any]]) -> str:
    last = completion[-1] if completion else {}
    return str(last.get("content") or "") if last.get("role") == "assistant" else ""
