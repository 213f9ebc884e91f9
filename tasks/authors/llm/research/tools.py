"""The research agent's tools: search, browse, coverage, Python, and the files of its workspace.

What may be browsed is what a provider or a page's link named: no address that a text invents, and none that the model
makes up, is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tasks.authors.llm.model import ToolSpec
from tasks.authors.llm.react.fences import cut
from tasks.authors.llm.react.loop import AgentTool, ToolFault
from tasks.authors.llm.research.disclosure import discloses
from tasks.authors.llm.research.observations import tell_coverage, tell_hits, tell_page
from tasks.authors.llm.research.workspace import Workspace
from tasks.authors.llm.scripting.running import run_script
from tasks.mining.browsing.addresses import canonical, host_of, numbered_next
from tasks.mining.research.inquiry import Inquiry
from tasks.mining.search.provider import Hit, Seen
from tasks.mining.search.site import SiteProvider
from tasks.world.session import World

LONGEST_QUERY, LONGEST_WORD = 200, 40
_PRINTED, _PART = 4000, 5000
"""Characters that are shown of what a script printed and of a file."""
_PAGES_GIVEN, _TABLE_BYTES = 200, 5_000_000
"""Pages, and bytes of one table, that lie in the workspace."""
Arguments = TypeVar("Arguments", bound=BaseModel)


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Query(_Arguments):
    """What to search for."""

    query: str = Field(description="a few words: 'bridges of Norway'")


class Address(_Arguments):
    """What to look at."""

    address: str = Field(description="an address that search, browse or the task showed")
    follow: bool = Field(False, description="also take the next pages of its list, and data files that it links to")


class Nothing(_Arguments):
    """No arguments."""


class Code(_Arguments):
    """A script."""

    code: str = Field(description="Python, standard library; load(path), save(path, rows), open, print")


class File(_Arguments):
    """A file of the workspace."""

    path: str = Field(description="'notes.md', 'made/bridges.csv'")


class Part(File):
    """A file of the workspace, from some place on."""

    start: int = Field(0, ge=0, description="first character that is shown")


class FileText(File):
    """A file of the workspace, and what it is to hold."""

    text: str


class Desk:
    """What the agent works at: an inquiry, the addresses that it was shown, its workspace, and a sandbox."""

    def __init__(self, inquiry: Inquiry, workspace: Workspace, sandbox: World, prompt: str) -> None:
        """`prompt` is what no query and no file may repeat."""
        self._inquiry, self._workspace, self._sandbox, self._prompt = inquiry, workspace, sandbox, prompt
        self._offered: dict[str, tuple[Hit, str]] = {}
        starts = (canonical(site) for site in inquiry.theme.sites)
        self._offer([Hit(start, "", "", None, SiteProvider.name) for start in starts if start is not None], "")

    def tools(self) -> tuple[AgentTool, ...]:
        """Return the tools, in the order in which the model is told of them; while one runs the search's time counts."""
        meter = self._inquiry.gatherer.retriever.meter

        def counted(run: Callable[[dict[str, Any]], str], given: dict[str, Any]) -> str:
            meter.go_on()
            try:
                return run(given)
            finally:
                meter.stop()

        return tuple(replace(tool, run=partial(counted, tool.run)) for tool in self._tools())

    def _tools(self) -> tuple[AgentTool, ...]:
        return (
            _tool("search", "Search for pages and files by words.", Query, self.search),
            _tool("browse", "Look at a page or file; its tables are gathered.", Address, self.browse),
            _tool("coverage", "Tell what is gathered, and what the topic still lacks.", Nothing, self.coverage),
            _tool(
                "run_python",
                "Run a script over tables/*.json (gathered rows) and pages/*.txt (texts of pages, pages/index.json).",
                Code,
                self.run_python,
            ),
            _tool("list_files", "List the files of the workspace.", Nothing, self.list_files),
            _tool("read_file", "Read a file of the workspace, 5,000 characters at once.", Part, self.read_file),
            _tool("write_file", "Write a csv, json, txt or md file of your own.", FileText, self.write_file),
        )

    def search(self, given: Query) -> str:
        """Ask the providers; what they name may be browsed."""
        query = " ".join(given.query.split())
        if not query or len(query) > LONGEST_QUERY or max(map(len, query.split())) > LONGEST_WORD:
            raise ToolFault(f"a query is a few words, at most {LONGEST_QUERY} characters")
        self._guard(query)
        if spent := self._inquiry.spent():
            raise ToolFault(f"the budget of {spent} is spent: finish with what is gathered")
        before = len(self._inquiry.gatherer.trail)
        hits = list(self._inquiry.ask(query))
        self._offer(hits, query)
        failures = [entry.why for entry in self._inquiry.gatherer.trail[before:] if entry.outcome == "failed"]
        return tell_hits(hits, failures, self._inquiry.judged()[0])

    def browse(self, given: Address) -> str:
        """Look at one page or file, and at what follows it."""
        address = given.address if given.address in self._offered else canonical(given.address) or ""
        if address in self._inquiry.gatherer.pages:
            self._offer([_link(address)], "")
        if address not in self._offered:
            raise ToolFault("no search and no page named this address. Browse one that was shown to you")
        hit, query = self._offered[address]
        seen = self._inquiry.take(hit, query)
        if seen.refusal is not None:
            raise ToolFault(f"it was not read: {seen.refusal}")
        links = self._links(seen)
        self._offer(links, query)
        followed = self._inquiry.follow(seen, query) if given.follow else []
        left = [link for link in links if link.address not in followed]
        return tell_page(seen, left, len(followed), self._inquiry)

    def coverage(self, given: Nothing) -> str:
        """Tell what is gathered, and what the topic still lacks."""
        return tell_coverage(self._inquiry)

    def run_python(self, given: Code) -> str:
        """Run a script over what was gathered and the workspace; what it saves goes into the workspace."""
        self._lay_out()
        run = run_script(self._sandbox, given.code, self._workspace.bodies())
        lines = []
        for path, text in sorted(run.saved.items()):
            try:
                lines.append(self.write_file(FileText(path=path, text=text)))
            except ToolFault as fault:
                lines.append(f"not saved: {fault}")
        if run.error:
            lines.append(f"it failed: {run.error}")
        return "\n".join([cut(run.printed, _PRINTED), *lines]).strip() or "It printed nothing."

    def list_files(self, given: Nothing) -> str:
        """List the workspace."""
        self._lay_out()
        return "\n".join(f"- {path} ({size} bytes)" for path, size in self._workspace.sizes().items()) or "no files"

    def read_file(self, given: Part) -> str:
        """Return a part of a file's text."""
        self._lay_out()
        return cut(self._workspace.read(given.path)[given.start :], _PART) or "Nothing is there."

    def write_file(self, given: FileText) -> str:
        """Write a file of the agent's own."""
        self._guard(f"{given.path} {given.text}")
        self._workspace.write(given.path, given.text)
        return f"{given.path} is written, {len(given.text)} characters"

    def _guard(self, text: str) -> None:
        if discloses(text, self._prompt):
            raise ToolFault("it quotes your instructions; they stay with you")

    def _offer(self, hits: Iterable[Hit], query: str) -> None:
        """Let addresses be browsed from now on; `query` is what led to them."""
        for hit in hits:
            self._offered.setdefault(hit.address, (hit, query))

    def _links(self, seen: Seen) -> list[Hit]:
        """Return where a page leads within its host and the theme's, the next page of its list among it."""
        near = {host_of(seen.address), *self._inquiry.gatherer.retriever.hosts}
        links = [_link(link.address, link.text) for link in seen.links if host_of(link.address) in near]
        if seen.new_rows and not any(link.follows for link in seen.links) and (after := numbered_next(seen.address)):
            links.append(_link(after, "next page"))
        return links

    def _lay_out(self) -> None:
        """Put what was gathered into the workspace: rows as json, texts of pages, and which page each is of."""
        files: dict[str, bytes] = {}
        for table in self._inquiry.judged()[0]:
            body = json.dumps(table.frame.to_dicts(), ensure_ascii=False).encode()
            if len(body) <= _TABLE_BYTES:
                files[f"tables/{table.name}.json"] = body
        index = []
        pages = (
            seen for page in self._inquiry.gatherer.pages if (seen := self._inquiry.gatherer.seen(page)) and seen.text
        )
        for number, seen in zip(range(1, _PAGES_GIVEN + 1), pages, strict=False):
            path = f"pages/{number:03d}.txt"
            files[path] = seen.text.encode("utf-8", "replace")
            index.append({"file": path, "address": seen.address, "title": seen.title})
        self._workspace.give({**files, "pages/index.json": json.dumps(index, ensure_ascii=False).encode()})


def _link(address: str, text: str = "") -> Hit:
    return Hit(address, text, "", None, "links")


def _tool(name: str, about: str, arguments: type[Arguments], run: Callable[[Arguments], str]) -> AgentTool:
    """Return a tool whose parameters and their check are one schema."""

    def called(given: dict[str, Any]) -> str:
        try:
            return run(arguments.model_validate(given))
        except ValidationError as fault:
            wrong = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in fault.errors(include_url=False))
            raise ToolFault(f"the arguments do not fit: {wrong}") from fault

    return AgentTool(ToolSpec(name, about, arguments.model_json_schema()), called)
