"""Convert search results to answers: as `AnswerOut` for the API, and as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict

from corpus.display import display
from corpus.languages import get_language
from corpus.model import Entry, Passage
from index.library.library import Library
from index.model import CardTextHit, Hit, LayerHit, PartResult, RulingHit, SearchResult
from index.questions.asking_sentences import asks_for_order
from index.questions.question_parser import ParsedQuestion
from index.ranking.confidence import Settlement
from service.answers.citations import (
    OTHER_CARDS,
    card_label,
    citation_label,
    cite,
    effective_label,
    ruling_label,
    special_format_label,
    unnamed_game,
)
from service.answers.notes import (
    LACKING,
    missing_rule_label,
    not_in_effect_label,
    notes_out,
    other_game_label,
    replaced_label,
    textless_label,
    undated_labels,
)
from service.answers.pointers import MOST_POINTING, pointed_passages
from service.answers.sequences import StepSequence, sequence_around
from service.answers.sources import (
    card_passage_out,
    citation_out,
    ruling_passage_out,
)
from service.assist.assistant import Assistance
from service.core.displayed import repaired_display, repaired_line
from service.core.i18n import N_, translate
from service.core.snapshot import Snapshot
from service.schemas.answer import AnswerOut, AskedPartOut, AssistedOut, ReadingOut
from service.schemas.fields import MOST_BEFORE
from service.schemas.passage import (
    LeadInOut,
    LinkOut,
    PassageOfLayerOut,
    PassageOut,
    PointedOut,
    QuotedOut,
    SequenceOut,
)


class NumberedHit(NamedTuple):
    """A hit, its ``rank`` from 1 among all hits, and its ``place`` from 1 among hits of rulebooks;
    a hit of another layer has the place of the rulebook hit before it.
    """

    rank: int
    place: int
    hit: Hit


def numbered(hits: Sequence[Hit]) -> list[NumberedHit]:
    """Return ``hits`` of all layers with their numbers, in the same order."""
    found = []
    place = 0
    for rank, hit in enumerate(hits, 1):
        place += not isinstance(hit, LayerHit)
        found.append(NumberedHit(rank, place, hit))
    return found


def page_of(result: SearchResult) -> list[NumberedHit]:
    """Return the hits of ``result`` from the offset of its query on; the first page has all rulings
    and texts of cards.
    """
    offset = result.query.offset
    if not offset:
        return numbered(result.ranked)
    before = len(result.beside)
    return [
        NumberedHit(before + place, place, hit)
        for place, hit in enumerate(result.hits[offset:], offset + 1)
    ]


def next_offset(result: SearchResult) -> int | None:
    """Return the offset of the next page after ``result``; None if there is no further page or it
    is beyond `MOST_BEFORE`.
    """
    return result.query.depth if result.more and result.query.depth <= MOST_BEFORE else None


LIKELY = N_("This likely settles it")
REPAIRED = N_("Repaired, not as printed")


class AnswerHead(TypedDict):
    """The fields that every form of an answer has: the question, the index, and whether the
    question is settled.
    """

    question: str
    language: str
    answered: bool
    settled: Settlement
    confidence: float
    index: str
    as_of: str | None
    context: list[str]


def answer_head(snapshot: Snapshot, result: SearchResult) -> AnswerHead:
    """Return the fields that every form of an answer to ``result.query`` has."""
    return {
        "question": result.query.question,
        "language": result.language,
        "answered": result.answered,
        "settled": result.settled,
        "confidence": shown_confidence(result.confidence),
        "index": snapshot.id,
        "as_of": result.query.as_of,
        "context": list(result.follow_up.before) if result.follow_up else [],
    }


def shown_confidence(confidence: float) -> float:
    """Return ``confidence`` as shown in answers: from 0 to 1, rounded to four decimals."""
    return round(min(max(float(confidence), 0.0), 1.0), 4)


def answer_out(
    snapshot: Snapshot, result: SearchResult, assistance: Assistance | None = None
) -> AnswerOut:
    """Return ``result`` as an answer; ``assistance`` is the contribution of a language model."""
    library = snapshot.library
    return AnswerOut(
        **answer_head(snapshot, result),
        passages=_ranked_out(library, page_of(result), result),
        fallback=_of_rulebook(passage_out(library, result.fallback), result)
        if result.fallback and not result.answered
        else None,
        reading=reading_out(library, result.parsed) if result.parsed else None,
        notes=notes_out(library, result),
        parts=[part_out(library, part, result) for part in result.parts],
        assisted=assisted_out(assistance) if assistance else None,
        step=result.query.step,
        next_offset=next_offset(result),
        elsewhere=part_out(library, result.elsewhere, result) if result.elsewhere else None,
    )


def _ranked_out(
    library: Library, hits: Sequence[NumberedHit], result: SearchResult
) -> list[PassageOfLayerOut]:
    """Return the passages of ``hits``, found for ``result`` or a part of it, in the same order."""
    found: list[PassageOfLayerOut] = []
    for rank, place, hit in hits:
        if isinstance(hit, RulingHit):
            found.append(ruling_passage_out(hit, rank, result.language))
        elif isinstance(hit, CardTextHit):
            found.append(card_passage_out(hit, rank, result.language))
        else:
            found.append(_of_rulebook(hit_out(library, hit, rank, result, place), result))
    return found


def _of_rulebook(passage: PassageOut, result: SearchResult) -> PassageOut:
    """Return ``passage``, marked as from a rulebook if other layers were searched too."""
    return passage.model_copy(update={"layer": "rulebook"}) if result.layers else passage


def part_out(library: Library, part: PartResult, result: SearchResult) -> AskedPartOut:
    """Return ``part``, one of several questions of ``result``, with its own answer."""
    return AskedPartOut(
        question=part.question,
        span=list(part.span),
        language=result.language,
        answered=part.answered,
        settled=part.settled,
        confidence=shown_confidence(part.confidence),
        passages=_ranked_out(library, numbered(part.ranked), result),
    )


def assisted_out(assistance: Assistance) -> AssistedOut:
    """Return the contribution of a language model as part of an answer."""
    return AssistedOut(
        queries=list(assistance.queries),
        chosen=list(assistance.chosen),
        model=assistance.model,
        ms=assistance.ms,
        note=assistance.note,
    )


def reading_out(library: Library, question: ParsedQuestion) -> ReadingOut:
    """Return how ``question`` was parsed: its kind, the concepts and cards that it names, its
    question sentences.
    """
    concepts = {
        f"{game}/{mention.concept}": None
        for game in library.games
        for mention in question.mentions.get(game, ())
    }
    cards = {named.card: None for game in library.games for named in question.cards.get(game, ())}
    return ReadingOut(
        asks=question.asks,
        concepts=list(concepts),
        cards=list(cards),
        questions=list(question.asking_sentences),
    )


def hit_out(library: Library, hit: Hit, rank: int, result: SearchResult, place: int) -> PassageOut:
    """Return the passage of ``hit``, one of ``result``, with the other places of the same words as
    ``also``.

    ``place`` is its rank among hits of rulebooks. The first passages include passages that they
    refer to, the best one also the sequence that it is a step of.
    """
    found = passage_out(
        library, hit.passage, rank, round(float(hit.score), 6), hit.highlights, hit.duplicates
    )
    sequence = sequence_around(library, hit.passage) if place == 1 else None
    pointed = (
        pointed_passages(library, hit.passage, hit.highlights) if place <= MOST_POINTING else []
    )
    if not sequence and not pointed:
        return found
    in_order = asks_for_order(result.query.question, result.language)
    return found.model_copy(
        update={
            "sequence": sequence_out(library, sequence, in_order) if sequence else None,
            "points_to": [
                PointedOut(**_quoted(library, each.passage), reference=each.reference.raw)
                for each in pointed
            ],
        }
    )


def sequence_out(library: Library, sequence: StepSequence, asked: bool) -> SequenceOut:
    """Return ``sequence`` with the citation of each step; ``asked``: the question asks for an
    order.
    """
    steps = [QuotedOut(**_quoted(library, step)) for step in sequence.steps]
    return SequenceOut(asked=asked, step=sequence.at, steps=steps, left_out=sequence.left_out)


def format_out(library: Library, passage: Passage) -> LinkOut | None:
    """Return the special format that ``passage`` is limited to, or None."""
    found = library.format_of(passage)
    return LinkOut(entry=found.entry, title=found.name) if found else None


def _quoted(library: Library, passage: Passage) -> dict[str, Any]:
    return {
        "text": passage.text,
        "display": passage.display,
        "citation": citation_out(library, passage),
    }


def passage_out(
    library: Library,
    passage: Passage,
    rank: int | None = None,
    score: float | None = None,
    highlights: tuple[tuple[int, int], ...] = (),
    also: tuple[Passage, ...] = (),
) -> PassageOut:
    """Return ``passage`` with its citation; rank, score and highlights only if it is a hit."""
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
        applies_to=format_out(library, passage),
    )


def lead_in_out(passage: Passage) -> LeadInOut | None:
    """Return the lead-in of ``passage``, or None."""
    if passage.context is None:
        return None
    return LeadInOut(
        text=passage.lead_in, display=display(passage.lead_in), span=list(passage.context)
    )


def link_out(entry: Entry) -> LinkOut:
    """Return the id and title of ``entry``."""
    return LinkOut(entry=entry.id, title=entry.title)


def see_also(library: Library, entry: Entry) -> list[Entry]:
    """Return the entries of the same edition that ``entry`` refers to, each once, in printed
    order.
    """
    targets = (
        library.entry.get(reference.target or "")
        for reference in library.references_of.get(entry.id, ())
    )
    return list(
        {t.id: t for t in targets if t and t.edition == entry.edition and t.id != entry.id}.values()
    )


def as_text(snapshot: Snapshot, result: SearchResult) -> str:
    """Return ``result`` as text for a terminal: each passage verbatim under its citation."""
    library, words = snapshot.library, get_language(result.language).citation
    parts = []
    if not result.in_effect:
        return not_in_effect_label(result)
    parts += [f"{translate(result.language, LACKING[kind])}." for kind in result.lacking]
    if result.other_game:
        parts.append(f"{other_game_label(result)}.")
    parts += [label for label in (replaced_label(result),) if label]
    parts += undated_labels(library, result)
    if result.missing_rule:
        parts.append(missing_rule_label(result))
    elif result.textless:
        parts.append(textless_label(result))
    elif result.settled is Settlement.LIKELY:
        parts.append(f"{translate(result.language, LIKELY)}:")
    elif not result.answered:
        parts.append(f"{words.unsettled} {words.nearest}" if result.ranked else words.unsettled)
    parts += _numbered(library, result, page_of(result), words.also)
    for part in result.parts:
        parts.append(f"» {part.question}" + ("" if part.answered else f"\n\n{words.unsettled}"))
        parts += _numbered(library, result, numbered(part.ranked[:1]), words.also)
    if result.fallback and not result.answered:
        parts.append(
            f"{words.fallback}\n\n{_cited_text(library, result.fallback, result.language)}"
        )
    return "\n\n".join(parts)


def _numbered(
    library: Library, result: SearchResult, hits: Sequence[NumberedHit], words: str
) -> list[str]:
    """Return each passage of ``hits``, found for ``result``, under its citation. The first passages
    are followed by those that they refer to, or by the steps around them.

    ``words`` is the word for "also", which introduces other places with the same text.
    """
    found = []
    apart = False
    for rank, place, hit in hits:
        if isinstance(hit, RulingHit) and hit.other_card and not apart:
            apart = True
            found.append(f"{translate(result.language, OTHER_CARDS)}:")
        if isinstance(hit, (RulingHit, CardTextHit)):
            found.append(f"{rank}. {_cited_beside(hit, result.language)}")
            continue
        also = [f"   ({words}: {citation_label(library, passage)})" for passage in hit.duplicates]
        special = library.format_of(hit.passage)
        only = [f"   ({special_format_label(result.language, special)})"] if special else []
        game = (
            [f"   ({title})"] if (title := unnamed_game(library, result.query, hit.passage)) else []
        )
        found.append(
            "\n".join(
                [
                    f"{rank}. {_cited_text(library, hit.passage, result.language)}",
                    *game,
                    *only,
                    *also,
                ]
            )
        )
        if (
            place == 1
            and asks_for_order(result.query.question, result.language)
            and (sequence := sequence_around(library, hit.passage))
        ):
            found.extend(
                _cited_text(library, step, result.language)
                for step in sequence.steps
                if step.id != hit.passage.id
            )
        if place <= MOST_POINTING:
            pointed = pointed_passages(library, hit.passage, hit.highlights)
            found.extend(
                f"→ {_cited_text(library, each.passage, result.language)}" for each in pointed
            )
    return found


def _cited_beside(hit: LayerHit, language: str) -> str:
    """Return a ruling (with its question) or a card text under its citation in ``language``."""
    if isinstance(hit, CardTextHit):
        return _under(card_label(hit.quoted, language), hit.passage.display)
    asked = [f"[{hit.ruling.asked.text}]"] if hit.ruling.asked else []
    return _under(
        ruling_label(hit.ruling, language, hit.older), "\n".join([*asked, hit.passage.display])
    )


def _under(label: str, text: str) -> str:
    return "\n".join([label, *(f"   {line}" for line in text.splitlines())])


def _cited_text(library: Library, passage: Passage, language: str) -> str:
    """Return ``passage`` under its citation, with the page and, in ``language``, the effective
    date, if they are known.
    """
    citation = cite(library, passage)
    page = f" ({citation.page_reference})" if citation.page and not citation.paged else ""
    page += f" ({effective})" if (effective := effective_label(language, citation.edition)) else ""
    context = f"[{display(passage.announced)}]\n" if passage.announced else ""
    repaired = (
        f"\n({translate(language, REPAIRED)}: {words})"
        if (words := repaired_line(library, passage))
        else ""
    )
    return _under(f"{citation.label}{page}", f"{context}{passage.display}{repaired}")
