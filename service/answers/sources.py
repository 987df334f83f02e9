"""Cite the passages of a snapshot (of rulebooks, rulings and cards) and give each a marker."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import chain, groupby
from operator import itemgetter

from corpus.blocks import printed_number
from corpus.model import Entry, Passage, Span
from corpus.rulings.model import Ruling
from corpus.sourced_text import SourcedText
from index.layers.passages import CardPassage, Layer, card_passages, ruling_passages
from index.library.library import Library
from index.model import CardTextHit, RulingHit
from service.answers.citations import (
    card_label,
    card_url,
    citation_label,
    cite,
    entry_url,
    marked_page_url,
    ruling_label,
    ruling_url,
)
from service.core.snapshot import Snapshot, SnapshotContents
from service.schemas.passage import (
    CardPassageOut,
    CitationOut,
    LayerCitationOut,
    PageBoxesOut,
    PlacedSourceOut,
    QuotedStringOut,
    RulingPassageOut,
    StringSourceOut,
)


def ruling_passage_out(hit: RulingHit, rank: int, language: str) -> RulingPassageOut:
    """Return the ruling of ``hit``, cited in ``language``."""
    ruling, passage, asked = hit.ruling, hit.passage, hit.ruling.asked
    return RulingPassageOut(
        rank=rank,
        score=round(float(hit.score), 6),
        text=passage.text,
        display=passage.display,
        highlights=[[start, end] for start, end in hit.highlights],
        role=passage.role,
        citation=ruling_citation_out(ruling, passage, language, hit.older),
        id=ruling.id,
        authority=ruling.authority,
        date=ruling.date or None,
        question=QuotedStringOut(
            text=asked.text, source=string_source_out(asked.quoted, asked.span)
        )
        if asked
        else None,
        cards=list(ruling.cards),
        settles=hit.settles,
        other_card=hit.other_card,
        older=hit.older,
        superseded_by=ruling.superseded_by or None,
    )


def card_passage_out(hit: CardTextHit, rank: int, language: str) -> CardPassageOut:
    """Return the card text of ``hit``, cited in ``language``."""
    passage, erratum = hit.passage, hit.quoted.erratum
    return CardPassageOut(
        rank=rank,
        score=round(float(hit.score), 6),
        text=passage.text,
        display=passage.display,
        highlights=[[start, end] for start, end in hit.highlights],
        role=passage.role,
        citation=card_citation_out(hit.quoted, language),
        card=hit.quoted.card.id,
        date=(erratum.date or None) if erratum else None,
    )


def ruling_citation_out(
    ruling: Ruling, passage: Passage, language: str, older: bool = False
) -> LayerCitationOut:
    """Return the citation of a ``passage`` of ``ruling``, in ``language``."""
    part = next(
        part
        for part in (ruling.answered, ruling.asked)
        if part and (part.text, (part.span,)) == (passage.text, passage.spans)
    )
    return LayerCitationOut(
        label=ruling_label(ruling, language, older),
        game=ruling.game,
        language=part.quoted.language,
        heading=", ".join(ruling.cards) or ruling.id,
        kind="ruling",
        number=None,
        url=ruling_url(ruling),
        published=ruling.url or None,
        source=string_source_out(part.quoted, part.span),
    )


def card_citation_out(quoted: CardPassage, language: str) -> LayerCitationOut:
    """Return the citation of a text of a card, in ``language``."""
    card, text = quoted.card, quoted.text.quoted
    return LayerCitationOut(
        label=card_label(quoted, language),
        game=card.game,
        language=text.language,
        heading=card.name(text.language),
        kind="erratum" if quoted.erratum else "card",
        number=next((printing.number for printing in card.printings if printing.number), None),
        url=card_url(card),
        published=None,
        source=string_source_out(text, Span(0, len(text.text))),
    )


def string_source_out(quoted: SourcedText, span: Span) -> StringSourceOut:
    """Return the place of the characters at ``span`` of ``quoted`` in its file."""
    source = quoted.source
    return StringSourceOut(
        file=source.file, sha256=source.sha256, pointer=source.pointer, spans=[list(span)]
    )


def citation_out(library: Library, thing: Entry | Passage) -> CitationOut:
    """Return the citation of an entry or a passage, exact to the character."""
    citation = cite(library, thing)
    edition, entry = citation.edition, citation.entry
    return CitationOut(
        label=citation.label,
        edition=edition.id,
        game=edition.game,
        language=edition.language,
        version=edition.version,
        effective=edition.effective or None,
        entry=entry.id,
        heading=entry.heading,
        kind=entry.kind,
        number=entry.number or citation.item.removesuffix(".") or None,
        page=citation.page,
        printed=citation.printed or None,
        url=entry_url(entry),
        source=placed_source_out(library, edition.id, thing),
    )


def placed_source_out(library: Library, edition: str, thing: Entry | Passage) -> PlacedSourceOut:
    """Return the document of ``edition`` and the place of ``thing`` in it."""
    source = library.sources[edition]
    return PlacedSourceOut(
        file=source.file,
        sha256=source.sha256,
        spans=[[start, end] for start, end in thing.spans],
        lines=list(thing.lines),
        text_sha256=source.text_sha256,
        pages=[
            PageBoxesOut(
                page=place.page,
                printed=printed or None,
                boxes=[list(box) for _, box in boxes],
                url=marked_page_url(library, thing, place.page),
            )
            for place in library.places_of(thing)
            for printed, boxes in groupby(
                (
                    (printed_number(source.page_numbers, place.page, box.left), box)
                    for box in place.boxes
                ),
                key=itemgetter(0),
            )
        ],
    )


class Sources:
    """The passages of ``snapshot`` in all layers; for the ids of passages of rulings and cards see
    `index.layers.passages`.
    """

    def __init__(self, snapshot: SnapshotContents):
        self._library = snapshot.library
        self._rulings, self._cards = snapshot.rulings, snapshot.cards

    def beside(self) -> Iterator[Passage]:
        """Yield all passages of rulings and cards."""
        yield from chain.from_iterable(map(ruling_passages, self._rulings))
        for game in self._cards.games:
            for card in self._cards.of_game(game):
                yield from (each.passage for each in card_passages(card))

    def is_printed(self, passage: Passage) -> bool:
        """Return whether ``passage`` is from a rulebook."""
        return passage.entry in self._library.entry

    def citation_out(self, passage: Passage, language: str = "") -> CitationOut | LayerCitationOut:
        """Return the citation of ``passage``; that of a ruling or card is in ``language``, or in
        the passage's own language.
        """
        if self.is_printed(passage):
            return citation_out(self._library, passage)
        layer, _, rest = passage.entry.partition("/")
        if layer == Layer.RULINGS:
            ruling = self._rulings[rest]
            return ruling_citation_out(ruling, passage, language or ruling.answer.language)
        game, _, id = rest.partition("/")
        card = self._cards.get(game, id)
        quoted = (
            next(each for each in card_passages(card) if each.ordinal == passage.ordinal)
            if card
            else None
        )
        if quoted is None:
            raise KeyError(passage.id)
        return card_citation_out(quoted, language or quoted.text.quoted.language)

    def label(self, passage: Passage, language: str = "") -> str:
        """Return the label of the citation that `citation_out` returns."""
        return (
            citation_label(self._library, passage)
            if self.is_printed(passage)
            else self.citation_out(passage, language).label
        )


_DIGITS = 8  # hexadecimal; one of a hundred libraries of ten thousand passages has a collision
_DIGITS_BESIDE = 12  # digits for passages of rulings and cards, which may be many more
_ALL_DIGITS = 64


class MarkerTable:
    """The marker of every passage of a library, such as ``r:3fa9c1d2``.

    A marker is the beginning of the SHA-256 of the passage's edition, entry and text, so it stays
    the same in every answer and every index as long as the passage does. Passages that would share
    a marker get longer ones. Markers of rulings and cards (``beside``) are always longer and are
    computed when first looked up.
    """

    def __init__(self, library: Library, beside: Sources | None = None):
        self._beside = beside
        hashes: dict[str, str] = {}
        seen: Counter[tuple[str, str]] = Counter()
        for passage in library.passages:
            hashes[passage.id] = _hash(passage, repetition=seen[passage.entry, passage.text])
            seen[passage.entry, passage.text] += 1
        names: dict[str, str] = {}
        unnamed, digits = list(hashes), _DIGITS
        while unnamed:
            counts = Counter(hashes[id][:digits] for id in unnamed)
            names |= {
                id: hashes[id][:digits]
                for id in unnamed
                if counts[hashes[id][:digits]] == 1 or digits >= _ALL_DIGITS
            }
            unnamed = [id for id in unnamed if id not in names]
            digits += 4
        self._names = {id: f"r:{name}" for id, name in names.items()}
        self._passages = {self._names[passage.id]: passage for passage in library.passages}

    def marker_of(self, passage: Passage) -> str:
        """Return the marker of ``passage``, without brackets."""
        return self._names.get(passage.id) or _marker_beside(passage)

    def passage_of(self, marker: str) -> Passage | None:
        """Return the passage with this ``marker``, or None."""
        return self._passages.get(marker) or (
            self._named_beside.get(marker) if len(marker) == len("r:") + _DIGITS_BESIDE else None
        )

    @cached_property
    def _named_beside(self) -> dict[str, Passage]:
        return {
            _marker_beside(passage): passage
            for passage in (self._beside.beside() if self._beside else ())
        }


def marker_table(snapshot: Snapshot) -> MarkerTable:
    """Return the markers of ``snapshot``, cached."""
    return snapshot.cache.get(
        ("markers",), lambda: MarkerTable(snapshot.library, Sources(snapshot))
    )


def _marker_beside(passage: Passage) -> str:
    return f"r:{_hash(passage, passage.ordinal)[:_DIGITS_BESIDE]}"


def _hash(passage: Passage, repetition: int) -> str:
    """Return the SHA-256 of a passage; ``repetition`` counts earlier passages of its entry with the
    same text.
    """
    content = "\0".join(
        [passage.entry, passage.text, *([str(repetition)] if repetition else [])]
    )  # the entry's id contains the edition's
    return hashlib.sha256(content.encode("utf-8")).hexdigest()
