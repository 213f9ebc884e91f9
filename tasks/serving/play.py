"""A person at a task: lines typed in, what happened out. Printing is the command line's."""

from __future__ import annotations

import json
import shlex
import textwrap
import time
from typing import Any

from tasks.serving.episodes import Episode

COMMANDS = ("tools", "help", "answer", "quit")
WIDTH = 100
USAGE = """\
  tools                    list the tools (* changes something)
  help NAME                what a tool takes and returns
  NAME key=value ...       call a tool; or NAME {"key": value}
  answer {"key": value}    give your answer and be judged
  quit                     leave without a verdict
Tab completes names of tools and of their parameters."""


class Mistyped(ValueError):
    """A line that cannot be carried out. The message says how it is written."""


class Play:
    """One episode in a person's hands.

    `trace` are the calls so far: tool, arguments, result. `answer`, `verdict` and `change`, the state's, are of the end.
    """

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self.began = time.time()
        self.trace: list[tuple[str, dict[str, Any], Any]] = []
        self.answer: Any = None
        self.change: dict[str, Any] = {}
        self._tools = {tool["name"]: tool for tool in episode.session.list_tools()}
        self.verdict: dict[str, Any] | None = None
        self.ended = False

    def opening(self) -> str:
        """Return what a person reads first: the request, the answer's fields, the commands."""
        lines = []
        if self._episode.task is not None:
            lines += [textwrap.fill(self._episode.task.request, WIDTH), "", "Your answer has:"]
            lines += [f"  {field['name']}: {_kind(field)}" for field in self._episode.task.answer_fields]
        return "\n".join([*lines, "", USAGE])

    def carry_out(self, line: str) -> str:
        """Carry out one line and return what to show; Mistyped when it can't be read."""
        command, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if not command:
            return ""
        if command == "tools":
            return self._list_tools()
        if command == "help":
            return self._explain(rest) if rest else USAGE
        if command == "quit":
            self.ended = True
            return "left without a verdict"
        if command == "answer":
            return self._judge(rest)
        if command not in self._tools:
            raise Mistyped(f"no tool {command}; type: tools")
        arguments = read_arguments(rest, self._tools[command]["inputSchema"])
        result = self._episode.call(command, arguments)
        self.trace.append((command, arguments, result))
        return json.dumps(result, ensure_ascii=False, indent=1)

    def completions(self, line: str, word: str) -> list[str]:
        """Return what may stand in place of `word`, the last one of `line` up to the cursor."""
        before = line[: len(line) - len(word)].split()
        if not before:
            return [f"{name} " for name in (*COMMANDS, *self._tools) if name.startswith(word)]
        if before == ["help"]:
            return [name for name in self._tools if name.startswith(word)]
        tool = self._tools.get(before[0])
        if tool is None:
            return []
        parameters = tool["inputSchema"].get("properties", {})
        name, given, value = word.partition("=")
        if given:
            choices = parameters.get(name, {}).get("enum") or []
            return [f"{name}={choice} " for choice in choices if str(choice).startswith(value)]
        named = {part.partition("=")[0] for part in before[1:]}
        return [f"{name}=" for name in parameters if name.startswith(word) and name not in named]

    def _list_tools(self) -> str:
        width = max(map(len, self._tools), default=0)
        rows = (f"{' ' if tool['readOnly'] else '*'} {name:<{width}}  " for name, tool in self._tools.items())
        return "\n".join(row + tool["description"] for row, tool in zip(rows, self._tools.values(), strict=True))

    def _explain(self, name: str) -> str:
        tool = self._tools.get(name)
        if tool is None:
            raise Mistyped(f"no tool {name}; type: tools")
        lines = [tool["description"], "takes:"]
        required = set(tool["inputSchema"].get("required", ()))
        for parameter, schema in tool["inputSchema"].get("properties", {}).items():
            needed = "" if parameter in required else " (may be left out)"
            lines.append(f"  {parameter}: {_type(schema)}{needed}. {schema.get('description', '')}")
        returned = tool["outputSchema"].get("properties", {})
        return "\n".join([*lines, f"returns: {', '.join(returned)}"])

    def _judge(self, text: str) -> str:
        try:
            answer = json.loads(text)
        except ValueError as error:
            raise Mistyped(f'the answer is not JSON ({error}). Write: answer {{"key": value}}') from error
        self.answer, self.verdict, self.ended = answer, self._episode.verify(answer), True
        if self.verdict["outcome"] != "error":
            self.change = self._episode.state()["diff"]
        failed = [result for result in self.verdict["results"] if not result["passed"]]
        lines = [f"{self.verdict['outcome'].upper()} after {self._episode.calls} calls"]
        lines += [f"  {result['check_id']}: {result['detail']}" for result in failed]
        if self.verdict["outcome"] == "error":
            lines.append(f"  {self.verdict['detail']}")
        return "\n".join(lines)


def read_arguments(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `key=value …` or of a JSON object; Mistyped when it is neither."""
    if text.startswith("{"):
        try:
            arguments = json.loads(text)
        except ValueError as error:
            raise Mistyped(f"not JSON: {error}") from error
        return dict(arguments)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise Mistyped(f"{error}; quote a value with spaces: name='two words'") from error
    arguments = {}
    for word in words:
        name, given, value = word.partition("=")
        if not given:
            raise Mistyped(f"{word!r} is not key=value; quote a value with spaces: name='two words'")
        arguments[name] = _value(value, schema.get("properties", {}).get(name, {}))
    return arguments


def _value(text: str, schema: dict[str, Any]) -> Any:
    """Read a value as its parameter's type asks; as it stands where it does not fit, for the tool to refuse."""
    kinds = schema.get("type", "string")
    if kinds == "string" or kinds == ["string"]:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _kind(field: dict[str, Any]) -> str:
    kind = field["type"] if field["type"] != "list" else f"list of {field.get('item_type') or 'text'}"
    unit = f", in {field['unit']}" if field.get("unit") else ""
    return f"{field['description']} ({kind}{unit})"


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    kinds = schema.get("type", "any")
    return kinds if isinstance(kinds, str) else " or ".join(kinds)
