"""OpenEnv's reset, step and state."""

from __future__ import annotations

from tests.tasks.serving.conftest import Client, Served

RESPONSE = {"observation", "reward", "done", "metadata"}


def test_an_episode_to_its_reward(client: Client, served: Served) -> None:
    task, gold = served.writing
    opened = client.post("/reset", task_id=task.id)
    assert opened.keys() == RESPONSE and (opened["reward"], opened["done"]) == (None, False)
    assert opened["observation"]["request"] == task.request
    assert opened["observation"]["tools"][0].keys() == {"name", "description", "input_schema"}
    for step in gold.steps:
        reply = client.post("/step", action={"tool_name": step.tool, "arguments": step.arguments}, timeout_s=30)
        assert reply.keys() == RESPONSE and (reply["reward"], reply["done"]) == (None, False)
        assert reply["observation"] == {"tool_name": step.tool, "result": step.observation, "error": None}
    state = client.get("/state")
    assert (state["episode_id"], state["step_count"]) == ("default", len(gold.steps))
    ended = client.post("/step", action={"tool_name": "submit_answer", "arguments": gold.answer})
    assert (ended["reward"], ended["done"]) == (1.0, True)
    assert client.code("/step", action={"tool_name": "submit_answer", "arguments": {}}) == (409, "episode_done")


def test_nothing_done_has_no_reward(client: Client, served: Served) -> None:
    client.post("/reset", task_id=served.writing[0].id)
    assert client.post("/step", action={"tool_name": "submit_answer"})["reward"] == 0.0


def test_a_seed_points_at_a_task(client: Client, served: Served) -> None:
    drawn = [client.post("/reset", seed=seed)["observation"]["task_id"] for seed in range(len(served.pairs) + 1)]
    assert sorted(drawn[:-1]) == sorted(task.id for task, _ in served.pairs) and drawn[-1] == drawn[0]


def test_episodes_with_ids_run_side_by_side(client: Client, served: Served) -> None:
    order = {"tool_name": "create_purchase_order", "arguments": {"album_id": 200, "quantity": 3}}
    for name in ("a", "b"):
        client.post("/reset", task_id=served.writing[0].id, episode_id=name)
    client.post("/step", action=order, episode_id="a")
    assert client.get("/state?episode_id=a")["step_count"] == 1
    assert client.get("/state?episode_id=b")["diff"] == {}
    client.post("/reset", task_id=served.writing[0].id, episode_id="a")
    assert client.get("/state?episode_id=a")["diff"] == {}


def test_tools_are_listed_and_described(client: Client, served: Served) -> None:
    client.post("/reset")
    listed = client.post("/step", action={"type": "list_tools"})["observation"]["tools"]
    assert [tool["name"] for tool in listed] == list(served.ground.bundle.tools)
    assert client.get("/schema").keys() == {"action", "observation", "state"}
    assert client.get("/metadata")["name"] and client.get("/health")["status"] == "healthy"
    assert "submit_answer" not in served.ground.bundle.tools


def test_bad_requests(client: Client) -> None:
    assert client.code("/step", action={"tool_name": "x"}) == (404, "unknown_session")
    assert client.code("/reset", seed=-1) == (422, "invalid_request")
    assert client.code("/reset", episode_id="x" * 256) == (422, "invalid_request")
    client.post("/reset")
    assert client.code("/step", action={"tool_name": 1}) == (422, "invalid_request")
