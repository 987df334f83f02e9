"""The library: every rulebook's editions, entries, passages and references, as an index keeps and looks them up."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from corpus.document import Document
from corpus.model import Edition, Entry, Kind, Lines, Passage, Role, Rulebook, Span
from glossary.model import Problem, Reference, ReferenceKind


@dataclass(frozen=True)
class Source:
    """A document that an edition was read from: its file name and the SHA-256 of its bytes."""

    file: str
    sha256: str


class Book(NamedTuple):
    """One edition with its entries and passages, in document order."""

    edition: Edition
    entries: tuple[Entry, ...]
    passages: tuple[Passage, ...]


@dataclass(frozen=True)
class Library:
    """What has been read, in document order, with the look-ups that search and service need.

    Build one with `gather`, keep it with `save`, get it back with `load`. Nothing in it changes afterwards.
    """

    editions: tuple[Edition, ...]
    sources: dict[str, Source]
    entries: tuple[Entry, ...]
    passages: tuple[Passage, ...]
    references: tuple[Reference, ...]
    pages: dict[str, tuple[int, ...]]
    concepts: dict[str, str] = field(default_factory=dict)

    @cached_property
    def edition(self) -> dict[str, Edition]:
        """Editions by id."""
        return {e.id: e for e in self.editions}

    @cached_property
    def entry(self) -> dict[str, Entry]:
        """Entries by id."""
        return {e.id: e for e in self.entries}

    @cached_property
    def passages_of(self) -> dict[str, tuple[Passage, ...]]:
        """The passages of each entry, in document order, by entry id."""
        return _grouped((p.entry, p) for p in self.passages)

    @cached_property
    def children_of(self) -> dict[str, tuple[Entry, ...]]:
        """The entries directly inside each entry, in document order, by entry id."""
        return _grouped((e.parent, e) for e in self.entries if e.parent)

    @cached_property
    def references_of(self) -> dict[str, tuple[Reference, ...]]:
        """The references printed in each entry, by entry id."""
        return _grouped((r.entry, r) for r in self.references)

    @cached_property
    def referring_to(self) -> dict[str, tuple[Entry, ...]]:
        """The entries that refer to each entry, each once, by entry id."""
        seen: dict[str, dict[str, Entry]] = defaultdict(dict)
        for reference in self.references:
            if reference.target and reference.target != reference.entry and reference.entry in self.entry:
                seen[reference.target][reference.entry] = self.entry[reference.entry]
        return {target: tuple(found.values()) for target, found in seen.items()}

    def entries_of(self, edition: str) -> tuple[Entry, ...]:
        """The entries of one edition in document order; none for an edition that is not here."""
        return self._entries_of.get(edition, ())

    @cached_property
    def _entries_of(self) -> dict[str, tuple[Entry, ...]]:
        return _grouped((e.edition, e) for e in self.entries)

    @cached_property
    def games(self) -> tuple[str, ...]:
        """The games that there are editions of, sorted."""
        return tuple(sorted({e.game for e in self.editions}))

    @cached_property
    def books(self) -> tuple[Book, ...]:
        """The editions one by one."""
        passages = _grouped((self.entry[p.entry].edition, p) for p in self.passages)
        return tuple(Book(e, self.entries_of(e.id), passages.get(e.id, ())) for e in self.editions)

    @cached_property
    def searchable(self) -> tuple[Passage, ...]:
        """The passages that can settle a question: running text, no reference lists, listings or superseded wording."""
        return tuple(p for p in self.passages if p.role is Role.TEXT)

    @cached_property
    def bounds(self) -> tuple[int, ...]:
        """Where the searchable passages of each edition begin among them all, and at the end their number."""
        counts = Counter(self.entry[p.entry].edition for p in self.searchable)
        return tuple(accumulate((counts[e.id] for e in self.editions), initial=0))

    def path(self, entry: Entry) -> tuple[Entry, ...]:
        """The entries around ``entry``, outermost first, itself last."""
        found = [entry]
        while found[0].parent:
            found.insert(0, self.entry[found[0].parent])
        return tuple(found)

    def page(self, entry: Entry) -> int | None:
        """The printed page of ``entry``, or of the nearest entry around it that the printed index gives one."""
        return next((self.pages[e.id][0] for e in reversed(self.path(entry)) if self.pages.get(e.id)), None)

    def fallback(self, edition: str) -> Passage | None:
        """The passage that says what to do where the rulebook of ``edition`` settles nothing; of a sister edition if need be."""
        return self._fallbacks[edition]

    @cached_property
    def _fallbacks(self) -> dict[str, Passage | None]:
        return {edition.id: self._fallback(edition) for edition in self.editions}

    def _fallback(self, here: Edition) -> Passage | None:
        near = sorted((e for e in self.editions if e.game == here.game), key=lambda e: (e.id != here.id, e.language != here.language, e.id))
        for candidate in near:
            for entry in self.entries_of(candidate.id):
                if candidate.fallback and entry.heading == candidate.fallback and self.passages_of.get(entry.id):
                    return self.passages_of[entry.id][0]
        return None


def _grouped(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, tuple[Any, ...]]:
    groups: dict[Any, list[Any]] = defaultdict(list)
    for name, thing in pairs:
        groups[name].append(thing)
    return {name: tuple(things) for name, things in groups.items()}


def gather(
    rulebooks: Sequence[Rulebook], references: Iterable[Reference], pages: dict[str, tuple[int, ...]], concepts: dict[str, str]
) -> Library:
    """The library of ``rulebooks`` with their resolved ``references`` and, by entry id, printed pages and concepts."""
    return Library(
        editions=tuple(r.edition for r in rulebooks),
        sources={r.edition.id: Source(r.document.file, r.document.sha256) for r in rulebooks},
        entries=tuple(e for r in rulebooks for e in r.entries),
        passages=tuple(p for r in rulebooks for p in r.passages),
        references=tuple(references),
        pages=pages,
        concepts=concepts,
    )


def save(library: Library, folder: Path, documents: Iterable[Document]) -> None:
    """Write the library and the documents it was read from, byte for byte, into ``folder``."""
    (folder / "documents").mkdir(parents=True)
    for document in documents:
        (folder / "documents" / document.sha256).write_bytes(document.text.encode("utf-8"))
    data = {
        "editions": [{**asdict(e), "corrections": []} for e in library.editions],
        "sources": {name: asdict(s) for name, s in library.sources.items()},
        "entries": [asdict(e) for e in library.entries],
        "passages": [asdict(p) for p in library.passages],
        "references": [asdict(r) for r in library.references],
        "pages": library.pages,
        "concepts": library.concepts,
    }
    (folder / "library.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")


def documents(folder: Path) -> list[Document]:
    """The documents kept in ``folder``, under the names they came by. Raises `OSError`, `ValueError` or `KeyError` where it is damaged."""
    data = json.loads((folder / "library.json").read_text(encoding="utf-8"))
    return [Document.from_bytes(s["file"], (folder / "documents" / s["sha256"]).read_bytes()) for s in data["sources"].values()]


def load(folder: Path) -> Library:
    """The library kept in ``folder``. Raises `OSError`, `ValueError` or `KeyError` where it is damaged."""
    data = json.loads((folder / "library.json").read_text(encoding="utf-8"))

    def spans(pairs: list[list[int]]) -> tuple[Span, ...]:
        return tuple(Span(a, b) for a, b in pairs)

    return Library(
        editions=tuple(Edition(**{**e, "corrections": ()}) for e in data["editions"]),
        sources={name: Source(**s) for name, s in data["sources"].items()},
        entries=tuple(
            Entry(
                **{
                    **e,
                    "kind": Kind(e["kind"]),
                    "heading_spans": spans(e["heading_spans"]),
                    "spans": spans(e["spans"]),
                    "lines": Lines(*e["lines"]),
                }
            )
            for e in data["entries"]
        ),
        passages=tuple(
            Passage(**{**p, "role": Role(p["role"]), "spans": spans(p["spans"]), "lines": Lines(*p["lines"])}) for p in data["passages"]
        ),
        references=tuple(
            Reference(
                **{
                    **r,
                    "span": Span(*r["span"]),
                    "kind": ReferenceKind(r["kind"]),
                    "problem": Problem(r["problem"]) if r["problem"] else None,
                }
            )
            for r in data["references"]
        ),
        pages={name: tuple(p) for name, p in data["pages"].items()},
        concepts=data["concepts"],
    )
