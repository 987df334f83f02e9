"""The words of the pages: English in the code, German and Italian in catalogues, chosen by what the reader or the browser asks for."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

from babel import support
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from flask import Flask, has_request_context, request
from flask_babel import Babel, Domain, get_locale
from flask_babel import gettext as _gettext
from flask_babel import ngettext as _ngettext

LANGUAGES = ("de", "it", "en")
DEFAULT = "en"
CHOSEN = "language"  # the cookie that keeps what a reader chose
FOLDER = Path(__file__).parent / "translations"


class Catalogues(Domain):  # type: ignore[misc]
    """The catalogues as they are written: a compiled copy beside them could be older than they are."""

    def get_translations(self) -> support.NullTranslations:
        """The catalogue of this request's language."""
        locale = get_locale()
        return catalogue(locale.language) if locale else support.NullTranslations()


@cache
def catalogue(language: str) -> support.NullTranslations:
    """The translations into ``language``; none for English, which is what the code says."""
    path = FOLDER / language / "LC_MESSAGES" / "messages.po"
    if not path.exists():
        return support.NullTranslations()
    with path.open("rb") as file:
        read = read_po(file, locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, read)
    compiled.seek(0)
    return support.Translations(compiled)


def register(app: Flask) -> None:
    """Let ``app`` speak the languages of the catalogues."""
    babel = Babel(app, default_locale=DEFAULT, locale_selector=language)
    babel.domain_instance = Catalogues()


def language() -> str:
    """The language of the pages for this request: the one chosen, else the first that the browser asks for."""
    if not has_request_context():
        return DEFAULT
    chosen = request.cookies.get(CHOSEN)
    if chosen in LANGUAGES:
        return chosen
    return request.accept_languages.best_match(LANGUAGES, DEFAULT) or DEFAULT


def N_(message: str) -> str:
    """``message`` itself, marked as one to translate where it is shown."""
    return message


def said(language: str, message: str) -> str:
    """``message`` in ``language``, whatever language a request wants; the English itself where it has no translation."""
    return str(catalogue(language).gettext(message))


def gettext(message: str, **values: object) -> str:
    """``message`` in the language of this request, ``%(name)s`` filled in; the English itself where it has no translation."""
    if not has_request_context():
        return message % values if values else message
    return str(_gettext(message, **values))


def ngettext(one: str, several: str, count: int, **values: object) -> str:
    """``one`` or ``several`` as the language of this request wants it for ``count``, which is ``%(num)s`` in them."""
    if not has_request_context():
        return (one if count == 1 else several) % {"num": count, **values}
    return str(_ngettext(one, several, count, **values))
