"""Limits of one jailed worker."""

from __future__ import annotations

from dataclasses import dataclass

from .namespaces import BackendName


@dataclass(frozen=True)
class Limits:
    """What one worker may use. Names and defaults are those of `schemas.settings.SandboxLimits`.

    `wall_s`: seconds for one request. `cpu_s`: CPU seconds in the worker's life. `memory_mb`:
    address space, MiB. `file_mb`: size of one file, MiB. `disk_mb`: size of all files of the
    workspace, MiB. `open_files`: open descriptors. `output_kb`: size of one reply, KiB. `backend`:
    what stands around the fork server (`backends.py`).
    A program makes up to `program_calls` calls in one request, so it has its own `program_wall_s`
    and `program_output_kb`; they hold for a state difference too, which may be a whole table.
    """

    wall_s: float = 5.0
    cpu_s: int = 60
    memory_mb: int = 512
    file_mb: int = 64
    disk_mb: int = 256
    open_files: int = 64
    output_kb: int = 1024
    backend: BackendName = "landlock"
    program_calls: int = 200
    program_wall_s: float = 20.0
    program_output_kb: int = 16 * 1024
