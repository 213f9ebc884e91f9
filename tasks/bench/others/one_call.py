"""A process for one call: load the tools, call one, print what it returned.

    python -I -S one_call.py TOOLS_SOURCE NAME ARGUMENTS

Run as a script in the workspace, without our packages, so that it starts as fast as Python does.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def main(source: str, name: str, arguments: str) -> None:
    """Call tool `name` of the module in file `source`; `arguments` is JSON."""
    sys.path.append(str(Path(__file__).parent))
    import unsynced

    unsynced.install()
    tools: dict[str, Any] = {"__name__": "tools"}
    exec(compile(Path(source).read_text(encoding="utf-8"), "tools.py", "exec", dont_inherit=True), tools)
    print(json.dumps(tools[name](**json.loads(arguments))))


if __name__ == "__main__":
    main(*sys.argv[1:])
