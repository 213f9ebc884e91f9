"""What the coder and the tester fill in: designs of tools, the source of one, its reference in SQL, labels of edges."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.tools import Operation

MOST_DESIGNS = 5
MOST_FIELDS = 12
MOST_CASES = 8
MOST_LABELS = 40

Scalar = str | int | float | bool | None


class _Filled(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DesignedValue(_Filled):
    """A value with a name and a type, and the column whose values it has, if there is one."""

    name: str = Field(description="snake_case")
    type: Literal["string", "integer", "number", "boolean"]
    description: str = Field(description="what it is, in plain words, with its unit")
    column: str | None = Field(None, description="the column whose values it has, as 'table.column'")


class DesignedParameter(DesignedValue):
    """A parameter of a tool."""

    required: bool = True


class DesignedField(DesignedValue):
    """A field of a tool's result."""

    nullable: bool = Field(False, description="true when there may be no value")


class DesignedRefusal(_Filled):
    """A call that a tool refuses."""

    code: str = Field(description="snake_case: not_found, not_allowed")
    when: str = Field(description="which calls are refused with it")


class ToolDesign(_Filled):
    """What a tool answers or does, what it takes and what it returns."""

    name: str = Field(description="snake_case, starts with a verb")
    description: str = Field(description="what it answers or does, in one or two sentences")
    operation: Operation
    parameters: list[DesignedParameter] = Field(max_length=MOST_FIELDS)
    fields: list[DesignedField] = Field(max_length=MOST_FIELDS, description="single values of the result")
    items: list[DesignedField] = Field(
        default_factory=list,
        max_length=MOST_FIELDS,
        description="fields of each row of the list 'items'; [] without one",
    )
    order: str = Field("", description="how 'items' are ordered, the last by a unique column")
    refusals: list[DesignedRefusal] = Field(default_factory=list, max_length=MOST_FIELDS)


class Designs(_Filled):
    """Tools that an environment should have besides those that it has."""

    tools: list[ToolDesign] = Field(max_length=MOST_DESIGNS)


class Source(_Filled):
    """One tool as Python."""

    source: str = Field(description="one top-level function, with the imports that it needs before it")


class RefusalQuery(_Filled):
    """When a call is refused."""

    code: str
    sql: str = Field(description="SELECT whose first value is 1 exactly when the call must be refused with this code")


class ChangeQuery(_Filled):
    """How many rows of a table a call changes."""

    table: str
    kind: Literal["inserted", "updated", "deleted"]
    sql: str = Field(description="SELECT of how many, in the state before the call")


class AfterQuery(_Filled):
    """What a column of an inserted or updated row holds after a call."""

    table: str
    column: str
    key_sql: str = Field(description="SELECT of the row's key; of NULL when no row gets a value")
    value_sql: str = Field(description="SELECT of the value, in the state before the call")


class Reference(_Filled):
    """A tool written a second time, in SQL over the state before a call; `:name` is the argument of that name."""

    fields: str = Field("", description="SELECT of one row whose columns are called like the result's single values")
    items: str = Field(
        "", description="SELECT of the rows of 'items', columns called like their fields, in their order"
    )
    refusals: list[RefusalQuery] = Field(default_factory=list, max_length=MOST_FIELDS)
    changes: list[ChangeQuery] = Field(default_factory=list, max_length=MOST_FIELDS)
    after: list[AfterQuery] = Field(default_factory=list, max_length=MOST_FIELDS)
    cases: list[dict[str, Scalar]] = Field(
        max_length=MOST_CASES, description="arguments of calls to test, name → value"
    )


class EdgeLabel(_Filled):
    """An output of the source tool that a parameter of another tool takes."""

    target: str = Field(description="the other tool's name")
    output: str = Field(description="path of the value in the source's result: 'items.*.order_id'")
    parameter: str = Field(description="the other tool's parameter")
    kind: Literal["strong", "weak"] = Field(
        description="strong: the value can be had from a result alone; weak: a person could know it as well"
    )


class EdgeLabels(_Filled):
    """All labels of one source tool; a pair that is not named is independent."""

    labels: list[EdgeLabel] = Field(max_length=MOST_LABELS)
