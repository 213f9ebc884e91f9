"""Forms of an answer: whether a value that its check refuses is the expected one, written in another way than asked for.

A number with its unit, as a share or in other decimals; a list as one text; a date in another order; a text with words
around it; a key that is called otherwise or is one too many. Values are told from forms of values by what a policy could
not have by chance: all digits of a number that it does not round, all items of a list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from schemas.answers import AnswerField, ValueType
from tasks.verification.checks import same_value

Form = Literal["right", "other_form", "rough", "wrong"]
"""rough: rounded so far that many another value would come to it, so that it proves little."""
ROUGH = 100
"""Below this a whole number says little of the number that it was rounded from."""
_NUMBER = re.compile(r"[-+−]?\d[\d.,' \u00a0\u202f]*(?:e[-+]?\d+)?", re.IGNORECASE)
_SEPARATORS = re.compile(r"\s*(?:[,;|/、，；\n]|\band\b|和|及)\s*")
_AROUND = re.compile(r"[^\w+-]+")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = re.compile(rf"({'|'.join(_MONTHS)})[a-z]*", re.IGNORECASE)
_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False, "是": True, "否": False}
_PERCENT = 100.0
_USUAL = 2
"""Decimals that a number was rounded to which shows none."""


def forms_of(answer: Any, fields: Sequence[AnswerField], expected: Mapping[str, Any]) -> dict[str, Form]:
    """Return for each field of an expected answer whether it is given, given in another form, or not given."""
    given = _as_object(answer, fields)
    announced = {field.name for field in fields}
    others = [value for name, value in given.items() if name not in announced]
    return {field.name: _form(given, others, field, expected[field.name]) for field in fields}


def _form(given: Mapping[str, Any], others: Sequence[Any], field: AnswerField, expected: Any) -> Form:
    if field.name in given:
        return _compare(given[field.name], field, expected)
    renamed = any(_compare(value, field, expected) != "wrong" for value in others)
    return "other_form" if renamed else "wrong"


def _compare(value: Any, field: AnswerField, expected: Any) -> Form:
    spec = field.model_dump(include={"type", "item_type", "ordered", "tolerance"})
    if same_value(value, expected, spec):
        return "right"
    if not _is_form(value, field, expected):
        return "wrong"
    is_whole = isinstance(value, int | float) and abs(value) < ROUGH and value == round(value)
    return "rough" if is_whole and field.type == "number" else "other_form"


def _as_object(answer: Any, fields: Sequence[AnswerField]) -> Mapping[str, Any]:
    """Return an answer as an object of fields, whatever it came as."""
    names = [field.name for field in fields]
    if isinstance(answer, str):
        try:
            answer = json.loads(answer.strip().removeprefix("```json").strip("`"))
        except ValueError:
            pass
    if isinstance(answer, dict):
        inner = list(answer.values())
        wrapped = len(inner) == 1 and isinstance(inner[0], dict) and not set(names) & set(answer)
        return inner[0] if wrapped else answer
    if len(names) == 1:
        return {names[0]: answer}
    return dict(zip(names, answer, strict=True)) if isinstance(answer, list) and len(answer) == len(names) else {}


def _is_form(value: Any, field: AnswerField, expected: Any) -> bool:
    if value is None or expected is None:
        return False
    if field.type == "list":
        return _is_list(value, field, expected)
    if isinstance(value, list | dict):
        parts = list(value.values()) if isinstance(value, dict) else value
        return len(parts) <= 2 and any(_compare(part, field, expected) != "wrong" for part in parts)
    match field.type:
        case "integer" | "number":
            return _is_number(value, field, expected)
        case "date" | "datetime":
            return _is_moment(str(value), str(expected))
        case "boolean":
            return _WORDS.get(str(value).strip().casefold().rstrip(".")) == bool(expected)
        case _:
            return _is_text(str(value), str(expected))


# --- numbers ------------------------------------------------------------------------------


def _is_number(value: Any, field: AnswerField, expected: Any) -> bool:
    if isinstance(value, bool):
        return False
    if not isinstance(value, str):
        return _same_number(float(value), repr(value), float(expected), field)
    texts = _NUMBER.findall(value)
    readings = _readings(texts[0]) if len(texts) == 1 else set()
    return any(_same_number(number, texts[0], float(expected), field) for number in readings)


def _readings(text: str) -> set[float]:
    """Return what a number may mean: with a point or a comma before its decimals."""
    text = re.sub(r"[\s']", "", text.replace("−", "-")).rstrip(".,")
    found = set()
    for plain in (text.replace(",", ""), text.replace(".", "").replace(",", ".")):
        try:
            found.add(float(plain))
        except ValueError:
            continue
    return found


def _same_number(number: float, text: str, wanted: float, field: AnswerField) -> bool:
    near = field.tolerance + 1e-9
    if abs(number - wanted) <= near:
        return True
    if (
        field.type == "number"
        and wanted
        and min(abs(number - wanted * _PERCENT), abs(number * _PERCENT - wanted)) <= near
    ):
        return True
    shown, asked = _decimals(text), _decimals(repr(wanted))
    if field.type == "number" and shown > asked:
        return abs(round(number, asked or _USUAL) - wanted) <= near
    if field.type == "number" and shown < asked:
        last = 10.0**-shown
        return abs(number - wanted) <= last / 2 + near or 0 <= abs(wanted) - abs(number) < last
    return any(abs(wanted) >= 10 ** (n + 1) and number == round(wanted, -n) for n in (1, 2, 3))


def _decimals(text: str) -> int:
    point = max(text.rfind("."), text.rfind(","))
    return len(text.rstrip("0")) - point - 1 if point >= 0 and not text.lower().count("e") else 0


# --- moments, texts, lists ----------------------------------------------------------------


def _is_moment(given: str, expected: str) -> bool:
    """Say whether a text tells the same day, and no other time of it."""
    found, wanted = _figures(given), _figures(expected)
    day, time = wanted[:3], [figure for figure in wanted[3:] if figure]
    if len(day) < 3:
        return False
    for figure in day:
        if figure not in found and figure % 100 in found:
            figure %= 100
        if figure not in found:
            return False
        found.remove(figure)
    left = [figure for figure in found if figure]
    return all(figure in time or figure + 12 in time for figure in left)


def _figures(text: str) -> list[int]:
    named = _MONTH.sub(lambda found: f" {_MONTHS.index(found[1].lower()) + 1} ", text)
    return [int(figure) for figure in re.findall(r"\d+", named)]


def _is_text(given: str, expected: str) -> bool:
    """Say whether a text holds the expected one as whole words, or differs from it only in signs."""
    said, wanted = _squeezed(given), _squeezed(expected)
    return bool(wanted) and (f" {wanted} " in f" {said} " or said.replace(" ", "") == wanted.replace(" ", ""))


def _squeezed(text: str) -> str:
    return _AROUND.sub(" ", text.casefold().replace("_", " ")).strip()


def _is_list(value: Any, field: AnswerField, expected: Sequence[Any]) -> bool:
    item_type: ValueType = field.item_type or "text"
    item = field.model_copy(update={"type": item_type, "item_type": None})
    if isinstance(value, str):
        parts: list[Any] = [part for part in _SEPARATORS.split(value.strip(" []().")) if part]
        joined = "".join(_squeezed(str(part)) for part in expected).replace(" ", "")
        if item_type == "text" and field.ordered and _squeezed(_SEPARATORS.sub(" ", value)).replace(" ", "") == joined:
            return True
    elif isinstance(value, dict):
        parts = list(value.values())
    else:
        parts = value if isinstance(value, list) else [value]
    rest = [_unwrapped(part) for part in parts]
    if len(rest) != len(expected):
        return False
    if field.ordered:
        return all(_compare(part, item, wanted) != "wrong" for part, wanted in zip(rest, expected, strict=True))
    for wanted in expected:
        match = next((n for n, part in enumerate(rest) if _compare(part, item, wanted) != "wrong"), None)
        if match is None:
            return False
        del rest[match]
    return True


def _unwrapped(part: Any) -> Any:
    """Return the value of an item that came as a list or an object of one."""
    while isinstance(part, list | dict) and len(part) == 1:
        part = part[0] if isinstance(part, list) else next(iter(part.values()))
    return part.strip(" \"'“”") if isinstance(part, str) else part
