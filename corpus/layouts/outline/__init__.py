"""Reader of any document: an outline made of what its format, its numbers and its lists of contents
tell. It refuses nothing.
"""

from __future__ import annotations

from dataclasses import replace

from corpus.blocks import BlockKind
from corpus.document import Document
from corpus.draft import DraftRulebook
from corpus.layouts.layout import Layout, ReferenceStyle
from corpus.layouts.outline.contents import find_contents, title_key
from corpus.layouts.outline.headings import HeadingEvidence, find_headings
from corpus.layouts.outline.numbering import find_numbering
from corpus.layouts.outline.split_headings import join_split_headings
from corpus.layouts.outline.tree import OutlineEvidence, OutlineTreeBuilder
from corpus.layouts.outline.units import LONGEST_HEADING, make_units
from corpus.model import Corrections, Edition, Fault


def gather(document: Document) -> OutlineEvidence:
    """What the blocks of ``document`` tell of its outline."""
    units = join_split_headings(make_units(document), document)
    contents = find_contents(
        units, [document.text[unit.span.start : unit.span.end] for unit in units]
    )
    titles = {
        at
        for at, unit in enumerate(units)
        if len(unit.text) <= LONGEST_HEADING and title_key(unit.text) in contents.levels
    }
    numbering = find_numbering(units, contents.listed, titles)
    return OutlineEvidence(
        document.text,
        units,
        contents,
        numbering,
        find_headings(document, units, contents, numbering),
    )


def score(document: Document) -> float:
    """Nothing looks like this layout: it is taken by what it explains
    (`corpus.layouts.recognise`).
    """
    return 0.0


def read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    """Read the entries of ``document``: headings and numbered units, nested by level and number;
    what has neither is text of its entry.
    """
    evidence = gather(document)
    _correct(evidence, document, corrections)
    return OutlineTreeBuilder(evidence, edition.title).build()


def _correct(evidence: OutlineEvidence, document: Document, corrections: Corrections) -> None:
    """Apply what the corrections of the edition say is furniture, a heading, or none."""
    for fault in (Fault.FURNITURE, Fault.HEADING, Fault.NOT_HEADING):
        lines = {correction.line for correction in corrections.of(fault)}
        for at, unit in enumerate(evidence.units) if lines else ():
            if document.line_at(unit.span.start) not in lines:
                continue
            if fault is Fault.FURNITURE:
                unit.block = replace(unit.block, kind=BlockKind.FURNITURE)
            elif fault is Fault.HEADING:
                evidence.headings.setdefault(at, HeadingEvidence(at, 0, True))
            else:
                evidence.headings.pop(at, None)
                if at in evidence.numbering:
                    evidence.numbering[at].system = False


LAYOUT = Layout(name="outline", score=score, read=read, references=ReferenceStyle.ANY, titled=True)
