"""The registry of languages, and patterns made from the words of all of them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, TypeAdapter

from corpus import data_files
from corpus.languages.schema import Language

_FILE = TypeAdapter(Language)
FOLDER = Path(__file__).parent
_BLANK = re.compile(r" (?![?*+{])")  # no quantifier behind it
FALLBACK = "en"  # stands in for a language without a file


def load_all(extra: Path | None = None) -> Mapping[str, Language]:
    """Return every language by its code, in order of rank: those of this package, and those with
    files in the folder ``extra``.

    A language in ``extra`` replaces the one with the same code. An unusable file in ``extra`` is
    skipped, with a message on standard error: languages are loaded before any error handling is in
    place.
    """
    found = [data_files.load(path, _FILE) for path in FOLDER.glob("*.yaml")]
    if extra is not None and not extra.is_dir():
        print(f"regula: REGULA_LANGUAGES: {extra} is no folder", file=sys.stderr)
    for path in sorted(extra.glob("*.yaml")) if extra is not None else ():
        try:
            language = data_files.load(path, _FILE)
            check_patterns(path.name, language)
        except data_files.DataFileError as error:
            fields = "(fields: corpus/languages/schema.py)"
            print(f"regula: {error} {fields}; the language is left out", file=sys.stderr)
        else:
            found.append(language)
    by_code = {each.code: each for each in found}
    order = sorted(by_code.values(), key=lambda each: (each.rank, each.code))
    return {each.code: each for each in order}


def check_patterns(file: str, language: Language) -> None:
    """Raise `data_files.DataFileError` with ``file`` and field if a pattern is not a valid regular
    expression.

    This takes some 10 ms, so a test checks the files of this package, and not every load.
    """
    for field, pattern in _strings(language.model_dump(exclude={"citation", "unknown_rulebook"})):
        try:
            re.compile(pattern)
        except re.error as error:
            message = f"{file}: {field}: no regular expression: {error}"
            raise data_files.DataFileError(message) from error


def _strings(value: object, field: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from _strings(each, f"{field}.{name}".lstrip("."))
    elif isinstance(value, tuple):
        for number, each in enumerate(value):
            yield from _strings(each, f"{field}[{number}]")


_EXTRA = os.environ.get("REGULA_LANGUAGES")
_BY_CODE = load_all(Path(_EXTRA) if _EXTRA else None)
LANGUAGES = tuple(_BY_CODE)


def known_language(code: str) -> str:
    """Return ``code`` itself. Raises `ValueError` where there is no file for it."""
    if code not in _BY_CODE:
        raise ValueError(f"no language {code!r}; there are: {', '.join(LANGUAGES)}")
    return code


LanguageCode = Annotated[str, AfterValidator(known_language)]


def get_language(code: str) -> Language:
    """Return the data of the language ``code``; those of English if there is no file for it."""
    return _BY_CODE.get(code) or _BY_CODE[FALLBACK]


def any_of(*names: str, language: str | None = None) -> str:
    """Return a group for a regular expression that matches any of the patterns ``names``:
    ``any_of("references.see")``.

    The patterns are those of all languages, or of ``language`` alone. A blank in one stands for any
    white space. Without patterns the group matches nothing.
    """
    languages = _BY_CODE.values() if language is None else (get_language(language),)
    patterns = (p for each in languages for name in names for p in attrgetter(name)(each))
    distinct = dict.fromkeys(_BLANK.sub(r"\\s+", pattern) for pattern in patterns)
    return f"(?:{'|'.join(distinct) or '(?!)'})"


def words_of(name: str) -> frozenset[str]:
    """Return the words ``name`` of all languages: ``words_of("function_words.in_titles")``."""
    return frozenset(word for each in _BY_CODE.values() for word in attrgetter(name)(each))


def vocabulary() -> frozenset[str]:
    """Return every word in the language files, in lower case."""
    strings = (text for each in _BY_CODE.values() for _, text in _strings(each.model_dump()))
    return frozenset(word.casefold() for text in strings for word in re.findall(r"[^\W\d_]+", text))


def transliteration() -> Mapping[str, str]:
    """Return the replacements for special lower-case letters of all languages: "ae" for "ä"."""
    return {
        letter: typed
        for each in _BY_CODE.values()
        for letter, typed in each.transliteration.items()
    }


def letters() -> str:
    """Return the lower-case letters of all languages, for a character class in a regular
    expression: ``a-zßàäèéìòöùü``.
    """
    return "a-z" + "".join(
        sorted({letter for each in _BY_CODE.values() for letter in each.letters})
    )


def capitals() -> str:
    """Return the capital letters of all languages, for a character class."""
    capital = map(str.upper, letters().removeprefix("a-z"))
    return "A-Z" + "".join(letter for letter in capital if len(letter) == 1)
