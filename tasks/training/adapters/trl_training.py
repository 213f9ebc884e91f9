"""Training with TRL: supervised steps on a snapshot's conversations, then GRPO against its worlds.

    python train_trl.py --out DIR --profile tiny [--model MODEL] [--seed 0] [--tasks 16] [--steps 40]

In DIR: `metrics.jsonl`, a line a logged step {phase, step, reward, entropy, length, …}; `warm/` after the supervised steps;
`checkpoint-N/`; `model/` and `result.json` in the end. A killed training goes on where it stood when it is started again, and one
that is through is not made again.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import torch
import trl
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback, set_seed
from transformers.trainer_utils import get_last_checkpoint
from transformers.utils import get_json_schema
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer
from trl.chat_template_utils import get_training_chat_template

from ..reader import CONVERSATIONS, Snapshot
from .metrics import METRICS, metrics_of
from .profiles import PROFILES, Profile
from .tiny_model import model_of, tokenizer_of
from .trl import SnapshotEnvironment, called_tools, environment_classes, rewards, rows, shared_rewards

TEMPLATE = Path(trl.__file__).parent / "chat_templates" / "qwen2_5.jinja"
"""The tiny model's: one that TRL knows, byte for byte, with a parser of its calls and a version of it to train with."""
EDGE = 5
"""Steps that the first and the last reward are means of."""
LOGGED = {
    "reward": "reward",
    "entropy": "entropy",
    "length": "completions/mean_length",
    "calls": "tools/call_frequency",
    "loss": "loss",
    "kl": "kl",
    "seconds": "step_time",
}
"""What a line of metrics tells, and what TRL calls it."""


def main(folder: Path, arguments: list[str] | None = None) -> int:
    """Train on the snapshot in `folder`; return the exit code. The last line of stdout is result.json."""
    given, profile = _given(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    lock = (given.out / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        print(f"{given.out} is at work already", file=sys.stderr)
        return 2
    finished = given.out / "result.json"
    if finished.exists():
        print(finished.read_text(encoding="utf-8"))
        return 0
    began, training = time.monotonic(), Training(Snapshot(folder), profile, given.out, given.seed, given.shared)
    model, tokenizer = training.start(given.model)
    if profile.warm_steps:
        model = training.warm_up(model, tokenizer)
    training.reinforce(model, tokenizer)
    result = {**training.result(), "seconds": round(time.monotonic() - began, 1), "profile": asdict(profile)}
    finished.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result))
    return 0


def _given(arguments: list[str] | None) -> tuple[argparse.Namespace, Profile]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder of metrics, checkpoints and the model")
    parser.add_argument("--profile", choices=sorted(PROFILES), default="tiny")
    parser.add_argument("--model", help="a model's name or folder; without one a tiny random one is made")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--shared", action="store_true", help="graph tasks are worth the share of their checks that hold"
    )
    for each in fields(Profile):
        if each.type in ("int", "float"):
            kind = int if each.type == "int" else float
            parser.add_argument(f"--{each.name.replace('_', '-')}", type=kind, help="instead of the profile's")
    given = parser.parse_args(arguments)
    named = {each.name: getattr(given, each.name, None) for each in fields(Profile)}
    return given, replace(
        PROFILES[given.profile], **{name: value for name, value in named.items() if value is not None}
    )


class Training:
    """One training, in its folder."""

    def __init__(self, snapshot: Snapshot, profile: Profile, out: Path, seed: int, shared: bool = False) -> None:
        self._profile, self._out, self._seed, self._shared = profile, out, seed, shared
        found = sorted(snapshot.rows(CONVERSATIONS, "train"), key=lambda each: len(each["messages"]))
        ids = list(dict.fromkeys(each["task_id"] for each in found))
        self._chosen = set(ids[: profile.tasks or len(ids)])
        self._conversations = [each for each in found if each["task_id"] in self._chosen]
        self._rows = [row for row in rows(snapshot, "train") if row["task_id"] in self._chosen]
        self._classes = environment_classes(snapshot, called_tools(self._conversations) if profile.few_tools else None)

    def start(self, name: str | None) -> tuple[Any, Any]:
        """Return the model and the tokenizer to begin with."""
        set_seed(self._seed)
        warm = self._out / "warm"
        place = str(warm) if warm.is_dir() else name
        if place is not None:
            return AutoModelForCausalLM.from_pretrained(place), AutoTokenizer.from_pretrained(place)
        template = TEMPLATE.read_text(encoding="utf-8")
        plain = tokenizer_of([], template)
        texts = (self._rendered(each, plain, tokenize=False) for each in self._conversations)
        tokenizer = tokenizer_of(texts, template)
        return model_of(tokenizer, self._seed), tokenizer

    def warm_up(self, model: Any, tokenizer: Any) -> Any:
        """Train on the conversations, as GRPO renders them, and keep what came of it; done once."""
        warm = self._out / "warm"
        if warm.is_dir():
            return model
        profile = self._profile
        trainer = SFTTrainer(
            model=model,
            processing_class=tokenizer,
            train_dataset=Dataset.from_list([self._taught(each, tokenizer) for each in self._conversations]),
            args=SFTConfig(
                str(self._out / "sft"),
                max_steps=profile.warm_steps,
                learning_rate=profile.warm_rate,
                per_device_train_batch_size=profile.warm_batch,
                max_length=None,
                **self._common(),
            ),
            callbacks=[MetricsWriter(self._out, "warm")],
        )
        trainer.train()
        trainer.save_model(str(warm))
        tokenizer.save_pretrained(str(warm))
        return trainer.model

    def reinforce(self, model: Any, tokenizer: Any) -> None:
        """Train by reward, from the last checkpoint where there is one, and keep the model."""
        profile, checkpoint = self._profile, get_last_checkpoint(str(self._out))
        trainer = GRPOTrainer(
            model=model,
            processing_class=tokenizer,
            train_dataset=Dataset.from_list(self._rows),
            environment_factory=self._classes,
            reward_funcs=shared_rewards if self._shared else rewards,
            args=GRPOConfig(
                str(self._out),
                max_steps=profile.steps,
                learning_rate=profile.rate,
                per_device_train_batch_size=min(profile.tasks_a_step, len(self._rows)) * profile.group,
                num_generations=profile.group,
                temperature=profile.temperature,
                epsilon=profile.clip_low,
                epsilon_high=profile.clip_high,
                beta=profile.kl,
                max_completion_length=profile.tokens,
                max_tool_calling_iterations=profile.turns,
                save_strategy="steps",
                save_steps=profile.save_every,
                save_total_limit=2,
                **self._common(),
            ),
            callbacks=[MetricsWriter(self._out, "grpo")],
        )
        trainer.train(resume_from_checkpoint=checkpoint)
        trainer.save_model(str(self._out / "model"))
        tokenizer.save_pretrained(str(self._out / "model"))

    def result(self) -> dict[str, Any]:
        """Return {reward_first, reward_last, noise, steps}: means over the first and last steps, and of their difference twice
        its standard error."""
        found = [line["reward"] for line in metrics_of(self._out) if line["phase"] == "grpo" and "reward" in line]
        first, last = found[:EDGE], found[-EDGE:]
        noise = 2 * math.sqrt(_variance_of_mean(first) + _variance_of_mean(last))
        told = {"reward_first": _mean(first), "reward_last": _mean(last), "noise": noise}
        return {name: round(value, 4) for name, value in told.items()} | {
            "steps": len(found),
            "tasks": len(self._chosen),
        }

    def _common(self) -> dict[str, Any]:
        cpu = not torch.cuda.is_available()
        return {
            "seed": self._seed,
            "logging_steps": 1,
            "report_to": [],
            "use_cpu": cpu,
            "bf16": not cpu,
            "disable_tqdm": True,
        }

    def _taught(self, conversation: dict[str, Any], tokenizer: Any) -> dict[str, Any]:
        """Return a conversation as tokens: rows of a data set would mix up the arguments of calls."""
        told = self._rendered(conversation, tokenizer, return_dict=True, return_assistant_tokens_mask=True)
        return {name: told[name] for name in ("input_ids", "assistant_masks")}

    def _rendered(self, conversation: dict[str, Any], tokenizer: Any, **how: Any) -> Any:
        """Return a conversation as GRPO renders it, with the tools that its class offers."""
        return tokenizer.apply_chat_template(
            [_with_objects(message) for message in conversation["messages"]],
            tools=_schemas(self._classes[conversation["environment_id"]]),
            chat_template=get_training_chat_template(tokenizer),
            **how,
        )


class MetricsWriter(TrainerCallback):  # type: ignore[misc]
    """Writes what TRL logs in a phase."""

    def __init__(self, out: Path, phase: str) -> None:
        self._path, self._phase = out / METRICS, phase

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float], **_: Any) -> None:
        """Add a line for a step."""
        told = {name: logs[key] for name, key in LOGGED.items() if key in logs}
        if told:
            with self._path.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps({"phase": self._phase, "step": state.global_step, **told}) + "\n")


def _schemas(kind: type[SnapshotEnvironment]) -> list[dict[str, Any]]:
    """Return the tools of a class as TRL describes them, in its order."""
    names = sorted(name for name in vars(kind) if not name.startswith("_") and callable(getattr(kind, name)))
    return [get_json_schema(getattr(kind(), name)) for name in names]


def _with_objects(message: dict[str, Any]) -> dict[str, Any]:
    calls = [
        {**call, "function": {**call["function"], "arguments": json.loads(call["function"]["arguments"])}}
        for call in message.get("tool_calls", ())
    ]
    return {**message, "tool_calls": calls} if calls else message


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _variance_of_mean(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    mean = _mean(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values)


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parents[3]))
