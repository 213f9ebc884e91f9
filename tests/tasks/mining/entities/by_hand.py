"""Five themes written by hand after real servers: an issue tracker, a notes app, a weather API, a shop, a file system."""

from schemas.themes import Entity, EntityField, SourceOperation, SourceParameter, Theme

_TYPES = {
    "created_at": "datetime", "updated_at": "datetime", "closed_at": "datetime", "datetime": "datetime",
    "date": "date", "due_date": "date", "flag": "boolean", "price": "money", "amount": "money",
    "latitude": "number", "longitude": "number", "temperature": "number", "humidity": "number", "rating": "number",
    "wind_speed": "number", "precipitation": "number", "quantity": "integer", "count": "integer", "file_size": "integer",
}  # fmt: skip


def field(name: str, concept: str, *, to: str | None = None, values: str = "", words: str = "") -> EntityField:
    """A field, typed by its concept."""
    return EntityField(
        name=name,
        type=_TYPES.get(concept, "text"),
        words=words or name.replace("_", " "),
        concept=concept,
        values=values.split(),
        refers_to=to,
    )


def entity(name: str, singular: str, *fields: EntityField) -> Entity:
    """An entity called by its plural."""
    return Entity(name=name, singular=singular, plural=name.replace("_", " "), fields=list(fields), queries=[name])


def operation(name: str, verb: str, about: str, parameters: str = "") -> SourceOperation:
    """An operation; of its parameters those with a star are required."""
    listed = [SourceParameter(name=p.rstrip("*"), type="string", required=p.endswith("*")) for p in parameters.split()]
    return SourceOperation(name=name, description=name, verb=verb, entity=about, parameters=listed)


def theme(name: str, title: str, entities: list[Entity], operations: list[SourceOperation]) -> Theme:
    """A theme of an MCP server."""
    return Theme(
        name=name,
        title=title,
        description=title,
        kind="mcp",
        package=f"servers.jsonl#{name}",
        version="0123456789abcdef",
        licence="MIT",
        tables=[],
        entities=entities,
        operations=operations,
    )


ISSUE_TRACKER = theme(
    "issue_tracker",
    "An issue tracker",
    [
        entity(
            "repositories",
            "repository",
            field("name", "repository"),
            field("description", "description"),
            field("language", "programming_language"),
            field("stars", "count"),
            field("created_at", "created_at"),
        ),
        entity("users", "user", field("login", "username"), field("name", "person_name"), field("email", "email")),
        entity(
            "issues",
            "issue",
            field("number", "id"),
            field("title", "title"),
            field("body", "text"),
            field("state", "status", values="open closed"),
            field("priority", "priority", values="low medium high critical"),
            field("repository", "", to="repositories"),
            field("assignee", "", to="users"),
            field("created_at", "created_at"),
            field("updated_at", "updated_at"),
            field("closed_at", "closed_at"),
        ),
        entity(
            "comments",
            "comment",
            field("body", "comment"),
            field("issue", "", to="issues"),
            field("author", "", to="users"),
            field("created_at", "created_at"),
        ),
    ],
    [
        operation("list-issues", "list", "issues", "repository state assignee page"),
        operation("get-issue", "get", "issues", "number*"),
        operation("search-repositories", "search", "repositories", "query* language"),
        operation("create-issue", "create", "issues", "repository* title* body assignee priority"),
        operation("update-issue", "update", "issues", "number* title body priority"),
        operation("close-issue", "transition", "issues", "number*"),
        operation("add-comment", "create", "comments", "issue* body*"),
        operation("delete-comment", "delete", "comments", "comment_id*"),
        operation("run-workflow", "other", "", "workflow*"),
    ],
)

NOTES = theme(
    "notes_app",
    "A notes app",
    [
        entity("notebooks", "notebook", field("name", "name"), field("color", "color")),
        entity(
            "notes",
            "note",
            field("title", "title"),
            field("content", "text"),
            field("notebook", "", to="notebooks"),
            field("parent", "", to="notes"),
            field("tag", "tag"),
            field("pinned", "flag"),
            field("created_at", "created_at"),
            field("updated_at", "updated_at"),
        ),
        entity("reminders", "reminder", field("note", "", to="notes"), field("text", "text"), field("due", "due_date")),
    ],
    [
        operation("createNote", "create", "notes", "title* content* notebook tag"),
        operation("getNote", "get", "notes", "note_id*"),
        operation("searchNotes", "search", "notes", "query tag limit"),
        operation("updateNote", "update", "notes", "note_id* title content"),
        operation("deleteNote", "delete", "notes", "note_id*"),
    ],
)

WEATHER = theme(
    "weather_api",
    "Weather of the world's cities",
    [
        entity(
            "cities",
            "city",
            field("city", "city"),
            field("country", "country"),
            field("latitude", "latitude"),
            field("longitude", "longitude"),
            field("timezone", "timezone"),
        ),
        entity(
            "forecasts",
            "forecast",
            field("city", "", to="cities"),
            field("date", "date"),
            field("temperature_max", "temperature"),
            field("temperature_min", "temperature"),
            field("humidity", "humidity"),
            field("wind_speed", "wind_speed"),
            field("conditions", "category"),
        ),
        entity(
            "alerts",
            "alert",
            field("headline", "title"),
            field("severity", "severity", values="minor moderate severe extreme"),
            field("city", "", to="cities"),
            field("issued_at", "created_at"),
        ),
    ],
    [
        operation("get_forecast", "list", "forecasts", "city* days"),
        operation("get_alerts", "search", "alerts", "severity city"),
        operation("search_cities", "search", "cities", "query* country"),
    ],
)

SHOP = theme(
    "shop",
    "An online shop",
    [
        entity(
            "products",
            "product",
            field("title", "title"),
            field("price", "price"),
            field("stock", "quantity"),
            field("category", "category", values="lighting seating storage textiles"),
            field("rating", "rating"),
        ),
        entity(
            "customers",
            "customer",
            field("first_name", "first_name"),
            field("last_name", "last_name"),
            field("name", "person_name"),
            field("email", "email"),
            field("city", "city"),
            field("country", "country"),
            field("phone", "phone"),
        ),
        entity(
            "orders",
            "order",
            field("customer", "", to="customers"),
            field("product", "", to="products"),
            field("quantity", "quantity"),
            field("status", "status", values="pending paid shipped delivered cancelled"),
            field("created_at", "created_at"),
            field("delivered_at", "closed_at"),
        ),
    ],
    [
        operation("products_search", "search", "products", "query category min_price max_price"),
        operation("orders_create", "create", "orders", "customer* product* quantity*"),
        operation("orders_cancel", "transition", "orders", "order_id*"),
        operation("customers_get", "get", "customers", "customer_id*"),
        operation("products_update", "update", "products", "product_id* price stock"),
    ],
)

FILE_SYSTEM = theme(
    "file_system",
    "A file system",
    [
        entity("directories", "directory", field("path", "path"), field("owner", "person_name")),
        entity(
            "files",
            "file",
            field("filename", "filename"),
            field("path", "path"),
            field("directory", "", to="directories"),
            field("size", "file_size"),
            field("type", "file_type"),
            field("modified", "updated_at"),
        ),
    ],
    [
        operation("read_file", "get", "files", "path*"),
        operation("write_file", "create", "files", "path* content*"),
        operation("list_directory", "list", "files", "directory*"),
        operation("move_file", "update", "files", "source* destination*"),
        operation("delete_file", "delete", "files", "path*"),
        operation("search_files", "search", "files", "pattern*"),
    ],
)

THEMES = [ISSUE_TRACKER, NOTES, WEATHER, SHOP, FILE_SYSTEM]
