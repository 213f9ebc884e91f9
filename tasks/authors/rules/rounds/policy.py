"""Policy step: a document of rules over the world's actions, each of them a guard at the same time.

The seeded rows keep every rule, and each can be met and broken: both are tried on the interpreter of operations,
which computes what a call does without any tool, before a rule is taken.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from schemas.documents import Document, DocumentFormat, Fact
from schemas.operations import Action, Argument, Operations
from schemas.rounds import Guideline
from schemas.themes import Theme
from tasks.authors.base import Growth, WorldDraft
from tasks.authors.rules.documents.rules import Rule, possible_rules, words_of
from tasks.authors.rules.documents.writers import Section, Table, write_sections
from tasks.authors.rules.overlays.draws import draw
from tasks.authors.rules.rounds.documents import with_documents
from tasks.authors.rules.tools.names import snake
from tasks.authors.rules.unit_tests.interpreter import Applied, Refusal, apply
from tasks.authors.rules.unit_tests.state import State, Tables

FEWEST, MOST = 2, 5
TRIES = 400
LIMITS = "Limits"


def add_policy(world: WorldDraft, theme: Theme, rng: random.Random, guideline: Guideline) -> Growth | None:
    """Write the policy of one archetype, with 2 to 5 rules that its actions enforce from now on; None without any."""
    for operations in _candidates(world, rng, guideline):
        rules = _choose_rules(world, operations, rng)
        if len(rules) >= FEWEST:
            document = _policy_document(world, operations, rules, rng)
            return Growth(
                with_documents(_enforced(world, operations, rules, document.title), [document]),
                (f"policy: {document.title} with {len(rules)} rules ({document.format})",),
            )
    return None


def _candidates(world: WorldDraft, rng: random.Random, guideline: Guideline) -> list[Operations]:
    """Return the archetypes without a policy, the guideline's first."""
    free = [o for o in world.operations if not any(guard.rule for action in o.actions for guard in action.guards)]
    rng.shuffle(free)
    return sorted(free, key=lambda o: o.archetype not in guideline.archetypes and o.host not in guideline.tables)


def _choose_rules(world: WorldDraft, operations: Operations, rng: random.Random) -> list[Rule]:
    """Return up to five rules that hold, of kinds and over actions that are as different as can be."""
    offered = [rule for action in operations.actions for rule in possible_rules(world, action, rng)]
    rng.shuffle(offered)
    wanted = rng.randint(FEWEST, MOST)
    chosen: list[Rule] = []
    while offered and len(chosen) < wanted:
        kinds, names = Counter(r.kind for r in chosen), Counter(r.action.name for r in chosen)
        rule = min(offered, key=lambda r: (kinds[r.kind] + names[r.action.name], names[r.action.name]))
        offered.remove(rule)
        own = [r for r in chosen if r.action.name == rule.action.name]
        if len(own) < 2 and rule.name not in {r.name for r in chosen}:
            chosen += [rule] if _can_be_met_and_broken(world, [*own, rule], rng) else []
    order = {action.name: position for position, action in enumerate(operations.actions)}
    return sorted(chosen, key=lambda rule: order[rule.action.name])


def _can_be_met_and_broken(world: WorldDraft, rules: Sequence[Rule], rng: random.Random) -> bool:
    """Try calls of the rules' action until one is refused by the last rule alone and another one carried out."""
    action = _with_guards(rules[-1].action, rules, "policy", "rule")
    last = len(action.guards) - 1
    state = State(Tables(world.frames, world.profile))
    met = broken = False
    for _ in range(TRIES):
        arguments = {a.name: _draw_argument(world, a, rules, rng) for a in action.arguments}
        outcome = apply(action, arguments, state, world.clock_start)
        met = met or isinstance(outcome, Applied)
        broken = broken or (isinstance(outcome, Refusal) and outcome.place == ("guard", last))
        if met and broken:
            return True
    return False


def _draw_argument(world: WorldDraft, argument: Argument, rules: Sequence[Rule], rng: random.Random) -> Any:
    """Draw a value for an argument, half of the time one that a rule's limit hangs on."""
    probes = [value for rule in rules for value in rule.probes.get(argument.name, [])]
    if probes and rng.random() < 0.7:
        return rng.choice(probes)
    if not argument.required and rng.random() < 0.5:
        return None
    if argument.key_of:
        keys = world.frames[argument.key_of][world.profile.table(argument.key_of).key]
        return keys[rng.randrange(keys.len())] if keys.len() else None
    if argument.choices:
        return rng.choice(argument.choices)
    if argument.draws:
        return draw(argument.draws, rng, world.clock_start)
    if argument.type in ("date", "datetime"):
        day = date.fromisoformat(world.clock_start[:10]) + timedelta(days=rng.randint(1, 40))
        return day.isoformat() if argument.type == "date" else f"{day.isoformat()}T09:00:00"
    if argument.type == "text":
        return "For the files"
    return min(max(rng.randint(1, 12), argument.minimum or 0), argument.maximum or 12)


def _enforced(world: WorldDraft, operations: Operations, rules: list[Rule], title: str) -> WorldDraft:
    """Return the world whose actions of this archetype have the rules' guards behind their own."""
    actions = []
    for action in operations.actions:
        own = [rule for rule in rules if rule.action.name == action.name]
        guarded = _with_guards(action, own, title, operations.archetype, rules)
        said = f"{action.description} The {title} applies." if own else action.description
        actions.append(guarded.model_copy(update={"description": said}))
    changed = operations.model_copy(update={"actions": tuple(actions)})
    return replace(world, operations=tuple(changed if o is operations else o for o in world.operations))


def _with_guards(
    action: Action, own: Sequence[Rule], title: str, archetype: str, rules: Sequence[Rule] | None = None
) -> Action:
    every = list(rules or own)
    guards = [rule.guard(_rule_id(archetype, every.index(rule)), title) for rule in own]
    return action.model_copy(update={"guards": (*action.guards, *guards)})


def _rule_id(archetype: str, position: int) -> str:
    return f"{archetype}.{position + 1}"


def _policy_document(world: WorldDraft, operations: Operations, rules: list[Rule], rng: random.Random) -> Document:
    """Return the document: a section a rule with its sentence, and all limits in one table."""
    table = world.profile.table(operations.actions[0].table)
    title = f"{table.singular[:1].upper()}{table.singular[1:]} policy"
    there = {document.format for document in world.documents}
    forms: list[DocumentFormat] = ["md", "html"]
    missing = [form for form in forms if form not in there]
    form = rng.choice(missing or forms)
    day = (date.fromisoformat(world.clock_start[:10]) - timedelta(days=rng.randint(30, 400))).isoformat()
    about = f"Rules for {table.plural}, in force since {day}. What breaks one of them is refused."
    sections = [Section("", (about,)), *(Section(rule.name, (rule.sentence,)) for rule in rules)]
    rows = tuple((rule.name, words_of(rule.action), rule.limit, rule.unit) for rule in rules)
    sections.append(Section(LIMITS, (), Table(("Rule", "Applies to", "Limit", "Unit"), rows)))
    facts = tuple(
        Fact(
            place=f"{LIMITS}/{rule.name}/Limit",
            words=rule.name,
            value=rule.limit,
            unit=rule.unit,
            column=rule.column,
            rule=_rule_id(operations.archetype, position),
        )
        for position, rule in enumerate(rules)
    )
    return Document(
        path=f"policies/{snake(title)}.{form}",
        format=form,
        title=title,
        about=about,
        origin="written",
        tables=tuple(dict.fromkeys(rule.action.table for rule in rules)),
        facts=facts,
        text=write_sections(form, title, sections),
    )
