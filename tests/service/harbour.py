"""A small invented card game for tests: two editions built by hand, and an index that tests can
control.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from corpus.display import readable
from corpus.document import Document
from corpus.model import Edition, Entry, Kind, Lines, Passage, Role, Rulebook, Span
from glossary.model import Reference, ReferenceKind, ReferenceProblem
from index.cards.card_store import CardStore
from index.layers.ruling_store import RulingStore
from index.library.library import Library, make_library
from index.model import Hit, Query, SearchResult
from service.core.cache import SnapshotCache
from service.core.snapshot import SearchIndex, Snapshot

GERMAN = """STERNENHAFEN
VERSION 1.0

GLOSSAR

Hier stehen alle Begriffe des Spiels nach dem Alphabet.

ANKERN

Ein Schiff kann nur im **eigenen** Hafen an-
kern. Ein betäubtes Schiff kann nicht ankern.

- Ankern kostet eine Münze.
 - Im Sturm kostet es zwei M\\u00fcnzen.
- Wer ankert, zieht eine Karte (siehe Flaute).

Siehe auch: Flaute, Sturm (Wetter), Leuchtfeuer

DIE HAFENREGEL

Klärt dieses Regelbuch eine Frage nicht, entscheidet der Hafenmeister.

FLAUTE

Bei Flaute darf kein Schiff den Hafen
- Seite 7 -
verlassen, außer es hat Ruder.

STURM (WETTER)

Wer <b>"laut" & deutlich</b> <script>alert(1)</script> sagt, beendet den Sturm.

Ausnahme:

Im Hafen dauert der Sturm eine Runde länger.

HAFEN

Siehe: Ankern

FAQ

LEUCHTTURM (12)

F: Leuchtet der Leuchtturm auch bei Nebel?
A: Ja, aber nur die halbe Strecke.

F: Darf ich zwei Leuchttürme bauen?
A: Nein.

ERRATA

LEUCHTTURM (12)

Der alte Text "Erhalte drei Münzen" gilt nicht.
Die Karte lautet "Erhalte zwei Münzen".

4. ABLAUF

4.2. Wer ablegt, zahlt den Liegeplatz.
Beispiel: Drei Münzen.
"""

ITALIAN = """# PORTO STELLARE
Versione 1.1

## ANCORARE

Una nave stordita non può ancorare.
Una nave senza remi non può uscire.

**Vedi anche:** Bonaccia
"""


class Book:
    """Builds a rulebook from named pieces of its text."""

    def __init__(self, file: str, text: str, edition: Edition) -> None:
        self.document = Document.from_bytes(file, text.encode())
        self.edition = edition
        self.entries: list[Entry] = []
        self.passages: list[Passage] = []
        self.references: list[Reference] = []
        self._at = 0

    def span(self, piece: str, start: int | None = None) -> Span:
        at = self.document.text.index(piece, self._at if start is None else start)
        self._at = at + len(piece)
        return Span(at, at + len(piece))

    def entry(
        self, kind: Kind, slug: str, heading: str, parent: str | None = None, **more: str | None
    ) -> str:
        span = self.span(heading)
        title = more.pop("title", None) or heading
        values = {"number": None, "card": None, "product": None, **more}
        lines = Lines(self.document.line_at(span.start), self.document.line_at(span.end - 1))
        entry_id, parent_id = (
            f"{self.edition.id}/{slug}",
            f"{self.edition.id}/{parent}" if parent else None,
        )
        self.entries.append(
            Entry(
                entry_id,
                self.edition.id,
                kind,
                heading,
                title,
                **values,
                parent=parent_id,
                heading_spans=(span,),
                spans=(span,),
                lines=lines,
            )
        )
        return entry_id

    def unheaded(self, heading: str) -> None:
        """Let the last entry begin with its text, with its heading elsewhere or inside the text."""
        entry = self.entries[-1]
        self.entries[-1] = replace(entry, heading=heading, heading_spans=())
        self._at = entry.spans[0].start

    def passage(self, *pieces: str, role: Role = Role.TEXT, depth: int = 0) -> None:
        entry = self.entries[-1]
        spans = tuple(self.span(piece) for piece in pieces)
        text = self.document.text
        ordinal = sum(p.entry == entry.id for p in self.passages)
        self.passages.append(
            Passage(
                id=f"{entry.id}#{ordinal}",
                entry=entry.id,
                ordinal=ordinal,
                role=role,
                depth=depth,
                spans=spans,
                lines=Lines(
                    self.document.line_at(spans[0].start), self.document.line_at(spans[-1].end - 1)
                ),
                text="\n".join(text[a:b] for a, b in spans),
                display=readable(text, list(spans), {}),
            )
        )

    def refer(
        self,
        raw: str,
        target: str | None,
        kind: ReferenceKind,
        problem: ReferenceProblem | None = None,
    ) -> None:
        last = self.passages[-1]
        span = self.span(raw, last.spans[0].start)
        meant = target if problem and target else None
        self.references.append(
            Reference(
                last.entry,
                self.document.line_at(span.start),
                raw,
                span,
                kind,
                target,
                problem,
                meant,
            )
        )

    def rulebook(self) -> Rulebook:
        """Return the rulebook. An entry extends to the last character of its content."""
        whole: dict[str, Span] = {}
        for entry in reversed(self.entries):
            inside = [s for p in self.passages if p.entry == entry.id for s in p.spans]
            inside += [whole[e.id] for e in self.entries if e.parent == entry.id]
            whole[entry.id] = Span(
                entry.spans[0].start, max([entry.spans[0].end, *(s.end for s in inside)])
            )
        at = self.document.line_at
        entries = tuple(
            replace(
                e, spans=(whole[e.id],), lines=Lines(at(whole[e.id].start), at(whole[e.id].end - 1))
            )
            for e in self.entries
        )
        return Rulebook(self.document, self.edition, entries, tuple(self.passages))


def german() -> Book:
    edition = Edition(
        "sternenhafen-de-1.0",
        "sternenhafen",
        "de",
        "1.0",
        "Sternenhafen Regelbuch",
        "capitals",
        fallback="DIE HAFENREGEL",
    )
    book = Book("hafen.txt", GERMAN, edition)
    at = f"{edition.id}/"
    book.entry(Kind.SECTION, "glossar", "GLOSSAR", title="Glossar")
    book.passage("Hier stehen alle Begriffe des Spiels nach dem Alphabet.")
    book.entry(Kind.TERM, "ankern", "ANKERN", "glossar", title="Ankern")
    book.passage(
        "Ein Schiff kann nur im **eigenen** Hafen an-\nkern. Ein betäubtes Schiff kann nicht "
        "ankern."
    )
    book.passage("- Ankern kostet eine Münze.\n - Im Sturm kostet es zwei M\\u00fcnzen.", depth=1)
    book.passage("- Wer ankert, zieht eine Karte (siehe Flaute).", depth=1)
    book.refer("Flaute", at + "flaute", ReferenceKind.INLINE)
    book.passage("Siehe auch: Flaute, Sturm (Wetter), Leuchtfeuer", role=Role.SEE)
    book.refer("Flaute", at + "flaute", ReferenceKind.SEE_ALSO)
    book.refer("Sturm (Wetter)", at + "sturm", ReferenceKind.SEE_ALSO)
    book.refer("Leuchtfeuer", None, ReferenceKind.SEE_ALSO, ReferenceProblem.MISSING)
    book.entry(Kind.TERM, "die-hafenregel", "DIE HAFENREGEL", "glossar", title="Die Hafenregel")
    book.passage("Klärt dieses Regelbuch eine Frage nicht, entscheidet der Hafenmeister.")
    book.entry(Kind.TERM, "flaute", "FLAUTE", "glossar", title="Flaute")
    book.passage("Bei Flaute darf kein Schiff den Hafen", "verlassen, außer es hat Ruder.")
    book.entry(Kind.TERM, "sturm", "STURM (WETTER)", "glossar", title="Sturm (Wetter)")
    book.passage('Wer <b>"laut" & deutlich</b> <script>alert(1)</script> sagt, beendet den Sturm.')
    book.entry(Kind.SUBSECTION, "sturm.ausnahme", "Ausnahme:", "sturm", title="Ausnahme")
    book.passage("Im Hafen dauert der Sturm eine Runde länger.")
    book.entry(Kind.REDIRECT, "hafen", "HAFEN", "glossar", title="Hafen")
    book.passage("Siehe: Ankern", role=Role.SEE)
    book.refer("Ankern", at + "ankern", ReferenceKind.SEE)
    book.entry(Kind.SECTION, "faq", "FAQ")
    card = {"card": "LEUCHTTURM", "number": "12", "product": "GRUNDSPIEL", "title": "Leuchtturm"}
    book.entry(Kind.RULING, "ruling-leuchtturm-12", "LEUCHTTURM", "faq", **card)
    book.passage("F: Leuchtet der Leuchtturm auch bei Nebel?\nA: Ja, aber nur die halbe Strecke.")
    book.entry(Kind.RULING, "ruling-leuchtturm-12-2", "F: Darf", "faq", **card)
    book.unheaded("LEUCHTTURM")
    book.passage("F: Darf ich zwei Leuchttürme bauen?\nA: Nein.")
    book.entry(Kind.SECTION, "errata", "ERRATA", title="Errata")
    book.entry(Kind.ERRATUM, "erratum-leuchtturm-12", "LEUCHTTURM", "errata", **card)
    book.passage('Der alte Text "Erhalte drei Münzen" gilt nicht.', role=Role.VOID)
    book.passage('Die Karte lautet "Erhalte zwei Münzen".')
    book.entry(Kind.SECTION, "4", "4. ABLAUF", title="4. Ablauf", number="4")
    book.entry(Kind.RULE, "4.2", "4.2", "4", number="4.2")
    book.unheaded("4.2")
    book.passage("4.2. Wer ablegt, zahlt den Liegeplatz.\nBeispiel: Drei Münzen.")
    return book


def italian() -> Book:
    edition = Edition(
        "sternenhafen-it-1.1", "sternenhafen", "it", "1.1", "Porto Stellare Regolamento", "markdown"
    )
    book = Book("porto.txt", ITALIAN, edition)
    book.entry(Kind.TERM, "ancorare", "ANCORARE", title="Ancorare")
    book.passage("Una nave stordita non può ancorare.\nUna nave senza remi non può uscire.")
    book.passage("**Vedi anche:** Bonaccia", role=Role.SEE)
    book.refer("Bonaccia", "sternenhafen-de-1.0/flaute", ReferenceKind.SEE_ALSO)
    return book


def library() -> Library:
    books = [german(), italian()]
    return make_library(
        [b.rulebook() for b in books],
        [r for b in books for r in b.references],
        {"sternenhafen-de-1.0/glossar": (3,)},
        {},
    )


@dataclass(eq=False)
class Harbour(Snapshot):
    """A snapshot of the invented game that finds passages by shared words; with ``settles`` False
    it finds no answer.
    """

    library: Library
    id: str = "index-1"
    built: datetime = datetime(2031, 5, 17, 12, 30, tzinfo=UTC)
    waits: bool = False
    settles: bool = True
    stale: tuple[str, ...] = ()
    unencoded: int = 0
    queries: list[Query] = field(default_factory=list)
    folder: None = None
    cards: CardStore = field(default_factory=CardStore.empty)
    rulings: RulingStore = field(default_factory=RulingStore)
    cache: SnapshotCache = field(default_factory=SnapshotCache)

    @property
    def index(self) -> SearchIndex:  # type: ignore[override]  # an attribute of a Snapshot
        return self

    def rulebooks(self) -> list[Rulebook]:
        return [german().rulebook(), italian().rulebook()]

    def search(self, query: Query) -> SearchResult:
        self.queries.append(query)
        sought = set(re.findall(r"\w+", query.question.lower()))
        hits = []
        for passage in self.library.searchable:
            edition = self.library.edition[self.library.entry[passage.entry].edition]
            if query.edition not in (None, edition.id) or query.game not in (None, edition.game):
                continue
            if query.document not in (None, self.library.sources[edition.id].file):
                continue
            marks, start = [], 0
            for sentence in passage.text.split(". "):
                if sought & set(re.findall(r"\w+", sentence.lower())):
                    marks.append((start, start + len(sentence)))
                start += len(sentence) + 2
            if marks:
                hits.append(Hit(passage, float(len(marks)), tuple(marks)))
        own = "sternenhafen-de-1.0"
        fallback = self.library.fallback(own) if own in self.library.edition else None
        return SearchResult(
            query,
            query.language or "de",
            tuple(hits[: query.k]),
            0.9 if self.settles else 0.1,
            self.settles and bool(hits),
            fallback,
        )


@dataclass
class Indexes:
    """Provides one index, another one, or none, as a test wants."""

    index: Any

    def current(self) -> Any:
        return self.index
