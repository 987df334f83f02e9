"""The MCP server: the tools, resources and prompt that assistants get for one index."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from importlib.metadata import version
from threading import Thread
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.tools import Tool
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, ToolAnnotations
from pydantic import Field

from corpus.errors import RegulaError
from corpus.languages import LANGUAGES, get_language
from corpus.model import Entry, Role
from service.answers.citations import citation_label, edition_name, entry_name
from service.core import parameters
from service.core.ask import CACHED_ANSWERS
from service.core.displayed import repaired_display
from service.core.parameters import unknown_name
from service.core.problems import Problem
from service.core.snapshot import IndexSource, Snapshot
from service.mcp import results
from service.mcp.tools import (
    REPORTING,
    EditionArgument,
    GameArgument,
    RulebookTools,
    StrictTool,
    find_entry,
    plain_schema,
)
from service.ops.feedback.recording import FeedbackRecorder
from service.ops.settings import Settings

_INSTRUCTIONS = (
    "Regula quotes rulebooks of card games in German and Italian and never paraphrases. Questions "
    "may be in German, Italian or English; "
    "notes in a result say where another language is not read. Ask with the tool ask: from a "
    "story with cards, ask for the general rule "
    "behind it, in the rulebook's own language and words, and again in other words where no "
    "passage settles it, up to four times; the "
    "prompt rule_on_question says how. What a card says: find_card; what was ruled on it beside "
    "the rulebooks: rulings_of. Pass quotations "
    "on word for word with their citation label, and cite only what was returned. Where nothing "
    "settles the question, say that the "
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
    """Create the server; ``snapshot`` is called for each request and returns the index to answer
    from, or raises `Problem`.

    At most ``answers_kept`` answers are cached for each index. With a ``recorder``, there is a tool
    to give feedback on answers.
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
    """Return ``function`` as a tool, with a JSON schema of its arguments as short as possible."""
    tool = StrictTool.from_function(function, title=title, annotations=annotations)
    tool.parameters = {**plain_schema(tool.parameters), "additionalProperties": False}
    return tool


def _add_resources(server: MCPServer[None], snapshot: Callable[[], Snapshot]) -> None:
    @server.resource("regula://editions", title="The rulebooks", mime_type="application/json")
    def editions() -> str:
        """Return the rulebooks that are loaded, as JSON."""
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
    """Convert problems to errors of an MCP resource."""
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


_PROMPT = """\
A player asks:

{question}

Rule on it from these rulebooks alone: {rulebooks}.

1. Tell the story from the rule. Leave out cards, names, numbers and who did what: what remains \
is the general rule that the question is about, such as a timing, a cost, what a keyword or a \
state does, who decides, what happens when something is impossible.
2. Ask for that rule with the tool ask{filters}, in the language of the rulebook ({languages}) \
and in its words, as a heading or a sentence of a rulebook would put it. The first passages \
show which words it uses.
3. Where no passage settles the question, ask again with other words: the term for it, the \
keyword alone, the exception, the step of the turn. Ask up to four times; `answered` says what \
one wording found, not whether another finds more.
4. Where a passage is part of more, read what is around it with read_entry.
5. Answer{answer_language}: the ruling in a sentence or two, then the one or two passages that \
settle it, each quoted word for word with its citation label. Cite only what a tool has \
returned here, never from memory. Quote `words`; `before` and `repaired` are for understanding.
6. Where nothing settles it, say that the rulebook does not, and quote the fallback if there is \
one. Do not guess, and do not rule by analogy.
7. Check the finished text with the tool verify."""


class RulingPrompt(Prompt):
    """A prompt whose errors name the invalid argument; the SDK says only that rendering failed."""

    async def render(self, arguments: dict[str, Any] | None, context: Context[Any, Any]) -> Any:
        """Render the prompt. Raises `MCPError` for invalid arguments."""
        given, known = arguments or {}, [argument.name for argument in self.arguments or ()]
        for name in given:
            if name not in known:
                raise MCPError(
                    code=INVALID_PARAMS,
                    message=str(unknown_name("argument", name, known, {"question"} - given.keys())),
                )
        return await super().render({"question": "", **given}, context)


def ruling_prompt(snapshot: Callable[[], Snapshot]) -> Prompt:
    """Return the prompt; ``snapshot`` is called each time and returns the index, or raises
    `Problem`.
    """

    def rule_on_question(
        question: Annotated[
            str, Field(description="The question as the player asked it, with its whole story.")
        ],
        game: GameArgument = None,
        edition: EditionArgument = None,
        language: Annotated[
            str | None,
            Field(
                description="The language to answer in (BCP 47); that of the question if not given."
            ),
        ] = None,
    ) -> str:
        """How to rule on a question: find the general rule behind the story, ask for it in the
        rulebook's words, quote, guess nothing.
        """
        fields = {"question": question, "game": game, "edition": edition, "language": language}
        try:
            contents = snapshot()
            query = parameters.query_from(fields, contents)
        except Problem as problem:
            raise MCPError(code=INVALID_PARAMS, message=problem.detail) from problem
        editions = contents.library.filter_editions(query.edition, query.game)
        filters = {"game": query.game, "edition": query.edition}
        given = ", ".join(f'{name} "{value}"' for name, value in filters.items() if value)
        codes = sorted({edition.language for edition in editions}, key=LANGUAGES.index)
        answer_language = f"the language {language}" if language else "the language of the question"
        return _PROMPT.format(
            question=query.question,
            rulebooks="; ".join(f"{edition_name(edition)} [{edition.id}]" for edition in editions),
            languages=" or ".join(get_language(code).name for code in codes),
            filters=f" ({given})" if given else "",
            answer_language=f" in {answer_language}",
        )

    title = "Rule on this question"
    return RulingPrompt.from_function(rule_on_question, name="rule_on_question", title=title)


_LOG = logging.getLogger("regula")
WAIT = 45.0  # seconds that a call waits; assistants give up after a minute


class BackgroundIndexLoader:
    """Calls ``load``, which opens or builds the index of ``indexes``, in the background; `snapshot`
    waits up to ``wait`` seconds for it.

    Assistants expect the list of tools within seconds of starting the server, but building an index
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
        except (RegulaError, OSError) as fault:  # reported to each caller
            self._loaded.set_exception(fault)
        except Exception as fault:
            _LOG.exception("opening the index failed")
            self._loaded.set_exception(fault)

    def snapshot(self) -> Snapshot:
        """Return the current snapshot. Raises `Problem` 503 if it is not ready in time or cannot be
        loaded.
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
    """Return the Host and Origin headers that a server at ``host`` accepts: local names, ``host``,
    and the names in ``settings``.
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
