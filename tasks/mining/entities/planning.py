"""Plans: an entity as a table: its columns with legal names, its key, its label, and in which order tables are filled."""

from __future__ import annotations

import keyword
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from schemas.profiles import ColumnType
from schemas.themes import Entity, EntityField, Theme
from tasks.mining.columns.naming import SQL_RESERVED, TOOL_PARAMETERS, plural_of, unique_name
from tasks.mining.entities.borrowing.catalogue import Catalogue
from tasks.mining.entities.borrowing.registry import suiting
from tasks.mining.entities.concepts import concepts, stored_type
from tasks.mining.entities.texts import COMPANY, FALLBACK, PERSON, kind_of

WRITES = ("create", "update", "transition", "delete")
ENOUGH_COLUMNS = 6
"""Of a table, key and label among them: fewer give no question worth asking."""
ENOUGH_TABLES = 3
USUAL = "usual for"
"""How the description of a field begins that is our knowledge of such things and not the source's word."""

MOST_WRITTEN = 3
"""Tables of a theme that its operations change: more would leave too few actions for each."""

_LABELS = ("title", "name", "person_name", "subject")
_LABEL_CONCEPTS = ("title", "name", "person_name", "username", "city", "package", "repository", "coin", "company", "filename",
                   "place_name", "topic", "path", "film", "song", "artist", "team", "game", "food", "country", "language")  # fmt: skip
_KEY_CONCEPTS = ("id", "uuid", "reference", "")
_ROLES = {
    "author",
    "owner",
    "assignee",
    "customer",
    "sender",
    "organizer",
    "seller",
    "patient",
    "student",
    "player",
    "host",
}
_SECRETS = frozenset(
    """api_token api_key apikey access_token auth_token token_secret password secret secret_key passphrase private_key
    credentials client_secret bearer session_token connection_string show page page_size per_page limit offset cursor
    random_string verbose debug dry_run""".split()
)
"""Credentials, paging and switches of a call, which are no fields of a thing, whoever says so."""
_SCHOLARLY = {"journal", "doi", "pmid", "arxiv_id", "citation_count", "citations", "abstract"}
_OF_A_CITY = {"country", "country_code", "timezone", "latitude", "longitude"}
"""What goes with a city that gets a table of its own."""
_FILE = Path(__file__).with_name("usual.toml")


@dataclass(frozen=True)
class PlannedColumn:
    """A column of an entity's table: the field it holds, its name, type, and the table whose key it holds, if any.

    `given` by the source, and not added by us.
    """

    name: str
    field: EntityField
    type: ColumnType
    target: str | None = None
    required: bool = False
    given: bool = True


@dataclass(frozen=True)
class PlannedTable:
    """An entity as a table. `key` is a number of ours unless `natural`; `written` by the theme's operations."""

    entity: Entity
    kind: str
    key: str
    columns: tuple[PlannedColumn, ...]
    label: str | None
    written: bool
    catalogue: Catalogue | None = None

    @property
    def name(self) -> str:
        """The table's name."""
        return self.entity.name

    def column(self, name: str) -> PlannedColumn:
        """Return the column called `name`; KeyError when there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"{self.name} has no column {name}")


def plan_tables(theme: Theme) -> list[PlannedTable]:
    """Return the theme's entities as tables, those referred to before those that refer; companions where it names few."""
    entities = _with_companions(theme, _sound(theme.entities))
    written = written_entities(theme, entities)
    tables = {entity.name: _plan(theme, entity, entity.name in written) for entity in entities}
    return _ordered(tables)


def main_entity(theme: Theme, entities: Sequence[Entity]) -> str:
    """Return the name of the entity that the theme is about: most written, most asked about, most told about."""
    written = _asked(theme, WRITES)
    asked = _asked(theme, ("get", "search", "list", "aggregate", "top", "other"))

    def weight(entity: Entity) -> tuple[float, int]:
        refers = sum(field.refers_to is not None for field in entity.fields)
        standing = {PERSON: -4.0, COMPANY: -2.0}.get(kind_of(entity.singular), 0.0)
        standing -= 3.0 if suiting(entity) else 0.0
        return 4.0 * written.get(entity.name, 0) + asked.get(entity.name, 0) + refers + standing, len(entity.fields)

    return max(entities, key=weight).name


def written_entities(theme: Theme, entities: Sequence[Entity]) -> list[str]:
    """Return the entities whose rows the theme's operations change, the main one first, at most `MOST_WRITTEN`."""
    names = {entity.name for entity in entities}
    counts = {name: count for name, count in _asked(theme, WRITES).items() if name in names}
    others = sorted(counts, key=lambda name: (-counts[name], name))
    return list(dict.fromkeys([main_entity(theme, entities), *others]))[:MOST_WRITTEN] if entities else []


def _asked(theme: Theme, verbs: Sequence[str]) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for operation in theme.operations:
        if operation.verb in verbs and operation.entity:
            found[operation.entity] = found.get(operation.entity, 0) + 1
    return found


def _sound(entities: Sequence[Entity]) -> list[Entity]:
    """Return the entities, each name once and each field once, references to nothing undone, credentials left out."""
    names = {entity.name for entity in entities}
    found: dict[str, Entity] = {}
    for entity in entities:
        fields: dict[str, EntityField] = {}
        for field in entity.fields:
            if field.name in _SECRETS:
                continue
            target = field.refers_to if field.refers_to in names else None
            fields.setdefault(field.name, field.model_copy(update={"refers_to": target}))
        found.setdefault(entity.name, entity.model_copy(update={"fields": list(fields.values())}))
    return list(found.values())


# --- Companions ---------------------------------------------------------------------------


def _with_companions(theme: Theme, entities: list[Entity]) -> list[Entity]:
    """Return the entities; where they are few, or nothing refers, who and where they name get tables of their own.

    An entity that names nobody gets whom things of its kind usually have.
    """
    for concept, kind in (("person_name", PERSON), ("company", COMPANY), ("city", "")):
        known = any(kind_of(entity.singular) == kind for entity in entities)
        if entities and not known and _is_poor(entities):
            main = main_entity(theme, entities)
            entities = [_naming(entity, concept) if entity.name == main else entity for entity in entities]
            entities = _split_off(entities, concept)
    return entities


def _is_poor(entities: Sequence[Entity]) -> bool:
    refers = any(field.refers_to for entity in entities for field in entity.fields)
    return len(entities) < ENOUGH_TABLES or not refers


def _naming(entity: Entity, concept: str) -> Entity:
    """Return the entity with a usual field of a concept, if it has none and things of its kind do."""
    kind = kind_of(entity.singular)
    if kind in (PERSON, COMPANY) or any(field.concept == concept for field in entity.fields):
        return entity
    usual = next((field for field in usual_fields(kind) if field.concept == concept), None)
    if usual is None and concept == "person_name":
        usual = EntityField(name="owner", type="text", concept=concept, words="owner")
    if usual is None or suiting(entity) is not None:
        return entity
    usual = usual.model_copy(update={"description": f"{USUAL}{entity.plural}"})
    return entity.model_copy(update={"fields": [*entity.fields, usual]})


def _split_off(entities: list[Entity], concept: str) -> list[Entity]:
    """Return the entities with the first field of a concept turned into a reference to a new one."""
    taken = {entity.name for entity in entities}
    for place, entity in enumerate(entities):
        field = next((f for f in entity.fields if f.concept == concept and _may_go(f)), None)
        if field is None or suiting(entity) is not None:
            continue
        companion = _companion(field, concept)
        if companion.name in taken:
            continue
        refers = field.model_copy(update={"refers_to": companion.name, "concept": "", "values": [], "examples": []})
        moved = _OF_A_CITY if concept == "city" else set()
        fields = [refers if f is field else f for f in entity.fields if f.concept not in moved]
        return [*entities[:place], entity.model_copy(update={"fields": fields}), *entities[place + 1 :], companion]
    return entities


def _may_go(field: EntityField) -> bool:
    return not field.refers_to and not field.values and field.name not in _LABELS


def _companion(field: EntityField, concept: str) -> Entity:
    """Return the entity of those that a field names: authors of an author, people of anybody, cities, companies."""
    if concept == "city":
        fields = [EntityField(name=n, type="text", concept=n, words=n) for n in ("city", "country", "timezone")]
        return Entity(name="cities", singular="city", plural="cities", fields=fields)
    plain = field.name.removesuffix("_name")
    noun = plain if plain in _ROLES else {"person_name": "person"}.get(concept, concept)
    name = "people" if noun == "person" else plural_of(noun)
    own = EntityField(name="name", type="text", concept=concept, words=f"{noun} name")
    return Entity(name=name, singular=noun, plural=name, fields=[own])


# --- One table ----------------------------------------------------------------------------


def _plan(theme: Theme, entity: Entity, written: bool) -> PlannedTable:
    """Return an entity's table, with the columns that things of its kind usually have where it has few."""
    catalogue = suiting(entity)
    kind = _kind(entity)
    noun = entity.singular.replace(" ", "_")
    key_field = _key_field(entity, noun)
    fields = [field for field in entity.fields if field is not key_field]
    fields = _with_label(fields, kind, catalogue)
    fields = _with_usual(fields, kind if catalogue is None else FALLBACK, written, catalogue)
    needed = _needed(theme, entity)
    given = {field.name for field in entity.fields if not field.description.startswith(USUAL)}
    key = key_field.name if key_field is not None else f"{noun}_id"
    key = _legal(key, noun) if key not in ("id", "number", "key", "uuid") else f"{noun}_{key}"
    columns: list[PlannedColumn] = []
    has_status = any(field.name == "status" for field in fields)
    for field in fields:
        is_state = not has_status and field.concept == "status" and not field.refers_to
        has_status |= is_state
        name = "status" if is_state else _column_name(field, noun)
        name = unique_name(name, {key, *(column.name for column in columns)})
        kind_of_value: ColumnType = "integer" if field.refers_to else stored_type(field)
        if is_state and len(field.values) < 2:
            field, given = field.model_copy(update={"values": _usual_statuses(kind)}), given - {field.name}
        columns.append(
            PlannedColumn(name, field, kind_of_value, field.refers_to, field.name in needed, field.name in given)
        )
    return PlannedTable(entity, kind, key, tuple(columns), _label(columns, kind, catalogue), written, catalogue)


def _kind(entity: Entity) -> str:
    """Return an entity's kind; what has a journal or a DOI is a paper, whatever it is called."""
    kind = kind_of(entity.singular)
    scholarly = _SCHOLARLY & {field.name for field in entity.fields}
    return "paper" if scholarly and kind in ("article", "document", FALLBACK) else kind


def _usual_statuses(kind: str) -> list[str]:
    found = [field.values for name in (kind, FALLBACK) for field in usual_fields(name) if field.concept == "status"]
    return found[0]


def _needed(theme: Theme, entity: Entity) -> set[str]:
    """Return the parameters that every way of making a row of the entity needs."""
    made = [o for o in theme.operations if o.verb == "create" and o.entity == entity.name]
    return {parameter.name for operation in made[:1] for parameter in operation.parameters if parameter.required}


def _key_field(entity: Entity, noun: str) -> EntityField | None:
    """Return the field that numbers the entity's rows, if it has one."""
    ids = {"id", "number", "key", "uuid", f"{noun}_id", f"{noun}_number", f"{noun}_key", f"{noun}_uuid", entity.name}
    last = noun.split("_")[-1]
    own = [
        f for f in entity.fields if f.name in {*ids, f"{last}_id"} and not f.refers_to and f.concept in _KEY_CONCEPTS
    ]
    return own[0] if own else None


def _column_name(field: EntityField, noun: str) -> str:
    name = field.name
    if field.refers_to and not name.endswith(("_id", "_key", "_number")):
        name = f"{name}_id"
    return _legal(name, noun)


def _legal(name: str, noun: str) -> str:
    """Return a name that Python, SQL and the tools leave free."""
    taken = name in TOOL_PARAMETERS or name in SQL_RESERVED or keyword.iskeyword(name) or name in ("self", "cls")
    return f"{noun}_{name}" if taken or not name[:1].isalpha() else name


def _with_label(fields: list[EntityField], kind: str, catalogue: Catalogue | None) -> list[EntityField]:
    """Return the fields with one that names a row to a person."""
    if any(_can_name(field, kind, catalogue) for field in fields):
        return fields
    if catalogue is not None:
        concept = catalogue.label if catalogue.label in concepts() else "name"
        return [EntityField(name=catalogue.label, type="text", concept=concept, words=catalogue.label), *fields]
    name = (
        "name"
        if kind in (PERSON, COMPANY, "place", "group", "project", "code", "product", FALLBACK, "asset")
        else "title"
    )
    return [EntityField(name=name, type="text", concept=name, words=name), *fields]


def _can_name(field: EntityField, kind: str, catalogue: Catalogue | None) -> bool:
    """Tell whether a field names a row of a thing of this kind; whom it belongs to, and where it is, does not."""
    if field.type != "text" or field.refers_to or field.values or field.concept not in _LABEL_CONCEPTS:
        return False
    whose = {"person_name": PERSON, "username": PERSON, "company": COMPANY}
    if field.name in _LABELS or field.concept in ("title", "name", "filename", "path"):
        return True
    return whose.get(field.concept) == kind or (catalogue is not None and field.concept == catalogue.label)


def _label(columns: Sequence[PlannedColumn], kind: str, catalogue: Catalogue | None) -> str | None:
    """Return the column that names a row: title and name first, then what else is called."""
    able = [column for column in columns if _can_name(column.field, kind, catalogue)]
    order = {concept: place for place, concept in enumerate(_LABEL_CONCEPTS)}
    able.sort(key=lambda column: (column.name not in _LABELS, not column.given, order[column.field.concept]))
    return able[0].name if able else None


def _with_usual(fields: list[EntityField], kind: str, written: bool, catalogue: Catalogue | None) -> list[EntityField]:
    """Return the fields, and those that things of the kind usually have while there are few; a status where it is written."""
    found = list(fields)
    names, held = {field.name for field in fields}, {field.concept for field in fields}
    if catalogue is not None and not written:
        for concept in catalogue.rows[0]:
            if len(found) + 1 < ENOUGH_COLUMNS and concept in concepts() and not {concept} & (names | held):
                found.append(_usual_field(concept, "", concept))
                names.add(concept)
    for field in usual_fields(kind):
        few = len(found) + 1 < ENOUGH_COLUMNS
        lives = written and field.concept == "status"
        known = field.name in names or (
            field.concept in held and field.concept in ("status", "city", "country", "email", "created_at")
        )
        if (few or lives) and not known:
            found.append(field)
    return found


def _usual_field(name: str, kind: str, concept: str) -> EntityField:
    found: ColumnType = concepts()[concept]["type"]
    return EntityField(name=name, type=found, concept=concept, words=name.replace("_", " "))


@cache
def usual_fields(kind: str) -> tuple[EntityField, ...]:
    """Return the fields that things of a kind usually have, in the order in which an entity gets them."""
    found = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return tuple(EntityField(words=entry["name"].replace("_", " "), **entry) for entry in found[kind])


def _ordered(tables: dict[str, PlannedTable]) -> list[PlannedTable]:
    """Return the tables so that references point backwards; of a ring the last reference is left out."""
    done: dict[str, PlannedTable] = {}
    waiting = dict(tables)
    while waiting:
        ready = [n for n, t in waiting.items() if all(c.target in (None, n, *done) for c in t.columns)]
        name = ready[0] if ready else min(waiting, key=lambda n: (_open_ends(waiting[n], done), n))
        table = waiting.pop(name)
        kept = tuple(c for c in table.columns if c.target in (None, name, *done))
        done[name] = replace(table, columns=kept)
    return list(done.values())


def _open_ends(table: PlannedTable, done: Mapping[str, PlannedTable]) -> int:
    return sum(column.target not in (None, table.name, *done) for column in table.columns)
