"""The quality page: what the gate expected of one world, what failed, and how much was looked at."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.quality import QualityResult
from tasks.pages.markdown import code, count, page, plural, table, text

MOST_ROWS = 40
LONGEST_DETAIL = 240
_SUITES = ("table", "invariant")


def quality_page(theme_name: str, results: Sequence[QualityResult]) -> str:
    """Return the page of one theme's world, at most `MOST_ROWS` rows a table, critical failures first."""
    failed = [result for result in results if not result.passed]
    failed.sort(key=lambda result: (result.severity, result.suite != _SUITES[0]))
    return page(
        f"# Quality of {text(theme_name)}",
        _summary(results, failed),
        "## What failed" if failed else "",
        _failures(failed),
        "## What was looked at" if results else "",
        _counts(results),
    )


def _summary(results: Sequence[QualityResult], failed: Sequence[QualityResult]) -> str:
    if not results:
        return "Nothing was expected of this world: the gate has not run."
    critical = sum(result.severity == "critical" for result in failed)
    verdict = f"**Refused** by {critical} critical." if critical else "**Accepted.**"
    passed = len(results) - len(failed)
    return f"{verdict} {count(passed)} of {plural(len(results), 'expectation')} passed; {plural(len(failed) - critical, 'warning')}."


def _failures(failed: Sequence[QualityResult]) -> str:
    if not failed:
        return ""
    rows = [
        (text(r.severity), code(_place(r)), text(_words(r)), count(r.unexpected), count(r.checked),
         text(r.detail, LONGEST_DETAIL))
        for r in failed[:MOST_ROWS]
    ]  # fmt: skip
    columns = ("severity", "of", "expectation", "broken", "looked at", "what was found")
    return page(table(columns, rows, ("broken", "looked at")), _more(len(failed), "failed expectation")).rstrip()


def _place(result: QualityResult) -> str:
    return ".".join(name for name in (result.table, result.column) if name) or "world"


def _words(result: QualityResult) -> str:
    """Return an expectation's name in words: as one long word it would leave the findings no room."""
    return result.expectation.removeprefix("expect_").replace("_", " ")


def _counts(results: Sequence[QualityResult]) -> str:
    """Return how many expectations each table was held to, by suite, and how many of them failed."""
    if not results:
        return ""
    names = dict.fromkeys(result.table for result in results)
    rows = []
    for name in list(names)[:MOST_ROWS]:
        about = [result for result in results if result.table == name]
        cells = [code(name) if name else "the world as a whole"]
        for suite in _SUITES:
            found = [result for result in about if result.suite == suite]
            cells += [count(len(found)), count(sum(not result.passed for result in found))]
        rows.append(cells)
    columns = ("table", "expectations", "failed", "invariants", "broken")
    return page(table(columns, rows, columns[1:]), _more(len(names), "table")).rstrip()


def _more(number: int, noun: str) -> str:
    return f"And {plural(number - MOST_ROWS, noun)} more." if number > MOST_ROWS else ""
