"""The library of an index: the editions, entries, passages and references of all rulebooks, and
look-ups among them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from corpus.blocks import PageBoxes
from corpus.document import Document
from corpus.model import Edition, Entry, Passage, Rulebook
from corpus.restored_signs import RestoredSign, restored_signs
from glossary.model import Reference
from glossary.string_trie import UNKNOWN, StringTrie
from index.files.name_tables import IdMapping, RowMapping
from index.files.ragged import RaggedArray
from index.files.records import MappedRecords, SequenceView, write_records
from index.library import serialization
from index.library.document_texts import save_documents
from index.library.page_places import PagePlaces
from index.library.relations import Relations
from index.library.special_formats import SpecialFormat, SpecialFormats

T = TypeVar("T")

_FOLDER = "library"  # with all that is not in library.json


@dataclass(frozen=True)
class SourceDocument:
    """A document that an edition was read from: its file name, the SHA-256 of its bytes and that of
    its canonical text in UTF-8.

    ``page_sizes`` are width and height of its pages in points; none for a document without pages.
    """

    file: str
    sha256: str
    text_sha256: str = ""  # that of the file where it is not given: the file is the text
    page_sizes: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "text_sha256", self.text_sha256 or self.sha256)
        object.__setattr__(
            self, "page_sizes", tuple((width, height) for width, height in self.page_sizes)
        )


class IndexedRulebook(NamedTuple):
    """One edition with its entries and passages, in document order."""

    edition: Edition
    entries: Sequence[Entry]
    passages: Sequence[Passage]


@dataclass(frozen=True)
class Library:
    """The contents of all rulebooks, in document order, with the look-ups that search and service
    need.

    `make_library` makes one, `save_library` writes it, `load_library` opens it: then entries,
    passages and references are made into objects only when they are asked for, and look-ups are
    those of `Relations`. ``restored`` has what is lost or misread in passages, by their ids. It
    never changes.
    """

    editions: tuple[Edition, ...]
    sources: dict[str, SourceDocument]
    entries: Sequence[Entry]
    passages: Sequence[Passage]
    references: Sequence[Reference]
    pages: Mapping[str, Sequence[int]]
    concepts: Mapping[str, str] = field(default_factory=dict)
    places: PagePlaces = field(default_factory=PagePlaces.nowhere)
    restored: Mapping[str, Sequence[RestoredSign]] = field(default_factory=dict)

    @cached_property
    def relations(self) -> Relations:
        """What belongs together, by number; computed on first use, unless it was loaded."""
        return Relations.build(self.editions, self.entries, self.passages, self.references)

    @cached_property
    def formats(self) -> SpecialFormats:
        """The formats that some rules hold in alone; worked out on first use, unless they were
        loaded.
        """
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
        """The entries of one edition in document order; none for an edition that is not here."""
        return self._in(edition, self.entries, self.relations.entries)

    def passages_in(self, edition: str) -> Sequence[Passage]:
        """The passages of an ``edition``, in document order."""
        return self._in(edition, self.passages, self.relations.printed)

    def references_in(self, edition: str) -> Sequence[Reference]:
        """The references printed in an ``edition``, in the order of its entries."""
        return self._in(edition, self.references, self.relations.pointing)

    def card_entries(self, edition: str) -> Sequence[Entry]:
        """Those of the entries of an ``edition`` that are about a card."""
        return self._in(edition, self.entries, self.relations.carded)

    def _in(self, edition: str, things: Sequence[T], rows: RaggedArray) -> Sequence[T]:
        number = self._number.get(edition)
        return () if number is None else SequenceView(things, rows.row(number))

    @cached_property
    def _number(self) -> dict[str, int]:
        return {e.id: number for number, e in enumerate(self.editions)}

    @cached_property
    def games(self) -> tuple[str, ...]:
        """The games that there are editions of, sorted."""
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
        """The text of each searchable passage and the language that it is in."""
        for passage in self.searchable:
            yield passage.text, self.edition[self.entry[passage.entry].edition].language

    @cached_property
    def bounds(self) -> tuple[int, ...]:
        """Where the searchable passages of each edition begin among them all, and at the end their
        number.
        """
        return tuple(self.relations.bounds.tolist())

    def path(self, entry: Entry) -> tuple[Entry, ...]:
        """The entries around ``entry``, outermost first, itself last."""
        found = [entry]
        while found[0].parent:
            found.insert(0, self.entry[found[0].parent])
        return tuple(found)

    def page(self, thing: Entry | Passage) -> int | None:
        """The page that an entry or a passage begins on, where its document has pages; else the
        printed page of the entry.

        That is its own, or that of the nearest entry around it that the printed index gives one.
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

    def passage(self, id: str) -> Passage:
        """The passage called ``id``. Raises `KeyError`."""
        entry, _, ordinal = id.rpartition("#")
        number = self.relations.ids.number(entry) if ordinal.isdecimal() else UNKNOWN
        found = None if number == UNKNOWN else self._passage_number(number, int(ordinal))
        if found is None:
            raise KeyError(id)
        return self.passages[found]

    def places_of(self, thing: Entry | Passage) -> tuple[PageBoxes, ...]:
        """Where a passage, or the heading of an entry, stands on the pages of its document; nothing
        where that has none.

        Of an entry without a heading it is where its first passage stands.
        """
        id = thing.entry if isinstance(thing, Passage) else thing.id
        if not self.sources[id.partition("/")[0]].page_sizes:
            return ()
        number = self.relations.ids.number(id)
        if isinstance(thing, Entry) and thing.heading_spans:
            return self.places.of_heading(number)
        found = self._passage_number(number, thing.ordinal if isinstance(thing, Passage) else 0)
        return () if found is None else self.places.of_passage(found)

    def _passage_number(self, entry: int, ordinal: int) -> int | None:
        """The number of the passage of ``entry``, by number, with this ``ordinal``."""
        row = self.relations.passages.row(entry).tolist()
        # Nearly always passages stand in the order of their ordinals.
        return next(
            (
                each
                for each in (*row[ordinal : ordinal + 1], *row)
                if self.passages[each].ordinal == ordinal
            ),
            None,
        )

    def format_of(self, passage: Passage) -> SpecialFormat | None:
        """The format that ``passage`` holds in alone; None for a general rule."""
        if passage.entry.partition("/")[0] not in self.formats.editions:
            return None
        entry = self.relations.ids.number(passage.entry)
        number = None if entry == UNKNOWN else self._passage_number(entry, passage.ordinal)
        return None if number is None else self.formats.of(number)

    def fallback(self, edition: str) -> Passage | None:
        """The passage that says what to do where the rulebook of ``edition`` settles nothing; of a
        sister edition if need be.
        """
        number = int(self.relations.fallbacks[self._number[edition]])
        return None if number == UNKNOWN else self.passages[number]


def make_library(
    rulebooks: Sequence[Rulebook],
    references: Iterable[Reference],
    pages: dict[str, tuple[int, ...]],
    concepts: dict[str, str],
) -> Library:
    """The library of ``rulebooks`` with their resolved ``references`` and, by entry id, printed
    pages and concepts.
    """
    return Library(
        editions=tuple(r.edition for r in rulebooks),
        sources={r.edition.id: _source(r.document) for r in rulebooks},
        entries=tuple(e for r in rulebooks for e in r.entries),
        passages=tuple(p for r in rulebooks for p in r.passages),
        references=tuple(references),
        pages=pages,
        concepts=concepts,
        places=PagePlaces.build(rulebooks),
        restored={
            passage: signs
            for rulebook in rulebooks
            for passage, signs in restored_signs(rulebook).items()
        },
    )


def _source(document: Document) -> SourceDocument:
    return SourceDocument(
        document.file,
        document.sha256,
        document.text_sha256,
        document.pages.sizes if document.pages else (),
    )


def save_library(library: Library, folder: Path, documents: Iterable[Document]) -> None:
    """Write the library and the documents it was read from, byte for byte and as texts, into
    ``folder``.
    """
    save_documents(documents, folder)
    data = {
        "editions": [{**asdict(e), "corrections": []} for e in library.editions],
        "sources": {name: asdict(s) for name, s in library.sources.items()},
        "restored": library.restored,
    }
    (folder / "library.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    place = folder / _FOLDER
    place.mkdir()
    write_records(place / "entry", map(serialization.entry_record, library.entries))
    write_records(place / "passage", map(serialization.passage_record, library.passages))
    write_records(place / "reference", map(serialization.reference_record, library.references))
    relations = library.relations
    relations.save(place)
    number_of, count = relations.ids.number, len(library.entries)
    owners = [number_of(id) for id, pages in library.pages.items() for _ in pages]
    RaggedArray.from_owners(
        owners, [page for pages in library.pages.values() for page in pages], count
    ).save(place / "page")
    concepts = StringTrie(library.concepts.values())
    numbers = [concepts.number(concept) for concept in library.concepts.values()]
    RaggedArray.from_owners([number_of(id) for id in library.concepts], numbers, count).save(
        place / "concept"
    )
    concepts.save(place / "concepts.marisa")
    library.places.save(place)
    library.formats.save(place)


def load_library(folder: Path) -> Library:
    """The library in ``folder``, mapped into memory. Raises `OSError`, `ValueError`, `KeyError` or
    `RuntimeError` where it is damaged.

    Entries, passages and references are read when they are asked for; a damaged one raises
    `ValueError` or `KeyError` then.
    """
    data = json.loads((folder / "library.json").read_text(encoding="utf-8"))
    place = folder / _FOLDER
    relations = Relations.load(place)
    concepts = StringTrie.load(place / "concepts.marisa")
    library = Library(
        editions=tuple(map(serialization.edition, data["editions"])),
        sources={name: SourceDocument(**s) for name, s in data["sources"].items()},
        entries=MappedRecords.load(place / "entry", serialization.entry),
        passages=MappedRecords.load(place / "passage", serialization.passage),
        references=MappedRecords.load(place / "reference", serialization.reference),
        pages=RowMapping(relations.ids, RaggedArray.load(place / "page"), _pages),
        concepts=RowMapping(
            relations.ids,
            RaggedArray.load(place / "concept"),
            lambda row: concepts.string(int(row[0])),
        ),
        places=PagePlaces.load(place),
        restored={
            passage: tuple(RestoredSign(*sign) for sign in signs)
            for passage, signs in data["restored"].items()
        },
    )
    # The cached properties; no fields, since a library with other entries has others.
    vars(library)["relations"], vars(library)["formats"] = relations, SpecialFormats.load(place)
    return library


def _pages(row: NDArray[np.int32]) -> tuple[int, ...]:
    return tuple(row.tolist())
