"""The toolbox: call an author's tools inside a worker, whoever asks.

`Session.call` on the host and a program in the worker both end here, so both see the same
validation, the same clock step and the same errors.
"""

from __future__ import annotations

import base64
import json
import marshal
import sys
import types
from typing import Any, NamedTuple

from ..sandbox.frames import encode
from ..sandbox.worker import describe
from .databases import roll_back_open_transactions
from .determinism import REALITY
from .refusals import refusal
from .schemas import violations

MODULE = "tools"


class Observation(NamedTuple):
    """What a call returned; `fault`: it was the tool's fault, not the caller's."""

    value: Any
    fault: bool = False


def compile_module(source: str, name: str) -> str:
    """Return the code of `source` in base64, for `load` in any worker of this fork server.

    SyntaxError and its like when it does not compile. Compiling 600 lines takes longer than all
    else in opening a session, and runs nothing of what it compiles.
    """
    return base64.b64encode(marshal.dumps(compile(source, name, "exec", dont_inherit=True))).decode()


def execute_module(name: str, code: Any) -> types.ModuleType:
    """Execute compiled code as the module `name`, known to sys.modules as dataclasses need it."""
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(code, module.__dict__)
    return module


class Toolbox:
    """The tools of one bundle, loaded in this process."""

    def __init__(self) -> None:
        self._schemas: dict[str, Any] = {}
        self._module = types.ModuleType(MODULE)

    def load(self, code: str, input_schemas: dict[str, Any]) -> None:
        """Execute the module that `compile_module` made; whatever it raises is the author's.

        `input_schemas`: tool name → JSON Schema; only these functions are tools.
        """
        self._schemas = input_schemas
        self._module = execute_module(MODULE, marshal.loads(base64.b64decode(code)))
        roll_back_open_transactions()

    def call(self, name: str, arguments: Any, index: int) -> Observation:
        """Make call number `index` of the session: validate, step the clock, run the tool.

        The result is what JSON makes of it. Every failure is data: `unknown_tool` and
        `invalid_argument` are the caller's, `tool_crashed` is the tool's.
        """
        REALITY.step(index)
        if name not in self._schemas:
            return Observation(refusal("unknown_tool", f"there is no tool {name}"))
        wrong = violations(arguments, self._schemas[name])
        if wrong:
            return Observation(refusal("invalid_argument", "; ".join(wrong)))
        try:
            value = json.loads(encode(getattr(self._module, name)(**arguments)))
        except BaseException as fault:  # the boundary at which an author's tool fails
            roll_back_open_transactions()
            return Observation(refusal("tool_crashed", describe(fault)), fault=True)
        if roll_back_open_transactions():
            return Observation(refusal("tool_crashed", "the tool returned without ending its transaction"), fault=True)
        return Observation(value)
