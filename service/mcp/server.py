"""The MCP server: tools and resources over one index, as assistants find and call them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from importlib.metadata import version
from threading import Thread

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.mcpserver.tools import Tool
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import ToolAnnotations

from corpus.errors import RegulaError
from corpus.model import Entry, Role
from service.answers.citations import citation_label, entry_name
from service.core.ask import CACHED_ANSWERS
from service.core.displayed import repaired_display
from service.core.problems import Problem
from service.core.snapshot import IndexSource, Snapshot
from service.mcp import results
from service.mcp.ruling_prompt import ruling_prompt
from service.mcp.tools import REPORTING, RulebookTools, StrictTool, find_entry
from service.ops.feedback.recording import FeedbackRecorder
from service.ops.settings import Settings

_INSTRUCTIONS = (
    "Regula quotes rulebooks of card games in German and Italian and never paraphrases. Questions may be in German, Italian or English; "
    "notes in a result say where another language is not read. Ask with the tool ask: from a story with cards, ask for the general rule "
    "behind it, in the rulebook's own language and words, and again in other words where no passage settles it, up to four times; the "
    "prompt rule_on_question says how. What a card says: find_card; what was ruled on it beside the rulebooks: rulings_of. Pass quotations "
    "on word for word with their citation label, and cite only what was returned. Where nothing settles the question, say that the "
    "rulebook does not, and give the fallback. Check a finished text with the tool verify."
)
_READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_WRITES = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)


def create_server(
    snapshot: Callable[[], Snapshot],
    answers_kept: int = CACHED_ANSWERS,
    recorder: FeedbackRecorder | None = None,
) -> MCPServer[None]:
    """Create the server that answers from whatever index ``snapshot`` returns, which may raise
    `Problem`.

    At most ``answers_kept`` answers are kept ready for each index. With a ``recorder``, there is a
    tool to report on answers.
    """
    tools = RulebookTools(snapshot, answers_kept, recorder)
    listed = [
        _tool("Ask the rulebook", tools.ask),
        _tool("Read an entry", tools.read_entry),
        _tool("Look up a card's rulings", tools.card_rulings),
        _tool("Compare two editions", tools.compare_editions),
        _tool("List the rulebooks", tools.list_editions),
        _tool("Passages within a budget", tools.context),
        _tool("Check quotations", tools.verify),
        _tool("Find a card", tools.find_card),
        _tool("Look up official and house rulings", tools.rulings_of),
    ]
    if recorder:
        listed.append(_tool("Report on an answer", tools.report_answer, _WRITES))
    server: MCPServer[None] = MCPServer(
        "regula",
        title="Regula",
        version=version("regula"),
        instructions=_INSTRUCTIONS + (REPORTING if recorder else ""),
        tools=listed,
        log_level="WARNING",
    )
    _add_resources(server, snapshot)
    server.add_prompt(ruling_prompt(snapshot))
    return server


def _tool(
    title: str, function: Callable[..., object], annotations: ToolAnnotations = _READ_ONLY
) -> Tool:
    """Return a tool whose output schema calls its parts by their titles, as the description of the
    API does.
    """
    tool = StrictTool.from_function(function, title=title, annotations=annotations)
    tool.parameters["additionalProperties"] = False
    tool.fn_metadata.output_schema = tool.fn_metadata.output_model.model_json_schema()
    return tool


def _add_resources(server: MCPServer[None], snapshot: Callable[[], Snapshot]) -> None:
    @server.resource("regula://editions", title="The rulebooks", mime_type="application/json")
    def editions() -> str:
        """The rulebooks that are loaded, as JSON."""
        with _resource_errors():
            return results.editions_result(snapshot()).model_dump_json()

    @server.resource(
        "regula://entry/{edition}/{slug}", title="An entry of a rulebook", mime_type="text/markdown"
    )
    def entry(edition: str, slug: str) -> str:
        """One entry as it is printed, each passage under its citation."""
        with _resource_errors():
            here = snapshot()
            return _as_markdown(here, find_entry(here, f"{edition}/{slug}"))


@contextmanager
def _resource_errors() -> Iterator[None]:
    """Raise problems as errors of a resource."""
    try:
        yield
    except Problem as problem:
        raise ResourceNotFoundError(problem.detail) from problem


def _as_markdown(snapshot: Snapshot, entry: Entry) -> str:
    library = snapshot.library
    parts = [f"# {entry_name(library, entry)}"]
    for passage in library.passages_of.get(entry.id, ()):
        quoted = "\n".join(f"> {line}" for line in passage.display.splitlines())
        remark = " (superseded wording, does not hold)" if passage.role is Role.VOID else ""
        repaired = repaired_display(library, passage)
        meant = (
            f"\n\n(with what the document has lost or misread, not to be quoted: {repaired})"
            if repaired
            else ""
        )
        before = f"({passage_before})\n\n" if (passage_before := results.lead_in(passage)) else ""
        parts.append(f"{before}{quoted}\n\n— {citation_label(library, passage)}{remark}{meant}")
    parts += [
        f"- {entry_name(library, each)}: {results.resource_uri(each)}"
        for each in library.children_of.get(entry.id, ())
    ]
    return "\n\n".join(parts)


_LOG = logging.getLogger("regula")
WAIT = 45.0  # seconds that a call waits; assistants give up on one after a minute


class BackgroundIndexLoader:
    """The current index of ``indexes``, which ``load`` opens or builds in the background; a call
    waits ``wait`` seconds for it.

    Assistants start the server and want its list of tools within seconds, while building an index
    takes minutes.
    """

    def __init__(self, indexes: IndexSource, load: Callable[[], Snapshot], wait: float = WAIT):
        self._indexes = indexes
        self._wait = wait
        self._loaded: Future[Snapshot] = Future()
        Thread(target=self._load, args=(load,), name="opening", daemon=True).start()

    def _load(self, load: Callable[[], Snapshot]) -> None:
        try:
            self._loaded.set_result(load())
        except (RegulaError, OSError) as fault:  # told to whoever asks
            self._loaded.set_exception(fault)
        except Exception as fault:
            _LOG.exception("opening the index failed")
            self._loaded.set_exception(fault)

    def snapshot(self) -> Snapshot:
        """Return the current snapshot. Raises `Problem` 503 where it takes longer, or cannot be
        had.
        """
        try:
            loaded = self._loaded.result(self._wait)
        except TimeoutError:
            raise Problem(
                503, "The index is still being built from the rulebooks. Ask again in a minute."
            ) from None
        except (RegulaError, OSError) as fault:
            raise Problem(503, f"There is no index to answer from: {fault}") from fault
        except Exception as fault:
            raise Problem(
                503,
                "There is no index to answer from: a fault of the program, which is in its log.",
            ) from fault
        return self._indexes.current() or loaded


_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def transport_security(settings: Settings, host: str) -> TransportSecuritySettings:
    """Return the headers Host and Origin that a server at ``host`` accepts: names of this machine
    and of the service.
    """
    public = settings.public_url.host if settings.public_url else None
    names = {*_LOOPBACK, host.lower(), *settings.hosts, *([public] if public else [])} - {
        "0.0.0.0",
        "::",
    }
    written = sorted(f"[{name.strip('[]')}]" if ":" in name else name for name in names)
    return TransportSecuritySettings(
        allowed_hosts=[form for name in written for form in (name, f"{name}:*")],
        allowed_origins=[
            f"{scheme}://{form}"
            for name in written
            for form in (name, f"{name}:*")
            for scheme in ("http", "https")
        ],
    )
