"""Regula as a service: finds and quotes rules and rulings for people, programs and assistants.

Programs that embed Regula use these functions:

    import service

    # builds the index first if none fits the rulebooks
    indexes = service.open_indexes("rulebooks", "index")
    answer = service.ask(indexes, "Wann steigt der Pegel?")
    application = service.create_app(indexes)  # the web application, for any WSGI server

Each function imports the rest of the package when it is called. The command line is `service.cli`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask
    from mcp.server import MCPServer

    from service.core.snapshot import IndexSource
    from service.ops.indexes import IndexManager
    from service.ops.settings import Settings
    from service.schemas.answer import AnswerOut

__all__ = ["ask", "create_app", "create_mcp_server", "open_indexes"]


def open_indexes(
    rulebooks: str | Path | None = None,
    index: str | Path | None = None,
    home: str | Path | None = None,
) -> IndexManager:
    """Load the published index in the folder ``index``; if none fits the folder ``rulebooks``,
    build it first.

    ``home`` is a workspace made by 'regula init', which contains both folders; its descriptions of
    editions are used in this process from then on. Missing arguments are taken from the settings
    (variables ``REGULA_…``, ``regula.toml``). Raises `service.ops.settings.SettingError` for an
    unusable folder and `service.ops.indexes.NoIndex` if there is nothing to answer from.
    """
    from service.ops.indexes import IndexManager
    from service.ops.settings import load, locations

    settings = load({"rulebooks": rulebooks, "index": index, "home": home})
    indexes = IndexManager(locations(settings), keep=settings.keep)
    indexes.ready()
    return indexes


def ask(
    indexes: IndexSource,
    question: str,
    *,
    edition: str | None = None,
    game: str | None = None,
    document: str | None = None,
    language: str | None = None,
    k: int | None = None,
    layers: Sequence[str] | None = None,
    as_of: str | None = None,
    context: Sequence[str] = (),
) -> AnswerOut:
    """Answer ``question`` with at most ``k`` passages, from one edition, game or document if given.

    Raises `service.core.problems.Problem` for invalid arguments, and while there is no index.

    Args:
        language: The language of the question (BCP 47); detected if None.
        layers: The sources to quote, of "rulebook", "rulings" and "cards"; all loaded if None.
        as_of: A day (ISO 8601): answer by the rules in effect then.
        context: The earlier questions, the oldest first; a follow-up question is read with them.
    """
    from service.answers.answer import answer_out
    from service.core.ask import ask as ask_snapshot
    from service.core.parameters import query_from
    from service.core.problems import Problem

    snapshot = indexes.current()
    if snapshot is None:
        raise Problem.not_ready()
    where = {
        "edition": edition,
        "game": game,
        "document": document,
        "as_of": as_of,
        "context": list(context),
    }
    fields = {
        "question": question,
        **where,
        "language": language,
        "k": k,
        "layers": None if layers is None else list(layers),
    }
    return answer_out(snapshot, ask_snapshot(snapshot, query_from(fields, snapshot)))


def create_app(indexes: IndexSource, settings: Settings | None = None) -> Flask:
    """Create the web application (pages and API), as `service.web.app.create_app` does."""
    from service.web.app import create_app

    return create_app(indexes, settings)


def create_mcp_server(indexes: IndexSource) -> MCPServer[None]:
    """Create the Model Context Protocol server for assistants, which answers from ``indexes``."""
    from service.core.problems import Problem
    from service.core.snapshot import Snapshot
    from service.mcp import create_server

    def snapshot() -> Snapshot:
        current = indexes.current()
        if current is None:
            raise Problem.not_ready()
        return current

    return create_server(snapshot)
