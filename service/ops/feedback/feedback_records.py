"""A line of feedback: what was said of an answer to which question, without anything on who said
it.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from corpus.model import Passage
from glossary.query_variants import fingerprint
from index.layers.passages import Layer
from index.model import SearchResult
from service.answers.sources import Sources
from service.schemas.fields import LONGEST_QUESTION

RECORD_ID = "[0-9a-f]{16}"
_DAY = r"^\d{4}-\d{2}-\d{2}$"
_LONGEST = 4096  # characters of a name; a document is called by its path
_Name = Annotated[str, Field(max_length=_LONGEST)]


class Verdict(StrEnum):
    """What is said of an answer.

    ``HIT``: a passage settles the question; ``MISS``: it does not. ``UNANSWERED``: nothing settled
    it, as the index itself said. ``OPEN``: the owner confirms that the rulebook leaves it open.
    ``PHRASED``: a hit was put among the phrasings, to be reviewed there. ``UNDONE``: the record of
    the same id is taken back.
    """

    HIT = "hit"
    MISS = "miss"
    UNANSWERED = "unanswered"
    OPEN = "open"
    PHRASED = "phrased"
    UNDONE = "undone"


class FeedbackOrigin(StrEnum):
    """Where it was said: on a page, by the API, by an assistant, on the command line."""

    PAGE = "page"
    API = "api"
    MCP = "mcp"
    CLI = "cli"


class JudgedPassage(BaseModel):
    """The passage that a verdict is about, of a rulebook, a ruling or a card: id, fingerprint of
    its words, citation; none of its words.
    """

    model_config = ConfigDict(frozen=True)

    id: _Name
    fingerprint: Annotated[str, Field(pattern="^[0-9a-f]{12}$")]
    label: _Name = ""

    @property
    def edition(self) -> str:
        """The id of the edition that it is in; of a ruling or a card the name of its layer."""
        return self.id.partition("/")[0]

    @property
    def is_printed(self) -> bool:
        """Whether it is of a rulebook, whose phrasings it may become; rulings and cards have
        none.
        """
        return self.edition not in (Layer.RULINGS, Layer.CARDS)


class FeedbackRecord(BaseModel):
    """One line of a file of feedback.

    ``edition``, ``game`` and ``document`` are those that were asked for, ``as_of`` is the day asked
    for, ``index`` is the snapshot that answered, ``rank`` the place of the passage in the answer,
    None where it was not among the first. ``day`` is the date in UTC: when on that day is not kept.
    """

    model_config = ConfigDict(frozen=True)

    id: Annotated[str, Field(pattern=f"^{RECORD_ID}$")]
    verdict: Verdict
    day: Annotated[str, Field(pattern=_DAY)]
    origin: FeedbackOrigin
    question: Annotated[str, Field(max_length=LONGEST_QUESTION)] = ""
    language: _Name = ""
    edition: _Name | None = None
    game: _Name | None = None
    document: _Name | None = None
    as_of: Annotated[str | None, Field(pattern=_DAY)] = None
    index: _Name = ""
    passage: JudgedPassage | None = None
    answered: bool | None = None
    confidence: float | None = None
    rank: int | None = None

    def line(self) -> bytes:
        """The record as a line of a file."""
        return self.model_dump_json(exclude_none=True).encode() + b"\n"

    @property
    def scope(self) -> tuple[str | None, str | None, str | None]:
        """The edition, game and document that were asked for."""
        return self.edition, self.game, self.document


def today() -> str:
    """The day in UTC."""
    return datetime.now(UTC).date().isoformat()


def record_of(
    sources: Sources,
    found: SearchResult,
    index: str,
    verdict: Verdict,
    origin: FeedbackOrigin,
    passage: Passage | None,
) -> FeedbackRecord:
    """Return the record of a ``verdict`` on what was ``found``, about one ``passage`` or the answer
    as a whole.
    """
    query = found.query
    ranked = found.hits if passage is None or sources.is_printed(passage) else found.ranked
    return FeedbackRecord(
        id=secrets.token_hex(8),
        verdict=verdict,
        day=today(),
        origin=origin,
        question=found.whole_question,
        language=found.language,
        edition=query.edition,
        game=query.game,
        document=query.document,
        as_of=query.as_of,
        index=index,
        passage=judged_passage(sources, passage) if passage else None,
        answered=found.answered,
        confidence=round(min(max(float(found.confidence), 0.0), 1.0), 4),
        rank=next(
            (
                rank
                for rank, hit in enumerate(ranked, 1)
                if passage in (hit.passage, *hit.duplicates)
            ),
            None,
        )
        if passage
        else None,
    )


def judged_passage(sources: Sources, passage: Passage) -> JudgedPassage:
    """Return what is kept of ``passage``."""
    return JudgedPassage(
        id=passage.id,
        fingerprint=fingerprint(passage.text),
        label=sources.label(passage)[:_LONGEST],
    )


def undone_record(id: str, origin: FeedbackOrigin) -> FeedbackRecord:
    """Return the record that takes back the one with this ``id``."""
    return FeedbackRecord(id=id, verdict=Verdict.UNDONE, day=today(), origin=origin)


def phrased_record(question: str, language: str, passage: JudgedPassage) -> FeedbackRecord:
    """Return the record that ``question`` was put among the phrasings of ``passage``, so that it is
    not put there again.
    """
    return FeedbackRecord(
        id=secrets.token_hex(8),
        verdict=Verdict.PHRASED,
        day=today(),
        origin=FeedbackOrigin.CLI,
        question=question,
        language=language,
        passage=passage,
    )
