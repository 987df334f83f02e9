"""A comparison as one HTML file for reading and printing: no scripts, nothing loaded from elsewhere."""

from __future__ import annotations

from functools import cache, partial
from importlib.resources import files

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from glossary.comparison import EditionComparison, ComparisonStatus
from service.answers.citations import edition_name, line_range
from service.core.i18n import DEFAULT, N_, translate
from service.editions.comparison_view import spread
from service.editions.exports.csv_tables import printable


def as_html(comparison: EditionComparison, language: str = DEFAULT) -> bytes:
    """The whole comparison on one page, whose own words are in ``language``, one of those of the pages."""
    page = _templates(language).get_template("comparison.html").render(spread=spread(comparison))
    return printable(page).encode()


@cache
def _templates(language: str) -> Environment:
    made = Environment(loader=PackageLoader("service.web"), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    static = files("service.web") / "static"
    style = "\n".join((static / name).read_text(encoding="utf-8") for name in ("regula.css", "spread.css"))
    made.globals.update(
        _=partial(_worded, language),
        N_=N_,
        language=lambda: language,
        edition_name=edition_name,
        line_range=line_range,
        Status=ComparisonStatus,
        style=Markup(style),
    )
    return made


def _worded(language: str, message: str, **values: object) -> str:
    found = translate(language, message)
    return found % values if values else found
