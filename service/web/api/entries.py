"""Editions, entries, rulings, cards and sequences of steps; editions and documents as files."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import UTC
from pathlib import PurePath
from typing import TypedDict, TypeVar
from urllib.parse import quote, urlencode

from flask import Response, redirect, request
from werkzeug.wrappers import Response as BaseResponse

from corpus.cards.model import Card
from corpus.errors import NotFound
from corpus.model import Entry
from corpus.rulings import Ruling
from service.answers.chat_messages import card_message_out, compose_card_message
from service.answers.citations import card_url
from service.browse.cards import find_card
from service.browse.documents import document_text
from service.browse.edition_contents import edition_formats, section_entries
from service.browse.entries import (
    card_hit_out,
    card_out,
    card_suggestions,
    edition_out,
    entry_out,
    entry_with_text_out,
    loaded_ruling_out,
    suggestion_out,
    whole_entry_out,
)
from service.browse.former_entries import leads_to, old_address
from service.browse.lookup import name_index
from service.browse.timing import timing_out
from service.core import parameters
from service.core.i18n import N_, TranslatableText, sentence_of
from service.core.parameters import ListPage, list_page, page_count
from service.core.problems import Problem
from service.editions.edition_changes import edition_changes
from service.editions.exported_files import (
    EXTENSION,
    MIMETYPE,
    described_file,
    edition_file,
    exports_out,
)
from service.editions.rulings import (
    RulingFilter,
    newest_first,
)
from service.schemas.answer import CardMessageOut
from service.schemas.comparisons import ChangesOut
from service.schemas.entries import (
    USUAL_CARDS,
    CardMessageParams,
    CardOut,
    CardParams,
    CardPathParams,
    CardsOut,
    CardsParams,
    DocumentPathParams,
    EditionOut,
    EditionPathParams,
    EditionsOut,
    EntriesOut,
    EntriesParams,
    EntryContentsOut,
    EntryParams,
    EntryPathParams,
    ExportPathParams,
    ExportsOut,
    FollowedOut,
    RulingsOut,
    RulingsParams,
    SuggestionsOut,
    SuggestParams,
    TimingOut,
    WholeEntryOut,
)
from service.web.api.blueprints import ASK, READ, api
from service.web.headers import name_file
from service.web.localization import language
from service.web.request_context import base_address, current_snapshot, settings

PAGE = 100  # entries on one page

T = TypeVar("T")


@api.call("GET", "/suggest", READ)
def suggest(query: SuggestParams) -> SuggestionsOut:
    """List headings, cards and rule numbers for what has been typed so far.

    For a search field that makes suggestions.
    """
    snapshot = current_snapshot()
    library = snapshot.library
    parameters.one_of(query.edition, "edition", library.edition)
    parameters.one_of(query.game, "game", library.games)
    typed, spoken = query.q or "", query.language or language()
    found = name_index(snapshot).suggest(typed, query.edition, query.game, spoken)
    game = library.edition[query.edition].game if query.edition else query.game
    offered = card_suggestions(snapshot, typed, game, spoken)
    return SuggestionsOut(query=typed, suggestions=list(map(suggestion_out, found)), cards=offered)


@api.call("GET", "/editions", READ)
def editions() -> EditionsOut:
    """List every edition that is loaded.

    An edition is one game's rules in one language and version. Its id and its game are what other
    calls take as `edition` and `game`.
    """
    library = current_snapshot().library
    return EditionsOut(editions=[edition_out(library, edition) for edition in library.editions])


@api.call("GET", "/editions/<edition_id>", READ)
def edition(path: EditionPathParams) -> EditionOut:
    """Describe one edition.

    Game, language, version, document, and how many entries and passages it has.
    """
    snapshot = current_snapshot()
    return edition_out(snapshot.library, snapshot.edition(path.edition_id))


@api.call("GET", "/editions/<edition_id>/changes", READ)
def changes(path: EditionPathParams) -> ChangesOut:
    """Say what changed in an edition against the version before it.

    Entries, passages and numbers, concepts and query variants that were carried over or lost, and
    what a person should check.
    """
    try:
        return edition_changes(current_snapshot(), path.edition_id)
    except NotFound as fault:
        raise Problem.unknown(sentence_of(fault)) from fault


@api.call("GET", "/entries", READ)
def entries(query: EntriesParams) -> EntriesOut:
    """List entries in document order, by pages.

    An entry is one thing that a rulebook names or numbers: a term, a rule, a ruling, an erratum, a
    section. `next` leads to the next page.
    """
    snapshot = current_snapshot()
    library = snapshot.library
    parameters.one_of(query.edition, "edition", library.edition)
    found = name_index(snapshot).entries(query.edition, query.kind, query.prefix)
    if query.format is not None:
        wanted = query.format
        found = [e for e in found if edition_formats(snapshot, e.edition).has(e, wanted)]
    page, fields_of_page = _list_page(found, query.page)
    return EntriesOut(**fields_of_page, entries=[entry_out(library, each) for each in page.items])


@api.call("GET", "/entries/<edition_id>/<path:slug>", READ)
def entry(path: EntryPathParams, query: EntryParams) -> WholeEntryOut | BaseResponse:
    """Give one entry with its text, its references, and the entries that refer to it; on request,
    with all entries inside it.

    Its id is `edition_id`, a slash and `slug`, as citations have it in `entry`. With
    `contents=true` a chapter comes with its rules. The id of an entry that was replaced redirects
    to the entry that followed, with `was`.
    """
    snapshot, id = current_snapshot(), f"{path.edition_id}/{path.slug}"
    library = snapshot.library
    found = library.entry.get(id)
    if found is None:
        if following := leads_to(snapshot, id):
            asked = urlencode({**request.args.to_dict(), "was": id})
            return redirect(f"/v1/entries/{quote(following.id)}?{asked}", 308)
        if gone := old_address(snapshot, id):
            text = N_("%(title)s of %(source)s is gone; around it were: %(near)s.")
            near = ", ".join(each.id for each in gone.near) or "–"
            said = {"title": gone.was.title, "source": gone.was.source, "near": near}
            raise Problem.unknown(TranslatableText(text, said))
        raise Problem.unknown(
            N_("There is no such entry here; GET /v1/entries lists those there are.")
        )
    if not query.contents:
        _list_page([found], query.page)  # without its contents it is all on the first
        whole = whole_entry_out(library, found)
        came_from = old_address(snapshot, query.was) if query.was else None
        if came_from and came_from.now and came_from.now.id == found.id:
            was = came_from.was
            follows = FollowedOut(
                entry=was.id,
                title=was.title,
                number=was.number or None,
                source=was.source,
                reworded=was.reworded,
            )
            return whole.model_copy(update={"follows": follows})
        return whole
    inside = [each.entry for each in section_entries(library, found)]
    page, fields = _list_page(inside, query.page)
    shown = [entry_with_text_out(library, each) for each in page.items]
    return whole_entry_out(library, found, EntryContentsOut(**fields, entries=shown))


@api.call("GET", "/rulings", READ)
def rulings(query: RulingsParams) -> RulingsOut:
    """List rulings and errata of a card, in every edition, by pages; without a card, number or
    product, all of them.

    `loaded` are rulings outside the rulebooks. They name only cards: a search by product finds
    none.
    """
    library = current_snapshot().library
    parameters.one_of(query.game, "game", library.games)
    card, number, game = query.card, query.number, query.game
    found = name_index(current_snapshot()).rulings(card, number, query.product, game)
    loaded = [] if query.product else _loaded_rulings(card, number, game, found)
    page, fields_of_page = _list_page(found, query.page, loaded)
    beside = list_page(loaded, page.number, PAGE).items
    return RulingsOut(
        **fields_of_page,
        rulings=[entry_with_text_out(library, each) for each in page.items],
        loaded=[loaded_ruling_out(each) for each in beside],
    )


def _loaded_rulings(
    card: str | None, number: str | None, game: str | None, printed: Sequence[Entry]
) -> list[Ruling]:
    rulings = current_snapshot().index.rulings
    games = rulings.games if game is None else (game,)
    found = [ruling for each in games for ruling in rulings.of_game(each)]
    # A number is that of a card in its database, or of one that rulebooks rule on.
    numbered = {number, *(entry.card for entry in printed)} if number else set()
    for names in ({card} if card else set(), numbered):
        fitting = set()
        for name in filter(None, names):
            fitting |= {ruling.id for ruling in RulingFilter(card=name).fitting(found)}
            fitting |= {ruling.id for each in games for ruling in rulings.of_card(each, name)}
        if names:
            found = [ruling for ruling in found if ruling.id in fitting]
    return newest_first(found)


class _PageFields(TypedDict):
    """The fields of a page of a list other than its items."""

    total: int
    page: int
    pages: int
    next: str | None


def _list_page(
    items: Sequence[T], number: int | None, beside: Sequence[object] = ()
) -> tuple[ListPage[T], _PageFields]:
    """Return page ``number`` of ``items``, and its fields with the address of the next page.

    There are as many pages as the longer of ``items`` and ``beside`` has. Raises `Problem` 404.
    """
    page = list_page(items, number or 1, PAGE)
    pages = max(page.pages, page_count(beside, PAGE))
    if page.number > pages:
        text = TranslatableText(
            N_("There is no page %(number)s; the last page is %(pages)s."),
            {"number": page.number, "pages": pages},
        )
        raise Problem.unknown(text, "page")
    following = None
    if page.number < pages:
        query = urlencode({**request.args.to_dict(), "page": page.number + 1})
        following = f"{request.path}?{query}"
    return page, {"total": page.total, "page": page.number, "pages": pages, "next": following}


@api.call("GET", "/timing/<edition_id>", READ)
def timing(path: EditionPathParams) -> TimingOut:
    """List the sequences of steps of an edition (rounds, turns, phases, attacks, …), in its own
    words.

    `/v1/ask` takes the id of a step as `step`: passages on that step then answer first.
    """
    snapshot = current_snapshot()
    return timing_out(snapshot.library, snapshot.edition(path.edition_id).id)


@api.call("GET", "/cards", READ)
def cards(query: CardsParams) -> CardsOut:
    """List the cards that a name may mean, in any language and spelling, the likeliest first.

    From the card databases that are loaded; without any, the list is empty.
    """
    snapshot = current_snapshot()
    parameters.one_of(query.game, "game", snapshot.library.games)
    found = snapshot.index.cards.find(query.q, query.game, query.language, query.k or USUAL_CARDS)
    return CardsOut(query=query.q, cards=[card_hit_out(hit) for hit in found])


@api.call("GET", "/cards/<game>/<path:slug>", READ)
def card(path: CardPathParams, query: CardParams) -> CardOut | BaseResponse:
    """Give all that is known of a card: texts, printings, errata, rules it mentions, rulings.

    Its id, or the code of a printing, leads to its address.
    """
    found = _card(path, "/v1")
    return card_out(current_snapshot(), found, _spoken(query)) if isinstance(found, Card) else found


@api.call("GET", "/message/cards/<game>/<path:slug>", ASK)
def write_card_message(
    path: CardPathParams, query: CardMessageParams
) -> CardMessageOut | BaseResponse:
    """Give a message on a card for a chat: its name, its texts and the newest rulings on it.

    Quoted intact or visibly cut, each with its citation. Its id, or the code of a printing, leads
    to its address.
    """
    found = _card(path, "/v1/message")
    if not isinstance(found, Card):
        return found
    snapshot, spoken = current_snapshot(), _spoken(query)
    rulings = snapshot.index.rulings.of_card(found.game, found.id)
    message = compose_card_message(
        found,
        rulings,
        spoken,
        query.format,
        base_address(settings(), request.url_root),
        query.limit,
    )
    return card_message_out(snapshot, found, message, spoken)


def _card(path: CardPathParams, prefix: str) -> Card | BaseResponse:
    snapshot = current_snapshot()
    parameters.one_of(path.game, "game", {*snapshot.library.games, *snapshot.cards.games})
    found = find_card(snapshot, path.game, path.slug)
    if found is None:
        raise Problem.unknown(
            N_("There is no such card here; GET /v1/cards?q= finds those there are."), "slug"
        )
    if found.slug == path.slug:
        return found
    asked = request.query_string.decode("ascii", "replace")
    return redirect(f"{prefix}{card_url(found)}{'?' if asked else ''}{asked}", 308)


def _spoken(query: CardParams) -> str:
    return query.language or language()


_BYTES = {"content": {MIMETYPE: {"schema": {"type": "string", "format": "binary"}}}}
_FILE = {
    "description": (
        "Gzip of JSON Lines, each a WholeEntry, as GET /v1/entries/{edition}/{slug} answers."
    )
} | _BYTES
PART = {"description": "The part of the file that header Range asks for."} | _BYTES


@api.call("GET", "/export", READ)
def exports() -> ExportsOut:
    """List the files of all editions, each with its size, its SHA-256 and the number of its lines.

    They are made when they are first requested, which may take longer than a request: then the
    answer is 503, and the request is to be repeated.
    """
    _check_given()
    return exports_out(current_snapshot())


@api.call("GET", f"/export/<edition_id>.{EXTENSION}", READ, _FILE)
def export(path: ExportPathParams) -> Response:
    """Give all of an edition as one file: a line of JSON for each entry, in document order.

    The bytes stay the same until the contents do: their SHA-256 is the tag of the answer. `Range`
    gives a part of them.
    """
    _check_given()
    snapshot = current_snapshot()
    edition = snapshot.edition(path.edition_id)
    raw, file = edition_file(snapshot, edition.id), described_file(snapshot, edition.id)
    response = Response(raw, content_type=MIMETYPE)
    response.headers.set("Content-Disposition", "attachment", filename=f"{edition.id}.{EXTENSION}")
    response.headers["Repr-Digest"] = (
        f"sha-256=:{base64.b64encode(bytes.fromhex(file.sha256)).decode()}:"
    )
    response.set_etag(file.sha256)
    response.last_modified = (
        snapshot.built if snapshot.built.tzinfo else snapshot.built.replace(tzinfo=UTC)
    )
    response.make_conditional(request, accept_ranges=True, complete_length=len(raw))
    return response


def _check_given() -> None:
    if not settings().show_documents:
        raise Problem.unknown(N_("This service does not give out whole rulebooks."))


_TEXT = {"description": "The text.", "content": {"text/plain": {"schema": {"type": "string"}}}}


@api.call("GET", "/documents/<sha256>/text", READ, _TEXT)
def document_as_text(path: DocumentPathParams) -> Response:
    """Give the text of a document, in whose characters spans count: a text file itself, else the
    text extracted from the file.

    `source.spans` of a citation are offsets into it, `source.lines` its lines from 1; its SHA-256
    is `text_sha256`.
    """
    name, text = document_text(current_snapshot(), path.sha256)
    response = Response(text, mimetype="text/plain")
    name_file(response, f"{PurePath(name).stem}.txt")
    return response
