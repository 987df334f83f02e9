"""Turn confirmed feedback into query variants for a human to review, and into a file of questions
for evaluation.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpus.model import Passage, Role
from glossary.query_variants import attach_query_variants, fingerprint, load_with_sister_editions
from index.analysis import plain
from index.library.library import Library
from service.editions.phrasing_edits import NewVariants, with_phrasings
from service.ops.feedback.records import (
    FeedbackRecord,
    JudgedPassage,
    JudgedQuestion,
    Verdict,
    confirmed_questions,
)
from service.ops.workspace import WorkspaceDataFile

LONGEST = 600  # characters of a query variant, as for drafts of a model


class EditionPhrasings:
    """The passages of one ``edition`` of ``library`` by the fingerprints of their words, and the
    query variants of each.
    """

    def __init__(self, library: Library, edition: str):
        passages = [
            p
            for p in library.passages
            if p.role is Role.TEXT and p.entry.partition("/")[0] == edition
        ]
        self.language = library.edition[edition].language
        self.passages = {
            fingerprint(passage.text): passage for passage in reversed(passages)
        }  # of equal passages, the first
        self._phrased = attach_query_variants(
            load_with_sister_editions(library.edition[edition]), passages
        ).by_passage

    def is_phrased(self, passage: Passage, question: str) -> bool:
        """Return whether ``question`` is a query variant of ``passage``."""
        known = self._phrased.get(passage.id)
        return known is not None and plain(question) in {
            plain(phrasing.text) for phrasing in known.all(self.language)
        }


class PhrasedEditions(dict[str, EditionPhrasings | None]):
    """`EditionPhrasings` by edition, each made on first use; None for an edition that is not in
    ``library``.
    """

    def __init__(self, library: Library):
        super().__init__()
        self._library = library

    def __missing__(self, edition: str) -> EditionPhrasings | None:
        self[edition] = (
            EditionPhrasings(self._library, edition) if edition in self._library.edition else None
        )
        return self[edition]

    def passage(self, judged: JudgedPassage) -> Passage | None:
        """Return the present passage with the words of the ``judged`` one, None if none has."""
        edition = self[judged.edition]
        return edition.passages.get(judged.fingerprint) if edition else None


@dataclass
class ProposedPhrasings:
    """Confirmed questions proposed as query variants of an edition, by passage; ``gone`` counts
    questions whose passage is no longer in the edition.
    """

    edition: str
    questions: dict[str, list[JudgedQuestion]] = field(
        default_factory=lambda: defaultdict(list)
    )  # by id of the passage
    passages: dict[str, Passage] = field(default_factory=dict)
    gone: int = 0

    @property
    def count(self) -> int:
        """The number of proposed questions."""
        return sum(map(len, self.questions.values()))

    def additions(self, language: str) -> Iterator[NewVariants]:
        """Yield the query variants for the file of the edition, which is in ``language``."""
        for id, questions in self.questions.items():
            texts = {" ".join(judged.question.split()): judged for judged in questions}
            others: dict[str, tuple[str, ...]] = {}
            for text, judged in texts.items():
                if judged.language != language:
                    others[judged.language] = (*others.get(judged.language, ()), text)
            players = tuple(text for text, judged in texts.items() if judged.language == language)
            review = {
                text: f"asked by users, who called this passage right (times: {judged.hits})"
                for text, judged in texts.items()
            }
            yield NewVariants(self.passages[id], players, others=others, review=review)


def proposed_phrasings(
    library: Library, records: Sequence[FeedbackRecord], least: int = 1, edition: str | None = None
) -> list[ProposedPhrasings]:
    """Return, by edition, the confirmed questions of ``records`` that could become query variants:
    those that are none yet and were not proposed before.
    """
    editions = PhrasedEditions(library)
    before = {
        (plain(r.question), r.passage.edition, r.passage.fingerprint)
        for r in records
        if r.verdict is Verdict.PHRASED and r.passage
    }
    found: dict[str, ProposedPhrasings] = {}
    for judged in (
        judged for judged in confirmed_questions(records, least) if judged.passage.is_printed
    ):
        named = judged.passage.edition
        key = (plain(judged.question), named, judged.passage.fingerprint)
        if (
            edition not in (None, named)
            or key in before
            or not 2 <= len(judged.question.strip()) <= LONGEST
            or not key[0]
        ):
            continue
        proposed = found.setdefault(named, ProposedPhrasings(named))
        passage, phrased = editions.passage(judged.passage), editions[named]
        if passage is None or phrased is None:
            proposed.gone += 1
        elif not phrased.is_phrased(passage, judged.question):
            proposed.questions[passage.id].append(judged)
            proposed.passages[passage.id] = passage
    return list(found.values())


def write_phrasings(home: Path, proposed: ProposedPhrasings, language: str) -> Path:
    """Write the questions ``proposed`` into the file of its edition in the workspace ``home`` and
    return the path.

    Raises `NotKept`; the file is then unchanged.
    """
    file = WorkspaceDataFile.of_phrasings(home, proposed.edition)
    added = list(proposed.additions(language))
    file.change(lambda text: with_phrasings(text, added))
    return file.path


def evaluation_rows(
    library: Library, records: Sequence[FeedbackRecord], least: int
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a question file: confirmed questions with the words that settle them today,
    then questions confirmed as open.

    ``kind`` is "phrased" if a question is a query variant of its passage already, and so measures
    nothing new, else "feedback".
    """
    editions = PhrasedEditions(library)
    answers: dict[tuple[str, str], list[tuple[JudgedQuestion, Passage]]] = defaultdict(list)
    for judged in confirmed_questions(records, least):
        if passage := editions.passage(judged.passage):
            answers[plain(judged.question), library.sources[judged.passage.edition].file].append(
                (judged, passage)
            )
    for (asked, file), found in answers.items():
        first = found[0][0]
        phrased = any(
            known.is_phrased(passage, judged.question)
            for judged, passage in found
            if (known := editions[judged.passage.edition])
        )
        yield {
            "id": _row_id(asked, file),
            "document": file,
            "language": first.language,
            "kind": "phrased" if phrased else "feedback",
            "question": first.question,
            "answers": [_answer(library, passage) for _, passage in found],
        }
    yield from _open_rows(library, records, {asked for asked, _ in answers})


def _open_rows(
    library: Library, records: Iterable[FeedbackRecord], settled: set[str]
) -> Iterator[dict[str, Any]]:
    seen = set(settled)
    for record in records:
        asked = plain(record.question)
        if record.verdict is not Verdict.OPEN or asked in seen:
            continue
        seen.add(asked)
        file = (
            library.sources[record.edition].file
            if record.edition in library.sources
            else record.document
        )
        scope = {"document": file} if file else {"game": record.game} if record.game else {}
        common = {
            "language": record.language,
            "kind": "open",
            "question": record.question,
            "answers": [],
        }
        yield {"id": _row_id(asked, file or record.game or "")} | scope | common


def _answer(library: Library, passage: Passage) -> dict[str, Any]:
    return {
        "lines": list(passage.lines),
        "heading": library.entry[passage.entry].heading,
        "quote": passage.text,
    }


def _row_id(asked: str, scope: str) -> str:
    return "feedback-" + hashlib.sha256(f"{asked}\0{scope}".encode()).hexdigest()[:10]
