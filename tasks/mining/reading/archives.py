"""Archives: the data files inside a zip, each of any format but another archive."""

from __future__ import annotations

from tasks.mining.reading.contents import Content, member_contents
from tasks.mining.reading.formats import is_data_name
from tasks.mining.reading.raw import ReadingLimits, refusal

PART = "#"
"""Between a file inside an archive and a table inside that file: 'book.xlsx#Prices'."""


def data_files(content: Content, limits: ReadingLimits) -> dict[str, Content]:
    """Return an archive's files that promise data, by name, sorted; what the system or a reader's note left is none.

    Refused as no_table when it has none, as unknown_format when there are archives alone.
    """
    files = member_contents(content, limits)
    data = {name: inner for name, inner in files.items() if is_data_name(name) and not _is_debris(name)}
    flat = {name: inner for name, inner in data.items() if not name.lower().endswith(".zip")}
    if data and not flat:
        what = "it is an archive of archives"
        raise refusal("unknown_format", content.path, what, "Unpack it once, then run again")
    if not flat:
        raise refusal("no_table", content.path, f"{content.name} holds no file of data", "Leave it out")
    return flat


def choose_file(content: Content, member: str | None, limits: ReadingLimits) -> tuple[Content, str | None]:
    """Return the file inside that a member means, and the table inside that file; no_member when there is none.

    An archive's only data file need not be named: the member is then the table inside it.
    """
    files = data_files(content, limits)
    if member in files:
        return files[member], None
    for name, inner in files.items():
        if member is not None and member.startswith(name + PART):
            return inner, member[len(name) + len(PART) :]
    if len(files) == 1:
        return next(iter(files.values())), member
    raise refusal("no_member", content.path, f"it has no member {member!r}", f"Name one of: {', '.join(files)}")


def _is_debris(name: str) -> bool:
    parts = name.split("/")
    return (
        "__MACOSX" in parts or parts[-1].startswith((".", "~$")) or parts[-1].lower().startswith(("readme", "license"))
    )
