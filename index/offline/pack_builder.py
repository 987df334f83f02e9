"""Makes the pack of a game from an index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.errors import NotFound
from corpus.model import Edition
from corpus.versions import version_key
from index.analysis import folded, words
from index.encoding.encoder import SubwordEncoder
from index.library.indexed_texts import IndexedText, indexed_text
from index.library.phrasing_records import PhrasingRecords
from index.offline.container import pack_fragment
from index.offline.encoder_parts import encoder_fragments
from index.offline.game_tables import Numbers, game_tables
from index.offline.group_fragments import GroupWriter, Render, group_bounds
from index.offline.models import models_fragment
from index.offline.names import TermNames, card_names
from index.offline.pack import MOST_BYTES, NoPack, Pack
from index.offline.question_words import question_words
from index.offline.rarity import rarity_fragment
from index.offline.word_forms import word_forms
from index.offline.word_vectors import word_vector_fragments
from index.search import Index
from index.store.file_store import FileStore

_SPARE = 50_000  # bytes of a pack that are left, since the room that words need is estimated


def build_pack(index: Index, game: str, phrasings: PhrasingRecords, render: Render, described: Mapping[str, Mapping[str, Any]]) -> Pack:
    """The pack of ``game``: ``phrasings`` are those that the ``index`` was built with, ``render`` shows a passage.

    ``described`` has what an answer says of each edition. Raises `NotFound` for a game that is not in the index, `NoPack` where its
    encoder or its store is not in its files.
    """
    if game not in index.library.games:
        raise NotFound(f"no game {game!r} here; there are: {', '.join(index.library.games)}")
    if not isinstance(index.encoder, SubwordEncoder):
        raise NoPack("an index with a model for its encoder cannot be asked offline; the built-in encoder can")
    if not isinstance(index.scorer.store, FileStore):
        raise NoPack("an index with its passages in a database cannot be asked offline")
    return _PackBuilder(index, game, phrasings, render, described).build(index.encoder, index.scorer.store)


class _PackBuilder:
    """Builds one pack; its passages are numbered from 0, edition after edition."""

    def __init__(self, index: Index, game: str, phrasings: PhrasingRecords, render: Render, described: Mapping[str, Mapping[str, Any]]):
        self._index, self._game, self._render, self._described = index, game, render, described
        lookup = index.lookup
        self._editions = [(number, edition) for number, edition in enumerate(lookup.editions) if edition.game == game]
        self._order = sorted({version_key(edition.version) for _, edition in self._editions})
        numbers = [n for number, _ in self._editions for n in range(*lookup.bounds[number : number + 2].tolist())]
        self._numbers: Numbers = {number: here for here, number in enumerate(numbers)}
        self._texts: dict[int, IndexedText] = {n: indexed_text(index.library, index.library.searchable[n], phrasings[n]) for n in numbers}
        self._terms: set[str] = set()
        spoken = {edition.language for _, edition in self._editions}
        self._languages = sorted(index.parser.likely, key=lambda language: language not in spoken)

    def build(self, encoder: SubwordEncoder, store: FileStore) -> Pack:
        """The pack, with the rarest changes first."""
        fragments = {f"encoder-{n}": part for n, part in enumerate(encoder_fragments(encoder.weights))}
        groups = dict(self._passage_fragments(store))
        fragments |= groups
        fragments |= dict(self._word_fragments())
        vocabulary = {word for text in self._texts.values() for one in _all_texts(text) for word in folded(one)}
        fragments["rarity"] = rarity_fragment(store, len(self._index.lookup), self._terms, vocabulary)
        editions = [(number, edition.id) for number, edition in self._editions]
        fragments["models"] = models_fragment(self._index.answerability, self._index.edition_confidence, editions)
        tables = game_tables(self._index.lookup, self._index.features, self._numbers)
        fragments["tables"] = pack_fragment(tables, {})
        room = MOST_BYTES - _SPARE - sum(map(len, fragments.values()))
        fragments |= {f"words-{n}": part for n, part in enumerate(word_vector_fragments(self._texts.values(), encoder, room))}
        return Pack.of(self._index.id, self._game, [self._listed(number, edition) for number, edition in self._editions], fragments)

    def _listed(self, number: int, edition: Edition) -> dict[str, Any]:
        """What the manifest says of an edition."""
        start, end = self._index.lookup.bounds[number : number + 2].tolist()
        return {
            "id": edition.id,
            "game": edition.game,
            "language": edition.language,
            "version": edition.version,
            "title": edition.full_title,
            "effective": edition.effective,
            "kind": edition.kind,
            "passages": end - start,
            "order": self._order.index(version_key(edition.version)),
        }

    def _passage_fragments(self, store: FileStore) -> Iterator[tuple[str, bytes]]:
        """The fragments of groups of passages, and one for each edition that says where each of its passages stands."""
        index = self._index
        writer = GroupWriter(self._texts, store.passage_vectors, index.analyzer, index.highlighter)
        passages = index.library.searchable
        for number, edition in self._editions:
            start, end = index.lookup.bounds[number : number + 2].tolist()
            rendered = {n: self._render(passages[n]) for n in range(start, end)}
            names = []
            for place, (first, behind) in enumerate(group_bounds(passages, start, end)):
                names.append(f"{edition.id}-{place}")
                yield names[-1], writer.fragment(first, behind, [rendered[n].content for n in range(first, behind)])
            places = [rendered[n].place for n in range(start, end)]
            fallback = index.library.fallback(edition.id)
            header = {**self._described[edition.id], "groups": names, "places": places}
            header["fallback"] = self._number_of(fallback.id) if fallback else None
            yield f"{edition.id}", pack_fragment(header, {})

    def _number_of(self, id: str) -> int | None:
        """The number in the pack of the passage called ``id``, None where it is not searched."""
        entry = id.rpartition("#")[0] or id
        found = (number for number in self._index.lookup.of_entry.numbers(entry).tolist() if number in self._numbers)
        return next((self._numbers[n] for n in found if self._index.library.searchable[n].id == id), None)

    def _word_fragments(self) -> Iterator[tuple[str, bytes]]:
        """The fragments of words: the forms of terms, language by language, the names of terms and cards, the words of questions."""
        parser, tables, analyzer = self._index.parser, self._index.analyzer.tables, self._index.analyzer
        written: dict[str, set[str]] = {language: set() for language in self._languages}
        for text in self._texts.values():
            for one, language in ((text.text, text.language), *text.phrasings):
                self._terms.update(analyzer.terms(one, language))
                if language in written:
                    written[language].update(words(one))
        names = TermNames(parser.concepts[self._game], tables, self._languages)
        stems: dict[str, Mapping[str, str]] = {}
        for language in self._languages:
            found = word_forms(self._terms, names.index.stems[language], written[language], language, analyzer)
            stems[language] = found.stems
            yield f"forms-{language}", pack_fragment({"language": language, "forms": found.lines()}, {})
        yield "terms", pack_fragment(names.table(stems), {})
        yield "cards", pack_fragment(card_names(parser.card_recognisers[self._game]), {})
        yield "questions", pack_fragment(question_words(self._languages, tables), {})


def _all_texts(text: IndexedText) -> Iterator[str]:
    """The text of a passage, and those of its phrasings."""
    yield text.text
    yield from (phrasing.text for phrasing in text.phrasings)
