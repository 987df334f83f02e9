"""Whether drafts find their passages: asked of an index of the rulebook that does not know them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from glossary.comparison.passage_similarity import gather_phrasings
from glossary.matching.printed_ties import tie_topics
from glossary.query_variants import PassageVariants, QueryVariant, attach_query_variants
from index.encoding.encoder import Encoder, SubwordEncoder
from index.library.indexed_texts import IndexedText, all_words, encoded_texts, indexed_texts
from index.model import Query
from index.search import Index
from index.store.bm25 import Bm25, GramScores, count_terms
from index.store.store import FileStore
from index.store.vectors import PassageVectors
from index.training.material import training_pairs
from service.editions.yaml_edits import changed_fields, loaded, text_slots

AMONG = 5  # passages among which a text must find its own
FOLDS = 3  # parts of the texts; one after the other is left out and asked
NOT_FOUND = "does not find its passage"
OTHER = "could be answered by "  # and the title of the entry that is found instead
# Training begins from nothing: the starting weights know the query variants that are left out.
_BATCH, _SEEN = 1_024, 300 * 1_024
_LIKE = 0.5  # similarity of a text to a variant of another passage that means much the same
_FIELDS = ("players", "situations", "gist", "situations_en", "others")  # that have texts


class EditionTexts:
    """What ``index`` searches of one ``edition``, with the query variants that files have now."""

    def __init__(self, index: Index, edition: str):
        library = index.library
        game = library.edition[edition].game
        here = [book for book in library.rulebooks if book.edition.game == game]
        number = [each.id for each in library.editions].index(edition)
        self._index = index
        self._first, self._end = library.bounds[number : number + 2]
        topics = {**tie_topics(here), **library.concepts}
        self._texts = indexed_texts(library, gather_phrasings(here, topics))
        self._ids = [passage.id for passage in library.searchable]
        self._terms: dict[tuple[str, str], list[str]] = {}

    def index_without(self, left_out: set[tuple[str, QueryVariant]]) -> Index:
        """Return an index of the edition that knows nothing of some variants, given with the ids of
        their passages.

        An encoder that was trained on variants would know each by heart: another one is trained
        without them.
        """
        first, end = self._first, self._end
        texts = [
            replace(
                text,
                phrasings=tuple(each for each in text.phrasings if (id, each) not in left_out)
                if first <= number < end
                else (),
            )
            for number, (id, text) in enumerate(zip(self._ids, self._texts, strict=True))
        ]
        own = texts[first:end]
        encoder = self._encoder(texts)
        encoded = encoded_texts(own, encoder)
        store = FileStore(
            Bm25.build(count_terms(map(self._all_terms, own))),
            GramScores.build(count_terms(all_words(own))),
            PassageVectors.build(encoded.own, encoded.phrasings, encoded.owners),
            first=first,
        )
        return self._index.searching(store, encoder)

    def _encoder(self, texts: Sequence[IndexedText]) -> Encoder:
        """Return the encoder of the index where it is not of its own training, else one trained on
        what the edition has of ``texts``.
        """
        if not isinstance(self._index.encoder, SubwordEncoder):
            return self._index.encoder
        from index.training.encoder import train  # imports torch, which nothing else needs

        pairs = [
            pair._replace(passage=pair.passage - self._first)
            for pair in training_pairs(self._index.library, texts)
            if self._first <= pair.passage < self._end
        ]
        trained = train(texts[self._first : self._end], pairs, batch_size=_BATCH, seen=_SEEN)
        return trained.built_in()

    def _all_terms(self, text: IndexedText) -> list[str]:
        """Return the index terms of a text and its variants."""
        found = []
        for said in ((text.text, text.language), *text.phrasings):
            if said not in self._terms:
                self._terms[said] = self._index.analyzer.terms(*said)
            found += self._terms[said]
        return found


@dataclass(frozen=True)
class Asked:
    """A drafted text, the name of its block, and the passages that it should find."""

    fingerprint: str
    phrasing: QueryVariant
    passages: frozenset[str]


def check_drafts(
    index: Index,
    edition: str,
    own: Sequence[PassageVariants],
    progress: Callable[[int, int], None] = lambda *_: None,
) -> dict[str, dict[str, str]]:
    """Ask ``index`` the drafted texts of ``own``, the query variants of ``edition`` in a file, and
    return why some are to be looked at, by fingerprint and text.

    What was reviewed is not asked. ``progress`` gets how many texts were asked, and how many there
    are.
    """
    asked = list(_asked(index, edition, own))
    found: dict[str, dict[str, str]] = {each.fingerprint: {} for each in asked}
    texts = EditionTexts(index, edition)
    done = 0
    for part in filter(None, (asked[fold::FOLDS] for fold in range(FOLDS))):
        left_out = {(passage, each.phrasing) for each in part for passage in each.passages}
        trial = texts.index_without(left_out)
        for each in part:
            if reason := _fault(trial, edition, each):
                found[each.fingerprint][each.phrasing.text] = reason
            done += 1
            progress(done, len(asked))
    return found


def _asked(index: Index, edition: str, own: Sequence[PassageVariants]) -> Iterator[Asked]:
    language = index.library.edition[edition].language
    attached = attach_query_variants(own, index.library.passages_in(edition)).by_passage
    homes: dict[str, set[str]] = defaultdict(set)
    for passage, phrasings in attached.items():
        homes[phrasings.fingerprint].add(passage)
    for each in own:
        if each.drafted and not each.reviewed and each.fingerprint in homes:
            for phrasing in dict.fromkeys(each.all(language)):
                yield Asked(each.fingerprint, phrasing, frozenset(homes[each.fingerprint]))


def _fault(index: Index, edition: str, asked: Asked) -> str:
    """Return why somebody should look at a text; "" where it finds its passage."""
    query = Query(asked.phrasing.text, edition=edition, language=asked.phrasing.language, k=AMONG)
    for hit in index.search(query).hits:
        if any(passage.id in asked.passages for passage in (hit.passage, *hit.duplicates)):
            return ""
    _, numbers, signals = index.signals(query)
    likest = int(signals["phrasings"].argmax())
    if signals["phrasings"][likest] < _LIKE:
        return NOT_FOUND
    library = index.library
    return OTHER + library.entry[library.searchable[int(numbers[likest])].entry].title


def with_marks(text: str, found: Mapping[str, Mapping[str, str]]) -> str:
    """Return ``text``, the content of the file, with what `check_drafts` ``found`` as `review`.

    What was reviewed meanwhile stays as it is, and so do reasons of others. Raises `CannotEdit`.
    """
    there = loaded(text) or {}
    changes = {}
    for fingerprint, marks in found.items():
        fields = there.get(fingerprint) or {}
        if fields and not fields.get("reviewed"):
            texts = {slot.text for slot in text_slots(fields, _FIELDS)}
            review = {
                text: why
                for text, why in (fields.get("review") or {}).items()
                if not (why == NOT_FOUND or why.startswith(OTHER))
            }
            review |= {text: why for text, why in marks.items() if text in texts}
            changes[fingerprint] = {"review": review}
    return changed_fields(text, changes)
