"""The jailed side of the protocol: answer requests, one at a time, until the host hangs up.

A *guest* is a trusted module that says what a worker can do. It has `warm() -> None`, called
once in the fork server (imports, patches that all workers share), and
`prepare(options: dict) -> dict[str, Operation]`, called in the worker after it is jailed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .frames import decode, encode, read_frame, write_frame

Operation = Callable[[Any], Any]
REQUEST_CAP = 64 << 20
"""Bytes; a request comes from the host, this only bounds its mistakes."""
MESSAGE_CAP = 500


def serve(requests: int, replies: int, operations: Mapping[str, Operation]) -> None:
    """Answer `{"id", "operation", "payload", "cap"}` frames until the host closes its end.

    A reply is `{"id", "ok": value}`, `{"id", "raised": message}` or `{"id", "too_large": bytes}`.
    """
    while True:
        try:
            message = decode(read_frame(requests, None, REQUEST_CAP))
        except EOFError:
            return
        write_frame(replies, answer(message, operations), None)


def answer(message: dict[str, Any], operations: Mapping[str, Operation]) -> bytes:
    """Run one operation and encode its reply. This is the boundary at which author code fails."""
    number = message["id"]
    try:
        data = encode({"id": number, "ok": operations[message["operation"]](message["payload"])})
    except BaseException as fault:  # SystemExit and KeyboardInterrupt of author code included
        return encode({"id": number, "raised": describe(fault)})
    if len(data) > message["cap"]:
        return encode({"id": number, "too_large": len(data)})
    return data


def describe(fault: BaseException) -> str:
    """Return `Type: message` as one well-formed line; an author's exception may fail to print."""
    try:
        text = f"{type(fault).__name__}: {fault}"
    except BaseException:  # the same boundary: __str__ is author code too
        text = type(fault).__name__
    return text[:MESSAGE_CAP].encode("utf-8", "replace").decode()
