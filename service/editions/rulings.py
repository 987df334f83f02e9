"""Rulings outside the rulebooks: lists and files of them, and unknown names in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rapidfuzz import fuzz, process

from corpus.cards.model import Card
from corpus.rulings import Ruling
from corpus.rulings.described import RulingFields
from corpus.titles import slug
from glossary.check.outdated_rulings import RuleVersions
from index.analysis import plain
from index.cards.card_names import card_names, compared_words
from service.editions.yaml_edits import dumped, extended, loaded

_LONGEST_ID = 60
_LEAST_ALIKE = 70  # of 100: similarity of a name that may be meant


class RulingFilter(NamedTuple):
    """A filter for rulings: a ``card`` they name, an ``authority``, a ``language``, and ``words``
    that all occur in them.
    """

    card: str = ""
    authority: str = ""
    language: str = ""
    words: str = ""

    def fitting(self, rulings: Iterable[Ruling]) -> list[Ruling]:
        """Return the ``rulings`` that match, in their order."""
        sought, card = plain(self.words).split(), plain(self.card)

        def fits(each: Ruling) -> bool:
            asked = each.question.text if each.question else ""
            texts = (asked, each.answer.text, *each.cards, each.source, each.author, each.id)
            said = plain(" ".join(texts)) if sought else ""
            return (
                self.authority in ("", each.authority)
                and self.language in ("", each.answer.language)
                and (not card or any(f" {card} " in f" {plain(name)} " for name in each.cards))
                and all(word in said for word in sought)
            )

        return list(filter(fits, rulings))

    def of(self, rulings: Iterable[Ruling]) -> list[Ruling]:
        """Return the ``rulings`` that match, ordered by `newest_first`."""
        return newest_first(self.fitting(rulings))


def newest_first(rulings: Iterable[Ruling]) -> list[Ruling]:
    """Return ``rulings`` by date, then those without a date, and superseded ones last."""
    by_date = sorted(rulings, key=lambda each: each.date, reverse=True)
    return sorted(by_date, key=lambda each: bool(each.superseded_by))


def ruling_lines(ruling: Ruling) -> Iterator[str]:
    """Yield the lines that a terminal shows of a ruling."""
    about = (ruling.date, ruling.authority.value, ruling.source, ruling.author)
    after = f"; superseded by {ruling.superseded_by}" if ruling.superseded_by else ""
    yield f"{ruling.id}  ({', '.join(filter(None, about))}){after}"
    if ruling.cards:
        yield f"  {', '.join(ruling.cards)}"
    if ruling.asked:
        yield f"  {' '.join(ruling.asked.text.split())}"
    yield f"  {' '.join(ruling.answered.text.split())}"
    for basis in ruling.bases:
        yield f"  rests on {basis.rule}"
    source = ruling.answer.source
    yield f"  {source.file}#{source.pointer}"


def exported_rulings(game: str, rulings: Iterable[Ruling]) -> str:
    """Return a YAML file of ``rulings`` on ``game`` that can be added to any workspace."""
    return dumped({"game": game, "rulings": [described_ruling(ruling) for ruling in rulings]})


def described_ruling(ruling: Ruling) -> dict[str, Any]:
    """Return the fields of ``ruling`` as a file has them, empty ones left out."""
    fields = {
        "id": _own_id(ruling.id),
        "question": ruling.question.text if ruling.question else None,
        "answer": ruling.answer.text,
        "language": ruling.answer.language,
        "cards": list(ruling.cards),
        "date": ruling.date,
        "authority": ruling.authority.value,
        "source": ruling.source,
        "url": ruling.url,
        "rests_on": [_filled(basis._asdict()) for basis in ruling.bases],
        "superseded_by": _own_id(ruling.superseded_by),
        "author": ruling.author,
    }
    return _filled(fields)


def _filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}


def with_ruling(text: str, game: str, fields: RulingFields) -> str:
    """Return ``text``, the content of a file of rulings on ``game``, with a ruling of
    these ``fields`` added. Raises `CannotEdit`.
    """
    row = fields.model_dump(mode="json")
    row = _filled(row | {"rests_on": [_filled(basis) for basis in row["rests_on"]]})
    there = loaded(text)
    if isinstance(there, list):
        return extended(text, [row])
    return extended(text, {**({} if there else {"game": game}), "rulings": [row]})


def with_confirmation(text: str, id: str, wordings: Mapping[str, str]) -> str:
    """Return ``text``, the content of a file of confirmations, with the ``wordings`` of rules, by
    rule name, confirmed for the ruling ``id``.
    """
    known, own = loaded(text) or {}, _own_id(id)
    return dumped({**known, own: {**known.get(own, {}), **wordings}})


def new_ruling_id(question: str, known: Collection[str]) -> str:
    """Return an id for a ruling on ``question`` that is none of those ``known``."""
    id = stem = slug(question[:300], _LONGEST_ID) or "ruling"
    number = 1
    while id in known:
        number += 1
        id = f"{stem}-{number}"
    return id


def _own_id(id: str) -> str:
    """Return the id of a ruling without its game."""
    return id.partition("/")[2]


class UnknownName(NamedTuple):
    """An unknown ``name`` in ``ruling``, and ``why`` it is reported."""

    ruling: Ruling
    name: str
    why: str


def unknown_cards(rulings: Iterable[Ruling], cards: Sequence[Card]) -> Iterator[UnknownName]:
    """Yield the cards named in ``rulings``, by id, code or whole name, that are not among
    ``cards``; none if there are no cards.
    """
    if not cards:
        return
    codes = {code for card in cards for code in _codes(card)}
    names = {compared_words(name.text): name.text for card in cards for name in card_names(card)}
    texts = list(dict.fromkeys(names.values()))
    for ruling in rulings:
        for card in ruling.cards:
            if card not in codes and compared_words(card) not in names:
                why = f"no loaded card is called {card!r}{_meant(card, texts)}"
                yield UnknownName(ruling, card, why)


def unknown_rules(rulings: Iterable[Ruling], versions: RuleVersions) -> Iterator[UnknownName]:
    """Yield the rules that ``rulings`` are based on, by entry or number, and that no edition in
    ``versions`` has or has had.
    """
    known: list[str] = []
    for ruling, basis in versions.unresolved(rulings):
        known = known or list(dict.fromkeys(versions.rules()))
        what = "entry" if basis.entry else "rule with the number"
        why = f"no edition here has the {what} {basis.rule!r} that it rests on"
        yield UnknownName(
            ruling, basis.rule, why + (_meant(basis.rule, known) if basis.entry else "")
        )


def _codes(card: Card) -> Iterator[str]:
    yield from (card.id, card.slug)
    yield from (printing.code for printing in card.printings)
    yield from (face.code for face in card.faces if face.code)


def _meant(name: str, known: Sequence[str]) -> str:
    """Return a suggestion from ``known``: "; is 'Ancor' meant?"; "" if none is near."""
    found = process.extractOne(
        name, known, scorer=fuzz.ratio, processor=str.casefold, score_cutoff=_LEAST_ALIKE
    )
    return f"; is {found[0]!r} meant?" if found else ""
