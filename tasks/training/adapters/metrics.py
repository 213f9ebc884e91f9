"""Metrics: what a training tells of its steps, a JSON line each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

METRICS = "metrics.jsonl"


def metrics_of(out: Path) -> list[dict[str, Any]]:
    """Return the lines of a training's folder by phase and step; of a step that was made again, the later one."""
    path = out / METRICS
    if not path.exists():
        return []
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    found = {(line["phase"], line["step"]): line for line in lines}
    return [found[key] for key in sorted(found, key=lambda key: (key[0] != "warm", key[1]))]
