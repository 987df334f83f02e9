"""Translate texts to the languages of the pages. English is in the code, German and Italian are in
catalogues, as is the English of texts identified by a code.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from corpus import languages

if TYPE_CHECKING:
    from babel.support import NullTranslations

DEFAULT = "en"
FOLDER = Path(__file__).parent / "translations"
LANGUAGES = tuple(code for code in languages.LANGUAGES if (FOLDER / code).is_dir())  # of the pages


@cache
def catalogue(language: str) -> NullTranslations:
    """Return the translations into ``language``; for English, only of texts identified by a code.

    Catalogues are compiled on first use: compiled files could be older than their sources.
    """
    # A slow import, which commands that translate nothing do not need
    from babel import support
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    path = FOLDER / language / "LC_MESSAGES" / "messages.po"
    if not path.exists():
        return support.NullTranslations()
    with path.open("rb") as file:
        read = read_po(file, locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, read)
    compiled.seek(0)
    return support.Translations(compiled)


def N_(message: str) -> str:
    """Mark ``message`` for translation; return it unchanged."""
    return message


def translate(language: str, message: str) -> str:
    """Return ``message`` in ``language``, or in English if it has no translation."""
    return str(catalogue(language).gettext(message))


@dataclass(frozen=True)
class TranslatableText:
    """A text to show in the reader's language: ``%(name)s`` in ``english`` is replaced by the value
    with that name. Whole numbers are written in the style of the language ("2.000" in German);
    values may be translatable texts themselves. `str` returns the English text.
    """

    english: str
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.in_language(DEFAULT)

    def in_language(self, language: str) -> str:
        """Return the text in ``language``, or in English if it has no translation."""
        text = self.english if language == DEFAULT else translate(language, self.english)
        values = {name: _value_in(language, value) for name, value in self.values.items()}
        return text % values if values else text


class TranslatableSentence(TranslatableText):
    """A text shown with a capital and a full stop, such as an error message."""

    def in_language(self, language: str) -> str:
        """Return the sentence in ``language``."""
        text = super().in_language(language)
        return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def sentence_of(fault: Exception) -> TranslatableText:
    """Return the message of ``fault`` as a sentence, translatable if raised with a
    `TranslatableText`.
    """
    said = fault.args[0] if fault.args else ""
    if isinstance(said, TranslatableText):
        return TranslatableSentence(said.english, said.values)
    return TranslatableSentence(str(said))


def _value_in(language: str, value: object) -> str:
    if isinstance(value, TranslatableText):
        return value.in_language(language)
    if isinstance(value, bool) or not isinstance(value, int):
        return str(value)
    if language == DEFAULT:
        return f"{value:,}"
    from babel.numbers import format_decimal

    return str(format_decimal(value, locale=language))


def language_in_words(language: str, code: str) -> str:
    """Return the name of the language ``code`` in ``language``: "Englisch"; the code itself if
    Babel does not know it.
    """
    from babel.core import Locale, UnknownLocaleError

    try:
        return str(Locale.parse(code, sep="-").get_display_name(language) or code)
    except (UnknownLocaleError, ValueError):
        return code


def day_in_words(language: str, day: str) -> str:
    """Return ``day``, given in ISO 8601, in the style of ``language``: "30. April 2026"; in English
    if Babel does not know the language.
    """
    from babel.core import UnknownLocaleError
    from babel.dates import format_date

    try:
        return str(format_date(date.fromisoformat(day), "long", locale=language))
    except (UnknownLocaleError, ValueError):
        return str(format_date(date.fromisoformat(day), "long", locale=DEFAULT))
