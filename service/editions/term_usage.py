"""How consistently the editions of a game use its terms: `TermsCheckOut` for programs, a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.edition_files import described_editions
from corpus.model import Rulebook
from glossary.check.model import FINDING_TITLES, Finding
from glossary.check.origins import judge_by_kind
from glossary.check.renderings import EditionRenderings, Rendering, RenderingKind, collect_renderings
from glossary.check.terms import find_terminology_faults as find_term_findings
from glossary.model import Reference, RulebookView
from glossary.references import find as find_references
from index.library.library import Library
from service.core.contents import SnapshotContents
from service.core.jobs.stored_works import Work
from service.editions.check_report import finding_out
from service.editions.finding_reasons import reason_text
from service.schemas.comparisons import ConceptUseOut, EditionUseOut, RenderingOut, TermsCheckOut

_MOST_LINES = 8  # lines of one rendering that the table names


@dataclass(frozen=True)
class EditionTermUse:
    """How one edition uses its terms: the renderings of its concepts, and the findings about its terminology."""

    edition: str
    renderings: EditionRenderings
    findings: tuple[Finding, ...]


def rulebooks_term_use(rulebooks: Sequence[Rulebook], game: str) -> tuple[EditionTermUse, ...]:
    """Return the use of terms in the rulebooks of ``game`` as read, without an index."""
    same_game = [book for book in rulebooks if book.edition.game == game]
    return tuple(_edition_term_use(book, same_game, find_references(book, rulebooks)) for book in same_game)


def library_term_use(library: Library, game: str) -> tuple[EditionTermUse, ...]:
    """Return the use of terms in the editions of ``game`` in a library."""
    described = {each.edition.id: each.edition for each in described_editions()}  # with the corrections, which a library does not have
    same_game = [book for book in library.rulebooks if book.edition.game == game]
    books = [book._replace(edition=described.get(book.edition.id, book.edition)) for book in same_game]
    return tuple(_edition_term_use(book, books, library.references_in(book.edition.id)) for book in books)


def _edition_term_use(book: RulebookView, rulebooks: Sequence[RulebookView], references: Sequence[Reference]) -> EditionTermUse:
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
        concepts=[_concept_use_out(game, concept, uses) for concept in concepts],
        findings=[finding_out(finding) for use in uses for finding in use.findings],
    )


def _concept_use_out(game: str, concept: str, uses: Sequence[EditionTermUse]) -> ConceptUseOut:
    return ConceptUseOut(
        concept=f"{game}/{concept}",
        editions={
            use.edition: EditionUseOut(name=use.renderings.names[concept], renderings=[_rendering_out(each) for each in found])
            for use in uses
            if (found := use.renderings.by_concept.get(concept))
        },
    )


def _rendering_out(rendering: Rendering) -> RenderingOut:
    return RenderingOut(
        form=rendering.form,
        forms=dict(rendering.forms.most_common()),
        how=rendering.kind,
        meant=rendering.meant,
        count=rendering.count,
        lines=sorted(set(rendering.lines)),
        also=sorted(rendering.shared),
    )


def term_usage_work(game: str) -> Work[bytes]:
    """Return the work of looking how the editions of ``game`` use its terms, as the JSON of the API."""
    return Work(("usage", game), _render, (game,))


def _render(snapshot: SnapshotContents, game: str) -> bytes:
    return terms_check_out(game, library_term_use(snapshot.library, game)).to_json().encode()


def term_use_table(uses: Sequence[EditionTermUse]) -> str:
    """Return the report for a terminal: for each edition the concepts that it calls by several names, then what is wrong."""
    return "\n\n".join("\n".join(_edition_lines(use)) for use in uses)


def _edition_lines(use: EditionTermUse) -> Iterator[str]:
    yield f"{use.edition}: {len(use.renderings.by_concept)} terms used, {len(use.findings)} findings"
    for concept, renderings in use.renderings.by_concept.items():
        if len(renderings) > 1 or any(r.kind in (RenderingKind.SLIP, RenderingKind.MIXED_UP) for r in renderings):
            yield f"  {use.renderings.names[concept]} ({concept})"
            for rendering in renderings:
                yield f"    {rendering.count:5}  {rendering.kind.value:9}  {rendering.form}  (line{_line_list(rendering)})"
    for finding in use.findings:
        meant = f" → {finding.meant}" if finding.meant else ""
        title = FINDING_TITLES[finding.kind]
        yield f"  {finding.line or 0:6}  {finding.certainty.value:8}  {title}: {finding.printed}{meant}  ({reason_text(finding.why)})"


def _line_list(rendering: Rendering) -> str:
    """Return the lines of a rendering, with the ending of the word "line" before them: "s 12, 40 …"."""
    lines = sorted(set(rendering.lines))
    return ("s " if len(lines) > 1 else " ") + ", ".join(map(str, lines[:_MOST_LINES])) + (" …" if len(lines) > _MOST_LINES else "")
