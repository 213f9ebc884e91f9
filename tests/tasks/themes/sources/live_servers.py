"""Little MCP servers over stdio that misbehave, each in its own way: python live_servers.py WAY MARK.

Each first starts two processes that outlive their parent (one leaves its session, one its parent), both with MARK
among their arguments, so that a test can look for them.
"""

import json
import os
import subprocess
import sys
import time

SLEEPER = "import time; time.sleep(300)"


def start_children(mark: str) -> None:
    subprocess.Popen([sys.executable, "-c", SLEEPER, mark], start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        subprocess.Popen([sys.executable, "-c", SLEEPER, mark])
        os._exit(0)


def say(**message: object) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def tools(way: str, number: int) -> dict[str, object]:
    """The answer to the request for the number-th page."""
    schema = {"type": "object", "properties": {"title": {"type": "string"}, "status": {"enum": ["open", "done"]}}}
    if way == "endless":
        return {"tools": [{"name": f"get_task_{number}", "inputSchema": schema}], "nextCursor": str(number)}
    if way == "circling":
        return {"tools": [{"name": f"get_task_{number}", "inputSchema": schema}], "nextCursor": "again"}
    if way == "malformed":
        return {"tools": [{"title": "a tool without a name"}]}
    if way == "many":
        node = {"type": "object", "properties": {"name": {"$ref": "#/$defs/text"}, "parent": {"$ref": "#/$defs/node"}}}
        cyclic = {"$ref": "#/$defs/node", "$defs": {"node": node, "text": {"type": "string", "description": "words"}}}
        return {
            "tools": [{"name": f"create_task_{at}", "inputSchema": {"type": "object", **cyclic}} for at in range(500)]
        }
    if way == "huge_schema":
        big = {"type": "object", "properties": {f"field_{at}": {"type": "string"} for at in range(20_000)}}
        return {"tools": [{"name": "create_task", "inputSchema": big}, {"name": "list_tasks", "inputSchema": schema}]}
    named = [
        ("create_task", schema),
        ("complete_task", {"type": "object", "properties": {"task_id": {"type": "string"}}}),
    ]
    return {"tools": [{"name": name, "description": "Keep tasks.", "inputSchema": of} for name, of in named]}


def converse(way: str) -> None:
    pages = 0
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "initialize":
            version = message["params"]["protocolVersion"]
            info = {"name": "Task keeper", "version": "2.1"}
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
            say(id=message["id"], result=result)
        elif message.get("method") == "tools/list":
            if way == "crash_midway":
                sys.exit("the database is gone")
            if way == "late":
                time.sleep(300)
            if way == "noisy":
                print("Listing tools now …", flush=True)
            pages += 1
            say(id=message["id"], result=tools(way, pages))
        elif "id" in message:
            say(id=message["id"], error={"code": -32601, "message": "Method not found"})


def main(way: str, mark: str) -> None:
    start_children(mark)
    if way == "hang":
        time.sleep(300)
    if way == "deaf":
        sys.stdin.close()
        time.sleep(300)
    if way == "crash":
        sys.exit("TASKS_KEY is not set")
    while way == "flood":
        sys.stdout.write('{"noise": "' + "x" * 10_000 + '"}\n')
    while way == "flood_without_end_of_line":
        sys.stdout.write("{" * 10_000)
    while way == "flood_errors":
        sys.stderr.write("x" * 10_000 + "\n")
    converse(way)


if __name__ == "__main__":
    main(*sys.argv[1:])
