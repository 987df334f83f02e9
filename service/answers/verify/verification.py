"""Verify the quotations in a text: whether each is exact, altered or unsupported, and whether its
marker names the right passage.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from corpus.model import Passage, Span
from corpus.sentences import sentences
from service.answers.sources import (
    MarkerTable,
    Sources,
    marker_table,
)
from service.answers.verify.citation_reports import CitationJudge, QuotedPlace
from service.answers.verify.citations import CitationFinder, TextCitation
from service.answers.verify.matching import CUTS, LEAST_WORDS, QuotationMatch, match_quotation
from service.answers.verify.omissions import Omission, PrintedSpan
from service.answers.verify.quotations import (
    MOST_EMPHASISED,
    Form,
    Marker,
    Quotation,
    is_quotation,
    parse_markers,
    parse_quotations,
)
from service.answers.verify.text_index import (
    CUT,
    Occurrence,
    PrintedWords,
    TextIndex,
    TextToken,
    printed_passages,
    tokens,
)
from service.core import parameters
from service.core.displayed import document_spans, text_span_of_display
from service.core.i18n import N_, TranslatableText
from service.core.jobs.stored_works import Work, stored
from service.core.problems import Problem
from service.core.snapshot import Snapshot, SnapshotContents
from service.schemas.fields import LONGEST_TEXT
from service.schemas.grounding import (
    AlterationOut,
    CitationStatus,
    ClaimOut,
    MarkerReportOut,
    OmissionOut,
    PassageWordsOut,
    PrintedRunOut,
    QuotationReportOut,
    QuotationStatus,
    Verdict,
    VerificationOut,
)

MOST_QUOTATIONS = 200  # in a text; also the most markers
_MANY_QUOTATIONS = N_("The text has %(count)s quotations; %(limit)s are the most.")
_MANY_MARKERS = N_("The text has %(count)s markers; %(limit)s are the most.")
MOST_CUTS = 500  # signs of omissions in all quotations of a text
_MANY_CUTS = N_("The quotations have %(count)s signs of words left out; %(limit)s are the most.")
_MOST_OTHERS = 4  # most further places of the same words in a report
_MOST_SCOPES = 32  # games and editions whose part of the text index is cached
_LONGEST_TERM = 40  # most characters of a name or term
_MOST_BETWEEN = 200  # characters between a quotation and its marker

_REST_BEFORE_BLOCK_QUOTE = re.compile(
    r"[^\n]*\n {0,3}>"
)  # the rest of the line after a marker, if a block quote follows


@dataclass
class _QuotationClaim:
    """A quotation with its words and the markers that name its source."""

    quoted: Quotation
    words: list[TextToken]
    markers: list[Marker] = field(default_factory=list)


def checked_text(value: object) -> str:
    """Return ``value`` if it is a text to verify. Raises `Problem` 422 if it is not a string,
    empty, too long, or invalid Unicode.
    """
    if not isinstance(value, str):
        raise Problem.out_of_range(N_("The text has to be a text."), "text")
    if not value.strip():
        raise Problem.out_of_range(N_("The text is empty."), "text")
    if len(value) > LONGEST_TEXT:
        raise Problem.out_of_range(
            TranslatableText(
                N_("The text has %(count)s characters; %(limit)s are the most."),
                {"count": len(value), "limit": LONGEST_TEXT},
            ),
            "text",
        )
    if any(c == "\0" or unicodedata.category(c) == "Cs" for c in value):
        raise Problem.out_of_range(
            N_("The text holds a character that is none (U+0000 or half of a pair)."), "text"
        )
    return value


@dataclass(frozen=True)
class _Verifier:
    """The texts to compare quotations with: ``index`` has the texts in scope, ``everything`` all
    texts.
    """

    snapshot: Snapshot
    table: MarkerTable
    index: TextIndex
    everything: TextIndex
    sources: Sources


def verification_out(
    snapshot: Snapshot, text: str, game: str | None = None, edition: str | None = None
) -> VerificationOut:
    """Return a report on the quotations in ``text``, compared with the texts of ``game`` and
    ``edition`` if given.

    Offsets count characters of ``text``. The verdict is that of the worst quotation:
    ``unsupported``, ``altered``, ``misattributed`` (a marker or citation names another passage or
    none), ``exact``; ``nothing-quoted`` without quotations. Quotations of fewer than three words
    count only with a marker. Raises `Problem` 422 for more than `MOST_QUOTATIONS` quotations or
    markers or `MOST_CUTS` omissions, and for an unknown game or edition; 404 if the edition is of
    another game.
    """
    table, everything = marker_table(snapshot), text_index(snapshot)
    verifier = _Verifier(
        snapshot, table, _scope(snapshot, everything, game, edition), everything, Sources(snapshot)
    )
    quotations = parse_quotations(
        text,
        lambda start, end: bool(
            everything.find_exact([word.text for word in tokens(text, start, end)])
        ),
    )
    named = parse_markers(text)
    for too_many, found in ((_MANY_QUOTATIONS, quotations), (_MANY_MARKERS, named)):
        if len(found) > MOST_QUOTATIONS:
            raise Problem.out_of_range(
                TranslatableText(too_many, {"count": len(found), "limit": MOST_QUOTATIONS}), "text"
            )
    claims = [
        _QuotationClaim(each, _words(text, each.span, named))
        for each in quotations
        if not each.inner
    ]
    for each in quotations:
        if each.inner:
            claims += _set_off(verifier, text, each, named)
    claims.sort(key=lambda claim: claim.quoted.span)
    claims = _joined(text, [claim for claim in claims if any(word.is_word for word in claim.words)])
    if (cuts := sum(word.text in CUTS for claim in claims for word in claim.words)) > MOST_CUTS:
        raise Problem.out_of_range(
            TranslatableText(_MANY_CUTS, {"count": cuts, "limit": MOST_CUTS}), "text"
        )
    loose = _attribute(text, claims, named)
    reports, quoted = [], []
    for claim in claims:
        if (checked := _report_out(verifier, text, claim)) is not None:
            report, match = checked
            reports.append(report)
            if not report.short:
                exact = match.status is QuotationStatus.EXACT
                places = (*match.occurrences, *match.others) if exact else ()
                entries = frozenset(each.passage.entry for each in places)
                quoted.append(QuotedPlace(Span(*report.span), entries))
    library = snapshot.library
    finder = snapshot.cache.get(("citations",), lambda: CitationFinder(library))
    scope = library.filter_editions(edition, game)
    cited = finder.find(text, [each.span for each in quoted], scope)
    cited += [
        TextCitation(span, span, (passage.entry,), frozenset((passage.entry,)))
        for marker in loose
        if (passage := table.passage_of(marker.name)) and verifier.sources.is_printed(passage)
        for span in [Span(marker.start, marker.end)]
    ]
    judge = CitationJudge(
        snapshot,
        finder,
        text,
        [each for each in quoted if each.entries],
        [Span(marker.start, marker.end) for marker in named],
    )
    citations = list(judge.reports(sorted(cited, key=lambda each: each.span)))
    wrong = any(each.status is not CitationStatus.FOUND for each in citations)
    unknown = any(table.passage_of(marker.name) is None for marker in named)
    return VerificationOut(
        index=snapshot.id,
        verdict=_verdict(reports, unknown or wrong),
        quotations=reports,
        markers=[_marker_out(verifier, marker) for marker in named],
        claims=_unquoted_claims(text, loose),
        citations=citations,
    )


def _scope(
    snapshot: Snapshot, everything: TextIndex, game: str | None, edition: str | None
) -> TextIndex:
    """Return the index of the texts in scope. Raises `Problem` as `verification_out` does."""
    if game is None and edition is None:
        return everything
    library = snapshot.library
    parameters.one_of(edition, "edition", library.edition)
    parameters.one_of(game, "game", library.games)
    if not library.filter_editions(edition, game):
        raise Problem.unknown(N_("No rulebook here is all of what edition and game say."))
    return snapshot.cache.get(
        ("text index within", game, edition),
        lambda: everything.within(game, edition),
        most=_MOST_SCOPES,
    )


def text_index(snapshot: Snapshot) -> TextIndex:
    """Return the text index of ``snapshot``, cached. Raises as `service.core.jobs.stored_works`
    `.stored` does.
    """

    def load() -> TextIndex:
        words = PrintedWords.from_bytes(stored(snapshot, words_work(snapshot)))
        return TextIndex(snapshot.library, Sources(snapshot).beside(), words)

    return snapshot.cache.get(("text index",), load)


def words_work(snapshot: SnapshotContents) -> Work[bytes]:
    """Return the background work of reading all words that ``snapshot`` can quote."""
    return Work(("printed words", snapshot.id), _read_words)


def _read_words(snapshot: SnapshotContents) -> bytes:
    return PrintedWords.of(
        printed_passages(snapshot.library, Sources(snapshot).beside())
    ).to_bytes()


def _set_off(
    verifier: _Verifier, text: str, quoted: Quotation, named: Sequence[Marker]
) -> list[_QuotationClaim]:
    """Return the claims of emphasis or a block quote (``quoted``) with quotations inside: the whole
    if it is similar to printed text, otherwise the inner quotations.

    Emphasis with much text beside the inner quotations counts as a whole, too.
    """
    whole = _QuotationClaim(quoted, _words(text, quoted.span, named))
    inner = [_QuotationClaim(each, _words(text, each.span, named)) for each in quoted.inner]
    beside = [
        word
        for word in whole.words
        if word.is_word and not any(q.span.start <= word.start < q.span.end for q in quoted.inner)
    ]
    match, _ = _match(verifier.everything, text, whole, set())
    printed = [
        word
        for word in beside
        if not any(each.span.start <= word.start < each.span.end for each in match.alterations)
    ]
    like = match.status is not QuotationStatus.UNSUPPORTED and 2 * len(printed) >= len(beside)
    invented = len(beside) >= MOST_EMPHASISED and quoted.form is Form.EMPHASIS
    return [whole] if like or (invented and not quoted.block) else inner


def _joined(text: str, claims: Sequence[_QuotationClaim]) -> list[_QuotationClaim]:
    """Return ``claims``, joining consecutive quotations of one sentence: „Ein Lotse kann“ „immer
    angreifen“.
    """
    found: list[_QuotationClaim] = []
    for claim in claims:
        before = found[-1] if found else None
        if before is not None and _goes_on(text, before, claim):
            end, start = before.words[-1].end, claim.words[0].start
            span = Span(before.quoted.span.start, claim.quoted.span.end)
            outer = Span(before.quoted.outer.start, claim.quoted.outer.end)
            found[-1] = _QuotationClaim(
                Quotation(span, outer), [*before.words, TextToken(CUT, end, start), *claim.words]
            )
        else:
            found.append(claim)
    return found


def _goes_on(text: str, before: _QuotationClaim, claim: _QuotationClaim) -> bool:
    between = text[before.quoted.outer.end : claim.quoted.outer.start]
    if before.quoted.block or claim.quoted.block or between.strip() or between.count("\n") > 1:
        return False
    first = next(word for word in claim.words if word.is_word)
    return before.words[-1].text not in ".!?…" and (
        first.text[0].islower() or first.text[0].isdigit()
    )


def _words(text: str, span: Span, named: Sequence[Marker]) -> list[TextToken]:
    """Return the words at ``span`` of ``text`` without markers."""
    inside = [marker for marker in named if span.start <= marker.start and marker.end <= span.end]
    return [
        token
        for token in tokens(text, *span)
        if not any(marker.start <= token.start < marker.end for marker in inside)
    ]


def _attribute(
    text: str, claims: Sequence[_QuotationClaim], named: Sequence[Marker]
) -> list[Marker]:
    """Add its markers to every quotation; return the markers that belong to none.

    A quotation gets the markers inside it, and those after it in the same line before the next
    quotation. A name or term gets only markers directly after it, as others belong to the whole
    sentence. A quotation without markers gets one before it if at most a colon is in between.
    """
    starts = [claim.quoted.outer.start for claim in claims]
    loose = []
    for marker in named:
        place = bisect_right(starts, marker.start) - 1
        claim = claims[place] if place >= 0 else None
        if claim and _takes(claim, text, marker):
            claim.markers.append(marker)
        else:
            loose.append(marker)
    left = []
    for marker in loose:
        place = bisect_right(starts, marker.start)
        # A source with its own quotation marks may be between a marker and a block quote.
        following = next(
            (
                c
                for c in claims[place : place + 3]
                if _belongs_before(c, text[marker.end : c.quoted.outer.start])
            ),
            None,
        )
        if following and not following.markers:
            following.markers.append(marker)
        else:
            left.append(marker)
    return left


def _takes(claim: _QuotationClaim, text: str, marker: Marker) -> bool:
    """Return whether ``marker``, in or after the quotation of ``claim``, belongs to it."""
    outer = claim.quoted.outer
    if marker.end <= outer.end:
        return True
    return _belongs_behind(
        claim, text[outer.end : marker.start]
    ) and not _REST_BEFORE_BLOCK_QUOTE.match(text, marker.end)


def _belongs_behind(claim: _QuotationClaim, between: str) -> bool:
    """Return whether a marker after the quotation, with the text ``between`` them, belongs to
    it.
    """
    if claim.quoted.block:  # the marker is in the next line
        return len(between) <= _MOST_BETWEEN and between.strip().count("\n") == 0
    if _is_short(claim.words) and any(c.isalnum() for c in between if not claim.markers):
        return False
    return len(between) <= _MOST_BETWEEN and "\n" not in between


def _belongs_before(claim: _QuotationClaim, between: str) -> bool:
    """Return whether a marker before the quotation, with the text ``between`` them, belongs to
    it.
    """
    if claim.quoted.block:  # the marker and the source are in the line before
        return len(between) <= _MOST_BETWEEN and between.strip().count("\n") == 0
    return between.strip() in ("", ":") or (
        between.rstrip().endswith(":") and "\n" not in between and len(between) <= _MOST_BETWEEN
    )


def _report_out(
    verifier: _Verifier, text: str, claim: _QuotationClaim
) -> tuple[QuotationReportOut, QuotationMatch] | None:
    """Return the report on the quotation of ``claim``, and its match; None if it is no quotation,
    but emphasis or code for another reason.
    """
    named = [
        passage for marker in claim.markers if (passage := verifier.table.passage_of(marker.name))
    ]
    named_ids = {passage.id for passage in named}
    match, span = _match(verifier.index, text, claim, named_ids)
    elsewhere: tuple[Occurrence, ...] = ()
    if match.status is not QuotationStatus.EXACT and verifier.index is not verifier.everything:
        outside = _match(verifier.everything, text, claim, named_ids)[0]
        elsewhere = (
            (*outside.occurrences, *outside.others)
            if outside.status is QuotationStatus.EXACT
            else ()
        )
    said = text[span.start : span.end]
    set_off = claim.quoted.form is not Form.QUOTED and match.status is QuotationStatus.UNSUPPORTED
    if set_off and not (
        elsewhere
        or claim.markers
        or is_quotation(claim.quoted.form, said, verifier.snapshot.library)
    ):
        return None
    nearest = match.occurrences[0].passage if match.occurrences else None
    there = {occurrence.passage.id for occurrence in (*match.occurrences, *match.others)}
    cite = verifier.sources.citation_out
    report = QuotationReportOut(
        text=said,
        span=span,
        status=match.status,
        short=_is_short(claim.words) and not match.cut,
        cut=match.cut,
        misleading=any(omission.is_misleading for omission in match.omissions),
        left_out=[_omission_out(omission) for omission in match.omissions],
        marker=claim.markers[0].name if claim.markers else None,
        marker_ok=bool(named_ids) and named_ids <= there if claim.markers else None,
        citation=cite(nearest) if nearest else None,
        role=nearest.role if nearest else None,
        passage=PassageWordsOut(text=nearest.text, display=nearest.display) if nearest else None,
        printed=[
            _printed_run_out(PrintedSpan(occurrence.text, occurrence.span))
            for occurrence in match.occurrences
        ],
        differences=[
            AlterationOut(change=each.kind, given=each.given, printed=each.printed, span=each.span)
            for each in match.alterations
        ],
        also=[
            cite(passage)
            for passage in _passages(match.others, {each.passage.id for each in match.occurrences})
        ],
        elsewhere=[cite(passage) for passage in _passages(elsewhere, ())],
    )
    return report, match


def _is_short(words: Sequence[TextToken]) -> bool:
    """Return whether ``words`` are a name or a term: few words and few characters."""
    return (
        sum(word.is_word for word in words) < LEAST_WORDS
        and sum(len(word.text) for word in words) <= _LONGEST_TERM
    )


def _passages(occurrences: Sequence[Occurrence], without: Collection[str]) -> list[Passage]:
    """Return the different passages of ``occurrences``, at most `_MOST_OTHERS`, except those with
    an id in ``without``.
    """
    found = {
        each.passage.id: each.passage for each in occurrences if each.passage.id not in without
    }
    return list(found.values())[:_MOST_OTHERS]


def _omission_out(omission: Omission) -> OmissionOut:
    return OmissionOut(
        where=omission.place,
        shown=omission.shown,
        span=omission.span,
        holds=list(dict.fromkeys(kind for kind, _ in omission.decisive)),
        words=list(dict.fromkeys(word for _, word in omission.decisive)),
        printed=[_printed_run_out(run) for run in omission.runs],
    )


def _match(
    index: TextIndex, text: str, claim: _QuotationClaim, named_ids: set[str]
) -> tuple[QuotationMatch, Span]:
    """Match the quotation of ``claim``, without a last line that looks like its source unless that
    is printed; return the match and the span matched.
    """
    match, span = match_quotation(index, text, claim.words, named_ids), claim.quoted.span
    shorter = claim.quoted.without_attribution
    if shorter and match.status is not QuotationStatus.EXACT:
        words = [word for word in claim.words if word.end <= shorter.end]
        without = match_quotation(index, text, words, named_ids)
        if without.status is QuotationStatus.EXACT or match.status is QuotationStatus.UNSUPPORTED:
            return without, shorter
    return match, span


def _printed_run_out(run: PrintedSpan) -> PrintedRunOut:
    """Return ``run`` with its place in the document."""
    passage, span = run.text.passage, run.span
    in_text = text_span_of_display(passage, span) if run.text.is_display else (span.start, span.end)
    return PrintedRunOut(
        text=run.words,
        form="display" if run.text.is_display else "text",
        entry=passage.entry,
        spans=list(document_spans(passage, in_text)) if in_text else [],
    )


def _marker_out(verifier: _Verifier, marker: Marker) -> MarkerReportOut:
    passage = verifier.table.passage_of(marker.name)
    return MarkerReportOut(
        marker=marker.name,
        span=(marker.start, marker.end),
        known=passage is not None,
        citation=verifier.sources.citation_out(passage) if passage else None,
    )


def _unquoted_claims(text: str, loose: Sequence[Marker]) -> list[ClaimOut]:
    """Return the sentences with a marker but no quotation, which cannot be compared."""
    found: dict[Span, list[str]] = {}
    bare = text
    for marker in loose:  # a marker after a full stop belongs to the sentence before it
        bare = bare[: marker.start] + " " * (marker.end - marker.start) + bare[marker.end :]
    bounds = [Span(start, end) for start, end in sentences(bare)] or [Span(0, len(text))]
    starts = [span.start for span in bounds]
    for marker in loose:
        place = max(bisect_right(starts, marker.start) - 1, 0)
        found.setdefault(bounds[place], []).append(marker.name)
    return [
        ClaimOut(text=text[span.start : span.end], span=span, markers=names, quoted=False)
        for span, names in found.items()
    ]


def _verdict(reports: Sequence[QuotationReportOut], wrong: bool) -> Verdict:
    """Return the verdict on all ``reports``; ``wrong``: a citation or a marker is wrong."""
    counted = [report for report in reports if not report.short or report.marker]
    if any(report.status is QuotationStatus.UNSUPPORTED for report in counted):
        return "unsupported"
    if any(report.status is QuotationStatus.ALTERED for report in counted):
        return "altered"
    if wrong or any(report.marker_ok is False for report in counted):
        return "misattributed"
    return "exact" if counted else "nothing-quoted"
