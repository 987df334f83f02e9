"""Reads rulings from card databases: the `clarifications` of LorcanaJSON, and FAQ files like those
of MarvelCDB.

LorcanaJSON: `allCards.json` is `{"metadata": {"language"}, "cards": [{"fullName", "clarifications":
["…"]}]}`. MarvelCDB: the public API's `/api/public/faq` is `[{"code", "text" or "html", "updated":
{"date"}}]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from corpus.cards.files import BrokenValue, pointer
from corpus.rulings.described import MOST, ReadRuling, fields_of
from corpus.rulings.model import Authority
from corpus.rulings.source_files import RulingFault, SourceFile, UnreadableRulings, json_data, short
from corpus.sourced_text import StringSource
from corpus.titles import slug

CLARIFICATIONS = b'"clarifications"'  # every file with clarifications contains these bytes

_SITES = {"marvel-champions": ("MarvelCDB", "https://marvelcdb.com/card/")}
_LORCANA = "LorcanaJSON"


def json_rulings(file: SourceFile, game: str) -> Iterator[ReadRuling | RulingFault]:
    """Yield the rulings of ``game``, and the faults, in a JSON file of a card database.

    Raises `UnreadableRulings` if it is in neither format.
    """
    data = json_data(file)
    if isinstance(data, dict) and isinstance(data.get("cards"), list):
        yield from _clarifications(data, file, game)
    elif isinstance(data, list):
        yield from _faq(data, file, game)
    else:
        raise UnreadableRulings(
            "has neither cards with clarifications nor a list of answers with the codes of cards"
        )


def _clarifications(
    data: dict[str, Any], file: SourceFile, game: str
) -> Iterator[ReadRuling | RulingFault]:
    """Yield one ruling for each clarification; printings of a card with equal texts share one."""
    metadata = data.get("metadata")
    language = metadata.get("language", "en") if isinstance(metadata, dict) else "en"
    seen: set[tuple[str, str]] = set()
    for number, card in enumerate(data["cards"]):
        if isinstance(card, BrokenValue):
            yield RulingFault(file.name, pointer("cards", number), f"{short(card.why)}; left out")
        if not isinstance(card, dict) or "clarifications" not in card:
            continue
        texts = card["clarifications"]
        name = card.get("fullName") or card.get("name") or str(card.get("id", ""))
        if not (isinstance(texts, list) and isinstance(name, str) and name):
            yield RulingFault(
                file.name,
                pointer("cards", number),
                "has no list of clarifications or no name; left out",
            )
            continue
        stem = f"{slug(name[:300]) or 'card'}-{card.get('id', number)}"
        for ordinal, text in enumerate(texts):
            at = ("cards", number, "clarifications", ordinal)
            if isinstance(text, str) and (name, text) in seen:
                continue
            fields = {
                "id": f"{stem}-{ordinal + 1}-{language}",
                "answer": text,
                "language": language,
                "cards": [name],
                "authority": Authority.PUBLISHER,
                "source": _LORCANA,
            }
            found = _read(fields, file, game, at, at)
            if isinstance(found, ReadRuling):
                seen.add((name, text))
            yield found


def _faq(records: list[Any], file: SourceFile, game: str) -> Iterator[ReadRuling | RulingFault]:
    """Yield one ruling for each record; all answers about a card are in one string."""
    if len(records) > MOST:
        raise UnreadableRulings(f"has more than {MOST:,} rulings")
    source, site = _SITES.get(game, ("", ""))
    codes: dict[str, int] = {}
    for number, record in enumerate(records):
        if not isinstance(record, dict) or not isinstance(record.get("code"), str):
            why = short(record.why) if isinstance(record, BrokenValue) else "has no code of a card"
            yield RulingFault(file.name, pointer(number), f"{why}; left out")
            continue
        if "name" in record:
            yield RulingFault(file.name, pointer(number), "is a card, not an answer; left out")
            continue
        code = record["code"]
        codes[code] = codes.get(code, 0) + 1
        name = "text" if isinstance(record.get("text"), str) and record["text"].strip() else "html"
        fields = {
            "id": f"faq-{slug(code[:80]) or 'card'}-{codes[code]}",
            "answer": record.get(name),
            "language": record.get("language", "en"),
            "cards": [code],
            "date": _updated(record.get("updated")),
            "authority": record.get("authority", Authority.DESIGNER),
            "source": record.get("source", source),
            "url": record.get(
                "url", f"{site}{code}" if site and re.fullmatch(r"\w+", code) else ""
            ),
        }
        yield _read(fields, file, game, (number,), (number, name))


def _updated(value: Any) -> Any:
    """Return the day of `{"date": "2019-11-02 10:00:00.000000", …}` or of such a string; return any
    other value unchanged, to be rejected by validation.
    """
    date = value.get("date") if isinstance(value, dict) else value
    return date[:10] if isinstance(date, str) else date


def _read(
    fields: dict[str, Any],
    file: SourceFile,
    game: str,
    at: tuple[str | int, ...],
    answer: tuple[str | int, ...],
) -> ReadRuling | RulingFault:
    found = fields_of(fields, file, at)
    if isinstance(found, RulingFault):
        return found
    return ReadRuling(
        found.ruling(game, None, StringSource(file.name, file.sha256, pointer(*answer)))
    )
