"""Which rulings a list has, and what it says of each: the newest first, for terminals, pages and programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from corpus.rulings import Ruling
from index.analysis import plain


class RulingFilter(NamedTuple):
    """What rulings have to fit: a ``card`` they name, an ``authority``, a ``language``, and ``words`` that all occur in them."""

    card: str = ""
    authority: str = ""
    language: str = ""
    words: str = ""

    def fitting(self, rulings: Iterable[Ruling]) -> list[Ruling]:
        """Those of ``rulings`` that fit, in their order."""
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
        """Those of ``rulings`` that fit, the newest first; those without a date last."""
        return newest_first(self.fitting(rulings))


def newest_first(rulings: Iterable[Ruling]) -> list[Ruling]:
    """``rulings`` by date, those that are superseded behind the others."""
    by_date = sorted(rulings, key=lambda each: each.date, reverse=True)
    return sorted(by_date, key=lambda each: bool(each.superseded_by))


def _has(ruling: Ruling, sought: list[str]) -> bool:
    texts = (ruling.question.text if ruling.question else "", ruling.answer.text, *ruling.cards, ruling.source, ruling.author, ruling.id)
    said = plain(" ".join(texts))
    return all(word in said for word in sought)


def ruling_lines(ruling: Ruling) -> Iterator[str]:
    """What a terminal shows of a ruling."""
    about = ", ".join(part for part in (ruling.date, ruling.authority.value, ruling.source, ruling.author) if part)
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


def ruling_json(ruling: Ruling) -> dict[str, Any]:
    """A ruling as an object of JSON, each text with its place."""
    return {
        "id": ruling.id,
        "game": ruling.game,
        "authority": ruling.authority.value,
        "date": ruling.date or None,
        "cards": list(ruling.cards),
        "question": ruling.question and _text_json(ruling.question),
        "answer": _text_json(ruling.answer),
        "source": ruling.source,
        "url": ruling.url or None,
        "author": ruling.author or None,
        "rests_on": [basis._asdict() for basis in ruling.bases],
        "superseded_by": ruling.superseded_by or None,
    }


def _text_json(text: Any) -> dict[str, Any]:
    return {"text": text.text, "language": text.language, "source": {**text.source._asdict(), "spans": [[0, len(text.text)]]}}
