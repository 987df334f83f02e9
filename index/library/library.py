"""The library of an index: the editions, entries, passages and references of all rulebooks,
look-ups among them, and functions to build, write and open it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from corpus.blocks import PageBoxes, PageNumbers, printed_number
from corpus.document import Document
from corpus.model import (
    DocumentKind,
    Edition,
    Entry,
    Kind,
    Lines,
    Passage,
    Role,
    Rulebook,
    Span,
    TableRow,
)
from corpus.restored_signs import RestoredSign, restored_signs
from glossary import concepts
from glossary.matching.printed_ties import tie_cards, tie_numbers
from glossary.model import Reference, ReferenceKind, ReferenceProblem
from glossary.references import find
from glossary.references.printed_index import resolve_printed_index
from glossary.string_trie import UNKNOWN, StringTrie
from index.files.arrays import RaggedArray
from index.files.records import IdMapping, MappedRecords, RowMapping, SequenceView, write_records
from index.library.document_texts import page_numbers, save_documents
from index.library.relations import Relations, boxes_by_page, page_boxes
from index.library.special_formats import SpecialFormat, SpecialFormats

T = TypeVar("T")

_FOLDER = "library"  # with all that is not in library.json


@dataclass(frozen=True)
class SourceDocument:
    """A document that an edition was read from: its file name, and the SHA-256 of its bytes and of
    its canonical text in UTF-8.

    ``page_sizes`` are width and height of its pages in points; none for a document without pages.
    ``page_numbers`` are the numbers printed on them.
    """

    file: str
    sha256: str
    text_sha256: str = ""  # by default that of the file, which then is the text
    page_sizes: tuple[tuple[float, float], ...] = ()
    page_numbers: PageNumbers = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "text_sha256", self.text_sha256 or self.sha256)
        object.__setattr__(
            self, "page_sizes", tuple((width, height) for width, height in self.page_sizes)
        )
        object.__setattr__(self, "page_numbers", page_numbers(self.page_numbers))

    @property
    def counts_otherwise(self) -> bool:
        """Whether the printed page numbers differ from the numbers of the sheets."""
        return any(
            [number.text for number in sheet] not in ([], [str(at)])
            for at, sheet in enumerate(self.page_numbers, 1)
        )


class IndexedRulebook(NamedTuple):
    """One edition with its entries and passages, in document order."""

    edition: Edition
    entries: Sequence[Entry]
    passages: Sequence[Passage]


@dataclass(frozen=True)
class Library:
    """The contents of all rulebooks, in document order, with the look-ups that search and service
    need. It never changes.

    In an opened library, entries, passages and references become objects on demand. ``restored``
    has the lost or misread characters of passages, by passage id.
    """

    editions: tuple[Edition, ...]
    sources: dict[str, SourceDocument]
    entries: Sequence[Entry]
    passages: Sequence[Passage]
    references: Sequence[Reference]
    pages: Mapping[str, Sequence[int]]
    concepts: Mapping[str, str] = field(default_factory=dict)
    passage_boxes: RaggedArray = field(default_factory=lambda: page_boxes(()))
    heading_boxes: RaggedArray = field(default_factory=lambda: page_boxes(()))
    restored: Mapping[str, Sequence[RestoredSign]] = field(default_factory=dict)

    @cached_property
    def relations(self) -> Relations:
        """Relations between the contents, by number; computed on first use, unless loaded."""
        return Relations.build(self.editions, self.entries, self.passages, self.references)

    @cached_property
    def formats(self) -> SpecialFormats:
        """The formats to which some rules are limited; computed on first use, unless loaded."""
        return SpecialFormats.build(self.editions, self.entries, self.passages, self.relations.ids)

    @cached_property
    def edition(self) -> dict[str, Edition]:
        """Editions by id."""
        return {e.id: e for e in self.editions}

    @cached_property
    def entry(self) -> Mapping[str, Entry]:
        """Entries by id."""
        return IdMapping(self.relations.ids, self.entries)

    @cached_property
    def passages_of(self) -> Mapping[str, Sequence[Passage]]:
        """The passages of each entry, in document order, by entry id."""
        return self._by_entry(self.passages, self.relations.passages)

    @cached_property
    def children_of(self) -> Mapping[str, Sequence[Entry]]:
        """The entries directly inside each entry, in document order, by entry id."""
        return self._by_entry(self.entries, self.relations.children)

    @cached_property
    def references_of(self) -> Mapping[str, Sequence[Reference]]:
        """The references printed in each entry, by entry id."""
        return self._by_entry(self.references, self.relations.references)

    @cached_property
    def referring_to(self) -> Mapping[str, Sequence[Entry]]:
        """The entries that refer to each entry, each once, by entry id."""
        return self._by_entry(self.entries, self.relations.referring)

    def _by_entry(self, things: Sequence[T], rows: RaggedArray) -> Mapping[str, Sequence[T]]:
        return RowMapping(self.relations.ids, rows, partial(SequenceView, things))

    def filter_editions(
        self, edition: str | None = None, game: str | None = None, document: str | None = None
    ) -> list[Edition]:
        """Return the editions with this id, of this game and read from the file of this name; None
        filters nothing.
        """
        return [
            each
            for each in self.editions
            if edition in (None, each.id)
            and game in (None, each.game)
            and document in (None, self.sources[each.id].file)
        ]

    def entries_of(self, edition: str) -> Sequence[Entry]:
        """Return the entries of one edition in document order; none if the edition is unknown."""
        return self._in(edition, self.entries, self.relations.entries)

    def passages_in(self, edition: str) -> Sequence[Passage]:
        """Return the passages of an ``edition``, in document order."""
        return self._in(edition, self.passages, self.relations.printed)

    def references_in(self, edition: str) -> Sequence[Reference]:
        """Return the references printed in an ``edition``, in the order of its entries."""
        return self._in(edition, self.references, self.relations.pointing)

    def card_entries(self, edition: str) -> Sequence[Entry]:
        """Return the entries of an ``edition`` that are about a card."""
        return self._in(edition, self.entries, self.relations.carded)

    def _in(self, edition: str, things: Sequence[T], rows: RaggedArray) -> Sequence[T]:
        number = self._number.get(edition)
        return () if number is None else SequenceView(things, rows.row(number))

    @cached_property
    def _number(self) -> dict[str, int]:
        return {e.id: number for number, e in enumerate(self.editions)}

    @cached_property
    def games(self) -> tuple[str, ...]:
        """The games with editions, sorted."""
        return tuple(sorted({e.game for e in self.editions}))

    @cached_property
    def rulebooks(self) -> tuple[IndexedRulebook, ...]:
        """The editions one by one."""
        return tuple(
            IndexedRulebook(e, self.entries_of(e.id), self.passages_in(e.id)) for e in self.editions
        )

    @cached_property
    def searchable(self) -> Sequence[Passage]:
        """The passages that can settle a question: running text, no reference lists, listings or
        superseded wording.
        """
        return SequenceView(self.passages, self.relations.searchable)

    def searchable_texts(self) -> Iterator[tuple[str, str]]:
        """Yield the text of each searchable passage and the language that it is in."""
        for passage in self.searchable:
            yield passage.text, self.edition[self.entry[passage.entry].edition].language

    @cached_property
    def bounds(self) -> tuple[int, ...]:
        """The position of each edition's first searchable passage among all of them, and the
        total.
        """
        return tuple(self.relations.bounds.tolist())

    def path(self, entry: Entry) -> tuple[Entry, ...]:
        """Return the entries around ``entry``, outermost first, itself last."""
        found = [entry]
        while found[0].parent:
            found.insert(0, self.entry[found[0].parent])
        return tuple(found)

    def with_inside(self, entry: Entry) -> Iterator[Entry]:
        """Yield ``entry`` and the entries inside it, in the order of print."""
        yield entry
        for child in self.children_of.get(entry.id, ()):
            yield from self.with_inside(child)

    def page(self, thing: Entry | Passage) -> int | None:
        """Return the page that an entry or a passage begins on, if its document has pages; else the
        printed page of the entry.

        The printed page is that of the nearest entry, from itself outwards, that the printed index
        lists.
        """
        if isinstance(thing, Passage):
            if places := self.places_of(thing):
                return places[0].page
            thing = self.entry[thing.entry]
        around: Entry | None = thing
        while around is not None:
            if pages := self.pages.get(around.id):
                return pages[0]
            around = self.entry[around.parent] if around.parent else None
        return None

    def printed_page(self, thing: Entry | Passage) -> str:
        """Return the number printed on the page that an entry or a passage begins on, or ""."""
        edition = (thing.entry if isinstance(thing, Passage) else thing.id).partition("/")[0]
        numbers = self.sources[edition].page_numbers
        if places := self.places_of(thing):
            return printed_number(numbers, places[0].page, places[0].boxes[0].left)
        page = self.page(thing)
        if page is None:
            return ""
        return printed_number(numbers, page, 0.0) if self.sources[edition].page_sizes else str(page)

    def passage(self, id: str) -> Passage:
        """Return the passage with this ``id``. Raises `KeyError` if there is none."""
        entry, _, ordinal = id.rpartition("#")
        number = self.relations.ids.number(entry) if ordinal.isdecimal() else UNKNOWN
        found = None if number == UNKNOWN else self._passage_number(number, int(ordinal))
        if found is None:
            raise KeyError(id)
        return self.passages[found]

    def places_of(self, thing: Entry | Passage) -> tuple[PageBoxes, ...]:
        """Return the places of a passage, or of the heading of an entry, on the pages of its
        document; none if the document has no pages. For an entry without a heading, use its first
        passage.
        """
        id = thing.entry if isinstance(thing, Passage) else thing.id
        if not self.sources[id.partition("/")[0]].page_sizes:
            return ()
        number = self.relations.ids.number(id)
        if isinstance(thing, Entry) and thing.heading_spans:
            return boxes_by_page(self.heading_boxes, number)
        found = self._passage_number(number, thing.ordinal if isinstance(thing, Passage) else 0)
        return () if found is None else boxes_by_page(self.passage_boxes, found)

    def _passage_number(self, entry: int, ordinal: int) -> int | None:
        """Return the number of the passage with this ``ordinal`` in ``entry``, given by number."""
        row = self.relations.passages.row(entry).tolist()
        # Nearly always passages are in the order of their ordinals.
        return next(
            (
                each
                for each in (*row[ordinal : ordinal + 1], *row)
                if self.passages[each].ordinal == ordinal
            ),
            None,
        )

    def format_of(self, passage: Passage) -> SpecialFormat | None:
        """Return the format that ``passage`` is limited to; None for a general rule."""
        if passage.entry.partition("/")[0] not in self.formats.editions:
            return None
        entry = self.relations.ids.number(passage.entry)
        number = None if entry == UNKNOWN else self._passage_number(entry, passage.ordinal)
        return None if number is None else self.formats.of(number)

    def fallback(self, edition: str) -> Passage | None:
        """Return the passage that says what to do if the rulebook settles nothing: the fallback of
        ``edition``, or of a sister edition.
        """
        number = int(self.relations.fallbacks[self._number[edition]])
        return None if number == UNKNOWN else self.passages[number]


def assemble_library(
    rulebooks: Sequence[Rulebook],
    known: Callable[[str], Sequence[Reference] | None] = lambda edition: None,
) -> Library:
    """Build the library of ``rulebooks``: find their references, pages, and the concepts of
    entries.

    ``known`` returns the references in an edition by its id, or None if they have to be found.
    """
    references: list[Reference] = []
    pages: dict[str, tuple[int, ...]] = {}
    for rulebook in rulebooks:
        before = known(rulebook.edition.id)
        references += find(rulebook, rulebooks) if before is None else before
        if numbered := rulebook.document.pages:
            begins = ((e.id, numbered.page_at(e.spans[0].start)) for e in rulebook.entries)
            pages |= {id: (page,) for id, page in begins if page}
        else:
            pages |= resolve_printed_index(rulebook).pages
    game_of = {book.edition.id: book.edition.game for book in rulebooks}
    terms = [c for game in sorted(set(game_of.values())) for c in concepts.load_concepts(game)]
    tied = {
        **tie_numbers(rulebooks),
        **tie_cards(rulebooks),
        **concepts.tie_entries(terms, rulebooks).by_entry,
    }
    concept_of = {id: f"{game_of[id.partition('/')[0]]}/{concept}" for id, concept in tied.items()}
    return make_library(rulebooks, references, pages, concept_of)


def make_library(
    rulebooks: Sequence[Rulebook],
    references: Iterable[Reference],
    pages: dict[str, tuple[int, ...]],
    concepts: dict[str, str],
) -> Library:
    """Make the library of ``rulebooks`` with their resolved ``references`` and, by entry id,
    printed pages and concepts.
    """
    paged = [book for book in rulebooks if book.document.pages]
    return Library(
        editions=tuple(book.edition for book in rulebooks),
        sources={book.edition.id: _source(book.document) for book in rulebooks},
        entries=tuple(entry for book in rulebooks for entry in book.entries),
        passages=tuple(passage for book in rulebooks for passage in book.passages),
        references=tuple(references),
        pages=pages,
        concepts=concepts,
        passage_boxes=page_boxes(
            [(book, p.spans) for book in rulebooks if paged for p in book.passages]
        ),
        heading_boxes=page_boxes(
            [(book, e.heading_spans) for book in rulebooks if paged for e in book.entries]
        ),
        restored={id: signs for book in rulebooks for id, signs in restored_signs(book).items()},
    )


def _source(document: Document) -> SourceDocument:
    pages = document.pages
    sizes, numbers = (pages.sizes, pages.numbers) if pages else ((), ())
    return SourceDocument(document.file, document.sha256, document.text_sha256, sizes, numbers)


def save_library(library: Library, folder: Path, documents: Iterable[Document]) -> None:
    """Write the library and the documents that it was read from into ``folder``."""
    save_documents(documents, folder)
    data = {
        "editions": [{**asdict(e), "corrections": []} for e in library.editions],
        "sources": {name: asdict(s) for name, s in library.sources.items()},
        "restored": library.restored,
    }
    (folder / "library.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    place = folder / _FOLDER
    place.mkdir()
    write_records(place / "entry", map(_entry_record, library.entries))
    write_records(place / "passage", map(passage_record, library.passages))
    write_records(place / "reference", map(_reference_record, library.references))
    relations = library.relations
    relations.save(place)
    number_of, count = relations.ids.number, len(library.entries)
    printed = [(number_of(id), page) for id, pages in library.pages.items() for page in pages]
    concepts = StringTrie(library.concepts.values())
    about = [(number_of(id), concepts.number(each)) for id, each in library.concepts.items()]
    for name, pairs in (("page", printed), ("concept", about)):
        owners, values = [owner for owner, _ in pairs], [value for _, value in pairs]
        RaggedArray.from_owners(owners, values, count).save(place / name)
    concepts.save(place / "concepts.marisa")
    library.passage_boxes.save(place / "passage_place")
    library.heading_boxes.save(place / "heading_place")
    library.formats.save(place)


def load_library(folder: Path) -> Library:
    """Map the library in ``folder`` into memory.

    Raises `OSError`, `ValueError`, `KeyError` or `RuntimeError` if it is damaged. Entries,
    passages and references are read when they are asked for; a damaged one raises `ValueError` or
    `KeyError` then.
    """
    data = json.loads((folder / "library.json").read_text(encoding="utf-8"))
    place = folder / _FOLDER
    relations = Relations.load(place)
    concepts = StringTrie.load(place / "concepts.marisa")
    library = Library(
        editions=tuple(map(edition_of_record, data["editions"])),
        sources={name: SourceDocument(**s) for name, s in data["sources"].items()},
        entries=MappedRecords.load(place / "entry", _entry),
        passages=MappedRecords.load(place / "passage", passage_of_record),
        references=MappedRecords.load(place / "reference", _reference),
        pages=RowMapping(
            relations.ids, RaggedArray.load(place / "page"), lambda row: tuple(row.tolist())
        ),
        concepts=RowMapping(
            relations.ids,
            RaggedArray.load(place / "concept"),
            lambda row: concepts.string(int(row[0])),
        ),
        passage_boxes=RaggedArray.load(place / "passage_place"),
        heading_boxes=RaggedArray.load(place / "heading_place"),
        restored={
            passage: tuple(RestoredSign(*sign) for sign in signs)
            for passage, signs in data["restored"].items()
        },
    )
    # Cached properties, not fields: a library with other entries computes its own.
    vars(library)["relations"], vars(library)["formats"] = relations, SpecialFormats.load(place)
    return library


# Records are lists of fields in order; a title that is its heading is left out, and so is a display
# that is its text. Functions that parse them raise `ValueError`, `TypeError` or `KeyError`.

_KINDS = {str(kind): kind for kind in Kind}
_ROLES = {str(role): role for role in Role}
_REFERENCES = {str(kind): kind for kind in ReferenceKind}
_PROBLEMS: dict[str | None, ReferenceProblem | None] = {
    None: None,
    **{str(problem): problem for problem in ReferenceProblem},
}


def edition_of_record(fields: Mapping[str, Any]) -> Edition:
    """Return the edition of a record, without its corrections."""
    return Edition(**{**fields, "corrections": (), "kind": DocumentKind(fields["kind"])})


def _entry_record(e: Entry) -> Sequence[Any]:
    title = None if e.title == e.heading else e.title
    named = (e.id, e.edition, e.kind, e.heading, title, e.number, e.card, e.product, e.parent)
    return (*named, e.heading_spans, e.spans, e.lines)


def _entry(record: Sequence[Any]) -> Entry:
    id, edition, kind, heading, title, number, card, product, parent, *places = record
    heading_spans, spans, (first, last) = places
    return Entry(
        id=id,
        edition=edition,
        kind=_KINDS[kind],
        heading=heading,
        title=heading if title is None else title,
        number=number,
        card=card,
        product=product,
        parent=parent,
        heading_spans=_spans(heading_spans),
        spans=_spans(spans),
        lines=Lines(first, last),
    )


def passage_record(p: Passage) -> Sequence[Any]:
    """Return the record of a passage."""
    display = None if p.display == p.text else p.display
    named = (p.id, p.entry, p.ordinal, p.role, p.depth, p.spans, p.lines)
    rest = (p.row, p.item) if p.item else (p.row,) if p.row else ()
    return (*named, p.text, display, p.context, p.lead_in, *rest)


def passage_of_record(record: Sequence[Any]) -> Passage:
    """Return the passage of a record."""
    id, entry, ordinal, role, depth, spans, (first, last), text, display, *rest = record
    context, lead_in, *more = rest
    row = more[0] if more else None
    return Passage(
        id=id,
        entry=entry,
        ordinal=ordinal,
        role=_ROLES[role],
        depth=depth,
        spans=_spans(spans),
        lines=Lines(first, last),
        text=text,
        display=text if display is None else display,
        context=Span(*context) if context else None,
        lead_in=lead_in,
        row=TableRow(_spans(row[0]), row[1]) if row else None,
        item=more[1] if len(more) > 1 else "",
    )


def _reference_record(r: Reference) -> Sequence[Any]:
    return (r.entry, r.line, r.raw, r.span, r.kind, r.target, r.problem, r.meant)


def _reference(record: Sequence[Any]) -> Reference:
    entry, line, raw, (start, end), kind, target, problem, meant = record
    return Reference(
        entry=entry,
        line=line,
        raw=raw,
        span=Span(start, end),
        kind=_REFERENCES[kind],
        target=target,
        problem=_PROBLEMS[problem],
        meant=meant,
    )


def _spans(pairs: Sequence[Sequence[int]]) -> tuple[Span, ...]:
    return tuple([Span(start, end) for start, end in pairs])
