"""Content identity: the same content has the same id, on every machine and Python."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

ID_LENGTH = 16
"""Hex digits of a content id: 64 bits, a collision among a million rows is below 1e-7."""


def canonical_json(value: Any) -> str:
    """Render `value` as JSON with sorted keys, no spaces and non-ASCII kept as it is."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256_text(text: str) -> str:
    """Return the sha256 of `text` in UTF-8, as 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def sha256_file(path: Path) -> str:
    """Return the sha256 of a file's bytes, as 64 hex digits, in bounded memory."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def content_id(prefix: str, *parts: Any) -> str:
    """Return `prefix_` and 16 hex digits that depend on nothing but `parts` (JSON-able)."""
    return f"{prefix}_{sha256_text(canonical_json(parts))[:ID_LENGTH]}"
