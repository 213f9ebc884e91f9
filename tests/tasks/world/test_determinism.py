from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tasks.world import databases
from tasks.world.bundle import Bundle
from tasks.world.session import World

CHANCE = """
import datetime, os, random, secrets, uuid

def chance():
    from random import SystemRandom
    row = database().execute("SELECT random(), hex(randomblob(8))").fetchone()
    return {
        "uuid4": str(uuid.uuid4()), "uuid1": str(uuid.uuid1()), "random": random.random(),
        "unseeded": random.Random().random(), "system": SystemRandom().random(), "secret": secrets.token_hex(8),
        "urandom": os.urandom(8).hex(), "choice": secrets.choice(range(10**9)), "sql": list(row), "hash": hash("text"),
        "set": list({"north", "south", "east", "west"}),
    }
"""
CLOCK = """
import calendar, datetime, time

def clock():
    row = database().execute(
        "SELECT CURRENT_TIMESTAMP, CURRENT_DATE, CURRENT_TIME, datetime('now'), date('NOW'), time(), "
        "strftime('%s', 'now'), strftime('%Y'), datetime('now', '+1 day'), datetime(0, 'unixepoch')"
    ).fetchone()
    now = datetime.datetime.now()
    return {
        "time": time.time(), "time_ns": time.time_ns(), "monotonic": time.monotonic(),
        "perf_counter": time.perf_counter(), "gmtime": list(time.gmtime()), "localtime": list(time.localtime()),
        "strftime": time.strftime("%F %T"), "ctime": time.ctime(),
        "now": now.isoformat(), "utcnow": datetime.datetime.utcnow().isoformat(),
        "aware": datetime.datetime.now(datetime.timezone.utc).isoformat(),
        "datetime_today": datetime.datetime.today().isoformat(), "today": datetime.date.today().isoformat(),
        "exact_type": type(now) is datetime.datetime, "sql": list(row),
    }
"""
SLEEP = """
import time

def nap(seconds):
    before = time.time()
    time.sleep(seconds)
    return {"passed": time.time() - before}
"""


@pytest.fixture(scope="module")
def chancy(make_bundle: Callable[..., Bundle]) -> Bundle:
    return make_bundle({"chance": ({}, CHANCE), "clock": ({}, CLOCK), "nap": ({"seconds": {"type": "integer"}}, SLEEP)})


def ask(world: World, bundle: Bundle, seed: str, calls: list[str]) -> list[Any]:
    with world.open(bundle, seed) as session:
        answers = [session.call(name, {"by": 1} if name == "divide" else {}) for name in calls]
        assert session.faults == 0, answers
        return answers


def test_one_seed_is_one_chance(world: World, chancy: Bundle) -> None:
    first = ask(world, chancy, "task 1", ["chance", "chance"])
    assert ask(world, chancy, "task 1", ["chance", "chance"]) == first
    with World() as another:
        assert ask(another, chancy, "task 1", ["chance", "chance"]) == first


def test_another_call_seed_or_environment_is_another_chance(
    world: World, chancy: Bundle, make_bundle: Callable[..., Bundle]
) -> None:
    first, second = ask(world, chancy, "task 1", ["chance", "chance"])
    (other_seed,) = ask(world, chancy, "task 2", ["chance"])
    elsewhere = make_bundle({"chance": ({}, CHANCE)}, environment_id="environment_2")
    (other_world,) = ask(world, elsewhere, "task 1", ["chance"])
    fixed = {"hash", "set"}
    for other in (second, other_seed, other_world):
        assert {name for name in first if first[name] == other[name]} == fixed


def test_what_a_call_draws_does_not_depend_on_earlier_draws(world: World, chancy: Bundle) -> None:
    drawn = ask(world, chancy, "task 1", ["chance", "chance"])[1]
    quiet = ask(world, chancy, "task 1", ["divide", "chance"])[1]
    assert drawn == quiet


def test_all_clocks_are_frozen_and_agree(world: World, chancy: Bundle) -> None:
    _, now = ask(world, chancy, "any", ["divide", "clock"])
    moment = 1714550401
    assert now == {
        "time": moment, "time_ns": moment * 10**9, "monotonic": moment, "perf_counter": moment,
        "gmtime": [2024, 5, 1, 8, 0, 1, 2, 122, 0], "localtime": [2024, 5, 1, 8, 0, 1, 2, 122, 0],
        "strftime": "2024-05-01 08:00:01", "ctime": "Wed May  1 08:00:01 2024",
        "now": "2024-05-01T08:00:01", "utcnow": "2024-05-01T08:00:01", "aware": "2024-05-01T08:00:01+00:00",
        "datetime_today": "2024-05-01T08:00:01", "today": "2024-05-01", "exact_type": True,
        "sql": [
            "2024-05-01 08:00:01", "2024-05-01", "08:00:01", "2024-05-01 08:00:01", "2024-05-01", "08:00:01",
            str(moment), "2024", "2024-05-02 08:00:01", "1970-01-01 00:00:00",
        ],
    }  # fmt: skip


def test_the_first_call_reads_the_start_and_each_call_takes_a_second(world: World, bundle: Bundle) -> None:
    with world.open(bundle, "any") as session:
        times = [session.call("create_booking", {"flight_id": n, "seats": 1})["booked_at"] for n in (1, 2)]
        session.call("create_booking", {"flight_id": 1, "seats": 0})
        session.call("no_such_tool", {})
        times.append(session.call("create_booking", {"flight_id": 3, "seats": 1})["booked_at"])
    assert times == ["2024-05-01 08:00:00", "2024-05-01 08:00:01", "2024-05-01 08:00:04"]


def test_sleeping_moves_the_clock_and_takes_no_time(world: World, chancy: Bundle) -> None:
    with world.open(chancy, "any") as session:
        assert session.call("nap", {"seconds": 3600}) == {"passed": 3600}


STAMPS = """
CREATE TABLE stamps (
    id INTEGER PRIMARY KEY, a TEXT DEFAULT CURRENT_TIMESTAMP, b TEXT DEFAULT CURRENT_DATE, c TEXT DEFAULT CURRENT_TIME,
    d TEXT DEFAULT (datetime('now')), e TEXT DEFAULT (date('now')), f INTEGER DEFAULT (strftime('%s', 'now')),
    g INTEGER DEFAULT (random()), h TEXT DEFAULT (hex(randomblob(4)))
);
CREATE TABLE echoes (id INTEGER PRIMARY KEY, at TEXT, chance INTEGER);
CREATE TRIGGER echo AFTER INSERT ON stamps BEGIN
    INSERT INTO echoes (at, chance) VALUES (datetime('now', '+1 hour'), random());
END;
"""
STAMP = """
import sqlite3

def stamp():
    connection = sqlite3.connect("world.db")
    with connection:
        connection.execute("INSERT INTO stamps DEFAULT VALUES")
    tables = ("stamps", "echoes")
    return {name: list(connection.execute(f"SELECT * FROM {name} ORDER BY id DESC").fetchone()) for name in tables}
"""
PLACE = """
import datetime, locale, os, time

def place():
    now = datetime.datetime.now()
    return {
        "zone": [list(time.tzname), time.timezone, time.altzone, time.daylight], "aware": now.astimezone().isoformat(),
        "local": now.strftime("%A %d %B %x %X %p %Z"), "locale": list(locale.getlocale()),
        "user": locale.setlocale(locale.LC_ALL, ""), "number": f"{1234.5:n}", "encoding": locale.getpreferredencoding(),
        "environment": dict(os.environ), "hash": hash("text"), "set": list(set("determinism")), "times": list(os.times()),
    }
"""
ASK = """
import json, sys
from pathlib import Path
from {package}.world.bundle import Bundle
from {package}.world.session import World
with World() as world, world.open(Bundle.load(Path(sys.argv[1])), "any") as session:
    print(json.dumps([session.call(name, {{}}) for name in sys.argv[2:]]))
"""


@pytest.fixture(scope="module")
def stamping(make_bundle: Callable[..., Bundle], tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    seed = tmp_path_factory.mktemp("stamps") / "seed.db"
    with closing(sqlite3.connect(seed)) as connection:
        connection.executescript(STAMPS)
    return make_bundle({"stamp": ({}, STAMP), "place": ({}, PLACE)}, world_db=seed)


def ask_elsewhere(package: str, folder: Path, bundle: Bundle, calls: list[str], **environment: str) -> list[Any]:
    """Make the calls in a host process of its own, with the package found in `folder`."""
    result = subprocess.run(
        [sys.executable, "-S", "-c", ASK.format(package=package), str(bundle.path), *calls], cwd=folder,
        env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    answers: list[Any] = json.loads(result.stdout)
    return answers


def test_defaults_and_triggers_follow_the_clock_and_the_seed(world: World, stamping: Bundle) -> None:
    first, second = ask(world, stamping, "any", ["stamp", "stamp"])
    assert first["stamps"][:7] == [
        1, "2024-05-01 08:00:00", "2024-05-01", "08:00:00", "2024-05-01 08:00:00", "2024-05-01", 1714550400,
    ]  # fmt: skip
    assert first["echoes"][1] == "2024-05-01 09:00:00" and second["echoes"][1] == "2024-05-01 09:00:01"
    assert [first, second] == ask(world, stamping, "any", ["stamp", "stamp"])
    (other,) = ask(world, stamping, "another", ["stamp"])
    chances = [(answer["stamps"][7], answer["stamps"][8], answer["echoes"][2]) for answer in (first, second, other)]
    assert all(len(set(column)) == 3 for column in zip(*chances, strict=True))


def test_the_hosts_place_language_and_hash_seed_do_not_matter(world: World, stamping: Bundle) -> None:
    (here,) = ask(world, stamping, "any", ["place"])
    assert here["zone"] == [["UTC", "UTC"], 0, 0, 0] and here["aware"] == "2024-05-01T08:00:00+00:00"
    assert here["local"] == "Wednesday 01 May 05/01/24 08:00:00 AM "
    assert (here["user"], here["number"], here["encoding"].upper()) == ("C.UTF-8", "1234.5", "UTF-8")
    assert sorted(here["environment"]) == ["LANG", "PATH", "PYTHONHASHSEED", "TZ"]
    strange = {"TZ": "America/New_York", "LANG": "de_DE.UTF-8", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "7"}
    root = Path(databases.__file__).parents[2]
    assert ask_elsewhere("tasks", root, stamping, ["place"], **strange) == [here]


def test_the_overridden_functions_stand_in_where_the_library_is_hidden(
    chancy: Bundle, stamping: Bundle, world: World, tmp_path: Path
) -> None:
    """The same answers come from a copy of the package that does not find SQLite's symbols."""
    root = Path(databases.__file__).parents[1]
    for part in ("sandbox", "world"):
        shutil.copytree(root / part, tmp_path / "carried" / part)
    module = tmp_path / "carried" / "world" / "databases.py"
    text = module.read_text()
    hidden = re.sub(r"def _library\(\).*?\n\n\n", "def _library():\n    return None\n\n\n", text, flags=re.DOTALL)
    assert hidden != text
    module.write_text(hidden)
    calls = ["clock", "clock", "chance", "chance"]
    answers, again = (ask_elsewhere("carried", tmp_path, chancy, calls) for _ in range(2))
    assert answers[:2] == ask(world, chancy, "any", ["clock", "clock"])
    assert answers == again and answers[2]["sql"] != answers[3]["sql"]
    stamps, again = (ask_elsewhere("carried", tmp_path, stamping, ["stamp", "stamp"]) for _ in range(2))
    ours = ask(world, stamping, "any", ["stamp", "stamp"])
    assert [answer["stamps"][:7] for answer in stamps] == [answer["stamps"][:7] for answer in ours]
    assert [answer["echoes"][1] for answer in stamps] == [answer["echoes"][1] for answer in ours]
    assert stamps == again
