"""English requests that speak of documents: rules, registers, reports, saved queries, sections."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.plans import Plan, meaning
from tasks.verification.reading.errors import Unreadable
from tasks.verification.reading.reading import Reader
from tasks.verification.reading.tools import public
from tests.tasks.proving_ground import ProvingGround

RULE = (
    "Each of the four latest held bookings should be confirmed if its time of booking is no earlier than the "
    "“Confirm booking: earliest time of booking” of “Booking policy”; the others stay as they are. "
    "I need the number of bookings that were confirmed as “within_rule”. Please answer with JSON."
)
REGISTER = (
    "For each of the airports listed in “Register of selected airports” whose “Next check” there is not after 2014-05-01, "
    "one question decides: if the “Altitude in feet” stated there is different from its altitude, “Altitude in feet” there "
    "must be corrected to its altitude; the others stay as they are. What should come back: the “Airport name” of each of "
    "the airports for which the figure was corrected (texts, in that order), as “entries_differ”; the difference between "
    "the total altitude of the airports for which the figure was corrected and the total “Altitude in feet” as stated of "
    "the same ones (the first minus the second) (in feet), as “difference”."
)
REPORT = (
    "What matters is for which of the entries of “Report on bookings by booking status”, one for each booking status, the "
    "“Number of bookings” stated there is not the same as the number of bookings with that booking status. "
    "“differing”: how many entries meet the condition."
)
SAVED = (
    "Of the flights found by the query “flights above the distance limit”, which is kept in “Saved queries on flights”, "
    "only those whose arrival delay is more than 30 minutes matter here. “late”: how many of the flights qualify."
)
LEADERS = (
    "Out of the flights with the highest arrival delay in each of the five airlines with the highest average distance of "
    "their flights, I am interested in those whose distance is above 500 miles. “far”: how many of the flights qualify."
)


@pytest.fixture(scope="module")
def reader(flights: ProvingGround) -> Reader:
    return Reader([public(tool) for tool in flights.tools])


def plain(plan: Plan) -> dict[str, Any]:
    return plan.model_dump(mode="json", exclude_defaults=True)


def test_a_rule_is_named_by_its_document_and_its_words(reader: Reader) -> None:
    (when,) = reader.read(RULE, "en").passes[0].branches[0].when
    assert when.comparator == "at_least"
    assert plain(when.right) == {"document": "Booking policy", "words": "Confirm booking: earliest time of booking"}  # type: ignore[arg-type]


def test_a_register_is_gone_through_compared_and_corrected(reader: Reader) -> None:
    plan = reader.read(REGISTER, "en")
    (each,) = plan.passes
    assert each.source.model_dump(exclude_defaults=True) == {
        "document": "Register of selected airports",
        "table": "airports",
        "column": "airport_name",
        "where": {"column": "next check", "comparator": "at_most", "value": {"value": "2014-05-01"}},
    }
    (branch,) = each.branches
    assert branch.when[0].model_dump(exclude_defaults=True) == {
        "left": {"field": "altitude in feet"},
        "comparator": "is_not",
        "right": {"column": "altitude"},
    }
    (act,) = branch.acts
    assert act.tool == "update_document_row"
    assert {name: value.model_dump(exclude_defaults=True) for name, value in act.arguments.items()} == {
        "row": {"field": "airport name"},
        "column": {"value": "Altitude in feet"},
        "value": {"column": "altitude"},
    }
    listed, difference = plan.asked
    assert (listed.type, listed.item_type, listed.ordered) == ("list", "text", True)
    assert (difference.type, difference.unit) == ("integer", "feet")
    assert difference.figure.model_dump(exclude_defaults=True) == {
        "left": {"pass_": 0, "branch": 0, "function": "sum", "look": {"column": "altitude"}},
        "right": {"pass_": 0, "branch": 0, "function": "sum", "look": {"field": "altitude in feet"}},
    }


def test_entries_by_a_value_are_compared_with_what_is_counted(reader: Reader) -> None:
    (each,) = reader.read(REPORT, "en").passes
    assert each.source.model_dump(exclude_defaults=True) == {
        "document": "Report on bookings by booking status",
        "table": "bookings",
        "column": "status",
    }
    assert each.branches[0].when[0].right.model_dump(exclude_defaults=True) == {
        "table": "bookings",
        "reference": "status",
        "function": "count",
    }


def test_a_saved_query_gives_the_rows(reader: Reader) -> None:
    (each,) = reader.read(SAVED, "en").passes
    assert each.source.model_dump(exclude_defaults=True) == {
        "document": "Saved queries on flights",
        "name": "flights above the distance limit",
        "table": "flights",
    }


def test_leaders_of_groups_are_ranked_twice(reader: Reader) -> None:
    (each,) = reader.read(LEADERS, "en").passes
    assert each.source.model_dump(exclude_defaults=True) == {
        "table": "flights",
        "group": "carrier_code",
        "by": {"table": "flights", "function": "mean", "measure": "distance"},
        "count": 5,
        "order": {"column": "arrival_delay", "descending": True},
    }


def test_a_section_that_is_replaced_is_a_deed(reader: Reader) -> None:
    deed = "The section “Affected” of “Notice on airports” should be replaced by “All dealt with.”"
    plan = reader.read(f"{SAVED} {deed}", "en")
    assert plan.deeds[0].act.model_dump(exclude_defaults=True) == {
        "tool": "replace_document_section",
        "arguments": {"heading": {"value": "Affected"}, "text": {"value": "All dealt with."}},
        "document": "Notice on airports",
    }


@pytest.mark.parametrize(
    ("request_", "said", "instead"),
    [
        (RULE, "no earlier than", "no later than"),
        (RULE, "“Booking policy”", "“Flight policy”"),
        (RULE, "earliest time of booking”", "latest time of booking”"),
        (REGISTER, "is different from", "is the same as"),
        (REGISTER, "2014-05-01", "2014-05-02"),
        (REGISTER, "not after", "after"),
        (REGISTER, "must be corrected to its altitude", "must be corrected to its latitude"),
        (REGISTER, "the total “Altitude", "the lowest “Altitude"),
        (REGISTER, "in that order", "in any order"),
        (REGISTER, "(in feet)", "(in metres)"),
        (REPORT, "one for each booking status", "one for each flight"),
        (SAVED, "30 minutes", "31 minutes"),
        (SAVED, "how many of the flights qualify", "how many of the flights do not qualify"),
        (LEADERS, "five airlines", "six airlines"),
        (LEADERS, "with the highest arrival delay", "with the lowest arrival delay"),
        (LEADERS, "average distance", "total distance"),
    ],
)
def test_a_changed_word_is_never_read_as_the_same(reader: Reader, request_: str, said: str, instead: str) -> None:
    assert said in request_
    try:
        changed = reader.read(request_.replace(said, instead), "en")
    except Unreadable:
        return
    assert meaning(changed) != meaning(reader.read(request_, "en"))


def test_a_constant_that_nothing_was_made_of_is_unreadable(reader: Reader) -> None:
    with pytest.raises(Unreadable, match="17"):
        reader.read(SAVED.replace("matter here", "matter here, all 17"), "en")


def test_rows_that_nothing_was_done_with_are_unreadable(reader: Reader) -> None:
    with pytest.raises(Unreadable, match="cancelled"):
        reader.read(RULE.replace("that were confirmed", "that were cancelled"), "en")
