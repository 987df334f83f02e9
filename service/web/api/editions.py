"""Editions side by side, concepts, and term lists, as JSON and as files for translation tools."""

from __future__ import annotations

from flask import Response, jsonify

from corpus.errors import NotFound
from service.answers.answer import entry_with_text_json
from service.core import parameters
from service.core.i18n import language
from service.core.jobs.queue import run, source
from service.core.jobs.stored_files import rendered
from service.core.problems import Problem
from service.editions.comparison import NotComparable
from service.editions.exports import Format, NothingToExport, formats
from service.editions.term_list import FORMATS
from service.editions.term_list import render as render_terms
from service.editions.term_usage import render as render_usage
from service.schemas.base import Nothing
from service.schemas.editions import (
    Comparison,
    ComparisonParameters,
    ComparisonPath,
    Terms,
    TermsCheck,
    TermsCheckParameters,
    TermsParameters,
)
from service.schemas.entries import Concept, ConceptPath
from service.web.api.blueprints import COMPARE, api
from service.web.request_context import desk


@api.get("/terms", tags=[COMPARE], responses={200: Terms})
def terms(query: TermsParameters) -> Response:
    """Give the term list of a game, in the format asked for."""
    snapshot = desk().snapshot()
    game = parameters.one_of(query.model_dump(), "game", snapshot.library.games) or ""
    name = query.format or "json"
    form, place = FORMATS[name], source(snapshot)
    try:
        body = rendered(place, ("terms", game, name), lambda: run(place, render_terms, game, name))
    except NothingToExport as fault:
        raise Problem.unknown(f"{fault}.", "game") from fault
    return _file(body, form, f"{game}-terms")


@api.get("/terms/check", tags=[COMPARE], responses={200: TermsCheck})
def check_terms(query: TermsCheckParameters) -> Response:
    """Tell what each edition of a game calls its terms, and what is wrong with them."""
    snapshot = desk().snapshot()
    game = parameters.one_of(query.model_dump(), "game", snapshot.library.games) or ""
    place = source(snapshot)
    return Response(rendered(place, ("usage", game), lambda: run(place, render_usage, game)), mimetype="application/json")


@api.get("/compare/<left>/<right>", tags=[COMPARE], responses={200: Comparison})
def compare(path: ComparisonPath, query: ComparisonParameters) -> Response:
    """Put two editions side by side, in the format asked for."""
    snapshot = desk().snapshot()
    left, right, name = path.left, path.right, query.format or "json"
    form, place = formats.FORMATS[name], source(snapshot)
    spoken = language() if name == "html" else ""
    try:
        formats.check(snapshot.library, left, right, name)
        body = rendered(place, ("comparison", left, right, name, spoken), lambda: run(place, formats.render, left, right, name, spoken))
    except NotFound as fault:
        raise Problem.unknown(f"{fault.args[0]}.") from fault
    except NotComparable as fault:
        raise Problem.unknown(f"There is no such comparison: {fault}.", "right") from fault
    except NothingToExport as fault:
        raise Problem.unknown(f"{fault}.", "format") from fault
    return _file(body, form, f"{left}-{right}")


@api.get("/concepts/<path:concept>", tags=[COMPARE], responses={200: Concept})
def concept(path: ConceptPath, query: Nothing) -> Response:
    """Tell what the editions call a concept, and its entry in each."""
    library = desk().snapshot().library
    found = [e for e in library.entries if library.concepts.get(e.id) == path.concept]
    if not found:
        raise Problem.unknown(f"There is no concept {path.concept!r} with an entry here.")
    return jsonify(concept=path.concept, entries=[entry_with_text_json(library, e) for e in found])


def _file(body: bytes, form: Format[...], name: str) -> Response:
    """``body`` as a file called ``name`` to be saved; JSON, which programs read, without a file name."""
    response = Response(body, content_type=form.mimetype)
    if form.extension != "json":
        response.headers.set("Content-Disposition", "attachment", filename=f"{name}.{form.extension}")
    return response
