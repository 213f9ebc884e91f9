"""Attacks on the jail, and the judge who looks from outside whether one got through.

Standard library only: `python -m tests.tasks.sandbox.attacks FOLDER` runs them all as the current
user and prints {attack: what got through}, for runs as another user.

An attack sets `result = "succeeded"` when it got what it wanted. It is contained if it did not, if
nothing outside changed, and if the pool still serves a fresh worker.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.sandbox.errors import WorkerFault
from tasks.sandbox.limits import Limits
from tasks.sandbox.pool import WorkerPool

GUEST = "tests.tasks.sandbox.interpreter_guest"
LIMITS = Limits(wall_s=0.5, cpu_s=5, memory_mb=256, file_mb=8)
CONTENT = "only the host may read and write this"

REFUSED = {
    "read a host file": "open(options['canary']).read(); result = 'succeeded'",
    "read /etc/passwd": "open('/etc/passwd').read(); result = 'succeeded'",
    "read the environment of every process through /proc": """
import os
for pid in [*range(1, 300), os.getpid(), os.getppid(), *options['pids'], 'self']:
    try:
        open(f'/proc/{pid}/environ', 'rb').read(); result = 'succeeded'
    except OSError:
        pass
""",
    "list folders outside": "import os; os.listdir('/'); result = 'succeeded'",
    "write outside": "open(options['canary'], 'w').write('x'); result = 'succeeded'",
    "truncate outside": "import os; os.truncate(options['canary'], 0); result = 'succeeded'",
    "change the mode of a file outside": "import os; os.chmod(options['canary'], 0o777); result = 'succeeded'",
    "write outside through a symbolic link": """
import os
os.symlink(options['canary'], 'link'); open('link', 'w').write('x'); result = 'succeeded'
""",
    "write outside through a hard link": """
import os
os.link(options['canary'], 'link'); open('link', 'w').write('x'); result = 'succeeded'
""",
    "write outside through ATTACH": """
import sqlite3
connection = sqlite3.connect(':memory:')
connection.execute('ATTACH ? AS other', (options['database'],))
connection.execute('INSERT INTO other.t VALUES (666)'); connection.commit(); result = 'succeeded'
""",
    "create many files": "open('one', 'w').close(); result = 'succeeded'",
    "fill the disk with one file": """
with open('data.txt', 'wb') as file:
    for _ in range(64):
        file.write(bytes(1 << 20)); file.flush()
result = 'succeeded'
""",
    "connect by TCP": """
import socket
socket.create_connection(('127.0.0.1', options['port']), 1).sendall(b'x'); result = 'succeeded'
""",
    "send by UDP": """
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', options['port'])); result = 'succeeded'
""",
    "connect to a unix socket": """
import socket
link = socket.socket(socket.AF_UNIX); link.connect(options['socket']); result = 'succeeded'
""",
    "fork": "import os; os.fork(); result = 'succeeded'",
    "fork by the raw system calls": """
import ctypes
libc = ctypes.CDLL(None)
if max(libc.syscall(n, *a) for n, a in ((57, ()), (58, ()), (56, (17, 0)), (435, (0, 0)), (220, (17, 0)))) >= 0:
    result = 'succeeded'
""",
    "start a thread": "import threading; threading.Thread(target=print).start(); result = 'succeeded'",
    "run a program": "import os; os.execv('/bin/echo', ['echo'])",
    "run a program by subprocess": "import subprocess; subprocess.run(['/bin/true']); result = 'succeeded'",
    "kill the parent": "import os; os.kill(os.getppid(), 9); result = 'succeeded'",
    "kill everything": "import os; os.kill(-1, 9); result = 'succeeded'",
    "trace the parent": """
import ctypes, os
if ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0) == 0: result = 'succeeded'
""",
    "raise a limit": """
import resource
resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40)); result = 'succeeded'
""",
    "become another user": "import os; os.setuid(0 if os.getuid() else 65534); result = 'succeeded'",
    "outlive the parent": """
import ctypes
if ctypes.CDLL(None).prctl(1, 0, 0, 0, 0) == 0: result = 'succeeded'
""",
    "act between calls by a timer": """
import signal
signal.setitimer(signal.ITIMER_REAL, 0.01); result = 'succeeded'
""",
    "make the host wait for a lease": """
import fcntl, os
fcntl.fcntl(os.open('data.txt', os.O_RDONLY), 1024, fcntl.F_RDLCK); result = 'succeeded'
""",
    "allocate 2 GB": "block = bytearray(2 << 30); result = 'succeeded'",
    "map 2 GB": "import mmap; block = mmap.mmap(-1, 2 << 30); result = 'succeeded'",
    "unmeasured memory": "import os; os.ftruncate(os.memfd_create('x'), 1 << 30); result = 'succeeded'",
}
"""Refused by the kernel: the worker sees an error."""

FATAL = {
    "an endless loop": "while True: pass",
    "an endless regular expression": "import re; re.match(r'(a+)+$', 'a' * 40 + 'b')",
    "an endless sum in C": "sum(iter(int, 1))",
    "sleep with every signal ignored": """
import signal, time
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: time.sleep(100)
""",
    "stop itself": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    "os._exit": "import os; os._exit(0)",
    "a segmentation fault": "import ctypes; ctypes.string_at(0)",
    "close the pipes": "import os; os.closerange(0, 64)",
    "a reply that promises 4 GB": "import os; os.write(4, b'\\xff\\xff\\xff\\xff' + b'x' * 100)",
    "a forged reply to another request": """
import os, json
data = json.dumps({'id': 99, 'ok': 'succeeded'}).encode(); os.write(4, len(data).to_bytes(4, 'big') + data)
""",
    "a second reply to this request": """
import os, json
data = json.dumps({'id': 1, 'ok': 'forged'}).encode(); os.write(4, (len(data).to_bytes(4, 'big') + data) * 2)
""",
    "a reply nested 50,000 deep": """
import os
data = b'[' * 50_000; os.write(4, len(data).to_bytes(4, 'big') + data)
""",
    "a flood of output": "import os\nwhile True: os.write(4, b'x' * 65536)",
}
"""Cost the worker its life, and the host nothing."""


@dataclass(frozen=True)
class Target:
    """What attacks aim at, planted in a folder outside the workspace."""

    canary: Path
    database: Path
    workspace: Path
    listeners: tuple[socket.socket, ...]

    def options(self) -> dict[str, Any]:
        """Return what an attacker is told."""
        return {
            "canary": str(self.canary),
            "database": str(self.database),
            "port": self.listeners[0].getsockname()[1],
            "socket": self.listeners[2].getsockname(),
            "pids": [os.getpid(), os.getppid()],
        }

    def damage(self) -> list[str]:
        """Return what attacks changed outside."""
        found = []
        if self.canary.read_text() != CONTENT or self.canary.stat().st_mode & 0o077:
            found.append("the canary was changed")
        connection = sqlite3.connect(self.database)
        if connection.execute("SELECT count(*) FROM t").fetchone() != (0,):
            found.append("the database outside was changed")
        connection.close()
        for listener in self.listeners:
            try:
                listener.recv(1) if listener.type == socket.SOCK_DGRAM else listener.accept()
                found.append("something arrived on a socket")
            except BlockingIOError:
                pass
        if sorted(os.listdir(self.workspace)) != ["data.txt"]:
            found.append("files were created")
        if (self.workspace / "data.txt").stat().st_size > LIMITS.file_mb << 20:
            found.append("the file limit was crossed")
        return found


@contextmanager
def target(folder: Path) -> Iterator[Target]:
    """Plant the target in `folder` (short enough for a unix socket's address)."""
    workspace = folder / "workspace"
    workspace.mkdir(mode=0o700)
    (workspace / "data.txt").write_text("inside")
    canary, database = folder / "canary", folder / "outside.db"
    canary.write_text(CONTENT)
    canary.chmod(0o600)
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    tcp, unix = socket.socket(), socket.socket(socket.AF_UNIX)
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with tcp, udp, unix:
        tcp.bind(("127.0.0.1", 0))
        udp.bind(tcp.getsockname())
        unix.bind(str(folder / "socket"))
        for listener in (tcp, udp, unix):
            listener.setblocking(False)
        tcp.listen()
        unix.listen()
        yield Target(canary, database, workspace, (tcp, udp, unix))


def attack(pool: WorkerPool, aim: Target, source: str) -> tuple[str, list[str]]:
    """Run one attack; return how it ended (a fault's code, or 'answered') and what got through."""
    worker = pool.spawn(GUEST, aim.workspace, (), LIMITS, aim.options())
    ending, got_through = "answered", []
    try:
        if worker.request("run", source, LIMITS.wall_s, 64) == "succeeded":
            got_through.append("it says it succeeded")
        worker.request("run", "result = 'alive'", LIMITS.wall_s, 64)
    except WorkerFault as fault:
        ending = fault.code
    finally:
        worker.kill()
    next_worker = pool.spawn(GUEST, aim.workspace, (), LIMITS, {})
    if next_worker.request("run", "result = 1", 5.0, 64) != 1:
        got_through.append("the next worker does not serve")
    next_worker.kill()
    return ending, got_through + aim.damage()


def main(folder: str) -> None:
    """Run all attacks as the current user and print what got through."""
    pool = WorkerPool([GUEST])
    found = {}
    with target(Path(folder)) as aim:
        for name, source in (REFUSED | FATAL).items():
            found[name] = attack(pool, aim, source)[1]
    pool.close()
    print(json.dumps({"uid": os.getuid(), "attacks": found}))


if __name__ == "__main__":
    main(sys.argv[1])
