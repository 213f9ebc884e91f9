"""The client of a run's models: each request is answered from the cache or sent once, and every one of them is a row.

A response is durable before it is read, so a killed run repeats no paid call: the next one finds it, and counts it if
the killed one did not come to that.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from random import Random
from threading import Lock
from weakref import WeakValueDictionary

from pydantic import BaseModel

from schemas.models import Contribution, Mode, RefusalReason, Role
from schemas.settings import LlmSettings
from tasks.authors.llm.client.budget import Budget
from tasks.authors.llm.client.calls import Request, cached_call, failed_call, key_of, paid_call, request_of
from tasks.authors.llm.client.door import Fault, Reply
from tasks.authors.llm.client.parsing import Refused
from tasks.authors.llm.client.prices import Prices
from tasks.authors.llm.client.probing import Capabilities, probe
from tasks.authors.llm.client.retries import Courier
from tasks.authors.llm.client.spool import Spool, StoredReply
from tasks.authors.llm.client.structure import Sampling, Wanted, build_body, read_turn, repair_messages, warmer
from tasks.authors.llm.model import Answer, Message, Model, ModelUnavailable, ToolSpec, Turn, Unusable

# A refusal is a decision, and a response that was too long to be read cannot be sent back.
_NOT_REPAIRED: tuple[RefusalReason, ...] = ("refusal", "too_long")


class ModelClient:
    """All models of one run at one endpoint. Safe for several threads, which share its breaker and its requests at once."""

    def __init__(self, llm: LlmSettings, spool: Spool, run_id: str, refresh: bool = False) -> None:
        """`refresh` asks anew, once a run, where a response is kept."""
        self._llm, self._spool, self._run_id, self._refresh = llm, spool, run_id, refresh
        self._budget = Budget(llm.budget, llm.environment_budget, spool)
        self._prices = Prices(llm.prices, llm.base_url)
        self._lock = Lock()
        self._in_flight: WeakValueDictionary[str, _Flight] = WeakValueDictionary()
        self._refreshed: set[str] = set()
        self._found: dict[str, Capabilities] = {}
        self._opened: Courier | None = None

    def role(self, role: Role, subject: str) -> Model:
        """Return a role's model, on one subject. Raises ModelUnavailable when the settings name no endpoint or model."""
        name = self._llm.model_of(role)
        if self._llm.base_url is None:
            raise ModelUnavailable(
                "no endpoint is set: set FACTORY_LLM__BASE_URL (http://…/v1), then run: factory doctor"
            )
        if name is None:
            raise ModelUnavailable(f"no model is set for the {role}: set FACTORY_LLM__MODEL, then run: factory doctor")
        return RoleModel(self, role, subject, name)

    def respond(self, model: RoleModel, messages: Sequence[Message], wanted: Wanted, attempt: int) -> Turn:
        """Return a model's response, after one repair turn where needed. Raises as the Model protocol says."""
        llm = self._llm
        sampling = Sampling(model.name, self._mode(model.name), llm.temperature, llm.max_tokens, attempt)
        asked = list(messages)
        turn, reply = self._sample(model, asked, wanted, sampling)
        if isinstance(turn, Refused) and turn.reason not in _NOT_REPAIRED:
            asked += repair_messages(reply, turn)
            turn, reply = self._sample(model, asked, wanted, warmer(sampling))
        if isinstance(turn, Refused):
            raise Unusable(turn.reason, turn.detail) from turn
        return turn

    def report(self, contribution: Contribution) -> None:
        """Keep what was decided on something that a model proposed."""
        self._spool.report(self._run_id, contribution)

    def _sample(
        self, model: RoleModel, messages: Sequence[Message], wanted: Wanted, sampling: Sampling
    ) -> tuple[Turn | Refused, Reply]:
        """Get one response, read it and record the call."""
        body = build_body(messages, wanted, sampling)
        request = request_of(self._run_id, model.role, model.subject, sampling, body)
        with self._alone(request.sha):
            kept, cached = self._fetch(request)
            reply = Reply(kept.message, kept.finish_reason, kept.tokens_in, kept.tokens_out)
            turn = _read(reply, messages, wanted)
            refused = turn.reason if isinstance(turn, Refused) else None
            cost = self._prices.cost(model.name, kept.tokens_in, kept.tokens_out)
            self._spool.record(
                cached_call(request, kept, refused) if cached else paid_call(request, kept, refused, cost)
            )
        return turn, reply

    def _fetch(self, request: Request) -> tuple[StoredReply, bool]:
        """Return the response to a request, and whether it was paid for before. Raises BudgetSpent, ModelUnavailable."""
        anew = self._refresh and request.sha not in self._refreshed
        kept = None if anew else self._spool.find(request.sha)
        if kept is not None:
            return kept, not self._spool.is_unrecorded(request.sha)
        self._budget.check(self._run_id, request.subject)
        began = time.monotonic()
        delivery = self._courier.deliver(request.body)
        took = round(time.monotonic() - began, 3)
        if delivery.reply is None:
            assert delivery.fault
            self._spool.record(failed_call(request, delivery, took))
            raise self._unavailable(delivery.fault)
        reply = delivery.reply
        kept = StoredReply(
            message=reply.message,
            finish_reason=reply.finish_reason,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            attempts=delivery.attempts,
            latency_s=took,
            arrived_at=time.time(),
        )
        self._spool.keep(request.sha, kept, afresh=self._refresh)
        self._refreshed.add(request.sha)
        return kept, False

    def _unavailable(self, fault: Fault) -> Unusable | ModelUnavailable:
        if fault.kind == "too_long":
            return Unusable("too_long", "the conversation is longer than the model's context")
        what = "does not answer" if fault.passing else "refuses the request"
        return ModelUnavailable(f"{_shown(self._llm.base_url)} {what}: {fault}. To look at it, run: factory doctor")

    @property
    def spent_budgets(self) -> list[str]:
        """What ended models' work so far: a line for each budget that is spent."""
        return sorted(self._budget.spent)

    @property
    def context_tokens(self) -> int | None:
        """The length of the default model's context, where the endpoint tells it and is probed."""
        return self._capabilities(self._llm.model).context_tokens if self._llm.model else None

    def _mode(self, name: str) -> Mode:
        mode = self._capabilities(name).mode
        assert mode
        return mode

    def _capabilities(self, name: str) -> Capabilities:
        """Return what a model does: in the mode that the settings say, or as it is found.

        What was found is kept like a response: the mode is part of each request, and a rerun has to make equal ones.
        """
        if self._llm.mode != "probe":
            return Capabilities(mode=self._llm.mode)
        with self._alone(f"probe of {name}"):
            if name not in self._found:
                self._found[name] = self._probed(name)
            return self._found[name]

    def _probed(self, name: str) -> Capabilities:
        sha = key_of("probe", self._llm.base_url, name)
        kept = None if self._refresh else self._spool.find(sha)
        found = Capabilities.model_validate(kept.message) if kept else probe(self._courier, name)
        if found.mode is None:
            raise ModelUnavailable(
                f"{_shown(self._llm.base_url)}: {'; '.join(found.findings)}. To look at it, run: factory doctor"
            )
        self._spool.keep(sha, StoredReply(message=found.model_dump()), afresh=self._refresh)
        return found

    @property
    def _courier(self) -> Courier:
        with self._lock:
            if self._opened is None:
                # Here, since every command of the factory would wait for the SDK otherwise.
                from tasks.authors.llm.client.endpoint import Endpoint

                llm = self._llm
                assert llm.base_url
                self._opened = Courier(
                    Endpoint(llm.base_url, llm.api_key, llm.timeout_s),
                    retries=llm.retries,
                    concurrency=llm.concurrency,
                    random=Random(self._run_id),
                )
            return self._opened

    def _alone(self, key: str) -> _Flight:
        """Return what keeps equal requests apart: those that come while one is on its way find its response."""
        with self._lock:
            flight = self._in_flight.get(key) or _Flight()
            self._in_flight[key] = flight
            return flight


class RoleModel:
    """One role's door, as agents know it."""

    def __init__(self, client: ModelClient, role: Role, subject: str, name: str) -> None:
        self._client = client
        self.role: Role = role
        self.subject = subject
        self.name = name

    def ask(self, messages: Sequence[Message], schema: type[Answer], *, attempt: int = 0) -> Answer:
        turn = self._client.respond(self, messages, Wanted(schema), attempt)
        assert isinstance(turn.finish, schema)
        return turn.finish

    def act(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], finish: type[BaseModel], *, attempt: int = 0
    ) -> Turn:
        return self._client.respond(self, messages, Wanted(finish, tuple(tools), acting=True), attempt)

    def report(self, contribution: Contribution) -> None:
        self._client.report(contribution)


class _Flight:
    """A lock that is gone when nobody holds or waits for it."""

    def __init__(self) -> None:
        self._lock = Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _read(reply: Reply, messages: Sequence[Message], wanted: Wanted) -> Turn | Refused:
    try:
        return read_turn(reply, messages, wanted)
    except Refused as refused:
        return refused


def _shown(url: str | None) -> str:
    return re.sub(r"(?<=://)[^/@]*@", "", url or "")
