"""The one door to `openai`: one request, then one reply or one classified fault. Nothing is retried here.

No message of a fault holds the key, and no fault is chained to an exception of the SDK: those hold the request and
with it the Authorization header.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import openai
from pydantic import SecretStr

from tasks.authors.llm.client.door import Fault, FaultKind, Reply

MOST_BYTES = 2_000_000
"""Longest body that is read; a longer reply is refused unparsed."""

_MOST_ERROR_BYTES = 64_000
_BYTES_A_TOKEN = 4
_MOST_TOKENS = 10**9
_LEAST_SECRET = 8  # shorter keys are words like "local", which would be struck out of every text

_BUSY = {408, 409, 425, 429}
_CONTEXT = re.compile(
    r"context[ _](length|size|window)|maximum context|exceeds? the (available )?context|too many tokens", re.I
)
_CREDENTIALS = re.compile(r"(?i)\b(bearer|basic)\s+[^\s\"',}]+|\bsk-[\w-]{8,}|(?<=://)[^/\s@]+@")
# Parameters that some models refuse, and what is sent in their place: their newer name, or nothing.
_REPLACEMENTS: dict[str, str | None] = {"max_tokens": "max_completion_tokens", "temperature": None, "seed": None}


class Endpoint:
    """An OpenAI-compatible endpoint. Safe for several threads."""

    def __init__(self, base_url: str, key: SecretStr | None, timeout_s: float) -> None:
        self._secret = key.get_secret_value().strip() if key else ""
        self._timeout_s = timeout_s
        self._refused: set[tuple[Any, str]] = set()
        self._client = openai.OpenAI(
            base_url=base_url,
            # Never the one of the process environment: it belongs to another endpoint.
            api_key=self._secret or "none",
            timeout=timeout_s,
            max_retries=0,
            default_headers={"Accept-Encoding": "identity"},
            http_client=openai.DefaultHttpxClient(
                base_url=base_url, timeout=timeout_s, event_hooks={"response": [self._guard]}
            ),
        )

    def complete(self, body: dict[str, Any]) -> Reply:
        """Send one request for a chat completion. Raises Fault.

        A parameter that the model says it does not know (`max_tokens` of newer models) is replaced from then on.
        """
        sent = self._spelt(body)
        try:
            return self._complete(sent)
        except Fault as fault:
            if fault.parameter not in _REPLACEMENTS.keys() & sent.keys():
                raise
            self._refused.add((body.get("model"), fault.parameter))
        return self.complete(body)

    def models(self) -> list[dict[str, Any]]:
        """Return what the endpoint lists of its models. Raises Fault."""
        body = self._receive(lambda: self._client.get("/models", cast_to=httpx2.Response))
        listed = body.get("data")
        return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []

    def redact(self, text: str) -> str:
        """Return a text without the key and without what looks like credentials."""
        return _CREDENTIALS.sub("***", self._without_key(text))

    def _complete(self, body: dict[str, Any]) -> Reply:
        try:
            found = self._receive(lambda: self._client.post("/chat/completions", cast_to=httpx2.Response, body=body))
        except _BodyTooLong:
            return Reply({}, "too_long", _estimate(body.get("messages")), MOST_BYTES // _BYTES_A_TOKEN)
        return self._reply(found, body)

    def _spelt(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return a request in the words that its model knows."""
        sent = dict(body)
        for name, newer in _REPLACEMENTS.items():
            if name in sent and (body.get("model"), name) in self._refused:
                value = sent.pop(name)
                sent |= {newer: value} if newer else {}
        return sent

    def _reply(self, found: dict[str, Any], body: dict[str, Any]) -> Reply:
        match found.get("choices"):
            case [{"message": dict(message)} as choice, *_]:
                usage, ended = found.get("usage"), choice.get("finish_reason")
                usage = usage if isinstance(usage, dict) else {}
                return Reply(
                    message,
                    ended if isinstance(ended, str) else None,
                    _tokens(usage.get("prompt_tokens"), body.get("messages")),
                    _tokens(usage.get("completion_tokens"), message),
                )
        raise Fault("unreachable", f"no message in the response: {self._line(json.dumps(found))}")

    def _receive(self, request: Callable[[], httpx2.Response]) -> dict[str, Any]:
        """Return the JSON object that a request is answered with."""
        try:
            content = request().content
        except openai.APIError as error:
            fault = self._fault(error)
        else:
            return self._parsed(content)
        raise fault  # outside of the handler: chained to the error it would carry the request's headers

    def _parsed(self, content: bytes) -> dict[str, Any]:
        try:
            text = self._without_key(content.decode("utf-8", "replace"))
            found = json.loads(text, parse_constant=lambda name: None)  # NaN is no JSON
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise Fault("unreachable", "the body of the response is not a JSON object")
        # Halves of surrogate pairs, which JSON can spell, can be stored nowhere.
        return json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))

    def _fault(self, error: openai.APIError) -> Fault:
        if isinstance(error, openai.APITimeoutError):
            return Fault("unreachable", f"no answer within {self._timeout_s:g} s")
        if not isinstance(error, openai.APIStatusError):
            return Fault("unreachable", self._line(str(error.__cause__ or error.message)))
        status, said = error.status_code, self._line(_said(error.body) or error.response.text)
        return Fault(
            _kind(status, said, error.code),
            f"{status}: {said}" if said else str(status),
            status=status,
            retry_after_s=retry_after(error.response.headers, time.time()),
            parameter=error.param if status == 400 and (error.code or "").startswith("unsupported") else None,
        )

    def _guard(self, response: httpx2.Response) -> None:
        """Bound the size of a body and the time that it takes, which the SDK's timeout does not."""
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _Bounded(response.stream, time.monotonic() + self._timeout_s, response.is_error)

    def _line(self, text: str) -> str:
        return " ".join(self.redact(text).split())[:300]

    def _without_key(self, text: str) -> str:
        return text.replace(self._secret, "***") if len(self._secret) >= _LEAST_SECRET else text


class _BodyTooLong(Exception):
    """A body is longer than MOST_BYTES."""


class _Bounded(httpx2.SyncByteStream):
    """A body that ends at a limit: an error's is cut there, any other's raises."""

    def __init__(self, stream: httpx2.SyncByteStream, deadline: float, is_error: bool) -> None:
        self._stream, self._deadline, self._is_error = stream, deadline, is_error

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._stream:
            size += len(chunk)
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the body took too long")
            if self._is_error and size > _MOST_ERROR_BYTES:
                return
            if size > MOST_BYTES:
                raise _BodyTooLong
            yield chunk

    def close(self) -> None:
        self._stream.close()


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return for how many seconds an endpoint asks to be left alone: `retry-after-ms`, or `Retry-After` as seconds or date.

    `now` is in seconds since the epoch. None when it does not say, or not in a form that can be read.
    """
    milliseconds, seconds = _number(headers.get("retry-after-ms")), _number(headers.get("retry-after"))
    if milliseconds is not None:
        return milliseconds / 1000
    if seconds is not None:
        return seconds
    try:
        until = parsedate_to_datetime(headers.get("retry-after") or "")
    except ValueError:
        return None
    return max(0.0, (until if until.tzinfo else until.replace(tzinfo=UTC)).timestamp() - now)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _tokens(told: Any, part: Any) -> int:
    """Return how many tokens something is: as told, or else estimated, since a budget has to hold there too."""
    return told if isinstance(told, int) and 0 <= told < _MOST_TOKENS else _estimate(part)


def _estimate(part: Any) -> int:
    return -(-len(json.dumps(part, ensure_ascii=False)) // _BYTES_A_TOKEN)


def _said(body: object) -> str:
    """Return the message in the body of an error, in the forms that servers give it."""
    match body:
        case {"error": {"message": str(text)}} | {"message": str(text)} | {"detail": str(text)} | {"error": str(text)}:
            return text
    return json.dumps(body) if isinstance(body, dict | list) else ""


def _kind(status: int, said: str, code: str | None) -> FaultKind:
    if status in _BUSY:
        return "busy"
    if status >= 500:
        return "server"
    if status == 413 or code == "context_length_exceeded" or (status == 400 and _CONTEXT.search(said)):
        return "too_long"
    return "final"
