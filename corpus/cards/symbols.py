"""Symbols in the texts of cards: how a database writes them, and the sign or name that stands for
each; facts in symbols.yaml.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, TypeAdapter, field_validator

from corpus.data_files import Fields, load

_FILE = Path(__file__).with_name("symbols.yaml")


class CardSymbol(NamedTuple):
    """A symbol of a game: its sign, "" where no character stands for it, and its names by
    language.
    """

    id: str
    sign: str
    names: dict[str, str]

    def name(self, language: str) -> str:
        """What it is called in ``language``, else in English, else its id."""
        return self.names.get(language) or self.names.get("en") or self.id

    def shown(self, language: str) -> str:
        """What a text in ``language`` shows for it: its sign, else its name in square brackets."""
        return self.sign or f"[{self.name(language)}]"


class SymbolPlace(NamedTuple):
    """Characters ``start`` to ``end`` (exclusive) of a text, which stand for ``symbol``."""

    start: int
    end: int
    symbol: CardSymbol


class _Symbol(Fields):
    names: dict[str, str]
    sign: str = ""
    written: list[str] = Field(default=[])


class _GameSymbols(Fields):
    """``pattern`` finds whatever is a symbol by its look, so that an unknown one is noticed."""

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
    symbols: dict[str, CardSymbol]


def symbol_places(text: str, game: str) -> tuple[SymbolPlace, ...]:
    """The symbols in ``text``, a text of a card of ``game`` or its display, in order."""
    notation = _notation(game)
    if notation is None:
        return ()
    found = (
        (match, notation.symbols.get(match.group().casefold()))
        for match in notation.places.finditer(text)
    )
    return tuple(
        SymbolPlace(match.start(), match.end(), symbol)
        for match, symbol in found
        if symbol is not None
    )


def unknown_symbols(text: str, game: str) -> list[str]:
    """What in ``text`` looks like a symbol of ``game`` and is none that is known, in order."""
    notation = _notation(game)
    if notation is None:
        return []
    return [
        match.group()
        for match in notation.places.finditer(text)
        if match.group().casefold() not in notation.symbols
    ]


def with_symbols_shown(text: str, game: str, language: str) -> str:
    """``text`` with the sign of each symbol, or with its name in ``language``, in its place."""
    notation = _notation(game)
    if notation is None:
        return text

    def shown(match: re.Match[str]) -> str:
        symbol = notation.symbols.get(match.group().casefold())
        return symbol.shown(language) if symbol is not None else match.group()

    return notation.places.sub(shown, text)


def symbols_of(game: str) -> tuple[CardSymbol, ...]:
    """The symbols of ``game``, none where none are described."""
    notation = _notation(game)
    return (
        tuple({symbol.id: symbol for symbol in notation.symbols.values()}.values())
        if notation
        else ()
    )


@lru_cache(maxsize=1)
def _described() -> dict[str, _GameSymbols]:
    return load(_FILE, TypeAdapter(dict[str, _GameSymbols]))


@lru_cache(maxsize=64)
def _notation(game: str) -> _Notation | None:
    """How the symbols of ``game`` are written, by what is written in lower case; None where none
    are described.
    """
    described = _described().get(game)
    if described is None:
        return None
    symbols: dict[str, CardSymbol] = {}
    for id, each in described.symbols.items():
        symbol = CardSymbol(id, each.sign, each.names)
        for written in (
            *each.written,
            *([each.sign] if each.sign else [f"[{name}]" for name in each.names.values()]),
        ):
            symbols[written.casefold()] = symbol
            if written[0] == "[":
                symbols[f"[{written}]".casefold()] = (
                    symbol  # as traits are written, where somebody mistook it for one
                )
    known = "|".join(re.escape(written) for written in sorted(symbols, key=len, reverse=True))
    return _Notation(re.compile(f"{known}|{described.pattern}", re.IGNORECASE), symbols)
