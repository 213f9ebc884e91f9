"""Sites as sources of themes: addresses from which the web is searched for data; what they hold shows in mining."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit, urlunsplit

from schemas.errors import UsageError
from schemas.identity import content_id
from schemas.themes import Theme
from tasks.mining.library.names import theme_name, title_of
from tasks.themes.reading import name_of


def read_sites(addresses: Sequence[str], licence: str, name: str | None = None) -> Theme:
    """Return the theme of some addresses; UsageError for one that is no http or https address."""
    sites = list(dict.fromkeys(_checked(address) for address in addresses))
    if not sites:
        raise UsageError("no address is given. Name where to search: factory discover site https://example.org/")
    host = urlsplit(sites[0]).hostname or ""
    words = [word for word in host.split(".") if word not in ("www", "com", "org", "net")] or [host]
    title = name or title_of(" ".join(words))
    return Theme(
        name=name_of(title) if name else theme_name(["site", *words]),
        title=title,
        description=f"What the pages of {host} tell." if host else f"{title}.",
        kind="site",
        package=sites[0],
        version=content_id("sites", sites).rpartition("_")[2],
        licence=licence,
        tables=[],
        sites=sites,
    )


def _checked(address: str) -> str:
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError as error:
        raise UsageError(f"{address!r} is no address: {error}. Give one such as https://example.org/") from error
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(f"{address!r} is no http address. Give one such as https://example.org/")
    return urlunsplit((parts.scheme, parts.netloc, parts.path or "/", parts.query, ""))
