"""Lines: a text's lines with their ends, without control characters, in bounded memory."""

from __future__ import annotations

import io
import re
from collections import deque
from collections.abc import Iterator

from tasks.mining.reading.contents import Content
from tasks.mining.reading.encodings import Encoding, text_blocks
from tasks.mining.reading.raw import ReadingLimits, Repair, refusal

_CONTROLS = [*map(chr, range(9)), "\x0b", "\x0c", *map(chr, range(14, 32)), "\x7f", "\ufeff"]
_CONTROL = re.compile(f"[{''.join(map(re.escape, _CONTROLS))}]")


class Lines:
    """An iterator over lines that takes lines back: what a broken quote swallowed is read again.

    Lines end with \\n, \\r or \\r\\n and keep that end. `held` are the lines given since `release`. It
    stops where they exceed `limits.line_characters`, and goes on when asked again. `blocks` counts what was
    read of the text, in blocks.
    """

    def __init__(self, content: Content, encoding: Encoding, limits: ReadingLimits) -> None:
        self._source = self._split(content, encoding)
        self._content = content
        self._most = limits.line_characters
        self._back: deque[str] = deque()
        self._held_size = 0
        self._dropped = 0
        self.held: list[str] = []
        self.stopped = False
        self.blocks = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._held_size > self._most:
            self.stopped = True
            raise StopIteration
        if not self._back:
            self._back.extend(self.next_block())
        if not self._back:
            self.stopped = True
            raise StopIteration
        line = self._back.popleft()
        self.held.append(line)
        self._held_size += len(line)
        return line

    def next_block(self) -> list[str]:
        """Return many lines at once, none of them held: those taken back, else the next of the text; [] at its end."""
        if self._back:
            lines = list(self._back)
            self._back.clear()
            return lines
        for lines in self._source:
            self.blocks += 1
            if lines:
                return lines
        return []

    def release(self) -> None:
        """Forget the lines that were given: their row is done."""
        self.held.clear()
        self._held_size = 0
        self.stopped = False

    def take_back(self, lines: list[str]) -> None:
        """Give these lines again, before any other."""
        self._back.extendleft(reversed(lines))

    def has_back(self) -> bool:
        """Whether lines were read, or taken back, that are still to be given."""
        return bool(self._back)

    def repairs(self) -> tuple[Repair, ...]:
        """Return what was mended in the lines so far."""
        if not self._dropped:
            return ()
        return (Repair("control_character", f"{self._dropped} control characters left out"),)

    def _split(self, content: Content, encoding: Encoding) -> Iterator[list[str]]:
        rest = ""
        for block in text_blocks(content, encoding):
            text = rest + self._clean(block)
            # The last line may go on in the next block, and a \r may be the first half of a \r\n.
            end = max(text.rfind("\n"), text.rfind("\r", 0, max(0, len(text) - 1))) + 1
            rest = text[end:]
            yield list(io.StringIO(text[:end], newline=""))
            if len(rest) > self._most:
                what = f"{content.name} has a line of more than {self._most} characters"
                raise refusal("damaged", content.path, what, "Check that it has line ends, then run again")
        yield list(io.StringIO(rest, newline=""))

    def _clean(self, block: str) -> str:
        # Looking for each character is ten times as fast as a pattern of all, and hardly any text has one.
        if not any(character in block for character in _CONTROLS):
            return block
        clean, count = _CONTROL.subn("", block)
        self._dropped += count
        return clean
