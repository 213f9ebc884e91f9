"""Merging: what is the same is found, what only looks alike is not, and every merge is told."""

from __future__ import annotations

from schemas.themes import Entity, EntityField, Evidence, SourceOperation, SourceParameter, Theme
from tasks.themes.findings import Finding
from tasks.themes.merging import merge_themes

LONG = " ".join(f"bird{at} seen{at * 7 % 60}" for at in range(60))


def theme(
    name: str, operations: list[str], address: str, about: str = "", things: tuple[str, ...] = ("birds",)
) -> Theme:
    parameter = SourceParameter(name="colour", type="string")
    fields = [EntityField(name=field, type="text", words=field) for field in ("name", "colour", "place")]
    return Theme(
        name=name,
        title=name.replace("_", " "),
        description=about,
        kind="mcp",
        package=address,
        version="1",
        licence="MIT",
        tables=[],
        entities=[Entity(name=thing, singular=thing[:-1], plural=thing, fields=fields) for thing in things],
        operations=[
            SourceOperation(name=one, description=about, verb="get", entity=things[0], parameters=[parameter])
            for one in operations
        ],
        evidence=[Evidence(kind="mcp_server", address=address, licence="MIT", sha256=address * 8, bytes=1)],
    )


def merged(*themes: Theme) -> Finding:
    found = merge_themes(Finding(list(themes)))
    assert len(found.themes) + len(found.merges) == len(themes), "a theme is lost"
    ids = {one.id for one in found.themes}
    assert all(merge.theme_id in ids for merge in found.merges)
    assert len({one.name for one in found.themes}) == len(found.themes)
    return found


def test_equal_tools_are_one_theme_whatever_it_is_called() -> None:
    found = merged(theme("birds", ["get_bird", "list_birds"], "a"), theme("animals", ["list_birds", "get_bird"], "b"))
    (merge,) = found.merges
    assert (merge.merged_name, merge.merged_address, merge.rule, merge.similarity) == ("animals", "b", "tools", 1.0)


def test_one_equal_tool_needs_equal_things() -> None:
    one, other = theme("birds", ["search"], "a"), theme("ships", ["search"], "b", things=("ships",))
    assert merged(one, other).merges == []


def test_equal_names_with_the_same_things_are_one_theme() -> None:
    (merge,) = merged(theme("birds", ["get_bird", "spot_bird"], "a"), theme("birds", ["find_bird"], "b")).merges
    assert (merge.merged_address, merge.rule) == ("b", "name")


def test_equal_names_of_other_things_stay_apart_by_name() -> None:
    found = merged(theme("spotter", ["get_bird"], "a"), theme("spotter", ["get_ship"], "b", things=("ships",)))
    assert [one.name for one in found.themes] == ["spotter", "spotter_ships"]


def test_texts_that_are_nearly_equal_are_one_theme() -> None:
    one = theme("first", ["get_bird"], "a", LONG)
    other = theme("second", ["see_bird"], "b", f"{LONG} now")
    (merge,) = merged(one, other, theme("third", ["see"], "c", "Something else.", ("stars",))).merges
    assert merge.rule == "text"
    assert 0.7 <= merge.similarity < 1


def test_the_theme_with_more_operations_is_kept_and_of_equal_ones_the_first() -> None:
    small, large = theme("birds", ["get_bird"], "a"), theme("birds", ["get_bird", "add_bird"], "b")
    assert merged(small, large).themes[0].package == "b"
    assert merged(small, small.model_copy(update={"package": "z"})).themes[0].package == "a"


def test_operations_are_united_only_for_one_product() -> None:
    """Both are called by a product's name and share a tool; 'birds' is what two servers are about."""
    product = merged(theme("avibase", ["get_bird", "list_birds"], "a"), theme("avibase", ["get_bird", "add_bird"], "b"))
    (kept,) = product.themes
    assert [one.name for one in kept.operations] == ["get_bird", "list_birds", "add_bird"]
    assert [one.address for one in kept.evidence] == ["a", "b"]
    (topic,) = merged(
        theme("birds", ["get_bird", "list_birds"], "a"), theme("birds", ["get_bird", "add_bird"], "b")
    ).themes
    assert [one.name for one in topic.operations] == ["get_bird", "list_birds"]


def test_merging_is_the_same_twice_and_merges_nothing_further() -> None:
    themes = [theme(f"t{at % 7}", [f"get_{at % 5}", f"put_{at % 3}"], str(at)) for at in range(40)]
    one, other = merged(*themes), merged(*themes)
    assert [kept.id for kept in one.themes] == [kept.id for kept in other.themes]
    assert one.merges == other.merges
    assert merged(*one.themes).merges == []


def test_what_was_discovered_before_takes_in_what_is_the_same() -> None:
    known = theme("birds", ["get_bird", "list_birds"], "a")
    found = merge_themes(Finding([theme("animals", ["list_birds", "get_bird"], "b")]), [known])
    assert found.themes == []
    assert [(merge.merged_name, merge.theme_id) for merge in found.merges] == [("animals", known.id)]


def test_reading_the_same_again_gives_the_same_themes() -> None:
    themes = [theme("spotter", ["get_bird"], "a"), theme("spotter", ["get_ship"], "b", things=("ships",))]
    themes += [theme("avibase", ["get_bird", "list_birds"], "c"), theme("avibase", ["get_bird", "add_bird"], "d")]
    first = merge_themes(Finding(themes))
    again = merge_themes(Finding(themes), first.themes)
    assert (again.themes, again.merges) == (first.themes, first.merges)


def test_a_newer_reading_takes_the_place_of_the_older_one() -> None:
    tools = [f"{verb}_bird" for verb in ("get", "find", "spot", "ring")]
    newer, same = theme("birds", [*tools, "add_bird"], "a2"), theme("animals", [*tools, "add_bird"], "b")
    found = merge_themes(Finding([newer, same]), [theme("birds", tools, "a")])
    assert found.themes == [newer]
    assert [merge.theme_id for merge in found.merges] == [newer.id]


def test_a_known_name_is_not_taken_by_something_else() -> None:
    known = theme("spotter", ["get_bird"], "a")
    (found,) = merge_themes(Finding([theme("spotter", ["get_ship"], "b", things=("ships",))]), [known]).themes
    assert found.name == "spotter_ships"
