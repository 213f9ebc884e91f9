"""Whether a round of evolution keeps the policy that it trained."""

from __future__ import annotations

from schemas.arena import Evolution, Rates


def decide(built: Evolution, after_id: str, after: Rates) -> Evolution:
    """Return a round with its trained policy: kept, or rolled back when it does worse beyond the interval of the one before.

    Both policies were given the same tasks. One of which nothing could be judged is rolled back: nothing speaks for it.
    """
    rate, floor = after.pass_at_1.rate, built.before.pass_at_1.low
    judged = built.model_copy(update={"after_id": after_id, "after": after})
    if rate is None:
        return judged.model_copy(
            update={"outcome": "rolled_back", "reason": f"no attempt was judged, {after.errors} errors"}
        )
    worse = rate < floor
    told = f"pass@1 {rate:.3f}, {_said(built.before)} before"
    return judged.model_copy(update={"outcome": "rolled_back" if worse else "kept", "reason": told})


def _said(rates: Rates) -> str:
    one = rates.pass_at_1
    rate = "unknown" if one.rate is None else f"{one.rate:.3f}"
    return f"{rate} ({one.low:.3f} to {one.high:.3f})"
