"""How often a request is sent, with what pauses, how many at once, and when an endpoint is left alone."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest

from tasks.authors.llm.client.door import Fault, Reply
from tasks.authors.llm.client.retries import FIRST_PAUSE_S, LONGEST_ASKED_S, LONGEST_PAUSE_S, Breaker, Courier

REPLY = Reply({"content": "ok"}, "stop", 1, 1)
BUSY, DOWN, FINAL = Fault("busy", "429"), Fault("server", "500"), Fault("final", "400")


class ScriptedDoor:
    """Says or raises what is scripted; the last item again and again."""

    def __init__(self, *script: Reply | Fault) -> None:
        self.script = list(script)
        self.sent = 0

    def complete(self, body: dict[str, Any]) -> Reply:
        self.sent += 1
        item = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(item, Fault):
            raise item
        return item

    def models(self) -> list[dict[str, Any]]:
        return []


def courier(door: ScriptedDoor, pauses: list[float], retries: int = 4, breaker: Breaker | None = None) -> Courier:
    return Courier(door, retries=retries, concurrency=2, random=Random(0), sleep=pauses.append, breaker=breaker)


def test_a_fault_that_passes_is_tried_again() -> None:
    pauses: list[float] = []
    delivery = courier(ScriptedDoor(BUSY, DOWN, REPLY), pauses).deliver({})
    assert (delivery.reply, delivery.attempts, len(pauses)) == (REPLY, 3, 2)


def test_a_final_fault_is_not() -> None:
    door, pauses = ScriptedDoor(FINAL), []
    delivery = courier(door, pauses).deliver({})
    assert (delivery.fault, delivery.attempts, door.sent, pauses) == (FINAL, 1, 1, [])


def test_retries_end() -> None:
    door = ScriptedDoor(BUSY)
    delivery = courier(door, [], retries=2).deliver({})
    assert (delivery.fault, delivery.attempts, door.sent) == (BUSY, 3, 3)
    with pytest.raises(Fault):
        courier(door, [], retries=0).complete({})


def test_pauses_double_at_most_and_are_seeded() -> None:
    first: list[float] = []
    again: list[float] = []
    for pauses in (first, again):
        courier(ScriptedDoor(BUSY), pauses, retries=12).deliver({})
    limits = [min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**n) for n in range(12)]
    assert first == again and len(set(first)) == 12
    assert all(0 <= pause <= limit for pause, limit in zip(first, limits, strict=True))


@pytest.mark.parametrize(("asked", "least"), [(3.0, 3.0), (3600.0, LONGEST_ASKED_S)])
def test_what_an_endpoint_asks_for_is_honoured_up_to_a_ceiling(asked: float, least: float) -> None:
    pauses: list[float] = []
    courier(ScriptedDoor(Fault("busy", "429", retry_after_s=asked), REPLY), pauses).deliver({})
    assert least <= pauses[0] <= least + FIRST_PAUSE_S


def test_a_dead_endpoint_is_left_alone_then_tried_by_one_request() -> None:
    now = 0.0
    breaker = Breaker(most=3, rest_s=30, clock=lambda: now)
    door = ScriptedDoor(DOWN)
    assert courier(door, [], breaker=breaker).deliver({}).attempts == 3  # shut within the first request's retries
    assert courier(door, [], breaker=breaker).deliver({}).attempts == 0 and door.sent == 3
    now = 31.0
    assert breaker.allows() and not breaker.allows()
    breaker.note(alive=False)
    now = 60.0
    assert not breaker.allows()
    now = 62.0
    door.script = [REPLY]
    assert courier(door, [], breaker=breaker).deliver({}).reply == REPLY
    assert breaker.allows() and breaker.allows()


def test_being_busy_is_being_alive() -> None:
    breaker = Breaker(most=2)
    courier(ScriptedDoor(BUSY), [], breaker=breaker).deliver({})
    assert breaker.allows()


def test_only_so_many_are_on_their_way() -> None:
    lock, on_their_way, most = threading.Lock(), 0, 0

    class SlowDoor(ScriptedDoor):
        def complete(self, body: dict[str, Any]) -> Reply:
            nonlocal on_their_way, most
            with lock:
                on_their_way += 1
                most = max(most, on_their_way)
            time.sleep(0.01)
            with lock:
                on_their_way -= 1
            return REPLY

    sender = courier(SlowDoor(REPLY), [])
    with ThreadPoolExecutor(8) as pool:
        assert all(delivery.reply for delivery in pool.map(sender.deliver, [{}] * 16))
    assert most == 2
