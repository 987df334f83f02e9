"""The language of a request: what its address says, else what the reader chose, else what the
browser asks for.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit

from babel.dates import UTC, format_datetime, format_timedelta
from babel.numbers import format_decimal
from flask import Flask, Response, g, has_request_context, request
from markupsafe import Markup
from werkzeug.datastructures import LanguageAccept

from service.core.i18n import DEFAULT, LANGUAGES, catalogue, language_in_words, translate

LANGUAGE_COOKIE = "language"  # what a reader chose
ADDRESS_FIELD = "lang"  # of an address that says in which language its page is
_COUNTING = ("num", "count", "total", "limit", "reviewed")  # names of values in texts
_LEADING_ON = (301, 302, 303, 307, 308)


def register(app: Flask) -> None:
    """Let ``app`` speak the languages of the catalogues."""
    app.jinja_env.filters.update(
        numberformat=number_written,
        datetimeformat=lambda moment, form: format_datetime(
            moment, form, tzinfo=UTC, locale=language()
        ),
        timedeltaformat=lambda span: format_timedelta(span, locale=language()),
    )
    app.after_request(_led_on)


def language() -> str:
    """Return the language of the pages for this request: of the address, else the one chosen, else
    the first that the browser asks for.
    """
    if not has_request_context():
        return DEFAULT
    if "language" not in g:
        g.language = _asked_language()
    found: str = g.language
    return found


def _asked_language() -> str:
    if addressed := addressed_language():
        return addressed
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen in LANGUAGES:
        return chosen
    # Some programs ask for "*" without having been told to: that is no wish for the first language
    # of a list.
    wished = LanguageAccept(
        [(code, quality) for code, quality in request.accept_languages if code != "*"]
    )
    return wished.best_match(LANGUAGES, DEFAULT) or DEFAULT


def addressed_language() -> str | None:
    """Return the language of the pages that the address of this request says, in any form of BCP 47
    ("de-AT"); None where it says none.
    """
    said = request.args.get(ADDRESS_FIELD, "").partition("-")[0].lower()
    return said if said in LANGUAGES else None


def language_field() -> Markup:
    """Return a hidden field for a form that leads to another page: the language in the address of
    this one, "" where it says none.
    """
    said = addressed_language()
    return (
        Markup('<input type="hidden" name="{}" value="{}">').format(ADDRESS_FIELD, said)
        if said
        else Markup()
    )


def _led_on(response: Response) -> Response:
    """Let the address that a page leads on to say the language that its own address says."""
    to = urlsplit(response.headers.get("Location", ""))
    leads_on = request.method == "GET" and response.status_code in _LEADING_ON and not to.netloc
    if (
        leads_on
        and (said := addressed_language())
        and ADDRESS_FIELD not in dict(parse_qsl(to.query))
    ):
        response.location = to._replace(
            query="&".join(filter(None, (to.query, urlencode({ADDRESS_FIELD: said}))))
        ).geturl()
    return response


def language_name(code: str) -> str:
    """Return what the language ``code`` is called in the language of this request; the code itself
    where Babel does not know it.
    """
    name = language_in_words(language(), code)
    return name[:1].upper() + name[1:] if name != code else code


def number_written(value: int) -> str:
    """Return ``value`` as the language of this request writes it: "2.000" in German."""
    return str(format_decimal(value, locale=language()))


def _written(values: dict[str, object]) -> dict[str, object]:
    """Return ``values`` with those that count something as the language of this request writes
    them; others may be numbers of rules.
    """
    return {
        name: number_written(value) if name in _COUNTING and isinstance(value, int) else value
        for name, value in values.items()
    }


def gettext(message: str, **values: object) -> str:
    """Return ``message`` in the language of this request, ``%(name)s`` filled in; the English where
    it has no translation.
    """
    if not has_request_context():
        return message % values if values else message
    translated = translate(language(), message)
    return translated % _written(values) if values else translated


def ngettext(one: str, several: str, count: int, **values: object) -> str:
    """Return ``one`` or ``several`` as the language of this request wants it for ``count``, which
    is ``%(num)s`` in them.
    """
    if not has_request_context():
        return (one if count == 1 else several) % {"num": count, **values}
    return str(
        catalogue(language()).ungettext(one, several, count) % _written({"num": count, **values})
    )
