"""Where a fault most likely comes from: the publisher's print, or the extraction of its text by a scan or a conversion.

Three things speak for one or the other: what sort of fault it is (a scan loses icons, bullets and blanks, and mistakes letters that look
alike; it does not number references wrongly), in what company it stands (a text with undecoded codes and lost icons has been extracted
badly as a whole), and what another edition in the same language prints at the same words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from rapidfuzz.distance import OSA

from corpus.model import Rulebook
from glossary.check import repairs, sentences, signs
from glossary.check.lexicon import get_lexicon
from glossary.check.look_alikes import look_alike
from glossary.check.model import Finding, FindingKind, Origin

_Judgement = tuple[Origin, str]

_ALWAYS: dict[FindingKind, _Judgement] = {
    **dict.fromkeys(
        (FindingKind.MISSING, FindingKind.AMBIGUOUS, FindingKind.OUTSIDE, FindingKind.REFERS_TO_ITSELF, FindingKind.LISTED_TWICE),
        (Origin.PRINT, "a reference that can be read, and leads nowhere or to too much"),
    ),
    FindingKind.WRONG_NUMBER: (Origin.PRINT, "a number that can be read, and is that of something else"),
    **dict.fromkeys(
        (FindingKind.CONTENTS_DIFFER, FindingKind.NOT_INDEXED, FindingKind.INDEX_WITHOUT_ENTRY),
        (Origin.PRINT, "two places that can be read, and do not fit each other"),
    ),
    **dict.fromkeys(
        (
            FindingKind.ONE_WORD_SEVERAL_CONCEPTS,
            FindingKind.UNDEFINED_TERM,
            FindingKind.HEADING_SPELLING,
            FindingKind.HEADING,
            FindingKind.NUMBER_TWICE,
        ),
        (Origin.PRINT, "words that can be read: what is wrong is how they are used"),
    ),
    FindingKind.LOST: (Origin.EXTRACTION, "something is gone that print would not leave out"),
    FindingKind.TORN: (Origin.EXTRACTION, "pieces of the page stand in another order than they are read in"),
    FindingKind.MISPLACED: (Origin.EXTRACTION, "pieces of the page stand in another order than they are read in"),
    FindingKind.STRAY: (Origin.EXTRACTION, "text of a figure or of the edge of the page"),
    FindingKind.NUMBER_LOST: (Origin.EXTRACTION, "numbers of lists are lost where a list is not told as one"),
    FindingKind.MARKUP: (Origin.EXTRACTION, "a sign of the file, not of the page"),
    FindingKind.ESCAPE: (Origin.EXTRACTION, "a sign of the file, not of the page"),
    FindingKind.SYMBOL: (Origin.EXTRACTION, "what stands here on the page is no letter, or another one"),
    **dict.fromkeys(
        (
            FindingKind.CORRECTION_UNFIT,
            FindingKind.CONCEPT_UNFIT,
            FindingKind.TIE_PROPOSED,
            FindingKind.TIE_DOUBTFUL,
            FindingKind.PRODUCT_PROPOSED,
            FindingKind.NO_PHRASINGS,
            FindingKind.RULING_OUTDATED,
        ),
        (Origin.UNCLEAR, "about what is known of the edition, no fault in its text"),
    ),
}
_MISREAD = (FindingKind.MISSPELLED, FindingKind.MISPRINT, FindingKind.SEVERAL_RENDERINGS, FindingKind.TITLE_DIFFERS)
_TRACES = (  # what finds faults that only an extraction makes
    signs.find_codes, signs.find_unknown_symbols, signs.find_lost_icons, sentences.find_half_bold_marks, repairs.find_torn_sentences,
)  # fmt: skip
_BADLY = 3.0  # such faults in a thousand lines from which on a text has been extracted badly
_SERIES, _OFTEN = 4, 10.0  # signs of one sort that are lost in one text, and in a thousand lines: its font was not known
_SYSTEMATIC = 3  # times that a misprint comes again: whoever reads proofs sees it, a scan makes it wherever the word stands
_NEAR = 3  # letters in which a misread word may differ
_CODE = re.compile(r"[^\w\s.,;:!?'’\-–—/()\"„“”«»…]|\\\w")
_WORD_SIGN, _FEW = re.compile(r"[^\W_]"), 2
_OPENING_HYPHEN = re.compile(r"[^\W\d_]-[a-zß-ÿ]")


def judge_origins(rulebook: Rulebook, rulebooks: Sequence[Rulebook], findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """``findings``, which are of ``rulebook``, each with its origin; ``rulebooks`` are all that are read together."""
    judge = _OriginJudge(rulebook, rulebooks, findings)
    return tuple(replace(finding, origin=origin, origin_why=why) for finding in findings for origin, why in (judge.judgement(finding),))


def judge_by_kind(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """``findings``, each with the origin that faults of its kind have; unclear where one would have to look at the text around it."""
    unknown = Origin.UNCLEAR, "the text around it was not looked at"
    return tuple(replace(each, origin=origin, origin_why=why) for each in findings for origin, why in (_ALWAYS.get(each.kind, unknown),))


class _OriginJudge:
    """Knows in what company the findings of one rulebook stand."""

    def __init__(self, rulebook: Rulebook, rulebooks: Sequence[Rulebook], findings: Sequence[Finding]):
        self._rulebook = rulebook
        traces = sum(1 for find in _TRACES for _ in find(rulebook))
        self._lines = max(len(rulebook.document.lines), 1)
        self._badly = 1000 * traces >= _BADLY * self._lines
        self._paged = rulebook.document.pages is not None
        self._series = Counter(_side(finding) for finding in findings if finding.kind is FindingKind.UNPAIRED)
        self._printed = Counter((finding.printed.casefold(), (finding.meant or "").casefold()) for finding in findings)
        mine = rulebook.edition
        self._sisters = [
            book.document.text.casefold()
            for book in rulebooks
            if (book.edition.game, book.edition.language) == (mine.game, mine.language) and book.edition.id != mine.id
        ]

    def judgement(self, finding: Finding) -> _Judgement:
        """Where ``finding`` comes from, and why."""
        if (always := _ALWAYS.get(finding.kind)) is not None:
            return always
        if finding.kind in _MISREAD:
            return self._word(finding)
        if finding.kind in (FindingKind.GLUED, FindingKind.SPELLING_VARIES):
            return self._joint(finding)
        if finding.kind is FindingKind.UNPAIRED:
            return self._sign(finding)
        return self._text(finding)

    def _word(self, finding: Finding) -> _Judgement:
        """Of a word that is not what is meant: by which letters it differs, and how often."""
        printed, meant = finding.printed.casefold(), (finding.meant or "").casefold()
        icon = len(_WORD_SIGN.findall(printed)) <= _FEW < len(_WORD_SIGN.findall(meant))
        if icon or (_CODE.search(finding.printed) and not _CODE.search(meant)):
            return Origin.EXTRACTION, "a sign stands where a letter or an icon was"
        pairs = _different_words(printed, meant)
        if not pairs or any(OSA.distance(one, other) > _NEAR for one, other in pairs):
            return Origin.PRINT, "another word than is meant, and one that can be read"
        if any(one and one in text for one, _ in pairs for text in self._sisters):
            return Origin.PRINT, "another edition in this language prints the same"
        if self._split(printed, meant):
            return Origin.EXTRACTION, "a blank is lost, or stands within a word"
        if not self._badly:
            return Origin.PRINT, "a slip of the pen in a text that is read well elsewhere"
        if all(look_alike(one, other) for one, other in pairs):
            return Origin.EXTRACTION, "letters that look alike, in a text that is read badly elsewhere too"
        if finding.kind is FindingKind.MISPRINT:
            return Origin.EXTRACTION, "a misprint in a text that is read badly elsewhere too"
        if self._printed[finding.printed.casefold(), meant] >= _SYSTEMATIC:
            return Origin.EXTRACTION, "the same misprint again and again, in a text that is read badly elsewhere too"
        known = get_lexicon(self._rulebook.edition.language)
        if all(known.has(one) for one, _ in pairs):
            return Origin.PRINT, "a word of the language, but not the one that is meant"
        return Origin.UNCLEAR, "a slip of the pen or of a scan: the text is read badly elsewhere too"

    def _split(self, printed: str, meant: str) -> bool:
        """Whether ``printed`` has a blank too many or too few: within one word, or none between two."""
        if printed.replace(" ", "") == meant.replace(" ", "") and printed != meant:
            return True
        if not (self._paged or self._badly) or " " in printed:
            return False
        known, stem = get_lexicon(self._rulebook.edition.language), meant.rstrip("s")
        return any(printed.startswith(word) and len(word) > 3 and known.has(printed[len(word) :]) for word in (meant, stem))

    def _joint(self, finding: Finding) -> _Judgement:
        """Of words that are put together in another way than they should."""
        if finding.kind is FindingKind.SPELLING_VARIES and not (_OPENING_HYPHEN.search(finding.printed) and self._extracted):
            return Origin.PRINT, "two spellings that can be read"
        if self._extracted:
            return Origin.EXTRACTION, "blanks and hyphens are what is lost and left over where lines are put together"
        return Origin.PRINT, "a slip of the pen in a text that is read well elsewhere"

    @property
    def _extracted(self) -> bool:
        """Whether lines of the page had to be put together to paragraphs, or the text is read badly."""
        return self._paged or self._badly

    def _sign(self, finding: Finding) -> _Judgement:
        """Of a bracket or quotation mark without partner."""
        many = self._series[_side(finding)]
        if many >= _SERIES and 1000 * many >= _OFTEN * self._lines:
            return Origin.EXTRACTION, "the same sign is lost again and again"
        if self._badly:
            return Origin.UNCLEAR, "a slip of the pen or of a scan: the text is read badly elsewhere too"
        return Origin.PRINT, "a slip of the pen in a text that is read well elsewhere"

    def _text(self, finding: Finding) -> _Judgement:
        """Of sentences, lists and headings: whether they stand where pages end, and whether the text is read badly."""
        if finding.line is not None and self._at_page_end(finding.line) and finding.kind is not FindingKind.LIST_SIGNS:
            return Origin.EXTRACTION, "at the end of a page"
        if finding.kind is FindingKind.BREAKS_OFF:
            if "no full stop" in finding.why or not self._extracted:
                return Origin.PRINT, "a sentence that can be read, and lacks its end"
            return Origin.EXTRACTION, "the rest of the sentence stands elsewhere or is lost"
        if finding.kind in (FindingKind.INDEX_ORDER, FindingKind.INDEX_PAGE, FindingKind.EMPTY_ENTRY) and self._extracted:
            return Origin.EXTRACTION, "columns, figures and small print are read badly"
        if finding.kind is FindingKind.EMPTY_ENTRY:
            return Origin.UNCLEAR, "what stands below may be a picture"
        if finding.kind is FindingKind.DUPLICATE_HEADING and finding.why.endswith("with the same text"):
            return Origin.UNCLEAR, "printed twice or read twice"
        if finding.kind is FindingKind.LIST_SIGNS and self._badly and "." in finding.printed and "." not in (finding.meant or ""):
            return Origin.UNCLEAR, "a full stop looks like a comma, in a text that is read badly elsewhere too"
        if finding.kind is FindingKind.PRINTED_TWICE and self._badly and finding.why.endswith("the same text, in the same entry"):
            return Origin.UNCLEAR, "printed twice or read twice"
        return Origin.PRINT, "text that can be read as it stands"

    def _at_page_end(self, number: int) -> bool:
        """Whether the line ``number`` of the document runs on over the end of a page."""
        document = self._rulebook.document
        if document.pages is None:
            return False
        line = document.line(number)
        return document.pages.page_at(line.start) != document.pages.page_at(max(line.end - 1, line.start))


def _side(finding: Finding) -> str:
    """Which of two signs is missing: "nothing opens", "nothing closes"."""
    return finding.why.rpartition(" ")[0]


def _different_words(printed: str, meant: str) -> list[tuple[str, str]]:
    """The words in which two texts differ, pair by pair; none where one of the texts has more words."""
    ones, others = (re.findall(r"[^\W_]+", text) for text in (printed, meant))
    if len(ones) != len(others):
        joined = "".join(ones), "".join(others)
        return [joined] if joined[0] and joined[1] else []
    return [(one, other) for one, other in zip(ones, others, strict=True) if one != other]
