"""The corpus of odd files: small, our own, each with the outcome that reading must have."""

from tests.tasks.mining.reading.binary_files import ARCHIVES, COLUMNS, DATABASES, PLACES, WORKBOOKS
from tests.tasks.mining.reading.text_files import DELIMITED, DOCUMENTS, ENCODED, PAGES

CORPUS = [*DELIMITED, *ENCODED, *DOCUMENTS, *PAGES, *WORKBOOKS, *DATABASES, *COLUMNS, *ARCHIVES, *PLACES]
