"""Symbols and markup in card texts: how a database writes a symbol, and the character or name to
display for it. The data are in symbols.yaml.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, TypeAdapter, field_validator

from corpus.data_files import Fields, load

_FILE = Path(__file__).with_name("symbols.yaml")
_BREAK = re.compile(r"<[bh]r\s*/?>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:b|big|cite|em|i|p|small|span|strong|sub|sup|u)(?:\s[^<>\n]{0,100})?/?>", re.IGNORECASE
)
_CUT_TAG = re.compile(r"<[bi](?=[^\W\d_a-z])")  # its bracket was forgotten
_TRAIT = re.compile(  # a bracket may have been forgotten
    r"\[\[([^\[\]\n]{1,100})\]{1,2}|\[([^\[\]\n]{1,100})\]\]"
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]\w{1,31});", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_BLANK = re.compile(r"(?<![ \u00a0])[ \u00a0]*\n\s*")  # tried once in a long run of spaces


class CardSymbol(NamedTuple):
    """A symbol of a game, with its names by language; ``sign`` is the character for it, or ""."""

    id: str
    sign: str
    names: dict[str, str]

    def name(self, language: str) -> str:
        """Return the symbol's name in ``language``, or in English, or its id."""
        return self.names.get(language) or self.names.get("en") or self.id


class SymbolPlace(NamedTuple):
    """Characters ``start`` to ``end`` (exclusive) of a text, which are written for ``symbol``."""

    start: int
    end: int
    symbol: CardSymbol


class _Symbol(Fields):
    names: dict[str, str]
    sign: str = ""
    written: list[str] = Field([])


class _GameSymbols(Fields):
    """The symbols of a game. ``pattern`` matches anything that looks like a symbol, so that unknown
    symbols are noticed.
    """

    pattern: str
    symbols: dict[str, _Symbol]

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as fault:
            raise ValueError(f"no regular expression: {fault}") from fault
        return pattern


class _Notation(NamedTuple):
    places: re.Pattern[str]
    symbols: dict[str, CardSymbol]  # by what is written, in lower case

    def found(self, text: str) -> Iterator[tuple[re.Match[str], CardSymbol | None]]:
        for match in self.places.finditer(text):
            yield match, self.symbols.get(match.group().casefold())


def symbol_places(text: str, game: str) -> tuple[SymbolPlace, ...]:
    """Return the known symbols in ``text``, a raw or displayed text of ``game``, in order."""
    return tuple(
        SymbolPlace(*match.span(), symbol)
        for match, symbol in _notation(game).found(text)
        if symbol
    )


def unknown_symbols(text: str, game: str) -> list[str]:
    """Return the parts of ``text`` that look like symbols of ``game`` but are unknown, in order."""
    return [match.group() for match, symbol in _notation(game).found(text) if symbol is None]


def with_symbols_shown(text: str, game: str, language: str) -> str:
    """Return ``text`` with each symbol as its character, or as its name in square brackets."""
    shown, at = [], 0
    for place in symbol_places(text, game):
        shown += [text[at : place.start], place.symbol.sign or f"[{place.symbol.name(language)}]"]
        at = place.end
    return "".join((*shown, text[at:]))


def card_display(text: str, game: str, language: str) -> str:
    """Return the ``text`` of a card for readers: without markup, control characters and empty
    lines, and with symbols shown.
    """
    shown = text.replace("\r\n", "\n").replace("\r", "\n")
    if "<" in shown:
        shown = _CUT_TAG.sub("", _TAG.sub("", _BREAK.sub("\n", shown)))
    shown = with_symbols_shown(shown, game, language)
    shown = _TRAIT.sub(lambda match: match.group(1) or match.group(2), shown)
    if "&" in shown:
        shown = _ENTITY.sub(lambda match: html.unescape(match.group()), shown)
    return _BLANK.sub("\n", _CONTROLS.sub(" ", shown)).strip()


@lru_cache(maxsize=1)
def _described() -> dict[str, _GameSymbols]:
    return load(_FILE, TypeAdapter(dict[str, _GameSymbols]))


@lru_cache(maxsize=64)
def _notation(game: str) -> _Notation:
    """Return how symbols of ``game`` are written; an undescribed game has no symbols."""
    described = _described().get(game)
    if described is None:
        return _Notation(re.compile(r"(?!)"), {})
    symbols: dict[str, CardSymbol] = {}
    for id, each in described.symbols.items():
        symbol = CardSymbol(id, each.sign, each.names)
        own = [each.sign] if each.sign else [f"[{name}]" for name in each.names.values()]
        for written in (*each.written, *own):
            symbols[written.casefold()] = symbol
            if written[0] == "[":
                # Some symbols are written in double brackets, like traits.
                symbols[f"[{written}]".casefold()] = symbol
    known = "|".join(re.escape(written) for written in sorted(symbols, key=len, reverse=True))
    return _Notation(re.compile(f"{known}|{described.pattern}", re.IGNORECASE), symbols)
