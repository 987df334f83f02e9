"""The results of a check of a rulebook: findings, each with its place, kind and certainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from corpus.model import Entry, Role
from glossary.model import Reference, RulebookView

SHORT = 60  # characters of print in one finding; a finding points at a place, it does not quote


class Certainty(StrEnum):
    """How sure a finding is: ``certain`` is wrong, ``likely`` is nearly always wrong, ``possible``
    is worth a look.
    """

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


class Origin(StrEnum):
    """The most likely source of a fault: the publisher's ``print``, or the ``extraction`` of the
    text by a scan or conversion.
    """

    PRINT = "print"
    EXTRACTION = "extraction"
    UNCLEAR = "unclear"


class FindingKind(StrEnum):
    """The kinds of faults, in the order of a report."""

    # references; the first five are the values of `ReferenceProblem`
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
    UNREAD = "unread"
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
    FindingKind.TITLE_DIFFERS: "References that misname their target",
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
    FindingKind.UNREAD: "Text that could not be read",
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
    FindingKind.TIE_DOUBTFUL: (
        "Entries tied to one of another edition that they have nothing in common with"
    ),
    FindingKind.PRODUCT_PROPOSED: "Products that seem to be one of another language",
    FindingKind.NO_PHRASINGS: "Passages without player phrasings",
    FindingKind.RULING_OUTDATED: "Rulings that rest on a rule that has changed or is gone",
}


class Why(StrEnum):
    """The reason for a finding. The message for each code, with placeholders for its values, is in
    the catalogues of the service.
    """

    # references
    NO_TARGET = "no-target"
    OTHER_NUMBER = "other-number"
    TARGET_HEADED_OTHERWISE = "target-headed-otherwise"
    SEVERAL_TARGETS = "several-targets"
    LEADS_OUTSIDE = "leads-outside"
    NAMES_OWN_ENTRY = "names-own-entry"
    TWICE_IN_LIST = "twice-in-list"
    TWICE_SIDE_BY_SIDE = "twice-side-by-side"
    EMPTY_ITEM = "empty-item"
    NO_COMMA = "no-comma"
    LAST_COMMA = "last-comma"
    # headings
    HEADING_WITH_SAME_TEXT = "heading-with-same-text"
    HEADING_WITH_OTHER_TEXT = "heading-with-other-text"
    CARD_ELSEWHERE = "card-elsewhere"
    PART_NUMBER_TWICE = "part-number-twice"
    AMONG_CAPITALS = "among-capitals"
    IN_CAPITALS = "in-capitals"
    NO_TEXT = "no-text"
    # contents and index
    SECTION_ELSEWHERE = "section-elsewhere"
    SECTION_NOT_LISTED = "section-not-listed"
    NO_SECTION_WITH_NUMBER = "no-section-with-number"
    SECTION_HEADED_OTHERWISE = "section-headed-otherwise"
    NO_ENTRY = "no-entry"
    NOT_IN_INDEX = "not-in-index"
    PAGE_OUT_OF_ORDER = "page-out-of-order"
    AMONG_OTHER_LETTERS = "among-other-letters"
    DIGIT_FOR_LETTER = "digit-for-letter"
    # numbers
    NUMBER_USED = "number-used"
    COMES_AFTER = "comes-after"
    FIRST_OF_GROUP = "first-of-group"
    ITEM_NUMBER_LOST = "item-number-lost"
    ITEM_NUMBER_TWICE = "item-number-twice"
    ITEM_BEFORE = "item-before"
    # terms
    SEVERAL_NAMES = "several-names"
    SAME_NAME = "same-name"
    NO_QUALIFIER = "no-qualifier"
    NAME_IN_LANGUAGE = "name-in-language"
    NAME_IN_LANGUAGE_OF = "name-in-language-of"
    USED = "used"
    DEFINED_IN = "defined-in"
    NOT_SPELLED_OUT = "not-spelled-out"
    SPELLED_OUT_LATER = "spelled-out-later"
    REFERRED_TO_SO = "referred-to-so"
    ALWAYS_REFERRED_TO_SO = "always-referred-to-so"
    ALSO_AT = "also-at"
    # text
    CUTS_SENTENCE = "cuts-sentence"
    GOES_ON_AS_BULLET = "goes-on-as-bullet"
    SAME_TEXT = "same-text"
    SAME_TEXT_IN_ENTRY = "same-text-in-entry"
    SAME_TEXT_OF_TERM = "same-text-of-term"
    NEARLY_SAME_TEXT = "nearly-same-text"
    NEARLY_SAME_TEXT_WITH = "nearly-same-text-with"
    CUT_OFF = "cut-off"
    NO_FULL_STOP = "no-full-stop"
    WORD_TWICE = "word-twice"
    NO_BLANK_BEFORE = "no-blank-before"
    NO_BLANK_AFTER = "no-blank-after"
    NOTHING_CLOSES = "nothing-closes"
    NOTHING_OPENS = "nothing-opens"
    TIMES_IN_ENTRY = "times-in-entry"
    MORE_USUAL = "more-usual"
    FORM_OF_USUAL = "form-of-usual"
    IN_DICTIONARY = "in-dictionary"
    CARD_SPELLED_SO = "card-spelled-so"
    MORE_PLACES = "more-places"
    HEADED_OTHERWISE = "headed-otherwise"
    # signs
    LINK_WITHOUT_ADDRESS = "link-without-address"
    WRONG_ENCODING = "wrong-encoding"
    NOT_DECODED = "not-decoded"
    STANDS_FOR_ICON = "stands-for-icon"
    ICON_OR_MISREAD = "icon-or-misread"
    PRIVATE_USE = "private-use"
    UNDECODABLE = "undecodable"
    OTHER_SCRIPT = "other-script"
    EMOJI = "emoji"
    SIGN_FOR_ICON = "sign-for-icon"
    BLANKS_FOR_ICON = "blanks-for-icon"
    # what could not be read
    PAGE_IS_IMAGE = "page-is-image"
    TEXT_COVERED = "text-covered"
    LINES_OVERLAP = "lines-overlap"
    GRID_LEFT_OUT = "grid-left-out"
    CHAPTER_MISSING = "chapter-missing"
    FITS_NOWHERE = "fits-nowhere"
    # what the project knows about the edition
    NOTE = "note"
    TO_LINE = "to-line"
    LINE_CHANGED = "line-changed"
    NOTHING_HEADED_SO = "nothing-headed-so"
    PHRASINGS_MISSING = "phrasings-missing"
    SEE_PHRASINGS = "see-phrasings"
    SEEMS_THE_SAME = "seems-the-same"
    NOTHING_IN_COMMON = "nothing-in-common"
    SAME_CARDS = "same-cards"
    WEIGHT = "weight"
    RULE_GONE = "rule-gone"
    RULE_CHANGED = "rule-changed"
    NAME_ANOTHER_RULE = "name-another-rule"
    CONFIRM = "confirm"


class OriginWhy(StrEnum):
    """The reason why a fault is attributed to its `Origin`."""

    BLANK_LOST = "blank-lost"
    STOP_LIKE_COMMA = "stop-like-comma"
    MISPRINT_AMONG_OTHERS = "misprint-among-others"
    READABLE_NUMBER = "readable-number"
    READABLE_REFERENCE = "readable-reference"
    READABLE_SENTENCE = "readable-sentence"
    FILE_SIGN = "file-sign"
    SIGN_FOR_LETTER = "sign-for-letter"
    SLIP_OF_PEN = "slip-of-pen"
    SLIP_OF_PEN_OR_SCAN = "slip-of-pen-or-scan"
    OTHER_WORD_OF_LANGUAGE = "other-word-of-language"
    NOT_OF_TEXT = "not-of-text"
    OTHER_EDITION_SAYS_SO = "other-edition-says-so"
    READABLE_WORD = "readable-word"
    END_OF_PAGE = "end-of-page"
    JOINED_LINES = "joined-lines"
    SMALL_PRINT = "small-print"
    LOOK_ALIKES = "look-alikes"
    UNTOLD_LIST = "untold-list"
    OTHER_ORDER = "other-order"
    READ_TWICE = "read-twice"
    SOMETHING_GONE = "something-gone"
    EDGE_OF_PAGE = "edge-of-page"
    READABLE_TEXT = "readable-text"
    REST_ELSEWHERE = "rest-elsewhere"
    SAME_MISPRINT = "same-misprint"
    SAME_SIGN = "same-sign"
    NOT_LOOKED_AT = "not-looked-at"
    PLACES_DIFFER = "places-differ"
    TWO_SPELLINGS = "two-spellings"
    PERHAPS_PICTURE = "perhaps-picture"
    NO_LETTER = "no-letter"
    USE_OF_WORDS = "use-of-words"


Value = int | str | tuple[str, ...]
"""A value for a message: a number, words of the document, or several of these."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A part of the explanation of a finding: its code, and the values for its message."""

    code: Why
    values: Mapping[str, Value] = field(default_factory=dict)


def because(code: Why, **values: Value) -> tuple[Reason, ...]:
    """Return the reason ``code`` with its ``values``, as a tuple that reasons can be added to."""
    return (Reason(code, values),)


_RANK = {kind: rank for rank, kind in enumerate(FindingKind)}


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault in a rulebook: its place, what is ``printed`` there, and what is ``meant``, if known.

    ``line`` is None if a finding concerns the whole edition. ``why`` explains the finding,
    ``origin_why`` its ``origin``.
    """

    edition: str
    line: int | None
    kind: FindingKind
    printed: str
    meant: str | None
    certainty: Certainty
    why: tuple[Reason, ...]
    origin: Origin = Origin.UNCLEAR
    origin_why: OriginWhy | None = None

    @property
    def order(self) -> tuple[int, int, str]:
        """The sort key of findings: kind, then line."""
        return _RANK[self.kind], self.line or 0, self.printed


def report(
    rulebook: RulebookView,
    at: Entry | Reference | int | None,
    kind: FindingKind,
    why: Why | tuple[Reason, ...],
    printed: str | None = None,
    meant: str | None = None,
    certainty: Certainty = Certainty.LIKELY,
    center: int = 0,
    **values: Value,
) -> Finding:
    """Return a finding in ``rulebook`` at a heading, a reference or a line.

    ``printed`` is the printed text (by default the heading or reference), shortened around
    ``center``; ``meant`` is the right text. ``values`` are those of ``why`` if it is a code.
    """
    line = at.lines.first if isinstance(at, Entry) else at.line if isinstance(at, Reference) else at
    if printed is None:
        printed = (
            at.heading if isinstance(at, Entry) else at.raw if isinstance(at, Reference) else ""
        )
    return Finding(
        rulebook.edition.id,
        line,
        kind,
        shorten(printed, center),
        None if meant is None else shorten(meant),
        certainty,
        because(why, **values) if isinstance(why, Why) else why,
    )


def reference_lines(rulebook: RulebookView) -> set[int]:
    """Return the lines of the reference lists in ``rulebook``."""
    return {
        line
        for passage in rulebook.passages
        if passage.role is Role.SEE
        for line in range(passage.lines.first, passage.lines.last + 1)
    }


def shorten(text: str, at: int = 0) -> str:
    """Return at most `SHORT` characters of ``text`` around ``at``, in one line."""
    start = 0 if len(text) <= SHORT else max(0, min(at - SHORT // 2, len(text) - SHORT))
    part = " ".join(text[start : start + SHORT].split())
    return ("…" if start else "") + part + ("…" if start + SHORT < len(text) else "")
