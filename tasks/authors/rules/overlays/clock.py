"""When simulated rows were written: before the world's frozen clock starts."""

from __future__ import annotations

from datetime import datetime, timedelta


def moments_before(start: str, days: int, draws: list[float]) -> list[str]:
    """Return one moment for each draw in [0, 1), in the `days` before `start`, oldest first."""
    end = datetime.fromisoformat(start)
    span = days * 86_400
    seconds = sorted(int(draw * span) for draw in draws)
    return [(end - timedelta(seconds=span - second)).isoformat(timespec="seconds") for second in seconds]
