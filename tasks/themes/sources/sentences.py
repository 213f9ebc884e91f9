"""Sentences of a requirements document: what users can do, what things have, and which rules hold."""

from __future__ import annotations

import re
from collections.abc import Sequence

from schemas.themes import SourceParameter, Verb
from tasks.themes.concepts import concept_of, concepts
from tasks.themes.lexicon import DETERMINERS, PREPOSITIONS, UNITS, VERBS, words_of
from tasks.themes.operations import Named
from tasks.themes.parameters import ParameterType
from tasks.themes.sources.subjects import Declared, declared_noun, subject_in

_CAN = re.compile(
    r"\b(?:(?:must|should|shall|will) be able to|(?:is|are) able to|can(?! ?not|'t| only)|"
    r"may(?! not| only)|wants? to|needs? to|(?:allows?|lets?|enables?) (?:\w+ ){1,3}?to|I want to)\s+(?P<what>.+)",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"\b(at most|at least|no more than|no fewer than|no less than|not exceed|only (?:if|when|after|before|one|by|a|the)|"
    r"can only|may only|must not|may not|shall not|cannot|can not|can't|not allowed|never|unless|within \d|"
    r"(?:maximum|minimum)\b(?:(?!\band\b)[^,;.])*?\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)|must be(?! able)|must have|must happen|has to be|have to be|is required|are required|exactly|every \w+ must|limited to)\b",
    re.IGNORECASE,
)
_HAS = re.compile(
    r"^(?:each|every|an?|the)\s+(?P<what>[a-z][\w -]{1,30}?)\s+(?:has|have|includes?|contains?|records?|stores?|"
    r"consists of|is described by|is defined by|keeps)\s+(?P<list>.+)",
    re.IGNORECASE,
)
_DEFINED = re.compile(r"^(?P<what>[A-Z][\w ]{1,30}?)\s*(?::|[-–—])\s+(?P<list>[^.]+)")
_NARROWED = re.compile(r"\b(?:by|with|including|for a given|using|filtered by)\s+(?P<list>.+)", re.IGNORECASE)
_ALSO_VERBS: dict[str, Verb] = {
    "borrow": "create", "rent": "create", "hire": "create", "apply": "create", "pay": "create", "checkout": "create",
    "return": "transition", "renew": "update", "change": "update", "manage": "update", "see": "list", "review": "create",
    "track": "get", "sign": "create", "print": "other",
}  # fmt: skip
_AMOUNT = re.compile(r"(?:\d|(?:one|two|three|four|five|six|seven|eight|nine|ten)\b)", re.IGNORECASE)
"""How an amount starts: what is extended 'by one week' has no week."""
_PLAIN = frozenset(("of", "by", "at", "on", "per"))
_LINKS = frozenset(("before", "after", "until", "since", "from", "to", "for", "in"))
"""Prepositions that stand in names of fields too, one in a short name: 'best before date', 'valid until', 'from track'."""
_LONGEST_LINKED = 3
_TYPES: dict[str, ParameterType] = {
    "integer": "integer", "int": "integer", "whole": "integer", "number": "number", "decimal": "number", "float": "number",
    "boolean": "boolean", "bool": "boolean", "yes/no": "boolean", "flag": "boolean",
}  # fmt: skip
_LONGEST_FIELD = 40
_LONGEST_RULE = 300


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text, without the blanks around them."""
    return [part.strip() for part in re.split(r"(?<=[.!?;])\s+(?=[A-Z])", text.strip()) if part.strip()]


def is_rule(sentence: str) -> bool:
    """Return whether a sentence restricts something: 'at most', 'only if', 'must not'."""
    return bool(_RULE.search(sentence)) and len(sentence.split()) > 3


def rule_of(sentence: str) -> str:
    """Return a rule as it is kept: one line, shortened at a word."""
    text = re.sub(r"\s+", " ", sentence).strip()
    return text if len(text) <= _LONGEST_RULE else f"{text[:_LONGEST_RULE].rpartition(' ')[0]}…"


def operations_in(sentence: str, imperative: bool = False, declared: Declared | None = None) -> list[Named]:
    """Return the operations that a sentence names: 'The librarian can add, edit and remove books by title' names three.

    With `imperative` the sentence may start with the verb itself. `declared` are the things of the document: they are
    recognised by their names, and by their fields ('the weight of an animal').
    """
    found = _CAN.search(sentence)
    if found is None and not imperative:
        return []
    said = re.split(r"\bso that\b|\bin order to\b|[.;(]", found["what"] if found else sentence, maxsplit=1)[0]
    words = re.findall(r"[A-Za-z][\w'’/-]*|,", said)
    verbs, behind = _verbs(words)
    subject = subject_in(words[behind:], declared or {})
    if not verbs or not subject.noun:
        return []
    narrowed = _NARROWED.search(said)
    items = [parameter_of(name) for name in listed(narrowed["list"])] if narrowed else []
    narrowing = [item for item in items if item.name]
    return [
        Named(
            name="_".join((verb, subject.noun, *(one.name for one in subject.fields))),
            description=sentence,
            parameters=_asked_for(kind, subject.fields, narrowing),
            verb=_reading(kind, subject.plural, bool(narrowing)),
            noun=subject.noun,
        )
        for verb in verbs
        if (kind := VERBS.get(verb) or _ALSO_VERBS[verb])
    ]


def _asked_for(
    kind: Verb, fields: Sequence[SourceParameter], narrowing: Sequence[SourceParameter]
) -> list[SourceParameter]:
    """Return the parameters of an operation: what it narrows by or writes, and the fields that it is there to change."""
    if kind not in ("create", "update", "search", "list", "get"):
        return []
    written = fields if kind in ("create", "update") else ()
    return list({one.name: one for one in (*written, *narrowing)}.values())


def _reading(kind: Verb, many: bool, narrowed: bool) -> Verb:
    if kind in ("get", "list"):
        return "search" if narrowed and many else "list" if many else "get"
    return kind


def _verbs(words: Sequence[str]) -> tuple[list[str], int]:
    """Return the verbs that a phrase starts with, and where its object starts: 'add, edit and remove books'."""
    verbs: list[str] = []
    position = 0
    while position < len(words):
        word = words[position].lower()
        if word in VERBS or word in _ALSO_VERBS:
            verbs.append(word)
            position += 1
        elif verbs and word in (",", "and", "or") and position + 1 < len(words):
            following = words[position + 1].lower()
            if following not in VERBS and following not in _ALSO_VERBS and following not in ("and", "or"):
                break
            position += 1
        elif not verbs and word in ("also", "then", "easily", "quickly"):
            position += 1
        else:
            break
    return verbs, position


def things_in(text: str, lead: str = "") -> tuple[str, list[SourceParameter]] | None:
    """Return the thing (singular) that a sentence or an item describes, and its fields; None where it describes none."""
    if lead and text.startswith(lead):
        noun, rest = lead, text[len(lead) :].lstrip(" :–—-")
    elif (found := _HAS.match(text) or _DEFINED.match(text)) is not None:
        noun, rest = found["what"], found["list"]
    else:
        return None
    fields = [parameter_of(item) for item in split_list(rest.split(". ")[0].rstrip("."))]
    fields = [field for field in fields if field.name]
    name = declared_noun(words_of(noun), explicit=True)
    return (name, fields) if name and len(fields) >= 2 else None


def listed(text: str) -> list[str]:
    """Return the short items of a list in a sentence: 'title, author or year' has three."""
    items = [re.sub(r"\s+(?:so|when|if|that|which|in|on|for|from|at|of|to)\s.*", "", item) for item in split_list(text)]
    return [item for item in items if item and len(item.split()) <= 3 and not _AMOUNT.match(item)]


def split_list(text: str) -> list[str]:
    """Return the items of a list, brackets kept together: 'a, b (x, y) and c' has three."""
    items = re.split(r"[,;]\s*(?![^()]*\))(?:and\s+|or\s+)?|\s+(?:and|or)\s+(?![^()]*\))", text)
    return [item.strip(" .") for item in items if item.strip(" .")]


def parameter_of(item: str) -> SourceParameter:
    """Return the field that an item names, with its type or values in brackets or behind a colon: 'status (open, closed)'.

    The name is empty where the item is no field but a sentence.
    """
    found = re.match(r"^(?P<name>[^(:–—]+)(?:\((?P<inside>[^)]*)\)|[:–—](?P<behind>.+))?", item.strip())
    said = (found["inside"] or found["behind"] or "") if found else ""
    words, unit = _without_unit([w for w in words_of(found["name"] if found else "") if w not in DETERMINERS])
    name = "_".join(words) if _names_field(words) else ""
    values = [value.strip(" '\"`") for value in re.split(r"[,/|]|\bor\b", said)]
    kind = next((_TYPES[word] for word in re.findall(r"[a-z/]+", said.lower()) if word in _TYPES), None)
    known = kind is not None or any(
        word in said.lower() for word in ("text", "string", "date", "required", "optional", "unique")
    )
    choices = values if len(values) > 1 and not known and all(0 < len(value) <= 30 for value in values) else []
    return SourceParameter(
        name=name[:_LONGEST_FIELD],
        type=kind or _usual_type(name),
        description="" if choices else said[:120] or unit,
        choices=choices,
    )


def _without_unit(words: list[str]) -> tuple[list[str], str]:
    """Return a field's words without the unit behind them, and the unit: 'size in square metres' is 'in square metres'."""
    at = words.index("in") if "in" in words[1:-1] and words[0] != "in" else 0
    if at and len(words) - at <= 3 and words[-1] in UNITS:
        return words[:at], " ".join(words[at:])
    return words, ""


def _names_field(words: Sequence[str]) -> bool:
    """Return whether words are the name of a field, not a sentence about one."""
    # 'given on' says when, as 'issued on' does, and 'given name' which: at the start it links nothing.
    following = words[1:] if words[:1] == ["given"] else words
    linking = [word for word in following if word in PREPOSITIONS and word not in _PLAIN]
    if not linking:
        return 0 < len(words) <= 4
    return len(linking) == 1 and linking[0] in _LINKS and 1 < len(words) <= _LONGEST_LINKED


def _usual_type(name: str) -> ParameterType:
    match concepts().get(concept_of(name)):
        case "integer":
            return "integer"
        case "number" | "money":
            return "number"
        case "boolean":
            return "boolean"
    return "string"


def thing_of_heading(text: str) -> str:
    """Return the thing that a heading names: one or two words, 'Loans' or 'Purchase orders'; "" for any other."""
    words = words_of(re.sub(r"^[\d.\s]+", "", text))
    if not 1 <= len(words) <= 3 or words[-1] in _SECTIONS:
        return ""
    return declared_noun(words)


_SECTIONS = frozenset(
    """overview introduction scope goals goal summary background purpose requirements features functions operations rules
    constraints policies glossary appendix entities model data users roles stories cases actors interface security
    performance reports notes contents assumptions objectives workflow functional""".split()
)
