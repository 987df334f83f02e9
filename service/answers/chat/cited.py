"""What a message cites: passages of rulebooks, rulings and texts of cards, each with its label, its
address and its language.
"""

from __future__ import annotations

from itertools import chain

from corpus.model import Passage
from index.library.library import Library
from index.model import CardTextHit, LayerHit, SearchResult
from service.answers.answer import citation_out
from service.answers.chat.quotations import service_address
from service.answers.citations import citation_label, entry_url
from service.answers.layer_citations import card_label, card_url, ruling_label, ruling_url
from service.answers.layers import card_citation_out, ruling_citation_out
from service.schemas.layers import LayerCitationOut
from service.schemas.passage import CitationOut


class CitedPassages:
    """The passages of ``result`` as messages cite them, in the language of the question; ``base``
    is what links begin with.
    """

    def __init__(self, library: Library, result: SearchResult, base: str | None = None):
        self._library, self._language, self._base = library, result.language, base
        self._beside: dict[str, LayerHit] = {
            hit.passage.id: hit
            for hit in chain(*(part.beside for part in result.parts), result.beside)
        }

    def is_printed(self, passage: Passage) -> bool:
        """Whether ``passage`` is one of a rulebook."""
        return passage.id not in self._beside

    def language(self, passage: Passage) -> str:
        """The language that ``passage`` is in."""
        match self._beside.get(passage.id):
            case None:
                return self._library.edition[self._library.entry[passage.entry].edition].language
            case CardTextHit(quoted=quoted):
                return quoted.text.quoted.language
            case hit:
                return hit.ruling.answer.language

    def label(self, passage: Passage) -> str:
        """What ``passage`` is and where it stands."""
        match self._beside.get(passage.id):
            case None:
                return citation_label(self._library, passage)
            case CardTextHit(quoted=quoted):
                return card_label(quoted, self._language)
            case hit:
                return ruling_label(hit.ruling, self._language, hit.older)

    def address(self, passage: Passage) -> str | None:
        """Where ``passage`` can be read; None without a base."""
        match self._beside.get(passage.id):
            case None:
                path = entry_url(self._library.entry[passage.entry])
            case CardTextHit(quoted=quoted):
                path = card_url(quoted.card)
            case hit:
                path = ruling_url(hit.ruling)
        return service_address(self._base, path)

    def out(self, passage: Passage) -> CitationOut | LayerCitationOut:
        """Return the citation of ``passage``."""
        match self._beside.get(passage.id):
            case None:
                return citation_out(self._library, passage)
            case CardTextHit(quoted=quoted):
                return card_citation_out(quoted, self._language)
            case hit:
                return ruling_citation_out(hit.ruling, passage, self._language, hit.older)
