"""Quotations from rulebooks, rulings and cards for pages: passages with context and misprints,
entries, their neighbours and translations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from corpus.cards.model import Card
from corpus.cards.symbols import symbol_places
from corpus.display import display
from corpus.model import Entry, Kind, Passage, Span
from corpus.sentences import sentences
from glossary.check import FINDING_TITLES, Certainty, Finding, FindingKind
from glossary.model import Reference, ReferenceProblem
from index.library.library import Library
from index.model import CardTextHit, Hit, RulingHit, SearchResult
from index.questions.asking_sentences import asks_for_order
from service.answers.answer import REPAIRED, see_also
from service.answers.citations import (
    Citation,
    card_label,
    card_title,
    card_url,
    citation_label,
    cite,
    entry_url,
    quotation,
    ruling_label,
    ruling_title,
    ruling_url,
)
from service.answers.pointers import pointed_passages
from service.answers.sequences import sequence_around
from service.browse.cards import named_card
from service.browse.lookup import matches
from service.browse.text_blocks import (
    AnnotatedPassage,
    TextBlock,
    TextLink,
    TextRemark,
    TextSymbol,
    lines_of,
    text_blocks,
)
from service.core.displayed import (
    display_spans,
    repairs,
    telling_spans,
    text_span,
)
from service.core.i18n import N_
from service.core.snapshot import Snapshot

# Of an entry and its nested entries on one page; a longer entry only lists these.
MOST_PASSAGES = 60
KINDS = {
    Kind.SECTION: N_("Section"),
    Kind.TERM: N_("Term"),
    Kind.REDIRECT: N_("Pointer"),
    Kind.RULE: N_("Rule"),
    Kind.RULING: N_("Ruling"),
    Kind.ERRATUM: N_("Correction"),
    Kind.SUBSECTION: N_("Subsection"),
}
REMARKS = {
    ReferenceProblem.MISSING: N_("printed without a target"),
    ReferenceProblem.WRONG_NUMBER: N_("wrong number in print"),
    ReferenceProblem.TITLE_DIFFERS: N_("other title in print"),
    ReferenceProblem.AMBIGUOUS: N_("ambiguous in print"),
    ReferenceProblem.OUTSIDE: N_("leads out of this document"),
}
LINES = 5  # of a passage on a telephone
_ITEM = re.compile(r"\s*(?:[•◦▪–*-]|\d{1,3}[.)]|[a-z]\))\s")  # a bullet or a counted line
MOST_FINDINGS = 4  # of one passage; the page of its entry has all
# Faults that change how a passage is understood even if the intended words are unknown.
_TELLING = frozenset([FindingKind.LOST, FindingKind.TORN])


@dataclass(frozen=True)
class QuotedPassage:
    """A passage in its official wording, with the answering words marked, and its place.

    Attributes:
        lead_in: The words printed before it that lead in to it.
        titled: The entry under whose title it is shown (`title_entry`).
        path: The entries around ``titled``, outermost first.
        page_entry: ``titled`` if its page shows all of it, else ``entry``.
        also: Label and address of other places with the same words.
    """

    passage: Passage
    lead_in: str
    entry: Entry
    titled: Entry
    path: tuple[Entry, ...]
    citation: Citation
    blocks: list[TextBlock]
    see_also: list[Entry]
    page_entry: Entry
    also: list[tuple[str, str]]

    @property
    def heading(self) -> str:
        """The title that it is shown under."""
        return self.titled.title

    @property
    def url(self) -> str:
        """The address of the passage on the page of ``page_entry``."""
        return passage_url(self.page_entry, self.passage)


@dataclass(frozen=True)
class EntryView:
    """An entry for a page, with the entries inside it as ``children`` or, if they have pages of
    their own, ``listed``. ``lead_in`` is text of the entry around it that introduces it.
    """

    entry: Entry
    lead_in: str
    headed: bool
    blocks: list[TextBlock]
    children: list[EntryView]
    listed: Sequence[Entry] = ()


@dataclass(frozen=True)
class ReferenceView:
    """A reference with its target entry, None if there is none."""

    reference: Reference
    target: Entry | None


def quoted_passage(
    library: Library, hit: Hit, remarks: Sequence[TextRemark] = (), lines: int = 0
) -> QuotedPassage:
    """Return the passage of ``hit`` as a page quotes it, with ``remarks`` on misprints.

    It is cut to ``lines`` lines (see `excerpt`); 0 means no limit.
    """
    passage = hit.passage
    entry = library.entry[passage.entry]
    marks = telling_spans(passage.display, display_spans(passage, hit.highlights))
    annotated = AnnotatedPassage(
        passage,
        marks,
        _links(library, passage),
        remarks=remarks,
        excerpt=excerpt(passage.display, marks, lines) if lines else (),
    )
    heading = title_entry(library, entry)
    path = library.path(heading)[:-1]
    page_entry = heading if _fits_page(library, heading) else entry
    return QuotedPassage(
        passage=passage,
        lead_in=display(passage.announced),
        entry=entry,
        titled=heading,
        path=tuple(path),
        citation=cite(library, passage),
        blocks=text_blocks([annotated]),
        see_also=see_also(library, entry),
        page_entry=page_entry,
        also=[
            (citation_label(library, other), passage_url(library.entry[other.entry], other))
            for other in hit.duplicates
        ],
    )


def title_entry(library: Library, entry: Entry) -> Entry:
    """Return the entry under whose title ``entry`` is shown.

    A numbered rule prints its number as part of its text; the section around it says what it is
    about.
    """
    sections = [each for each in library.path(entry)[:-1] if each.kind is not Kind.RULE]
    bare = entry.kind is Kind.RULE and not entry.heading_spans
    return sections[-1] if sections and bare else entry


def excerpt(display: str, marks: Sequence[Span], lines: int) -> list[Span]:
    """Return the sentences of ``display`` that fit in some ``lines`` on a telephone: the marked
    ones, then their neighbours; an empty list if all fit.

    At least one is shown. A bullet keeps the sentences that introduce it; without them it may say
    the opposite.
    """
    spans = [Span(start, end) for start, end in sentences(display)]
    heights = [lines_of(end - start) for start, end in spans]
    if sum(heights) <= lines + 1:  # "more" takes a line too
        return []
    marked = [
        n for n, span in enumerate(spans) if any(a < span.end and span.start < b for a, b in marks)
    ]
    # "No." is meaningless without its question.
    asked = [n for n in range(marked[0] if marked else 0) if display[: spans[n].end].endswith("?")]
    center = marked[0] if marked else 0
    shown = {*asked[-1:], *_hung_on(display, spans, center)}
    around = sorted(range(len(spans)), key=lambda n: (abs(n - center), n < center))
    for n in [*marked, *around]:
        if n in marked[:1] or not shown or sum(heights[m] for m in {*shown, n}) <= lines:
            shown.add(n)
        elif n not in marked:
            break
    found: list[Span] = []
    for n in sorted(shown):
        if n - 1 in shown:
            found[-1] = Span(found[-1].start, spans[n].end)
        else:
            found.append(spans[n])
    return found if len(shown) < len(spans) else []


def _hung_on(display: str, spans: Sequence[Span], at: int) -> Iterator[int]:
    """Yield the indexes of the sentences that introduce sentence ``at``: the first of each bullet
    around it, and the last one above its list.
    """
    deepest: tuple[int, bool] | None = None
    for n in range(at, -1, -1):
        start = display.rfind("\n", 0, spans[n].start) + 1
        line = display[start:]
        indent = len(line) - len(line.lstrip(" "))
        level = (indent, _ITEM.match(line) is not None)
        if deepest is None:
            deepest = level
        elif level < deepest and (not level[1] or n == 0 or spans[n - 1].end <= start):
            deepest = level
            yield n


def passage_url(entry: Entry, passage: Passage) -> str:
    """Return the address of ``passage`` on the page of ``entry``."""
    return f"{entry_url(entry)}#{anchor(passage)}"


def anchor(thing: Entry | Passage) -> str:
    """Return the HTML id of an entry or passage on a page."""
    if isinstance(thing, Entry):
        return f"e-{thing.id.partition('/')[2]}"
    return f"p-{thing.entry.partition('/')[2]}-{thing.ordinal}"


def entry_view(
    library: Library, entry: Entry, sought: str = "", whole: bool | None = None
) -> EntryView:
    """Return ``entry`` with its text, and the entries inside it in full or as a list; ``sought``
    words are marked.

    ``whole`` says whether to include them in full; None means if they fit on a page.
    """
    children = library.children_of.get(entry.id, ())
    whole = _fits_page(library, entry) if whole is None else whole
    passages = library.passages_of.get(entry.id, ())
    context = passages[0].context if passages else None
    before = context is not None and context.start < entry.spans[0].start
    return EntryView(
        entry=entry,
        lead_in=display(passages[0].announced) if before else "",
        # A numbered rule prints its number as part of its text.
        headed=bool(entry.heading_spans) or entry.kind is not Kind.RULE,
        blocks=passage_blocks(library, passages, sought),
        children=[entry_view(library, child, sought) for child in children] if whole else [],
        listed=() if whole else children,
    )


def passage_blocks(
    library: Library, passages: Iterable[Passage], sought: str = ""
) -> list[TextBlock]:
    """Return ``passages`` as blocks with references as links and ``sought`` words marked."""
    return text_blocks(
        AnnotatedPassage(p, matches(p.display, sought) if sought else (), _links(library, p))
        for p in passages
    )


def _fits_page(library: Library, entry: Entry) -> bool:
    return _passage_count(library, entry) <= MOST_PASSAGES


def _passage_count(library: Library, entry: Entry) -> int:
    inside = sum(_passage_count(library, child) for child in library.children_of.get(entry.id, ()))
    return len(library.passages_of.get(entry.id, ())) + inside


def adjacent_entries(library: Library, entry: Entry) -> tuple[Entry | None, Entry | None]:
    """Return the entries whose pages come before and after that of ``entry``.

    After a page with all nested entries comes the next entry of the same level, else the first
    nested entry. Before a first nested entry comes the section that it is in.
    """
    siblings = _siblings(library, entry)
    place = siblings.index(entry)
    before = (
        _last_page(library, siblings[place - 1]) if place else library.entry.get(entry.parent or "")
    )
    if (children := library.children_of.get(entry.id, ())) and not _fits_page(library, entry):
        return before, children[0]
    around: Entry | None = entry
    while around:
        siblings = _siblings(library, around)
        place = siblings.index(around)
        if place + 1 < len(siblings):
            return before, siblings[place + 1]
        around = library.entry.get(around.parent or "")
    return before, None


def _last_page(library: Library, entry: Entry) -> Entry:
    """Return the last entry inside ``entry`` with a page of its own, or ``entry`` itself."""
    while (children := library.children_of.get(entry.id, ())) and not _fits_page(library, entry):
        entry = children[-1]
    return entry


def _siblings(library: Library, entry: Entry) -> Sequence[Entry]:
    """Return the entries with the same parent as ``entry``, including itself."""
    if entry.parent:
        return library.children_of[entry.parent]
    return [each for each in library.entries_of(entry.edition) if not each.parent]


def reference_views(library: Library, entry: Entry) -> list[ReferenceView]:
    """Return the references printed in ``entry``, each target once, and those without a target."""
    found: dict[str, ReferenceView] = {}
    for reference in library.references_of.get(entry.id, ()):
        target = library.entry.get(reference.target or "")
        found.setdefault(
            target.id if target else f"?{reference.raw}", ReferenceView(reference, target)
        )
    return list(found.values())


def _links(library: Library, passage: Passage) -> list[TextLink]:
    """Return the references in ``passage`` that have a target, with a remark if the print is
    wrong.
    """
    found = []
    for reference in library.references_of.get(passage.entry, ()):
        target = library.entry.get(reference.target or "")
        printed_at = text_span(passage, Span(*reference.span)) if target else None
        if target and printed_at:
            remark = f"→ {target.title}" if reference.problem else None
            found += [
                TextLink(span, entry_url(target), remark)
                for span in display_spans(passage, [printed_at])
            ]
    return found


@dataclass(frozen=True)
class QuotedSequence:
    """The ``steps`` of a sequence. ``at`` is the index of the passage that it is shown for;
    ``left_out`` counts omitted steps; ``asked`` says if the question asks for an order.
    """

    steps: list[QuotedPassage]
    at: int
    asked: bool
    left_out: int


def quoted_sequence(
    library: Library, passage: Passage, result: SearchResult
) -> QuotedSequence | None:
    """Return the sequence that ``passage`` is a step of, for the question of ``result``."""
    found = sequence_around(library, passage)
    if found is None:
        return None
    steps = [quoted_passage(library, Hit(step, 0.0, ())) for step in found.steps]
    return QuotedSequence(
        steps, found.at, asks_for_order(result.query.question, result.language), found.left_out
    )


def quoted_targets(library: Library, hit: Hit) -> list[QuotedPassage]:
    """Return the passages that the passage of ``hit`` points at, as a page quotes them."""
    found = pointed_passages(library, hit.passage, hit.highlights)
    return [quoted_passage(library, Hit(each.passage, 0.0, ())) for each in found]


@dataclass(frozen=True)
class Misprint:
    """A misprint at ``span`` of the display text of a passage, under the ``title`` of its kind.

    ``meant`` is "" if it is unknown; ``repaired`` says that pages show it in place of ``printed``.
    """

    span: Span
    title: str
    printed: str
    meant: str
    repaired: bool = False


def known_misprints(
    library: Library, passage: Passage, findings: Mapping[str, Sequence[Finding]]
) -> list[Misprint]:
    """Return the misprints in ``passage``, in order, without overlaps; ``findings`` are by
    edition.
    """
    entry = library.entry[passage.entry]
    edition = library.edition[entry.edition]
    found = [
        Misprint(
            span,
            REPAIRED,
            passage.display[span.start : span.end].strip(),
            _named(meant, edition.game, edition.language),
            repaired=True,
        )
        for span, meant in repairs(library, passage)
    ]
    touching = _touching(passage, findings.get(edition.id, ()))
    for each in list(touching)[:MOST_FINDINGS]:
        if not any(_overlap(each.span, other.span) for other in found):
            found.append(each)
    return sorted(found, key=lambda each: each.span)


def _overlap(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _named(text: str, game: str, language: str) -> str:
    """Return ``text`` with the card database's codes for symbols replaced by names."""
    found, last = "", 0
    for place in symbol_places(text, game):
        found += f"{text[last : place.start]}[{place.symbol.name(language)}]"
        last = place.end
    return found + text[last:]


def _touching(passage: Passage, findings: Iterable[Finding]) -> Iterator[Misprint]:
    """Yield the likely ``findings`` in ``passage`` as misprints."""
    first, last = passage.lines
    for finding in findings:
        likely = finding.certainty is not Certainty.POSSIBLE and (
            finding.meant or finding.kind in _TELLING
        )
        if not likely or finding.line is None or not first <= finding.line <= last:
            continue
        if place := _place(finding.printed, passage.text):
            title, meant = FINDING_TITLES[finding.kind], display(finding.meant or "")
            for span in display_spans(passage, [place]):
                yield Misprint(span, title, display(finding.printed), meant)


def _place(printed: str, text: str) -> Span | None:
    """Return the place in ``text`` of the words that a finding calls ``printed``: "[ ]" stands for
    lost characters, "…" for a part cut off.
    """
    words = [
        ".*?" if word == "[ ]" else re.escape(word)
        for word in re.findall(r"\[ \]|\S+", printed.strip("…"))
    ]
    match = re.search(r"\s*".join(words), text, re.DOTALL) if words else None
    return Span(*match.span()) if match else None


@dataclass(frozen=True)
class QuotedLayer:
    """A quoted ruling or card text, with the answering words marked. Missing texts are "".

    Attributes:
        label: Its title for readers.
        heading: The names of its cards.
        translated: Their names in the reader's language, if these differ.
        asked: The question that was ruled on.
        url: Its page here.
        published: Where it was published.
        citation: A citation to be pasted.
        bases: The rules that a ruling is based on.
        other_card: Whether it is on a single card that the question does not name.
    """

    kind: Literal["ruling", "card", "erratum"]
    game: str
    heading: str
    translated: str
    label: str
    language: str
    passage: Passage
    blocks: list[TextBlock]
    url: str
    citation: str
    publication: str = ""
    asked: str = ""
    authority: str = ""
    published: str = ""
    settles: bool = False
    superseded: bool = False
    bases: tuple[Entry, ...] = ()
    other_card: bool = False


def quoted_layer(
    snapshot: Snapshot, hit: RulingHit | CardTextHit, language: str, lines: int = 0
) -> QuotedLayer:
    """Return the ruling or card of ``hit`` as a page in ``language`` quotes it, cut to
    ``lines`` lines; 0 means no limit.
    """
    passage = hit.passage
    if isinstance(hit, CardTextHit):
        game, spoken = hit.quoted.card.game, hit.quoted.text.quoted.language
    else:
        game, spoken = hit.ruling.game, hit.ruling.answer.language
    marks = telling_spans(passage.display, display_spans(passage, hit.highlights))
    symbols = [
        TextSymbol(Span(start, end), symbol.sign, symbol.name(spoken))
        for start, end, symbol in symbol_places(passage.display, game)
    ]
    shown = excerpt(passage.display, marks, lines) if lines else ()
    blocks = text_blocks([AnnotatedPassage(passage, marks, symbols=symbols, excerpt=shown)])
    if isinstance(hit, CardTextHit):
        card = hit.quoted.card
        return QuotedLayer(
            kind="erratum" if hit.quoted.erratum else "card",
            game=game,
            heading=hit.quoted.name(spoken),
            translated=_translated([card], spoken, language),
            label=card_title(hit.quoted, language),
            language=spoken,
            passage=passage,
            blocks=blocks,
            url=card_url(card),
            citation=f"{quotation(passage, spoken)} – {card_label(hit.quoted, language)}",
        )
    ruling = hit.ruling
    cards = [named_card(snapshot, ruling.game, name) for name in ruling.cards]
    return QuotedLayer(
        kind="ruling",
        game=game,
        heading=", ".join(
            card.name(spoken) if card else name
            for card, name in zip(cards, ruling.cards, strict=True)
        )
        or passage.lead_in
        or ruling.id,
        translated=_translated([card for card in cards if card], spoken, language),
        label=ruling_title(ruling, language, hit.older),
        publication=ruling.source,
        language=spoken,
        passage=passage,
        blocks=blocks,
        asked=passage.lead_in,
        authority=ruling.authority,
        url=ruling_url(ruling),
        published=ruling.url,
        citation=f"{quotation(passage, spoken)} – {ruling_label(ruling, language, hit.older)}",
        settles=hit.settles,
        superseded=bool(ruling.superseded_by),
        bases=tuple(
            snapshot.library.entry[basis.entry]
            for basis in ruling.bases
            if basis.entry in snapshot.library.entry
        ),
        other_card=hit.other_card,
    )


def _translated(cards: list[Card], spoken: str, language: str) -> str:
    """Return the names of ``cards`` in ``language`` if a text in ``spoken`` calls them differently;
    else "".
    """
    pairs = [
        (card.name(language), card.name(spoken)) for card in cards if language in card.languages
    ]
    return ", ".join(name for name, other in pairs if name != other) if spoken != language else ""


@dataclass(frozen=True)
class LineTarget:
    """The entry that a line belongs to, and its passage; None for a heading or an empty line."""

    entry: Entry
    passage: Passage | None

    @property
    def url(self) -> str:
        """The address of the passage, or of the entry if there is none."""
        return passage_url(self.entry, self.passage) if self.passage else entry_url(self.entry)


def line_targets(library: Library, edition: str) -> dict[int, LineTarget]:
    """Return the target of each line of an ``edition``; lines outside all entries are missing."""
    entries = library.entries_of(edition)
    passages = [p for entry in entries for p in library.passages_of.get(entry.id, ())]
    found: dict[int, LineTarget] = {}
    # The longest come first and are overwritten by those inside them.
    for entry in sorted(entries, key=lambda e: e.lines.first - e.lines.last):
        found.update(
            dict.fromkeys(range(entry.lines.first, entry.lines.last + 1), LineTarget(entry, None))
        )
    for passage in sorted(passages, key=lambda p: p.lines.first - p.lines.last):
        target = LineTarget(library.entry[passage.entry], passage)
        found.update(dict.fromkeys(range(passage.lines.first, passage.lines.last + 1), target))
    return found


def in_other_languages(snapshot: Snapshot, entry: Entry) -> list[Entry]:
    """Return the entries in other languages with the concept of ``entry``, one for each edition.

    A subsection without a concept is looked up by the term it belongs to.
    """
    library = snapshot.library
    if entry.id not in library.concepts and entry.kind is Kind.SUBSECTION and entry.parent:
        entry = library.entry[entry.parent]
    same_concept = entries_by_concept(snapshot).get(library.concepts.get(entry.id, ""), ())
    language = library.edition[entry.edition].language
    found: dict[str, Entry] = {}
    # A ruling leads to the ruling, not to the card's erratum.
    for other in sorted(same_concept, key=lambda each: each.kind is not entry.kind):
        if library.edition[other.edition].language != language:
            found.setdefault(other.edition, other)
    return [found[e.id] for e in library.editions if e.id in found]


def entries_by_concept(snapshot: Snapshot) -> dict[str, list[Entry]]:
    """Return the entries of ``snapshot`` by the id of their concept, grouped once."""

    def group() -> dict[str, list[Entry]]:
        groups: dict[str, list[Entry]] = {}
        for entry in snapshot.library.entries:
            if concept := snapshot.library.concepts.get(entry.id):
                groups.setdefault(concept, []).append(entry)
        return groups

    return snapshot.cache.get(("entries by concept",), group)
