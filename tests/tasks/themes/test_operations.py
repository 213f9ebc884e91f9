"""What operations do to what, by their names, descriptions and parameters: as a reader would say it."""

from __future__ import annotations

import pytest

from schemas.themes import SourceParameter
from tasks.themes.operations import Named, understand
from tasks.themes.parameters import read_parameters
from tasks.themes.phrases import described_noun, described_verb


def named(name: str, *parameters: str, description: str = "") -> Named:
    schema = {"type": "object", "properties": {parameter: {"type": "string"} for parameter in parameters}}
    return Named(name, description, read_parameters(schema))


@pytest.mark.parametrize(
    ("operation", "verb", "noun"),
    [
        (named("create_issue", "title", "body"), "create", "issue"),
        (named("createPullRequest", "title"), "create", "pull_request"),
        (named("issues.update", "issue_id", "title"), "update", "issue"),
        (named("get-issue", "issue_number"), "get", "issue"),
        (named("get_issue_comments", "issue_id"), "list", "issue_comment"),
        (named("list_orders", "status", "page_size"), "list", "order"),
        (named("fetch_orders", "query"), "search", "order"),
        (named("get_tokens_by_address", "address", description="Tokens of a blockchain."), "list", "token"),
        (named("get_trending_animations", "limit"), "top", "animation"),
        (named("get_order_stats"), "aggregate", "order"),
        (named("get_forecast", "latitude", "longitude"), "search", "forecast"),
        (named("get_book_by_title", "title"), "get", "book"),
        (named("archive_project", "project_id"), "transition", "project"),
        (named("deleteCustomer", "id"), "delete", "customer"),
        (named("send_message", "to", "text"), "create", "message"),
        (named("send_command", "device", "command_line"), "create", "command"),
        (named("people", "page"), "list", "person"),
        (named("search_news", "keyword"), "search", "news_article"),
        (named("calendar_create_event", "title"), "create", "event"),
        (named("list_of_invoices"), "list", "invoice"),
        (named("run_query", "sql"), "other", ""),
        (named("take_screenshot", "url"), "other", ""),
        (named("get_current_time", "timezone"), "other", ""),
        (named("set_api_key", "api_key"), "other", ""),
        (named("calculate_tax", "amount"), "other", ""),
        (named("sequentialthinking", "thought"), "other", ""),
    ],
    ids=lambda value: value.name if isinstance(value, Named) else "",
)
def test_an_operation_is_taken_apart(operation: Named, verb: str, noun: str) -> None:
    (found,) = understand("", "", [operation])
    assert (found.verb, found.noun) == (verb, noun)


@pytest.mark.parametrize(("noun", "field"), [("plot", "size"), ("block", "owner"), ("tab", "total")])
def test_what_is_declared_is_stored_whatever_it_is_called(noun: str, field: str) -> None:
    """A garden's plots are no drawings; and its size is a field, not that of a page."""
    operation = Named(
        f"search_{noun}", parameters=[SourceParameter(name=field, type="string")], verb="search", noun=noun
    )
    (found,) = understand("", "", [operation], {noun: [SourceParameter(name=field, type="string")]})
    assert (found.verb, found.noun, [one.name for one in found.parameters]) == ("search", noun, [field])
    assert understand("", "", [operation])[0].verb == "other"


def test_the_name_of_the_source_is_no_thing() -> None:
    """`pubmed` is written with capitals wherever the prose speaks of it, and `crm` starts every name."""
    papers = [
        named("search_pubmed", "query", description="Search papers that PubMed has."),
        named("get_pubmed_paper", "pmid"),
    ]
    assert [one.noun for one in understand("PubMed server", "Finds papers on PubMed for you.", papers)] == ["paper"] * 2
    crm = [named("crm_create_company", "name"), named("crm_get_company", "id"), named("crm_list_deals", "stage")]
    assert [one.noun for one in understand("", "", crm)] == ["company", "company", "deal"]


def test_what_a_name_leaves_open_is_taken_from_ids_descriptions_and_the_rest() -> None:
    operations = [
        named("fetch", "paper_id"),
        named("lookup", description="Returns the list of upcoming earthquakes near a place."),
        named("search", "query"),
        named("get_paper", "paper_id"),
    ]
    assert [one.noun for one in understand("", "", operations)] == ["paper", "earthquake", "paper", "paper"]


def test_parameters_that_say_nothing_are_left_out() -> None:
    operation = named(
        "search_orders", "status", "apiKey", "page", "max_results", "sort_by", "output_format", "callbackUrl"
    )
    (found,) = understand("", "", [operation])
    assert [parameter.name for parameter in found.parameters] == ["status"]


def test_descriptions_open_with_a_verb_and_a_thing() -> None:
    assert described_verb("Retrieves all invoices of a customer.") == ("get", "retrieve")
    assert described_verb("A helper.") == (None, "")
    assert described_noun("Search for recent articles on medical topics.", ()) == ("article", True)
    assert described_noun("Get detailed information about a specific product by its id.", ()) == ("product", False)
    assert described_noun("", ()) == ("", False)
