"""The formats of a term list: for programs, spreadsheets and translation tools."""

from __future__ import annotations

from glossary.terms.term_list import Term, TermList, TermWording
from service.core.contents import SnapshotContents
from service.core.jobs.stored_works import Work, made
from service.editions.card_terms import with_card_names
from service.editions.exports import Format, json_file
from service.editions.exports.csv_tables import CSV_MIMETYPE, XLSX_MIMETYPE
from service.editions.exports.options import ExportOptions
from service.editions.exports.tbx import TBX_2008, TBX_2019, TBX_MIMETYPE, terms_tbx
from service.editions.exports.term_memory import terms_tmx
from service.editions.exports.term_table import concept_id, terms_csv, terms_xlsx
from service.editions.exports.translation_memory import TMX_MIMETYPE
from service.editions.library_terms import terms_work
from service.schemas.comparisons import TermOut, TermSourceOut, TermsOut, WordingOut


def terms_out(terms: TermList) -> TermsOut:
    """Return a term list."""
    return TermsOut(
        game=terms.game,
        source=terms.source.id if terms.source else None,
        languages=list(terms.languages),
        editions=[edition.id for edition in terms.editions],
        terms=[_term_out(terms.game, term) for term in terms.terms],
    )


def _term_out(game: str, term: Term) -> TermOut:
    return TermOut(
        sort=term.kind,
        concept=concept_id(game, term),
        names={language: _wording_out(wording) for language, wording in term.wordings.items()},
        symbols=list(term.symbols),
        sources=[
            TermSourceOut(edition=source.edition, entry=source.entry, heading=source.heading, kind=source.kind, line=source.line)
            for source in term.sources
        ],
        cards=list(term.cards),
    )


def _wording_out(wording: TermWording) -> WordingOut:
    return WordingOut(
        name=wording.name,
        further=list(wording.variants),
        abbreviations=list(wording.abbreviations),
        slang=list(wording.slang),
        part_of_speech=wording.part_of_speech or None,
    )


FORMATS: dict[str, Format[[TermList, ExportOptions]]] = {
    "json": Format("json", "application/json", lambda terms, options: json_file(terms_out(terms))),
    "csv": Format("csv", CSV_MIMETYPE, lambda terms, options: terms_csv(terms)),
    "xlsx": Format("xlsx", XLSX_MIMETYPE, lambda terms, options: terms_xlsx(terms), binary=True),
    "tbx": Format("tbx", TBX_MIMETYPE, lambda terms, options: terms_tbx(terms, TBX_2008, options)),
    "tbx3": Format("tbx", TBX_MIMETYPE, lambda terms, options: terms_tbx(terms, TBX_2019, options)),
    "tmx": Format("tmx", TMX_MIMETYPE, terms_tmx),
}


def terms_file_work(game: str, name: str, options: ExportOptions, cards: bool = False) -> Work[bytes]:
    """Return the work of writing the term list of ``game`` in the format ``name``, with the names of its ``cards`` if they are wanted."""
    return Work(("terms", game, name, *["cards"] * cards, *options.key), _render, (game, name, options, cards))


def _render(snapshot: SnapshotContents, game: str, name: str, options: ExportOptions, cards: bool) -> bytes:
    terms = made(snapshot, terms_work(game, options.source))
    return FORMATS[name].write(with_card_names(terms, snapshot.cards.of_game(game)) if cards else terms, options)
