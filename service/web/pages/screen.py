"""Passages by themselves: one on the whole screen for all at the table, or a ruling sheet to print."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from urllib.parse import urlencode

from flask import redirect, request, url_for
from werkzeug.wrappers import Response

from corpus.cards.model import Card
from corpus.model import Entry, Passage
from corpus.rulings.model import Ruling
from index.layers.passages import ANSWER, Layer, ruling_passage, texts_in
from index.library.library import Library
from index.model import CardTextHit, Hit, RulingHit, SearchResult
from service.browse.entry_view import (
    MOST_PASSAGES,
    QuotedLayer,
    passage_url,
    quoted_layer,
    quoted_passage,
)
from service.browse.text_blocks import TextBlock
from service.core import parameters
from service.core.i18n import N_
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.sheet_history import (
    FILTERS,
    PassageKey,
    SheetLink,
)
from service.editions.sheets import (
    SheetView,
    quotable_passages,
    sheet_choices,
    sheet_message,
    sheet_view,
)
from service.schemas.fields import LONGEST_QUESTION, MOST_CITED, MOST_CONTEXT, MessageFormat
from service.web.localization import language
from service.web.pages.ask import FIRST
from service.web.pages.layout import page, pages
from service.web.request_context import ask as put
from service.web.request_context import (
    base_address,
    current_snapshot,
    found_for,
    made_day,
    settings,
    today,
    with_words,
)

_SIZES = (
    (120, "short"),
    (320, "medium"),
    (800, "long"),
)  # characters of a passage up to which its type is that large
_ASKED = (
    "edition",
    "game",
    "document",
    "language",
    "prefer",
    "k",
    "layers",
    "as_of",
    "context",
    "step",
)


@dataclass(frozen=True)
class ScreenPassage:
    """A passage as the whole screen shows it; ``label`` says of a ruling or a card what it is,
    ``position`` where in ``source`` it is.
    """

    heading: str
    language: str
    label: str
    lead_in: str
    blocks: list[TextBlock]
    source: str
    position: str


class _Position(NamedTuple):
    """``number`` of ``total`` passages, from 1; the addresses of those ``before`` and ``after``, ""
    for none, and the way ``back``.
    """

    number: int
    total: int
    before: str
    after: str
    back: str


@pages.get("/screen")
def screen() -> Response:
    """A passage of the answer to a question. Raises `Problem` (404) where there is no such
    passage.
    """
    snapshot = current_snapshot()
    question = request.args.get("q", "").strip()
    wanted = request.args.get("passage", "")
    if not question:
        raise Problem.unknown("The address names no question.")
    arguments = {name: request.args.get(name) or None for name in _ASKED}
    arguments["k"] = arguments["k"] or str(FIRST)
    query = replace(
        parameters.query_from({**arguments, "question": question}, snapshot.library),
        reader=language(),
    )
    found = put(query, interactive=False)  # it was asked before, on the page that leads here
    hits = _in_order(found)
    at = (
        next((n for n, hit in enumerate(hits) if hit.passage.id == wanted), None)
        if wanted
        else 0
        if hits
        else None
    )
    back = "/?" + urlencode(
        {name: value for name, value in request.args.items() if name != "passage"}
    )
    if at is None:  # the order that a model chose, or another index, may have had it
        passage = _passage(snapshot.library, wanted)
        return _page(snapshot, [Hit(passage, 0.0, ())], 0, lambda hit: "", back)
    return _page(snapshot, hits, at, lambda hit: screen_address(request.args, hit.passage), back)


@pages.get("/screen/e/<path:entry_id>")
def screen_of_entry(entry_id: str) -> Response:
    """A passage of an entry and of the entries inside it. Raises `Problem` (404) where there is no
    such passage.
    """
    snapshot = current_snapshot()
    library = snapshot.library
    entry = library.entry.get(entry_id)
    passages = _passages_in(library, entry) if entry else []
    number = request.args.get("n", "1")
    if entry is None or not number.isdecimal() or not 1 <= int(number[:6]) <= len(passages):
        raise Problem.unknown("There is no such passage here.")
    at = int(number) - 1
    addresses = {
        each.id: url_for("pages.screen_of_entry", entry_id=entry.id, n=n)
        for n, each in enumerate(passages, 1)
    }
    hits = [Hit(each, 0.0, ()) for each in passages]
    return _page(
        snapshot, hits, at, lambda hit: addresses[hit.passage.id], passage_url(entry, passages[at])
    )


@pages.get("/screen/rulings/<game>/<name>")
def screen_of_ruling(game: str, name: str) -> Response:
    """A ruling outside the rulebooks. Raises `Problem` (404) where there is no such ruling."""
    snapshot = current_snapshot()
    ruling = snapshot.index.rulings.get(f"{game}/{name}")
    if ruling is None:
        raise Problem.unknown("There is no such ruling here.")
    settles = ruling.authority.official and not ruling.superseded_by
    hit = RulingHit(
        passage=ruling_passage(ruling),
        score=1.0,
        highlights=(),
        behind=0,
        ruling=ruling,
        settles=settles,
        older=False,
    )
    return _page(
        snapshot, [hit], 0, lambda hit: "", url_for("pages.read_ruling", game=game, name=name)
    )


def screen_address(asked: Mapping[str, str], passage: Passage) -> str:
    """Return the address of ``passage`` on the whole screen, as the answer to what the address of a
    page, ``asked``, asks.
    """
    named = {name: asked[name] for name in ("q", *_ASKED) if asked.get(name)}
    return "/screen?" + urlencode({**named, "passage": passage.id})


def _in_order(found: SearchResult) -> list[Hit]:
    fallback = [Hit(found.fallback, 0.0, ())] if found.fallback and not found.answered else []
    first: dict[str, Hit] = {}
    for hit in (*(hit for part in found.parts for hit in part.ranked), *found.ranked, *fallback):
        first.setdefault(hit.passage.id, hit)
    return list(first.values())


def _passage(library: Library, id: str) -> Passage:
    for passage in library.passages_of.get(id.rpartition("#")[0], ()):
        if passage.id == id:
            return passage
    raise Problem.unknown("There is no such passage here.")


def _passages_in(library: Library, entry: Entry) -> list[Passage]:
    found = list(library.passages_of.get(entry.id, ()))
    for child in library.children_of.get(entry.id, ()):
        if len(found) < MOST_PASSAGES:
            found += _passages_in(library, child)
    return found[:MOST_PASSAGES]


def _page(
    snapshot: Snapshot, hits: Sequence[Hit], at: int, address: Callable[[Hit], str], back: str
) -> Response:
    hit = hits[at]
    before = address(hits[at - 1]) if at else ""
    after = address(hits[at + 1]) if at + 1 < len(hits) else ""
    place = _Position(at + 1, len(hits), before, after, back)
    if isinstance(hit, (RulingHit, CardTextHit)):
        shown = _of_layer(quoted_layer(snapshot, hit, language()))
    else:
        shown = _of_rulebook(snapshot.library, hit)
    return page("screen.html", snapshot, shown=shown, place=place, size=_size(hit.passage))


def _of_rulebook(library: Library, hit: Hit) -> ScreenPassage:
    quote = quoted_passage(library, hit)
    spoken = quote.citation.edition.language
    return ScreenPassage(
        quote.heading,
        spoken,
        "",
        quote.lead_in,
        quote.blocks,
        quote.citation.edition_name,
        quote.citation.position,
    )


def _of_layer(quote: QuotedLayer) -> ScreenPassage:
    return ScreenPassage(
        quote.heading, quote.language, quote.label, quote.asked, quote.blocks, quote.publication, ""
    )


def _size(passage: Passage) -> str:
    return next((name for most, name in _SIZES if len(passage.display) <= most), "longest")


@pages.app_template_global("on_screen")
def _on_screen(passage: Passage) -> str:
    return screen_address(request.args, passage)


_LONGEST_FILTER = 200
_LONGEST_CONTEXT = MOST_CONTEXT * LONGEST_QUESTION
_NONE = (N_("No passage was chosen"), N_("Go back and choose at least one passage for the sheet."))


@pages.get("/sheet")
def sheet() -> Response:
    """The sheet that the address describes; an address that names passages without their words
    leads to the permanent link.

    Raises `Problem` where it names none, too many, or one that there is not.
    """
    snapshot = current_snapshot()
    asked = _link()
    if (link := with_words(snapshot, asked)) != asked:
        return redirect(link.address(), 303)
    view, found = _view(snapshot, link)
    base = base_address(settings(), request.url_root)
    address = f"{base.rstrip('/')}{link.address()}" if base else None
    return page(
        "sheet.html",
        snapshot,
        sheet=view,
        choices=sheet_choices(snapshot, view, found, language()),
        most=MOST_CITED,
        filters=link.filters,
        address=address,
        qr=link.qr_svg(base) if base else None,
        program=program_address(link),
        back="/?" + urlencode({"q": link.question, **link.filters}),
        messages={
            name: sheet_message(view, format, language(), address)
            for name, format in _FORMATS.items()
        },
    )


def program_address(link: SheetLink) -> str:
    """Return the address of the same sheet as JSON."""
    fields = {
        "q": link.question,
        **link.filters,
        "passages": ",".join(key.written() for key in link.passages),
        "made": link.made,
    }
    return "/v1/sheet?" + urlencode(
        {name: value for name, value in fields.items() if value}, safe="/~,"
    )


_FORMATS = {
    "": MessageFormat.PLAIN,
    "Telegram, Markdown": MessageFormat.MARKDOWN,
    "Discord": MessageFormat.DISCORD,
}


def _link() -> SheetLink:
    named = list(dict.fromkeys(request.args.getlist("passage")))
    if not any(named):
        raise Problem(404, "The address names no passage.", "passage", page=_NONE)
    typed = request.args.get("q", "").strip()
    return SheetLink(
        parameters.question(typed, "q") if typed else "",
        {
            name: request.args[name][: _LONGEST_CONTEXT if name == "context" else _LONGEST_FILTER]
            for name in FILTERS
            if request.args.get(name)
        },
        tuple(PassageKey.parse(each) for each in named[:MOST_CITED]),
        made_day(request.args.get("made", "")),
    )


def _view(snapshot: Snapshot, link: SheetLink) -> tuple[SheetView, SearchResult | None]:
    found = found_for(snapshot, link)
    return sheet_view(snapshot, link, found, language(), today()), found


@pages.app_template_global("on_sheet")
def _on_sheet(passage: Passage) -> str:
    filters = {name: request.args[name] for name in FILTERS if request.args.get(name)}
    return SheetLink(
        request.args.get("q", "").strip(), filters, (PassageKey(passage.id),)
    ).address()


@pages.app_template_global("sheet_of_entry")
def _sheet_of_entry(entry: Entry) -> str | None:
    first = next(quotable_passages(current_snapshot().library, entry), None)
    return SheetLink("", {}, (PassageKey(first.id),)).address() if first else None


@pages.app_template_global("sheet_of_ruling")
def _sheet_of_ruling(ruling: Ruling) -> str:
    return SheetLink("", {}, (PassageKey(f"{Layer.RULINGS}/{ruling.id}#{ANSWER}"),)).address()


@pages.app_template_global("sheet_of_card")
def _sheet_of_card(card: Card) -> str | None:
    texts = texts_in(card, language())
    return SheetLink("", {}, (PassageKey(texts[0].passage.id),)).address() if texts else None
