"""Rulings outside the rulebooks: lists to read, filter, share and import, and a form to write
one.
"""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from flask import Response, redirect, request, url_for
from pydantic import ValidationError
from werkzeug.wrappers import Response as BaseResponse

from corpus import languages
from corpus.model import Entry, Passage
from corpus.rulings import Authority, Ruling, RulingFault, load_rulings
from corpus.rulings.described import RulingFields
from corpus.rulings.model import wording
from service.answers.citations import AUTHORITIES, Citation, card_url, cite
from service.browse.card_page import rules_of_ruling
from service.browse.cards import named_card
from service.core import parameters
from service.core.i18n import N_
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.rulings import RulingFilter, exported_rulings, newest_first
from service.ops.workspace import NotKept
from service.ops.workspace_layers import (
    take_in_rulings,
    write_house_ruling,
)
from service.schemas.fields import LONGEST_QUESTION
from service.web.editing import (
    check_same_origin,
    editable_workspace,
    editor_key,
    may_edit,
)
from service.web.headers import private_page
from service.web.localization import language
from service.web.pages.layout import (
    HEAD,
    PAGE,
    known_game,
    one_of,
    page,
    pages,
    requested_page,
    search_words,
)
from service.web.request_context import ask, current_snapshot, settings, today

AUTHORITY_NAMES = {
    Authority.PUBLISHER: N_("Publisher"),
    Authority.DESIGNER: N_("Designer"),
    Authority.HEAD_JUDGE: N_("Head judge"),
    Authority.HOUSE: N_("House"),
}
LONGEST_ANSWER = 10_000  # characters
PASSAGES = 6  # found for the question, to choose from
MOST_CHOSEN = 20  # entries that a ruling may rest on
_TEXTS = ("game", "question", "answer", "language", "cards", "date", "source", "author")
_FAULTS = {
    "game": N_("Choose a game."),
    "question": N_("Write the question, in at most 2,000 characters."),
    "answer": N_("Write the answer, in at most 10,000 characters."),
    "language": N_("Choose a language."),
    "cards": N_("Name at most 50 cards, divided by semicolons."),
    "date": N_("Write a day such as 2025-03-02."),
    "source": N_("Write at most 300 characters, on one line."),
    "author": N_("Write at most 300 characters, on one line."),
    "rests_on": N_("Choose at most 20 passages."),
}


class RulingCard(NamedTuple):
    """A card that a ruling is about: its name, the language of the name, and its page."""

    name: str
    language: str
    url: str


@pages.get("/rulings")
def rulings_overview() -> Response:
    """List the games with the number of their rulings."""
    snapshot = current_snapshot()
    counts = {game: len(_known(snapshot, game).rulings) for game in snapshot.library.games}
    return _page("rulings_games.html", snapshot, counts=counts)


@pages.get("/rulings/<game>")
def list_rulings(game: str) -> Response:
    """List the rulings on a game, the newest first, as the address filters them."""
    snapshot = current_snapshot()
    return _listed(snapshot, known_game(snapshot, game))


@pages.get("/rulings/<game>/<name>")
def read_ruling(game: str, name: str) -> Response:
    """Show one ruling."""
    snapshot = current_snapshot()
    rulings, waiting, _ = _known(snapshot, known_game(snapshot, game))
    found = next((each for each in rulings if each.id == f"{game}/{name}"), None)
    if found is None:
        raise Problem.unknown("There is no such ruling here.")
    rules = () if found.bases else rules_of_ruling(snapshot, found, language())
    return _page(
        "ruling.html", snapshot, game=game, scope=game, ruling=found, waiting=waiting, rules=rules
    )


@pages.get("/rulings/export")
def export_rulings() -> Response:
    """Give the rulings on a game as a file, as the address filters them."""
    snapshot = current_snapshot()
    game = known_game(snapshot, request.args.get("game", ""))
    body = exported_rulings(game, _filter().fitting(_known(snapshot, game).rulings))
    response = Response(body, mimetype="application/yaml")
    response.headers["Content-Disposition"] = f'attachment; filename="rulings-{game}.yaml"'
    return response


@pages.post("/rulings/<game>")
def import_rulings(game: str) -> BaseResponse:
    """Import a file of rulings, and show the result."""
    home = editable_workspace()
    check_same_origin()
    snapshot = current_snapshot()
    known_game(snapshot, game)
    file = request.files.get("file")
    if file is None or not file.filename:
        return redirect(url_for("pages.list_rulings", game=game), 303)
    try:
        added = take_in_rulings(home, game, file.filename, file.read())
    except NotKept as fault:
        return _listed(snapshot, game, 409, trouble=str(fault))
    return _listed(snapshot, game, added=added)


def _listed(snapshot: Snapshot, game: str, status: int = 200, **values: object) -> Response:
    rulings, waiting, faults = _known(snapshot, game)
    wanted = _filter()
    return _page(
        "rulings.html",
        snapshot,
        status,
        game=game,
        scope=game,
        listed=requested_page(wanted.of(rulings), PAGE, _size),
        total=len(rulings),
        filters=wanted,
        waiting=waiting,
        faults=faults,
        **values,
    )


def _size(ruling: Ruling) -> int:
    question = ruling.question.text if ruling.question else ""
    return HEAD + len(question) + len(ruling.answer.text)


class KnownRulings(NamedTuple):
    """The rulings on a game, newest first. For editors: those of the workspace, the ids of those
    not served yet, and the faults of files.
    """

    rulings: list[Ruling]
    waiting: frozenset[str] = frozenset()
    faults: tuple[RulingFault, ...] = ()


def _known(snapshot: Snapshot, game: str) -> KnownRulings:
    """Return the rulings on ``game``; editors see those in the workspace, served or not."""
    served = snapshot.index.rulings.of_game(game)
    if not may_edit():
        return KnownRulings(newest_first(served))
    written, faults = load_rulings(game, settings().home)
    known = {(each.id, each.answer.text) for each in served}
    waiting = frozenset(each.id for each in written if (each.id, each.answer.text) not in known)
    return KnownRulings(newest_first(written), waiting, faults)


def _cards_of(snapshot: Snapshot, ruling: Ruling) -> list[RulingCard]:
    """Return the cards of ``ruling``; a card that is in no database links to its rulings."""
    spoken, game = ruling.answer.language, ruling.game
    found = []
    for name in ruling.cards:
        card = named_card(snapshot, game, name)
        if card is None:
            to = url_for("pages.list_rulings", game=game, card=name)
            found.append(RulingCard(name, spoken, to))
        else:
            code = spoken if spoken in card.languages else "en"
            found.append(RulingCard(card.name(spoken), code, card_url(card)))
    return found


def _filter() -> RulingFilter:
    return RulingFilter(
        card=request.args.get("card", "").strip()[:200],
        authority=one_of("authority", list(Authority)),
        words=search_words(),
    )


def _page(template: str, snapshot: Snapshot, status: int = 200, **values: object) -> Response:
    """Return a page of rulings; no browser stores what an editor sees."""
    response = page(
        template,
        snapshot,
        status,
        AUTHORITIES=AUTHORITIES,
        authorities=AUTHORITY_NAMES,
        cards_of=lambda ruling: _cards_of(snapshot, ruling),
        **values,
    )
    return private_page(response) if may_edit() else response


# Writing one: a form that works without JavaScript, with the passages that it may rest on


class OfferedEntry(NamedTuple):
    """An entry that a ruling may rest on, quoted by one of its passages."""

    entry: Entry
    citation: Citation
    passage: Passage | None
    chosen: bool


class RulingForm(NamedTuple):
    """The typed text by field name, and the ids of the ``chosen`` entries."""

    typed: dict[str, str]
    chosen: tuple[str, ...]


@pages.get("/rulings/new")
def new_ruling() -> Response:
    """Show the form for a ruling, with the passages that answer its question."""
    editable_workspace()
    snapshot = current_snapshot()
    library, games = snapshot.library, snapshot.library.games
    chosen = _ids(request.args.getlist("entry"))
    entry = next((library.entry[id] for id in chosen if id in library.entry), None)
    edition = library.edition[entry.edition] if entry else None
    usual = edition.game if edition else games[0] if len(games) == 1 else ""
    game = request.args.get("game") or usual
    key = editor_key()
    typed = {
        "game": game if game in games else "",
        "question": request.args.get("q", "").strip()[:LONGEST_QUESTION],
        "answer": "",
        "language": edition.language if edition else language(),
        "cards": (entry.card or "") if entry else "",
        "date": today(),
        "source": "",
        "author": key.name if key else "",
    }
    return _form(snapshot, RulingForm(typed, chosen))


@pages.post("/rulings/new")
def keep_ruling() -> BaseResponse:
    """Write a ruling and show it, or look for passages that it may rest on; 422 if it is faulty."""
    home = editable_workspace()
    check_same_origin()
    snapshot = current_snapshot()
    sent = request.form
    typed = {name: sent.get(name, "").replace("\r\n", "\n").strip() for name in _TEXTS}
    form = RulingForm(typed, _ids(sent.getlist("rests_on")))
    if sent.get("do") == "look":
        return _form(snapshot, form)
    faults, fields = _checked(snapshot, form)
    if fields is None:
        return _form(snapshot, form, 422, faults=faults)
    game = typed["game"]
    try:
        id = write_house_ruling(home, game, fields)
    except NotKept as fault:
        return _form(snapshot, form, 409, trouble=str(fault))
    return redirect(url_for("pages.read_ruling", game=game, name=id), 303)


def _checked(snapshot: Snapshot, form: RulingForm) -> tuple[dict[str, str], RulingFields | None]:
    """Return the errors by field, and the ruling, None if there are errors."""
    library, typed = snapshot.library, form.typed
    game, question = typed["game"], typed["question"]
    chosen = [
        id
        for id in form.chosen
        if id in library.entry and library.edition[library.entry[id].edition].game == game
    ]
    checks = {
        "game": game not in library.games,
        "question": not question or len(question) > LONGEST_QUESTION,
        "answer": len(typed["answer"]) > LONGEST_ANSWER,
        "rests_on": len(form.chosen) > MOST_CHOSEN or len(chosen) < len(form.chosen),
    }
    wrong = {name for name, is_wrong in checks.items() if is_wrong}
    bases = [{"entry": id, "wording": wording(library.passages_of.get(id, ()))} for id in chosen]
    key = editor_key()  # the key identifies the author
    fields = None
    try:
        fields = RulingFields.model_validate(
            {
                "id": "new",
                "question": question or None,
                "answer": typed["answer"],
                "language": typed["language"],
                "cards": [card for each in typed["cards"].split(";") if (card := each.strip())],
                "date": typed["date"],
                "authority": Authority.HOUSE,
                "source": typed["source"],
                "rests_on": bases[:MOST_CHOSEN],
                "author": key.name if key else typed["author"],
            }
        )
    except ValidationError as fault:
        errors = fault.errors(include_url=False, include_input=False)
        wrong |= {str(each["loc"][0]) for each in errors}
    said = {name: text for name, text in _FAULTS.items() if name in wrong}
    return said, None if wrong else fields


def _form(snapshot: Snapshot, form: RulingForm, status: int = 200, **values: object) -> Response:
    made = page(
        "house_ruling.html",
        snapshot,
        status,
        typed=form.typed,
        offered=_offered(snapshot, form),
        named=editor_key() is not None,
        languages=languages.LANGUAGES,
        longest={"question": LONGEST_QUESTION, "answer": LONGEST_ANSWER},
        **values,
    )
    return private_page(made)


def _offered(snapshot: Snapshot, form: RulingForm) -> list[OfferedEntry]:
    """Return the chosen entries, then those found for the question."""
    library, game, question = snapshot.library, form.typed["game"], form.typed["question"]
    found: dict[str, Passage | None] = {
        id: next(iter(library.passages_of.get(id, ())), None)
        for id in form.chosen[:MOST_CHOSEN]
        if id in library.entry
    }
    if question and game in library.games:
        asked = {"question": question, "game": game, "k": str(PASSAGES)}
        with suppress(Problem):  # a question without searchable characters
            query = parameters.query_from(asked, snapshot)
            for hit in ask(query, interactive=False).hits:
                found.setdefault(hit.passage.entry, hit.passage)
    entries = [library.entry[id] for id in found]
    return [
        OfferedEntry(entry, cite(library, entry), found[entry.id], entry.id in form.chosen)
        for entry in entries
    ]


def _ids(values: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))
