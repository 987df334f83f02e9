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
_BLANK = re.compile(r" (?![?*+{])")  # not before a quantifier
FALLBACK = "en"  # stands in for a language without a file


def load_all(extra: Path | None = None) -> Mapping[str, Language]:
    """Return every language by its code, in order of rank: those of this package, and those with a
    file in the folder ``extra``, which have priority.

    An invalid file in ``extra`` is skipped with a message on standard error, because languages are
    loaded before any error handling is set up.
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
    """Raise `data_files.DataFileError` with ``file`` and field if a pattern of ``language`` is not
    a valid regular expression.

    This takes some 10 ms, so the files of this package are checked by a test instead of at each
    start.
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
    """Return ``code``. Raises `ValueError` if there is no file for this language."""
    if code not in _BY_CODE:
        raise ValueError(f"no language {code!r}; there are: {', '.join(LANGUAGES)}")
    return code


LanguageCode = Annotated[str, AfterValidator(known_language)]


def get_language(code: str) -> Language:
    """Return the data of the language ``code``, or those of English if it has no file."""
    return _BY_CODE.get(code) or _BY_CODE[FALLBACK]


def any_of(*names: str, language: str | None = None) -> str:
    """Return a regular expression group that matches any pattern in the fields ``names`` of the
    language files: ``any_of("references.see")`` matches "siehe" and "see".

    It includes the patterns of all languages, or only of ``language``. A blank in a pattern matches
    any white space. Without patterns the group matches nothing.
    """
    languages = _BY_CODE.values() if language is None else (get_language(language),)
    patterns = (p for each in languages for name in names for p in attrgetter(name)(each))
    distinct = dict.fromkeys(_BLANK.sub(r"\\s+", pattern) for pattern in patterns)
    return f"(?:{'|'.join(distinct) or '(?!)'})"


def words_of(name: str) -> frozenset[str]:
    """Return the words in the field ``name`` of all language files, like "numbers.half"."""
    return frozenset(word for each in _BY_CODE.values() for word in attrgetter(name)(each))


def vocabulary() -> frozenset[str]:
    """Return every word in the language files, in lower case."""
    strings = (text for each in _BY_CODE.values() for _, text in _strings(each.model_dump()))
    return frozenset(word.casefold() for text in strings for word in re.findall(r"[^\W\d_]+", text))


def transliteration() -> Mapping[str, str]:
    """Return how special lower-case letters of all languages are typed out: "ae" for "ä"."""
    return {
        letter: typed
        for each in _BY_CODE.values()
        for letter, typed in each.transliteration.items()
    }


def letters() -> str:
    """Return the lower-case letters of all languages for a character class: ``a-zßàäèéìòöùü``."""
    return "a-z" + "".join(
        sorted({letter for each in _BY_CODE.values() for letter in each.letters})
    )


def capitals() -> str:
    """Return the capital letters of all languages, for a character class."""
    capital = map(str.upper, letters().removeprefix("a-z"))
    return "A-Z" + "".join(letter for letter in capital if len(letter) == 1)
