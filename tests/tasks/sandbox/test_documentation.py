"""docs/sandbox.md says what the code does: its tables are the ones in code, row by row."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from schemas.settings import SandboxLimits
from tasks.sandbox import fork_server
from tasks.sandbox.backends import BACKENDS
from tasks.sandbox.syscalls import DENIED, FCNTL_DENIED, IOCTL_DENIED, SELF_SIGNALS

PAGE = (Path(__file__).parents[3] / "docs" / "sandbox.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """Return one section of the page."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(text: str) -> list[str]:
    """Return a table's rows without its head."""
    return [line for line in text.splitlines() if line.startswith("|")][2:]


def table(cells: Iterable[tuple[str, ...]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in cells]


def test_every_refused_call_stands_beside_its_reason() -> None:
    reasons: dict[str, list[str]] = {}
    for row in DENIED:
        reasons.setdefault(row.reason, []).append(f"`{row.name}`")
    expected = table((reason, ", ".join(names)) for reason, names in reasons.items())
    assert rows(section("System calls that are refused")) == expected, "\n".join(expected)


def test_every_restricted_call_stands_beside_its_reason() -> None:
    texts = [("fcntl", text) for text in FCNTL_DENIED.values()] + [("ioctl", text) for text in IOCTL_DENIED.values()]
    cells = [(f"`{call}`", f"not `{name}`", reason) for call, text in texts for name, reason in [text.split(": ", 1)]]
    cells += [(f"`{call}`", "only to itself", "signals another process of the same user") for call in SELF_SIGNALS]
    cells.append(("`prlimit64`", "only to read", "raises a limit, or another process's"))
    cells.append(("`clone3`", "not at all (ENOSYS)", "its flags lie in memory, where a filter cannot look"))
    assert rows(section("System calls that are restricted")) == table(cells), "\n".join(table(cells))


def test_every_limit_stands_with_its_default() -> None:
    cells = [
        (f"`FACTORY_SANDBOX__{name.upper()}`", str(field.default), field.description or "")
        for name, field in SandboxLimits.model_fields.items()
    ]
    assert rows(section("Limits")) == table(cells), "\n".join(table(cells))


@pytest.mark.parametrize("name", BACKENDS)
def test_every_backend_is_described(name: str) -> None:
    assert f"| `{name}` |" in section("Backends")


def test_what_is_not_covered_is_what_the_fork_server_says() -> None:
    gaps = (fork_server.__doc__ or "").split("does not cover:\n")[1].strip()
    stated = " ".join(line.strip() for line in section("What is not covered").strip().split("\n\n")[0].splitlines())
    assert stated == " ".join(line.strip() for line in gaps.splitlines())
