"""An HTTP server over the tools of one workspace, its working directory (FastAPI, uvicorn).

    python tool_server.py TOOLS_SOURCE LISTENING_DESCRIPTOR

POST /call {"name", "arguments"} returns what the tool returned. It ends when its stdin does, so also
when the process that started it is killed.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any

import unsynced
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel


class Call(BaseModel):
    """One call of a tool."""

    name: str
    arguments: dict[str, Any]


def main(source: str, descriptor: int) -> None:
    """Serve the tools of the module in file `source` on a listening socket until stdin ends."""
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    unsynced.install()
    tools: dict[str, Any] = {"__name__": "tools"}
    exec(compile(Path(source).read_text(encoding="utf-8"), "tools.py", "exec", dont_inherit=True), tools)
    app = FastAPI(openapi_url=None)

    @app.post("/call")
    async def call(request: Call) -> Any:  # async, so that FastAPI starts no thread, which SQLite would refuse
        return tools[request.name](**request.arguments)

    uvicorn.run(app, fd=descriptor, log_level="error", access_log=False, lifespan="off")


def _end_with_stdin() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
