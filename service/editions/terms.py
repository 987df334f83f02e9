"""Term lists, and checks of how consistently editions use their terms."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from corpus.cards.model import Card
from corpus.edition_files import described_editions
from corpus.model import Edition, Rulebook
from glossary.check.model import FINDING_TITLES, Finding
from glossary.check.origins import judge_by_kind
from glossary.check.renderings import EditionRenderings, RenderingKind, collect_renderings
from glossary.check.terms import find_terminology_faults as find_term_findings
from glossary.concepts import load_concepts, tie_entries
from glossary.model import Reference, RulebookView
from glossary.references import find as find_references
from glossary.terms.candidates import with_candidates
from glossary.terms.term_description import describe_terms
from glossary.terms.term_list import Term, TermKind, TermList, TermWording, build_term_list
from index.analysis import plain
from index.library.library import Library
from service.core.jobs.stored_works import Work, stored
from service.core.snapshot import SnapshotContents
from service.editions.comparison import game_source
from service.editions.exports.tables import concept_id, definition_place
from service.editions.findings import finding_out, reason_text
from service.schemas.comparisons import (
    ConceptUseOut,
    EditionUseOut,
    RenderingOut,
    TermOut,
    TermsCheckOut,
    TermSourceOut,
    TermsOut,
    WordingOut,
)

_ORIGINAL = "en"  # the language whose names identify traits and products
# "Avenger. S.H.I.E.L.D." has two traits, "Dreamborn • Ally" too.
_TRAIT_ENDS = re.compile(r"(?<=\.\w\.)\s+|(?<!\.\w)\.(?:\s+|$)|\s•\s")
_MOST_LINES = 8  # lines of one rendering that the table names


def with_card_names(terms: TermList, cards: Iterable[Card]) -> TermList:
    """Return ``terms`` followed by the names of ``cards``: cards in their order, then traits, then
    products by name.

    Cards with the same names in all languages are one term. The name of a trait in another language
    is learned from cards with a single trait, because each language orders lists of traits in its
    own way.
    """
    every = list(cards)
    named = (*_card_terms(every), *_trait_terms(every), *_product_terms(every))
    return replace(terms, terms=(*terms.terms, *named))


def _card_terms(cards: Iterable[Card]) -> Iterator[Term]:
    gathered: dict[tuple[tuple[str, str, str], ...], dict[str, None]] = defaultdict(dict)
    for card in cards:
        for face in card.faces:
            names = sorted(face.names.items())
            key = tuple((code, name, face.subtitles.get(code, "")) for code, name in names)
            gathered[key][card.id] = None
    for key, ids in gathered.items():
        wordings = {
            code: TermWording(name, (f"{name} - {subtitle}",) if subtitle else ())
            for code, name, subtitle in key
        }
        yield Term(None, wordings, (), (), TermKind.CARD, tuple(ids))


def _trait_terms(cards: Iterable[Card]) -> Iterator[Term]:
    known: set[str] = set()
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)  # by English name, language
    for card in cards:
        for face in card.faces:
            traits = {
                code: [trait for part in _TRAIT_ENDS.split(text) if (trait := part.strip())]
                for code, text in face.traits.items()
            }
            english = traits.pop(_ORIGINAL, [])
            known.update(english)
            if len(english) == 1:
                for code, names in traits.items():
                    if len(names) == 1:
                        counts[english[0], code][names[0]] += 1
    for trait in sorted(known):
        wordings = {_ORIGINAL: TermWording(trait)}
        for (name, code), found in counts.items():
            if name == trait:
                wordings[code] = TermWording(found.most_common(1)[0][0])
        yield Term(None, wordings, (), (), TermKind.TRAIT)


def _product_terms(cards: Iterable[Card]) -> Iterator[Term]:
    products: dict[str, Mapping[str, str]] = {}
    for card in cards:
        for printing in card.printings:
            if names := printing.products:
                key = names.get(_ORIGINAL) or next(iter(names.values()))
                if len(names) > len(products.get(key, {})):
                    products[key] = names
    for key in sorted(products):
        wordings = {code: TermWording(name) for code, name in sorted(products[key].items())}
        yield Term(None, wordings, (), (), TermKind.PRODUCT)


def library_terms(library: Library, game: str, source: str | None = None) -> TermList:
    """Return the term list of ``game`` in the editions of ``library``; ``source`` is the edition
    that the others are translated from.
    """
    found = build_term_list(game, library.rulebooks, _concepts_by_entry(library))
    found = replace(found, source=library.edition[source] if source else None)
    return with_candidates(describe_terms(found, library.rulebooks), library.rulebooks)


def edition_pair_terms(
    library: Library, left: Edition, right: Edition, source: Edition | None = None
) -> TermList:
    """Return the terms with an entry in one of two editions of a game, in the languages of these
    editions and of their ``source``.
    """
    editions = {edition.id: edition for edition in (left, right, source) if edition}
    languages = {edition.language for edition in editions.values()}
    rulebooks = [book for book in library.rulebooks if book.edition.id in editions]
    found = build_term_list(left.game, rulebooks, _concepts_by_entry(library))
    terms = []
    for term in found.terms:
        if any(each.edition in (left.id, right.id) for each in term.sources):
            wordings = {code: term.wordings[code] for code in term.wordings if code in languages}
            terms.append(replace(term, wordings=wordings))
    return describe_terms(replace(found, terms=tuple(terms), source=source), rulebooks)


def _concepts_by_entry(library: Library) -> dict[str, str]:
    """Return the id of the concept of each entry, without the game, by entry id."""
    return {entry: concept.partition("/")[2] for entry, concept in library.concepts.items()}


def rulebook_terms(rulebooks: Sequence[Rulebook], game: str, source: str | None = None) -> TermList:
    """Return the term list of ``game`` in rulebooks read without an index."""
    found = build_term_list(game, rulebooks, tie_entries(load_concepts(game), rulebooks).by_entry)
    editions = (book.edition for book in rulebooks if book.edition.id == source)
    described = describe_terms(replace(found, source=next(editions, None)), rulebooks)
    return with_candidates(described, rulebooks)


def terms_work(game: str, source: str | None) -> Work[TermList]:
    """Return the job that calls `library_terms`."""
    return Work(("term list", game, source or ""), _terms_of_game, (game, source), kept=True)


def edition_pair_terms_work(left: str, right: str, source: str | None) -> Work[TermList]:
    """Return the job that calls `edition_pair_terms`."""
    named = ("term list", left, right, source or "")
    return Work(named, _terms_of_pair, (left, right, source), kept=True)


def _terms_of_game(snapshot: SnapshotContents, game: str, source: str | None) -> TermList:
    return library_terms(snapshot.library, game, source)


def _terms_of_pair(
    snapshot: SnapshotContents, left: str, right: str, source: str | None
) -> TermList:
    library = snapshot.library
    sides = library.edition[left], library.edition[right]
    return edition_pair_terms(library, *sides, library.edition[source] if source else None)


def terms_out(terms: TermList) -> TermsOut:
    """Return a term list as the API has it."""
    editions = {edition.id: edition for edition in terms.editions}
    return TermsOut(
        game=terms.game,
        source=terms.source.id if terms.source else None,
        languages=list(terms.languages),
        editions=[edition.id for edition in terms.editions],
        terms=[
            TermOut(
                sort=term.kind,
                concept=concept_id(terms.game, term),
                sense=term.sense if term.sense != term.concept else None,
                names={
                    language: WordingOut(
                        name=wording.name,
                        further=list(wording.variants),
                        abbreviations=list(wording.abbreviations),
                        slang=list(wording.slang),
                        part_of_speech=wording.part_of_speech or None,
                        status=wording.status,
                        inflections=list(wording.inflections),
                        proposed=list(wording.proposed),
                        definition=wording.definition.text if wording.definition else None,
                        definition_source=definition_place(wording.definition, editions)
                        if wording.definition
                        else None,
                    )
                    for language, wording in term.wordings.items()
                },
                symbols=list(term.symbols),
                sources=[
                    TermSourceOut(
                        edition=source.edition,
                        entry=source.entry,
                        heading=source.heading,
                        kind=source.kind,
                        line=source.line,
                    )
                    for source in term.sources
                ],
                cards=list(term.cards),
                passages=term.passages,
            )
            for term in terms.terms
        ],
    )


def find_terms(snapshot: SnapshotContents, game: str, words: str) -> tuple[TermList, list[Term]]:
    """Return the term list of ``game``, with its usual source edition, and its terms whose names
    have all ``words``. Raises what `stored` raises.
    """
    found = stored(snapshot, terms_work(game, game_source(snapshot.library.editions, game)))
    sought = plain(words).split()

    def fits(term: Term) -> bool:
        names = [*term.symbols, *(source.heading for source in term.sources)]
        for wording in term.wordings.values():
            names += [wording.name or "", *wording.variants]
            names += [*wording.abbreviations, *wording.slang]
        compared = plain(" ".join(names))
        return all(word in compared for word in sought)

    return found, list(filter(fits, found.terms)) if sought else list(found.terms)


@dataclass(frozen=True)
class EditionTermUse:
    """The names used for the concepts in one edition, and the findings about its terminology."""

    edition: str
    renderings: EditionRenderings
    findings: tuple[Finding, ...]


def rulebooks_term_use(rulebooks: Sequence[Rulebook], game: str) -> tuple[EditionTermUse, ...]:
    """Return the use of terms in the rulebooks of ``game`` read without an index."""
    same_game = [book for book in rulebooks if book.edition.game == game]
    return tuple(
        _edition_term_use(book, same_game, find_references(book, rulebooks)) for book in same_game
    )


def library_term_use(library: Library, game: str) -> tuple[EditionTermUse, ...]:
    """Return the use of terms in the editions of ``game`` in a library."""
    # The described editions have the corrections, which a library does not have.
    described = {each.edition.id: each.edition for each in described_editions()}
    books = [
        book._replace(edition=described.get(book.edition.id, book.edition))
        for book in library.rulebooks
        if book.edition.game == game
    ]
    return tuple(
        _edition_term_use(book, books, library.references_in(book.edition.id)) for book in books
    )


def _edition_term_use(
    book: RulebookView, rulebooks: Sequence[RulebookView], references: Sequence[Reference]
) -> EditionTermUse:
    renderings = collect_renderings(book, references)
    findings = find_term_findings(book, rulebooks, references, renderings, with_corrected=True)
    judged = judge_by_kind(sorted(findings, key=lambda finding: finding.order))
    return EditionTermUse(book.edition.id, renderings, judged)


def terms_check_out(game: str, uses: Sequence[EditionTermUse]) -> TermsCheckOut:
    """Return each edition's names for every concept, and their faults."""
    concepts = dict.fromkeys(concept for use in uses for concept in use.renderings.by_concept)
    return TermsCheckOut(
        game=game,
        editions=[use.edition for use in uses],
        concepts=[
            ConceptUseOut(
                concept=f"{game}/{concept}",
                editions={
                    use.edition: EditionUseOut(
                        name=use.renderings.names[concept],
                        renderings=[
                            RenderingOut(
                                form=each.form,
                                forms=dict(each.forms.most_common()),
                                how=each.kind,
                                meant=each.meant,
                                count=each.count,
                                lines=sorted(set(each.lines)),
                                also=sorted(each.shared),
                            )
                            for each in found
                        ],
                    )
                    for use in uses
                    if (found := use.renderings.by_concept.get(concept))
                },
            )
            for concept in concepts
        ],
        findings=[finding_out(finding) for use in uses for finding in use.findings],
    )


def term_usage_work(game: str) -> Work[bytes]:
    """Return the job that writes `library_term_use` as the JSON of the API."""
    return Work(("usage", game), _render_usage, (game,))


def _render_usage(snapshot: SnapshotContents, game: str) -> bytes:
    return terms_check_out(game, library_term_use(snapshot.library, game)).to_json().encode()


def term_use_table(uses: Sequence[EditionTermUse]) -> str:
    """Return the report for a terminal: for each edition the concepts with several names, then the
    faults.
    """
    return "\n\n".join("\n".join(_edition_lines(use)) for use in uses)


def _edition_lines(use: EditionTermUse) -> Iterator[str]:
    found = use.renderings
    yield f"{use.edition}: {len(found.by_concept)} terms used, {len(use.findings)} findings"
    wrong = (RenderingKind.SLIP, RenderingKind.MIXED_UP)
    for concept, renderings in found.by_concept.items():
        if len(renderings) > 1 or any(each.kind in wrong for each in renderings):
            yield f"  {found.names[concept]} ({concept})"
            for each in renderings:
                lines = sorted(set(each.lines))
                listed = ", ".join(map(str, lines[:_MOST_LINES]))
                listed += " …" if len(lines) > _MOST_LINES else ""
                where = f"(line{'s' if len(lines) > 1 else ''} {listed})"
                yield f"    {each.count:5}  {each.kind.value:9}  {each.form}  {where}"
    for finding in use.findings:
        meant = f" → {finding.meant}" if finding.meant else ""
        what = f"{FINDING_TITLES[finding.kind]}: {finding.printed}{meant}"
        why = reason_text(finding.why)
        yield f"  {finding.line or 0:6}  {finding.certainty.value:8}  {what}  ({why})"
