"""Ruling sheets: the words that a permanent link cites, or exactly what has changed."""

from __future__ import annotations

from flask import Response

from service.core.i18n import N_, TranslatableText
from service.core.problems import Problem
from service.editions.sheets.sheet_links import FILTERS, PassageKey, SheetLink
from service.editions.sheets.sheet_report import sheet_out
from service.editions.sheets.sheet_view import sheet_view
from service.schemas.fields import MOST_CITED
from service.schemas.sheets import SheetOut, SheetParams
from service.web.api.blueprints import READ, api
from service.web.api.responses import json_response
from service.web.localization import language
from service.web.request_context import current_snapshot
from service.web.sheet_requests import found_for, made_day, today, with_words


@api.call("GET", "/sheet", READ, SheetOut)
def sheet(query: SheetParams) -> Response:
    """Give the passages of a ruling sheet as they stand now, and what has changed of the words that its link cites.

    Nothing is kept for a link: `url` has all of it. What a rulebook no longer says is shown as the last index that had it did.
    """
    snapshot, fields = current_snapshot(), query.model_dump()
    named = [each for each in query.passages.split(",") if each]
    if not named or len(named) > MOST_CITED:
        raise Problem.out_of_range(TranslatableText(N_("A sheet has one to %(limit)s passages."), {"limit": MOST_CITED}), "passages")
    link = SheetLink(
        query.q or "",
        {name: fields[name] for name in FILTERS if fields[name]},
        tuple(dict.fromkeys(PassageKey.parse(each) for each in named)),
        made_day(query.made or ""),
    )
    link = with_words(snapshot, link)
    view = sheet_view(snapshot, link, found_for(snapshot, link), language(), today())
    return json_response(sheet_out(snapshot, view, language()))
