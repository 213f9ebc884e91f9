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
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..sandbox.frames import encode
from ..sandbox.worker import describe
from .acceptance import Accept, accepter
from .databases import roll_back_open_transactions
from .determinism import REALITY
from .refusals import OUTPUT_VIOLATES_SCHEMA, UNAVAILABLE, is_refusal, refusal
from .schemas import violations

MODULE = "tools"
SHOWN_VIOLATIONS = 3


class Observation(NamedTuple):
    """What a call returned; `fault`: it was the tool's fault, not the caller's."""

    value: Any
    fault: bool = False


def compile_tools(source: str, schemas: dict[str, Any]) -> str:
    """Return the code of `source` with its schemas in base64, for `load` in any worker of this fork server.

    `schemas`: tool name → [input schema, output schema]. SyntaxError and its like when the source
    does not compile. Compiling 600 lines takes longer than all else in opening a session, and
    runs nothing of what it compiles.
    """
    code = compile(source, f"{MODULE}.py", "exec", dont_inherit=True)
    packed = {name: marshal.dumps(pair) for name, pair in schemas.items()}
    return base64.b64encode(marshal.dumps((code, packed))).decode()


def execute_module(name: str, code: Any) -> types.ModuleType:
    """Execute compiled code as the module `name`, known to sys.modules as dataclasses need it."""
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(code, module.__dict__)
    return module


class Toolbox:
    """The tools of one bundle, loaded in this process."""

    def __init__(self) -> None:
        self._packed: dict[str, bytes] = {}
        self._schemas: dict[str, Any] = {}
        self._accepters: dict[str, Accept] = {}
        self._module = types.ModuleType(MODULE)
        self._disturbances: dict[str, int] = {}

    def disturb(self, disturbances: Mapping[str, int]) -> None:
        """Let the first calls of some tools fail for a moment: tool → how many of them."""
        self._disturbances = dict(disturbances)

    def load(self, compiled: str) -> None:
        """Execute the module that `compile_tools` made; whatever it raises is the author's.

        Only the functions that have schemas are tools.
        """
        code, self._packed = marshal.loads(base64.b64decode(compiled))
        self._module = execute_module(MODULE, code)
        roll_back_open_transactions()

    def call(self, name: str, arguments: Any, index: int) -> Observation:
        """Make call number `index` of the session: validate, step the clock, run the tool.

        The result is what JSON makes of it. Every failure is data: `unknown_tool` and
        `invalid_argument` are the caller's, `tool_crashed` and `output_violates_schema` the tool's,
        `unavailable` nobody's.
        """
        REALITY.step(index)
        if name not in self._packed:
            return Observation(refusal("unknown_tool", f"there is no tool {name}"))
        wrong = violations(arguments, self._schema(name)[0])
        if wrong:
            return Observation(refusal("invalid_argument", "; ".join(wrong)))
        if self._disturbances.get(name, 0) > 0:
            self._disturbances[name] -= 1
            return Observation(refusal(UNAVAILABLE, "the service did not answer in time; nothing was done, try again"))
        try:
            value = json.loads(encode(getattr(self._module, name)(**arguments)))
        except BaseException as fault:  # the boundary at which an author's tool fails
            roll_back_open_transactions()
            return Observation(refusal("tool_crashed", describe(fault)), fault=True)
        if roll_back_open_transactions():
            return Observation(refusal("tool_crashed", "the tool returned without ending its transaction"), fault=True)
        return self._judge(name, value)

    def _schema(self, name: str) -> Any:
        """Return a tool's input and output schema, unpacked when it is called first: most never are."""
        if name not in self._schemas:
            self._schemas[name] = marshal.loads(self._packed[name])
        return self._schemas[name]

    def _judge(self, name: str, value: Any) -> Observation:
        """Hold a result against the tool's output schema; refusals have a form of their own."""
        if is_refusal(value):
            return Observation(value)
        schema = self._schema(name)[1]
        accepts = self._accepters.get(name)
        if accepts is None:
            accepts = self._accepters[name] = accepter(schema)
        if accepts(value):
            return Observation(value)
        message = "; ".join(violations(value, schema)[:SHOWN_VIOLATIONS])
        return Observation(refusal(OUTPUT_VIOLATES_SCHEMA, message), fault=True)
