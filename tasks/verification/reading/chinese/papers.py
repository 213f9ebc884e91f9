"""Acts on documents: an entry that is corrected, a section that is rewritten."""

from __future__ import annotations

from typing import Any

from schemas.plans import Act, Entry, Said
from tasks.verification.reading.chinese.grammar import Grammar, Known
from tasks.verification.reading.chinese.names import Names, Value
from tasks.verification.reading.naming import plain_field


class Papers:
    """Rules for acts whose tools take a document's path, which nobody says: the title stands for it."""

    def __init__(self, grammar: Grammar, names: Names) -> None:
        self._names = names
        grammar.add_patterns("mended", self._mended)
        grammar.add_patterns("rewritten", _rewritten)

    def _mended(self, known: Known) -> Act | None:
        """Return the correction of a field of the entry at hand, whose first field says which entry it is."""
        if known.get("listed") is None:
            return None
        column = self._names.table(known["item"]).columns[known["listed"]]
        right: Value = known["right"]
        arguments: dict[str, Any] = {
            "row": Entry(field=plain_field(column.words)),
            "column": Said(value=known["quote"]),
            "value": right.said,
        }
        return Act(tool="update_document_row", arguments=arguments)


def _rewritten(known: Known) -> Act:
    arguments: dict[str, Any] = {"heading": Said(value=known["heading"]), "text": Said(value=known["text"])}
    return Act(tool="replace_document_section", arguments=arguments, document=known["document"])
