"""Chinese requests: where a clause is an order, and where a clause begins."""

from __future__ import annotations

import re

from tasks.verification.style.lexicon import chinese_verbs

SENTENCE_END = re.compile(r"(?<=[。！？!?])|[\r\n]+")
_QUOTED = re.compile(r"[“「『\"][^”」』\"]*[”」』\"]")
_CLAUSE_END = re.compile(r"[，,；;。！？!?：:\n（）()—]+")
_LEADS = re.compile(
    r"^(?:然后|接着|接下来|随后|之后|最后|首先|其次|同时|另外|此外|否则|再|先|并且|并|且|还|也|就|则|都|一并|一律|全部|逐一|顺便|直接)+"
)
_PLEAS = re.compile(
    r"(?<![申邀聘提报敬宴])请(?![求示假客帖柬教])|麻烦(?:你|您)?|烦请|劳驾|帮(?:我|忙)|(?:不要|切勿|务必)"
)
_DISPOSALS = re.compile(r"^(?:把|将(?![会于在要来]))")
_NOUN_AFTER = re.compile(
    r"^(?:了|的|率|数|日期|时间|记录|金额|数量|状态|人|员|单|原因|之?后|之?前|时|中|过|结果|如下|情况|名单|得)"
)
"""What follows a verb that is part of a noun, or that tells what was done."""


def count_imperatives(request: str) -> int:
    """Count the clauses that ask by 请, put their object first by 把 or 将, or open with a bare verb."""
    return sum(_is_order(clause) for clause in _clauses(request))


def count_clauses(request: str) -> int:
    """Count what commas, semicolons, colons and full stops set apart."""
    return len(_clauses(request))


def _clauses(request: str) -> list[str]:
    parts = (part.strip() for part in _CLAUSE_END.split(_QUOTED.sub("X", request)))
    return [part for part in parts if re.search(r"\w", part)]


def _is_order(clause: str) -> bool:
    if _PLEAS.search(clause):
        return True
    opening = _LEADS.sub("", clause)
    if _DISPOSALS.match(opening):
        return True
    verb = next((verb for verb in chinese_verbs() if opening.startswith(verb)), None)
    return verb is not None and len(opening) > len(verb) and not _is_noun(opening[len(verb) :])


def _is_noun(rest: str) -> bool:
    """Say whether what follows makes the verb part of a noun ("取消率"), or of a modifier ("取消这些票的顾客")."""
    return _NOUN_AFTER.match(rest) is not None
