"""Term lists: of a library, of two editions, with the names of cards, and how consistently editions
use their terms.
"""

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
from glossary.check.renderings import (
    EditionRenderings,
    Rendering,
    RenderingKind,
    collect_renderings,
)
from glossary.check.terms import find_terminology_faults as find_term_findings
from glossary.concepts import load_concepts, tie_entries
from glossary.model import Reference, RulebookView
from glossary.references import find as find_references
from glossary.terms.term_description import describe_terms
from glossary.terms.term_list import Term, TermKind, TermList, TermWording, build_term_list
from index.analysis import plain
from index.library.library import Library
from service.core.jobs.stored_works import Work, stored
from service.core.snapshot import SnapshotContents
from service.editions.check_results import finding_out
from service.editions.comparison import game_source
from service.editions.exports.tables import concept_id
from service.editions.finding_reasons import reason_text
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

_ORIGINAL = "en"  # the language that traits and products are told apart in
_TRAIT_ENDS = re.compile(
    r"(?<=\.\w\.)\s+|(?<!\.\w)\.(?:\s+|$)|\s•\s"
)  # "Avenger. S.H.I.E.L.D." has two, "Dreamborn • Ally" too
_MOST_LINES = 8  # lines of one rendering that the table names


def with_card_names(terms: TermList, cards: Iterable[Card]) -> TermList:
    """Return ``terms`` with the names of ``cards`` behind them: cards in their order, then traits,
    then products by name.

    Cards called the same in all languages are one term. What a trait is called in another language
    is told by the cards that have a single one in both: lists of traits stand in each language's
    own order.
    """
    every = list(cards)
    return replace(
        terms,
        terms=(*terms.terms, *_card_terms(every), *_trait_terms(every), *_product_terms(every)),
    )


def _card_terms(cards: Iterable[Card]) -> Iterator[Term]:
    gathered: dict[tuple[tuple[str, str, str], ...], dict[str, None]] = defaultdict(dict)
    for card in cards:
        for face in card.faces:
            names = tuple(
                (code, name, face.subtitles.get(code, ""))
                for code, name in sorted(face.names.items())
            )
            gathered[names][card.id] = None
    for names, ids in gathered.items():
        yield _term(
            TermKind.CARD,
            {
                code: TermWording(name, (f"{name} - {subtitle}",) if subtitle else ())
                for code, name, subtitle in names
            },
            tuple(ids),
        )


def _trait_terms(cards: Iterable[Card]) -> Iterator[Term]:
    known: dict[str, None] = {}
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(
        Counter
    )  # names by English one and language
    for card in cards:
        for face in card.faces:
            traits = {
                code: [
                    trait
                    for part in _TRAIT_ENDS.split(face.traits[code])
                    if (trait := part.strip())
                ]
                for code in face.traits
            }
            known.update(dict.fromkeys(traits.get(_ORIGINAL, ())))
            if len(traits.get(_ORIGINAL, ())) == 1:
                for code, names in traits.items():
                    if len(names) == 1:
                        counts[traits[_ORIGINAL][0], code][names[0]] += 1
    for trait in sorted(known):
        wordings = {_ORIGINAL: TermWording(trait)}
        for (english, code), found in counts.items():
            if english == trait and code != _ORIGINAL:
                wordings[code] = TermWording(found.most_common(1)[0][0])
        yield _term(TermKind.TRAIT, wordings)


def _product_terms(cards: Iterable[Card]) -> Iterator[Term]:
    products: dict[str, Mapping[str, str]] = {}
    for card in cards:
        for printing in card.printings:
            names = printing.products
            if names and len(names) > len(products.get(_key(names), {})):
                products[_key(names)] = names
    for key in sorted(products):
        yield _term(
            TermKind.PRODUCT,
            {code: TermWording(name) for code, name in sorted(products[key].items())},
        )


def _key(names: Mapping[str, str]) -> str:
    return names.get(_ORIGINAL) or next(iter(names.values()))


def _term(kind: TermKind, wordings: Mapping[str, TermWording], cards: tuple[str, ...] = ()) -> Term:
    return Term(None, wordings, (), (), kind, cards)


def library_terms(library: Library, game: str, source: str | None = None) -> TermList:
    """Return the term list of ``game`` in the editions of ``library``; ``source`` is the edition
    that others are translated from.
    """
    found = build_term_list(game, library.rulebooks, _concepts_by_entry(library))
    return describe_terms(
        replace(found, source=library.edition[source] if source else None), library.rulebooks
    )


def edition_pair_terms(
    library: Library, left: Edition, right: Edition, source: Edition | None = None
) -> TermList:
    """Return the terms with an entry in one of two editions of a game, in the languages of these
    editions and of their ``source``.
    """
    editions = [edition for edition in (left, right, source) if edition]
    rulebooks = [
        book
        for book in library.rulebooks
        if book.edition.id in {edition.id for edition in editions}
    ]
    found = build_term_list(left.game, rulebooks, _concepts_by_entry(library))
    languages = {edition.language for edition in editions}
    here = [
        term
        for term in found.terms
        if any(each.edition in (left.id, right.id) for each in term.sources)
    ]
    return describe_terms(
        replace(
            found,
            terms=tuple(
                replace(
                    term,
                    wordings={
                        language: wording
                        for language, wording in term.wordings.items()
                        if language in languages
                    },
                )
                for term in here
            ),
            source=source,
        ),
        rulebooks,
    )


def terms_work(game: str, source: str | None) -> Work[TermList]:
    """Return the work of `library_terms`."""
    return Work(("term list", game, source or ""), _terms_of_game, (game, source), kept=True)


def edition_pair_terms_work(left: str, right: str, source: str | None) -> Work[TermList]:
    """Return the work of `edition_pair_terms`."""
    return Work(
        ("term list", left, right, source or ""), _terms_of_pair, (left, right, source), kept=True
    )


def _terms_of_game(snapshot: SnapshotContents, game: str, source: str | None) -> TermList:
    return library_terms(snapshot.library, game, source)


def _terms_of_pair(
    snapshot: SnapshotContents, left: str, right: str, source: str | None
) -> TermList:
    editions = snapshot.library.edition
    return edition_pair_terms(
        snapshot.library, editions[left], editions[right], editions[source] if source else None
    )


def _concepts_by_entry(library: Library) -> dict[str, str]:
    """Return the id of the concept of each entry, without the game, by entry id."""
    return {entry: concept.partition("/")[2] for entry, concept in library.concepts.items()}


def rulebook_terms(rulebooks: Sequence[Rulebook], game: str, source: str | None = None) -> TermList:
    """Return the term list of ``game`` in rulebooks as read, without an index; ``source`` as for
    `library_terms`.
    """
    found = build_term_list(game, rulebooks, tie_entries(load_concepts(game), rulebooks).by_entry)
    return describe_terms(
        replace(
            found,
            source=next((book.edition for book in rulebooks if book.edition.id == source), None),
        ),
        rulebooks,
    )


def terms_out(terms: TermList) -> TermsOut:
    """Return a term list."""
    return TermsOut(
        game=terms.game,
        source=terms.source.id if terms.source else None,
        languages=list(terms.languages),
        editions=[edition.id for edition in terms.editions],
        terms=[
            TermOut(
                sort=term.kind,
                concept=concept_id(terms.game, term),
                names={
                    language: WordingOut(
                        name=wording.name,
                        further=list(wording.variants),
                        abbreviations=list(wording.abbreviations),
                        slang=list(wording.slang),
                        part_of_speech=wording.part_of_speech or None,
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
            )
            for term in terms.terms
        ],
    )


def find_terms(snapshot: SnapshotContents, game: str, words: str) -> tuple[TermList, list[Term]]:
    """Return the term list of ``game``, beside its usual source edition, and those of its terms
    that have all ``words`` in their names.

    Raises as `service.core.jobs.stored_works.stored`.
    """
    found = stored(snapshot, terms_work(game, game_source(snapshot.library.editions, game)))
    sought = plain(words).split()

    def fits(term: Term) -> bool:
        names = [
            name
            for w in term.wordings.values()
            for name in (w.name or "", *w.variants, *w.abbreviations, *w.slang)
        ]
        compared = plain(
            " ".join([*names, *term.symbols, *(source.heading for source in term.sources)])
        )
        return all(word in compared for word in sought)

    return found, list(filter(fits, found.terms)) if sought else list(found.terms)


@dataclass(frozen=True)
class EditionTermUse:
    """How one edition uses its terms: the renderings of its concepts, and the findings about its
    terminology.
    """

    edition: str
    renderings: EditionRenderings
    findings: tuple[Finding, ...]


def rulebooks_term_use(rulebooks: Sequence[Rulebook], game: str) -> tuple[EditionTermUse, ...]:
    """Return the use of terms in the rulebooks of ``game`` as read, without an index."""
    same_game = [book for book in rulebooks if book.edition.game == game]
    return tuple(
        _edition_term_use(book, same_game, find_references(book, rulebooks)) for book in same_game
    )


def library_term_use(library: Library, game: str) -> tuple[EditionTermUse, ...]:
    """Return the use of terms in the editions of ``game`` in a library."""
    described = {
        each.edition.id: each.edition for each in described_editions()
    }  # with the corrections, which a library does not have
    same_game = [book for book in library.rulebooks if book.edition.game == game]
    books = [
        book._replace(edition=described.get(book.edition.id, book.edition)) for book in same_game
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
    """Return what each edition calls every concept, and what is wrong with it."""
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
    """Return the work of looking how the editions of ``game`` use its terms, as the JSON of the
    API.
    """
    return Work(("usage", game), _render_usage, (game,))


def _render_usage(snapshot: SnapshotContents, game: str) -> bytes:
    return terms_check_out(game, library_term_use(snapshot.library, game)).to_json().encode()


def term_use_table(uses: Sequence[EditionTermUse]) -> str:
    """Return the report for a terminal: for each edition the concepts that it calls by several
    names, then what is wrong.
    """
    return "\n\n".join("\n".join(_edition_lines(use)) for use in uses)


def _edition_lines(use: EditionTermUse) -> Iterator[str]:
    yield f"{use.edition}: {len(use.renderings.by_concept)} terms used, {len(use.findings)} findings"
    for concept, renderings in use.renderings.by_concept.items():
        if len(renderings) > 1 or any(
            r.kind in (RenderingKind.SLIP, RenderingKind.MIXED_UP) for r in renderings
        ):
            yield f"  {use.renderings.names[concept]} ({concept})"
            for rendering in renderings:
                yield f"    {rendering.count:5}  {rendering.kind.value:9}  {rendering.form}  (line{_line_list(rendering)})"
    for finding in use.findings:
        meant = f" → {finding.meant}" if finding.meant else ""
        title = FINDING_TITLES[finding.kind]
        yield f"  {finding.line or 0:6}  {finding.certainty.value:8}  {title}: {finding.printed}{meant}  ({reason_text(finding.why)})"


def _line_list(rendering: Rendering) -> str:
    """Return the lines of a rendering, with the ending of the word "line" before them: "s 12, 40
    …".
    """
    lines = sorted(set(rendering.lines))
    return (
        ("s " if len(lines) > 1 else " ")
        + ", ".join(map(str, lines[:_MOST_LINES]))
        + (" …" if len(lines) > _MOST_LINES else "")
    )
