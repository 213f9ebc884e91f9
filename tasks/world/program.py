"""Programs: run an author's `solve(call)` over a toolbox, and see which calls it needs."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from ..sandbox.frames import encode
from ..sandbox.worker import describe
from .refusals import is_unavailable
from .toolbox import Toolbox, execute_module

MODULE = "program"


class ProgramStopped(BaseException):
    """Ends a program; not an Exception, so that a program's own `except Exception` lets it pass."""


class MissingObservation(ProgramStopped):
    """A program used the result of the call that was left out."""

    raised = 0
    """How often in this process: a program may catch even this, and is stopped all the same."""

    def __init__(self) -> None:
        super().__init__()
        MissingObservation.raised += 1


class TooManyCalls(ProgramStopped):
    """A program made more calls than it may."""


_CARRIES = """
    abs add ceil divmod floor floordiv getitem matmul mod mul neg pos pow radd rdivmod rfloordiv rmatmul rmod rmul
    round rpow rsub rtruediv sub truediv trunc
""".split()
_USES = """
    and await bool bytes call complex contains copy deepcopy delattr delete delitem dir enter eq exit float format ge
    get getattribute gt hash iadd iand ifloordiv ilshift imatmul imod imul index int invert ior ipow irshift isub iter
    itruediv ixor le len length_hint lshift lt ne next or rand reduce reduce_ex repr reversed rlshift ror rrshift
    rshift rxor set setattr setitem sizeof str xor
""".split()


def _carry(*_: Any, **__: Any) -> Any:
    return Hole()


def _use(*_: Any, **__: Any) -> NoReturn:
    raise MissingObservation


Hole = type("Hole", (), {f"__{name}__": _carry for name in _CARRIES} | {f"__{name}__": _use for name in _USES})
Hole.__doc__ = """The result of a call that was left out, or what was computed from it.

Taking a part of it and reckoning with it give another hole: a value that goes nowhere costs
nothing. Deciding by it, looping over it, passing it on or answering with it raises
MissingObservation.
"""


class _Caller:
    """What a program gets as `call`: numbers the calls, leaves one out, keeps the trace."""

    def __init__(self, toolbox: Toolbox, first: int, skip: int | None, most_calls: int) -> None:
        self.toolbox, self.first, self.skip, self.most_calls = toolbox, first, skip, most_calls
        self.count = self.faults = 0
        self.trace: list[dict[str, Any]] = []
        self.stopped: str | None = None

    def __call__(self, name: str, /, **arguments: Any) -> Any:
        """Make a call, and once more as often as it is unavailable."""
        observation = self._make(name, arguments)
        while type(observation) is not Hole and is_unavailable(observation):
            observation = self._make(name, arguments)
        return observation

    def _make(self, name: str, arguments: dict[str, Any]) -> Any:
        index = self.count
        if index >= self.most_calls:
            self.stopped = f"more than {self.most_calls} calls"
            raise TooManyCalls
        given = json.loads(json.dumps(arguments, allow_nan=False, default=_refuse))
        self.count += 1
        if index == self.skip:
            return Hole()
        observation = self.toolbox.call(name, given, self.first + index)
        self.faults += observation.fault
        self.trace.append({"tool": name, "arguments": given, "observation": observation.value})
        return json.loads(encode(observation.value))  # the program's own copy, or it could edit the trace


def _refuse(value: Any) -> NoReturn:
    if type(value) is Hole:
        raise MissingObservation
    raise TypeError(f"a {type(value).__name__} is not JSON")


def run_program(toolbox: Toolbox, source: str, first: int, skip: int | None, most_calls: int) -> dict[str, Any]:
    """Run `solve(call)` of `source`; return {answer, trace, error, calls, faults}.

    `first` is the session's number of the program's first call. With `skip` = k, its k-th call
    (0-based) is not made and returns a `Hole`; its second passes all the same, so that later
    calls read the same time as in the full run.
    """
    caller = _Caller(toolbox, first, skip, most_calls)
    answer, error = None, None
    before = MissingObservation.raised
    try:
        module = execute_module(MODULE, compile(source, f"{MODULE}.py", "exec", dont_inherit=True))
        result = json.loads(json.dumps(module.solve(caller), allow_nan=False, default=_refuse))
        if isinstance(result, dict):
            answer = result
        else:
            error = f"the answer is a {type(result).__name__}, not an object"
    except BaseException as fault:  # the boundary at which an author's program fails
        error = describe(fault)
    if MissingObservation.raised > before:
        caller.stopped = f"missing observation of call {skip}"
    if caller.stopped:
        answer, error = None, caller.stopped
    return {"answer": answer, "trace": caller.trace, "error": error, "calls": caller.count, "faults": caller.faults}
