"""A ruling sheet as a message for a chat."""

from __future__ import annotations

from service.answers.chat.markup import MARKUP_STYLES
from service.answers.chat.quotations import ChatQuotation, utf16_length, write_quotations
from service.core.i18n import N_, translate
from service.editions.sheets.sheet_view import SheetItem, SheetView
from service.schemas.limits import MESSAGE_LIMITS, MessageFormat

TITLE = N_("Ruling sheet")


def sheet_message(view: SheetView, format: MessageFormat, language: str, address: str | None) -> str:
    """Return ``view`` in ``format``, within its usual limit: the question, the verdict, the quotations that fit, the permanent link."""
    style = MARKUP_STYLES[format]
    link = style.link_citation(translate(language, TITLE), address) if address else ""
    opening = [style.escape(asked) for asked in view.before]
    opening += [style.heading(view.link.question)] if view.link.question else []
    opening += [style.escape(view.verdict_text)] if view.verdict_text else []
    opening += [style.escape(view.summary)] if view.changed else []
    quotations = [quotation for item in view.items for quotation in _quoted(item)]
    room = MESSAGE_LIMITS[format] - utf16_length(style.block + link)
    return style.block.join(filter(None, (write_quotations(style, opening, quotations, room).text, link)))


def _quoted(item: SheetItem) -> list[ChatQuotation]:
    """What is quoted of ``item``: what stands now, else the words cited, with what has changed."""
    shown = item.now or ((item.then,) if item.then else ())
    notes = f" ({'; '.join(item.notes)})" if item.notes else ""
    return [ChatQuotation(each.passage, each.language, f"{each.label}{notes}", None, asked=each.lead_in) for each in shown]
