"""Rulings outside the rulebooks: lists of them, files of them, and names in them that nothing here
has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import yaml
from rapidfuzz import fuzz, process

from corpus.cards.model import Card
from corpus.rulings import Ruling
from corpus.rulings.described import RulingFields
from corpus.titles import slug
from glossary.check.outdated_rulings import RuleVersions
from index.analysis import plain
from index.cards.card_names import card_names, compared_words
from service.editions.drafting.files import CannotEdit

_ENDLESS = 1_000_000  # characters of a line
_LONGEST_ID = 60
_LEAST_ALIKE = 70  # of 100: similarity of a name that may be meant


class RulingFilter(NamedTuple):
    """What rulings have to fit: a ``card`` they name, an ``authority``, a ``language``, and
    ``words`` that all occur in them.
    """

    card: str = ""
    authority: str = ""
    language: str = ""
    words: str = ""

    def fitting(self, rulings: Iterable[Ruling]) -> list[Ruling]:
        """Return those of ``rulings`` that fit, in their order."""
        sought = plain(self.words).split()
        card = plain(self.card)
        return [
            each
            for each in rulings
            if self.authority in ("", each.authority)
            and self.language in ("", each.answer.language)
            and (not card or any(f" {card} " in f" {plain(name)} " for name in each.cards))
            and (not sought or _has(each, sought))
        ]

    def of(self, rulings: Iterable[Ruling]) -> list[Ruling]:
        """Return those of ``rulings`` that fit, the newest first; those without a date last."""
        return newest_first(self.fitting(rulings))


def newest_first(rulings: Iterable[Ruling]) -> list[Ruling]:
    """Return ``rulings`` by date, those that are superseded behind the others."""
    by_date = sorted(rulings, key=lambda each: each.date, reverse=True)
    return sorted(by_date, key=lambda each: bool(each.superseded_by))


def _has(ruling: Ruling, sought: list[str]) -> bool:
    texts = (
        ruling.question.text if ruling.question else "",
        ruling.answer.text,
        *ruling.cards,
        ruling.source,
        ruling.author,
        ruling.id,
    )
    said = plain(" ".join(texts))
    return all(word in said for word in sought)


def ruling_lines(ruling: Ruling) -> Iterator[str]:
    """Yield what a terminal shows of a ruling."""
    about = ", ".join(
        part for part in (ruling.date, ruling.authority.value, ruling.source, ruling.author) if part
    )
    yield f"{ruling.id}  ({about}){f'; superseded by {ruling.superseded_by}' if ruling.superseded_by else ''}"
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
    """Return a YAML file of ``rulings`` on ``game`` in the described form; it can be added to any
    workspace.
    """
    rows = [described_ruling(ruling) for ruling in rulings]
    return _dumped({"game": game, "rulings": rows})


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
        "rests_on": [
            {name: value for name, value in basis._asdict().items() if value}
            for basis in ruling.bases
        ],
        "superseded_by": _own_id(ruling.superseded_by),
        "author": ruling.author,
    }
    return {name: value for name, value in fields.items() if value}


def with_ruling(text: str, game: str, fields: RulingFields) -> str:
    """Return ``text``, the content of a file of rulings on ``game``, with one more at its end.
    Raises `CannotEdit`.
    """
    row = {name: value for name, value in fields.model_dump(mode="json").items() if value}
    row["rests_on"] = [
        {name: value for name, value in basis.items() if value} for basis in row.get("rests_on", ())
    ]
    row = {name: value for name, value in row.items() if value}
    before = _loaded(text)
    if before is None:
        return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{_dumped({'game': game, 'rulings': [row]})}"
    known = before.get("rulings") if isinstance(before, dict) else before
    changed = (
        f"{text.rstrip()}\n{_indented(_dumped([row]), _column(text, isinstance(before, dict)))}"
    )
    wanted = [*known, row] if isinstance(known, list) else None
    if wanted is None or _loaded(changed) != (
        {**before, "rulings": wanted} if isinstance(before, dict) else wanted
    ):
        raise CannotEdit(
            "the file of rulings is written in a way that can only be added to in an editor"
        )
    return changed


def with_confirmation(text: str, id: str, wordings: Mapping[str, str]) -> str:
    """Return ``text``, the content of a file of confirmations, with ``wordings`` of rules by what
    names them for the ruling ``id``.
    """
    known = _loaded(text) or {}
    own = _own_id(id)
    return _dumped({**known, own: {**known.get(own, {}), **wordings}})


def new_ruling_id(question: str, known: Collection[str]) -> str:
    """Return an id for a ruling on ``question`` that is none of those ``known``."""
    stem = slug(question[:300], _LONGEST_ID) or "ruling"
    number, id = 1, stem
    while id in known:
        number += 1
        id = f"{stem}-{number}"
    return id


def _own_id(id: str) -> str:
    """Return the id of a ruling without its game."""
    return id.partition("/")[2]


def _loaded(text: str) -> Any:
    try:
        return yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as fault:
        raise CannotEdit("the file of rulings is no YAML; see 'regula rulings check'") from fault


def _column(text: str, is_mapping: bool) -> int:
    """Return the column at which the rulings of a list begin."""
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    if is_mapping and isinstance(root, yaml.MappingNode):
        root = next((value for key, value in root.value if key.value == "rulings"), None)
    return root.start_mark.column if isinstance(root, yaml.SequenceNode) else 0


def _indented(text: str, column: int) -> str:
    return "".join(
        f"{' ' * column}{line}" if line.strip() else line for line in text.splitlines(keepends=True)
    )


def _dumped(data: Any) -> str:
    return str(
        yaml.dump(
            data, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=_ENDLESS
        )
    )


class UnknownName(NamedTuple):
    """A ``name`` in ``ruling`` that nothing here has, the ``nearest`` that something has, "" for
    none, and ``why`` it is told.
    """

    ruling: Ruling
    name: str
    nearest: str
    why: str


def unknown_cards(rulings: Iterable[Ruling], cards: Sequence[Card]) -> Iterator[UnknownName]:
    """Yield the cards named in ``rulings``, by id, code or whole name, that are not among
    ``cards``; none without any cards.
    """
    if not cards:
        return
    codes = {code for card in cards for code in _codes(card)}
    names = {compared_words(name.text): name.text for card in cards for name in card_names(card)}
    texts = list(dict.fromkeys(names.values()))
    for ruling in rulings:
        for card in ruling.cards:
            if card not in codes and compared_words(card) not in names:
                nearest = _nearest(card, texts)
                yield UnknownName(
                    ruling, card, nearest, f"no loaded card is called {card!r}{_meant(nearest)}"
                )


def unknown_rules(rulings: Iterable[Ruling], versions: RuleVersions) -> Iterator[UnknownName]:
    """Yield the rules that ``rulings`` rest on, by entry or number, and that no edition in
    ``versions`` has or has had.
    """
    known: list[str] = []
    for ruling, basis in versions.unresolved(rulings):
        known = known or list(dict.fromkeys(versions.rules()))
        nearest = _nearest(basis.rule, known) if basis.entry else ""
        what = "entry" if basis.entry else "rule with the number"
        yield UnknownName(
            ruling,
            basis.rule,
            nearest,
            f"no edition here has the {what} {basis.rule!r} that it rests on{_meant(nearest)}",
        )


def _codes(card: Card) -> Iterator[str]:
    yield from (card.id, card.slug)
    yield from (printing.code for printing in card.printings)
    yield from (face.code for face in card.faces if face.code)


def _nearest(name: str, known: Sequence[str]) -> str:
    found = process.extractOne(
        name, known, scorer=fuzz.ratio, processor=str.casefold, score_cutoff=_LEAST_ALIKE
    )
    return found[0] if found else ""


def _meant(nearest: str) -> str:
    return f"; is {nearest!r} meant?" if nearest else ""
