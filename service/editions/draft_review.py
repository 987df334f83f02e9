"""Drafts of query variants and terms: check whether they find their passages, and review them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from corpus.languages import LANGUAGES
from corpus.model import Entry, Passage
from glossary.comparison.passage_similarity import gather_phrasings
from glossary.concepts.loading import ConceptFields
from glossary.matching.printed_ties import tie_topics
from glossary.query_variants import PassageVariants, QueryVariant, attach_query_variants
from index.encoding.encoder import Encoder, SubwordEncoder
from index.library.indexed_texts import IndexedText, all_words, encoded_texts, indexed_texts
from index.library.library import Library
from index.model import Query
from index.search import Index
from index.store.bm25 import Bm25, GramScores, count_terms
from index.store.store import FileStore
from index.store.vectors import PassageVectors
from index.training.material import training_pairs
from service.core.i18n import N_
from service.editions.yaml_edits import (
    FileBlock,
    TextSlot,
    changed_fields,
    find_block,
    loaded,
    replaced,
    text_slots,
    with_fields,
)

AMONG = 5  # passages among which a text must find its own
FOLDS = 3  # parts of the texts; each in turn is left out and searched for
NOT_FOUND = "does not find its passage"
OTHER = "could be answered by "  # and the title of the entry that is found instead
# Training uses no starting weights: they have learned the query variants that are left out.
_BATCH, _SEEN = 1_024, 300 * 1_024
_LIKE = 0.5  # similarity from which a text means the same as another passage's variant
_FIELDS = ("players", "situations", "gist", "situations_en", "others")  # that have texts


class EditionTexts:
    """The searchable texts of one ``edition`` of ``index``, with the query variants now in
    files.
    """

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
        """Return an index of the edition without the variants ``left_out``, pairs of the id of a
        passage and a variant.

        An encoder trained on variants would know them by heart, so another one is trained without
        them.
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
        """Return the encoder of the index if it was trained elsewhere, else one trained on the
        edition's part of ``texts``.
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
    """Search ``index`` for the drafted texts of ``own``, the query variants of ``edition`` in a
    file, and return why some should be checked, by fingerprint and text.

    Reviewed texts are skipped. ``progress`` gets the number of texts searched, and of all texts.
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
    """Return why somebody should check a text; "" if it finds its passage."""
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
    """Return ``text``, the content of the file, with the results ``found`` by `check_drafts` as
    `review`.

    Texts reviewed meanwhile, and reasons that people wrote, are kept. Raises `CannotEdit`.
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


LONGEST = 600  # characters of a text
KINDS = {
    "players": N_("Questions"),
    "situations": N_("Situations"),
    "gist": N_("What it settles"),
    "situations_en": N_("Situations"),
    "others": N_("In other languages"),
}
REASONS = {NOT_FOUND: N_("does not find its passage"), OTHER: N_("could be answered by %(entry)s")}
NAMES, SLANG, ABBREVIATIONS = "names", "slang", "abbreviations"
TERM_KINDS = {NAMES: N_("Names"), SLANG: N_("Slang"), ABBREVIATIONS: N_("Abbreviations")}
_TERM_FIELDS = (*LANGUAGES, SLANG, ABBREVIATIONS)


@dataclass(frozen=True)
class ReviewText:
    """A text to review, at the path ``name`` in its YAML block; ``reason`` says why to check it,
    ``other`` is the entry named in the reason.
    """

    name: str
    text: str
    kind: str
    language: str
    reason: str = ""
    other: str = ""


@dataclass(frozen=True)
class PassageReview:
    """A ``passage`` with its query variants, which ``others`` further passages share."""

    phrasings: PassageVariants
    passage: Passage
    entry: Entry
    others: int

    @property
    def fingerprint(self) -> str:
        """The name of its block in the file."""
        return self.phrasings.fingerprint


@dataclass(frozen=True)
class ReviewTerm:
    """The concept ``id`` as in its file, with an ``entry`` and its first ``passage``, if the index
    has one for it.
    """

    id: str
    fields: ConceptFields
    entry: Entry | None
    passage: Passage | None


class Outdated(Exception):
    """A block was changed since it was shown; ``block`` is its present content, None if it is
    gone.
    """

    def __init__(self, block: FileBlock | None):
        super().__init__("changed since it was shown")
        self.block = block


def is_reviewed(each: PassageVariants | ConceptFields) -> bool:
    """Return whether a block is confirmed and has nothing new to check."""
    return each.reviewed and not each.review


def review_items(
    library: Library, edition: str, own: Sequence[PassageVariants]
) -> list[PassageReview]:
    """Return the reviewable items of ``own``, the query variants of ``edition`` in its file: those
    with reasons first, then those with few texts, those without, and reviewed ones.
    """
    homes: dict[str, list[Passage]] = defaultdict(list)
    by_id = {passage.id: passage for passage in library.passages_in(edition)}
    listed = [each for each in own if each.drafted or each.review]
    for id, phrasings in attach_query_variants(listed, by_id.values()).by_passage.items():
        homes[phrasings.fingerprint].append(by_id[id])
    language = library.edition[edition].language

    def order(item: PassageReview) -> tuple[bool, int, bool, int]:
        each = item.phrasings
        texts = sum(1 for _ in each.all(language))
        return is_reviewed(each), -len(each.review), not texts, texts

    return sorted(
        (
            PassageReview(each, first, library.entry[first.entry], len(others))
            for each in listed
            if each.fingerprint in homes
            for first, *others in [homes[each.fingerprint]]
        ),
        key=order,
    )


def review_texts(block: FileBlock, language: str) -> list[ReviewText]:
    """Return the texts of ``block``; ``language`` is that of the rulebook."""
    reasons: Mapping[str, str] = block.fields.get("review") or {}
    found = []
    for slot in text_slots(block.fields, KINDS):
        kind = str(slot.path[0])
        its = "en" if kind in ("gist", "situations_en") else language
        if kind == "others":
            its = str(slot.path[1])
        reason = reasons.get(slot.text, "")
        other = reason.removeprefix(OTHER) if reason.startswith(OTHER) else ""
        found.append(ReviewText(slot.name, slot.text, kind, its, OTHER if other else reason, other))
    return found


def _shown_block(text: str, name: str, version: str) -> FileBlock:
    block = find_block(text, name)
    if block is None or block.version != version:
        raise Outdated(block)
    return block


def confirmed(text: str, fingerprint: str, version: str, texts: Mapping[str, str] | None) -> str:
    """Return ``text``, the content of the file, with a block marked as reviewed: ``texts`` replace
    those of the slots, empty ones are removed. None removes all, and no more are drafted.

    Raises `Outdated` if it is not the ``version`` that was shown, and `CannotEdit`.
    """
    block = _shown_block(text, fingerprint, version)
    new = dict.fromkeys(KINDS)
    if texts is not None:
        lines = {name: " ".join(each.split()) for name, each in texts.items()}
        fitting = {name: line[:LONGEST] if len(line) > 1 else "" for name, line in lines.items()}
        new = replaced(block.fields, KINDS, fitting)
    return with_fields(text, block, {**new, "review": {}, "reviewed": True})


def review_terms(library: Library, game: str, own: Mapping[str, ConceptFields]) -> list[ReviewTerm]:
    """Return the reviewable concepts of ``own``, those of ``game`` in its file: those with reasons
    first, finished ones last.
    """
    entries: dict[str, str] = {}
    for tied, concept in library.concepts.items():
        entries.setdefault(concept, tied)
    found = []
    for id, fields in own.items():
        if fields.drafted or fields.review:
            entry = library.entry.get(entries.get(f"{game}/{id}", ""))
            passage = next(iter(library.passages_of.get(entry.id, ())), None) if entry else None
            found.append(ReviewTerm(id, fields, entry, passage))
    return sorted(found, key=lambda t: (is_reviewed(t.fields), -len(t.fields.review), t.id))


def term_texts(block: FileBlock, languages: Sequence[str]) -> list[ReviewText]:
    """Return the aliases of ``block``, without names printed in rulebooks in ``languages``."""
    reasons: Mapping[str, str] = block.fields.get("review") or {}
    found = []
    for slot in _aliases(block, languages):
        kind = str(slot.path[0]) if slot.path[0] in TERM_KINDS else NAMES
        language = str(slot.path[0 if kind == NAMES else 1])
        found.append(ReviewText(slot.name, slot.text, kind, language, reasons.get(slot.text, "")))
    return found


def _aliases(block: FileBlock, languages: Sequence[str]) -> list[TextSlot]:
    printed = {f"{language}.0" for language in languages}
    return [slot for slot in text_slots(block.fields, _TERM_FIELDS) if slot.name not in printed]


def confirmed_term(
    text: str, id: str, version: str, texts: Mapping[str, str] | None, languages: Sequence[str]
) -> str:
    """Return ``text`` with the aliases of the concept ``id`` confirmed, as in `confirmed`."""
    block = _shown_block(text, id, version)
    kept = {
        slot.name: " ".join((texts or {}).get(slot.name, "").split())[:LONGEST]
        for slot in _aliases(block, languages)
        if texts is None or slot.name in texts
    }
    new = replaced(block.fields, _TERM_FIELDS, kept)
    return with_fields(text, block, {**new, "review": {}, "reviewed": True})
