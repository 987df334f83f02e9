"""What the tools of the MCP server answer with: short enough for an assistant to read, every passage with its citation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ConfigDict, Field

from corpus.model import Entry, Passage, Role
from glossary.comparison import EntryPair
from index.model import Hit, SearchResult
from service.answers.answer import citation_out, see_also
from service.answers.citations import citation_label, edition_name, entry_name
from service.answers.context import estimate_tokens
from service.answers.highlighting import display_spans
from service.answers.markers import marker_table
from service.answers.notes import notes_out
from service.core.snapshot import Snapshot
from service.editions.comparison import differences_text
from service.schemas.answer import NOTES, CitationOut, NoteOut
from service.schemas.base import DescribedModel, compact_json
from service.schemas.context import ContextOut

LINKS = 40  # entries that are named in one list; a section can have hundreds


def _title(model: type[Any]) -> str:
    """Return what the schemas of the tools call ``model``."""
    return model.__name__.removesuffix("Result")


class ToolResult(DescribedModel):
    """What a tool answers with, or a part of it. In the schemas that assistants get, it is called as its class without the suffix."""

    model_config = ConfigDict(model_title_generator=_title)


class QuotationResult(ToolResult):
    """A passage of a rulebook, word for word."""

    words: str = Field(description="The passage as printed, hyphens at line ends closed. Quote from it; change nothing.")
    decides: list[str] = Field(description="The parts of it that answer the question.")
    marker: str = Field(description="Put it in brackets behind a quotation from this passage; the tool verify checks it.")
    citation: CitationOut
    also: list[str] = Field(description="Where else the same words are printed.")
    superseded: bool = Field(description="True for wording that the rulebook prints only to replace it: it does not hold.")


class AnswerResult(ToolResult):
    """The passages found for a question, the best first."""

    question: str
    language: str
    answered: bool = Field(description="False where no passage settles the question: the passages are then only the nearest.")
    confidence: float
    index: str
    passages: list[QuotationResult]
    fallback: QuotationResult | None = Field(
        description="The game's own rule for what its rulebook leaves open; holds where answered is false."
    )
    notes: list[NoteOut] = NOTES


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


class WholeEntryResult(EntryTextResult):
    """An entry with its passages, what is around and in it, and where it points; of long lists the beginning."""

    inside: list[LinkResult] = Field(description="The entries around it, outermost first.")
    holds: list[LinkResult] = Field(description="The entries directly in it.")
    see_also: list[LinkResult] = Field(description="The entries it refers to.")
    referred_to_by: list[LinkResult]


class RulingsResult(ToolResult):
    """Rulings and errata of a card in every edition, by pages."""

    total: int
    page: int
    pages: int
    rulings: list[EntryTextResult]


class ComparedRowResult(ToolResult):
    """Passages that correspond; one side is empty where only the other has them."""

    status: str
    left: list[QuotationResult]
    right: list[QuotationResult]
    differs_in: str


class ComparedEntryResult(ToolResult):
    """An entry in two editions; ``rows`` only where one entry was asked for."""

    status: str = Field(description="only-left, only-right, changed or same.")
    left: list[LinkResult]
    right: list[LinkResult]
    differs_in: list[str] = Field(description="Differences passage by passage, left | right.")
    rows: list[ComparedRowResult]


class ComparedResult(ToolResult):
    """Two editions side by side, by pages, entries that differ first."""

    left: str
    right: str
    summary: dict[str, int] = Field(description="How many entries there are of each status.")
    total: int
    page: int
    pages: int
    entries: list[ComparedEntryResult]


class EditionReadResult(ToolResult):
    """A rulebook that is loaded."""

    edition: str
    name: str
    game: str
    language: str
    version: str
    file: str
    sha256: str
    entries: int


class EditionsResult(ToolResult):
    """The rulebooks that are loaded."""

    index: str
    editions: list[EditionReadResult]


class ContextPassageResult(ToolResult):
    """A passage of a prompt, by its names."""

    marker: str
    entry: str


class ContextResult(ToolResult):
    """The best passages for a question as one block of text; all of this answer has at most ``budget`` tokens."""

    question: str
    language: str
    answered: bool = Field(description="False where no passage settles the question: the passages are then only the nearest.")
    confidence: float
    index: str
    budget: int
    tokens: int = Field(description="Of the prompt.")
    left_out: int = Field(description="How many passages that were found did not fit.")
    passages: list[ContextPassageResult] = Field(description="Those in the prompt, the best first; read_entry has what is around them.")
    fallback: ContextPassageResult | None = Field(description="The game's own rule for what its rulebook leaves open, in the prompt too.")
    notes: list[NoteOut] = NOTES
    prompt: str = Field(description="What to do, then marker, citation label and words of each passage.")


def context_result(context: ContextOut) -> ContextResult:
    """Return a context as the tool gives it: every word once."""
    return ContextResult.model_validate(context.model_dump())


def context_result_size(context: ContextOut) -> int:
    """Return the tokens of `context_result`."""
    return estimate_tokens(compact_json(context_result(context).model_dump()))


def quotation_result(snapshot: Snapshot, hit: Hit) -> QuotationResult:
    """Return the quotation of a passage that was found."""
    passage = hit.passage
    return QuotationResult(
        words=passage.display,
        decides=[passage.display[a:b] for a, b in display_spans(passage, hit.highlights)],
        marker=marker_table(snapshot).marker_of(passage),
        citation=citation_out(snapshot.library, passage),
        also=[citation_label(snapshot.library, other) for other in hit.duplicates],
        superseded=passage.role is Role.VOID,
    )


def printed_result(snapshot: Snapshot, passage: Passage) -> QuotationResult:
    """Return the quotation of a passage that was not searched for."""
    return quotation_result(snapshot, Hit(passage, 0.0, ()))


def answer_result(snapshot: Snapshot, found: SearchResult) -> AnswerResult:
    """Return what was found for a question."""
    return AnswerResult(
        question=found.query.question,
        language=found.language,
        answered=found.answered,
        confidence=round(min(max(float(found.confidence), 0.0), 1.0), 4),
        index=snapshot.id,
        passages=[quotation_result(snapshot, hit) for hit in found.hits],
        fallback=printed_result(snapshot, found.fallback) if found.fallback and not found.answered else None,
        notes=notes_out(snapshot.library, found),
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


def whole_entry_result(snapshot: Snapshot, entry: Entry) -> WholeEntryResult:
    """Return an entry with its text and what is around it."""
    library = snapshot.library

    def links(entries: Sequence[Entry]) -> list[LinkResult]:
        return [link_result(snapshot, each) for each in entries[:LINKS]]

    return WholeEntryResult(
        **dict(entry_text_result(snapshot, entry)),
        inside=links(library.path(entry)[:-1]),
        holds=links(library.children_of.get(entry.id, ())),
        see_also=links(see_also(library, entry)),
        referred_to_by=links(library.referring_to.get(entry.id, ())),
    )


def compared_entry_result(snapshot: Snapshot, pair: EntryPair, texts: bool) -> ComparedEntryResult:
    """Return an entry in two editions, with the ``texts`` of both sides or without."""
    return ComparedEntryResult(
        status=pair.status.value,
        left=[link_result(snapshot, entry) for entry in pair.left],
        right=[link_result(snapshot, entry) for entry in pair.right],
        differs_in=[words for row in pair.rows if (words := differences_text(row))] if pair.left and pair.right else [],
        rows=[
            ComparedRowResult(
                status=row.status.value,
                left=[printed_result(snapshot, passage) for passage in row.left],
                right=[printed_result(snapshot, passage) for passage in row.right],
                differs_in=differences_text(row),
            )
            for row in (pair.rows if texts else ())
        ],
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
                file=library.sources[edition.id].file,
                sha256=library.sources[edition.id].sha256,
                entries=len(library.entries_of(edition.id)),
            )
            for edition in library.editions
        ],
    )
