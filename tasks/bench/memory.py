"""How much memory processes use together, from /proc (Linux)."""

from __future__ import annotations

from pathlib import Path

PROC = Path("/proc")
KIBIBYTES_PER_MEGABYTE = 1e6 / 1024


def descendants(pid: int) -> set[int]:
    """Return the processes below `pid`, at any depth."""
    children: dict[int, list[int]] = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit() and (parent := _parent(folder)) is not None:
            children.setdefault(parent, []).append(int(folder.name))
    found: set[int] = set()
    rest = [pid]
    while rest:
        below = children.get(rest.pop(), [])
        found.update(below)
        rest += below
    return found


def memory_mb(pids: set[int]) -> float:
    """Return the sum of the processes' proportional set sizes, in megabytes (10^6 bytes).

    A page that several processes share counts once, in parts. PermissionError for someone else's process.
    """
    return sum(_pss_kib(pid) for pid in sorted(pids)) / KIBIBYTES_PER_MEGABYTE


def _parent(folder: Path) -> int | None:
    try:
        # the name in parentheses may hold spaces; state and parent follow it
        return int((folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
        return None


def _pss_kib(pid: int) -> int:
    for line in (PROC / str(pid) / "smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0
