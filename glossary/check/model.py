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


class Sort(StrEnum):
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


TITLES: dict[Sort, str] = {
    Sort.MISSING: "References without target",
    Sort.WRONG_NUMBER: "References with a wrong number",
    Sort.TITLE_DIFFERS: "References that name their target otherwise than it is headed",
    Sort.AMBIGUOUS: "Ambiguous references",
    Sort.OUTSIDE: "References that lead outside",
    Sort.REFERS_TO_ITSELF: "Entries that refer to themselves",
    Sort.LISTED_TWICE: "References printed twice in one place",
    Sort.LIST_SIGNS: "Lists of references with a comma missing or left over",
    Sort.DUPLICATE_HEADING: "Headings printed twice",
    Sort.HEADING: "Headings that do not look like their neighbours",
    Sort.EMPTY_ENTRY: "Entries without text",
    Sort.CONTENTS_DIFFER: "Contents that differ from the headings",
    Sort.NOT_INDEXED: "Entries missing in the printed index",
    Sort.INDEX_WITHOUT_ENTRY: "Index items without entry",
    Sort.INDEX_PAGE: "Index items with a doubtful page",
    Sort.INDEX_ORDER: "Index items out of order",
    Sort.NUMBER_GAP: "Gaps in numbering",
    Sort.NUMBER_TWICE: "Numbers given twice",
    Sort.NUMBER_LOST: "Numbers lost from lists",
    Sort.SEVERAL_RENDERINGS: "Terms called by several names",
    Sort.ONE_WORD_SEVERAL_CONCEPTS: "Names that stand for several terms",
    Sort.UNDEFINED_TERM: "Terms used and nowhere defined",
    Sort.HEADING_SPELLING: "Headings spelled otherwise than the references to them",
    Sort.PRINTED_TWICE: "Text printed twice",
    Sort.BREAKS_OFF: "Sentences that break off",
    Sort.LOST: "Words or icons lost",
    Sort.TORN: "Sentences torn apart",
    Sort.MISPLACED: "Text in the wrong place",
    Sort.STRAY: "Text that belongs to no rule",
    Sort.MISPRINT: "Misprints",
    Sort.MISSPELLED: "Words that look misspelled",
    Sort.SPELLING_VARIES: "Terms spelled in several ways",
    Sort.DOUBLED_WORD: "Words printed twice in succession",
    Sort.GLUED: "Blanks left out",
    Sort.UNPAIRED: "Brackets and quotation marks without partner",
    Sort.MARKUP: "Half of a bold mark",
    Sort.ESCAPE: "Codes left undecoded",
    Sort.SYMBOL: "Unknown symbols",
    Sort.CORRECTION_UNFIT: "Corrections that no longer fit",
    Sort.CONCEPT_UNFIT: "Headings kept for a concept that no longer fit",
    Sort.TIE_PROPOSED: "Entries that seem to correspond to one of another edition",
    Sort.TIE_DOUBTFUL: "Entries tied to one of another edition that they have nothing in common with",
    Sort.PRODUCT_PROPOSED: "Products that seem to be one of another language",
    Sort.NO_PHRASINGS: "Passages without player phrasings",
}

_RANK = {sort: rank for rank, sort in enumerate(Sort)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong in a rulebook: where, what is ``printed`` there, what is ``meant`` as far as one can tell.

    ``line`` is None where a finding speaks of the whole edition. ``why`` is one line that explains it.
    """

    edition: str
    line: int | None
    sort: Sort
    printed: str
    meant: str | None
    certainty: Certainty
    why: str

    @property
    def order(self) -> tuple[int, int, str]:
        """What findings are listed by: sort, then line."""
        return _RANK[self.sort], self.line or 0, self.printed


def short(text: str, at: int = 0) -> str:
    """At most `SHORT` characters of ``text`` in one line, those around ``at``."""
    start = 0 if len(text) <= SHORT else max(0, min(at - SHORT // 2, len(text) - SHORT))
    part = " ".join(text[start : start + SHORT].split())
    return ("…" if start else "") + part + ("…" if start + SHORT < len(text) else "")
