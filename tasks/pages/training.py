"""What a training came to: its curves, and each logged step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

BARS = "▁▂▃▄▅▆▇█"
CURVES = ("reward", "entropy", "length", "loss")
WIDTH = 60
"""Characters of a curve."""
MOST_ROWS = 40
Metric = Mapping[str, Any]


def training_page(title: str, metrics: Sequence[Metric], result: Mapping[str, Any] | None) -> str:
    """Return markdown: what came of it, a curve of each figure over the steps by reward, and the steps themselves."""
    lines = [f"# {title}", ""]
    if result:
        lines += [
            f"Reward {result['reward_first']} at first, {result['reward_last']} in the end (±{result['noise']}), "
            f"{result['steps']} steps in {result['seconds']} s.",
            "",
        ]
    steps = [line for line in metrics if line["phase"] == "grpo"]
    warm = [line["loss"] for line in metrics if line["phase"] == "warm" and "loss" in line]
    lines += ["| figure | from | over the steps | to |", "|---|---|---|---|"]
    if warm:
        lines.append(_curve("loss on conversations", warm))
    lines += [_curve(name, values) for name in CURVES if (values := [line[name] for line in steps if name in line])]
    lines += ["", f"| step | {' | '.join(CURVES)} |", f"|---{'|---' * len(CURVES)}|"]
    every = max(1, -(-len(steps) // MOST_ROWS))
    lines += [
        f"| {line['step']} | {' | '.join(_figure(line.get(name)) for name in CURVES)} |" for line in steps[::every]
    ]
    return "\n".join(lines) + "\n"


def _curve(name: str, values: Sequence[float]) -> str:
    return f"| {name} | {_figure(values[0])} | {sparkline(values)} | {_figure(values[-1])} |"


def sparkline(values: Sequence[float], width: int = WIDTH) -> str:
    """Return values as bars from the lowest to the highest, means of neighbours where there are more than `width`."""
    size = max(1, -(-len(values) // width))
    means = [sum(part) / len(part) for start in range(0, len(values), size) if (part := values[start : start + size])]
    low, high = min(means), max(means)
    scale = (len(BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(BARS[round((mean - low) * scale)] for mean in means)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
