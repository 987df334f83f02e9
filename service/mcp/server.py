"""The MCP server: tools and resources over one index, as assistants find and call them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from typing import Annotated, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from corpus.errors import RegulaError
from corpus.model import Entry, Role
from corpus.titles import key
from glossary.comparison import Pair, Status
from index.store.store import Unreachable
from service.answers import context as contexts
from service.answers.answer import citation_label, entry_name
from service.answers.verify import checked_text
from service.answers.verify import verify as verified
from service.browse.lookup import names as names_of
from service.core import parameters
from service.core.ask import ask as put
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions import comparison
from service.mcp import results
from service.schemas.context import ContextOut
from service.schemas.limits import LEAST_BUDGET, MOST_BUDGET, MOST_PASSAGES, USUAL_BUDGET
from service.schemas.verify import VerificationOut

PAGE = 20  # entries on one page: an assistant reads them all
USUAL = 5  # passages of an answer
MOST = 20

_INSTRUCTIONS = (
    "Regula quotes rulebooks of card games in German and Italian and never paraphrases. Ask in the player's own words with the tool ask; "
    "questions may be in German, Italian or English. Pass quotations on word for word with their citation label. Where answered is false, "
    "say that the rulebook does not settle the question and give the fallback. Check a finished text with the tool verify."
)
_READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

Question = Annotated[str, Field(description="The question in plain words, in German, Italian or English.")]
Game = Annotated[str | None, Field(description="Only this game; list_editions names them.")]
Edition = Annotated[str | None, Field(description="Only this edition, by its id from list_editions.")]
Page = Annotated[int, Field(ge=1, description="Which page, from 1.")]

T = TypeVar("T")


@contextmanager
def _told() -> Iterator[None]:
    """Problems as errors of a tool, which an assistant can read and act on."""
    try:
        yield
    except Problem as problem:
        raise ToolError(problem.detail) from problem
    except Unreachable as fault:
        raise ToolError(Problem.no_store().detail) from fault
    except RegulaError as fault:
        raise ToolError(str(fault)) from fault


def create_server(snapshot: Callable[[], Snapshot]) -> MCPServer[None]:
    """The server that answers from whatever index ``snapshot`` hands out, which may raise `Problem`."""
    server: MCPServer[None] = MCPServer(
        "regula", title="Regula", version=version("regula"), instructions=_INSTRUCTIONS, log_level="WARNING"
    )

    def current() -> Snapshot:
        return snapshot()

    def tool(title: str) -> Callable[[Callable[..., T]], Callable[..., T]]:
        return server.tool(title=title, annotations=_READ_ONLY)

    @tool("Ask the rulebook")
    def ask(
        question: Question,
        game: Game = None,
        edition: Edition = None,
        language: Annotated[str | None, Field(description="Language of the question (BCP 47); detected if not given.")] = None,
        k: Annotated[int, Field(ge=1, le=MOST, description="How many passages.")] = USUAL,
    ) -> results.Answer:
        """Find the passages of the rulebooks that settle a question, quoted word for word, each with its citation."""
        with _told():
            here = current()
            fields = {"question": question, "game": game, "edition": edition, "language": language, "k": k}
            return results.answer(here, put(here, parameters.query_from(fields, here.library)))

    @tool("Read an entry")
    def read_entry(entry: Annotated[str, Field(description="Id of an entry, as citations have it: edition/name.")]) -> results.WholeEntry:
        """Read one entry of a rulebook whole, with the entries around and in it, and those it refers to."""
        with _told():
            here = current()
            return results.whole_entry(here, _entry(here, entry))

    @tool("Look up a card's rulings")
    def card_rulings(
        card: Annotated[str | None, Field(description="Name of the card, or words of it.")] = None,
        number: Annotated[str | None, Field(description="Number printed on the card.")] = None,
        product: Annotated[str | None, Field(description="Product it is from.")] = None,
        game: Game = None,
        page: Page = 1,
    ) -> results.Rulings:
        """List rulings (FAQ) and errata of a card, in every edition."""
        with _told():
            here = current()
            if not (card or number or product):
                raise ToolError("Name a card, a card number or a product.")
            known = parameters.one_of({"game": game}, "game", here.library.games)
            found = names_of(here).rulings(card, number, product, known)
            pages, shown = _paged(found, page)
            rulings = [results.entry_text(here, each) for each in shown]
            return results.Rulings(total=len(found), page=page, pages=pages, rulings=rulings)

    @tool("Compare two editions")
    def compare_editions(
        left: Annotated[str, Field(description="Id of an edition.")],
        right: Annotated[str, Field(description="Id of another edition of the same game.")],
        entry: Annotated[str | None, Field(description="Id or heading of one entry, to get its words on both sides.")] = None,
        page: Page = 1,
    ) -> results.Compared:
        """Put two editions side by side, entries that differ first: versions of one language, or translations."""
        with _told():
            here = current()
            compared = comparison.snapshot_comparison(here, left, right)
            pairs: list[Pair] = sorted(compared.pairs, key=lambda pair: pair.status is Status.SAME)
            if entry is not None:
                pairs = [pair for pair in pairs if any(_is(each, entry) for each in (*pair.left, *pair.right))]
                if not pairs:
                    raise ToolError(f"There is no entry {entry!r} in {left} or {right}.")
            pages, shown = _paged(pairs, page)
            return results.Compared(
                left=left,
                right=right,
                summary={status.value: count for status, count in compared.counts.items()},
                total=len(pairs),
                page=page,
                pages=pages,
                entries=[results.compared_entry(here, pair, texts=entry is not None) for pair in shown],
            )

    @tool("List the rulebooks")
    def list_editions() -> results.Editions:
        """List the rulebooks that are loaded: games, languages, versions."""
        with _told():
            return results.editions(current())

    @tool("Passages within a budget")
    def context(
        question: Question,
        budget: Annotated[int, Field(ge=LEAST_BUDGET, le=MOST_BUDGET, description="The most tokens.")] = USUAL_BUDGET,
        game: Game = None,
        edition: Edition = None,
    ) -> ContextOut:
        """Get the best passages for a question within a budget of tokens, no words twice, each under a marker to cite it by."""
        with _told():
            here = current()
            query = parameters.query_from({"question": question, "game": game, "edition": edition}, here.library)
            return ContextOut.model_validate(contexts.context(here, here.search(replace(query, k=MOST_PASSAGES)), budget))

    @tool("Check quotations")
    def verify(
        text: Annotated[str, Field(description="The text, with its quotation marks and markers such as [r:3076c5a6].")],
    ) -> VerificationOut:
        """Check which quotations in a text are exact, altered or unsupported by the rulebooks, and whether their markers are right."""
        with _told():
            return VerificationOut.model_validate(verified(current(), checked_text(text)))

    @server.resource("regula://editions", title="The rulebooks", mime_type="application/json")
    def editions() -> str:
        """The rulebooks that are loaded, as JSON."""
        with _found():
            return results.editions(current()).model_dump_json()

    @server.resource("regula://entry/{edition}/{slug}", title="An entry of a rulebook", mime_type="text/markdown")
    def entry(edition: str, slug: str) -> str:
        """One entry as it is printed, each passage under its citation."""
        with _found():
            here = current()
            return _as_markdown(here, _entry(here, f"{edition}/{slug}"))

    return server


@contextmanager
def _found() -> Iterator[None]:
    """Problems as errors of a resource."""
    try:
        yield
    except Problem as problem:
        raise ResourceNotFoundError(problem.detail) from problem


def _entry(snapshot: Snapshot, id: str) -> Entry:
    found = snapshot.library.entry.get(id.removeprefix("regula://entry/").removeprefix("/e/"))
    if found is None:
        raise Problem.unknown(f"There is no entry {id!r} here. Take the id from a citation, or ask for it.", "entry")
    return found


def _is(entry: Entry, sought: str) -> bool:
    return entry.id == sought or key(sought) in (key(entry.heading), key(entry.title))


def _paged(things: Sequence[T], page: int) -> tuple[int, Sequence[T]]:
    """How many pages there are, and what is on one. Raises `Problem` 422 for a page that is not there."""
    pages = max(1, -(-len(things) // PAGE))
    if page > pages:
        raise Problem.out_of_range(f"The last page is {pages}.", "page")
    return pages, things[(page - 1) * PAGE : page * PAGE]


def _as_markdown(snapshot: Snapshot, entry: Entry) -> str:
    parts = [f"# {entry_name(snapshot.library, entry)}"]
    for passage in snapshot.library.passages_of.get(entry.id, ()):
        quoted = "\n".join(f"> {line}" for line in passage.display.splitlines())
        remark = " (superseded wording, does not hold)" if passage.role is Role.VOID else ""
        parts.append(f"{quoted}\n\n— {citation_label(snapshot.library, passage)}{remark}")
    parts += [
        f"- {entry_name(snapshot.library, each)}: {results.resource(each)}" for each in snapshot.library.children_of.get(entry.id, ())
    ]
    return "\n\n".join(parts)
