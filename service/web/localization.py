"""The language of a request: what the reader chose, else what the browser asks for."""

from __future__ import annotations

from babel import Locale, support
from babel.core import UnknownLocaleError
from flask import Flask, has_request_context, request
from flask_babel import Babel, Domain, get_locale
from flask_babel import gettext as _gettext
from flask_babel import ngettext as _ngettext

from service.core.i18n import DEFAULT, LANGUAGES, catalogue

LANGUAGE_COOKIE = "language"  # what a reader chose


class Catalogues(Domain):  # type: ignore[misc]
    """The catalogues of `service.core.i18n` as Flask-Babel wants them."""

    def get_translations(self) -> support.NullTranslations:
        """Return the catalogue of the language of this request."""
        locale = get_locale()
        return catalogue(locale.language) if locale else support.NullTranslations()


def register(app: Flask) -> None:
    """Let ``app`` speak the languages of the catalogues."""
    babel = Babel(app, default_locale=DEFAULT, locale_selector=language)
    babel.domain_instance = Catalogues()


def language() -> str:
    """Return the language of the pages for this request: the one chosen, else the first that the browser asks for."""
    if not has_request_context():
        return DEFAULT
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen in LANGUAGES:
        return chosen
    return request.accept_languages.best_match(LANGUAGES, DEFAULT) or DEFAULT


def language_name(code: str) -> str:
    """Return what the language ``code`` is called in the language of this request; the code itself where Babel does not know it."""
    try:
        name = Locale.parse(code, sep="-").get_display_name(language()) or code
    except (UnknownLocaleError, ValueError):
        return code
    return str(name[:1].upper() + name[1:])


def gettext(message: str, **values: object) -> str:
    """Return ``message`` in the language of this request, ``%(name)s`` filled in; the English where it has no translation."""
    if not has_request_context():
        return message % values if values else message
    return str(_gettext(message, **values))


def ngettext(one: str, several: str, count: int, **values: object) -> str:
    """Return ``one`` or ``several`` as the language of this request wants it for ``count``, which is ``%(num)s`` in them."""
    if not has_request_context():
        return (one if count == 1 else several) % {"num": count, **values}
    return str(_ngettext(one, several, count, **values))
