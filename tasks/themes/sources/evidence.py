"""Evidence: what a theme rests on, with the hash and size of the bytes that were read."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Literal

from schemas.themes import Evidence


def evidence_of(
    kind: Literal["mcp_server", "tool_document", "requirements", "page"],
    address: str,
    content: bytes | str,
    licence: str,
) -> Evidence:
    """Return the evidence of some bytes (or of a text, as UTF-8), retrieved now."""
    raw = content.encode("utf-8", "replace") if isinstance(content, str) else content
    return Evidence(
        kind=kind,
        address=address,
        licence=licence,
        sha256=hashlib.sha256(raw).hexdigest(),
        bytes=len(raw),
        retrieved_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
