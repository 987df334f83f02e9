"""Whatever a snapshot can quote: passages of its rulebooks, rulings and texts of cards, with the
citation of each.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from corpus.model import Passage
from index.layers.model import Layer
from index.layers.passages import card_passages, ruling_passages
from service.answers.answer import citation_out
from service.answers.citations import citation_label
from service.answers.layers import card_citation_out, ruling_citation_out
from service.core.contents import SnapshotContents
from service.schemas.layers import LayerCitationOut
from service.schemas.passage import CitationOut


class Sources:
    """The passages of ``snapshot`` in all its layers; those beside the rulebooks are named as
    `index.layers.passages` says.
    """

    def __init__(self, snapshot: SnapshotContents):
        self._library = snapshot.library
        self._rulings, self._cards = snapshot.rulings, snapshot.cards

    def beside(self) -> Iterator[Passage]:
        """Every passage of rulings and cards, one after the other."""
        yield from chain.from_iterable(map(ruling_passages, self._rulings))
        for game in self._cards.games:
            for card in self._cards.of_game(game):
                yield from (each.passage for each in card_passages(card))

    def is_printed(self, passage: Passage) -> bool:
        """Whether ``passage`` is one of a rulebook."""
        return passage.entry in self._library.entry

    def citation_out(self, passage: Passage, language: str = "") -> CitationOut | LayerCitationOut:
        """Return where ``passage`` stands; beside the rulebooks in words of ``language``, or of its
        own where none is given.
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
        """Return the citation of ``passage`` in one line, as `citation_out` words it."""
        return (
            citation_label(self._library, passage)
            if self.is_printed(passage)
            else self.citation_out(passage, language).label
        )
