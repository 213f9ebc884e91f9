"""Delivery of requests to an endpoint: how many at once, how often again, and when not at all."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from random import Random
from typing import Any

from tasks.authors.llm.client.door import Delivery, Door, Fault, Reply

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
LONGEST_ASKED_S = 120.0
"""The most that `Retry-After` is honoured."""

logger = logging.getLogger(__name__)


class Breaker:
    """A circuit breaker: after `most` faults in a row an endpoint is left alone, then one request at a time tries it."""

    def __init__(self, most: int = 8, rest_s: float = 30.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._rest_s, self._clock = most, rest_s, clock
        self._lock = threading.Lock()
        self._faults = 0
        self._shut_until = 0.0

    def allows(self) -> bool:
        """Return whether a request may be sent now; of those that ask once the rest is over, only the first may."""
        with self._lock:
            if self._faults < self._most:
                return True
            if self._clock() < self._shut_until:
                return False
            self._shut_until = self._clock() + self._rest_s
            return True

    def note(self, alive: bool) -> None:
        """Take notice of what a request showed of the endpoint."""
        with self._lock:
            self._faults = 0 if alive else self._faults + 1
            if self._faults >= self._most:
                self._shut_until = self._clock() + self._rest_s


class Courier:
    """Delivers requests to an endpoint: `concurrency` at once, each again after faults that may pass."""

    def __init__(
        self,
        door: Door,
        *,
        retries: int,
        concurrency: int,
        random: Random,
        sleep: Callable[[float], object] = time.sleep,
        breaker: Breaker | None = None,
    ) -> None:
        self._door, self._retries, self._random, self._sleep = door, retries, random, sleep
        self._slots = threading.BoundedSemaphore(concurrency)
        self._breaker = breaker or Breaker()

    def deliver(self, body: dict[str, Any]) -> Delivery:
        """Send a request until it is answered, refused for good, or was sent `retries` times again."""
        fault = Fault("unreachable", "it failed too often and is left alone for a while")
        for attempt in range(1, self._retries + 2):
            if attempt > 1:
                self._pause(attempt, fault)
            if not self._breaker.allows():
                return Delivery(None, fault, attempt - 1)
            try:
                with self._slots:
                    reply = self._door.complete(body)
            except Fault as found:
                fault = found
            else:
                self._breaker.note(alive=True)
                return Delivery(reply, None, attempt)
            self._breaker.note(alive=fault.kind not in ("unreachable", "server"))
            if not fault.passing:
                break
        return Delivery(None, fault, attempt)

    def complete(self, body: dict[str, Any]) -> Reply:
        """Return the reply to a request. Raises the last Fault."""
        delivery = self.deliver(body)
        if delivery.reply is None:
            assert delivery.fault
            raise delivery.fault
        return delivery.reply

    def models(self) -> list[dict[str, Any]]:
        """Return what the endpoint lists of its models. Raises Fault."""
        return self._door.models()

    def _pause(self, attempt: int, fault: Fault) -> None:
        """Wait before an attempt: a random part of a time that doubles, or what the endpoint asks for and a little more."""
        if fault.retry_after_s is None:
            pause_s = self._random.uniform(0, min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (attempt - 2)))
        else:
            pause_s = min(fault.retry_after_s, LONGEST_ASKED_S) + self._random.uniform(0, FIRST_PAUSE_S)
        logger.info("model_request attempt=%d pause_s=%.2f fault=%s", attempt, pause_s, fault)
        self._sleep(pause_s)
