"""One check, one question: does a statement hold by the evidence, and by which words of it?

A verdict is believed only with its quote: words that stand in the evidence as they are quoted. What the evidence says
beyond that, for instance to whoever judges it, is data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tasks.authors.llm.judge.proposals import Opinion
from tasks.authors.llm.model import Message, Model, Unusable
from tasks.authors.llm.react.fences import fence
from tasks.authors.llm.react.prompts import render

MOST_EVIDENCE = 24_000
"""Characters of evidence that a judge is shown. More is refused: what was cut off could have decided it."""


@dataclass(frozen=True)
class Judgement:
    """What a judge says of a statement. `source` names the evidence that holds the quote.

    A refused one has no verdict: `refused` says why (a RefusalReason of the response, quote_not_found, no_quote or
    evidence_too_long). It is the judge's fault and never a reward of 0.
    """

    verdict: bool | None
    quote: str = ""
    source: str = ""
    refused: str = ""
    detail: str = ""


def judge_check(model: Model, statement: str, evidence: Mapping[str, str]) -> Judgement:
    """Ask a judge whether a statement holds by the evidence (name → text), and refuse what it cannot show.

    A yes needs a quote; a no may be for want of evidence. Use a CalibratedJudge, which knows what this is worth.
    Raises ModelUnavailable and BudgetSpent.
    """
    length = sum(map(len, evidence.values()))
    if length > MOST_EVIDENCE:
        return Judgement(None, refused="evidence_too_long", detail=f"{length} characters, {MOST_EVIDENCE} at most")
    fenced = [fence(text, name, MOST_EVIDENCE) for name, text in sorted(evidence.items())]
    task = render(__package__, "task.jinja", statement=statement, evidence=fenced)
    messages = [Message("system", render(__package__, "system.jinja")), Message("user", task)]
    try:
        opinion = model.ask(messages, Opinion)
    except Unusable as fault:
        return Judgement(None, refused=fault.reason, detail=fault.detail)
    return _weighed(opinion, evidence)


def _weighed(opinion: Opinion, evidence: Mapping[str, str]) -> Judgement:
    holds, quote = opinion.verdict == "yes", _spaced(opinion.quote)
    if not any(map(str.isalnum, quote)):
        if holds:
            return Judgement(None, refused="no_quote", detail="a yes without words of the evidence")
        return Judgement(False, detail=opinion.reasoning)
    source = next((name for name, text in sorted(evidence.items()) if quote in _spaced(text)), None)
    if source is None:
        return Judgement(None, quote, refused="quote_not_found", detail=f"no evidence says {quote[:80]!r}")
    return Judgement(holds, quote, source, detail=opinion.reasoning)


def _spaced(text: str) -> str:
    return " ".join(text.split())
