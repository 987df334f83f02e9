"""Bookmarks kept on a device: ids, fingerprints of words and citations with which their targets are
found again in another index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from corpus.cards.model import Card
from corpus.model import Entry, Passage
from corpus.rulings.model import Ruling
from glossary.query_variants import fingerprint
from index.layers.passages import CardPassage, card_passages, ruling_passage
from index.library.library import Library
from service.answers.citations import card_label, cite, ruling_label
from service.answers.sources import Sources
from service.core.snapshot import Snapshot


@dataclass(frozen=True)
class BookmarkTarget:
    """The target of a bookmark: its ``id`` in this index, the ``fingerprint`` of its words, its
    citation.
    """

    id: str
    fingerprint: str
    label: str


def bookmark_target(
    snapshot: Snapshot, thing: Passage | Entry | Ruling | Card, language: str
) -> BookmarkTarget:
    """Return the bookmark target for ``thing``, cited in ``language``; a card is identified by
    its texts for readers of that language.
    """
    library = snapshot.library
    if isinstance(thing, Passage):
        return BookmarkTarget(
            thing.id, fingerprint(thing.text), Sources(snapshot).label(thing, language)
        )
    if isinstance(thing, Entry):
        return BookmarkTarget(
            thing.id, _entry_fingerprint(library, thing), cite(library, thing).label
        )
    if isinstance(thing, Ruling):
        passage = ruling_passage(thing)
        return BookmarkTarget(passage.id, fingerprint(passage.text), ruling_label(thing, language))
    spoken = thing.text_language(language)
    texts = _printed_texts(thing, spoken)
    label = card_label(texts[0], language) if texts else thing.name(language)
    return BookmarkTarget(_card_id(thing, spoken), _card_fingerprint(texts), label)


def fingerprints(snapshot: Snapshot, game: str) -> Mapping[str, tuple[str, str]]:
    """Return fingerprint and position ("Z. 103", "" outside the rulebooks) of everything in
    ``game`` that can be bookmarked, by id.
    """
    return snapshot.cache.get(
        ("fingerprints", game), lambda: dict(_fingerprints(snapshot, game)), most=4
    )


def _fingerprints(snapshot: Snapshot, game: str) -> Iterator[tuple[str, tuple[str, str]]]:
    library = snapshot.library
    for edition in library.editions:
        if edition.game != game:
            continue
        for entry in library.entries_of(edition.id):
            if any(_texts_in(library, entry)):
                yield entry.id, (_entry_fingerprint(library, entry), cite(library, entry).position)
            for passage in library.passages_of.get(entry.id, ()):
                yield passage.id, (fingerprint(passage.text), cite(library, passage).position)
    for ruling in snapshot.index.rulings.of_game(game):
        passage = ruling_passage(ruling)
        yield passage.id, (fingerprint(passage.text), "")
    for card in snapshot.index.cards.of_game(game):
        for text in card_passages(card):
            yield text.passage.id, (fingerprint(text.passage.text), "")
        for language in card.languages:
            if texts := _printed_texts(card, language):
                yield _card_id(card, language), (_card_fingerprint(texts), "")


def _entry_fingerprint(library: Library, entry: Entry) -> str:
    return fingerprint("\n".join(_texts_in(library, entry)))


def _texts_in(library: Library, entry: Entry) -> Iterator[str]:
    """Yield the texts of ``entry`` and of the entries inside it, in printed order."""
    for each in library.with_inside(entry):
        yield from (passage.text for passage in library.passages_of.get(each.id, ()))


def _printed_texts(card: Card, language: str) -> list[CardPassage]:
    return [
        each
        for each in card_passages(card)
        if each.erratum is None and each.text.quoted.language == language
    ]


def _card_id(card: Card, language: str) -> str:
    return f"cards/{card.game}/{card.id}@{language}"


def _card_fingerprint(texts: list[CardPassage]) -> str:
    return fingerprint("\n".join(each.passage.text for each in texts))
