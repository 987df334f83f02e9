"""How consistently the editions of a game use its terms: what each calls every concept, and what is wrong, as a table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.edition_files import described_editions
from corpus.model import Rulebook
from glossary.check.model import TITLES, Finding
from glossary.check.renderings import How, Rendering, Renderings, collect
from glossary.check.terms import find
from glossary.model import Book, Reference
from glossary.references import find as find_references
from index.library.library import Library
from service.core.contents import SnapshotContents
from service.editions.check_report import finding_json

_PLACES = 8  # lines that the table names of one rendering


@dataclass(frozen=True)
class Usage:
    """One edition: what it calls its concepts, and the findings of its terminology."""

    edition: str
    renderings: Renderings
    findings: tuple[Finding, ...]


def usage_in(rulebooks: Sequence[Rulebook], game: str) -> tuple[Usage, ...]:
    """The use of terms in the rulebooks of ``game``, for which no index has to be loaded."""
    here = [book for book in rulebooks if book.edition.game == game]
    return tuple(_usage(book, here, find_references(book, rulebooks)) for book in here)


def usage_of(library: Library, game: str) -> tuple[Usage, ...]:
    """The use of terms in the editions of ``game`` in a library."""
    described = {each.edition.id: each.edition for each in described_editions()}  # a library keeps no corrections
    here = [book._replace(edition=described.get(book.edition.id, book.edition)) for book in library.books if book.edition.game == game]
    return tuple(_usage(book, here, library.references_in(book.edition.id)) for book in here)


def _usage(book: Book, rulebooks: Sequence[Book], references: Sequence[Reference]) -> Usage:
    renderings = collect(book, references)
    return Usage(
        book.edition.id, renderings, tuple(sorted(find(book, rulebooks, references, renderings, said=True), key=lambda f: f.order))
    )


def terminology_json(game: str, usages: Sequence[Usage]) -> dict[str, Any]:
    """The body of ``GET /v1/terms/check``."""
    concepts = dict.fromkeys(concept for usage in usages for concept in usage.renderings.by_concept)
    return {
        "game": game,
        "editions": [usage.edition for usage in usages],
        "concepts": [
            {
                "concept": f"{game}/{concept}",
                "editions": {
                    usage.edition: {"name": usage.renderings.names[concept], "renderings": [_rendering_json(r) for r in found]}
                    for usage in usages
                    if (found := usage.renderings.by_concept.get(concept))
                },
            }
            for concept in concepts
        ],
        "findings": [finding_json(finding) for usage in usages for finding in usage.findings],
    }


def render(snapshot: SnapshotContents, game: str) -> bytes:
    """`terminology_json` of the editions of ``game`` in a ``snapshot``, written as the service writes JSON."""
    body = terminology_json(game, usage_of(snapshot.library, game))
    return (json.dumps(body, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def _rendering_json(rendering: Rendering) -> dict[str, Any]:
    return {
        "form": rendering.form,
        "forms": dict(rendering.forms.most_common()),
        "how": rendering.how.value,
        "meant": rendering.meant,
        "count": rendering.count,
        "lines": sorted(set(rendering.lines)),
        "also": sorted(rendering.shared),
    }


def as_table(usages: Sequence[Usage]) -> str:
    """Each edition: the concepts that it does not call by their name alone, with counts and lines; then what is wrong."""
    return "\n\n".join("\n".join(_edition(usage)) for usage in usages)


def _edition(usage: Usage) -> Iterator[str]:
    yield f"{usage.edition}: {len(usage.renderings.by_concept)} terms used, {len(usage.findings)} findings"
    for concept, renderings in usage.renderings.by_concept.items():
        if len(renderings) > 1 or any(r.how in (How.SLIP, How.MIXED_UP) for r in renderings):
            yield f"  {usage.renderings.names[concept]} ({concept})"
            for rendering in renderings:
                yield f"    {rendering.count:5}  {rendering.how.value:9}  {rendering.form}  (line{_lines(rendering)})"
    for finding in usage.findings:
        meant = f" → {finding.meant}" if finding.meant else ""
        yield f"  {finding.line or 0:6}  {finding.certainty.value:8}  {TITLES[finding.sort]}: {finding.printed}{meant}  ({finding.why})"


def _lines(rendering: Rendering) -> str:
    lines = sorted(set(rendering.lines))
    return ("s " if len(lines) > 1 else " ") + ", ".join(map(str, lines[:_PLACES])) + (" …" if len(lines) > _PLACES else "")
