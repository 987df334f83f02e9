"""Records of feedback on answers, summaries of many records, and tables for the owner."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from corpus.dates import today
from corpus.languages import LANGUAGES, get_language
from corpus.model import Passage
from glossary.normalization import fold
from glossary.query_variants import fingerprint
from index.analysis import folded, plain
from index.layers.passages import Layer
from index.model import SearchResult
from service.answers.sources import Sources
from service.schemas.fields import LONGEST_QUESTION

RECORD_ID = "[0-9a-f]{16}"
_DAY = r"^\d{4}-\d{2}-\d{2}$"
_LONGEST = 4096  # characters of a name; a document is called by its path
_Name = Annotated[str, Field(max_length=_LONGEST)]


class Verdict(StrEnum):
    """A verdict on an answer.

    ``HIT``: a passage settles the question; ``MISS``: it does not. ``UNANSWERED``: the index itself
    found no passage that settles it. ``OPEN``: the owner confirms that the rulebook leaves it open.
    ``PHRASED``: the question of a hit became a query variant, to be reviewed. ``UNDONE``: the
    record with the same id is withdrawn.
    """

    HIT = "hit"
    MISS = "miss"
    UNANSWERED = "unanswered"
    OPEN = "open"
    PHRASED = "phrased"
    UNDONE = "undone"


class FeedbackOrigin(StrEnum):
    """Where feedback was given: on a page, by the API, by an assistant, on the command line."""

    PAGE = "page"
    API = "api"
    MCP = "mcp"
    CLI = "cli"


class JudgedPassage(BaseModel):
    """The passage of a rulebook, a ruling or a card that a verdict is about: id, fingerprint of its
    words and citation, but none of its words.
    """

    model_config = ConfigDict(frozen=True)

    id: _Name
    fingerprint: Annotated[str, Field(pattern="^[0-9a-f]{12}$")]
    label: _Name = ""

    @property
    def edition(self) -> str:
        """The id of the passage's edition; for a ruling or a card the name of its layer."""
        return self.id.partition("/")[0]

    @property
    def is_printed(self) -> bool:
        """Whether the passage is from a rulebook and so can have query variants, unlike rulings and
        cards.
        """
        return self.edition not in (Layer.RULINGS, Layer.CARDS)


class FeedbackRecord(BaseModel):
    """One line of a file of feedback.

    Attributes:
        edition, game, document: what the question was limited to.
        as_of: the day that it was asked for.
        index: the snapshot that answered.
        rank: the place of the passage in the answer; None if it was not among the first.
        day: the date in UTC; the time of day is not kept.
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
        """Return the record as a line of a file."""
        return self.model_dump_json(exclude_none=True).encode() + b"\n"

    @property
    def scope(self) -> tuple[str | None, str | None, str | None]:
        """The edition, game and document that the question was limited to."""
        return self.edition, self.game, self.document


def record_of(
    sources: Sources,
    found: SearchResult,
    index: str,
    verdict: Verdict,
    origin: FeedbackOrigin,
    passage: Passage | None,
) -> FeedbackRecord:
    """Return the record of a ``verdict`` on the answer ``found``: on one ``passage`` or on all of
    it.
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
    """Return ``passage`` as a record keeps it, without its words."""
    return JudgedPassage(
        id=passage.id,
        fingerprint=fingerprint(passage.text),
        label=sources.label(passage)[:_LONGEST],
    )


def undone_record(id: str, origin: FeedbackOrigin) -> FeedbackRecord:
    """Return a record that withdraws the record ``id``."""
    return FeedbackRecord(id=id, verdict=Verdict.UNDONE, day=today(), origin=origin)


def phrased_record(question: str, language: str, passage: JudgedPassage) -> FeedbackRecord:
    """Return a record that ``question`` became a query variant of ``passage``, so that it is not
    added again.
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


ALIKE = 0.35  # cosine from which questions share a group
# Most questions compared with each other, which takes seconds. Those asked less often get a group
# of their own
MOST_GROUPED = 5_000
_BLOCK = 250  # questions compared with all others at once: their cosines take some megabytes
_GRAMS = (3, 5)  # characters; short n-grams make typos and inflected endings count little


@dataclass
class JudgedQuestion:
    """A question with a passage that somebody judged; ``question`` has its first wording."""

    question: str
    language: str
    passage: JudgedPassage
    hits: int = 0
    misses: int = 0


@dataclass
class OpenQuestion:
    """A question that no passage settled. ``days`` are those on which it was asked, ``misses``
    counts how often its passages were called wrong.
    """

    record: FeedbackRecord
    days: set[str] = field(default_factory=set)
    misses: int = 0


def judged_questions(records: Iterable[FeedbackRecord]) -> list[JudgedQuestion]:
    """Return the questions of ``records`` with each passage that was judged, oldest first."""
    found: dict[tuple[str, str, str], JudgedQuestion] = {}
    for record in records:
        passage = record.passage
        if passage and record.verdict in (Verdict.HIT, Verdict.MISS):
            key = (plain(record.question), passage.edition, passage.fingerprint)
            judged = found.setdefault(
                key, JudgedQuestion(record.question, record.language, passage)
            )
            judged.hits += record.verdict is Verdict.HIT
            judged.misses += record.verdict is Verdict.MISS
    return list(found.values())


def confirmed_questions(records: Iterable[FeedbackRecord], least: int = 1) -> list[JudgedQuestion]:
    """Return the questions that at least ``least`` records confirm as settled by the passage and
    none denies.
    """
    return [
        judged for judged in judged_questions(records) if judged.hits >= least and not judged.misses
    ]


def open_questions(records: Iterable[FeedbackRecord]) -> list[OpenQuestion]:
    """Return the questions that no passage settled or whose passages were called wrong, unless a
    passage was called right or the question is confirmed as open.

    Feedback on answers as of a past day is left out: an earlier edition says nothing of what is
    missing today.
    """
    found: dict[tuple[object, ...], OpenQuestion] = {}
    settled = set()
    for record in (record for record in records if record.as_of is None):
        asked = plain(record.question)
        if record.verdict in (Verdict.HIT, Verdict.OPEN):
            settled.add(asked)
        elif record.verdict in (Verdict.UNANSWERED, Verdict.MISS):
            question = found.setdefault((asked, *record.scope), OpenQuestion(record))
            question.days.add(record.day)
            question.misses += record.verdict is Verdict.MISS
    return [question for (asked, *_), question in found.items() if asked not in settled]


def question_groups(questions: Sequence[OpenQuestion]) -> list[list[OpenQuestion]]:
    """Group similar ``questions`` of one scope, the most asked group and question first.

    Each question joins the group whose first question is most similar, by the cosine of the TF-IDF
    of their character n-grams.
    """
    ordered = sorted(
        questions, key=lambda each: (-len(each.days) - each.misses, each.record.question)
    )
    compared = ordered[:MOST_GROUPED]
    groups: dict[int, list[OpenQuestion]] = defaultdict(list)
    for number, near in enumerate(_near_questions(compared)):
        scope = compared[number].record.scope
        leaders = [
            (cosine, -at)
            for at, cosine in near
            if at in groups and compared[at].record.scope == scope
        ]
        groups[-max(leaders)[1] if leaders else number].append(compared[number])
    alone = [[question] for question in ordered[MOST_GROUPED:]]
    return sorted(
        [*groups.values(), *alone],
        key=lambda group: -sum(len(each.days) + each.misses for each in group),
    )


def _near_questions(questions: Sequence[OpenQuestion]) -> Iterator[list[tuple[int, float]]]:
    """Yield for each question the numbers of the similar questions, with their cosines."""
    if not questions:
        return
    from sklearn.feature_extraction.text import TfidfVectorizer  # slow to load

    texts = [_telling_words(each.record) for each in questions]
    weights = TfidfVectorizer(
        analyzer="char_wb", ngram_range=_GRAMS, sublinear_tf=True
    ).fit_transform(texts)
    for start in range(0, len(texts), _BLOCK):
        cosines = (weights[start : start + _BLOCK] @ weights.T).tocsr()
        for row in cosines:
            near = row.data >= ALIKE
            yield list(zip(row.indices[near].tolist(), row.data[near].tolist(), strict=True))


def _telling_words(record: FeedbackRecord) -> str:
    """Return the words of a question without those that are common in questions of its language;
    all words if none would be left.
    """
    language = get_language(record.language if record.language in LANGUAGES else "en")
    common = {fold(word) for word in (*language.questions.words, *language.function_words.telling)}
    return (
        " ".join(word for word in folded(record.question) if word not in common)
        or plain(record.question)
        or "?"
    )


_SHOWN = 80  # characters of a question in a line


def concerns(record: FeedbackRecord, edition: str | None) -> bool:
    """Return whether ``record`` asked for ``edition`` or judged a passage of it; always true if
    ``edition`` is None.
    """
    return (
        edition is None
        or edition == record.edition
        or (record.passage is not None and edition == record.passage.edition)
    )


def record_json(record: FeedbackRecord) -> dict[str, Any]:
    """Return a record for programs."""
    return record.model_dump(mode="json")


def record_table(records: Sequence[FeedbackRecord]) -> str:
    """Return records as lines: id, day, verdict, origin, rank of the passage, question, passage."""
    lines = [f"{'id':16}  {'day':10}  {'verdict':10}  {'origin':6}  rank  question"]
    for record in records:
        rank = "" if record.rank is None else str(record.rank)
        about = f"  ->  {record.passage.label}" if record.passage else ""
        lines.append(
            f"{record.id}  {record.day}  {record.verdict:10}  {record.origin:6}  {rank:>4}  "
            f"{_short(record.question)}{about}"
        )
    return "\n".join(lines)


def group_json(group: Sequence[OpenQuestion]) -> dict[str, Any]:
    """Return a group of questions for programs, the most asked first."""
    questions = [
        {
            "id": each.record.id,
            "question": each.record.question,
            "language": each.record.language,
            "edition": each.record.edition,
            "game": each.record.game,
            "document": each.record.document,
            "days": sorted(each.days),
            "misses": each.misses,
        }
        for each in group
    ]
    return {
        "count": sum(len(each.days) for each in group),
        "misses": sum(each.misses for each in group),
        "questions": questions,
    }


def group_table(groups: Iterable[Sequence[OpenQuestion]]) -> str:
    """Return groups as text: how often each was asked (a wording counts once a day) and how often
    called "not it", then each question with its id.
    """
    parts = []
    for group in groups:
        times, misses = sum(len(each.days) for each in group), sum(each.misses for each in group)
        scope = next((name for name in reversed(group[0].record.scope) if name), "all rulebooks")
        head = f'{times} times unsettled, {misses} times "not it", in {scope}:'
        parts.append(
            "\n".join(
                [head, *(f"  {each.record.id}  {_short(each.record.question)}" for each in group)]
            )
        )
    return "\n\n".join(parts)


def _short(question: str) -> str:
    line = " ".join(question.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
