"""The MCP server: tools and resources over one index, as assistants find and call them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations

from corpus.model import Entry, Role
from service.answers.citations import citation_label, entry_name
from service.core.ask import CACHED_ANSWERS
from service.core.problems import Problem
from service.core.repaired import repaired_display
from service.core.snapshot import Snapshot
from service.mcp import results
from service.mcp.card_tools import CardTools
from service.mcp.feedback_tool import INSTRUCTIONS, FeedbackTool
from service.mcp.ruling_prompt import ruling_prompt
from service.mcp.strict_tool import StrictTool
from service.mcp.tools import RulebookTools, find_entry
from service.ops.feedback.feedback_recording import FeedbackRecorder

_INSTRUCTIONS = (
    "Regula quotes rulebooks of card games in German and Italian and never paraphrases. Questions may be in German, Italian or English; "
    "notes in a result say where another language is not read. Ask with the tool ask: from a story with cards, ask for the general rule "
    "behind it, in the rulebook's own language and words, and again in other words where no passage settles it, up to four times; the "
    "prompt rule_on_question says how. What a card says: find_card; what was ruled on it beside the rulebooks: rulings_of. Pass quotations "
    "on word for word with their citation label, and cite only what was returned. Where nothing settles the question, say that the "
    "rulebook does not, and give the fallback. Check a finished text with the tool verify."
)
_READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)


def create_server(
    snapshot: Callable[[], Snapshot], answers_kept: int = CACHED_ANSWERS, recorder: FeedbackRecorder | None = None
) -> MCPServer[None]:
    """Create the server that answers from whatever index ``snapshot`` returns, which may raise `Problem`.

    At most ``answers_kept`` answers are kept ready for each index. With a ``recorder``, there is a tool to report on answers.
    """
    tools = _tools(RulebookTools(snapshot, answers_kept, recorder), CardTools(snapshot))
    if recorder:
        tools.append(_tool("Report on an answer", FeedbackTool(snapshot, recorder, answers_kept).report_answer, _WRITES))
    server: MCPServer[None] = MCPServer(
        "regula",
        title="Regula",
        version=version("regula"),
        instructions=_INSTRUCTIONS + (INSTRUCTIONS if recorder else ""),
        tools=tools,
        log_level="WARNING",
    )
    _add_resources(server, snapshot)
    server.add_prompt(ruling_prompt(snapshot))
    return server


def _tools(tools: RulebookTools, cards: CardTools) -> list[Tool]:
    titles: dict[str, Callable[..., object]] = {
        "Ask the rulebook": tools.ask,
        "Read an entry": tools.read_entry,
        "Look up a card's rulings": tools.card_rulings,
        "Compare two editions": tools.compare_editions,
        "List the rulebooks": tools.list_editions,
        "Passages within a budget": tools.context,
        "Check quotations": tools.verify,
        "Find a card": cards.find_card,
        "Look up official and house rulings": cards.rulings_of,
    }
    return [_tool(title, function) for title, function in titles.items()]


def _tool(title: str, function: Callable[..., object], annotations: ToolAnnotations = _READ_ONLY) -> Tool:
    """Return a tool whose output schema calls its parts by their titles, as the description of the API does."""
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

    @server.resource("regula://entry/{edition}/{slug}", title="An entry of a rulebook", mime_type="text/markdown")
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
        meant = f"\n\n(with what the document has lost or misread, not to be quoted: {repaired})" if repaired else ""
        before = f"({passage_before})\n\n" if (passage_before := results.lead_in(passage)) else ""
        parts.append(f"{before}{quoted}\n\n— {citation_label(library, passage)}{remark}{meant}")
    parts += [f"- {entry_name(library, each)}: {results.resource_uri(each)}" for each in library.children_of.get(entry.id, ())]
    return "\n\n".join(parts)
