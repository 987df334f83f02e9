"""Editions side by side, concepts, and term lists, as JSON and as files for translation tools."""

from __future__ import annotations

from flask import Response, jsonify

from service import asking
from service.answer import entry_with_text_json
from service.api.blueprints import COMPARE, api
from service.comparing import NotComparable, kept
from service.desk import desk
from service.exports import Format, NothingToExport, comparisons
from service.problems import Problem
from service.schemas.base import Nothing
from service.schemas.editing import (
    Comparison,
    ComparisonParameters,
    ComparisonPath,
    Terms,
    TermsCheck,
    TermsCheckParameters,
    TermsParameters,
)
from service.schemas.entries import Concept, ConceptPath
from service.terminology import kept as kept_usage
from service.terminology import terminology_json
from service.terms import FORMATS, terms_of


@api.get("/terms", tags=[COMPARE], responses={200: Terms})
def terms(query: TermsParameters) -> Response:
    """Give the term list of a game, in the format asked for."""
    library = desk().snapshot().library
    game = asking.one_of(query.model_dump(), "game", library.games) or ""
    form = FORMATS[query.format or "json"]
    try:
        body = form.write(terms_of(library, game))
    except NothingToExport as fault:
        raise Problem.unknown(f"{fault}.", "game") from fault
    return _file(body, form, f"{game}-terms")


@api.get("/terms/check", tags=[COMPARE], responses={200: TermsCheck})
def check_terms(query: TermsCheckParameters) -> Response:
    """Tell what each edition of a game calls its terms, and what is wrong with them."""
    snapshot = desk().snapshot()
    game = asking.one_of(query.model_dump(), "game", snapshot.library.games) or ""
    return jsonify(terminology_json(game, kept_usage(snapshot, game)))


@api.get("/compare/<left>/<right>", tags=[COMPARE], responses={200: Comparison})
def compare(path: ComparisonPath, query: ComparisonParameters) -> Response:
    """Put two editions side by side, in the format asked for."""
    snapshot = desk().snapshot()
    form = comparisons.FORMATS[query.format or "json"]
    try:
        body = form.write(kept(snapshot, path.left, path.right), snapshot.library)
    except LookupError as fault:
        raise Problem.unknown(f"{fault.args[0]}.") from fault
    except NotComparable as fault:
        raise Problem.unknown(f"There is no such comparison: {fault}.", "right") from fault
    except NothingToExport as fault:
        raise Problem.unknown(f"{fault}.", "format") from fault
    return _file(body, form, f"{path.left}-{path.right}")


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
