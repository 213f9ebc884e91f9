"""verl's own data set and agent loop over a snapshot, with a stand-in for its generation server. Prints one JSON object."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
FOLDER = Path(sys.argv[1])
sys.path.insert(0, str(FOLDER))

from agent_world.training.adapters.tiny_model import tokenizer_of  # noqa: E402
from agent_world.training.adapters.verl_loop import SnapshotAgentLoop  # noqa: E402
from agent_world.training.reader import Snapshot  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402
from speaker import Speaker  # noqa: E402
from verl.experimental.agent_loop.agent_loop import DictConfigWrap  # noqa: E402
from verl.utils.dataset.rl_dataset import RLHFDataset  # noqa: E402
from verl.workers.rollout.replica import TokenOutput  # noqa: E402

TEMPLATE = """{%- if tools %}<|im_start|>system
{{ messages[0].content }}

<tools>{% for tool in tools %}
{{ tool | tojson }}{% endfor %}
</tools><|im_end|>
{% else %}<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}{% for message in messages[1:] %}{% if message.role == "tool" %}<|im_start|>user
<tool_response>
{{ message.content }}
</tool_response><|im_end|>
{% else %}<|im_start|>{{ message.role }}
{{ message.content }}{% for call in message.tool_calls or [] %}
<tool_call>
{{ {"name": call.function.name, "arguments": call.function.arguments} | tojson }}
</tool_call>{% endfor %}<|im_end|>
{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
CONFIG = OmegaConf.create(
    {
        "data": {"return_raw_chat": True, "filter_overlong_prompts": False, "apply_chat_template_kwargs": {}},
        "actor_rollout_ref": {
            "rollout": {
                "prompt_length": 60_000,
                "response_length": 60_000,
                "full_determinism": False,
                "multi_turn": {
                    "max_user_turns": 80,
                    "max_assistant_turns": 80,
                    "max_parallel_calls": 8,
                    "max_tool_response_length": 16_000,
                    "tool_response_truncate_side": "right",
                    "format": "hermes",
                },
            }
        },
    }
)


class StandIn:
    """A generation server that says what a speaker says."""

    def __init__(self, tokenizer, speaker: Speaker) -> None:
        self._tokenizer, self._speaker = tokenizer, speaker

    async def generate(self, request_id, prompt_ids, sampling_params, **_) -> TokenOutput:
        said = self._speaker.next(self._tokenizer.decode(prompt_ids)) + self._tokenizer.eos_token
        return TokenOutput(token_ids=self._tokenizer(said, add_special_tokens=False)["input_ids"])


async def main() -> None:
    snapshot = Snapshot(FOLDER)
    conversations = list(snapshot.rows("sft", "train"))
    tokenizer = tokenizer_of([json.dumps(each, ensure_ascii=False) for each in conversations], TEMPLATE)
    wrong = {each["task_id"] for each in conversations[1::2]}
    server = StandIn(tokenizer, Speaker(conversations, wrong))
    with tempfile.TemporaryDirectory() as cache:
        config = OmegaConf.merge(CONFIG.data, {"cache_dir": cache})
        rows = RLHFDataset(str(FOLDER / "rl" / "train.parquet"), tokenizer, config)
        outputs = [await _trajectory(rows[place], tokenizer, server) for place in range(len(rows))]
    found = {row["extra_info"]["task_id"]: round(out.reward_score, 3) for row, out in outputs}
    masks = {sum(out.response_mask) > 0 for _, out in outputs}
    wanted = {each["task_id"]: float(each["task_id"] not in wrong) for each in conversations}
    print(json.dumps({"rewards": found, "wanted": wanted, "trained_on": masks == {True}}))


async def _trajectory(row, tokenizer, server: StandIn):
    loop = SnapshotAgentLoop(
        trainer_config=DictConfigWrap(CONFIG), server_manager=server, tokenizer=tokenizer, processor=None,
        dataset_cls=RLHFDataset, data_config=DictConfigWrap(CONFIG.data),
    )  # fmt: skip
    given = {name: row[name] for name in ("raw_prompt", "extra_info", "reward_model", "data_source", "agent_name")}
    return row, await loop.run({}, **given)


asyncio.run(main())
