"""Ruling sheets: a question, the passages cited for a ruling, and their later changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.languages import get_language
from corpus.model import Entry, Kind, Passage, Role, Span
from corpus.rulings.model import Authority
from index.building.former_stage import QUOTABLE
from index.library.former_words import FormerPassage, quotation_hash
from index.library.library import Library
from index.model import CardTextHit, Hit, RulingHit, SearchResult
from index.ranking.confidence import Settlement
from service.answers.answer import link_out
from service.answers.chat_markup import (
    MARKUP_STYLES,
    ChatQuotation,
    utf16_length,
    write_quotations,
)
from service.answers.citations import (
    AUTHORITIES,
    IN_EFFECT,
    edition_name,
    effective_label,
    entry_url,
    line_range,
)
from service.answers.sources import (
    card_citation_out,
    citation_out,
    ruling_citation_out,
)
from service.browse.entry_view import (
    KINDS,
    passage_blocks,
    passage_url,
    quoted_layer,
    quoted_passage,
)
from service.browse.text_blocks import AnnotatedPassage, TextBlock, text_blocks
from service.core.i18n import N_, day_in_words, translate
from service.core.snapshot import Snapshot
from service.editions.sheet_history import (
    PassageHistory,
    PassageKey,
    SheetLink,
    TracedPassage,
    changed_spans,
    trace_passage,
)
from service.schemas.fields import MESSAGE_LIMITS, MessageFormat
from service.schemas.passage import CitationOut, LayerCitationOut
from service.schemas.sheets import (
    FormerWordsOut,
    NewerWordsOut,
    SheetChange,
    SheetOut,
    SheetPassageOut,
    SheetWordsOut,
)

MOST_CHOICES = 20
_SHOWN = 120  # characters of a passage that distinguish it from the others
VERDICTS = {
    Settlement.SETTLED: N_("Settled: the first passage settles the question"),
    Settlement.LIKELY: N_(
        "Likely: one of the first three passages likely settles the question; read whether it does"
    ),
    Settlement.OPEN: N_("Open: no passage is known that settles the question"),
}
CHANGES = {
    SheetChange.UNCHANGED: N_("Unchanged"),
    SheetChange.MOVED: N_("The same words stand at another place now"),
    SheetChange.RENUMBERED: N_("Renumbered; apart from numbers the words are the same"),
    SheetChange.REWORDED: N_("Reworded"),
    SheetChange.GONE: N_("Not found in the rulebook any more"),
    SheetChange.UNKNOWN: N_(
        "The words that the link cited are not known here, so that they cannot be compared"
    ),
}
_GONE_RULING = N_("No longer loaded here")
_REPLACED = N_("The edition cited is no longer loaded; compared with %(edition)s")
_NEWER = {
    SheetChange.UNCHANGED: N_("A newer version is loaded, with the same words: %(edition)s"),
    SheetChange.MOVED: N_(
        "A newer version is loaded, with the same words at another place: %(edition)s"
    ),
    SheetChange.RENUMBERED: N_(
        "A newer version is loaded, where only numbers are others: %(edition)s"
    ),
    SheetChange.REWORDED: N_(
        "A newer version is loaded, which says it in other words: %(edition)s"
    ),
    SheetChange.GONE: N_("A newer version is loaded, where this is not found: %(edition)s"),
}
_ALL_SAME = N_("Nothing has changed since %(day)s.")
_ALL_SAME_UNDATED = N_("Nothing has changed since the link was made.")
_SOME = N_("Passages of this sheet that have changed since %(day)s: %(changed)s of %(count)s.")
_SOME_UNDATED = N_(
    "Passages of this sheet that have changed since the link was made: %(changed)s of %(count)s."
)
_CARD_TEXT = N_("Card text")
_BEFORE = N_("Before")
_TITLE = N_("Rules excerpt")


@dataclass(frozen=True)
class SheetQuotation:
    """The words of ``passage`` with their place.

    Attributes:
        kind: The kind of source ("Rule 4.2").
        place: Edition, page, lines and effective date.
        blocks: The words for a page.
        marks: Marks on changed words.
        url: The address, "" if the passage is gone.
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
    """One passage of a sheet.

    Attributes:
        now: The present quotation.
        then: The words cited, if they have changed or are gone.
        notes: What has changed.
        nearest: Title, address and language of an entry similar to a passage that is gone.
        newer_note: A note on a newer version.
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
    """A sheet. ``before`` are the earlier questions read with its question; ``verdict`` is None if
    the passages are not those of the answer; ``made`` is the day of the link in words.
    """

    link: SheetLink
    before: tuple[str, ...]
    verdict: Settlement | None
    verdict_text: str
    items: tuple[SheetItem, ...]
    changed: int
    summary: str
    made: str
    index: str


def sheet_view(
    snapshot: Snapshot, link: SheetLink, found: SearchResult | None, language: str, today: str
) -> SheetView:
    """Return the sheet of ``link`` in ``language``; ``found`` is the search result for its
    question, None if it has none.
    """
    items = tuple(_item(snapshot, key, language) for key in link.passages)
    verdict = None
    if found is not None:
        # Whoever made a link can name any passage beside any question: the verdict is shown only
        # with a passage of the answer.
        ranked = {p.id for hit in _ranked(found) for p in (hit.passage, *hit.duplicates)}
        answered = any(item.now and item.now.passage.id in ranked for item in items)
        verdict = found.settled if answered or found.settled is Settlement.OPEN else None
    changed = sum(item.history.changed for item in items)
    made = day_in_words(language, link.made) if link.made else ""
    summary = ""
    if changed or link.made != today:
        some = _SOME if made else _SOME_UNDATED
        text = some if changed else _ALL_SAME if made else _ALL_SAME_UNDATED
        summary = translate(language, text) % {"day": made, "changed": changed, "count": len(items)}
    return SheetView(
        link=link,
        before=tuple(found.follow_up.before) if found and found.follow_up else (),
        verdict=verdict,
        verdict_text=translate(language, VERDICTS[verdict]) if verdict else "",
        items=items,
        changed=changed,
        summary=summary,
        made=made,
        index=snapshot.id,
    )


def _ranked(found: SearchResult) -> list[Hit]:
    return [*(hit for part in found.parts for hit in part.ranked), *found.ranked]


def _item(snapshot: Snapshot, key: PassageKey, language: str) -> SheetItem:
    history = trace_passage(snapshot, key)
    change, former, now, newer = history.change, history.former, history.now, history.newer
    notes = []
    if history.changed:
        gone_layer = key.id.startswith(("rulings/", "cards/")) and change is SheetChange.GONE
        notes.append(translate(language, _GONE_RULING if gone_layer else CHANGES[change]))
        if former and change in (SheetChange.MOVED, SheetChange.RENUMBERED):
            before = _former_quotation(former, [], language).label
            notes.append(f"{translate(language, _BEFORE)}: {before}")
        if history.replaced:
            edition = edition_name(history.replaced)
            notes.append(translate(language, _REPLACED) % {"edition": edition})
    others = (SheetChange.RENUMBERED, SheetChange.REWORDED, SheetChange.GONE)
    then = former if change in others else None
    old, new = changed_spans(then.display, now.passage.display) if then and now else ([], [])
    nearest = None
    if entry := history.nearest:
        nearest = entry.title, entry_url(entry), snapshot.library.edition[entry.edition].language
    newer_note, newer_url = _newer_note(snapshot.library, newer, language) if newer else ("", "")
    return SheetItem(
        history=history,
        notes=tuple(notes),
        now=quoted_hit(snapshot, now, language, new) if now else None,
        then=_former_quotation(then, old, language) if then else None,
        nearest=nearest,
        newer_note=newer_note,
        newer_url=newer_url,
    )


def newer_version_note(snapshot: Snapshot, entry: Entry, language: str) -> tuple[str, str]:
    """Return a note in ``language`` on the first passage of ``entry`` in a newer version that is
    loaded too, and its address there; both empty if there is none.
    """
    for passage in snapshot.library.passages_of.get(entry.id, ())[:1]:
        key = PassageKey(passage.id, quotation_hash(passage.display))
        if newer := trace_passage(snapshot, key).newer:
            return _newer_note(snapshot.library, newer, language)
    return "", ""


def _newer_note(library: Library, newer: TracedPassage, language: str) -> tuple[str, str]:
    note = translate(language, _NEWER[newer.change]) % {"edition": edition_name(newer.edition)}
    now = newer.now.passage if newer.now else None
    return note, passage_url(library.entry[now.entry], now) if now else ""


def quoted_hit(
    snapshot: Snapshot, hit: Hit, language: str, marks: Sequence[Span] = ()
) -> SheetQuotation:
    """Return ``hit`` as a sheet in ``language`` quotes it, with ``marks``, spans of its display."""
    passage = hit.passage
    marked = text_blocks([AnnotatedPassage(passage, marks)]) if marks else None
    if isinstance(hit, (RulingHit, CardTextHit)):
        layer = quoted_layer(snapshot, hit, language)
        return SheetQuotation(
            heading=layer.heading,
            language=layer.language,
            kind=layer.label,
            lead_in=layer.asked if layer.asked != layer.heading else "",
            blocks=marked or layer.blocks,
            marks=tuple(marks),
            place=(" ".join(_told(layer.publication, f"({layer.language})")),),
            url=layer.url,
            passage=passage,
        )
    quote = quoted_passage(snapshot.library, Hit(passage, 0.0, ()))
    citation = quote.citation
    lines = "" if citation.paged else citation.lines
    return SheetQuotation(
        heading=quote.heading,
        language=citation.edition.language,
        kind=_kind(quote.entry.kind, quote.entry.product, quote.entry.number, language),
        lead_in=quote.lead_in,
        blocks=marked or passage_blocks(snapshot.library, [passage]),
        marks=tuple(marks),
        place=_told(
            citation.edition_name,
            citation.page_reference,
            lines,
            effective_label(language, citation.edition),
        ),
        url=quote.url,
        passage=passage,
    )


def _former_quotation(
    former: FormerPassage, marks: Sequence[Span], language: str
) -> SheetQuotation:
    """Return ``former`` words, with their place in the last index that had them."""
    printed = bool(former.lines.first)
    if former.authority:
        kind = translate(language, AUTHORITIES[Authority(former.authority)])
    elif not printed:
        kind = translate(language, _CARD_TEXT)
    else:
        kind = _kind(Kind.RULE, None, former.number, language) if former.number else ""
    named = " ".join(_told(former.source, former.version, f"({former.language})"))
    page = f"{get_language(former.language).citation.page} {former.page}" if former.page else ""
    lines = line_range(former.language, *former.lines) if printed and not former.paged else ""
    day = day_in_words(language, former.effective) if former.effective else ""
    dated = translate(language, IN_EFFECT) % {"day": day} if day and printed else day
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
        kind=kind,
        lead_in=former.lead_in,
        blocks=text_blocks([AnnotatedPassage(passage, marks)]),
        marks=tuple(marks),
        place=_told(named, page, lines, dated),
        url="",
        passage=passage,
    )


def _kind(kind: Kind, product: str | None, number: str | None, language: str) -> str:
    """Return the kind of an entry with its number: "Rule 4.2", "Ruling CORE 12"."""
    shown = number if kind is not Kind.SECTION else ""
    return " ".join(_told(translate(language, KINDS[kind]), product, shown))


def _told(*parts: str | None) -> tuple[str, ...]:
    return tuple(part for part in parts if part)


def sheet_message(view: SheetView, language: str, address: str | None) -> str:
    """Return ``view`` as a message: the question, the verdict, as many quotations as fit, the
    permanent link.
    """
    style = MARKUP_STYLES[MessageFormat.PLAIN]
    link = style.link_citation(translate(language, _TITLE), address) if address else ""
    opening = [
        *map(style.escape, view.before),
        style.heading(view.link.question) if view.link.question else "",
        style.escape(view.verdict_text),
        style.escape(view.summary) if view.changed else "",
    ]
    quotations = []
    for item in view.items:
        if shown := item.now or item.then:
            label = f"{shown.label} ({'; '.join(item.notes)})" if item.notes else shown.label
            quotations.append(
                ChatQuotation(shown.passage, shown.language, label, None, asked=shown.lead_in)
            )
    room = MESSAGE_LIMITS[MessageFormat.PLAIN] - utf16_length(style.block + link)
    written = write_quotations(style, [*filter(None, opening)], quotations, room).text
    return style.block.join(filter(None, (written, link)))


@dataclass(frozen=True)
class SheetChoice:
    """A passage that can be put on a sheet, with a label that distinguishes it."""

    id: str
    quotation: SheetQuotation
    beginning: str
    chosen: bool


def sheet_choices(
    snapshot: Snapshot, view: SheetView, found: SearchResult | None, language: str
) -> list[SheetChoice]:
    """Return the passages that ``view`` shows, then those ``found`` for its question or, without a
    question, those of the entry of its first passage.
    """
    library = snapshot.library
    shown = {
        item.history.now.passage.id: item.history.now for item in view.items if item.history.now
    }
    others: list[Hit] = []
    if found is not None:
        others = _ranked(found)
        if found.fallback and not found.answered:
            others.append(Hit(found.fallback, 0.0, ()))
    else:
        entries = (library.entry.get(hit.passage.entry) for hit in shown.values())
        if entry := next(filter(None, entries), None):
            others = [Hit(passage, 0.0, ()) for passage in quotable_passages(library, entry)]
    hits = dict(shown)
    for hit in others:
        hits.setdefault(hit.passage.id, hit)
    choices = []
    for id, hit in list(hits.items())[:MOST_CHOICES]:
        words = " ".join(hit.passage.display.split())
        beginning = words if len(words) <= _SHOWN else f"{words[:_SHOWN].rsplit(' ', 1)[0]} …"
        choices.append(SheetChoice(id, quoted_hit(snapshot, hit, language), beginning, id in shown))
    return choices


def quotable_passages(library: Library, entry: Entry) -> Iterator[Passage]:
    """Yield the passages of ``entry``, and of the entries inside it, that can be cited."""
    yield from (each for each in library.passages_of.get(entry.id, ()) if each.role in QUOTABLE)
    for child in library.children_of.get(entry.id, ()):
        yield from quotable_passages(library, child)


def sheet_out(snapshot: Snapshot, view: SheetView, language: str) -> SheetOut:
    """Return ``view`` of ``snapshot`` for programs, with citations of rulings and cards in
    ``language``.
    """
    return SheetOut(
        question=view.link.question or None,
        context=list(view.before),
        settled=view.verdict,
        made=view.link.made or None,
        index=view.index,
        changed=view.changed,
        url=view.link.address(),
        passages=[_passage_out(snapshot, item, language) for item in view.items],
    )


def _passage_out(snapshot: Snapshot, item: SheetItem, language: str) -> SheetPassageOut:
    history = item.history
    now, newer, former = history.now, history.newer, history.former
    newer_words = []
    if now and newer and newer.now:
        marks = changed_spans(now.passage.display, newer.now.passage.display)[1]
        newer_words = [_words_out(snapshot, newer.now, marks, language)]
    former_out = newer_out = None
    if item.then and former:
        former_out = FormerWordsOut(
            text=former.text,
            display=former.display,
            marks=[list(span) for span in item.then.marks],
            label=item.then.label,
            index=former.index,
        )
    if newer:
        newer_out = NewerWordsOut(edition=newer.edition.id, change=newer.change, now=newer_words)
    return SheetPassageOut(
        id=history.key.id,
        hash=history.key.hash,
        change=history.change,
        now=[_words_out(snapshot, now, item.now.marks, language)] if now and item.now else [],
        former=former_out,
        replaced_by=history.replaced.id if history.replaced else None,
        nearest=link_out(history.nearest) if history.nearest else None,
        newer=newer_out,
    )


def _words_out(snapshot: Snapshot, hit: Hit, marks: Sequence[Span], language: str) -> SheetWordsOut:
    passage = hit.passage
    citation: CitationOut | LayerCitationOut
    if isinstance(hit, RulingHit):
        citation = ruling_citation_out(hit.ruling, passage, language)
    elif isinstance(hit, CardTextHit):
        citation = card_citation_out(hit.quoted, language)
    else:
        citation = citation_out(snapshot.library, passage)
    return SheetWordsOut(
        id=passage.id,
        hash=quotation_hash(passage.display),
        text=passage.text,
        display=passage.display,
        marks=[list(span) for span in marks],
        citation=citation,
    )
