"""Program shapes whose tasks need documents: each reads or runs one, and some write one."""

from __future__ import annotations

import random
from collections.abc import Callable

from schemas.tasks import TaskDraft
from tasks.authors.rules.documents.shapes_checks import (
    check_register,
    extend_register,
    follow_notice,
    recount_report,
    use_saved_query,
)
from tasks.authors.rules.documents.shapes_limits import charge_by_list, keep_to_limit
from tasks.authors.rules.documents.shapes_policies import apply_policy
from tasks.authors.rules.drafts.catalog import Catalog

DOCUMENT_SHAPES: tuple[Callable[[Catalog, random.Random], TaskDraft | None], ...] = (
    keep_to_limit,
    apply_policy,
    charge_by_list,
    follow_notice,
    check_register,
    extend_register,
    use_saved_query,
    recount_report,
)
"""Shapes in the order in which they are drawn; each returns None at once where no document serves it."""
