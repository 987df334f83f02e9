"""What a check of a rulebook hands over: findings, each with its place, its sort and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SHORT = 60  # characters of print in one finding; a finding points at a place, it does not quote


class Certainty(StrEnum):
    """How sure a finding is: ``certain`` is wrong, ``likely`` is nearly always wrong, ``possible`` is worth a look."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


class Origin(StrEnum):
    """Where a fault most likely comes from: the publisher's ``print``, or the ``extraction`` of the text by a scan or conversion."""

    PRINT = "print"
    EXTRACTION = "extraction"
    UNCLEAR = "unclear"


class FindingKind(StrEnum):
    """What is wrong, in the order in which a report lists it."""

    # references; the first five are the words of the contract
    MISSING = "missing"
    WRONG_NUMBER = "wrong-number"
    TITLE_DIFFERS = "title-differs"
    AMBIGUOUS = "ambiguous"
    OUTSIDE = "outside"
    REFERS_TO_ITSELF = "refers-to-itself"
    LISTED_TWICE = "listed-twice"
    LIST_SIGNS = "list-signs"
    # headings, contents, index
    DUPLICATE_HEADING = "duplicate-heading"
    HEADING = "heading"
    EMPTY_ENTRY = "empty-entry"
    CONTENTS_DIFFER = "contents-differ"
    NOT_INDEXED = "not-indexed"
    INDEX_WITHOUT_ENTRY = "index-without-entry"
    INDEX_PAGE = "index-page"
    INDEX_ORDER = "index-order"
    # numbers
    NUMBER_GAP = "number-gap"
    NUMBER_TWICE = "number-twice"
    NUMBER_LOST = "number-lost"
    # terms
    SEVERAL_RENDERINGS = "several-renderings"
    ONE_WORD_SEVERAL_CONCEPTS = "one-word-several-concepts"
    UNDEFINED_TERM = "undefined-term"
    HEADING_SPELLING = "heading-spelling"
    # text
    PRINTED_TWICE = "printed-twice"
    BREAKS_OFF = "breaks-off"
    LOST = "lost"
    TORN = "torn"
    MISPLACED = "misplaced"
    STRAY = "stray"
    MISPRINT = "misprint"
    MISSPELLED = "misspelled"
    SPELLING_VARIES = "spelling-varies"
    DOUBLED_WORD = "doubled-word"
    GLUED = "glued"
    UNPAIRED = "unpaired"
    MARKUP = "markup"
    ESCAPE = "escape"
    SYMBOL = "symbol"
    # what the project knows about the edition
    CORRECTION_UNFIT = "correction-unfit"
    CONCEPT_UNFIT = "concept-unfit"
    TIE_PROPOSED = "tie-proposed"
    TIE_DOUBTFUL = "tie-doubtful"
    PRODUCT_PROPOSED = "product-proposed"
    NO_PHRASINGS = "no-phrasings"
    RULING_OUTDATED = "ruling-outdated"


FINDING_TITLES: dict[FindingKind, str] = {
    FindingKind.MISSING: "References without target",
    FindingKind.WRONG_NUMBER: "References with a wrong number",
    FindingKind.TITLE_DIFFERS: "References that name their target otherwise than it is headed",
    FindingKind.AMBIGUOUS: "Ambiguous references",
    FindingKind.OUTSIDE: "References that lead outside",
    FindingKind.REFERS_TO_ITSELF: "Entries that refer to themselves",
    FindingKind.LISTED_TWICE: "References printed twice in one place",
    FindingKind.LIST_SIGNS: "Lists of references with a comma missing or left over",
    FindingKind.DUPLICATE_HEADING: "Headings printed twice",
    FindingKind.HEADING: "Headings that do not look like their neighbours",
    FindingKind.EMPTY_ENTRY: "Entries without text",
    FindingKind.CONTENTS_DIFFER: "Contents that differ from the headings",
    FindingKind.NOT_INDEXED: "Entries missing in the printed index",
    FindingKind.INDEX_WITHOUT_ENTRY: "Index items without entry",
    FindingKind.INDEX_PAGE: "Index items with a doubtful page",
    FindingKind.INDEX_ORDER: "Index items out of order",
    FindingKind.NUMBER_GAP: "Gaps in numbering",
    FindingKind.NUMBER_TWICE: "Numbers given twice",
    FindingKind.NUMBER_LOST: "Numbers lost from lists",
    FindingKind.SEVERAL_RENDERINGS: "Terms called by several names",
    FindingKind.ONE_WORD_SEVERAL_CONCEPTS: "Names that stand for several terms",
    FindingKind.UNDEFINED_TERM: "Terms used and nowhere defined",
    FindingKind.HEADING_SPELLING: "Headings spelled otherwise than the references to them",
    FindingKind.PRINTED_TWICE: "Text printed twice",
    FindingKind.BREAKS_OFF: "Sentences that break off",
    FindingKind.LOST: "Words or icons lost",
    FindingKind.TORN: "Sentences torn apart",
    FindingKind.MISPLACED: "Text in the wrong place",
    FindingKind.STRAY: "Text that belongs to no rule",
    FindingKind.MISPRINT: "Misprints",
    FindingKind.MISSPELLED: "Words that look misspelled",
    FindingKind.SPELLING_VARIES: "Terms spelled in several ways",
    FindingKind.DOUBLED_WORD: "Words printed twice in succession",
    FindingKind.GLUED: "Blanks left out",
    FindingKind.UNPAIRED: "Brackets and quotation marks without partner",
    FindingKind.MARKUP: "Half of a bold mark",
    FindingKind.ESCAPE: "Codes left undecoded",
    FindingKind.SYMBOL: "Unknown symbols",
    FindingKind.CORRECTION_UNFIT: "Corrections that no longer fit",
    FindingKind.CONCEPT_UNFIT: "Headings kept for a concept that no longer fit",
    FindingKind.TIE_PROPOSED: "Entries that seem to correspond to one of another edition",
    FindingKind.TIE_DOUBTFUL: "Entries tied to one of another edition that they have nothing in common with",
    FindingKind.PRODUCT_PROPOSED: "Products that seem to be one of another language",
    FindingKind.NO_PHRASINGS: "Passages without player phrasings",
    FindingKind.RULING_OUTDATED: "Rulings that rest on a rule that has changed or is gone",
}

_RANK = {kind: rank for rank, kind in enumerate(FindingKind)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong in a rulebook: where, what is ``printed`` there, what is ``meant`` as far as one can tell.

    ``line`` is None where a finding speaks of the whole edition. ``why`` is one line that explains it, ``origin_why`` one that
    explains its ``origin``.
    """

    edition: str
    line: int | None
    kind: FindingKind
    printed: str
    meant: str | None
    certainty: Certainty
    why: str
    origin: Origin = Origin.UNCLEAR
    origin_why: str = ""

    @property
    def order(self) -> tuple[int, int, str]:
        """What findings are listed by: sort, then line."""
        return _RANK[self.kind], self.line or 0, self.printed


def shorten(text: str, at: int = 0) -> str:
    """At most `SHORT` characters of ``text`` in one line, those around ``at``."""
    start = 0 if len(text) <= SHORT else max(0, min(at - SHORT // 2, len(text) - SHORT))
    part = " ".join(text[start : start + SHORT].split())
    return ("…" if start else "") + part + ("…" if start + SHORT < len(text) else "")
