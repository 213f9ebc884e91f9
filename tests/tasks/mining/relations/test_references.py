"""Foreign keys: found where names or text agree, not where numbers merely fit."""

from pathlib import Path

import pytest

from schemas.themes import TableRecipe
from tasks.mining.extraction import extract_table
from tasks.mining.relations.closure import close_references
from tasks.mining.relations.references import find_references, keep_dangling_rows, reference_order, referring_columns


def tables(folder: Path, **csvs: str) -> dict:
    found = {}
    for name, csv in csvs.items():
        path = folder / f"{name}.csv"
        path.write_text(csv.replace(" ", "\n"))
        found[name] = extract_table(TableRecipe(name=name, file=path.name), path)
    return found


def pairs(references) -> set[tuple[str, str, str]]:
    return {(r.table, r.foreign.column, r.foreign.to_table) for r in references}


ORDERS = "order_id,customer_id,quantity 1,1,1 2,2,1 3,1,2"


@pytest.mark.parametrize(
    ("column", "key"),
    [("customer_id", "customer_id"), ("billing_customer_id", "customer_id"), ("customer", "id"), ("customer_no", "id")],
)
def test_integers_need_a_name(tmp_path, column, key):
    world = tables(tmp_path, customers=f"{key},name 1,x 2,y", orders=f"order_id,{column},quantity 1,1,1 2,2,1 3,1,2")
    assert pairs(find_references(world)) == {("orders", column, "customers")}


def test_text_needs_three_values(tmp_path):
    world = tables(
        tmp_path, airports="code,name JFK,a LGA,b EWR,c", trips="trip_id,origin,via 1,JFK,JFK 2,LGA,LGA 3,EWR,JFK"
    )
    assert pairs(find_references(world)) == {("trips", "origin", "airports")}


def test_text_without_a_name_needs_more_coverage_than_with_one(tmp_path):
    rows = " ".join(f"{i},{code},{code}" for i, code in enumerate(["JFK", "LGA", "EWR", "BOS", "XXX"]))
    world = tables(
        tmp_path, airports="airport_code,name JFK,a LGA,b EWR,c BOS,d", trips=f"trip_id,airport_code,via {rows}"
    )
    [reference] = find_references(world)
    assert (reference.foreign.column, reference.foreign.coverage) == ("airport_code", 0.8)


def test_too_little_coverage_is_no_reference(tmp_path):
    world = tables(tmp_path, customers="customer_id,name 1,x 2,y", orders="order_id,customer_id 1,1 2,2 3,3 4,4")
    assert find_references(world) == []


def test_a_row_does_not_refer_to_itself_by_its_own_noun(tmp_path):
    world = tables(tmp_path, flights="flight_id,flight_number 1,2 2,3 3,1")
    assert find_references(world) == []


def test_a_table_may_refer_to_itself_by_the_key_s_name(tmp_path):
    world = tables(tmp_path, employees="employee_id,manager_employee_id 1, 2,1 3,2")
    assert pairs(find_references(world)) == {("employees", "manager_employee_id", "employees")}


def test_nothing_refers_to_a_surrogate(tmp_path):
    world = tables(tmp_path, visits="name a a", notes="note_id,visit_id 1,1 2,2")
    assert world["visits"].has_surrogate_key
    assert find_references(world) == []


def test_equal_keys_refer_from_the_smaller_set_to_the_larger(tmp_path):
    world = tables(tmp_path, planes="tail_number,seats a,1 b,2 c,3", repairs="tail_number,cost a,1 b,2")
    assert pairs(find_references(world)) == {("repairs", "tail_number", "planes")}
    same = tables(tmp_path, planes="tail_number,seats a,1 b,2", repairs="tail_number,cost a,1 b,2")
    assert len(find_references(same)) == 1


def test_a_cycle_is_broken_at_its_weakest_reference(tmp_path):
    world = tables(
        tmp_path,
        departments="department_id,head_employee_id 1,1 2,9 3,2 4,1",
        employees="employee_id,department_id 1,1 2,2",
    )
    references = find_references(world)
    assert pairs(references) == {("employees", "department_id", "departments")}
    assert reference_order(list(world), references) == ["departments", "employees"]


def test_dangling_rows_are_dropped_down_the_line(tmp_path):
    world = tables(
        tmp_path,
        customers="customer_id,name 1,x 2,y 3,z",
        orders="order_id,customer_id 1,1 2,2 3,3 4,9",
        lines="line_id,order_id 1,1 2,4 3,3 4,2 5,1",
    )
    references = find_references(world)
    closed = close_references(world, references, reference_order(list(world), references))
    assert closed["orders"]["order_id"].to_list() == [1, 2, 3]
    assert closed["lines"]["line_id"].to_list() == [1, 3, 4, 5]


def test_dangling_values_become_null_where_nulls_are_and_coverage_is_low(tmp_path):
    world = tables(tmp_path, customers="customer_id,name 1,x 2,y 3,z", orders="order_id,customer_id 1,1 2,2 3,3 4,9 5,")
    references = find_references(world)
    assert [r.nulls_dangling for r in references] == [True]
    closed = close_references(world, references, ["customers", "orders"])
    assert closed["orders"]["customer_id"].to_list() == [1, 2, 3, None, None]


def test_dropping_a_manager_drops_the_chain_below(tmp_path):
    staff = " ".join(f"{i},1" for i in range(2, 40))
    world = tables(tmp_path, employees=f"employee_id,manager_employee_id 1,1 {staff} 50,99 51,50 52,51")
    references = find_references(world)
    assert [r.nulls_dangling for r in references] == [False]
    closed = close_references(world, references, ["employees"])
    assert closed["employees"]["employee_id"].to_list() == list(range(1, 40))


@pytest.mark.parametrize("column", ["reports_to", "manager", "parent_employee_no", "supervisor_id"])
def test_words_for_the_row_above_refer_to_the_same_table(tmp_path, column):
    world = tables(tmp_path, employees=f"employee_id,{column} 1, 2,1 3,2 4,2")
    assert pairs(find_references(world)) == {("employees", column, "employees")}


def test_codes_may_refer_to_the_code_above(tmp_path):
    rows = "subdivision_code,name,parent_code GB-ENG,England, GB-LND,London,GB-ENG GB-KEN,Kent,GB-ENG GB-SCT,Scotland,"
    world = tables(tmp_path, subdivisions=rows)
    assert pairs(find_references(world)) == {("subdivisions", "parent_code", "subdivisions")}
    closed = close_references(world, find_references(world), ["subdivisions"])
    assert closed["subdivisions"].height == 4


def test_a_user_s_rows_are_kept_and_the_dangling_values_nulled(tmp_path):
    world = tables(tmp_path, customers="customer_id,name 1,x 2,y 3,z", orders="order_id,customer_id 1,1 2,2 3,3 4,9")
    references = keep_dangling_rows(find_references(world), world)
    closed = close_references(world, references, ["customers", "orders"])
    assert closed["orders"]["customer_id"].to_list() == [1, 2, 3, None]


def test_referring_columns_are_those_with_a_target(tmp_path):
    world = tables(
        tmp_path,
        customers="customer_id,name 1,x 2,y",
        orders="order_id,customer_id,parent_order_id,quantity 1,1,,1 2,2,1,1 3,1,1,2",
    )
    assert referring_columns(world["orders"], world) == {"customer_id", "parent_order_id"}
