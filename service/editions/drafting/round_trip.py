"""Whether a draft finds its passage: each text is asked while it is left out, with a quarter of all drafted ones, of what is searched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from glossary.comparison.shared_phrasings import gather_phrasings
from glossary.matching.card_ties import tie_topics
from glossary.phrasings import PassagePhrasings, Phrasing, attach_phrasings
from index.analysis import folded
from index.library.indexed_texts import IndexedText, indexed_texts
from index.model import Query
from index.search import Index
from index.store.edition_store import EditionStore
from index.store.vectors import PassageVectors
from service.editions.drafting.yaml_edits import Changes

AMONG = 5  # passages among which a text must find its own
FOLDS = 4  # parts of the texts; one after the other is left out and asked
NOT_FOUND = "does not find its passage"
OTHER = "could be answered by "  # and the title of the entry that is found instead


@dataclass(frozen=True)
class Asked:
    """A drafted text, what it stands under in the file, and the passages that it should find."""

    fingerprint: str
    phrasing: Phrasing
    passages: frozenset[str]


def check_drafts(
    index: Index, edition: str, own: Sequence[PassagePhrasings], progress: Callable[[int, int], None] = lambda *_: None
) -> dict[str, dict[str, str]]:
    """Ask ``index`` every drafted text of ``own``, the phrasings of ``edition`` in a file; what does not find its passage, with a reason.

    The result is by fingerprint and text; a draft that nobody has to look at has nothing in it. What was reviewed is not asked.
    ``progress`` gets how many texts were asked, and how many there are.
    """
    asked = list(_asked(index, edition, own))
    found: dict[str, dict[str, str]] = {each.fingerprint: {} for each in asked}
    texts = _EditionTexts(index, edition) if asked else None
    done = 0
    for fold in range(FOLDS):
        part = asked[fold::FOLDS]
        if texts is None or not part:
            continue
        trial = index.searching(texts.store_without({(passage, each.phrasing) for each in part for passage in each.passages}))
        for each in part:
            if reason := _fault(trial, edition, each):
                found[each.fingerprint][each.phrasing.text] = reason
            done += 1
            progress(done, len(asked))
    return found


def review_changes(own: Sequence[PassagePhrasings], found: Mapping[str, Mapping[str, str]]) -> Changes:
    """What becomes of the field `review` in the blocks of ``found``, the result of `check_drafts`: reasons of others stay."""
    before = {each.fingerprint: dict(each.review) for each in own}
    return {
        fingerprint: {"review": {text: why for text, why in before[fingerprint].items() if not _is_ours(why)} | dict(marks)}
        for fingerprint, marks in found.items()
    }


def _is_ours(reason: str) -> bool:
    return reason == NOT_FOUND or reason.startswith(OTHER)


def _asked(index: Index, edition: str, own: Sequence[PassagePhrasings]) -> Iterator[Asked]:
    language = index.library.edition[edition].language
    homes: dict[str, set[str]] = defaultdict(set)
    for passage, phrasings in attach_phrasings(own, index.library.passages_in(edition)).by_passage.items():
        homes[phrasings.fingerprint].add(passage)
    for each in own:
        if each.drafted and not each.reviewed and each.fingerprint in homes:
            for phrasing in dict.fromkeys(each.all(language)):
                yield Asked(each.fingerprint, phrasing, frozenset(homes[each.fingerprint]))


def _fault(index: Index, edition: str, asked: Asked) -> str:
    """Why somebody should look at a text; "" where it finds its passage."""
    result = index.search(Query(asked.phrasing.text, edition=edition, language=asked.phrasing.language, k=AMONG))
    if any(passage.id in asked.passages for hit in result.hits for passage in (hit.passage, *hit.duplicates)):
        return ""
    if result.hits and result.answered:
        return OTHER + index.library.entry[result.hits[0].passage.entry].title
    return NOT_FOUND


class _EditionTexts:
    """What is searched of one edition, analysed and encoded once."""

    def __init__(self, index: Index, edition: str):
        library = index.library
        here = [book for book in library.rulebooks if book.edition.game == library.edition[edition].game]
        number = [each.id for each in library.editions].index(edition)
        self._first, end = library.bounds[number : number + 2]
        phrasings = gather_phrasings(here, {**tie_topics(here), **library.concepts})
        self._texts = indexed_texts(library, phrasings)[self._first : end]
        self._passages = [passage.id for passage in library.searchable[self._first : end]]
        self._own = index.encoder.passages([text.text for text in self._texts])
        self._vectors = self._encoded(index)
        self._terms = {each: index.analyzer.terms(each.text, each.language) for each in self._vectors}
        self._own_terms = [index.analyzer.terms(text.text, text.language) for text in self._texts]

    def _encoded(self, index: Index) -> Mapping[Phrasing, NDArray[np.float32]]:
        """The vectors of all phrasings."""
        phrasings = list(dict.fromkeys(phrasing for text in self._texts for phrasing in text.phrasings))
        return dict(zip(phrasings, index.encoder.questions([each.text for each in phrasings]), strict=True)) if phrasings else {}

    def store_without(self, left_out: set[tuple[str, Phrasing]]) -> EditionStore:
        """A store of the edition without some phrasings, given with the ids of their passages."""
        kept: list[IndexedText] = []
        for id, text in zip(self._passages, self._texts, strict=True):
            kept.append(replace(text, phrasings=tuple(each for each in text.phrasings if (id, each) not in left_out)))
        phrased = [(number, each) for number, text in enumerate(kept) for each in text.phrasings]
        rows = [self._vectors[each] for _, each in phrased]
        vectors = np.stack(rows) if rows else np.empty((0, self._own.shape[1]), dtype=np.float32)
        terms = [
            own + [term for each in text.phrasings for term in self._terms[each]] for own, text in zip(self._own_terms, kept, strict=True)
        ]
        words = [[word for said in (text.text, *(p.text for p in text.phrasings)) for word in folded(said)] for text in kept]
        owners = np.array([number for number, _ in phrased], dtype=np.int32)
        return EditionStore(self._first, terms, words, PassageVectors.build(self._own, vectors, owners))
