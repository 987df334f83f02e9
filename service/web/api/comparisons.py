"""Editions side by side, concepts, and term lists, as JSON and as files for translation tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from flask import Response

from corpus.errors import NotFound
from glossary.comparison.pairings import NO_PAIRINGS
from glossary.comparison.reviews import NO_REVIEWS
from service.browse.entries import entry_with_text_out
from service.browse.entry_view import entries_by_concept
from service.core import parameters
from service.core.i18n import N_, TranslatableText, sentence_of
from service.core.jobs.stored_works import stored
from service.core.problems import Problem
from service.editions.comparison import (
    NoSource,
    NotComparable,
    game_source,
    source_edition,
)
from service.editions.exported_files import (
    CARD_FORMATS,
    COMPARISON_FORMATS,
    TERM_FORMATS,
    check_format,
    compared_cards_work,
    comparison_file_work,
    terms_file_work,
)
from service.editions.exports.formats import (
    ExportOptions,
    Format,
    NothingToExport,
    WrongRegions,
    parse_regions,
)
from service.editions.terms import term_usage_work
from service.schemas.comparisons import (
    CardComparisonOut,
    CardComparisonParams,
    CardComparisonPathParams,
    ComparisonOut,
    ComparisonParams,
    ComparisonPathParams,
    TermsCheckOut,
    TermsCheckParams,
    TermsOut,
    TermsParams,
    TermsQueryParams,
)
from service.schemas.entries import ConceptOut, ConceptPathParams
from service.web.api.blueprints import COMPARE, api
from service.web.editing import book_of, pairings_of
from service.web.localization import language
from service.web.request_context import current_snapshot


def add_formats(
    rule: str,
    formats: Mapping[str, Format[...]],
    what: str,
    called: str,
    view: Callable[..., Response],
) -> None:
    """Register an address below ``rule`` for each of ``formats`` but JSON, which ``rule`` gives.

    ``view`` returns the file in the format ``name``; ``what`` describes the file; operation ids
    begin with ``called``.
    """
    takes = {place: model for place, model in get_type_hints(view).items() if place != "name"}
    for each, form in formats.items():
        if each == "json":
            continue

        def in_format(*, name: str = each, **given: Any) -> Response:
            return view(**given, name=name)

        in_format.__name__ = f"{called}_as_{re.sub('[^a-z0-9]', '_', each)}"
        in_format.__annotations__ = takes
        in_format.__doc__ = (
            f"Give {what} as a file in the format `{each}`.\n\n"
            f"The file that `--format {each}` of the command line writes; docs/translators.md "
            f"says what each format has."
        )
        api.call("GET", f"{rule}/{each}", COMPARE, _file_response(form))(in_format)


def _file_response(form: Format[...]) -> dict[str, Any]:
    mimetype = form.mimetype.partition(";")[0]
    # XML and binary formats declare their encoding themselves: programs take them as bytes.
    schema = (
        {"type": "string"}
        if mimetype.startswith("text/")
        else {"type": "string", "format": "binary"}
    )
    return {"description": "The file.", "content": {mimetype: {"schema": schema}}}


@api.call("GET", "/terms", COMPARE, TermsOut)
def terms(query: TermsQueryParams) -> Response:
    """Give the term list of a game.

    What each term is called in every language, and the entries that define it. Every other format
    has an address of its own behind this one.
    """
    return _terms_file(query, query.format or "json")


def _terms_file(query: TermsParams, name: str) -> Response:
    snapshot = current_snapshot()
    game = query.game
    parameters.one_of(game, "game", snapshot.library.games)
    try:
        options = ExportOptions(
            source=game_source(snapshot.library.editions, game, query.source),
            slang=query.slang,
            regions=parse_regions(query.regions),
        )
        body = stored(snapshot, terms_file_work(game, name, options, query.cards))
    except NoSource as fault:
        raise Problem.out_of_range(sentence_of(fault), "source") from fault
    except WrongRegions as fault:
        raise Problem.out_of_range(sentence_of(fault), "regions") from fault
    except NothingToExport as fault:
        raise Problem.unknown(sentence_of(fault), "game") from fault
    return _file(body, TERM_FORMATS[name], f"{game}-terms")


add_formats("/terms", TERM_FORMATS, "the term list of a game", "terms", _terms_file)


@api.call("GET", "/terms/check", COMPARE, TermsCheckOut)
def check_terms(query: TermsCheckParams) -> Response:
    """Tell what each edition of a game calls its terms, and what is wrong with them.

    Terms with several renderings, words that stand for several concepts, terms that nothing
    defines, headings spelt otherwise.
    """
    snapshot = current_snapshot()
    game = query.game
    parameters.one_of(game, "game", snapshot.library.games)
    return Response(stored(snapshot, term_usage_work(game)), mimetype="application/json")


@api.call("GET", "/compare/<left>/<right>", COMPARE, ComparisonOut)
def compare(path: ComparisonPathParams, query: ComparisonParams) -> Response:
    """Put two editions of a game side by side.

    Entry by entry, passage by passage, with what differs. Every other format has an address of its
    own behind this one.
    """
    return _comparison_file(path, query, "json")


def _comparison_file(path: ComparisonPathParams, query: ComparisonParams, name: str) -> Response:
    snapshot = current_snapshot()
    left, right = path.left, path.right
    reviews, pairings = NO_REVIEWS, NO_PAIRINGS
    if left in snapshot.library.edition:
        game = snapshot.library.edition[left].game
        reviews, pairings = book_of(game), pairings_of(game)
    try:
        check_format(snapshot.library, left, right, name)
        source = source_edition(snapshot.library.editions, left, right, query.source)
        options = ExportOptions(
            language() if name == "html" else "en",
            doubtful=query.doubtful,
            as_printed=query.as_printed,
            reviews=reviews,
            pairings=pairings,
            review=query.review or "",
            source=source,
            regions=parse_regions(query.regions),
        )
        body = stored(snapshot, comparison_file_work(left, right, name, options))
    except NoSource as fault:
        raise Problem.out_of_range(sentence_of(fault), "source") from fault
    except WrongRegions as fault:
        raise Problem.out_of_range(sentence_of(fault), "regions") from fault
    except NotFound as fault:
        raise Problem.unknown(sentence_of(fault)) from fault
    except NotComparable as fault:
        raise Problem.unknown(
            TranslatableText(
                N_("There is no such comparison: %(reason)s."), {"reason": fault.args[0]}
            ),
            "right",
        ) from fault
    except NothingToExport as fault:
        raise Problem.out_of_range(sentence_of(fault), "format") from fault
    return _file(body, COMPARISON_FORMATS[name], f"{left}-{right}")


add_formats(
    "/compare/<left>/<right>",
    COMPARISON_FORMATS,
    "two editions side by side",
    "compare",
    _comparison_file,
)


@api.call("GET", "/compare/cards/<game>", COMPARE, CardComparisonOut)
def compare_cards(path: CardComparisonPathParams, query: CardComparisonParams) -> Response:
    """List what differs between the English texts of a game's cards and those in another language.

    Numbers, symbols, terms and conditions that only one side has, and what is not translated. Every
    other format has an address of its own behind this one.
    """
    return _card_comparison_file(path, query, "json")


def _card_comparison_file(
    path: CardComparisonPathParams, query: CardComparisonParams, name: str
) -> Response:
    snapshot = current_snapshot()
    parameters.one_of(path.game, "game", {*snapshot.library.games, *snapshot.cards.games})
    if path.game not in snapshot.cards.games:
        raise Problem.unknown(N_("There are no cards of such a game here."), "game")
    try:
        body = stored(snapshot, compared_cards_work(path.game, query.language, name))
    except NotFound as fault:
        raise Problem.out_of_range(sentence_of(fault), "language") from fault
    return _file(body, CARD_FORMATS[name], f"{path.game}-cards-{query.language}")


add_formats(
    "/compare/cards/<game>",
    CARD_FORMATS,
    "the cards of a game beside the English ones",
    "compare_cards",
    _card_comparison_file,
)


@api.call("GET", "/concepts/<path:concept>", COMPARE)
def concept(path: ConceptPathParams) -> ConceptOut:
    """Tell what the editions call a concept, and its entry in each.

    A concept is what the same entry of several editions is about, whatever its language; entries,
    terms and comparisons name it.
    """
    snapshot = current_snapshot()
    found = entries_by_concept(snapshot).get(path.concept, ())
    if not found:
        raise Problem.unknown(
            TranslatableText(
                N_("There is no concept %(concept)s with an entry here."),
                {"concept": repr(path.concept)},
            )
        )
    return ConceptOut(
        concept=path.concept,
        entries=[entry_with_text_out(snapshot.library, each) for each in found],
    )


def _file(body: bytes, file_format: Format[...], name: str) -> Response:
    response = Response(body, content_type=file_format.mimetype)
    if file_format.extension != "json":
        response.headers.set(
            "Content-Disposition", "attachment", filename=f"{name}.{file_format.extension}"
        )
    return response
