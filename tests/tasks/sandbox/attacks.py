"""Attacks on the jail: each is what a hostile tool's code might do, named by what it is after.

An attack sets `result = "succeeded"` when it got what it wanted; `judge.py` decides whether it is
contained. `options` tells it where its targets lie. Standard library only.
"""

from __future__ import annotations

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
    # --- host files, other processes' files ---
    "read the environment, memory and files of every ancestor through /proc": """
import os
for pid in [*options['pids'], os.getppid()]:
    for name in 'environ mem maps cmdline status stack auxv io mountinfo root/etc/passwd cwd/canary'.split():
        try:
            open(f'/proc/{pid}/{name}', 'rb').read(1); result = 'succeeded'
        except (OSError, ValueError):
            pass
    for name in 'fd', 'task', 'cwd', 'root':
        try:
            os.listdir(f'/proc/{pid}/{name}'); result = 'succeeded'
        except OSError:
            pass
""",
    "read the host through its own /proc entries": """
import os
for path in 'self/environ self/mem self/mountinfo self/root/etc/passwd self/cwd/../canary net/tcp cmdline version'.split():
    try:
        open('/proc/' + path, 'rb').read(1); result = 'succeeded'
    except OSError:
        pass
""",
    "read the gold run and the checks": """
import mmap, os, sqlite3, runpy
gold = options['gold']
ways = [
    lambda: open(gold).read(),
    lambda: open('../gold/task.json').read(),
    lambda: os.listdir('../gold'),
    lambda: os.read(os.open('task.json', os.O_RDONLY, dir_fd=os.open('../gold', os.O_PATH)), 10),
    lambda: os.sendfile(1, os.open(gold, os.O_RDONLY), 0, 1),
    lambda: mmap.mmap(os.open(gold, os.O_RDONLY), 0, prot=mmap.PROT_READ),
    lambda: sqlite3.connect('file:' + gold + '?mode=ro&immutable=1', uri=True).execute('SELECT 1 FROM sqlite_master'),
    lambda: runpy.run_path(gold),
    lambda: open(f"/proc/{options['pids'][0]}/root{gold}").read(),
]
for way in ways:
    try:
        way(); result = 'succeeded'
    except (OSError, sqlite3.Error, ValueError):
        pass
""",
    "read the gold run in the host's memory": """
import ctypes, os
number = 310 if os.uname().machine == 'x86_64' else 270
libc = ctypes.CDLL(None, use_errno=True)
text = ctypes.create_string_buffer(8)
here, there = (ctypes.c_size_t * 2)(ctypes.addressof(text), 8), (ctypes.c_size_t * 2)(id(None), 8)
for pid in [*options['pids'], os.getppid()]:
    if libc.syscall(number, pid, here, 1, there, 1, 0) >= 0 or ctypes.get_errno() == 14: result = 'succeeded'
""",
    "write the parent's memory": """
import ctypes, os
number = 311 if os.uname().machine == 'x86_64' else 271
libc = ctypes.CDLL(None, use_errno=True)
text = ctypes.create_string_buffer(ctypes.string_at(id(None) + 8, 8), 8)
here, there = (ctypes.c_size_t * 2)(ctypes.addressof(text), 8), (ctypes.c_size_t * 2)(id(None) + 8, 8)
for pid in [os.getppid()]:
    if libc.syscall(number, pid, here, 1, there, 1, 0) >= 0 or ctypes.get_errno() == 14: result = 'succeeded'
""",
    "take a descriptor of the parent": """
import os
os.pidfd_open(os.getppid()); result = 'succeeded'
""",
    "use a descriptor that the host left open": """
import os
for number in range(5, 4096):
    try:
        os.fstat(number); result = 'succeeded'
    except OSError:
        pass
""",
    # --- writing outside ---
    "write outside through a path with dots": "open('../canary', 'w').write('x'); result = 'succeeded'",
    "write outside through a folder's descriptor": """
import os
folder = os.open('..', os.O_PATH)
os.write(os.open('canary', os.O_WRONLY, dir_fd=folder), b'x'); result = 'succeeded'
""",
    "delete a file outside": "import os; os.unlink(options['canary']); result = 'succeeded'",
    "delete its own file": "import os; os.unlink('data.txt'); result = 'succeeded'",
    "move a file in from outside": "import os; os.rename(options['canary'], 'data.txt'); result = 'succeeded'",
    "move a file out": "import os; os.rename('data.txt', options['canary']); result = 'succeeded'",
    "write outside through VACUUM INTO": """
import sqlite3
sqlite3.connect(':memory:').execute('VACUUM INTO ?', (options['canary'] + '2',)); result = 'succeeded'
""",
    "leave a file in the shared folders": """
import os
for folder in '/tmp', '/var/tmp', '/dev/shm', '/run', os.path.dirname(options['canary']):
    try:
        open(f'{folder}/smuggled', 'w').close(); result = 'succeeded'
    except OSError:
        pass
""",
    "change the file's owner, times and attributes": """
import os
for act in (lambda: os.chown('data.txt', 1, 1), lambda: os.utime('data.txt'), lambda: os.chmod('data.txt', 0o777),
            lambda: os.setxattr('data.txt', 'user.x', b'x')):
    try:
        act(); result = 'succeeded'
    except OSError:
        pass
""",
    # --- the disk ---
    "fill the disk with folders, pipes and devices": """
import os, stat
for act in (lambda: os.mkdir('folder'), lambda: os.mkfifo('pipe'), lambda: os.mknod('node', stat.S_IFREG | 0o600),
            lambda: os.symlink('data.txt', 'link')):
    try:
        act(); result = 'succeeded'
    except OSError:
        pass
""",
    "fill the disk with a sparse file": """
import os
os.ftruncate(os.open('data.txt', os.O_RDWR), 1 << 30); result = 'succeeded'
""",
    "reserve the disk": """
import os
os.posix_fallocate(os.open('data.txt', os.O_RDWR), 0, 1 << 30); result = 'succeeded'
""",
    "fill the disk with a database": """
import os, sqlite3
os.ftruncate(os.open('data.txt', os.O_RDWR), 0)
connection = sqlite3.connect('data.txt', isolation_level=None)
connection.execute('PRAGMA journal_mode=memory'); connection.execute('CREATE TABLE t (x)')
for _ in range(64): connection.execute('INSERT INTO t VALUES (zeroblob(1000000))')
result = 'succeeded'
""",
    # --- the network ---
    "open a socket of any kind": """
import socket
for family in range(1, 46):
    for kind in (1, 2, 3, 5):
        try:
            socket.socket(family, kind).close(); result = 'succeeded'
        except OSError:
            pass
""",
    "open a pair of sockets": "import socket; socket.socketpair(); result = 'succeeded'",
    "listen for connections": """
import socket
socket.create_server(('127.0.0.1', 0)); result = 'succeeded'
""",
    # --- processes ---
    "a fork bomb": """
import os
for _ in range(1000):
    try:
        os.fork(); result = 'succeeded'
    except OSError:
        pass
""",
    "a thread bomb": """
import _thread
for _ in range(1000):
    try:
        _thread.start_new_thread(print, ()); result = 'succeeded'
    except RuntimeError:
        pass
""",
    "leave a process running": """
import multiprocessing, os
process = multiprocessing.get_context('fork').Process(target=print); process.start(); result = 'succeeded'
""",
    "run a program by posix_spawn": "import os; os.posix_spawn('/bin/true', ['true'], {}); result = 'succeeded'",
    "run a program by its descriptor": """
import os
os.execve(os.open('/bin/true', os.O_PATH), ['true'], {})
""",
    "stop the parent": "import os; os.kill(os.getppid(), 19); result = 'succeeded'",
    "stop the parent's group": "import os; os.killpg(os.getpgid(os.getppid()), 19); result = 'succeeded'",
    "signal every ancestor": """
import os
for pid in options['pids']:
    try:
        os.kill(pid, 0); result = 'succeeded'
    except OSError:
        pass
""",
    "take the processor from others": """
import os
os.setpriority(os.PRIO_PROCESS, 0, -20); result = 'succeeded'
""",
    "change the machine's clock and name": """
import socket, time
for act in (lambda: time.clock_settime(0, 0), lambda: socket.sethostname('x')):
    try:
        act(); result = 'succeeded'
    except OSError:
        pass
""",
    "reach for the kernel's side doors": """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
x86 = {'unshare': 272, 'mount': 165, 'userfaultfd': 323, 'bpf': 321, 'perf_event_open': 298, 'io_uring_setup': 425,
       'shmget': 29, 'memfd_create': 319, 'name_to_handle_at': 303}
arm = {'unshare': 97, 'mount': 40, 'userfaultfd': 282, 'bpf': 280, 'perf_event_open': 241, 'io_uring_setup': 425,
       'shmget': 194, 'memfd_create': 279, 'name_to_handle_at': 264}
for name, number in (x86 if os.uname().machine == 'x86_64' else arm).items():
    if libc.syscall(number, 0, 0, 0, 0, 0) >= 0 or ctypes.get_errno() not in (1, 38): result = 'succeeded'
""",
    # --- memory ---
    "allocate by many small objects": """
def grow():
    kept = []
    while True: kept.append('x' * 1000 + str(len(kept)))
grow(); result = 'succeeded'
""",
    "allocate by a string that doubles": """
def grow():
    text = 'x'
    while len(text) < 1 << 32: text += text
grow(); result = 'succeeded'
""",
    "allocate in SQLite": """
import sqlite3
connection = sqlite3.connect(':memory:', isolation_level=None); connection.execute('CREATE TABLE t (x)')
try:
    for _ in range(600): connection.execute('INSERT INTO t VALUES (zeroblob(1000000))')
    result = 'succeeded'
finally:
    connection.close()
""",
    "allocate in shared memory": """
from multiprocessing.shared_memory import SharedMemory
SharedMemory('smuggled', True, 1 << 20); result = 'succeeded'
""",
    "allocate in pipes": """
import fcntl, os
reader, writer = os.pipe()
fcntl.fcntl(writer, 1031, 1 << 20); result = 'succeeded'
""",
    "lock memory": """
import ctypes
if ctypes.CDLL(None).mlockall(3) == 0: result = 'succeeded'
""",
    "use up the descriptors": """
import os
def grow():
    kept = []
    try:
        while len(kept) < 10_000: kept.append(os.dup(1))
    finally:
        for descriptor in kept: os.close(descriptor)
grow(); result = 'succeeded'
""",
    # --- what is left for the next session ---
    "leave changed modules to the next session": """
import builtins, json, sqlite3
builtins.smuggled = json.smuggled = sqlite3.smuggled = True
""",
    "leave a key to the next session": """
import ctypes, os
number = 248 if os.uname().machine == 'x86_64' else 217
if ctypes.CDLL(None).syscall(number, b'user', b'smuggled', b'x', 1, -4) >= 0: result = 'succeeded'
""",
    "leave work to the end of the process": """
import atexit
atexit.register(lambda: open(options['canary'], 'w').write('x'))
""",
    # --- results ---
    "a result of 10 MB": "result = 'x' * 10_000_000",
    "a result nested 100,000 deep": """
result = []
for _ in range(100_000): result = [result]
""",
    "a result that contains itself": "result = []; result.append(result)",
    "a result that is not JSON": "result = {1: {2, 3}}",
    "a result that is no number": "result = [float('inf'), float('nan')]",
    "a result with half a character": "result = '\\ud800'",
    "a result of 5,000 digits": "result = 10 ** 5000",
    "sys.exit": "import sys; sys.exit('succeeded')",
    "an error message of 10 MB": "raise ValueError('x' * 10_000_000)",
    "an error that cannot be printed": """
class Odd(BaseException):
    def __str__(self): raise SystemExit
raise Odd
""",
}
"""Refused: the worker sees an error, or its result is refused, and it lives."""
