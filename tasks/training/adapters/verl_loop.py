"""verl: an agent loop that gives each trajectory the tools of its own environment, and its reward.

Rows name it by `agent_name`, verl/agent_loop.yaml says where it is. Followed: verl 0.9.1,
verl/experimental/agent_loop/tool_agent_loop.py: a loop is made for every trajectory, and `reward_score` spares the reward function.
"""

from __future__ import annotations

import asyncio
from typing import Any

from verl.experimental.agent_loop.agent_loop import AgentLoopOutput
from verl.experimental.agent_loop.tool_agent_loop import AgentData, AgentState, ToolAgentLoop
from verl.tools.function_tool import FunctionTool
from verl.tools.schemas import OpenAIFunctionToolSchema

from .attempt import BROKEN_WORLD, Attempt, own_snapshot

TRIES = 3
"""Times that a trajectory is begun whose world broke, which says nothing of the policy."""


class SnapshotAgentLoop(ToolAgentLoop):  # type: ignore[misc]
    """ToolAgentLoop over the world of a row's task."""

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> AgentLoopOutput:
        """Return a trajectory with its reward. One that nobody can tell has no token that is trained on.

        Raises what kept its world from opening, when that happens every time: this machine plays nothing.
        """
        reward = None
        for left in reversed(range(TRIES)):
            try:
                output, reward = await self._attempt(sampling_params, row)
            except BROKEN_WORLD:
                if not left:
                    raise
            if reward is not None:
                break
        if reward is None:
            output.response_mask = [0] * len(output.response_mask)
        output.reward_score = reward or 0.0
        output.extra_fields["reward_extra_info"] = {"acc": output.reward_score, "masked": float(reward is None)}
        return output

    async def _attempt(
        self, sampling_params: dict[str, Any], row: dict[str, Any]
    ) -> tuple[AgentLoopOutput, float | None]:
        attempt = await asyncio.to_thread(Attempt, own_snapshot(), row["extra_info"]["task_id"])
        try:
            self.tool_schemas = attempt.functions  # as they are: verl's own model of a schema drops what is nested
            self.tools = _tools_of(attempt)
            output = await super().run(sampling_params, **row)
            return output, await asyncio.to_thread(attempt.reward, _last_message(self._data))
        finally:
            await asyncio.to_thread(attempt.close)

    async def _handle_pending_state(self, agent_data: AgentData, sampling_params: dict[str, Any]) -> AgentState:
        self._data = agent_data
        return await super()._handle_pending_state(agent_data, sampling_params)


def _tools_of(attempt: Attempt) -> dict[str, FunctionTool]:
    """Return the tools as verl calls them: those of one message are begun together, and are made in their order."""
    turn = asyncio.Lock()  # first come, first served

    def bound(function: dict[str, Any]) -> FunctionTool:
        name = function["function"]["name"]

        async def call(**arguments: Any) -> str:
            async with turn:
                return await asyncio.to_thread(attempt.call, name, arguments)

        schema = OpenAIFunctionToolSchema.model_validate(function)
        return FunctionTool(name=name, fn=call, tool_schema=schema, is_async=True)

    return {tool.name: tool for tool in map(bound, attempt.functions)}


def _last_message(data: AgentData) -> str:
    last = data.messages[-1]
    return str(last["content"] or "") if last["role"] == "assistant" and not last.get("tool_calls") else ""
