"""The closed lists of repairs and refusals are documented, each with a line of its own."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from tasks.mining.reading.raw import ReadingLimits, RepairCode, UnreadableReason

_PAGE = (Path(__file__).parents[4] / "docs" / "files.md").read_text(encoding="utf-8")


def listed(heading: str) -> list[str]:
    """Return the codes in the first column of the table under a heading."""
    section = _PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


@pytest.mark.parametrize(
    ("heading", "codes"), [("Repairs", get_args(RepairCode)), ("Refusals", get_args(UnreadableReason))]
)
def test_every_code_is_documented(heading: str, codes: tuple[str, ...]) -> None:
    assert listed(heading) == list(codes)


def test_every_limit_is_documented() -> None:
    section = _PAGE.split("## Limits\n")[1].split("\n## ")[0]
    assert len(re.findall(r"^\| ", section, re.MULTILINE)) == len(fields(ReadingLimits)) + 1
    assert f"{ReadingLimits().rows:,}" in section and f"{ReadingLimits().kept_bytes // 10**6} MB" in section
