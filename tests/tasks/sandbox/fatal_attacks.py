"""Attacks that cost the worker its life, and those that may (see `attacks.py`)."""

from __future__ import annotations

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
    "an endless query": """
import sqlite3
endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT count(*) FROM c'
sqlite3.connect(':memory:').execute(endless).fetchone()
""",
    "kill itself": "import os; os.kill(os.getpid(), 9)",
    "abort": "import os; os.abort()",
    "stop reading": """
import json, os, time
data = json.dumps({'id': 1, 'ok': None}).encode(); os.write(4, len(data).to_bytes(4, 'big') + data)
while True: time.sleep(100)
""",
    "answer byte by byte": """
import os, time
os.write(4, (1000).to_bytes(4, 'big'))
while True: os.write(4, b' '); time.sleep(0.01)
""",
    "half an answer": "import os; os.write(4, (1000).to_bytes(4, 'big') + b'{'); os._exit(0)",
    "a reply that is not JSON": "import os; os.write(4, b'\\0\\0\\0\\2{]')",
    "a reply that is not text": "import os; os.write(4, b'\\0\\0\\0\\2\\xff\\xfe')",
    "a reply of another shape": "import os; os.write(4, b'\\0\\0\\0\\2[]')",
    "a reply with a number that no one can hold": """
import os
data = b'{"id": 1, "ok": 1e999}'; os.write(4, len(data).to_bytes(4, 'big') + data)
""",
    "a reply of 50,000 digits": """
import os
data = b'{"id": 1, "ok": ' + b'9' * 50_000 + b'}'; os.write(4, len(data).to_bytes(4, 'big') + data)
""",
    "a reply with half a character": """
import os
data = b'{"id": 1, "ok": "\\ud800"}'; os.write(4, len(data).to_bytes(4, 'big') + data)
""",
    "a reply before the question": """
import os
data = b'{"id": 2, "ok": "forged"}'; os.write(4, len(data).to_bytes(4, 'big') + data)
""",
}
"""Cost the worker its life, and the host nothing."""

EITHER = {
    "an endless recursion": """
import sys
sys.setrecursionlimit(10 ** 9)
def descend(): return descend() + 1
descend(); result = 'succeeded'
""",
    "overflow the C stack": """
import sys
sys.setrecursionlimit(10 ** 9)
nested = []
for _ in range(1_000_000): nested = [nested]
repr(nested); result = 'succeeded'
""",
    "memory that is kept": """
kept = []
while True: kept.append(bytearray(1 << 20))
""",
    "break what the worker answers with": """
import builtins, json, os, sqlite3
json.dumps = json.loads = sqlite3.connect = builtins.sorted = builtins.len = builtins.isinstance = None
""",
}
"""Refused, or the worker's death: it depends on the interpreter."""
