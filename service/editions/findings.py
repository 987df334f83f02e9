"""The findings of the check, of a build or computed in the background, and their reasons in the
languages of the pages.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from pydantic import TypeAdapter

from corpus.model import Entry, Rulebook
from glossary.check import (
    FINDING_TITLES,
    Certainty,
    Finding,
    FindingKind,
    Origin,
    OriginWhy,
    Reason,
    TieChecker,
    Value,
    Why,
    check_rulebook,
)
from glossary.references import find as find_references
from index.building.check_stage import FINDINGS
from service.core.i18n import DEFAULT, N_, translate
from service.core.jobs.stored_works import Preparing, Work, is_stored, stored
from service.core.problems import Problem
from service.core.snapshot import Snapshot, SnapshotContents
from service.schemas.comparisons import FindingOut

_LOG = logging.getLogger(__name__)
EditionFindings = Mapping[str, tuple[Finding, ...]]
_STORED_FINDINGS: TypeAdapter[EditionFindings] = TypeAdapter(dict[str, tuple[Finding, ...]])
# Findings about this project's own notes, which do not concern readers of the rulebook.
_PROJECT_NOTES = (
    FindingKind.CORRECTION_UNFIT,
    FindingKind.CONCEPT_UNFIT,
    FindingKind.TIE_PROPOSED,
    FindingKind.TIE_DOUBTFUL,
    FindingKind.PRODUCT_PROPOSED,
    FindingKind.NO_PHRASINGS,
)
CERTAINTIES = {
    Certainty.CERTAIN: N_("certain"),
    Certainty.LIKELY: N_("likely"),
    Certainty.POSSIBLE: N_("possible"),
}
ORIGINS = {
    Origin.PRINT: N_("print"),
    Origin.EXTRACTION: N_("scan or conversion"),
    Origin.UNCLEAR: N_("unclear"),
}

# Two sentences are one for a ``count`` of 1 and one for more. ``quoted`` is put in quotation marks,
# ``times`` and ``often`` are numbers.
SENTENCES: dict[Why, str | tuple[str, str]] = {
    Why.NO_TARGET: N_("nothing in this rulebook has that name or number"),
    Why.OTHER_NUMBER: N_("the number is not that of what is meant"),
    Why.TARGET_HEADED_OTHERWISE: N_("the target is headed otherwise"),
    Why.SEVERAL_TARGETS: N_("several entries have that name"),
    Why.LEADS_OUTSIDE: N_("leads out of this rulebook"),
    Why.NAMES_OWN_ENTRY: N_("the list of references names the entry it stands under"),
    Why.TWICE_IN_LIST: N_("named twice in one list"),
    Why.TWICE_SIDE_BY_SIDE: N_("printed twice side by side"),
    Why.EMPTY_ITEM: N_("an empty item"),
    Why.NO_COMMA: N_("no comma between two names"),
    Why.LAST_COMMA: N_("a comma behind the last name"),
    Why.HEADING_WITH_SAME_TEXT: N_("line %(line)s has this heading already, with the same text"),
    Why.HEADING_WITH_OTHER_TEXT: N_("line %(line)s has this heading already, with another text"),
    Why.CARD_ELSEWHERE: N_("line %(line)s has this card already, with other cards between"),
    Why.PART_NUMBER_TWICE: N_("the part at line %(line)s has the number %(number)s too"),
    Why.AMONG_CAPITALS: N_("the headings around it are in capitals"),
    Why.IN_CAPITALS: N_("in capitals, unlike the headings around it"),
    Why.NO_TEXT: N_("a heading without text"),
    Why.SECTION_ELSEWHERE: N_("the section stands elsewhere, at line %(line)s"),
    Why.SECTION_NOT_LISTED: N_("the section is missing in the contents"),
    Why.NO_SECTION_WITH_NUMBER: N_("no section has the number %(number)s"),
    Why.SECTION_HEADED_OTHERWISE: N_("the section at line %(line)s is headed otherwise"),
    Why.NO_ENTRY: N_("no entry has that name"),
    Why.NOT_IN_INDEX: N_("the printed index has no item of that name"),
    Why.PAGE_OUT_OF_ORDER: N_(
        "the index says page %(page)s; entries before and after stand on %(pages)s"
    ),
    Why.AMONG_OTHER_LETTERS: N_("stands between items that begin with %(letters)s"),
    Why.DIGIT_FOR_LETTER: N_("a digit in the place of the letter that heads a part of the index"),
    Why.NUMBER_USED: N_("line %(line)s has this number already"),
    Why.COMES_AFTER: N_("comes after %(number)s"),
    Why.FIRST_OF_GROUP: N_("the first of its group"),
    Why.ITEM_NUMBER_LOST: N_("the item has lost its number %(number)s"),
    Why.ITEM_NUMBER_TWICE: N_("line %(line)s has the number %(number)s too"),
    Why.ITEM_BEFORE: N_("the item before it, at line %(line)s, has the number %(number)s"),
    Why.SEVERAL_NAMES: N_("%(quoted)s is used %(times)s, %(others)s %(often)s"),
    Why.SAME_NAME: N_("%(names)s (line %(lines)s) has this name too"),
    Why.NO_QUALIFIER: N_("names no qualifier, and %(count)s entries have this name"),
    Why.NAME_IN_LANGUAGE: N_("in %(language)s this is the name of another term"),
    Why.NAME_IN_LANGUAGE_OF: N_(
        "in %(language)s this is the name of another term, which is called %(quoted)s here"
    ),
    Why.USED: N_("used %(times)s"),
    Why.DEFINED_IN: N_("%(edition)s defines it at line %(line)s"),
    Why.NOT_SPELLED_OUT: N_("an abbreviation that is nowhere spelled out, used %(times)s"),
    Why.SPELLED_OUT_LATER: N_(
        "an abbreviation that is spelled out only at line %(line)s, used %(times)s"
    ),
    Why.REFERRED_TO_SO: N_("referred to so %(times)s, %(often)s as it is headed at line %(line)s"),
    Why.ALWAYS_REFERRED_TO_SO: N_("referred to so %(times)s, the heading is at line %(line)s"),
    Why.ALSO_AT: (N_("also at line %(lines)s"), N_("also at lines %(lines)s")),
    Why.CUTS_SENTENCE: N_("%(quoted)s stands inside a sentence"),
    Why.GOES_ON_AS_BULLET: N_("a sentence goes on as if it were a bullet of its own"),
    Why.SAME_TEXT: N_("line %(line)s has the same text"),
    Why.SAME_TEXT_IN_ENTRY: N_("line %(line)s has the same text, in the same entry"),
    Why.NEARLY_SAME_TEXT: N_("line %(line)s has nearly the same text"),
    Why.NEARLY_SAME_TEXT_WITH: N_("line %(line)s has nearly the same text, with %(words)s"),
    Why.CUT_OFF: N_("the sentence is cut off here"),
    Why.NO_FULL_STOP: N_("no full stop: it is missing, or text is"),
    Why.WORD_TWICE: N_("the same word twice in succession"),
    Why.NO_BLANK_BEFORE: N_("no blank before %(quoted)s"),
    Why.NO_BLANK_AFTER: N_("no blank after %(quoted)s"),
    Why.NOTHING_CLOSES: N_("nothing closes %(sign)s"),
    Why.NOTHING_OPENS: N_("nothing opens %(sign)s"),
    Why.TIMES_IN_ENTRY: N_("%(count)s times in this entry"),
    Why.MORE_USUAL: N_("%(quoted)s stands %(times)s in this rulebook, this %(often)s"),
    Why.MORE_PLACES: N_("further places are not listed"),
    Why.HEADED_OTHERWISE: N_("the entry at line %(line)s is headed otherwise"),
    Why.LINK_WITHOUT_ADDRESS: (
        N_("a link without address"),
        N_("a link without address, %(count)s times"),
    ),
    Why.WRONG_ENCODING: (
        N_("letters in the wrong encoding"),
        N_("letters in the wrong encoding, %(count)s times"),
    ),
    Why.NOT_DECODED: (
        N_("a code that was not decoded"),
        N_("a code that was not decoded, %(count)s times"),
    ),
    Why.STANDS_FOR_ICON: N_("%(quoted)s stands for an icon"),
    Why.ICON_OR_MISREAD: N_("stands for an icon or is misread"),
    Why.PRIVATE_USE: N_("a character of private use: an icon of a font that others do not have"),
    Why.UNDECODABLE: N_("a character that could not be decoded"),
    Why.OTHER_SCRIPT: N_("a letter of another script: %(letter)s"),
    Why.EMOJI: N_("an emoji in the place of an icon"),
    Why.SIGN_FOR_ICON: N_("a sign in the place of an icon"),
    Why.BLANKS_FOR_ICON: (
        N_("blanks where an icon or a word has vanished"),
        N_("blanks where an icon or a word has vanished, %(count)s times"),
    ),
    Why.PAGE_IS_IMAGE: N_("page %(page)s has no text, only an image"),
    Why.TEXT_COVERED: N_(
        "page %(page)s: other text is printed over text, which cannot be read and was left out"
    ),
    Why.LINES_OVERLAP: N_(
        "page %(page)s: lines are printed over each other, and each was read by itself"
    ),
    Why.GRID_LEFT_OUT: N_(
        "page %(page)s: letters or numbers in a grid, as of a board, were left out"
    ),
    Why.CHAPTER_MISSING: N_("the file does not have this chapter"),
    Why.FITS_NOWHERE: N_("fits nowhere, and was put to the entry around it"),
    Why.TO_LINE: N_("to line %(line)s"),
    Why.LINE_CHANGED: N_("the line no longer has this"),
    Why.NOTHING_HEADED_SO: N_(
        "no entry is headed so, so nothing is tied to the concept %(quoted)s"
    ),
    Why.PHRASINGS_MISSING: N_(
        "what players type when a passage is what they need is not written down for all of them"
    ),
    Why.SEE_PHRASINGS: N_("see 'regula phrasings missing'"),
    Why.SEEMS_THE_SAME: N_(
        "seems to be about the same as %(quoted)s (line %(line)s) of %(edition)s, and nobody has "
        "tied them"
    ),
    Why.NOTHING_IN_COMMON: N_(
        "tied to %(quoted)s (line %(line)s) of %(edition)s, and the two have next to nothing in "
        "common"
    ),
    Why.SAME_CARDS: N_(
        "has the cards of %(quoted)s (%(language)s), and nobody has confirmed that the two are "
        "one product"
    ),
    Why.WEIGHT: N_("weight %(number)s"),
    Why.RULE_GONE: N_("it rests on %(rule)s, which is no longer there"),
    Why.RULE_CHANGED: N_("it rests on %(rule)s, which has changed since"),
    Why.NAME_ANOTHER_RULE: N_("say what else it rests on, or which ruling supersedes it"),
    Why.CONFIRM: N_("'regula rulings confirm %(id)s' says that it holds all the same"),
}
ORIGIN_SENTENCES = {
    OriginWhy.BLANK_LOST: N_("a blank is lost, or stands within a word"),
    OriginWhy.STOP_LIKE_COMMA: N_(
        "a full stop looks like a comma, in a text that is read badly elsewhere too"
    ),
    OriginWhy.MISPRINT_AMONG_OTHERS: N_("a misprint in a text that is read badly elsewhere too"),
    OriginWhy.READABLE_NUMBER: N_("a number that can be read, and is that of something else"),
    OriginWhy.READABLE_REFERENCE: N_(
        "a reference that can be read, and leads nowhere or to too much"
    ),
    OriginWhy.READABLE_SENTENCE: N_("a sentence that can be read, and lacks its end"),
    OriginWhy.FILE_SIGN: N_("a sign of the file, not of the page"),
    OriginWhy.SIGN_FOR_LETTER: N_("a sign stands where a letter or an icon was"),
    OriginWhy.SLIP_OF_PEN: N_("a slip of the pen in a text that is read well elsewhere"),
    OriginWhy.SLIP_OF_PEN_OR_SCAN: N_(
        "a slip of the pen or of a scan: the text is read badly elsewhere too"
    ),
    OriginWhy.OTHER_WORD_OF_LANGUAGE: N_("a word of the language, but not the one that is meant"),
    OriginWhy.NOT_OF_TEXT: N_("about what is known of the edition, no fault in its text"),
    OriginWhy.OTHER_EDITION_SAYS_SO: N_("another edition in this language prints the same"),
    OriginWhy.READABLE_WORD: N_("another word than is meant, and one that can be read"),
    OriginWhy.END_OF_PAGE: N_("at the end of a page"),
    OriginWhy.JOINED_LINES: N_(
        "blanks and hyphens are what is lost and left over where lines are put together"
    ),
    OriginWhy.SMALL_PRINT: N_("columns, figures and small print are read badly"),
    OriginWhy.LOOK_ALIKES: N_(
        "letters that look alike, in a text that is read badly elsewhere too"
    ),
    OriginWhy.UNTOLD_LIST: N_("numbers of lists are lost where a list is not told as one"),
    OriginWhy.OTHER_ORDER: N_("pieces of the page stand in another order than they are read in"),
    OriginWhy.READ_TWICE: N_("printed twice or read twice"),
    OriginWhy.SOMETHING_GONE: N_("something is gone that print would not leave out"),
    OriginWhy.EDGE_OF_PAGE: N_("text of a figure or of the edge of the page"),
    OriginWhy.READABLE_TEXT: N_("text that can be read as it stands"),
    OriginWhy.REST_ELSEWHERE: N_("the rest of the sentence stands elsewhere or is lost"),
    OriginWhy.SAME_MISPRINT: N_(
        "the same misprint again and again, in a text that is read badly elsewhere too"
    ),
    OriginWhy.SAME_SIGN: N_("the same sign is lost again and again"),
    OriginWhy.NOT_LOOKED_AT: N_("the text around it was not looked at"),
    OriginWhy.PLACES_DIFFER: N_("two places that can be read, and do not fit each other"),
    OriginWhy.TWO_SPELLINGS: N_("two spellings that can be read"),
    OriginWhy.PERHAPS_PICTURE: N_("what stands below may be a picture"),
    OriginWhy.NO_LETTER: N_("what stands here on the page is no letter, or another one"),
    OriginWhy.USE_OF_WORDS: N_("words that can be read: what is wrong is how they are used"),
}
NOTES = frozenset(
    [
        N_("misread"),
        N_("icon misread"),
        N_("icon lost without trace"),
        N_("letter lost"),
        N_("two letters lost"),
        N_("letter misread"),
        N_("letter doubled in scanning"),
        N_("blank lost"),
        N_("hyphen and blank lost"),
        N_("misprint"),
        N_("speaks of the item above"),
        N_("hard line break inside a bullet"),
        N_("the end of the sentence is missing in print"),
    ]
)
_BETWEEN = "; "  # parts of a reason
_AND = N_("and")


def reason_text(reasons: Sequence[Reason]) -> str:
    """Return why something is a finding, in English, in one line."""
    return reason_in(DEFAULT, reasons) or ""


def reason_in(language: str, reasons: Sequence[Reason]) -> str | None:
    """Return why something is a finding, in ``language``; None where a note among the reasons has
    no translation.
    """
    parts = []
    for reason in reasons:
        part = _note if reason.code is Why.NOTE else _sentence
        parts.append(part(language, reason))
    return None if None in parts else _BETWEEN.join(filter(None, parts))


def origin_reason(reason: OriginWhy | None, language: str = DEFAULT) -> str:
    """Return why a fault is taken to be of its origin; "" where nobody looked."""
    return translate(language, ORIGIN_SENTENCES[reason]) if reason else ""


def _note(language: str, reason: Reason) -> str | None:
    """Return what somebody noted of a correction. That can be anybody's words: only the usual ones
    are translated.
    """
    note = str(reason.values["note"])
    parts = note.split(_BETWEEN)
    if language == DEFAULT:
        return note
    known = NOTES.issuperset(parts)
    return _BETWEEN.join(translate(language, part) for part in parts) if known else None


def _sentence(language: str, reason: Reason) -> str:
    sentence = SENTENCES[reason.code]
    if not isinstance(sentence, str):
        sentence = sentence[reason.values["count"] != 1]
    values = {
        name: _value(language, reason.code, name, value) for name, value in reason.values.items()
    }
    return translate(language, sentence) % values


def _value(language: str, code: Why, name: str, value: Value) -> str:
    if isinstance(value, tuple):
        return f" {translate(language, _AND)} ".join(value)
    if name == "quoted":
        return repr(value)
    if name in ("times", "often"):
        once = N_("%(count)s time") if code is Why.MORE_USUAL and name == "often" else N_("once")
        return translate(language, once if value == 1 else N_("%(count)s times")) % {"count": value}
    return str(value)


def check_editions(
    rulebooks: Sequence[Rulebook],
    edition: str | None = None,
    origins: Container[Origin] = frozenset(Origin),
) -> Iterator[tuple[Rulebook, tuple[Finding, ...]]]:
    """Yield each of ``rulebooks``, or the one of ``edition``, with its findings, or those of
    these ``origins``.
    """
    ties = TieChecker(rulebooks)
    for rulebook in rulebooks:
        if edition in (None, rulebook.edition.id):
            found = check_rulebook(rulebook, rulebooks, find_references(rulebook, rulebooks), ties)
            yield rulebook, tuple(finding for finding in found if finding.origin in origins)


def finding_out(finding: Finding) -> FindingOut:
    """Return something that is wrong in print."""
    return FindingOut(
        edition=finding.edition,
        line=finding.line,
        sort=finding.kind,
        printed=finding.printed,
        meant=finding.meant,
        certainty=finding.certainty,
        why=reason_text(finding.why),
        origin=finding.origin,
        origin_why=origin_reason(finding.origin_why),
    )


def findings_text(rulebook: Rulebook, found: Sequence[Finding]) -> str:
    """Return the findings of one rulebook by kind, for a terminal."""
    edition = rulebook.edition
    counts = Counter(finding.certainty for finding in found)
    summary = ", ".join(f"{counts[c]} {c.value}" for c in Certainty if counts[c]) or "nothing found"
    lines = [f"{edition.full_title} ({edition.id}, from {rulebook.document.file}): {summary}"]
    extracted = rulebook.document.extracted
    lines += [f"  {note}" for note in (extracted.notes if extracted else ())]
    for kind, group in groupby(found, key=lambda finding: finding.kind):
        here = list(group)
        lines += ["", f"  {FINDING_TITLES[kind]} ({len(here)})"]
        for finding in here:
            place = f"{finding.line:6}" if finding.line is not None else " " * 6
            meant = f" → {finding.meant}" if finding.meant is not None else ""
            why = f"({reason_text(finding.why)}) [{finding.origin.value}]"
            lines.append(f"  {place}  {finding.certainty.value:8}  {finding.printed}{meant}  {why}")
    return "\n".join(lines)


@dataclass(frozen=True)
class EntryFindings:
    """What is wrong in print in one entry: ``sure`` findings are certain or likely, ``doubtful``
    ones possible; ``pending`` says that the check is not done yet.
    """

    sure: tuple[Finding, ...] = ()
    doubtful: tuple[Finding, ...] = ()
    pending: bool = False


def snapshot_findings(snapshot: Snapshot) -> EditionFindings | None:
    """Return the findings of each edition of ``snapshot`` that could be checked, by its id; None
    while the check runs, which the first call begins.
    """
    try:
        return _checked(snapshot, begin=True)
    except Preparing:
        return None
    except Problem:  # logged already; the page shows everything else
        return {}


def reading_doubts(snapshot: Snapshot, edition: str, language: str) -> list[str]:
    """Return what in the document of ``edition`` could not be read, a sentence each in
    ``language``; nothing while the check runs.
    """
    found = (finished_findings(snapshot) or {}).get(edition, ())
    unread = (each for each in found if each.kind is FindingKind.UNREAD)
    return list(dict.fromkeys(filter(None, (reason_in(language, each.why) for each in unread))))


def finished_findings(snapshot: Snapshot) -> EditionFindings | None:
    """Return the same where the check is done; None where it is not. It is not begun."""
    try:
        return _checked(snapshot, begin=False)
    except Problem:
        return None


def _checked(snapshot: Snapshot, begin: bool) -> EditionFindings:
    """Return what the build has found, else what a helper process finds. Raises `Preparing` where
    it is not done.
    """

    def read_built() -> EditionFindings | None:
        location = snapshot.location
        path = location / FINDINGS if isinstance(location, Path) else None
        if path is None or not path.exists():
            return None
        try:
            return _STORED_FINDINGS.validate_json(path.read_bytes())
        except (OSError, ValueError) as fault:
            _LOG.warning("%s cannot be read (%s); the rulebooks are checked anew", path, fault)
            return None

    def read() -> EditionFindings:
        if not begin and not (snapshot.folder and is_stored(snapshot.folder, FINDINGS_WORK)):
            raise Preparing
        return _STORED_FINDINGS.validate_json(stored(snapshot, FINDINGS_WORK, patience=0.0))

    built = snapshot.cache.get(("findings of the build",), read_built)
    return snapshot.cache.get(("findings",), read) if built is None else built


def _render_findings(snapshot: SnapshotContents) -> bytes:
    try:
        books = snapshot.rulebooks()
    except (LookupError, OSError) as fault:
        _LOG.warning("index %s cannot be checked: %s", snapshot.id, fault)
        books = []
    ties = TieChecker(books)
    found = {}
    for book in books:
        references = tuple(snapshot.library.references_in(book.edition.id))
        found[book.edition.id] = check_rulebook(book, books, references, ties)
    return _STORED_FINDINGS.dump_json(found)


FINDINGS_WORK: Work[bytes] = Work(("findings",), _render_findings, slow=True)


def entry_findings(snapshot: Snapshot, entry: Entry) -> EntryFindings:
    """Return the findings in the lines of ``entry``, in the order of the lines."""
    findings = snapshot_findings(snapshot)
    if findings is None:
        return EntryFindings(pending=True)
    first, last = entry.lines
    here = [
        finding
        for finding in findings.get(entry.edition, ())
        if first <= (finding.line or 0) <= last and finding.kind not in _PROJECT_NOTES
    ]
    here.sort(key=lambda finding: finding.line or 0)
    return EntryFindings(
        sure=tuple(f for f in here if f.certainty is not Certainty.POSSIBLE),
        doubtful=tuple(f for f in here if f.certainty is Certainty.POSSIBLE),
    )
