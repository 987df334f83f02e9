"""Terms that a translation renders by a word that only looks like them: "Reaktion" as "reazione", where the term is "risposta"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Indel

from corpus.model import Passage
from corpus.spans import Span
from glossary import normalization
from glossary.comparison.passage_similarity import PassageSimilarity
from glossary.comparison.term_hints import FacingRow, TermComparison, TermHint
from glossary.concepts import Concept

ALIKE = 0.75  # share of letters that the stems of two words have in common, in order, to look alike
SHORTEST = 6  # letters of such a word


class FalseFriend(NamedTuple):
    """A word of the other side that looks like the term of ``hint``; ``meant`` is the other term that it names, None for no term."""

    hint: TermHint
    passage: Passage
    span: Span
    meant: str | None


class FalseFriends:
    """Finds such words for terms of editions in the two languages of ``similarity``."""

    def __init__(self, similarity: PassageSimilarity, concepts: Iterable[Concept], terms: TermComparison):
        self._similarity = similarity
        self._terms = terms
        self._names: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})
        for concept in concepts:
            for names, language in zip(self._names, similarity.languages, strict=True):
                names[concept.id] = [normalization.stem(name, language) for name in concept.names.get(language, ())]

    def find(self, row: FacingRow, side: int, hints: Sequence[TermHint]) -> Iterator[FalseFriend]:
        """The words of the other side of ``row`` that look like terms of ``side``, which that side does not have: ``hints``."""
        for hint in hints:
            term = hint.passage.display[hint.use.span.start : hint.use.span.end]
            stem = normalization.stem(term, self._similarity.languages[side])
            # Where the other language's own name looks alike too, such a word is one of its forms.
            if " " in term or len(stem) < SHORTEST or any(_alike(stem, name) for name in self._names[1 - side].get(hint.concept, ())):
                continue
            yield from self._words_like(stem, row, side, hint)

    def _words_like(self, stem: str, row: FacingRow, side: int, hint: TermHint) -> Iterator[FalseFriend]:
        for passage in row.passages[1 - side]:
            read = self._similarity.read(1 - side, passage.id)
            for token in normalization.tokenize(passage.display):
                other = normalization.stem(token.text, self._similarity.languages[1 - side])
                feature = self._similarity.languages[1 - side], other
                # What faces the term in other rows too is its translation, though not its name.
                if len(token.text) < SHORTEST or not _alike(stem, other) or self._terms.stands_for(side, hint, feature):
                    continue
                named = {concept for use in read.terms if use.span.start <= token.start < use.span.end for concept in use.concepts}
                yield FalseFriend(hint, passage, Span(token.start, token.end), min(named, default=None))
                return


def _alike(one: str, other: str) -> bool:
    return one[:1] == other[:1] and Indel.normalized_similarity(one, other, score_cutoff=ALIKE) >= ALIKE
