"""The depot, whose figures are all different where they must rank."""

from tests.tasks.authors.rules.documents.conftest import depot

__all__ = ["depot"]
