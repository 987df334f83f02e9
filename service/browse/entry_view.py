"""What the pages show of a library: quotations with their place, an entry with all inside it, its neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpus.model import Edition, Entry, Kind, Passage, Span
from glossary.model import ReferenceProblem, Reference
from index.library.library import Library
from index.model import Hit
from service.answers.answer import see_also
from service.answers.citations import citation_label, edition_name, entry_url, line_range
from service.answers.highlighting import display_spans, text_span
from service.browse.text_blocks import AnnotatedPassage, TextBlock, TextLink, text_blocks
from service.core.i18n import N_

MOST_PASSAGES = 120  # of an entry and all inside it on one page; a longer one lists what is inside it


@dataclass(frozen=True)
class Place:
    """Where something stands, in words: the edition, the printed page, the lines."""

    edition: Edition
    edition_name: str
    page: int | None
    lines: str


@dataclass(frozen=True)
class QuotedPassage:
    """A passage in its official wording, what answers marked, with its place and where to read on.

    ``also`` are label and address of the other places where the same words are printed.
    """

    passage: Passage
    entry: Entry
    heading: str
    around: tuple[Entry, ...]
    place: Place
    blocks: list[TextBlock]
    see_also: list[Entry]
    page: Entry
    also: list[tuple[str, str]]

    @property
    def url(self) -> str:
        """The address of the passage on the page where it is best read: of its entry, or of the section around a rule."""
        return f"{entry_url(self.page)}#{anchor(self.passage)}"


@dataclass(frozen=True)
class EntryView:
    """An entry and the entries inside it, for one page; ``listed`` are those inside it that have pages of their own."""

    entry: Entry
    headed: bool
    blocks: list[TextBlock]
    children: list[EntryView]
    listed: Sequence[Entry] = ()


@dataclass(frozen=True)
class ReferenceView:
    """A reference with the entry that it leads to, None where there is none, and what is wrong with it in print."""

    reference: Reference
    target: Entry | None


def quoted_passage(library: Library, hit: Hit) -> QuotedPassage:
    """The quotation of a hit."""
    passage = hit.passage
    entry = library.entry[passage.entry]
    marked = AnnotatedPassage(passage, display_spans(passage, hit.highlights), _links(library, passage))
    heading, around, page = entry.title, library.path(entry)[:-1], entry
    # A numbered rule prints its number as part of its text; what it is about, the section around it says.
    if entry.kind is Kind.RULE and not entry.heading_spans and (sections := [e for e in around if e.kind is not Kind.RULE]):
        heading, around = sections[-1].title, tuple(sections[:-1])
        page = sections[-1] if _fits(library, sections[-1]) else entry
    also = [(citation_label(library, p), f"{entry_url(library.entry[p.entry])}#{anchor(p)}") for p in hit.duplicates]
    return QuotedPassage(
        passage, entry, heading, around, place(library, entry, passage), text_blocks([marked]), see_also(library, entry), page, also
    )


def place(library: Library, entry: Entry, passage: Passage | None = None) -> Place:
    """The place of ``entry``, or of one of its passages."""
    edition = library.edition[entry.edition]
    first, last = passage.lines if passage else entry.lines
    return Place(edition, edition_name(edition), library.page(entry), line_range(edition.language, first, last))


def anchor(thing: Entry | Passage) -> str:
    """The name of an entry or passage within a page."""
    if isinstance(thing, Entry):
        return f"e-{thing.id.partition('/')[2]}"
    return f"p-{thing.entry.partition('/')[2]}-{thing.ordinal}"


def entry_view(library: Library, entry: Entry) -> EntryView:
    """``entry`` with its text and all inside it; where that is too much for a page, with a list of what is inside it."""
    children = library.children_of.get(entry.id, ())
    whole = _fits(library, entry)
    return EntryView(
        entry=entry,
        # A numbered rule prints its number as part of its text.
        headed=bool(entry.heading_spans) or entry.kind is not Kind.RULE,
        blocks=passage_blocks(library, library.passages_of.get(entry.id, ())),
        children=[entry_view(library, child) for child in children] if whole else [],
        listed=() if whole else children,
    )


def passage_blocks(library: Library, passages: Iterable[Passage]) -> list[TextBlock]:
    """The wording of ``passages`` with its references as links."""
    return text_blocks(AnnotatedPassage(p, (), _links(library, p)) for p in passages)


def _fits(library: Library, entry: Entry) -> bool:
    return _passages(library, entry) <= MOST_PASSAGES


def _passages(library: Library, entry: Entry) -> int:
    inside = sum(_passages(library, child) for child in library.children_of.get(entry.id, ()))
    return len(library.passages_of.get(entry.id, ())) + inside


def neighbours(library: Library, entry: Entry) -> tuple[Entry | None, Entry | None]:
    """The entries before and after ``entry`` in print: beside it in its section, else the section around, the next section."""
    beside = _beside(library, entry)
    at = beside.index(entry)
    before = beside[at - 1] if at else library.entry.get(entry.parent or "")
    here: Entry | None = entry
    while here:
        beside = _beside(library, here)
        at = beside.index(here)
        if at + 1 < len(beside):
            return before, beside[at + 1]
        here = library.entry.get(here.parent or "")
    return before, None


def _beside(library: Library, entry: Entry) -> Sequence[Entry]:
    if entry.parent:
        return library.children_of[entry.parent]
    return [e for e in library.entries_of(entry.edition) if not e.parent]


def reference_views(library: Library, entry: Entry) -> list[ReferenceView]:
    """The references printed in ``entry``, each target once; those without a target too."""
    found: dict[str, ReferenceView] = {}
    for reference in library.references_of.get(entry.id, ()):
        mention = ReferenceView(reference, library.entry.get(reference.target or ""))
        found.setdefault(mention.target.id if mention.target else f"?{reference.raw}", mention)
    return list(found.values())


REMARKS = {
    ReferenceProblem.MISSING: N_("printed without a target"),
    ReferenceProblem.WRONG_NUMBER: N_("wrong number in print"),
    ReferenceProblem.TITLE_DIFFERS: N_("other title in print"),
    ReferenceProblem.AMBIGUOUS: N_("ambiguous in print"),
    ReferenceProblem.OUTSIDE: N_("leads out of this document"),
}


def _links(library: Library, passage: Passage) -> list[TextLink]:
    found = []
    for reference in library.references_of.get(passage.entry, ()):
        target = library.entry.get(reference.target or "")
        here = text_span(passage, Span(*reference.span)) if target else None
        if target and here:
            remark = f"→ {target.title}" if reference.problem else None
            found += [TextLink(span, entry_url(target), remark) for span in display_spans(passage, [here])]
    return found
