"""Rows of a snapshot's tables: a task, its gold run, and its prompt for trainers that let a policy act."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from schemas.snapshots import Candidate, Split
from schemas.tasks import AgentTask, GoldRun
from tasks.training.reader import CONVERSATIONS, GOLD, PROMPTS, TASKS
from tasks.training.tables import MESSAGES, Kind, struct_of

AGENT_LOOP = "agent_world"
"""The name under which verl finds the agent loop: `- name:` in verl/agent_loop.yaml."""
COLUMNS: dict[str, Mapping[str, Kind]] = {
    TASKS: {
        "id": str, "environment_id": str, "theme": str, "request": str, "language": str, "kind": str, "shape": str,
        "author": str, "level": int, "gold_calls": int, "unique_tools": int, "requires_change": bool, "assurance": str,
        "traits": dict, "answer_fields": dict, "checks": dict, "disturbances": dict, "solution": str, "attempts": int,
        "pass_rate": float,
    },
    GOLD: {"task_id": str, "environment_id": str, "answer": dict, "state_id": str, "changes": dict, "steps": dict},
    CONVERSATIONS: {"task_id": str, "environment_id": str, "origin": str, "messages": dict, "tools": dict},
    PROMPTS: {
        "task_id": str, "environment_id": str, "level": int, "prompt": MESSAGES, "data_source": str, "agent_name": str,
        "ability": str, "reward_model": struct_of(style=str, ground_truth=str),
        "extra_info": struct_of(split=str, index=int, task_id=str, environment_id=str),
    },
}  # fmt: skip
"""Folder → columns. In rl/ they are what verl documents; TRL's are among them (`agent_world.training.adapters.trl.rows`)."""


def task_row(task: AgentTask, theme: str, candidate: Candidate) -> dict[str, Any]:
    """Return a task with all that verifies it."""
    stored = task.model_dump(mode="json")
    known = {name: stored[name] for name in COLUMNS[TASKS] if name in stored}
    return {**known, "theme": theme, "attempts": candidate.attempts, "pass_rate": candidate.pass_rate}


def gold_row(task: AgentTask, gold: GoldRun) -> dict[str, Any]:
    """Return a task's gold run."""
    steps = [step.model_dump(mode="json", include={"tool", "arguments", "observation"}) for step in gold.steps]
    return {
        "task_id": task.id,
        "environment_id": task.environment_id,
        "answer": gold.answer,
        "state_id": gold.state_id,
        "changes": gold.state_diff,
        "steps": steps,
    }


def prompt_row(task: AgentTask, prompt: list[dict[str, str]], split: Split, number: int) -> dict[str, Any]:
    """Return what a trainer begins an attempt with. What is expected stays in tasks/: the reward looks it up there."""
    place = {"task_id": task.id, "environment_id": task.environment_id}
    return {
        **place,
        "level": task.level,
        "prompt": prompt,
        "data_source": "agent_world",
        "agent_name": AGENT_LOOP,
        "ability": task.kind,
        "reward_model": {"style": "rule", "ground_truth": json.dumps({"task_id": task.id})},
        "extra_info": {"split": split, "index": number, **place},
    }
