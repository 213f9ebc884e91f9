"""A whole request: its announcement, its passes, its figures."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.plans import Deed, Plan
from tasks.verification.reading.english.actions import is_wanted
from tasks.verification.reading.english.answers import Announced, sentences, split_answers
from tasks.verification.reading.english.constants import unheard
from tasks.verification.reading.english.figures import Figures, Story
from tasks.verification.reading.english.lexicon import find
from tasks.verification.reading.english.names import Names
from tasks.verification.reading.english.papers import replacement
from tasks.verification.reading.english.passes import Passes, without_clauses
from tasks.verification.reading.english.things import Things
from tasks.verification.reading.english.tokens import Token, tokenize
from tasks.verification.reading.errors import Unreadable
from tasks.verification.reading.pruning import drop_unused_things

_STOP = Token(".", "mark", ".", 0, 0)


def read_english(request: str, names: Names) -> Plan:
    """Return the plan that an English request tells; raise Unreadable where its words do not give one."""
    nouns = Things(names)
    passes, figures = Passes(nouns), Figures(nouns)
    tokens = tokenize(request)
    blocks, deeds, announced = _blocks(tokens, passes)
    if not announced:
        raise Unreadable("no key of the answer is announced")
    parsed = [passes.parse(block) for block in blocks]
    told = [each for each in parsed if each is not None]
    places = [len([each for each in parsed[: after + 1] if each is not None]) - 1 for _, after in announced]
    asked = tuple(
        figures.read(key, Story(told, max(0, last), deeds)) for (key, _), last in zip(announced, places, strict=True)
    )
    plan = Plan(
        purpose="report",
        things=tuple(nouns.things),
        passes=tuple(each.each for each in told),
        deeds=tuple(deeds),
        asked=asked,
    )
    plan = drop_unused_things(plan)
    missed = unheard(tokens, plan)
    if missed is not None:
        raise Unreadable(f"{missed} is said, but not what for")
    return plan


def _blocks(
    tokens: Sequence[Token], passes: Passes
) -> tuple[list[list[Token]], list[Deed], list[tuple[Announced, int]]]:
    """Return the sentences of each pass, the deeds, and each key with the place of the pass told before it."""
    blocks: list[list[Token]] = []
    deeds: list[Deed] = []
    announced: list[tuple[Announced, int]] = []
    for sentence in sentences(tokens):
        keys, body = split_answers(sentence)
        announced += [(key, len(blocks) - 1) for key in keys]
        for each in body:
            deed = replacement(each)
            if deed is None and (_is_form(each) or passes.nouns.note(each)):
                continue
            if deed is None and passes.sources.find(each) is not None:
                blocks.append([])
            elif deed is not None or (deed := _deed(each, passes)) is not None:
                deeds.append(deed)
                continue
            if blocks and (not announced or announced[-1][1] < len(blocks) - 1):  # behind its keys a pass is told
                blocks[-1] += [*each, _STOP]
    return blocks, deeds, announced


def _is_form(sentence: Sequence[Token]) -> bool:
    """Say whether a sentence tells the form of the reply."""
    return any(token.text == "JSON" for token in sentence)


def _deed(sentence: Sequence[Token], passes: Passes) -> Deed | None:
    """Read a sentence that asks for one act on rows that it describes."""
    doubted = find("doubts", sentence) is not None
    if not passes.nouns.mentions(sentence) or (find("rest", sentence) is not None and not doubted):
        return None
    if not is_wanted(sentence):
        return None
    wish = passes.act(without_clauses(sentence, ("untouched", "doubts")), None)
    return Deed(act=wish.act, attempt=doubted) if wish is not None else None
