"""Tell where a fault most likely comes from: the publisher's print, or the extraction of its text
by a scan or a conversion.

Three things are evidence: the kind of fault (a scan loses icons, bullets and blanks, and confuses
letters that look alike; it does not number references wrongly), the other faults of the rulebook (a
text with undecoded codes and lost icons has been extracted badly as a whole), and what another
edition in the same language prints at the same words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from rapidfuzz.distance import OSA

from corpus.languages import get_language
from corpus.model import Rulebook
from glossary.check import text
from glossary.check.model import Finding, FindingKind, Origin, OriginWhy, Why
from glossary.check.repeats import differing_parts
from glossary.check.spelling import get_lexicon

# The letters of a group look alike: the pairs that text recognition confuses most.
_GROUPS = (
    "rn m ni in nn", "ri n", "cl d", "li h", "vv w", "ii ü n u", "l i 1 j t f | !",
    "o 0 e c a", "u n v", "h b k", "s 5 8", "b 6 8 3",
    "g 9 q", "z 2 7", "ß b 8", "f ſ t", "fi h ﬁ", "fl ﬂ", "y v", "p o", "y g",
)  # fmt: skip
_ALIKE = frozenset(
    frozenset((one, other))
    for group in _GROUPS
    for one in group.split()
    for other in group.split()
    if one != other
)


def look_alike(printed: str, meant: str) -> bool:
    """Return whether ``printed`` and ``meant``, both in lower case, differ only in accents and in
    letters that look alike.
    """
    if printed == meant or not printed or not meant:
        return False
    if _bare(printed) == _bare(meant):
        return True
    parts = differing_parts(printed, meant)
    return all(frozenset(part) in _ALIKE or _bare(part[0]) == _bare(part[1]) for part in parts)


def _bare(text: str) -> str:
    """Return ``text`` without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


_Judgement = tuple[Origin, OriginWhy]

_ALWAYS: dict[FindingKind, _Judgement] = {
    **dict.fromkeys(
        (
            FindingKind.MISSING,
            FindingKind.AMBIGUOUS,
            FindingKind.OUTSIDE,
            FindingKind.REFERS_TO_ITSELF,
            FindingKind.LISTED_TWICE,
        ),
        (Origin.PRINT, OriginWhy.READABLE_REFERENCE),
    ),
    FindingKind.WRONG_NUMBER: (Origin.PRINT, OriginWhy.READABLE_NUMBER),
    **dict.fromkeys(
        (FindingKind.CONTENTS_DIFFER, FindingKind.NOT_INDEXED, FindingKind.INDEX_WITHOUT_ENTRY),
        (Origin.PRINT, OriginWhy.PLACES_DIFFER),
    ),
    **dict.fromkeys(
        (
            FindingKind.ONE_WORD_SEVERAL_CONCEPTS,
            FindingKind.UNDEFINED_TERM,
            FindingKind.HEADING_SPELLING,
            FindingKind.HEADING,
            FindingKind.NUMBER_TWICE,
        ),
        (Origin.PRINT, OriginWhy.USE_OF_WORDS),
    ),
    FindingKind.LOST: (Origin.EXTRACTION, OriginWhy.SOMETHING_GONE),
    FindingKind.TORN: (Origin.EXTRACTION, OriginWhy.OTHER_ORDER),
    FindingKind.MISPLACED: (Origin.EXTRACTION, OriginWhy.OTHER_ORDER),
    FindingKind.STRAY: (Origin.EXTRACTION, OriginWhy.EDGE_OF_PAGE),
    FindingKind.NUMBER_LOST: (Origin.EXTRACTION, OriginWhy.UNTOLD_LIST),
    FindingKind.MARKUP: (Origin.EXTRACTION, OriginWhy.FILE_SIGN),
    FindingKind.ESCAPE: (Origin.EXTRACTION, OriginWhy.FILE_SIGN),
    FindingKind.SYMBOL: (Origin.EXTRACTION, OriginWhy.NO_LETTER),
    FindingKind.UNREAD: (Origin.EXTRACTION, OriginWhy.SMALL_PRINT),
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
        (Origin.UNCLEAR, OriginWhy.NOT_OF_TEXT),
    ),
}
_MISREAD = (
    FindingKind.MISSPELLED,
    FindingKind.MISPRINT,
    FindingKind.SEVERAL_RENDERINGS,
    FindingKind.TITLE_DIFFERS,
)
_TRACES = (  # find faults that only an extraction makes
    text.find_codes,
    text.find_unknown_symbols,
    text.find_lost_icons,
    text.find_half_bold_marks,
    text.find_torn_sentences,
)
_BADLY = 3.0  # such faults in a thousand lines from which on a text has been extracted badly
# Unpaired signs of one sort in a text, and in a thousand lines, if its font was not decoded
_SERIES = 4
_OFTEN = 10.0
_SYSTEMATIC = 3  # times that a misprint comes again: proof-readers see it, scans repeat it
_NEAR = 3  # letters in which a misread word may differ
_CODE = re.compile(r"[^\w\s.,;:!?'’\-–—/()\"„“”«»…]|\\\w")
_WORD_SIGN, _FEW = re.compile(r"[^\W_]"), 2
_OPENING_HYPHEN = re.compile(r"[^\W\d_]-[a-zß-ÿ]")


def judge_origins(
    rulebook: Rulebook, rulebooks: Sequence[Rulebook], findings: Sequence[Finding]
) -> tuple[Finding, ...]:
    """Return the ``findings`` of ``rulebook``, one of all loaded ``rulebooks``, with their
    origins.
    """
    judge = _OriginJudge(rulebook, rulebooks, findings)
    return tuple(
        replace(finding, origin=origin, origin_why=why)
        for finding in findings
        for origin, why in (judge.judgement(finding),)
    )


def judge_by_kind(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return ``findings`` with the origins typical of their kinds; unclear if that depends on the
    surrounding text.
    """
    unknown = Origin.UNCLEAR, OriginWhy.NOT_LOOKED_AT
    return tuple(
        replace(each, origin=origin, origin_why=why)
        for each in findings
        for origin, why in (_ALWAYS.get(each.kind, unknown),)
    )


class _OriginJudge:
    """Judges the findings of one rulebook in the context of its other findings."""

    def __init__(
        self, rulebook: Rulebook, rulebooks: Sequence[Rulebook], findings: Sequence[Finding]
    ):
        self._rulebook = rulebook
        traces = sum(1 for find in _TRACES for _ in find(rulebook))
        self._lines = max(len(rulebook.document.lines), 1)
        self._badly = 1000 * traces >= _BADLY * self._lines
        self._paged = rulebook.document.pages is not None
        self._series = Counter(
            finding.why[0].code for finding in findings if finding.kind is FindingKind.UNPAIRED
        )
        self._printed = Counter(
            (finding.printed.casefold(), (finding.meant or "").casefold()) for finding in findings
        )
        mine = rulebook.edition
        self._sisters = [
            book.document.text.casefold()
            for book in rulebooks
            if (book.edition.game, book.edition.language) == (mine.game, mine.language)
            and book.edition.id != mine.id
        ]

    def judgement(self, finding: Finding) -> _Judgement:
        """Return the origin of ``finding``, and the reason."""
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
        """Judge a wrong word by the letters that differ from the right ones, and by its
        frequency.
        """
        printed, meant = finding.printed.casefold(), (finding.meant or "").casefold()
        icon = len(_WORD_SIGN.findall(printed)) <= _FEW < len(_WORD_SIGN.findall(meant))
        if icon or (_CODE.search(finding.printed) and not _CODE.search(meant)):
            return Origin.EXTRACTION, OriginWhy.SIGN_FOR_LETTER
        pairs = _different_words(printed, meant)
        if not pairs or any(OSA.distance(one, other) > _NEAR for one, other in pairs):
            return Origin.PRINT, OriginWhy.READABLE_WORD
        if any(one and one in text for one, _ in pairs for text in self._sisters):
            return Origin.PRINT, OriginWhy.OTHER_EDITION_SAYS_SO
        if self._split(printed, meant):
            return Origin.EXTRACTION, OriginWhy.BLANK_LOST
        if not self._badly:
            return Origin.PRINT, OriginWhy.SLIP_OF_PEN
        if all(look_alike(one, other) for one, other in pairs):
            return Origin.EXTRACTION, OriginWhy.LOOK_ALIKES
        if finding.kind is FindingKind.MISPRINT:
            return Origin.EXTRACTION, OriginWhy.MISPRINT_AMONG_OTHERS
        if self._printed[finding.printed.casefold(), meant] >= _SYSTEMATIC:
            return Origin.EXTRACTION, OriginWhy.SAME_MISPRINT
        known = get_lexicon(self._rulebook.edition.language)
        if all(known.has(one) for one, _ in pairs):
            return Origin.PRINT, OriginWhy.OTHER_WORD_OF_LANGUAGE
        return Origin.UNCLEAR, OriginWhy.SLIP_OF_PEN_OR_SCAN

    def _split(self, printed: str, meant: str) -> bool:
        """Return whether ``printed`` has a blank within a word, or none between two words."""
        if printed.replace(" ", "") == meant.replace(" ", "") and printed != meant:
            return True
        if not (self._paged or self._badly) or " " in printed:
            return False
        known, stem = get_lexicon(self._rulebook.edition.language), meant.rstrip("s")
        return any(
            printed.startswith(word) and len(word) > 3 and known.has(printed[len(word) :])
            for word in (meant, stem)
        )

    def _joint(self, finding: Finding) -> _Judgement:
        """Judge words that are wrongly joined or split."""
        if finding.kind is FindingKind.SPELLING_VARIES and not (
            _OPENING_HYPHEN.search(finding.printed) and self._extracted
        ):
            return Origin.PRINT, OriginWhy.TWO_SPELLINGS
        # A number before a noun with a small letter, "2karten", is typed: a scan keeps the letter.
        nouns = get_language(self._rulebook.edition.language).capitalised_nouns
        typed = nouns and self._is_small_noun(finding.printed.lstrip("0123456789").strip(",.;:"))
        if self._extracted and not typed:
            return Origin.EXTRACTION, OriginWhy.JOINED_LINES
        return Origin.PRINT, OriginWhy.SLIP_OF_PEN

    def _is_small_noun(self, word: str) -> bool:
        """Return whether ``word`` is in lower case, and capitalised elsewhere in the rulebook."""
        text = self._rulebook.document.text
        return word.isalpha() and word.islower() and text.count(f" {word.capitalize()} ") > 1

    @property
    def _extracted(self) -> bool:
        """Whether paragraphs were assembled from lines of pages, or the extraction was bad."""
        return self._paged or self._badly

    def _sign(self, finding: Finding) -> _Judgement:
        """Judge an unpaired bracket or quotation mark."""
        many = self._series[finding.why[0].code]
        if many >= _SERIES and 1000 * many >= _OFTEN * self._lines:
            return Origin.EXTRACTION, OriginWhy.SAME_SIGN
        if self._badly:
            return Origin.UNCLEAR, OriginWhy.SLIP_OF_PEN_OR_SCAN
        return Origin.PRINT, OriginWhy.SLIP_OF_PEN

    def _text(self, finding: Finding) -> _Judgement:
        """Judge sentences, lists and headings by whether they are at page ends, and whether the
        text was extracted badly.
        """
        if (
            finding.line is not None
            and self._at_page_end(finding.line)
            and finding.kind is not FindingKind.LIST_SIGNS
        ):
            return Origin.EXTRACTION, OriginWhy.END_OF_PAGE
        if finding.kind is FindingKind.BREAKS_OFF:
            if finding.why[0].code is Why.NO_FULL_STOP or not self._extracted:
                return Origin.PRINT, OriginWhy.READABLE_SENTENCE
            return Origin.EXTRACTION, OriginWhy.REST_ELSEWHERE
        if (
            finding.kind
            in (FindingKind.INDEX_ORDER, FindingKind.INDEX_PAGE, FindingKind.EMPTY_ENTRY)
            and self._extracted
        ):
            return Origin.EXTRACTION, OriginWhy.SMALL_PRINT
        if finding.kind is FindingKind.EMPTY_ENTRY:
            return Origin.UNCLEAR, OriginWhy.PERHAPS_PICTURE
        if (
            finding.kind is FindingKind.DUPLICATE_HEADING
            and finding.why[0].code is Why.HEADING_WITH_SAME_TEXT
        ):
            return Origin.UNCLEAR, OriginWhy.READ_TWICE
        if (
            finding.kind is FindingKind.LIST_SIGNS
            and self._badly
            and "." in finding.printed
            and "." not in (finding.meant or "")
        ):
            return Origin.UNCLEAR, OriginWhy.STOP_LIKE_COMMA
        if (
            finding.kind is FindingKind.PRINTED_TWICE
            and self._badly
            and finding.why[0].code is Why.SAME_TEXT_IN_ENTRY
        ):
            return Origin.UNCLEAR, OriginWhy.READ_TWICE
        return Origin.PRINT, OriginWhy.READABLE_TEXT

    def _at_page_end(self, number: int) -> bool:
        """Return whether the line ``number`` of the document continues on the next page."""
        document = self._rulebook.document
        if document.pages is None:
            return False
        line = document.line(number)
        return document.pages.page_at(line.start) != document.pages.page_at(
            max(line.end - 1, line.start)
        )


def _different_words(printed: str, meant: str) -> list[tuple[str, str]]:
    """Return the pairs of words in which two texts differ; if one text has more words, return both
    texts without blanks as the only pair.
    """
    ones, others = (re.findall(r"[^\W_]+", text) for text in (printed, meant))
    if len(ones) != len(others):
        joined = "".join(ones), "".join(others)
        return [joined] if joined[0] and joined[1] else []
    return [(one, other) for one, other in zip(ones, others, strict=True) if one != other]
