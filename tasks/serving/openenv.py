"""OpenEnv's contract over episodes: reset, step, state, as its HTTP server speaks it.

Followed: github.com/meta-pytorch/OpenEnv, src/openenv/core/env_server/types.py at commit 42f4a83
(ResetRequest, StepRequest, their responses, State) and mcp_types.py at 3f73e19 (CallToolAction,
ListToolsAction of its RFC 003). As in its servers there is one episode while nobody names any,
called "default"; `episode_id` in the body of reset and step, or in the query of state, names
others, so many run at once.

An episode ends by the action {"tool_name": "submit_answer", "arguments": {the answer's fields}}:
done is true and the reward is the verdict's, 1 or 0, or null when the verdict is an error.
"""

from __future__ import annotations

from typing import Any

from .episodes import LONGEST_ID, Declined, Episode, Episodes

DEFAULT_EPISODE = "default"
SUBMIT = "submit_answer"
METADATA = {
    "name": "agent-world-factory",
    "description": "Environments over real data with verifiable tasks",
    "version": "1",
}
SCHEMA = {
    "action": {
        "type": "object",
        "properties": {
            "type": {"enum": ["call_tool", "list_tools"], "default": "call_tool"},
            "tool_name": {"type": "string", "description": f"a tool of the environment, or {SUBMIT}"},
            "arguments": {"type": "object"},
        },
    },
    "observation": {"type": "object"},
    "state": {
        "type": "object",
        "properties": {"episode_id": {"type": "string"}, "step_count": {"type": "integer"}},
    },
}


def reset(episodes: Episodes, body: dict[str, Any]) -> dict[str, Any]:
    """Start an episode anew: of `task_id`, of `environment`, or of the task that `seed` points at."""
    episode_id = _episode_id(body)
    seed = body.get("seed")
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool) or seed < 0):
        raise Declined(422, "invalid_request", "seed is a whole number of at least 0")
    task_id, environment = body.get("task_id"), body.get("environment")
    if task_id is None and environment is None:
        if not episodes.tasks:
            raise Declined(409, "no_task", "no task is served here; name an environment")
        task_id = sorted(episodes.tasks)[(seed or 0) % len(episodes.tasks)]
    episodes.close(episode_id)
    episode = episodes.open(task_id, environment, None, episode_id)
    observation = {"tools": _tools(episode)}
    if episode.task is not None:
        observation |= episode.task.shown()
    return _response(observation, None, False, episode)


def step(episodes: Episodes, body: dict[str, Any]) -> dict[str, Any]:
    """Carry out one action of the episode."""
    action = body.get("action")
    if not isinstance(action, dict):
        raise Declined(422, "invalid_request", 'action is an object: {"tool_name": ..., "arguments": {...}}')
    with episodes.use(_episode_id(body)) as episode:
        if action.get("type") == "list_tools":
            return _response({"tools": _tools(episode)}, None, episode.done, episode)
        tool, arguments = action.get("tool_name"), action.get("arguments", {})
        if not isinstance(tool, str) or not isinstance(arguments, dict):
            raise Declined(422, "invalid_request", "tool_name is text and arguments is an object")
        if episode.done:
            raise Declined(409, "episode_done", "the episode is over; reset it")
        if tool == SUBMIT:
            verdict = episode.verify(arguments)
            episode.done = True
            observation = {"tool_name": tool, "result": {"outcome": verdict["outcome"]}, "error": None}
            return _response(observation, verdict["reward"], True, episode)
        result = episode.call(tool, arguments)
        return _response({"tool_name": tool, "result": result, "error": None}, None, False, episode)


def state(episodes: Episodes, query: dict[str, Any]) -> dict[str, Any]:
    """Return the episode's id and count of steps, and what it changed."""
    with episodes.use(_episode_id(query)) as episode:
        about = episode.state()
    return {"episode_id": about.pop("session_id"), "step_count": about.pop("calls"), **about}


def _episode_id(body: dict[str, Any]) -> str:
    episode_id = body.get("episode_id")
    if episode_id is None:
        return DEFAULT_EPISODE
    if not isinstance(episode_id, str) or not 0 < len(episode_id) <= LONGEST_ID:
        raise Declined(422, "invalid_request", f"episode_id is text of at most {LONGEST_ID} characters")
    return episode_id


def _tools(episode: Episode) -> list[dict[str, Any]]:
    return [
        {"name": tool["name"], "description": tool["description"], "input_schema": tool["inputSchema"]}
        for tool in episode.session.list_tools()
    ]


def _response(observation: dict[str, Any], reward: float | None, done: bool, episode: Episode) -> dict[str, Any]:
    return {"observation": observation, "reward": reward, "done": done, "metadata": {"episode_id": episode.id}}
