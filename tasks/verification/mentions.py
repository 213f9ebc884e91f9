"""Mentions: whether a request states a value, in one of the spellings in which people write it.

Numbers in digits or words ('150,000', '15万', 'nineteen', '十九', '5%'), dates in the common forms, texts in any case.
It is meant to be sure of what it finds missing: a spelling too many is a wrong admission at worst, which other checks see.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

_SMALL = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen".split()
    )
} | {word: 10 * value for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_OTHER = {"no": 0.0, "none": 0.0, "never": 0.0, "half": 0.5, "once": 1.0, "twice": 2.0, "dozen": 12.0}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_FACTORS = {**_SCALES, "k": 1000, "m": 10**6, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8, "%": 0.01}
_NUMERALS = {numeral: value for value, numeral in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_ENGLISH = re.compile(rf"\b(?:{'|'.join([*_SMALL, *_SCALES])})(?:[ -](?:and )?(?:{'|'.join([*_SMALL, *_SCALES])}))*\b")
_CHINESE = re.compile(r"[零〇一二两三四五六七八九十][零〇一二两三四五六七八九十百千万亿]*")
_DIGITS = re.compile(
    r"(?P<digits>\d{1,3}(?:[,']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?: ?(?P<factor>hundred|thousand|million|billion|[km](?!\w)|[百千万亿]|%))?"
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?")
_ALWAYS_SAID = (0, 1)
"""Numbers that an article or 'any' says too."""


def mentions(text: str, value: Any) -> bool:
    """Return whether a text states a value; truth values, 0 and 1 are said by so many words that they count as stated."""
    if isinstance(value, list | tuple):
        return all(mentions(text, each) for each in value)
    if value is None or isinstance(value, bool) or value in _ALWAYS_SAID or value == "":
        return True
    low = _plain(text)
    if isinstance(value, int | float):
        return any(abs(abs(value) - number) <= 1e-9 * max(1.0, number) for number in _numbers(low))
    if _DATE.fullmatch(str(value)):
        return _mentions_moment(low, datetime.fromisoformat(str(value)), timed="T" in str(value))
    return re.search(_bounded(_plain(str(value).replace("_", " "))), low.replace("_", " ")) is not None


def _plain(text: str) -> str:
    """Write a text without case, double spaces and the shapes of quotes."""
    quotes = str.maketrans("‘’“”「」『』", '\'\'""""""')
    return " ".join(text.casefold().translate(quotes).split())


def _bounded(text: str) -> str:
    """Return a pattern for a text that is no part of a longer word; Chinese has no bounds between words."""
    start = r"(?<![a-z0-9])" if text[:1].isascii() and text[:1].isalnum() else ""
    end = r"(?![a-z0-9])" if text[-1:].isascii() and len(text) < 4 and text[-1:].isalnum() else ""
    return start + re.escape(text) + end


# --- numbers ------------------------------------------------------------------------------


def _numbers(text: str) -> Iterator[float]:
    """Yield every number that a text states."""
    for found in _DIGITS.finditer(text):
        number = float(re.sub(r"[^\d.]", "", found["digits"]))
        yield number
        if found["factor"]:
            yield number * _FACTORS[found["factor"]]
    for words in _ENGLISH.findall(text):
        yield _counted(re.split(r"[ -](?:and )?", words))
    for word in re.findall(r"[a-z]+", text):
        if word in _OTHER:
            yield _OTHER[word]
    for numerals in _CHINESE.findall(text):
        yield _numeral(numerals)
    if "半" in text:
        yield 0.5


def _counted(words: list[str]) -> float:
    """Return the number that English words say: 'two hundred and fifty'."""
    total, part = 0, 0
    for word in words:
        if word in _SMALL:
            part += _SMALL[word]
        elif word == "hundred":
            part = max(part, 1) * 100
        else:
            total, part = total + max(part, 1) * _SCALES[word], 0
    return float(total + part)


def _numeral(text: str) -> float:
    """Return the number that Chinese numerals say: 一百二十, 十五, 两万."""
    total, section, digit = 0, 0, 0
    for numeral in text:
        if numeral in _NUMERALS:
            digit = _NUMERALS[numeral]
        elif numeral in "万亿":
            total, section, digit = (total + max(section + digit, 1)) * int(_FACTORS[numeral]), 0, 0
        else:
            section, digit = section + (digit or 1) * (10 if numeral == "十" else int(_FACTORS[numeral])), 0
    return float(total + section + digit)


# --- dates --------------------------------------------------------------------------------


def _mentions_moment(text: str, moment: datetime, timed: bool) -> bool:
    day = any(re.search(form, text) for form in _dates(moment))
    return day and (not timed or moment.strftime("%H:%M") == "00:00" or bool(re.search(_clock(moment), text)))


def _dates(moment: datetime) -> Iterator[str]:
    """Yield patterns of a day; the first and last of a month or year are said by its name alone too."""
    y, m, d = moment.year, moment.month, moment.day
    name = moment.strftime("%B").lower()
    month = rf"\b(?:{name}|{name[:3]}|sept)\b\.?" if m == 9 else rf"\b(?:{name}|{name[:3]})\b\.?"
    day = rf"(?<!\d)0?{d}(?:st|nd|rd|th)?(?!\d)"
    yield rf"{y}[-/.]0?{m}[-/.]0?{d}(?!\d)"
    yield rf"{y} ?年 ?0?{m} ?月 ?0?{d} ?[日号]"
    yield rf"{day} (?:of )?{month},? {y}"
    yield rf"{month} (?:the )?{day},? (?:of )?{y}"
    yield from (rf"(?<!\d)0?{first}[/.]0?{second}[/.]{y}" for first, second in ((m, d), (d, m)))
    if d in (1, calendar.monthrange(y, m)[1]):
        yield rf"{month},? (?:of )?{y}"
        yield rf"{y} ?年 ?0?{m} ?月(?! ?\d)"
        yield rf"(?<!\d){y}-{m:02d}(?![-\d])"
    if (m, d) in ((1, 1), (12, 31)):
        yield rf"(?<![\d-]){y}(?![-/.]?\d)"


def _clock(moment: datetime) -> str:
    """Return a pattern of a time of day, by 24 hours or 12."""
    hour, minute = moment.hour, moment.minute
    short = (hour - 1) % 12 + 1
    half = r"p\.?m" if hour >= 12 else r"a\.?m"
    forms = [
        rf"(?<!\d)0?{hour}:{minute:02d}",
        rf"(?<!\d){short}:{minute:02d} ?{half}",
        rf"{hour} ?[点时] ?{minute} ?分",
    ]
    if not minute:
        forms += [rf"(?<!\d){short} ?{half}", rf"(?<!\d){hour} ?[点时]", *([r"\bnoon\b|中午"] if hour == 12 else [])]
    return "|".join(forms)
