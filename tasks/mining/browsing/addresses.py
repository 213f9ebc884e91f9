"""Addresses: one spelling for each page, the host it is on, and the kind of page that its path says it is."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

_PORTS = {"http": 80, "https": 443}
_LONGEST = 2_000
_DEEPEST = 12
"""Segments of a path; more come of links that add to the path they stand on."""
_TRACKING = re.compile(r"utm_\w+|fbclid|gclid|sessionid|phpsessid|jsessionid|sid", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")


def canonical(address: str, base: str = "") -> str | None:
    """Return an address in its one spelling, joined to `base`; None for what is no page of the web.

    The host is in lower case without its scheme's own port; the fragment, credentials and parameters that only
    follow a visitor are left out. Other parameters stay in their order.
    """
    try:
        parts = urlsplit(urljoin(base, address.strip()))
        scheme, host, port = parts.scheme.lower(), (parts.hostname or "").lower(), parts.port
    except ValueError:
        return None
    if scheme not in _PORTS or not host or len(address) > _LONGEST:
        return None
    if len([segment for segment in parts.path.split("/") if segment]) > _DEEPEST:
        return None
    host = f"[{host}]" if ":" in host else host
    place = host if port in (None, _PORTS[scheme]) else f"{host}:{port}"
    query = parts.query
    if query and any(_TRACKING.fullmatch(key) for key, _ in parse_qsl(query, keep_blank_values=True)):
        kept = [(key, value) for key, value in parse_qsl(query, keep_blank_values=True) if not _TRACKING.fullmatch(key)]
        query = urlencode(kept)
    return urlunsplit((scheme, place, _quoted(parts.path) or "/", _quoted(query), ""))


def host_of(address: str) -> str:
    """Return an address's host with its port where that is not the scheme's own: 'example.org', 'localhost:8080'."""
    return urlsplit(address).netloc.rpartition("@")[2].lower()


def pattern_of(address: str) -> str:
    """Return what addresses of one kind of page share: 'example.org/calendar/#/*', 'example.org/list?page'.

    Digits are '#', the last segment of a deeper path is '*', parameters are their names.
    """
    parts = urlsplit(address)
    *above, last = parts.path.split("/")
    path = "/".join([*(_DIGITS.sub("#", segment) for segment in above), "*" if any(above) else _DIGITS.sub("#", last)])
    names = sorted({key for key, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{host_of(address)}{path}{'?' if names else ''}{'&'.join(names)}"


def numbered_next(address: str) -> str | None:
    """Return the address of the next page where this one's number stands in it ('?page=2', '/page/2'); else None."""
    parts = urlsplit(address)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    for position, (key, value) in enumerate(pairs):
        if key.lower() in ("page", "p", "pg", "paged", "pageno", "page_number") and value.isdecimal():
            pairs[position] = (key, str(int(value) + 1))
            return urlunsplit(parts._replace(query=urlencode(pairs)))
    match = re.search(r"(?<=/page/)\d+(?=/?$)", parts.path)
    if match is None:
        return None
    path = f"{parts.path[: match.start()]}{int(match[0]) + 1}{parts.path[match.end() :]}"
    return urlunsplit(parts._replace(path=path))


def _quoted(text: str) -> str:
    """Return text with blanks and what is not ASCII percent-encoded, as it goes over the wire."""
    return "".join(c if "!" <= c <= "~" else "".join(f"%{b:02X}" for b in c.encode("utf-8", "replace")) for c in text)
