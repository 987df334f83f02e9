"""Answers of the contract, version 1: search results as `AnswerOut`, and as text for a terminal."""

from __future__ import annotations

from typing import TypedDict

from corpus.display import display
from corpus.languages import get_language
from corpus.model import Entry, Passage
from index.library.library import Library
from index.model import Hit, SearchResult
from index.questions.question_parser import ParsedQuestion
from index.ranking.confidence import Settlement
from service.answers.citations import citation_label, cite, entry_url, marked_page_url
from service.answers.notes import notes_out
from service.assist.assistant import Assistance
from service.core.i18n import N_, translate
from service.core.repaired import repaired_display
from service.core.snapshot import Snapshot
from service.schemas.answer import (
    AnswerOut,
    AssistedOut,
    CitationOut,
    LeadInOut,
    LinkOut,
    PageBoxesOut,
    PassageOut,
    PlacedSourceOut,
    ReadingOut,
)

LIKELY = N_("This likely settles it")


class AnswerHead(TypedDict):
    """What every form of an answer begins with: what was asked of which index, and whether it is settled."""

    question: str
    language: str
    answered: bool
    settled: Settlement
    confidence: float
    index: str


def answer_head(snapshot: Snapshot, result: SearchResult) -> AnswerHead:
    """Return what every form of an answer to ``result.query`` begins with."""
    return {
        "question": result.query.question,
        "language": result.language,
        "answered": result.answered,
        "settled": result.settled,
        "confidence": round(min(max(float(result.confidence), 0.0), 1.0), 4),
        "index": snapshot.id,
    }


def answer_out(snapshot: Snapshot, result: SearchResult, assistance: Assistance | None = None) -> AnswerOut:
    """Return the answer to what was asked of ``snapshot``; ``assistance`` is what a model did for it."""
    library = snapshot.library
    return AnswerOut(
        **answer_head(snapshot, result),
        passages=[hit_out(library, hit, rank) for rank, hit in enumerate(result.hits, 1)],
        fallback=passage_out(library, result.fallback) if result.fallback and not result.answered else None,
        reading=reading_out(library, result.parsed) if result.parsed else None,
        notes=notes_out(library, result),
        assisted=assisted_out(assistance) if assistance else None,
    )


def assisted_out(assistance: Assistance) -> AssistedOut:
    """Return what a model did."""
    return AssistedOut(
        queries=list(assistance.queries),
        chosen=list(assistance.chosen),
        model=assistance.model,
        ms=assistance.ms,
        note=assistance.note,
    )


def reading_out(library: Library, question: ParsedQuestion) -> ReadingOut:
    """Return how a question was read: what it asks, the concepts and cards of the games at hand that it names, its asking sentences."""
    concepts = {f"{game}/{mention.concept}": None for game in library.games for mention in question.mentions.get(game, ())}
    cards = {named.card: None for game in library.games for named in question.cards.get(game, ())}
    return ReadingOut(asks=question.asks, concepts=list(concepts), cards=list(cards), questions=list(question.asking_sentences))


def hit_out(library: Library, hit: Hit, rank: int) -> PassageOut:
    """Return the passage of ``hit``, with the other places where the same words are printed under ``also``."""
    return passage_out(library, hit.passage, rank, round(float(hit.score), 6), hit.highlights, hit.duplicates)


def passage_out(
    library: Library,
    passage: Passage,
    rank: int | None = None,
    score: float | None = None,
    highlights: tuple[tuple[int, int], ...] = (),
    also: tuple[Passage, ...] = (),
) -> PassageOut:
    """Return ``passage`` with its citation; one that was not searched for has no rank, score and highlights."""
    return PassageOut(
        rank=rank,
        score=score,
        text=passage.text,
        display=passage.display,
        context=lead_in_out(passage),
        repaired=repaired_display(library, passage),
        highlights=[[start, end] for start, end in highlights],
        role=passage.role,
        depth=passage.depth,
        citation=citation_out(library, passage),
        see_also=[link_out(entry) for entry in see_also(library, library.entry[passage.entry])],
        also=[citation_out(library, other) for other in also],
    )


def lead_in_out(passage: Passage) -> LeadInOut | None:
    """Return what leads in to ``passage``, None where nothing does."""
    if passage.context is None:
        return None
    return LeadInOut(text=passage.lead_in, display=display(passage.lead_in), span=list(passage.context))


def citation_out(library: Library, passage: Passage) -> CitationOut:
    """Return where ``passage`` stands, to the character."""
    citation = cite(library, passage)
    edition, entry = citation.edition, citation.entry
    return CitationOut(
        label=citation.label,
        edition=edition.id,
        game=edition.game,
        language=edition.language,
        version=edition.version,
        entry=entry.id,
        heading=entry.heading,
        kind=entry.kind,
        number=entry.number,
        page=citation.page,
        url=entry_url(entry),
        source=placed_source_out(library, edition.id, passage),
    )


def placed_source_out(library: Library, edition: str, thing: Entry | Passage) -> PlacedSourceOut:
    """Return the document of ``edition`` and the place of ``thing`` in it."""
    source = library.sources[edition]
    return PlacedSourceOut(
        file=source.file,
        sha256=source.sha256,
        spans=[[start, end] for start, end in thing.spans],
        lines=list(thing.lines),
        text_sha256=source.text_sha256,
        pages=[
            PageBoxesOut(page=page, boxes=[list(box) for box in boxes], url=marked_page_url(library, thing, page))
            for page, boxes in library.places_of(thing)
        ],
    )


def link_out(entry: Entry) -> LinkOut:
    """Return id and title of ``entry``."""
    return LinkOut(entry=entry.id, title=entry.title)


def see_also(library: Library, entry: Entry) -> list[Entry]:
    """Return the entries of the same edition that ``entry`` refers to, each once, in the order of print."""
    targets = (library.entry.get(reference.target or "") for reference in library.references_of.get(entry.id, ()))
    return list({t.id: t for t in targets if t and t.edition == entry.edition and t.id != entry.id}.values())


def as_text(snapshot: Snapshot, result: SearchResult) -> str:
    """Return the answer for a terminal: each passage in its official wording under its citation."""
    library, words = snapshot.library, get_language(result.language).citation
    parts = []
    if result.settled is Settlement.LIKELY:
        parts.append(f"{translate(result.language, LIKELY)}:")
    elif not result.answered:
        parts.append(f"{words.unsettled} {words.nearest}" if result.hits else words.unsettled)
    for rank, hit in enumerate(result.hits, 1):
        also = [f"   ({words.also}: {citation_label(library, passage)})" for passage in hit.duplicates]
        parts.append("\n".join([f"{rank}. {_cited_text(library, hit.passage)}", *also]))
    if result.fallback and not result.answered:
        parts.append(f"{words.fallback}\n\n{_cited_text(library, result.fallback)}")
    return "\n\n".join(parts)


def _cited_text(library: Library, passage: Passage) -> str:
    citation = cite(library, passage)
    page = f" ({citation.page_reference})" if citation.page and not citation.paged else ""
    context = f"[{display(passage.lead_in)}]\n" if passage.lead_in else ""
    return "\n".join([f"{citation.label}{page}", *(f"   {line}" for line in f"{context}{passage.display}".splitlines())])
