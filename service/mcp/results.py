"""What the tools of the MCP server answer with: short enough for an assistant to read, every passage with its citation."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from corpus.display import display
from corpus.model import DocumentKind, Entry, Passage, Role
from index.model import CardTextHit, Hit, RulingHit, SearchResult
from index.ranking.confidence import Settlement
from service.answers.answer import citation_out, shown_confidence
from service.answers.citations import citation_label, edition_name, entry_name
from service.answers.markers import marker_table
from service.answers.notes import notes_out
from service.core.highlighting import display_spans
from service.core.repaired import repaired_display
from service.core.snapshot import Snapshot
from service.mcp.card_results import LayerQuotationResult, hit_quotation
from service.mcp.result_model import ToolResult
from service.schemas.answer import AS_OF, NOTES, READ_WITH, SETTLED, NoteOut
from service.schemas.passage import EFFECTIVE, CitationOut

REPAIRED_WORDS = Field(
    description="The words with signs and letters that the document has lost or misread, where they are known. For understanding; do not "
    "quote it."
)


class QuotationResult(ToolResult):
    """A passage of a rulebook, word for word."""

    words: str = Field(description="The passage as printed, hyphens at line ends closed. Quote from it; change nothing.")
    decides: list[str] = Field(description="The parts of it that answer the question.")
    marker: str = Field(description="Put it in brackets behind a quotation from this passage; the tool verify checks it.")
    citation: CitationOut
    also: list[str] = Field(description="Where else the same words are printed.")
    superseded: bool = Field(description="True for wording that the rulebook prints only to replace it: it does not hold.")
    before: str | None = Field(description="What is printed before the passage and leads in to it: read it with it.")
    repaired: str | None = REPAIRED_WORDS
    only_in: str | None = Field(
        default=None,
        description="The variant or mode of play that it holds in alone; missing for a general rule.",
        exclude_if=lambda value: value is None,
    )


class AskedPartResult(ToolResult):
    """One of several questions that were asked in one text, with the passage that answers it best."""

    question: str
    answered: bool = Field(description="False where no passage settles it: the passage is then only the nearest.")
    passage: QuotationResult | LayerQuotationResult | None


class AnswerResult(ToolResult):
    """The passages found for a question, the best first."""

    question: str
    language: str
    answered: bool = Field(description="False where no passage settles the question: the passages are then only the nearest.")
    settled: Annotated[Settlement, SETTLED]
    confidence: float
    index: str
    passages: list[QuotationResult | LayerQuotationResult]
    fallback: QuotationResult | None = Field(
        description="The game's own rule for what its rulebook leaves open, where answered is false and the question is about its rules."
    )
    notes: list[NoteOut] = NOTES
    parts: list[AskedPartResult] = Field(
        default=[],
        description="Where several things were asked, each question with its own best passage.",
        exclude_if=lambda value: not value,
    )
    as_of: Annotated[str | None, AS_OF] = None
    context: list[str] = READ_WITH


class LinkResult(ToolResult):
    """An entry, named."""

    entry: str
    title: str
    resource: str


class EntryTextResult(ToolResult):
    """An entry with its passages."""

    entry: str
    name: str
    kind: str
    number: str | None
    product: str | None
    edition: str
    resource: str
    passages: list[QuotationResult]


class RulingsResult(ToolResult):
    """Rulings and errata of a card in every edition, by pages."""

    total: int
    page: int
    pages: int
    rulings: list[EntryTextResult]


class EditionReadResult(ToolResult):
    """A rulebook that is loaded."""

    edition: str
    name: str
    game: str
    language: str
    version: str
    effective: Annotated[str | None, EFFECTIVE]
    kind: DocumentKind
    file: str
    sha256: str
    entries: int


class EditionsResult(ToolResult):
    """The rulebooks that are loaded."""

    index: str
    editions: list[EditionReadResult]


def quotation_result(snapshot: Snapshot, hit: Hit) -> QuotationResult:
    """Return the quotation of a passage that was found."""
    passage = hit.passage
    special = snapshot.library.format_of(passage)
    return QuotationResult(
        words=passage.display,
        decides=[passage.display[a:b] for a, b in display_spans(passage, hit.highlights)],
        marker=marker_table(snapshot).marker_of(passage),
        citation=citation_out(snapshot.library, passage),
        also=[citation_label(snapshot.library, other) for other in hit.duplicates],
        superseded=passage.role is Role.VOID,
        before=lead_in(passage),
        repaired=repaired_display(snapshot.library, passage),
        only_in=special.name if special else None,
    )


def _passage_result(snapshot: Snapshot, hit: Hit, language: str) -> QuotationResult | LayerQuotationResult:
    """Return what was found for a question in ``language``, in whatever layer."""
    if isinstance(hit, (RulingHit, CardTextHit)):
        return hit_quotation(snapshot, hit, language)
    return quotation_result(snapshot, hit)


def lead_in(passage: Passage) -> str | None:
    """Return what leads in to ``passage``, for readers; None where nothing does."""
    return display(passage.lead_in) or None


def printed_result(snapshot: Snapshot, passage: Passage) -> QuotationResult:
    """Return the quotation of a passage that was not searched for."""
    return quotation_result(snapshot, Hit(passage, 0.0, ()))


def answer_result(snapshot: Snapshot, found: SearchResult) -> AnswerResult:
    """Return what was found for a question."""
    return AnswerResult(
        question=found.query.question,
        language=found.language,
        answered=found.answered,
        settled=found.settled,
        confidence=shown_confidence(found.confidence),
        index=snapshot.id,
        passages=[_passage_result(snapshot, hit, found.language) for hit in found.ranked],
        fallback=printed_result(snapshot, found.fallback) if found.fallback and not found.answered else None,
        notes=notes_out(snapshot.library, found),
        parts=[
            AskedPartResult(
                question=part.question,
                answered=part.answered,
                passage=_passage_result(snapshot, part.ranked[0], found.language) if part.ranked else None,
            )
            for part in found.parts
        ],
        as_of=found.query.as_of,
        context=list(found.follow_up.before) if found.follow_up else [],
    )


def resource_uri(entry: Entry) -> str:
    """Return the address that ``entry`` can be read at as a resource."""
    return f"regula://entry/{entry.id}"


def link_result(snapshot: Snapshot, entry: Entry) -> LinkResult:
    """Return an entry by its name."""
    return LinkResult(entry=entry.id, title=entry_name(snapshot.library, entry), resource=resource_uri(entry))


def entry_text_result(snapshot: Snapshot, entry: Entry) -> EntryTextResult:
    """Return an entry with its text."""
    return EntryTextResult(
        entry=entry.id,
        name=entry_name(snapshot.library, entry),
        kind=entry.kind.value,
        number=entry.number,
        product=entry.product,
        edition=entry.edition,
        resource=resource_uri(entry),
        passages=[printed_result(snapshot, passage) for passage in snapshot.library.passages_of.get(entry.id, ())],
    )


def editions_result(snapshot: Snapshot) -> EditionsResult:
    """Return the rulebooks that are loaded."""
    library = snapshot.library
    return EditionsResult(
        index=snapshot.id,
        editions=[
            EditionReadResult(
                edition=edition.id,
                name=edition_name(edition),
                game=edition.game,
                language=edition.language,
                version=edition.version,
                effective=edition.effective or None,
                kind=edition.kind,
                file=library.sources[edition.id].file,
                sha256=library.sources[edition.id].sha256,
                entries=len(library.entries_of(edition.id)),
            )
            for edition in library.editions
        ],
    )
