"""Rulings outside the rulebooks: lists to read, filter, share and import, and a form to write one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from flask import Response, redirect, request, url_for
from pydantic import ValidationError
from werkzeug.wrappers import Response as BaseResponse

from corpus import languages
from corpus.model import Entry, Passage
from corpus.rulings import Authority, Ruling, load_rulings
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
from service.web.pages.layout import address_with, one_of, page, pages, requested_page, search_words
from service.web.request_context import ask, current_snapshot, settings

LENGTH = 50  # rulings on one page
AUTHORITY_NAMES = {
    Authority.PUBLISHER: N_("Publisher"),
    Authority.DESIGNER: N_("Designer"),
    Authority.HEAD_JUDGE: N_("Head judge"),
    Authority.HOUSE: N_("House"),
}


class RulingCard(NamedTuple):
    """A card that a ruling is about: its name, the language that this is in, and the address of its
    page.
    """

    name: str
    language: str
    url: str


@pages.get("/rulings")
def rulings_overview() -> Response:
    """The games with the number of their rulings."""
    snapshot = current_snapshot()
    counts = {game: len(_rulings(snapshot, game)[0]) for game in snapshot.library.games}
    return _page("rulings_games.html", snapshot, counts=counts)


@pages.get("/rulings/<game>")
def list_rulings(game: str) -> Response:
    """The rulings on a game, the newest first, as the address filters them."""
    snapshot = current_snapshot()
    return _listed(snapshot, _known_game(snapshot, game))


@pages.get("/rulings/<game>/<name>")
def read_ruling(game: str, name: str) -> Response:
    """One ruling."""
    snapshot = current_snapshot()
    rulings, waiting = _rulings(snapshot, _known_game(snapshot, game))
    found = next((each for each in rulings if each.id == f"{game}/{name}"), None)
    if found is None:
        raise Problem.unknown("There is no such ruling here.")
    rules = () if found.bases else rules_of_ruling(snapshot, found, language())
    return _page(
        "ruling.html", snapshot, game=game, scope=game, ruling=found, waiting=waiting, rules=rules
    )


@pages.get("/rulings/export")
def export_rulings() -> Response:
    """The rulings on a game as a file, as the address filters them."""
    snapshot = current_snapshot()
    game = _known_game(snapshot, request.args.get("game", ""))
    rulings = _rulings(snapshot, game)[0]
    response = Response(
        exported_rulings(game, _filter().fitting(rulings)), mimetype="application/yaml"
    )
    response.headers["Content-Disposition"] = f'attachment; filename="rulings-{game}.yaml"'
    return response


@pages.post("/rulings/<game>")
def import_rulings(game: str) -> BaseResponse:
    """Take in a file of rulings, and show what came of it."""
    home = editable_workspace()
    check_same_origin()
    snapshot = current_snapshot()
    _known_game(snapshot, game)
    file = request.files.get("file")
    if file is None or not file.filename:
        return redirect(url_for("pages.list_rulings", game=game), 303)
    try:
        added = take_in_rulings(home, game, file.filename, file.read())
    except NotKept as fault:
        return _listed(snapshot, game, 409, trouble=str(fault))
    return _listed(snapshot, game, added=added)


def _listed(snapshot: Snapshot, game: str, status: int = 200, **values: object) -> Response:
    rulings, waiting = _rulings(snapshot, game)
    wanted = _filter()
    return _page(
        "rulings.html",
        snapshot,
        status,
        game=game,
        scope=game,
        listed=requested_page(wanted.of(rulings), LENGTH),
        total=len(rulings),
        filters=wanted,
        waiting=waiting,
        faults=load_rulings(game, settings().home).faults if may_edit() else (),
        **values,
    )


def _rulings(snapshot: Snapshot, game: str) -> tuple[list[Ruling], frozenset[str]]:
    served = snapshot.index.rulings.of_game(game)
    if not may_edit():
        return newest_first(served), frozenset()
    written = load_rulings(game, settings().home).rulings
    known = {(each.id, each.answer.text) for each in served}
    return newest_first(written), frozenset(
        each.id for each in written if (each.id, each.answer.text) not in known
    )


def _cards_of(snapshot: Snapshot, ruling: Ruling) -> list[RulingCard]:
    spoken = ruling.answer.language
    found = []
    for name in ruling.cards:
        card = named_card(snapshot, ruling.game, name)
        if card is None:
            found.append(
                RulingCard(name, spoken, url_for("pages.list_rulings", game=ruling.game, card=name))
            )
        else:
            found.append(
                RulingCard(
                    card.name(spoken), spoken if spoken in card.languages else "en", card_url(card)
                )
            )
    return found


def _filter() -> RulingFilter:
    return RulingFilter(
        card=request.args.get("card", "").strip()[:200],
        authority=one_of("authority", list(Authority)),
        words=search_words(),
    )


def _known_game(snapshot: Snapshot, game: str) -> str:
    if game not in snapshot.library.games:
        raise Problem.unknown("There is no such game here; GET /v1/editions lists those there are.")
    return game


def _page(template: str, snapshot: Snapshot, status: int = 200, **values: object) -> Response:
    response = page(
        template,
        snapshot,
        status,
        AUTHORITIES=AUTHORITIES,
        authorities=AUTHORITY_NAMES,
        cards_of=lambda ruling: _cards_of(snapshot, ruling),
        address_with=address_with,
        **values,
    )
    return private_page(response) if may_edit() else response


LONGEST_ANSWER = 10_000  # characters
PASSAGES = 6  # found for the question, to choose from
MOST_CHOSEN = 20  # entries that a ruling rests on
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


class OfferedEntry(NamedTuple):
    """An entry that a ruling may rest on, quoted by one of its passages."""

    entry: Entry
    citation: Citation
    passage: Passage | None
    chosen: bool


class RulingForm(NamedTuple):
    """What is typed, by the names of the fields, and the ids of the entries that are ``chosen``."""

    typed: dict[str, str]
    chosen: tuple[str, ...]

    @classmethod
    def sent(cls) -> RulingForm:
        """The form of this request."""
        return cls(
            {name: request.form.get(name, "").replace("\r\n", "\n").strip() for name in _TEXTS},
            _ids(request.form.getlist("rests_on")),
        )

    @classmethod
    def fresh(cls, snapshot: Snapshot) -> RulingForm:
        """The form at first: what the address says, today, and the name of the editor's key."""
        chosen = _ids(request.args.getlist("entry"))
        entry = next(
            (snapshot.library.entry[id] for id in chosen if id in snapshot.library.entry), None
        )
        edition = snapshot.library.edition[entry.edition] if entry else None
        games = snapshot.library.games
        game = request.args.get("game") or (
            edition.game if edition else games[0] if len(games) == 1 else ""
        )
        typed = {
            "game": game if game in games else "",
            "question": request.args.get("q", "").strip()[:LONGEST_QUESTION],
            "answer": "",
            "language": edition.language if edition else language(),
            "cards": (entry.card or "") if entry else "",
            "date": datetime.now(UTC).date().isoformat(),
            "source": "",
            "author": key.name if (key := editor_key()) else "",
        }
        return cls(typed, chosen)


@pages.get("/rulings/new")
def new_ruling() -> Response:
    """The form for a ruling, with the passages that answer its question."""
    editable_workspace()
    snapshot = current_snapshot()
    return _form(snapshot, RulingForm.fresh(snapshot))


@pages.post("/rulings/new")
def keep_ruling() -> BaseResponse:
    """Write a ruling and show it, or look for passages that it may rest on; 422 where something is
    not said as it has to be.
    """
    home = editable_workspace()
    check_same_origin()
    snapshot = current_snapshot()
    form = RulingForm.sent()
    if request.form.get("do") == "look":
        return _form(snapshot, form)
    faults, fields = _checked(snapshot, form)
    if fields is None:
        return _form(snapshot, form, 422, faults=faults)
    return _written(snapshot, home, form, fields)


def _written(
    snapshot: Snapshot, home: Path, form: RulingForm, fields: RulingFields
) -> BaseResponse:
    game = form.typed["game"]
    try:
        id = write_house_ruling(home, game, fields)
    except NotKept as fault:
        return _form(snapshot, form, 409, trouble=str(fault))
    return redirect(url_for("pages.read_ruling", game=game, name=id), 303)


def _checked(snapshot: Snapshot, form: RulingForm) -> tuple[dict[str, str], RulingFields | None]:
    library = snapshot.library
    typed, key = form.typed, editor_key()
    chosen = [
        id
        for id in form.chosen
        if id in library.entry and library.edition[library.entry[id].edition].game == typed["game"]
    ]
    wrong = {
        name
        for name, is_wrong in (
            ("game", typed["game"] not in library.games),
            ("question", not typed["question"] or len(typed["question"]) > LONGEST_QUESTION),
            ("answer", len(typed["answer"]) > LONGEST_ANSWER),
            ("rests_on", len(form.chosen) > MOST_CHOSEN or len(chosen) < len(form.chosen)),
        )
        if is_wrong
    }
    bases = [{"entry": id, "wording": wording(library.passages_of.get(id, ()))} for id in chosen]
    fields = None
    try:
        fields = RulingFields.model_validate(
            {
                "id": "new",
                "question": typed["question"] or None,
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
        wrong |= {
            str(each["loc"][0]) for each in fault.errors(include_url=False, include_input=False)
        }
    return {
        name: text for name, text in _FAULTS.items() if name in wrong
    }, None if wrong else fields


def _form(snapshot: Snapshot, form: RulingForm, status: int = 200, **values: object) -> Response:
    return private_page(
        page(
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
    )


def _offered(snapshot: Snapshot, form: RulingForm) -> list[OfferedEntry]:
    library, game = snapshot.library, form.typed["game"]
    found: dict[str, Passage | None] = {}
    for id in form.chosen[:MOST_CHOSEN]:
        if id in library.entry:
            found[id] = next(iter(library.passages_of.get(id, ())), None)
    if form.typed["question"] and game in library.games:
        try:
            query = parameters.query_from(
                {"question": form.typed["question"], "game": game, "k": str(PASSAGES)}, library
            )
        except Problem:  # a question of signs that cannot be searched for
            query = None
        for hit in ask(query, interactive=False).hits if query else ():
            found.setdefault(hit.passage.entry, hit.passage)
    return [
        OfferedEntry(
            library.entry[id], cite(library, library.entry[id]), passage, id in form.chosen
        )
        for id, passage in found.items()
    ]


def _ids(values: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))
