"""Names of cards as terms with their languages: of the cards themselves, their traits, and the products that they come in."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from corpus.cards.model import Card, CardFace
from glossary.terms.term_list import Term, TermKind, TermList, TermWording

_ORIGINAL = "en"  # the language that traits and products are told apart in
_TRAIT_ENDS = re.compile(r"(?<=\.\w\.)\s+|(?<!\.\w)\.(?:\s+|$)|\s•\s")  # "Avenger. S.H.I.E.L.D." has two, "Dreamborn • Ally" too


def with_card_names(terms: TermList, cards: Iterable[Card]) -> TermList:
    """Return ``terms`` with the names of ``cards`` behind them: cards in their order, then traits, then products by name.

    Cards called the same in all languages are one term. What a trait is called in another language is told by the cards that have a
    single one in both: lists of traits stand in each language's own order.
    """
    every = list(cards)
    return replace(terms, terms=(*terms.terms, *_card_terms(every), *_trait_terms(every), *_product_terms(every)))


def _card_terms(cards: Iterable[Card]) -> Iterator[Term]:
    gathered: dict[tuple[tuple[str, str, str], ...], dict[str, None]] = defaultdict(dict)
    for card in cards:
        for face in card.faces:
            names = tuple((code, name, face.subtitles.get(code, "")) for code, name in sorted(face.names.items()))
            gathered[names][card.id] = None
    for names, ids in gathered.items():
        yield _term(TermKind.CARD, {code: _wording(name, subtitle) for code, name, subtitle in names}, tuple(ids))


def _wording(name: str, subtitle: str) -> TermWording:
    return TermWording(name, (f"{name} - {subtitle}",) if subtitle else ())


def _trait_terms(cards: Iterable[Card]) -> Iterator[Term]:
    known: dict[str, None] = {}
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)  # names by English one and language
    for card in cards:
        for face in card.faces:
            traits = {code: _traits(face, code) for code in face.traits}
            known.update(dict.fromkeys(traits.get(_ORIGINAL, ())))
            if len(traits.get(_ORIGINAL, ())) == 1:
                for code, names in traits.items():
                    if len(names) == 1:
                        counts[traits[_ORIGINAL][0], code][names[0]] += 1
    for trait in sorted(known):
        wordings = {_ORIGINAL: TermWording(trait)}
        for (english, code), found in counts.items():
            if english == trait and code != _ORIGINAL:
                wordings[code] = TermWording(found.most_common(1)[0][0])
        yield _term(TermKind.TRAIT, wordings)


def _traits(face: CardFace, language: str) -> list[str]:
    """Return the traits that ``face`` has in ``language``."""
    return [trait for part in _TRAIT_ENDS.split(face.traits[language]) if (trait := part.strip())]


def _product_terms(cards: Iterable[Card]) -> Iterator[Term]:
    products: dict[str, Mapping[str, str]] = {}
    for card in cards:
        for printing in card.printings:
            names = printing.products
            if names and len(names) > len(products.get(_key(names), {})):
                products[_key(names)] = names
    for key in sorted(products):
        yield _term(TermKind.PRODUCT, {code: TermWording(name) for code, name in sorted(products[key].items())})


def _key(names: Mapping[str, str]) -> str:
    return names.get(_ORIGINAL) or next(iter(names.values()))


def _term(kind: TermKind, wordings: Mapping[str, TermWording], cards: tuple[str, ...] = ()) -> Term:
    return Term(None, wordings, (), (), kind, cards)
