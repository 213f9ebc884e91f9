"""Put this process into the jail: capabilities, limits, no_new_privs, files, system calls.

The order matters. Capabilities go first, since dropping them needs one; the fork server drops
them when it starts, for itself and all workers. Limits before the filter that forbids changing
them; no_new_privs before Landlock and seccomp, which demand it; seccomp last, since it forbids
what the others use.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
from collections.abc import Sequence

from . import kernel, landlock, seccomp
from .limits import Limits

CAPSET = (126, 91)
CAPABILITY_VERSION_3 = 0x20080522
LAST_CAPABILITY = 63
MEBIBYTE = 1 << 20


def confine(workdir: str, readable: Sequence[str], limits: Limits, abi: int) -> None:
    """Jail this process for good: it may read `readable` and use the files of `workdir`.

    Its capabilities must be dropped. OSError when the kernel refuses a step, ValueError when the
    files exceed the limits; it must then exit.
    """
    set_limits(limits, largest_file(workdir, limits))
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    landlock.restrict(readable, [workdir], abi)
    seccomp.install(os.getpid())


def drop_capabilities() -> None:
    """Give up every capability, also those that a program could regain; children have none either."""
    for capability in range(LAST_CAPABILITY + 1):
        try:
            kernel.prctl(kernel.PR_CAPBSET_DROP, capability)
        except OSError:  # unprivileged already, or past the kernel's last capability
            break
    header = ctypes.create_string_buffer(struct.pack("=Ii", CAPABILITY_VERSION_3, 0))
    kernel.system_call(kernel.number(*CAPSET), header, ctypes.create_string_buffer(24))


def largest_file(workdir: str, limits: Limits) -> int:
    """Return how many bytes a file of `workdir` may have, so that all of them keep to `disk_mb` together.

    No file can be created, so if each grows to this size at most, the total is bounded.
    ValueError when the files that are there exceed the total already.
    """
    total = limits.disk_mb * MEBIBYTE
    sizes = sorted(
        os.lstat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(workdir) for name in names
    )
    if sum(sizes) > total:
        raise ValueError(f"the workspace holds {sum(sizes)} bytes, {total} are allowed (disk_mb)")
    share = total
    for count in range(len(sizes), 0, -1):  # the `count` smallest may grow, the others are larger than that
        share = (total - sum(sizes[count:])) // count
        if share >= sizes[count - 1]:
            break
    return min(share, limits.file_mb * MEBIBYTE)


def set_limits(limits: Limits, file_bytes: int) -> None:
    """Set soft and hard limits alike, so that crossing one is final."""
    values = {
        resource.RLIMIT_AS: limits.memory_mb * MEBIBYTE,
        resource.RLIMIT_CPU: limits.cpu_s,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
    }
    for kind, value in values.items():
        resource.setrlimit(kind, (value, value))
