"""Prices: what a call costs by a table that is data. A model that the tables lack has no price, which is not the price 0."""

from __future__ import annotations

import ipaddress
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from schemas.errors import UsageError

BUNDLED = Path(__file__).with_name("prices.toml")
_MILLION = 10**6


class Price(BaseModel):
    """US dollars per million tokens read (`input`) and written (`output`) by the models that a pattern fits."""

    model_config = ConfigDict(extra="forbid")
    models: list[str] = Field(min_length=1, description="patterns of whole names, with * and ?")
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    as_of: str = Field("", description="when it was right")


class PriceTable(BaseModel):
    """A price file."""

    model_config = ConfigDict(extra="forbid")
    price: list[Price] = Field(default_factory=list)


class Prices:
    """The prices at one endpoint: the user's table before the bundled one, and nothing for an endpoint on this machine."""

    def __init__(self, own: Path | None = None, base_url: str | None = None) -> None:
        """`own`: the user's table; UsageError when it cannot be read."""
        tables = [read_prices(path) for path in (own, BUNDLED) if path is not None]
        self._prices = [price for table in tables for price in table.price]
        self._is_local = is_loopback(base_url)

    def of(self, model: str) -> Price | None:
        """Return the price of a model; None when the tables lack it."""
        fitting = [price for price in self._prices if any(fnmatchcase(model, pattern) for pattern in price.models)]
        return fitting[0] if fitting else None

    def cost(self, model: str, tokens_in: int, tokens_out: int) -> float | None:
        """Return what a call costs in US dollars; None when its model has no price."""
        if self._is_local:
            return 0.0
        price = self.of(model)
        return None if price is None else (tokens_in * price.input + tokens_out * price.output) / _MILLION


def read_prices(path: Path) -> PriceTable:
    """Read a price file; UsageError says what is wrong with it and where."""
    try:
        return PriceTable.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"cannot read the price table {path}: {error.strerror}. Mend FACTORY_LLM__PRICES") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the price table {path} is no TOML: {error}. Mend it, or unset FACTORY_LLM__PRICES"
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"the price table {path} is wrong at {place}: {first['msg']}. Its form: {BUNDLED}") from error


def is_loopback(base_url: str | None) -> bool:
    """Whether an address is one of this machine: localhost, 127.0.0.0/8 or ::1."""
    host = urlsplit(base_url or "").hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
