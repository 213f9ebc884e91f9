"""Agreement of the taxonomy's rules with a labelled corpus of MCP servers, by cross-validation."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import KFold

from schemas.errors import UsageError
from tasks.taxonomy.classifier import Classifier
from tasks.taxonomy.names import Example, Taxonomy
from tasks.taxonomy.texts import MOST_CHARACTERS, MOST_OPERATIONS, NAME_WEIGHT, spelt_out

FOLDS = 5


@dataclass(frozen=True)
class Labelled:
    """A server's text, its first level, and those of all its labels."""

    text: str
    level1: str
    also: frozenset[str]


def read_corpus(path: Path, mapping: Mapping[str, str]) -> list[Labelled]:
    """Return the labelled servers of a jsonl (plain or .gz) whose primary label `mapping` knows.

    Raises UsageError when the file cannot be read or holds none.
    """
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            servers = [json.loads(line) for line in lines]
    except (OSError, ValueError) as error:
        raise UsageError(
            f"cannot read the corpus {path}: {error}. Give a jsonl of labelled servers: --corpus FILE"
        ) from error
    found = [
        Labelled(_text(server), mapping[server["primary_label"]], _levels(server, mapping))
        for server in servers
        if server.get("primary_label") in mapping
    ]
    if not found:
        raise UsageError(f"no server of {path} has a known primary_label. Give a labelled jsonl: --corpus FILE")
    return found


def measure_agreement(corpus: Sequence[Labelled], taxonomy: Taxonomy) -> dict[str, Any]:
    """Return accuracy and macro F1 by five-fold cross-validation, and those of the taxonomy's words alone.

    accuracy: the first level is that of the primary label; any_label: that of one of the labels;
    seeds_accuracy: without labelled examples; mean_confidence belongs to accuracy; n: servers.
    """
    truth = [item.level1 for item in corpus]
    found: dict[int, str] = {}
    sure: list[float] = []
    for learn, test in KFold(FOLDS, shuffle=True, random_state=0).split(corpus):
        examples = [Example(corpus[i].text, corpus[i].level1) for i in learn]
        places = Classifier(taxonomy, examples).classify([corpus[i].text for i in test])
        found |= {int(i): place.level1 for i, place in zip(test, places, strict=True)}
        sure += [place.confidence for place in places]
    told = [found[i] for i in range(len(corpus))]
    alone = [place.level1 for place in Classifier(taxonomy).classify([item.text for item in corpus])]
    return {
        "accuracy": round(accuracy_score(truth, told), 4),
        "macro_f1": round(f1_score(truth, told, average="macro", zero_division=0), 4),
        "n": len(corpus),
        "any_label": round(sum(level in item.also for level, item in zip(told, corpus, strict=True)) / len(corpus), 4),
        "seeds_accuracy": round(accuracy_score(truth, alone), 4),
        "mean_confidence": round(sum(sure) / len(sure), 4),
        "majority": round(Counter(truth).most_common(1)[0][1] / len(corpus), 4),
        "folds": FOLDS,
    }


def _text(server: dict[str, Any]) -> str:
    tools = [
        f"{spelt_out(tool['name'])} {(tool.get('description') or '')[:MOST_CHARACTERS]}"
        for tool in server["tools"][:MOST_OPERATIONS]
    ]
    return " ".join([*[spelt_out(server["name"])] * NAME_WEIGHT, server.get("overview") or "", *tools])


def _levels(server: dict[str, Any], mapping: Mapping[str, str]) -> frozenset[str]:
    labels = [server["primary_label"], *server.get("secondary_labels", [])]
    return frozenset(mapping[label] for label in labels if label in mapping)
