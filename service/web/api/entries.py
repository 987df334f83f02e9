"""Editions, entries, suggestions, the rulings of cards, and the sequences of a game's time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict, TypeVar
from urllib.parse import urlencode

from flask import Response, request

from corpus.errors import NotFound
from corpus.model import Entry
from corpus.rulings import Ruling
from service.browse.edition_contents import edition_formats, section_entries
from service.browse.entries import (
    card_suggestions,
    edition_out,
    entry_out,
    entry_with_text_out,
    loaded_ruling_out,
    suggestion_out,
    whole_entry_out,
)
from service.browse.lookup import name_index
from service.browse.timing import timing_out
from service.core import parameters
from service.core.i18n import N_, TranslatableText, sentence_of
from service.core.paging import ListPage, list_page, page_count
from service.core.problems import Problem
from service.editions.edition_changes import edition_changes
from service.editions.rulings import (
    RulingFilter,
    newest_first,
)
from service.schemas.comparisons import ChangesOut
from service.schemas.entries import (
    EditionOut,
    EditionPathParams,
    EditionsOut,
    EntriesOut,
    EntriesParams,
    EntryContentsOut,
    EntryParams,
    EntryPathParams,
    RulingsOut,
    RulingsParams,
    SuggestionsOut,
    SuggestParams,
    TimingOut,
    WholeEntryOut,
)
from service.web.api.blueprints import READ, api, json_response
from service.web.localization import language
from service.web.request_context import current_snapshot

PAGE = 100  # entries on one page

T = TypeVar("T")


@api.call("GET", "/suggest", READ, SuggestionsOut)
def suggest(query: SuggestParams) -> Response:
    """List headings, cards and rule numbers for what has been typed so far.

    For a field that offers what is meant while one types.
    """
    snapshot = current_snapshot()
    library = snapshot.library
    parameters.one_of(query.edition, "edition", library.edition)
    parameters.one_of(query.game, "game", library.games)
    typed, spoken = query.q or "", query.language or language()
    found = name_index(snapshot).suggest(typed, query.edition, query.game, spoken)
    offered = card_suggestions(
        snapshot,
        typed,
        library.edition[query.edition].game if query.edition else query.game,
        spoken,
    )
    return json_response(
        SuggestionsOut(
            query=typed, suggestions=[suggestion_out(entry) for entry in found], cards=offered
        )
    )


@api.call("GET", "/editions", READ, EditionsOut)
def editions() -> Response:
    """List every edition that is loaded.

    An edition is one game's rules in one language and version. Its id and its game are what other
    calls take as `edition` and `game`.
    """
    library = current_snapshot().library
    return json_response(
        EditionsOut(editions=[edition_out(library, edition) for edition in library.editions])
    )


@api.call("GET", "/editions/<edition_id>", READ, EditionOut)
def edition(path: EditionPathParams) -> Response:
    """Describe one edition.

    Game, language, version, document, and how many entries and passages it has.
    """
    snapshot = current_snapshot()
    return json_response(edition_out(snapshot.library, snapshot.edition(path.edition_id)))


@api.call("GET", "/editions/<edition_id>/changes", READ, ChangesOut)
def changes(path: EditionPathParams) -> Response:
    """Say what changed in an edition against the version before it.

    Entries and passages, numbers, what became of concepts and phrasings, and what a person should
    look at.
    """
    try:
        return json_response(edition_changes(current_snapshot(), path.edition_id))
    except NotFound as fault:
        raise Problem.unknown(sentence_of(fault)) from fault


@api.call("GET", "/entries", READ, EntriesOut)
def entries(query: EntriesParams) -> Response:
    """List entries in document order, by pages.

    An entry is one thing that a rulebook names or numbers: a term, a rule, a ruling, an erratum, a
    section. `next` leads to the next page.
    """
    snapshot = current_snapshot()
    library = snapshot.library
    parameters.one_of(query.edition, "edition", library.edition)
    found = name_index(snapshot).entries(query.edition, query.kind, query.prefix)
    if query.format is not None:
        found = [
            each
            for each in found
            if edition_formats(snapshot, each.edition).has(each, query.format)
        ]
    page, fields_of_page = _list_page(found, query.page)
    return json_response(
        EntriesOut(**fields_of_page, entries=[entry_out(library, each) for each in page.items])
    )


@api.call("GET", "/entries/<edition_id>/<path:slug>", READ, WholeEntryOut)
def entry(path: EntryPathParams, query: EntryParams) -> Response:
    """Give one entry with its text, its references, and the entries that refer to it; perhaps with
    all that is in it.

    Its id is `edition_id`, a slash and `slug`, as citations have it in `entry`. With
    `contents=true` a chapter comes with its rules.
    """
    library = current_snapshot().library
    found = library.entry.get(f"{path.edition_id}/{path.slug}")
    if found is None:
        raise Problem.unknown(
            N_("There is no such entry here; GET /v1/entries lists those there are.")
        )
    if not query.contents:
        if query.page is not None:
            raise Problem.out_of_range(N_("Only `contents` have pages: say contents=true."), "page")
        return json_response(whole_entry_out(library, found))
    page, fields_of_page = _list_page(
        [each.entry for each in section_entries(library, found)], query.page
    )
    contents = EntryContentsOut(
        **fields_of_page, entries=[entry_with_text_out(library, each) for each in page.items]
    )
    return json_response(whole_entry_out(library, found, contents))


@api.call("GET", "/rulings", READ, RulingsOut)
def rulings(query: RulingsParams) -> Response:
    """List rulings and errata of a card, in every edition, by pages; without a card, number or
    product all there are.

    `loaded` are those outside the rulebooks. They name their cards alone: by a product none is
    found.
    """
    library = current_snapshot().library
    parameters.one_of(query.game, "game", library.games)
    found = name_index(current_snapshot()).rulings(
        query.card, query.number, query.product, query.game
    )
    loaded = [] if query.product else _loaded_rulings(query.card, query.number, query.game, found)
    page, fields_of_page = _list_page(found, query.page, loaded)
    beside = list_page(loaded, page.number, PAGE).items
    return json_response(
        RulingsOut(
            **fields_of_page,
            rulings=[entry_with_text_out(library, each) for each in page.items],
            loaded=[loaded_ruling_out(each) for each in beside],
        )
    )


def _loaded_rulings(
    card: str | None, number: str | None, game: str | None, printed: Sequence[Entry]
) -> list[Ruling]:
    """The rulings outside the rulebooks on a card that is called or numbered so, the newest first.

    A number is that of a card in its database, or of one that rulebooks rule on in what they have
    ``printed``.
    """
    rulings = current_snapshot().index.rulings
    games = rulings.games if game is None else (game,)
    found = [ruling for each in games for ruling in rulings.of_game(each)]
    for names in (
        {card} if card else set(),
        {number, *(entry.card or "" for entry in printed)} if number else set(),
    ):
        if names:
            fitting = {
                ruling.id
                for name in names
                if name
                for ruling in RulingFilter(card=name).fitting(found)
            }
            fitting |= {
                ruling.id
                for name in names
                if name
                for each in games
                for ruling in rulings.of_card(each, name)
            }
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
    """Return page ``number`` of ``items``, the first where it is None, and its fields with the
    address of the next page.

    There are as many pages as the longer of ``items`` and ``beside`` has. Raises `Problem` 404
    where there is no such page.
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
        following = (
            f"{request.path}?{urlencode({**request.args.to_dict(), 'page': page.number + 1})}"
        )
    return page, {"total": page.total, "page": page.number, "pages": pages, "next": following}


@api.call("GET", "/timing/<edition_id>", READ, TimingOut)
def timing(path: EditionPathParams) -> Response:
    """List rounds, turns, phases, attacks and what else an edition has done step by step, in its
    own words.

    The id of a step is what `step` in `/v1/ask` takes: then what belongs to the step answers first.
    """
    snapshot = current_snapshot()
    return json_response(timing_out(snapshot.library, snapshot.edition(path.edition_id).id))
