"""Choose the language of a request, by its address, the reader's choice or the browser, and
translate texts.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit

from babel.dates import UTC, format_datetime, format_timedelta
from babel.numbers import format_decimal
from flask import Flask, Response, g, has_request_context, request
from markupsafe import Markup
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from service.core.i18n import DEFAULT, LANGUAGES, catalogue, language_in_words, translate

LANGUAGE_COOKIE = "language"  # what a reader chose
ADDRESS_FIELD = "lang"  # parameter for the language of a page
# Placeholders that hold counts; other numbers may be numbers of rules.
_COUNTING = ("num", "count", "total", "limit", "reviewed")


def register(app: Flask) -> None:
    """Enable the languages of the catalogues in ``app``."""
    app.jinja_env.filters.update(
        numberformat=number_written,
        datetimeformat=lambda moment, form: format_datetime(
            moment, form, tzinfo=UTC, locale=language()
        ),
        timedeltaformat=lambda span: format_timedelta(span, locale=language()),
    )
    app.after_request(_lead_on)


def language() -> str:
    """Return the language of the pages: of the address, else the one chosen, else the browser's."""
    if not has_request_context():
        return DEFAULT
    if "language" not in g:
        chosen = request.cookies.get(LANGUAGE_COOKIE)
        known = chosen if chosen in LANGUAGES else None
        g.language = addressed_language() or known or _accepted_language(request.accept_languages)
    found: str = g.language
    return found


def _accepted_language(accepted: LanguageAccept) -> str:
    """Return the catalogue language with the highest weight, "de" for "de-AT". Without one, return
    the default, unless that is refused.

    Some programs send "*" by default, which does not ask for the first language of a list.
    """
    weights: dict[str, float] = {}
    for code, weight in accepted:
        known = code.partition("-")[0].lower()
        weights[known] = max(weights.get(known, 0.0), weight)
    wanted = [code for code, weight in weights.items() if weight > 0 and code in LANGUAGES]
    others = [code for code in (DEFAULT, *LANGUAGES) if weights.get(code) != 0]
    return max(wanted, key=weights.__getitem__, default=(others or [DEFAULT])[0])


def wanted_language() -> str | None:
    """Return the language of the catalogues that this request names; None if it names none."""
    accepted = request.accept_languages
    named = {code.partition("-")[0].lower() for code, weight in accepted if weight > 0}
    wanted = _accepted_language(accepted)
    return wanted if wanted in named else None


def language_of_header(accept: str) -> str:
    """Return the language that `wanted_language` finds, for an Accept-Language header of a request
    that the application does not see.
    """
    return _accepted_language(parse_accept_header(accept, LanguageAccept))


def addressed_language() -> str | None:
    """Return the language in the address, in any form of BCP 47 ("de-AT"); else None."""
    said = request.args.get(ADDRESS_FIELD, "").partition("-")[0].lower()
    return said if said in LANGUAGES else None


def language_field() -> Markup:
    """Return a hidden form field with the language in this page's address, "" without one."""
    if (said := addressed_language()) is None:
        return Markup()
    return Markup('<input type="hidden" name="{}" value="{}">').format(ADDRESS_FIELD, said)


def _lead_on(response: Response) -> Response:
    """Add the language of the address to the target of a page's redirect."""
    to = urlsplit(response.headers.get("Location", ""))
    leads_on = request.method == "GET" and response.status_code in (301, 302, 303, 307, 308)
    said = addressed_language() if leads_on and not to.netloc else None
    if said and ADDRESS_FIELD not in dict(parse_qsl(to.query)):
        query = "&".join(filter(None, (to.query, urlencode({ADDRESS_FIELD: said}))))
        response.location = to._replace(query=query).geturl()
    return response


def language_name(code: str) -> str:
    """Return the name of the language ``code`` in the page's language; the code if Babel does
    not know it.
    """
    name = language_in_words(language(), code)
    return name[:1].upper() + name[1:] if name != code else code


def number_written(value: int) -> str:
    """Return ``value`` formatted for the language of this request: "2.000" in German."""
    return str(format_decimal(value, locale=language()))


def _written(values: dict[str, object]) -> dict[str, object]:
    return {
        name: number_written(value) if name in _COUNTING and isinstance(value, int) else value
        for name, value in values.items()
    }


def gettext(message: str, **values: object) -> str:
    """Return ``message`` in the language of this request, ``%(name)s`` filled in."""
    if not has_request_context():
        return message % values if values else message
    translated = translate(language(), message)
    return translated % _written(values) if values else translated


def ngettext(one: str, several: str, count: int, **values: object) -> str:
    """Return ``one`` or ``several``, by the plural rule of the language for ``count``, with
    ``%(num)s`` filled in.
    """
    values = {"num": count, **values}
    if not has_request_context():
        return (one if count == 1 else several) % values
    return str(catalogue(language()).ungettext(one, several, count) % _written(values))
