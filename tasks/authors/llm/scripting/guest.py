"""What runs in the jail: a model's script, with `open`, `load` and `save` over its files.

The host never calls this: `running.py` sends its source. No file can be created in a jail, so that what the script
writes is collected here and told to the host, which decides where it goes.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import traceback
from typing import Any

FOLDER = "files/"
SCRIPT = "script.py"
MOST_PRINTED = 50_000


class _Written(io.StringIO):
    """A file that a script writes; its text is kept when it is closed."""

    def __init__(self, path: str, saved: dict[str, str]) -> None:
        super().__init__(newline="")
        self._path, self._saved = path, saved

    def close(self) -> None:
        if not self.closed:
            self._saved[self._path] = self.getvalue()
        super().close()


def run_code(code: str) -> dict[str, Any]:
    """Run a script; return what it printed, the texts that it wrote by path, and what it failed with ('' for nothing)."""
    saved: dict[str, str] = {}

    def opened(path: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
        if set(mode) & set("wax+"):
            return _Written(str(path), saved)
        return builtins.open(FOLDER + str(path).removeprefix(FOLDER), mode, *rest, **named)

    def load(path: Any) -> Any:
        with opened(path) as file:
            return json.load(file)

    def save(path: Any, value: Any) -> None:
        saved[str(path)] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)

    printed, error = io.StringIO(), ""
    scope = {"__name__": "__main__", "open": opened, "load": load, "save": save}
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(code, SCRIPT, "exec", dont_inherit=True), scope)
    except BaseException as fault:  # the boundary at which a model's script fails, SystemExit included
        lines = [frame.lineno for frame in traceback.extract_tb(fault.__traceback__) if frame.filename == SCRIPT]
        place = f"line {lines[-1]}: " if lines else ""
        error = f"{place}{traceback.format_exception_only(fault)[-1].strip()}"[:500]
    return {"printed": printed.getvalue()[:MOST_PRINTED], "saved": saved, "error": error}
