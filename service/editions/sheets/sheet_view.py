"""A ruling sheet as it is shown, printed and sent: what is quoted, where it stands, what has changed, in the language of the reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.languages import get_language
from corpus.model import Kind, Passage, Role, Span
from corpus.rulings.model import Authority
from index.library.former_words import FormerPassage
from index.library.library import Library
from index.model import CardTextHit, Hit, RulingHit, SearchResult
from index.ranking.confidence import Settlement
from service.answers.chat.markup import MARKUP_STYLES
from service.answers.chat.quotations import ChatQuotation, utf16_length, write_quotations
from service.answers.citations import IN_EFFECT, edition_name, effective_label, entry_url, line_range
from service.answers.layer_citations import AUTHORITIES
from service.browse.entry_view import KINDS, passage_blocks, passage_url, quoted_passage
from service.browse.layer_view import quoted_layer
from service.browse.text_blocks import AnnotatedPassage, TextBlock, text_blocks
from service.core.i18n import N_, day_in_words, translate
from service.core.snapshot import Snapshot
from service.editions.sheets.passage_history import PassageHistory, changed_spans, trace_passage
from service.editions.sheets.sheet_links import PassageKey, SheetLink
from service.schemas.fields import MESSAGE_LIMITS, MessageFormat
from service.schemas.sheets import SheetChange

VERDICTS = {
    Settlement.SETTLED: N_("Settled: the first passage settles the question"),
    Settlement.LIKELY: N_("Likely: one of the first three passages likely settles the question; read whether it does"),
    Settlement.OPEN: N_("Open: no passage is known that settles the question"),
}
CHANGES = {
    SheetChange.UNCHANGED: N_("Unchanged"),
    SheetChange.MOVED: N_("The same words stand at another place now"),
    SheetChange.RENUMBERED: N_("Renumbered; apart from numbers the words are the same"),
    SheetChange.REWORDED: N_("Reworded"),
    SheetChange.GONE: N_("Not found in the rulebook any more"),
    SheetChange.UNKNOWN: N_("The words that the link cited are not known here, so that they cannot be compared"),
}
_GONE_RULING = N_("No longer loaded here")
_REPLACED = N_("The edition cited is no longer loaded; compared with %(edition)s")
_NEWER = {
    SheetChange.UNCHANGED: N_("A newer version is loaded, with the same words: %(edition)s"),
    SheetChange.MOVED: N_("A newer version is loaded, with the same words at another place: %(edition)s"),
    SheetChange.RENUMBERED: N_("A newer version is loaded, where only numbers are others: %(edition)s"),
    SheetChange.REWORDED: N_("A newer version is loaded, which says it in other words: %(edition)s"),
    SheetChange.GONE: N_("A newer version is loaded, where this is not found: %(edition)s"),
}
_ALL_SAME = N_("Nothing has changed since %(day)s.")
_ALL_SAME_UNDATED = N_("Nothing has changed since the link was made.")
_SOME = N_("Passages of this sheet that have changed since %(day)s: %(changed)s of %(count)s.")
_SOME_UNDATED = N_("Passages of this sheet that have changed since the link was made: %(changed)s of %(count)s.")
_CARD_TEXT = N_("Card text")
_BEFORE = N_("Before")
_TITLE = N_("Ruling sheet")


@dataclass(frozen=True)
class SheetQuotation:
    """Words with their place. ``kind`` says what they are ("Rule 4.2"), ``place`` has edition, page, lines and date of effect.

    ``blocks`` are the words of ``passage`` for a page, with what changed marked by ``marks``; ``url`` is where it is read, "" where it is
    gone.
    """

    heading: str
    language: str
    kind: str
    lead_in: str
    blocks: list[TextBlock]
    marks: tuple[Span, ...]
    place: tuple[str, ...]
    url: str
    passage: Passage

    @property
    def label(self) -> str:
        """The citation in one line."""
        return ", ".join(part for part in (self.heading, self.kind, *self.place) if part)


@dataclass(frozen=True)
class SheetItem:
    """One passage of a sheet: ``now`` is what is quoted, ``then`` are the words cited where they are others or gone.

    ``notes`` say what has changed; ``newer_note`` what of it a newer version has, at ``newer_url``. ``nearest`` are title, address and
    language of an entry where it is gone.
    """

    history: PassageHistory
    notes: tuple[str, ...]
    now: SheetQuotation | None
    then: SheetQuotation | None
    nearest: tuple[str, str, str] | None
    newer_note: str
    newer_url: str


@dataclass(frozen=True)
class SheetView:
    """A sheet. ``before`` are the questions that its question was read with.

    ``verdict`` is that of the question, None where there is none or the passages are not of its answer. ``summary`` says whether anything
    has changed, "" for a link of today with nothing changed; ``made`` is the day of the link in words.
    """

    link: SheetLink
    before: tuple[str, ...]
    verdict: Settlement | None
    verdict_text: str
    items: tuple[SheetItem, ...]
    summary: str
    made: str
    index: str

    @property
    def changed(self) -> int:
        """How many of its passages are other than they were."""
        return sum(item.history.changed for item in self.items)


def sheet_view(snapshot: Snapshot, link: SheetLink, found: SearchResult | None, language: str, today: str) -> SheetView:
    """Return the sheet of ``link`` in ``language``; ``found`` is what its question brings, None where there is none."""
    items = tuple(_item(snapshot, key, language) for key in link.passages)
    verdict = _verdict(items, found)
    return SheetView(
        link=link,
        before=tuple(found.follow_up.before) if found and found.follow_up else (),
        verdict=verdict,
        verdict_text=translate(language, VERDICTS[verdict]) if verdict else "",
        items=items,
        summary=_summary(items, link.made, language, today),
        made=day_in_words(language, link.made) if link.made else "",
        index=snapshot.id,
    )


def _verdict(items: Sequence[SheetItem], found: SearchResult | None) -> Settlement | None:
    """The verdict on the question, if one of its passages is on the sheet: whoever made a link can name any passage beside any question."""
    if found is None:
        return None
    hits = [*found.ranked, *(hit for part in found.parts for hit in part.ranked)]
    ranked = {passage.id for hit in hits for passage in (hit.passage, *hit.duplicates)}
    on_sheet = {item.now.passage.id for item in items if item.now}
    return found.settled if found.settled is Settlement.OPEN or ranked & on_sheet else None


def _summary(items: Sequence[SheetItem], made: str, language: str, today: str) -> str:
    changed = sum(item.history.changed for item in items)
    values = {"day": day_in_words(language, made) if made else "", "changed": changed, "count": len(items)}
    if changed:
        return translate(language, _SOME if made else _SOME_UNDATED) % values
    return translate(language, _ALL_SAME if made else _ALL_SAME_UNDATED) % values if made != today else ""


def _item(snapshot: Snapshot, key: PassageKey, language: str) -> SheetItem:
    history = trace_passage(snapshot, key)
    library, former, now, newer = snapshot.library, history.former, history.now, history.newer
    shown_former = former if former and history.change in (SheetChange.RENUMBERED, SheetChange.REWORDED, SheetChange.GONE) else None
    old, new = changed_spans(shown_former.display, now.passage.display) if shown_former and now else ([], [])
    nearest = history.nearest
    return SheetItem(
        history=history,
        notes=_notes(history, former, language),
        now=quoted_hit(snapshot, now, language, new) if now else None,
        then=_former_quotation(shown_former, old, language) if shown_former else None,
        nearest=(nearest.title, entry_url(nearest), library.edition[nearest.edition].language) if nearest else None,
        newer_note=translate(language, _NEWER[newer.change]) % {"edition": edition_name(newer.edition)} if newer else "",
        newer_url=passage_url(library.entry[newer.now.passage.entry], newer.now.passage) if newer and newer.now else "",
    )


def _notes(history: PassageHistory, former: FormerPassage | None, language: str) -> tuple[str, ...]:
    """What has changed, in sentences; nothing for what has not."""
    if not history.changed:
        return ()
    layered = history.key.id.partition("/")[0] in ("rulings", "cards")
    said = _GONE_RULING if layered and history.change is SheetChange.GONE else CHANGES[history.change]
    notes = [translate(language, said)]
    if history.change in (SheetChange.MOVED, SheetChange.RENUMBERED) and former is not None:
        notes.append(f"{translate(language, _BEFORE)}: {former_label(former, language)}")
    if history.replaced is not None:
        notes.append(translate(language, _REPLACED) % {"edition": edition_name(history.replaced)})
    return tuple(notes)


def quoted_hit(snapshot: Snapshot, hit: Hit, language: str, marks: Sequence[Span] = ()) -> SheetQuotation:
    """Return ``hit`` as a sheet in ``language`` quotes it, with ``marks``, spans of its display."""
    if isinstance(hit, (RulingHit, CardTextHit)):
        return _layer_quotation(snapshot, hit, marks, language)
    return _printed_quotation(snapshot.library, hit.passage, marks, language)


def _printed_quotation(library: Library, passage: Passage, marks: Sequence[Span], language: str) -> SheetQuotation:
    quote = quoted_passage(library, Hit(passage, 0.0, ()))
    citation = quote.citation
    lines = "" if citation.paged else citation.lines
    return SheetQuotation(
        heading=quote.heading,
        language=citation.edition.language,
        kind=_kind(quote.entry.kind, quote.entry.product, quote.entry.number, language),
        lead_in=quote.lead_in,
        blocks=_marked(passage, marks) if marks else passage_blocks(library, [passage]),
        marks=tuple(marks),
        place=_told(citation.edition_name, citation.page_reference, lines, effective_label(language, citation.edition)),
        url=quote.url,
        passage=passage,
    )


def _layer_quotation(snapshot: Snapshot, hit: RulingHit | CardTextHit, marks: Sequence[Span], language: str) -> SheetQuotation:
    quote = quoted_layer(snapshot, hit, language)
    return SheetQuotation(
        heading=quote.heading,
        language=quote.language,
        kind=quote.label,
        lead_in=quote.asked if quote.asked != quote.heading else "",
        blocks=_marked(hit.passage, marks) if marks else quote.blocks,
        marks=tuple(marks),
        place=(" ".join(_told(quote.publication, f"({quote.language})")),),
        url=quote.url,
        passage=hit.passage,
    )


def _former_quotation(former: FormerPassage, marks: Sequence[Span], language: str) -> SheetQuotation:
    entry, _, ordinal = former.id.rpartition("#")
    passage = Passage(
        id=former.id,
        entry=entry,
        ordinal=int(ordinal),
        role=Role.TEXT,
        depth=0,
        spans=(),
        lines=former.lines,
        text=former.text,
        display=former.display,
        lead_in=former.lead_in,
    )
    return SheetQuotation(
        heading=former.title,
        language=former.language,
        kind=_former_kind(former, language),
        lead_in=former.lead_in,
        blocks=_marked(passage, marks),
        marks=tuple(marks),
        place=_former_place(former, language),
        url="",
        passage=passage,
    )


def former_label(former: FormerPassage, language: str) -> str:
    """Return the citation of a passage that is no longer there, in one line."""
    return ", ".join(_told(former.title, _former_kind(former, language), *_former_place(former, language)))


def _former_kind(former: FormerPassage, language: str) -> str:
    if former.authority:
        return translate(language, AUTHORITIES[Authority(former.authority)])
    if not former.lines.first:
        return translate(language, _CARD_TEXT)
    return _kind(Kind.RULE, None, former.number, language) if former.number else ""


def _former_place(former: FormerPassage, language: str) -> tuple[str, ...]:
    named = " ".join(_told(former.source, former.version, f"({former.language})"))
    page = f"{get_language(former.language).citation.page} {former.page}" if former.page else ""
    lines = line_range(former.language, *former.lines) if former.lines.first and not former.paged else ""
    day = day_in_words(language, former.effective) if former.effective else ""
    dated = translate(language, IN_EFFECT) % {"day": day} if day and former.lines.first else day
    return _told(named, page, lines, dated)


def _kind(kind: Kind, product: str | None, number: str | None, language: str) -> str:
    """What an entry is, with its number: "Rule 4.2", "Ruling CORE 12"."""
    return " ".join(_told(translate(language, KINDS[kind]), product, number if kind is not Kind.SECTION else ""))


def _marked(passage: Passage, marks: Sequence[Span]) -> list[TextBlock]:
    return text_blocks([AnnotatedPassage(passage, marks)])


def _told(*parts: str | None) -> tuple[str, ...]:
    return tuple(part for part in parts if part)


def sheet_message(view: SheetView, format: MessageFormat, language: str, address: str | None) -> str:
    """Return ``view`` in ``format``, within its usual limit: the question, the verdict, the quotations that fit, the permanent link."""
    style = MARKUP_STYLES[format]
    link = style.link_citation(translate(language, _TITLE), address) if address else ""
    opening = [style.escape(asked) for asked in view.before]
    opening += [style.heading(view.link.question)] if view.link.question else []
    opening += [style.escape(view.verdict_text)] if view.verdict_text else []
    opening += [style.escape(view.summary)] if view.changed else []
    quotations = [_quoted(item, shown) for item in view.items if (shown := item.now or item.then)]
    room = MESSAGE_LIMITS[format] - utf16_length(style.block + link)
    return style.block.join(filter(None, (write_quotations(style, opening, quotations, room).text, link)))


def _quoted(item: SheetItem, shown: SheetQuotation) -> ChatQuotation:
    """Return what is ``shown`` of ``item``, with what has changed."""
    notes = f" ({'; '.join(item.notes)})" if item.notes else ""
    return ChatQuotation(shown.passage, shown.language, f"{shown.label}{notes}", None, asked=shown.lead_in)
