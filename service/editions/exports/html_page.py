"""A comparison as one HTML file for reading and printing, without scripts and without anything loaded from other files."""

from __future__ import annotations

from functools import cache, partial
from importlib.resources import files

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from glossary.comparison import ComparisonStatus, EditionComparison
from service.answers.citations import edition_name, line_range
from service.core.i18n import DEFAULT, N_, translate
from service.editions.comparison_view import comparison_view
from service.editions.exports.csv_tables import strip_unprintable


def comparison_html(comparison: EditionComparison, language: str = DEFAULT) -> bytes:
    """Return the whole comparison as one HTML page; ``language`` is that of the page itself, one of the languages of the interface."""
    page = _template_environment(language).get_template("comparison_export.html").render(view=comparison_view(comparison))
    return strip_unprintable(page).encode()


@cache
def _template_environment(language: str) -> Environment:
    environment = Environment(loader=PackageLoader("service.web"), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    static = files("service.web") / "static"
    style = "\n".join((static / name).read_text(encoding="utf-8") for name in ("regula.css", "spread.css"))
    environment.globals.update(
        _=partial(_translate_message, language),
        N_=N_,
        language=lambda: language,
        edition_name=edition_name,
        line_range=line_range,
        Status=ComparisonStatus,
        style=Markup(style),
    )
    return environment


def _translate_message(language: str, message: str, **values: object) -> str:
    translated = translate(language, message)
    return translated % values if values else translated
