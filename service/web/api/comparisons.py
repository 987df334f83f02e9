"""Editions side by side, concepts, and term lists, as JSON and as files for translation tools."""

from __future__ import annotations

from flask import Response

from corpus.errors import NotFound
from service.browse.entries import entry_with_text_out
from service.browse.translations import entries_by_concept
from service.core import parameters
from service.core.jobs.queue import run_job
from service.core.jobs.stored_files import render_once
from service.core.problems import Problem
from service.editions import card_comparison, comparison_formats
from service.editions.card_comparison_files import compared_cards_file
from service.editions.comparison import NotComparable
from service.editions.exports import Format, NothingToExport
from service.editions.exports.options import ExportOptions
from service.editions.exports.region_codes import WrongRegions, parse_regions
from service.editions.source_edition import NoSource, game_source, source_edition
from service.editions.term_formats import FORMATS
from service.editions.term_formats import render as render_terms
from service.editions.term_usage import render as render_usage
from service.schemas.base import NoParams
from service.schemas.card_comparisons import CardComparisonOut, CardComparisonParams, CardComparisonPathParams
from service.schemas.comparisons import (
    ComparisonOut,
    ComparisonParams,
    ComparisonPathParams,
    TermsCheckOut,
    TermsCheckParams,
    TermsOut,
    TermsParams,
)
from service.schemas.entries import ConceptOut, ConceptPathParams
from service.web.api.blueprints import COMPARE, api
from service.web.api.responses import json_response
from service.web.localization import language
from service.web.request_context import current_snapshot


@api.get("/terms", tags=[COMPARE], responses={200: TermsOut})
def terms(query: TermsParams) -> Response:
    """Give the term list of a game, in the format asked for."""
    snapshot = current_snapshot()
    game = parameters.one_of(query.model_dump(), "game", snapshot.library.games) or ""
    name = query.format or "json"
    file_format, location = FORMATS[name], snapshot.location
    try:
        options = ExportOptions(source=game_source(snapshot.library.editions, game, query.source), regions=parse_regions(query.regions))
        body = render_once(
            location,
            ("terms", game, name, *["cards"] * query.cards, *options.key),
            lambda: run_job(location, render_terms, game, name, options, query.cards),
        )
    except NoSource as fault:
        raise Problem.out_of_range(f"There is no such source: {fault}.", "source") from fault
    except WrongRegions as fault:
        raise Problem.out_of_range(f"{fault}.", "regions") from fault
    except NothingToExport as fault:
        raise Problem.unknown(f"{fault}.", "game") from fault
    return _file(body, file_format, f"{game}-terms")


@api.get("/terms/check", tags=[COMPARE], responses={200: TermsCheckOut})
def check_terms(query: TermsCheckParams) -> Response:
    """Tell what each edition of a game calls its terms, and what is wrong with them."""
    snapshot = current_snapshot()
    game = parameters.one_of(query.model_dump(), "game", snapshot.library.games) or ""
    location = snapshot.location
    return Response(render_once(location, ("usage", game), lambda: run_job(location, render_usage, game)), mimetype="application/json")


@api.get("/compare/<left>/<right>", tags=[COMPARE], responses={200: ComparisonOut})
def compare(path: ComparisonPathParams, query: ComparisonParams) -> Response:
    """Put two editions side by side, in the format asked for."""
    snapshot = current_snapshot()
    left, right, name = path.left, path.right, query.format or "json"
    file_format, location = comparison_formats.FORMATS[name], snapshot.location
    try:
        comparison_formats.check_format(snapshot.library, left, right, name)
        source = source_edition(snapshot.library.editions, left, right, query.source)
        options = ExportOptions(language() if name == "html" else "en", source, parse_regions(query.regions))
        body = render_once(
            location,
            ("comparison", left, right, name, *options.key),
            lambda: run_job(location, comparison_formats.render, left, right, name, options),
        )
    except NoSource as fault:
        raise Problem.out_of_range(f"There is no such source: {fault}.", "source") from fault
    except WrongRegions as fault:
        raise Problem.out_of_range(f"{fault}.", "regions") from fault
    except NotFound as fault:
        raise Problem.unknown(f"{fault.args[0]}.") from fault
    except NotComparable as fault:
        raise Problem.unknown(f"There is no such comparison: {fault}.", "right") from fault
    except NothingToExport as fault:
        raise Problem.unknown(f"{fault}.", "format") from fault
    return _file(body, file_format, f"{left}-{right}")


@api.get("/compare/cards/<game>", tags=[COMPARE], responses={200: CardComparisonOut})
def compare_cards(path: CardComparisonPathParams, query: CardComparisonParams) -> Response:
    """List what differs between the English texts of a game's cards and those in another language, in the format asked for.

    Numbers, symbols, terms and conditions that only one side has, and what is not translated.
    """
    snapshot = current_snapshot()
    if path.game not in snapshot.cards.games:
        raise Problem.unknown("There are no cards of such a game here.")
    name = query.format or "json"
    try:
        body = compared_cards_file(snapshot, path.game, query.language, name)
    except NotFound as fault:
        raise Problem.out_of_range(f"{fault.args[0][:1].upper()}{fault.args[0][1:]}.", "language") from fault
    return _file(body, card_comparison.FORMATS[name], f"{path.game}-cards-{query.language}")


@api.get("/concepts/<path:concept>", tags=[COMPARE], responses={200: ConceptOut})
def concept(path: ConceptPathParams, query: NoParams) -> Response:
    """Tell what the editions call a concept, and its entry in each."""
    snapshot = current_snapshot()
    found = entries_by_concept(snapshot).get(path.concept, ())
    if not found:
        raise Problem.unknown(f"There is no concept {path.concept!r} with an entry here.")
    return json_response(ConceptOut(concept=path.concept, entries=[entry_with_text_out(snapshot.library, each) for each in found]))


def _file(body: bytes, file_format: Format[...], name: str) -> Response:
    """Return ``body`` as a file called ``name`` to be saved; JSON, which programs read, without a file name."""
    response = Response(body, content_type=file_format.mimetype)
    if file_format.extension != "json":
        response.headers.set("Content-Disposition", "attachment", filename=f"{name}.{file_format.extension}")
    return response
