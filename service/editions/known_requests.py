"""The results that visitors usually request, computed after an index is published."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any, NamedTuple

from corpus.model import Edition
from corpus.workspace import workspace
from glossary.comparison.pairings import usable_pairings
from service.answers.verify.verification import words_work
from service.browse.offline_packs import can_be_packed, pack_work
from service.core.jobs.stored_works import Work, is_stored
from service.core.snapshot import Snapshot
from service.editions.card_comparison import CARD_LANGUAGES, card_languages
from service.editions.comparison import comparison_work, game_source, source_edition
from service.editions.edition_changes import changes_work, former_version
from service.editions.exported_files import (
    CARD_FORMATS,
    COMPARISON_FORMATS,
    TERM_FORMATS,
    check_format,
    compared_cards_work,
    comparison_file_work,
    edition_file_work,
    terms_file_work,
)
from service.editions.exports.formats import ExportOptions, NothingToExport
from service.editions.findings import FINDINGS_WORK, finished_findings
from service.editions.terms import edition_pair_terms_work, term_usage_work, terms_work

FEW_EDITIONS = 4  # games with more have too many pairs, which are compared on request


class Progress(NamedTuple):
    """The number of finished jobs out of all."""

    done: int
    total: int


def progress(snapshot: Snapshot) -> Progress:
    """Return the progress of the jobs of ``snapshot``."""
    works, folder = list(works_of(snapshot)), snapshot.folder
    return Progress(sum(folder is None or is_stored(folder, work) for work in works), len(works))


def works_of(snapshot: Snapshot) -> Iterator[Work[Any]]:
    """Yield the jobs of ``snapshot``, the most requested first, but after those they depend on.

    Files are made with default options; other options take a moment, from stored results.
    """
    library = snapshot.library
    pairs: list[tuple[Edition, Edition]] = []
    for game in library.games:
        editions = [edition for edition in library.editions if edition.game == game]
        if len(editions) <= FEW_EDITIONS:
            pairs += permutations(editions, 2)
    yield words_work(snapshot)
    if can_be_packed(snapshot):
        yield from (pack_work(snapshot, game) for game in library.games)
    for left, right in pairs:
        yield comparison_work(library, left.id, right.id)
    if snapshot.cards.games:
        yield CARD_LANGUAGES
    if finished_findings(snapshot) is None:
        yield FINDINGS_WORK
    yield from (terms_work(game, game_source(library.editions, game)) for game in library.games)
    yield from (
        changes_work(edition.id)
        for edition in library.editions
        if former_version(library, edition.id)
    )
    yield from _term_files(snapshot)
    for left, right in pairs:
        source = source_edition(library.editions, left.id, right.id)
        options = ExportOptions(source=source, pairings=usable_pairings(workspace(), left.game))
        yield edition_pair_terms_work(left.id, right.id, source)
        for name in COMPARISON_FORMATS:
            try:
                check_format(library, left.id, right.id, name)
            except NothingToExport:
                continue
            yield comparison_file_work(left.id, right.id, name, options)
    yield from (edition_file_work(edition.id) for edition in library.editions)


def _term_files(snapshot: Snapshot) -> Iterator[Work[Any]]:
    library = snapshot.library
    for game in library.games:
        options = ExportOptions(source=game_source(library.editions, game))
        for name in TERM_FORMATS:
            yield terms_file_work(game, name, options)
            if game in snapshot.cards.games:
                yield terms_file_work(game, name, options, cards=True)
        yield term_usage_work(game)
    if snapshot.folder and is_stored(snapshot.folder, CARD_LANGUAGES):
        for game, languages in card_languages(snapshot).items():
            for language in languages:
                yield from (compared_cards_work(game, language, name) for name in CARD_FORMATS)
