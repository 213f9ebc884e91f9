"""TRL's own trainer over a snapshot: its data set, its tool loop on our worlds, its reward. Prints one JSON object."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

os.environ |= {"HF_HUB_OFFLINE": "1", "TRL_EXPERIMENTAL_SILENCE": "1", "TOKENIZERS_PARALLELISM": "false"}
FOLDER = Path(sys.argv[1])
sys.path.insert(0, str(FOLDER))

import trl  # noqa: E402
from agent_world.training.adapters.tiny_model import model_of, tokenizer_of  # noqa: E402
from agent_world.training.adapters.trl import called_tools, environment_classes, rewards, rows  # noqa: E402
from agent_world.training.reader import Snapshot  # noqa: E402
from agent_world.world.functions import functions_of  # noqa: E402
from datasets import Dataset, load_dataset  # noqa: E402
from speaker import Speaker, shortest  # noqa: E402
from transformers.utils import get_json_schema  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402


def main() -> None:
    snapshot = Snapshot(FOLDER)
    chosen = shortest(list(snapshot.rows("sft", "train")), 2)
    ids = [each["task_id"] for each in chosen]
    template = (Path(trl.__file__).parent / "chat_templates" / "qwen2_5.jinja").read_text()
    tokenizer = tokenizer_of([json.dumps(each, ensure_ascii=False) for each in chosen], template)
    seen: dict[str, float] = {}

    def recorded(completions, environments, task_id, **columns):
        found = rewards(completions, environments, task_id, **columns)
        seen.update(zip(task_id, found, strict=True))
        return found

    with tempfile.TemporaryDirectory() as place:
        trainer = GRPOTrainer(
            model=model_of(tokenizer, seed=0, hidden=32, layers=2),
            processing_class=tokenizer,
            train_dataset=Dataset.from_list([row for row in rows(snapshot, "train") if row["task_id"] in ids]),
            environment_factory=environment_classes(snapshot, called_tools(chosen)),
            reward_funcs=recorded,
            args=GRPOConfig(
                place, max_steps=1, per_device_train_batch_size=4, num_generations=2, max_completion_length=6000,
                max_tool_calling_iterations=60, report_to=[], save_strategy="no", use_cpu=True, bf16=False,
            ),
        )  # fmt: skip
        speaker = Speaker(chosen, wrong=ids[1:])

        def generate(prompt_ids, *_, **__):
            said = [speaker.next(tokenizer.decode(ids)) + tokenizer.eos_token for ids in prompt_ids]
            return [tokenizer(text, add_special_tokens=False)["input_ids"] for text in said], None

        trainer._generate_single_turn = generate
        trainer.train()
    print(json.dumps({"rewards": [seen[each] for each in ids], "schemas": same_schemas(snapshot), **loaded(FOLDER)}))


def same_schemas(snapshot: Snapshot) -> bool:
    """Whether TRL describes every tool of every environment by the name, parameters and requirements that it has."""
    for environment_id, kind in environment_classes(snapshot).items():
        for each in functions_of(snapshot.bundle(environment_id).list_tools()):
            ours, theirs = each["function"], get_json_schema(getattr(kind(), each["function"]["name"]))["function"]
            parameters, told = ours["parameters"], theirs["parameters"]
            if (ours["name"], set(parameters["properties"])) != (theirs["name"], set(told["properties"])):
                return False
            if set(parameters.get("required", ())) != set(told.get("required", ())):
                return False
    return True


def loaded(folder: Path) -> dict[str, int]:
    """Load every parquet by the library `datasets`, and count its rows."""
    files = sorted(folder.glob("*/train.parquet"))
    return {path.parent.name: len(load_dataset("parquet", data_files=str(path), split="train")) for path in files}


main()
