"""Controls: parameters that neither narrow nor state anything, and what the others say by their names alone."""

from __future__ import annotations

import re

from schemas.themes import SourceParameter
from tasks.themes.lexicon import singular, usual_fields, words_of

_CREDENTIALS = re.compile(
    r"(^|_)(api_?keys?|access_?tokens?|auth(_?token|orization|entication)?|password|passwd|secrets?|client_secret|client_id|"
    r"credentials?|private_?key|bearer|jwt|session_?(id|token|key)?|cookies?|refresh_?tokens?|user_?token|subscription_?key|"
    r"connection_?string|user_agent|headers?|proxy|tenant_id|bot_?token|custom_?token|app_?key|app_?secret)$"
)
_PAGING = re.compile(
    r"^(limit|offset|page|pages|cursor|skip|take|first|after|before_cursor|top_?(k|n)|n|num|start_?(index|row|at)|rows?|"
    r"page_?(size|number|token|no|num|index|limit)|per_?page|next_?(token|cursor|page)|continuation|from_row|size|"
    r"(max|num|number|n|limit|total|results?)(_of)?_?(results?|items?|records?|count|rows|pages|entries|limit|num|tokens)?|"
    r"results?_?(limit|count|per_page)|items_per_page|hits_per_page|count|max_[a-z]+s|num_[a-z]+s|[a-z]+_limit|[a-z]+_per_page|"
    r"current_offset|start_page_token)$"
)
_OUTPUT = re.compile(
    r"^((output|response|return|result|export|file)_?(format|type|mode|dir|directory|path|file|file_path)|format|fmt|pretty|verbose|"
    r"include_[a-z_]+|exclude_[a-z_]+|with_[a-z_]+|expand|fields|select|projection|embed|columns|full_?(data|details?)|raw|"
    r"as_(json|base64|text)|save_?(path|to|dir|csv|to_file)|download_(path|dir)|detail(ed)?|details_level|indent|summarize|"
    r"options|ctx|safe_?search|time_?limit|granularity|lookback[a-z_]*|exact_match|call_benefit|search_width|follow_redirects|recent_n|newest|enable_[a-z_]+|[a-z_]+_length|[a-z_]+_max_[a-z_]+|[a-z_]*(start|end)_index|image_quality|freq|(max_)?tokens|ignore_[a-z_]+|only_[a-z]+|[a-z]+_only|use_[a-z_]+|context_lines|encoding|max_?(length|chars|size|tokens|depth)|snippet_length|show_[a-z_]+|locale|lang)$"
)
_SORTING = re.compile(
    r"^(sort(_?by|_?order|_?direction|_?field|ing)?|order(_?by|_?direction|ing)?|asc|desc|descending|reverse|direction)$"
)
_PLUMBING = re.compile(
    r"^(callback(_?url)?|webhook(_?url)?|timeout(_?ms|_?s|_?seconds)?|retries|max_retries|dry_?run|force|debug|async|wait(_?for)?|"
    r"random_string|dummy|_?meta|reasoning|rationale|trace_id|request_id|idempotency_key|api_version|base_?url|endpoint|host|port|"
    r"no_cache|use_cache|refresh|cache|stream|seed|temperature_setting|kwargs|args|version_id|confirm|headless|delay|"
    r"thread_?count|concurrency|batch_size|poll(_interval)?|user_input|explanation_for_call)$"
)
_FREE_TEXT = re.compile(
    r"^(q|query|queries|search|search_?(query|term|text|string|terms|word|words|keywords?|expr)|keywords?|key_words?|term|terms|text_query|"
    r"phrase|question|prompt|search_for|filter_text)$"
)
_SECRET_TOKEN = re.compile(
    r"\b(api|access|auth|bearer|secret|personal|authentication|authorization|login|user) ?-?tokens?\b|token for", re.I
)
_KEYS = frozenset("id ids key keys uid uuid number slug identifier name title sha handle code guid".split())


def leaf(name: str) -> str:
    """Return the last part of a dotted parameter name in snake_case: 'filter.projectId' → 'project_id'."""
    return "_".join(words_of(name.rpartition(".")[2])) or "value"


def is_control(parameter: SourceParameter) -> bool:
    """Return whether a parameter is a credential, paging, an output's format or order, or plumbing."""
    name = leaf(parameter.name)
    if name == "token":
        return bool(_SECRET_TOKEN.search(parameter.description)) or not parameter.description
    if name in ("host", "port", "locale", "lang", "size", "after") and parameter.required:
        return False
    patterns = (_CREDENTIALS, _PAGING, _OUTPUT, _SORTING, _PLUMBING)
    return any(pattern.search(name) for pattern in patterns)


def is_free_text(parameter: SourceParameter) -> bool:
    """Return whether a parameter is a text to search for, which no single field answers."""
    return parameter.type in ("string", "array") and bool(_FREE_TEXT.match(leaf(parameter.name)))


def is_own_key(name: str, noun: str) -> bool:
    """Return whether a parameter tells which row of a thing (singular) is meant: 'id', 'issue_number', 'title'."""
    words = leaf(name).split("_")
    if words[-1] in _KEYS and (len(words) == 1 or _belongs(words[:-1], noun)):
        return True
    usual = usual_fields(noun)
    return "_".join(words) == noun or singular("_".join(words)) == noun or (bool(usual) and "_".join(words) == usual[0])


def _belongs(words: list[str], noun: str) -> bool:
    """Return whether words before a key name the thing itself: 'issue', or 'chembl_assay' of an assay."""
    said, parts = "_".join(words), noun.split("_")
    return said == noun or singular(said) == noun or singular(words[-1]) == parts[-1]
