"""The ruling sheet: a page to print, send and keep the link of. All of it works without script."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import redirect, request
from werkzeug.wrappers import Response

from corpus.cards.model import Card
from corpus.model import Entry, Passage
from corpus.rulings.model import Ruling
from index.layers.passages import ANSWER, Layer, texts_in
from index.model import SearchResult
from service.core import parameters
from service.core.i18n import N_
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.sheets.passage_history import (
    FILTERS,
    PassageKey,
    SheetLink,
)
from service.editions.sheets.sheet import (
    SheetView,
    quotable_passages,
    sheet_choices,
    sheet_message,
    sheet_view,
)
from service.schemas.fields import LONGEST_QUESTION, MOST_CITED, MOST_CONTEXT, MessageFormat
from service.web.links import base_address
from service.web.localization import language
from service.web.pages.layout import page, pages
from service.web.request_context import current_snapshot, settings
from service.web.sheet_requests import found_for, made_day, today, with_words

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
    """What the address of this request says. Raises `Problem`."""
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
    """The address of the sheet of ``passage`` as the answer to what this page was asked."""
    filters = {name: request.args[name] for name in FILTERS if request.args.get(name)}
    return SheetLink(
        request.args.get("q", "").strip(), filters, (PassageKey(passage.id),)
    ).address()


@pages.app_template_global("sheet_of_entry")
def _sheet_of_entry(entry: Entry) -> str | None:
    """The address of the sheet of the first passage of ``entry``; None where it has none."""
    first = next(quotable_passages(current_snapshot().library, entry), None)
    return SheetLink("", {}, (PassageKey(first.id),)).address() if first else None


@pages.app_template_global("sheet_of_ruling")
def _sheet_of_ruling(ruling: Ruling) -> str:
    return SheetLink("", {}, (PassageKey(f"{Layer.RULINGS}/{ruling.id}#{ANSWER}"),)).address()


@pages.app_template_global("sheet_of_card")
def _sheet_of_card(card: Card) -> str | None:
    texts = texts_in(card, language())
    return SheetLink("", {}, (PassageKey(texts[0].passage.id),)).address() if texts else None
