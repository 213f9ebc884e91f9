"""Small synthetic relational data, drawn from a seed: shops, their employees, orders and order lines."""

import random
from datetime import date, timedelta
from pathlib import Path

import polars as pl

from schemas.profiles import ForeignKey
from schemas.themes import TableRecipe
from tasks.mining.extraction import ExtractedTable, extract_table
from tasks.mining.relations.references import Reference, find_references

_WORDS = ("amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "harbour")


def shop_csvs(seed: int, orders: int, employees: int = 40) -> dict[str, str]:
    """Return CSV text by table. One order in 50 has a customer who is not there, one in 9 no seller."""
    draw = random.Random(f"shops:{seed}")
    customers = max(orders // 4, 3)
    start = date(2020, 1, 1)
    csvs = {
        "shops": ["shop_code,shop_name"] + [f"S{i},{draw.choice(_WORDS)} {i}" for i in range(6)],
        "employees": ["employee_id,shop_code,manager_employee_id"]
        + [f"{i},S{draw.randrange(6)},{draw.randrange(1, i) if i > 1 else ''}" for i in range(1, employees + 1)],
        "customers": ["customer_id,customer_name,balance"]
        + [
            f"{i},{draw.choice(_WORDS)} {'x' * draw.randrange(70)},{draw.uniform(-5, 900)!r}"
            for i in range(1, customers + 1)
        ],
        "orders": ["order_id,customer_id,employee_id,placed"],
        "order_lines": ["line_id,order_id,price,note"],
    }
    line = 0
    for order in range(1, orders + 1):
        customer = customers + 1 if order % 50 == 0 else draw.randrange(1, customers + 1)
        seller = "" if order % 9 == 0 else draw.randrange(1, employees + 1)
        csvs["orders"].append(f"{order},{customer},{seller},{start + timedelta(days=draw.randrange(700))}")
        for _ in range(draw.randrange(1, 5)):
            line += 1
            csvs["order_lines"].append(
                f"{line},{order},{draw.randrange(1, 10**6) / 100},{' '.join(draw.choices(_WORDS, k=3))}"
            )
    return {name: "\n".join(rows) + "\n" for name, rows in csvs.items()}


def shop_recipes() -> list[TableRecipe]:
    """Return recipes that leave everything to inference."""
    return [TableRecipe(name=name, file=f"shop/{name}.csv") for name in shop_csvs(0, 1)]


def extracted_shop(folder: Path, seed: int, orders: int) -> tuple[dict[str, ExtractedTable], list[Reference]]:
    """Return the extracted tables and the references found."""
    tables = {}
    for recipe, csv in zip(shop_recipes(), shop_csvs(seed, orders).values(), strict=True):
        path = folder / f"{recipe.name}.csv"
        path.write_text(csv)
        tables[recipe.name] = extract_table(recipe, path)
    return tables, find_references(tables)


def assert_closed(frames: dict[str, pl.DataFrame], foreign_keys: dict[str, list[ForeignKey]]) -> None:
    """Fail when a value of a reference is no key of the table it refers to."""
    for name, keys in foreign_keys.items():
        for foreign in keys:
            values = set(frames[name][foreign.column].drop_nulls())
            missing = values - set(frames[foreign.to_table][foreign.to_column])
            assert not missing, f"{name}.{foreign.column} → {foreign.to_table}: {sorted(missing)[:3]}"
