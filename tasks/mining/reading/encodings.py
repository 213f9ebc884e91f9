"""Encodings: which one a text is in, found by reading all of it once, and its text in blocks."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from charset_normalizer import from_bytes

from tasks.mining.reading.contents import Content
from tasks.mining.reading.raw import Repair, refusal

_BLOCK = 1 << 20
_EVIDENCE = 64_000
_SOME_NOISE = 8
"""Control characters that any text may have; more, and beyond 5 %, and it is no text."""
_FEW = 0.05
"""A UTF-8 text may have this share of broken characters among those beyond ASCII; more, and it is no UTF-8."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_PRIORS = {
    "cp1252": 0.0, "mac_roman": 0.005, "cp1250": 0.03, "cp1251": 0.03, "koi8_r": 0.04, "cp932": 0.05, "gb18030": 0.06,
    "euc_jp": 0.06, "euc_kr": 0.06, "big5": 0.07, "cp1253": 0.08, "cp1254": 0.08, "cp1255": 0.08, "cp1256": 0.08,
}  # fmt: skip
"""Encodings that tables come in, with what each must be better by: the rarer, the more."""
_ODD = {
    "cp1252": re.compile(r"(?<=[a-z])[À-ÞŒŠŽŸ](?=[a-z])|(?<=\w)‘(?!\w)"),
    "cp932": re.compile(r"[\uff61-\uff9f\ue000-\uf8ff]"), "euc_kr": re.compile(r"[\u4e00-\u9fff]"),
    "mac_roman": re.compile(
        # Symbols, and the letters that stand where cp1252 has quotes, dashes and the euro.
        r"[Ω∂∑∏π∫ª∆√ƒ≈◊ÿŸ⁄\uf8ff]|(?<!\w)[ìë](?=\w)|(?<=\w)[îí](?!\w)|\w[í](?=[st]\b)|(?<=\s)[óñ](?=\s)|Ä(?=\d)"
    ),
    "cp1251": re.compile("[ЂЃЉЊЌЋЏђѓљњќћџЎўЈҐґ]"), "gb18030": re.compile(r"[\ue000-\uf8ff]"),
}  # fmt: skip
"""What hardly occurs in a text of the encoding, and plenty in another one's text read as it."""
_MIXED = re.compile(r"[A-Za-z][\u0370-\u06ff]|[\u0370-\u06ff][A-Za-z]|[A-Za-z][\u3040-\ud7af][A-Za-z]")
"""Two scripts in one word."""
_NOISE = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True)
class Encoding:
    """A codec's name, how it treats what it cannot decode, and what is to be told."""

    name: str
    repairs: tuple[Repair, ...] = ()


def detect(content: Content) -> Encoding:
    """Return the encoding of a text: by its mark, as UTF-8 where that fits, else the likeliest.

    Refused as unknown_format when it is no text.
    """
    mark = _marked(content, content.head(_BLOCK))
    if mark is not None:
        told = () if mark == "utf-8-sig" else (Repair("encoding", f"read as {mark.upper()}"),)
        return Encoding(mark, told + _broken(content, mark))
    if _is_utf8(content):
        return Encoding("utf-8")
    evidence, good, broken = _survey(content)
    if broken <= good * _FEW:
        return Encoding("utf-8", (Repair("encoding", f"{broken} broken UTF-8 bytes replaced by U+FFFD", broken),))
    name = _likeliest(evidence)
    return Encoding(name, (Repair("encoding", f"read as {name}"), *_broken(content, name)))


def start_of(content: Content, size: int) -> str:
    """Return the beginning of a text, of about `size` bytes, for telling what it is; detect reads it all."""
    head = content.head(size)
    return head.decode(_marked(content, head) or "utf-8", "replace")


def text_blocks(content: Content, encoding: Encoding) -> Iterator[str]:
    """Yield the text in blocks of about a million characters; what cannot be decoded is U+FFFD."""
    decoder = codecs.getincrementaldecoder(encoding.name)("replace")
    with closing(content.open()) as stream:
        while block := stream.read(_BLOCK):
            yield decoder.decode(block)
    yield decoder.decode(b"", final=True)


def whole_text(content: Content, most: int, advice: str) -> tuple[str, Encoding]:
    """Return all of a text; refused as too_large beyond `most` bytes."""
    content.whole(most, advice)
    encoding = detect(content)
    return "".join(text_blocks(content, encoding)), encoding


def _marked(content: Content, head: bytes) -> str | None:
    """Return the encoding that the first bytes tell; refused as unknown_format when they are no text."""
    mark = next((name for bom, name in _MARKS if head.startswith(bom)), None) or _unmarked_wide(head)
    noise = len(_NOISE.findall(head[:_EVIDENCE]))
    if mark is None and noise > max(_SOME_NOISE, len(head[:_EVIDENCE]) * 0.05):
        raise refusal("unknown_format", content.path, f"{content.name} is neither text nor in a known format", KNOWN)
    return mark


def _unmarked_wide(head: bytes) -> str | None:
    """Return UTF-16 for a text whose every other byte is zero, as Latin text without a mark has it."""
    even, odd = head[:_EVIDENCE:2].count(0), head[1:_EVIDENCE:2].count(0)
    pairs = max(1, min(len(head), _EVIDENCE) // 2)
    if odd > pairs * 0.4 and even < pairs * 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > pairs * 0.4 and odd < pairs * 0.1 else None


def _is_utf8(content: Content) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with closing(content.open()) as stream:
        try:
            while block := stream.read(_BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _survey(content: Content) -> tuple[bytes, int, int]:
    """Return lines with bytes beyond ASCII, the count of their good UTF-8 characters and of broken bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    evidence, good, broken, ended = b"", 0, 0, False
    with closing(content.open()) as stream:
        while not ended:
            block = stream.read(_BLOCK)
            ended = not block
            if len(evidence) < _EVIDENCE and not block.isascii():
                evidence += b"\n".join(line for line in block.splitlines() if not line.isascii())[:_EVIDENCE]
            text = decoder.decode(block, final=ended)
            if not text.isascii():
                beyond = re.sub(r"[\x00-\x7f]+", "", text)
                bad = len(re.findall("[\udc80-\udcff]", beyond))
                good, broken = good + len(beyond) - bad, broken + bad
    return evidence, good, broken


def _likeliest(evidence: bytes) -> str:
    matches = from_bytes(evidence, cp_isolation=list(_PRIORS), threshold=0.6)
    # Encodings that give the same text come as one match.
    chaos = {name: match.chaos for match in matches for name in match.could_be_from_charset if name in _PRIORS}
    scores = {name: found + _PRIORS[name] + _oddness(name, evidence) for name, found in chaos.items()}
    return min(scores, key=lambda name: (scores[name], name), default="cp1252")


def _oddness(name: str, evidence: bytes) -> float:
    text = evidence.decode(name, "replace")
    beyond = re.sub(r"[\x00-\x7f]+", "", text)
    odd = len(_ODD[name].findall(text)) if name in _ODD else 0
    return (odd * 0.5 + len(_MIXED.findall(text))) / max(1, len(beyond))


def _broken(content: Content, name: str) -> tuple[Repair, ...]:
    count = sum(block.count("\ufffd") for block in text_blocks(content, Encoding(name)))
    return (Repair("encoding", f"{count} characters could not be decoded, replaced by U+FFFD", count),) if count else ()


KNOWN = "Known: csv, tsv and other delimited text, json, jsonl, xlsx, parquet, html, sqlite, and gz or zip of those"
