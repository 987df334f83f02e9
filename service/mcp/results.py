"""What the tools of the MCP server answer with: short enough for an assistant to read, every passage with its citation."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from corpus.model import Entry, Passage, Role
from glossary.comparison import Pair
from index.model import SearchResult, Hit
from service.answers.answer import citation_json, citation_label, edition_name, entry_name, see_also
from service.answers.highlighting import display_spans
from service.answers.markers import markers
from service.core.snapshot import Snapshot
from service.editions.comparison import told
from service.schemas.answer import CitationOut

LINKS = 40  # entries that are named in one list; a section can have hundreds


class Quotation(BaseModel):
    """A passage of a rulebook, word for word."""

    words: str = Field(description="The passage as printed, hyphens at line ends closed. Quote from it; change nothing.")
    decides: list[str] = Field(description="The parts of it that answer the question.")
    marker: str = Field(description="Put it in brackets behind a quotation from this passage; the tool verify checks it.")
    citation: CitationOut
    also: list[str] = Field(description="Where else the same words are printed.")
    superseded: bool = Field(description="True for wording that the rulebook prints only to replace it: it does not hold.")


class Answer(BaseModel):
    """The passages found for a question, the best first."""

    question: str
    language: str
    answered: bool = Field(description="False where no passage settles the question: the passages are then only the nearest.")
    confidence: float
    index: str
    passages: list[Quotation]
    fallback: Quotation | None = Field(description="The game's own rule for what its rulebook leaves open; holds where answered is false.")


class Link(BaseModel):
    """An entry, named."""

    entry: str
    title: str
    resource: str


class EntryText(BaseModel):
    """An entry with its passages."""

    entry: str
    name: str
    kind: str
    number: str | None
    product: str | None
    edition: str
    resource: str
    passages: list[Quotation]


class WholeEntry(EntryText):
    """An entry with its passages, what is around and in it, and where it points; of long lists the beginning."""

    inside: list[Link] = Field(description="The entries around it, outermost first.")
    holds: list[Link] = Field(description="The entries directly in it.")
    see_also: list[Link] = Field(description="The entries it refers to.")
    referred_to_by: list[Link]


class Rulings(BaseModel):
    """Rulings and errata of a card in every edition, by pages."""

    total: int
    page: int
    pages: int
    rulings: list[EntryText]


class ComparedRow(BaseModel):
    """Passages that correspond; one side is empty where only the other has them."""

    status: str
    left: list[Quotation]
    right: list[Quotation]
    differs_in: str


class ComparedEntry(BaseModel):
    """An entry in two editions; ``rows`` only where one entry was asked for."""

    status: str = Field(description="only-left, only-right, changed or same.")
    left: list[Link]
    right: list[Link]
    differs_in: list[str] = Field(description="Differences passage by passage, left | right.")
    rows: list[ComparedRow]


class Compared(BaseModel):
    """Two editions side by side, by pages, entries that differ first."""

    left: str
    right: str
    summary: dict[str, int] = Field(description="How many entries there are of each status.")
    total: int
    page: int
    pages: int
    entries: list[ComparedEntry]


class EditionRead(BaseModel):
    """A rulebook that is loaded."""

    edition: str
    name: str
    game: str
    language: str
    version: str
    file: str
    sha256: str
    entries: int


class Editions(BaseModel):
    """The rulebooks that are loaded."""

    index: str
    editions: list[EditionRead]


def quotation(snapshot: Snapshot, hit: Hit) -> Quotation:
    """A passage found."""
    passage = hit.passage
    return Quotation(
        words=passage.display,
        decides=[passage.display[a:b] for a, b in display_spans(passage, hit.highlights)],
        marker=markers(snapshot).marker_of(passage),
        citation=CitationOut.model_validate(citation_json(snapshot.library, passage)),
        also=[citation_label(snapshot.library, other) for other in hit.duplicates],
        superseded=passage.role is Role.VOID,
    )


def printed(snapshot: Snapshot, passage: Passage) -> Quotation:
    """A passage that was not searched for."""
    return quotation(snapshot, Hit(passage, 0.0, ()))


def answer(snapshot: Snapshot, found: SearchResult) -> Answer:
    """What was found for a question."""
    return Answer(
        question=found.query.question,
        language=found.language,
        answered=found.answered,
        confidence=round(min(max(float(found.confidence), 0.0), 1.0), 4),
        index=snapshot.id,
        passages=[quotation(snapshot, hit) for hit in found.hits],
        fallback=printed(snapshot, found.fallback) if found.fallback and not found.answered else None,
    )


def resource(entry: Entry) -> str:
    """The address that ``entry`` can be read at as a resource."""
    return f"regula://entry/{entry.id}"


def link(snapshot: Snapshot, entry: Entry) -> Link:
    """An entry by its name."""
    return Link(entry=entry.id, title=entry_name(snapshot.library, entry), resource=resource(entry))


def entry_text(snapshot: Snapshot, entry: Entry) -> EntryText:
    """An entry with its words."""
    return EntryText(
        entry=entry.id,
        name=entry_name(snapshot.library, entry),
        kind=entry.kind.value,
        number=entry.number,
        product=entry.product,
        edition=entry.edition,
        resource=resource(entry),
        passages=[printed(snapshot, passage) for passage in snapshot.library.passages_of.get(entry.id, ())],
    )


def whole_entry(snapshot: Snapshot, entry: Entry) -> WholeEntry:
    """An entry with its words and its surroundings."""
    library = snapshot.library

    def links(entries: Sequence[Entry]) -> list[Link]:
        return [link(snapshot, each) for each in entries[:LINKS]]

    return WholeEntry(
        **dict(entry_text(snapshot, entry)),
        inside=links(library.path(entry)[:-1]),
        holds=links(library.children_of.get(entry.id, ())),
        see_also=links(see_also(library, entry)),
        referred_to_by=links(library.referring_to.get(entry.id, ())),
    )


def compared_entry(snapshot: Snapshot, pair: Pair, texts: bool) -> ComparedEntry:
    """An entry in two editions, with the ``texts`` of both sides or without."""
    return ComparedEntry(
        status=pair.status.value,
        left=[link(snapshot, entry) for entry in pair.left],
        right=[link(snapshot, entry) for entry in pair.right],
        differs_in=[words for row in pair.rows if (words := told(row))] if pair.left and pair.right else [],
        rows=[
            ComparedRow(
                status=row.status.value,
                left=[printed(snapshot, passage) for passage in row.left],
                right=[printed(snapshot, passage) for passage in row.right],
                differs_in=told(row),
            )
            for row in (pair.rows if texts else ())
        ],
    )


def editions(snapshot: Snapshot) -> Editions:
    """The rulebooks that are loaded."""
    library = snapshot.library
    return Editions(
        index=snapshot.id,
        editions=[
            EditionRead(
                edition=edition.id,
                name=edition_name(edition),
                game=edition.game,
                language=edition.language,
                version=edition.version,
                file=library.sources[edition.id].file,
                sha256=library.sources[edition.id].sha256,
                entries=len(library.entries_of(edition.id)),
            )
            for edition in library.editions
        ],
    )
