"""A comparison as one HTML file for reading and printing, without scripts and without anything loaded from other files."""

from __future__ import annotations

from functools import cache, partial
from importlib.resources import files

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from glossary.comparison import ComparisonStatus, EditionComparison
from glossary.comparison.reviews import facing_rows, marked_rows
from service.answers.citations import edition_name, line_range
from service.core.i18n import N_, day_in_words, translate
from service.editions.comparison_view import comparison_view
from service.editions.exports.csv_tables import strip_unprintable
from service.editions.exports.options import ExportOptions


def comparison_html(comparison: EditionComparison, options: ExportOptions) -> bytes:
    """Return the whole comparison as one HTML page in the language of ``options``; what has been reviewed is marked."""
    marks = marked_rows(facing_rows(comparison), comparison.left, comparison.right, options.reviews)
    template = _template_environment(options.language).get_template("comparison_export.html")
    page = template.render(view=comparison_view(comparison), marks=marks)
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
        day_in_words=day_in_words,
        Status=ComparisonStatus,
        style=Markup(style),
    )
    return environment


def _translate_message(language: str, message: str, **values: object) -> str:
    translated = translate(language, message)
    return translated % values if values else translated
