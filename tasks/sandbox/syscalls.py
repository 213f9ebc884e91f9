"""The one table of system calls that a jailed worker may not make, each with its reason.

Numbers: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h in the
kernel tree; None: the architecture has no such call. Landlock, rlimits and the lack of
capabilities stand beside this table; it closes what they leave open.
"""

from __future__ import annotations

from typing import NamedTuple

from . import kernel


class Denied(NamedTuple):
    """One refused call: it returns EPERM."""

    name: str
    x86_64: int | None
    aarch64: int | None
    reason: str

    @property
    def number(self) -> int | None:
        """The call's number on this machine."""
        return self.x86_64 if kernel.IS_X86 else self.aarch64


_PROGRAM = "runs another program"
_PROCESS = "makes a process, which would outlive the worker and escape its limits"
_NETWORK = "reaches the network or another process; no socket exists before it"
_OTHERS = "reads, writes or steers another process of the same user"
_SIGNAL = "signals another process of the same user"
_RLIMIT = "raises a limit, or another process's"
_HIDDEN_MEMORY = "memory that RLIMIT_AS does not count"
_IPC = "System V or POSIX queues outlive the worker and join workers"
_NAMESPACE = "new namespaces and mounts change what paths mean; a large kernel surface"
_BY_HANDLE = "opens files past path rules"
_KERNEL_CODE = "loads code into the kernel"
_URING = "makes system calls that no filter sees"
_FAULTS = "stalls kernel copies; used to win races"
_KEYS = "key rings are shared by all processes of a user"
_METADATA = "changes files' metadata outside the workspace (Landlock does not rule it)"
_TRUNCATE = "truncates by path (Landlock rules it from ABI 3 on)"
_PRIORITY = "takes CPU or disk time from others"
_SYNC = "makes the whole machine flush its disks"
_TIMER = "would run a tool's code between calls, when nobody asked"
_PDEATHSIG = "would undo the parent-death signal; nothing a tool needs goes through it"
_SPECIAL = "makes device nodes and pipes"
_WATCH = "watches files that may not be read"
_ADMIN = "administers the machine (capabilities refuse it too)"
_MOUNT_TABLE = "lists the host's mounts"

DENIED: tuple[Denied, ...] = (
    Denied("execve", 59, 221, _PROGRAM),
    Denied("execveat", 322, 281, _PROGRAM),
    Denied("fork", 57, None, _PROCESS),
    Denied("vfork", 58, None, _PROCESS),
    Denied("clone", 56, 220, _PROCESS),
    Denied("socket", 41, 198, _NETWORK),
    Denied("socketpair", 53, 199, _NETWORK),
    Denied("ptrace", 101, 117, _OTHERS),
    Denied("process_vm_readv", 310, 270, _OTHERS),
    Denied("process_vm_writev", 311, 271, _OTHERS),
    Denied("kcmp", 312, 272, _OTHERS),
    Denied("process_madvise", 440, 440, _OTHERS),
    Denied("process_mrelease", 448, 448, _OTHERS),
    Denied("pidfd_open", 434, 434, _OTHERS),
    Denied("pidfd_getfd", 438, 438, _OTHERS),
    Denied("pidfd_send_signal", 424, 424, _SIGNAL),
    Denied("tkill", 200, 130, _SIGNAL),
    Denied("rt_sigqueueinfo", 129, 138, _SIGNAL),
    Denied("rt_tgsigqueueinfo", 297, 240, _SIGNAL),
    Denied("setrlimit", 160, 164, _RLIMIT),
    Denied("memfd_create", 319, 279, _HIDDEN_MEMORY),
    Denied("memfd_secret", 447, 447, _HIDDEN_MEMORY),
    Denied("shmget", 29, 194, _HIDDEN_MEMORY),
    Denied("msgget", 68, 186, _IPC),
    Denied("semget", 64, 190, _IPC),
    Denied("mq_open", 240, 180, _IPC),
    Denied("unshare", 272, 97, _NAMESPACE),
    Denied("setns", 308, 268, _NAMESPACE),
    Denied("mount", 165, 40, _NAMESPACE),
    Denied("umount2", 166, 39, _NAMESPACE),
    Denied("open_tree", 428, 428, _NAMESPACE),
    Denied("move_mount", 429, 429, _NAMESPACE),
    Denied("fsopen", 430, 430, _NAMESPACE),
    Denied("fsconfig", 431, 431, _NAMESPACE),
    Denied("fsmount", 432, 432, _NAMESPACE),
    Denied("fspick", 433, 433, _NAMESPACE),
    Denied("mount_setattr", 442, 442, _NAMESPACE),
    Denied("pivot_root", 155, 41, _NAMESPACE),
    Denied("chroot", 161, 51, _NAMESPACE),
    Denied("statmount", 457, 457, _MOUNT_TABLE),
    Denied("listmount", 458, 458, _MOUNT_TABLE),
    Denied("name_to_handle_at", 303, 264, _BY_HANDLE),
    Denied("open_by_handle_at", 304, 265, _BY_HANDLE),
    Denied("bpf", 321, 280, _KERNEL_CODE),
    Denied("perf_event_open", 298, 241, _OTHERS),
    Denied("io_uring_setup", 425, 425, _URING),
    Denied("io_uring_enter", 426, 426, _URING),
    Denied("io_uring_register", 427, 427, _URING),
    Denied("userfaultfd", 323, 282, _FAULTS),
    Denied("add_key", 248, 217, _KEYS),
    Denied("request_key", 249, 218, _KEYS),
    Denied("keyctl", 250, 219, _KEYS),
    Denied("chmod", 90, None, _METADATA),
    Denied("fchmod", 91, 52, _METADATA),
    Denied("fchmodat", 268, 53, _METADATA),
    Denied("fchmodat2", 452, 452, _METADATA),
    Denied("chown", 92, None, _METADATA),
    Denied("lchown", 94, None, _METADATA),
    Denied("fchown", 93, 55, _METADATA),
    Denied("fchownat", 260, 54, _METADATA),
    Denied("utime", 132, None, _METADATA),
    Denied("utimes", 235, None, _METADATA),
    Denied("futimesat", 261, None, _METADATA),
    Denied("utimensat", 280, 88, _METADATA),
    Denied("setxattr", 188, 5, _METADATA),
    Denied("lsetxattr", 189, 6, _METADATA),
    Denied("fsetxattr", 190, 7, _METADATA),
    Denied("removexattr", 197, 14, _METADATA),
    Denied("lremovexattr", 198, 15, _METADATA),
    Denied("fremovexattr", 199, 16, _METADATA),
    Denied("truncate", 76, 45, _TRUNCATE),
    Denied("setpriority", 141, 140, _PRIORITY),
    Denied("sched_setparam", 142, 118, _PRIORITY),
    Denied("sched_setscheduler", 144, 119, _PRIORITY),
    Denied("sched_setattr", 314, 274, _PRIORITY),
    Denied("sched_setaffinity", 203, 122, _PRIORITY),
    Denied("ioprio_set", 251, 30, _PRIORITY),
    Denied("sync", 162, 81, _SYNC),
    Denied("syncfs", 306, 267, _SYNC),
    Denied("alarm", 37, None, _TIMER),
    Denied("setitimer", 38, 103, _TIMER),
    Denied("timer_create", 222, 107, _TIMER),
    Denied("timerfd_create", 283, 85, _TIMER),
    Denied("prctl", 157, 167, _PDEATHSIG),
    Denied("mknod", 133, None, _SPECIAL),
    Denied("mknodat", 259, 33, _SPECIAL),
    Denied("inotify_add_watch", 254, 27, _WATCH),
    Denied("fanotify_init", 300, 262, _WATCH),
    Denied("lookup_dcookie", 212, 18, _WATCH),
    Denied("personality", 135, 92, "turns address randomisation off"),
    Denied("modify_ldt", 154, None, _ADMIN),
    Denied("iopl", 172, None, _ADMIN),
    Denied("ioperm", 173, None, _ADMIN),
    Denied("syslog", 103, 116, _ADMIN),
    Denied("acct", 163, 89, _ADMIN),
    Denied("swapon", 167, 224, _ADMIN),
    Denied("reboot", 169, 142, _ADMIN),
    Denied("init_module", 175, 105, _KERNEL_CODE),
    Denied("finit_module", 313, 273, _KERNEL_CODE),
    Denied("kexec_load", 246, 104, _KERNEL_CODE),
    Denied("kexec_file_load", 320, 294, _KERNEL_CODE),
)

CLONE3 = 435
"""Answered with ENOSYS: glibc then asks for clone, which is refused."""
PRLIMIT64 = (302, 261)
"""(x86-64, aarch64). Allowed only to read: the new limit must be null."""
SELF_SIGNALS = {"kill": (62, 129), "tgkill": (234, 131)}
"""Allowed only with the worker's own process id as the first argument."""
FCNTL = (72, 25)
FCNTL_DENIED = {
    8: "F_SETOWN: names another process as the receiver of signals",
    10: "F_SETSIG: chooses which signal it receives",
    15: "F_SETOWN_EX: as F_SETOWN",
    1024: "F_SETLEASE: makes the host's open() of the workspace wait up to 45 s",
    1026: "F_NOTIFY: signals between calls",
    1031: "F_SETPIPE_SZ: kernel memory that no limit counts",
}
IOCTL = (16, 29)
IOCTL_DENIED = {
    0x8901: "FIOSETOWN: as F_SETOWN",
    0x8902: "SIOCSPGRP: as F_SETOWN",
    0x5412: "TIOCSTI: types into a terminal",
    0x541C: "TIOCLINUX: as TIOCSTI",
}
FIRST_UNKNOWN = 463
"""Calls from here on are newer than this table and answered with ENOSYS."""
