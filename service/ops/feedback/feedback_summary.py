"""What feedback amounts to: which passage settles which question, and which questions nothing
settles, alike ones together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from corpus.languages import LANGUAGES, get_language
from glossary.normalization import fold
from index.analysis import folded, plain
from service.ops.feedback.feedback_records import FeedbackRecord, JudgedPassage, Verdict

ALIKE = 0.35  # cosine from which on questions stand in one group
MOST_GROUPED = 5_000  # questions that are compared with each other, which takes seconds; those asked less often stand alone
_BLOCK = 250  # questions compared with all others at once: their cosines take some megabytes
_GRAMS = (3, 5)  # characters; so slips of typing and other endings of a word count little


@dataclass
class JudgedQuestion:
    """A question with a passage that somebody judged; ``question`` is worded as it was first."""

    question: str
    language: str
    passage: JudgedPassage
    hits: int = 0
    misses: int = 0


@dataclass
class OpenQuestion:
    """A question that nothing settled. ``days`` are those on which it was asked, ``misses`` how
    often passages were called wrong.
    """

    record: FeedbackRecord
    days: set[str] = field(default_factory=set)
    misses: int = 0


def judged_questions(records: Iterable[FeedbackRecord]) -> list[JudgedQuestion]:
    """Return the questions of ``records`` with each passage that was judged, in the order in which
    they came.
    """
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
    """Return those that at least ``least`` say are settled by the passage, and nobody says are
    not.
    """
    return [
        judged for judged in judged_questions(records) if judged.hits >= least and not judged.misses
    ]


def open_questions(records: Iterable[FeedbackRecord]) -> list[OpenQuestion]:
    """Return the questions that nothing settled or whose passages were called wrong, unless one was
    called right or it is known as open.

    What was said of answers as of a day is left out: an earlier edition tells nothing of what is
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


def question_groups(
    questions: Sequence[OpenQuestion], alike: float = ALIKE
) -> list[list[OpenQuestion]]:
    """Return ``questions`` with those of one scope that are alike together, the most asked group
    and question first.

    Each joins the most alike of the questions before it that lead a group, by the cosine of the
    TF-IDF of their n-grams of characters.
    """
    ordered = sorted(
        questions, key=lambda each: (-len(each.days) - each.misses, each.record.question)
    )
    compared = ordered[:MOST_GROUPED]
    groups: dict[int, list[OpenQuestion]] = defaultdict(list)
    for number, near in enumerate(_near_questions(compared, alike)):
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


def _near_questions(
    questions: Sequence[OpenQuestion], alike: float
) -> Iterator[list[tuple[int, float]]]:
    """Yield for each question the numbers of those that are alike, with their cosines."""
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
            near = row.data >= alike
            yield list(zip(row.indices[near].tolist(), row.data[near].tolist(), strict=True))


def _telling_words(record: FeedbackRecord) -> str:
    """The words of a question without those that questions of its language have anyway; all of them
    where none is left.
    """
    language = get_language(record.language if record.language in LANGUAGES else "en")
    common = {fold(word) for word in (*language.questions.words, *language.function_words.telling)}
    return (
        " ".join(word for word in folded(record.question) if word not in common)
        or plain(record.question)
        or "?"
    )
