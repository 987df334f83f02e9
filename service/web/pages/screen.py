"""Show single passages: full screen for the table, or as a ruling sheet to print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from index.model import CardTextHit, Hit, RulingHit
from service.browse.entry_view import (
    MOST_PASSAGES,
    QuotedLayer,
    passage_url,
    quoted_layer,
    quoted_passage,
)
from service.browse.former_entries import old_address
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
    quotable_passages,
    sheet_choices,
    sheet_message,
    sheet_view,
)
from service.schemas.fields import LONGEST_QUESTION, MOST_CITED, MOST_CONTEXT
from service.web.localization import language
from service.web.pages.ask import ASKED, FIRST, arrange
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

# Most characters of a passage for each type size.
_SIZES = ((120, "short"), (320, "medium"), (800, "long"))
_NONE = (N_("No passage was chosen"), N_("Go back and choose at least one passage for the sheet."))


@dataclass(frozen=True)
class ScreenPassage:
    """A passage in full-screen view; ``label`` says what kind of ruling or card it is."""

    heading: str
    language: str
    label: str
    lead_in: str
    blocks: list[TextBlock]
    source: str
    position: str


class _Position(NamedTuple):
    """The ``number`` of a passage among ``total``, from 1, and addresses of its neighbours."""

    number: int
    total: int
    before: str
    after: str
    back: str


@pages.get("/screen")
def screen() -> Response:
    """Show a passage of the answer to a question. Raises `Problem` (404)."""
    snapshot = current_snapshot()
    question, wanted = request.args.get("q", "").strip(), request.args.get("passage", "")
    if not question:
        raise Problem.unknown("The address names no question.")
    arguments = {name: request.args.get(name) or None for name in ASKED}
    asked = {**arguments, "k": arguments["k"] or str(FIRST), "question": question}
    query = replace(parameters.query_from(asked, snapshot), reader=language())
    found = put(query, interactive=False)  # recorded before, on the page that leads here
    of_parts = [hit for part in (*found.parts, found.elsewhere) if part for hit in part.ranked]
    hit_of = {hit.passage.id: hit for hit in (*of_parts, *found.ranked)}
    hits: dict[str, Hit] = {}  # in the order of the page that leads here, each passage once
    for each in arrange(snapshot, found).in_order():
        shown = each.passage if isinstance(each, QuotedLayer) else each.quote.passage
        hits[shown.id] = hit_of.get(shown.id) or Hit(shown, 0.0, ())
    wanted = wanted or next(iter(hits), "")
    back = "/?" + urlencode(
        {name: each for name, each in request.args.items() if name != "passage"}
    )
    if wanted not in hits:  # a model's order or another index may have had it
        passages = snapshot.library.passages_of.get(wanted.rpartition("#")[0], ())
        passage = next((each for each in passages if each.id == wanted), None)
        if passage is None:
            raise Problem.unknown("There is no such passage here.")
        return _page(snapshot, [Hit(passage, 0.0, ())], 0, lambda hit: "", back)
    at = list(hits).index(wanted)
    return _page(snapshot, list(hits.values()), at, lambda hit: _on_screen(hit.passage), back)


@pages.get("/screen/e/<path:entry_id>")
def screen_of_entry(entry_id: str) -> Response:
    """Show a passage of an entry or of the entries inside it. Raises `Problem` (404)."""
    snapshot = current_snapshot()
    library = snapshot.library
    entry = library.entry.get(entry_id)
    if entry is None and (gone := old_address(snapshot, entry_id)):
        return page("gone.html", snapshot, 404, gone=gone)
    passages = _passages_in(library, entry) if entry else []
    number = request.args.get("n", "1")
    if entry is None or not number.isdecimal() or not 1 <= int(number[:6]) <= len(passages):
        raise Problem.unknown("There is no such passage here.")
    addresses = {
        each.id: url_for("pages.screen_of_entry", entry_id=entry.id, n=n)
        for n, each in enumerate(passages, 1)
    }
    at = int(number) - 1
    hits = [Hit(each, 0.0, ()) for each in passages]
    back = passage_url(entry, passages[at])
    return _page(snapshot, hits, at, lambda hit: addresses[hit.passage.id], back)


@pages.get("/screen/rulings/<game>/<name>")
def screen_of_ruling(game: str, name: str) -> Response:
    """Show a ruling outside the rulebooks. Raises `Problem` (404)."""
    snapshot = current_snapshot()
    ruling = snapshot.index.rulings.get(f"{game}/{name}")
    if ruling is None:
        raise Problem.unknown("There is no such ruling here.")
    hit = RulingHit(
        passage=ruling_passage(ruling),
        score=1.0,
        highlights=(),
        behind=0,
        ruling=ruling,
        settles=ruling.authority.official and not ruling.superseded_by,
        older=False,
    )
    back = url_for("pages.read_ruling", game=game, name=name)
    return _page(snapshot, [hit], 0, lambda hit: "", back)


def _passages_in(library: Library, entry: Entry) -> list[Passage]:
    """Return the first `MOST_PASSAGES` of ``entry`` and the entries inside it, in print order."""
    found = list(library.passages_of.get(entry.id, ()))
    for child in library.children_of.get(entry.id, ()):
        if len(found) < MOST_PASSAGES:
            found += _passages_in(library, child)
    return found[:MOST_PASSAGES]


def _page(
    snapshot: Snapshot, hits: Sequence[Hit], at: int, address: Callable[[Hit], str], back: str
) -> Response:
    """Return the page of the hit at position ``at``, from 0; ``address`` gives the addresses of its
    neighbours.
    """
    hit = hits[at]
    before = address(hits[at - 1]) if at else ""
    after = address(hits[at + 1]) if at + 1 < len(hits) else ""
    if isinstance(hit, (RulingHit, CardTextHit)):
        layer = quoted_layer(snapshot, hit, language())
        shown = ScreenPassage(
            layer.heading,
            layer.language,
            layer.label,
            layer.asked,
            layer.blocks,
            layer.publication,
            "",
        )
    else:
        quote = quoted_passage(snapshot.library, hit)
        cited = quote.citation
        shown = ScreenPassage(
            quote.heading,
            cited.edition.language,
            "",
            quote.lead_in,
            quote.blocks,
            cited.edition_name,
            cited.position,
        )
    length = len(hit.passage.display)
    return page(
        "screen.html",
        snapshot,
        shown=shown,
        place=_Position(at + 1, len(hits), before, after, back),
        size=next((name for most, name in _SIZES if length <= most), "longest"),
    )


@pages.app_template_global("on_screen")
def _on_screen(passage: Passage) -> str:
    """Return the full-screen address of ``passage`` in the answer on this page."""
    named = {name: request.args[name] for name in ("q", *ASKED) if request.args.get(name)}
    return "/screen?" + urlencode({**named, "passage": passage.id})


@pages.get("/sheet")
def sheet() -> Response:
    """Show the ruling sheet of the address; if it lacks hashes of the passages' words, redirect to
    the permanent link.

    Raises `Problem` if it names no passage, or an unknown one.
    """
    snapshot = current_snapshot()
    named = list(dict.fromkeys(request.args.getlist("passage")))
    if not any(named):
        raise Problem(404, "The address names no passage.", "passage", page=_NONE)
    typed = request.args.get("q", "").strip()
    longest = {"context": MOST_CONTEXT * LONGEST_QUESTION}
    asked = SheetLink(
        parameters.question(typed, "q") if typed else "",
        {name: text[: longest.get(name, 200)] for name, text in _filters().items()},
        tuple(PassageKey.parse(each) for each in named[:MOST_CITED]),
        made_day(request.args.get("made", "")),
    )
    link = with_words(snapshot, asked)
    if link != asked:
        return redirect(link.address(), 303)
    found = found_for(snapshot, link)
    view = sheet_view(snapshot, link, found, language(), today())
    base = base_address(settings(), request.url_root)
    address = f"{base.rstrip('/')}{link.address()}" if base else None
    fields = {
        "q": link.question,
        **link.filters,
        "passages": ",".join(key.written() for key in link.passages),
        "made": link.made,
    }
    given = {name: value for name, value in fields.items() if value}
    return page(
        "sheet.html",
        snapshot,
        sheet=view,
        choices=sheet_choices(snapshot, view, found, language()),
        most=MOST_CITED,
        filters=link.filters,
        address=address,
        qr=link.qr_svg(base) if base else None,
        program="/v1/sheet?" + urlencode(given, safe="/~,"),
        back="/?" + urlencode({"q": link.question, **link.filters}),
        message=sheet_message(view, language(), address),
    )


def _filters() -> dict[str, str]:
    return {name: request.args[name] for name in FILTERS if request.args.get(name)}


def _address(id: str | None) -> str | None:
    return SheetLink("", {}, (PassageKey(id),)).address() if id else None


@pages.app_template_global("on_sheet")
def _on_sheet(passage: Passage) -> str:
    """Return the address of the sheet of ``passage``, as an answer to this page's question."""
    asked = request.args.get("q", "").strip()
    return SheetLink(asked, _filters(), (PassageKey(passage.id),)).address()


@pages.app_template_global("sheet_of_entry")
def _sheet_of_entry(entry: Entry) -> str | None:
    first = next(quotable_passages(current_snapshot().library, entry), None)
    return _address(first.id if first else None)


@pages.app_template_global("sheet_of_ruling")
def _sheet_of_ruling(ruling: Ruling) -> str | None:
    return _address(f"{Layer.RULINGS}/{ruling.id}#{ANSWER}")


@pages.app_template_global("sheet_of_card")
def _sheet_of_card(card: Card) -> str | None:
    texts = texts_in(card, language())
    return _address(texts[0].passage.id if texts else None)
