"""The pages for people: ask and read, without script, in the language of the browser."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from urllib.parse import urlencode

from flask import Blueprint, Response, make_response, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from corpus.model import Edition, Kind
from index.library import Library
from service import asking
from service.answer import name
from service.desk import desk
from service.problems import Problem
from service.reading import mentions, neighbours, part, place, quote, quote_plainly
from service.snapshot import Snapshot
from service.wording import gettext as _

FIRST, MORE = 5, 20  # passages shown at once, and when more are asked for

pages = Blueprint("pages", __name__)

KINDS = {
    Kind.SECTION: "Section",
    Kind.TERM: "Term",
    Kind.REDIRECT: "Pointer",
    Kind.RULE: "Rule",
    Kind.RULING: "Ruling",
    Kind.ERRATUM: "Correction",
    Kind.SUBSECTION: "Subsection",
}
LANGUAGES = {"de": "German", "it": "Italian", "en": "English"}


@dataclass(frozen=True)
class Scope:
    """A game with its editions, as the choice of where to search shows it."""

    game: str
    title: str
    editions: tuple[Edition, ...]


@pages.get("/")
def ask() -> AnyResponse:
    """The search page; with a question, its answer. The address says all that is shown."""
    snapshot = desk().snapshot()
    library = snapshot.library
    if "in" in request.args:  # how the form names one edition or game; the address to keep names which of the two it is
        return redirect(_kept(library), 303)
    asked = {name: request.args.get(name) or None for name in ("edition", "game", "document", "language", "k")}
    scope = asked["edition"] or asked["game"]
    question = request.args.get("q", "").strip()
    if not question:
        return _page("ask.html", snapshot, scope=scope)
    asked["k"] = asked["k"] or str(FIRST)
    try:
        query = asking.query_from({**asked, "question": question}, library)
    except Problem as problem:
        kept = question[: asking.LONGEST]
        return _page("ask.html", snapshot, problem.status, scope=scope, question=kept, trouble=_trouble(problem, question))
    found = snapshot.search(query)
    more = _address({**request.args.to_dict(), "k": str(MORE)}) if len(found.hits) == query.k < MORE else None
    return _page(
        "ask.html",
        snapshot,
        scope=scope,
        question=question,
        answered=found.answered,
        quotes=[quote(library, hit) for hit in found.hits],
        fallback=quote_plainly(library, found.fallback) if found.fallback and not found.answered else None,
        more=more,
    )


@pages.get("/e/<path:entry_id>")
def read(entry_id: str) -> AnyResponse:
    """The page of an entry."""
    snapshot = desk().snapshot()
    library = snapshot.library
    entry = library.entry.get(entry_id)
    if entry is None:
        raise Problem.unknown("There is no such entry here.")
    before, after = neighbours(library, entry)
    return _page(
        "entry.html",
        snapshot,
        scope=entry.edition,
        entry=entry,
        name=name(library, entry),
        path=library.path(entry)[:-1],
        place=place(library, entry),
        source=library.sources[entry.edition],
        part=part(library, entry),
        mentions=mentions(library, entry),
        referring=library.referring_to.get(entry.id, ()),
        before=before,
        after=after,
    )


def _kept(library: Library) -> str:
    chosen = request.args["in"]
    kind = "edition" if chosen in library.edition or chosen not in {e.game for e in library.editions} else "game"
    return _address({"q": request.args.get("q", "").strip(), kind: chosen})


def _address(values: dict[str, str]) -> str:
    """The address of the search page that shows what ``values`` ask for."""
    return "/?" + urlencode({name: value for name, value in values.items() if value})


def _trouble(problem: Problem, question: str) -> str:
    if problem.field == "question" and len(question) <= asking.LONGEST:
        return _("The question holds characters that cannot be shown. Please type it again.")
    if problem.field == "question":
        return _("Please put this as a question of at most %(limit)s characters.", limit=f"{asking.LONGEST:,}")
    if problem.field in ("edition", "game", "document"):
        return _("This rulebook is not loaded here. Please choose one of the list.")
    return _("The address asks for something that this page does not do.")


def _page(template: str, snapshot: Snapshot, status: int = 200, **values: object) -> Response:
    built = snapshot.built.astimezone(UTC) if snapshot.built.tzinfo else snapshot.built
    html = render_template(
        template, snapshot=snapshot, library=snapshot.library, built=f"{built:%Y-%m-%d %H:%M}", scopes=scopes(snapshot.library), **values
    )
    return make_response(html, status)


def scopes(library: Library) -> list[Scope]:
    """The games in order of their names, each with its editions."""
    games = sorted({e.game for e in library.editions})
    return [Scope(game, _game_title(library, game), tuple(e for e in library.editions if e.game == game)) for game in games]


def _game_title(library: Library, game: str) -> str:
    known = [e for e in library.editions if e.game == game and e.known]
    return game.replace("-", " ").title() if known else next(e.title for e in library.editions if e.game == game)
