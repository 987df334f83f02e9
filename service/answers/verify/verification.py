"""A text with quotations and markers checked: which quotations are exact, altered or unsupported, and rightly attributed."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from corpus.model import Passage, Span
from corpus.sentences import sentences
from service.answers.answer import Json, citation_json
from service.answers.highlighting import document_spans, text_span_of_display
from service.answers.markers import MarkerTable, markers
from service.answers.verify import quotation_parser as reading
from service.answers.verify.matching import LEAST_WORDS, QuotationMatch, QuotationStatus, match_quotation
from service.answers.verify.quotation_parser import Marker, Quotation
from service.answers.verify.text_index import Occurrence, TextIndex
from service.answers.verify.tokens import Token, tokens
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.schemas.limits import LONGEST_TEXT

MOST_QUOTATIONS = 200  # quotations in it, and markers
_ALSO = 4  # further places that are named where the same words are printed
_NEAR = 200  # characters between a quotation and its marker at most

_HEADS = re.compile(r"[^\n]*\n {0,3}>")  # what follows a marker in the line above a block quote


@dataclass
class _QuotationClaim:
    """A quotation with the markers that name where it is said to be from, and its words."""

    quoted: Quotation
    words: list[Token]
    markers: list[Marker] = field(default_factory=list)


def checked_text(value: object, called: str = "text") -> str:
    """``value`` as a text to verify. Raises `Problem` 422 where it is no text, empty, too long, or no Unicode."""
    if not isinstance(value, str):
        raise Problem.out_of_range("The text has to be a text.", called)
    if not value.strip():
        raise Problem.out_of_range("The text is empty.", called)
    if len(value) > LONGEST_TEXT:
        raise Problem.out_of_range(f"The text has {len(value):,} characters; {LONGEST_TEXT:,} are the most.", called)
    if any(c == "\0" or unicodedata.category(c) == "Cs" for c in value):
        raise Problem.out_of_range("The text holds a character that is none (U+0000 or half of a pair).", called)
    return value


def verify(snapshot: Snapshot, text: str) -> Json:
    """What is quoted in ``text`` and whether it is printed so; offsets are characters of ``text``.

    The verdict is that of the worst quotation: ``unsupported``, ``altered``, then ``misattributed`` (a marker that names
    another passage or none), then ``exact``; ``nothing-quoted`` where nothing is. Quotations of fewer than three words
    count only with a marker. Raises `Problem` 422 for more than `MOST_QUOTATIONS` quotations or markers.
    """
    known = markers(snapshot)
    found, marked = reading.parse_quotations(text), reading.parse_markers(text)
    for what, things in (("quotations", found), ("markers", marked)):
        if len(things) > MOST_QUOTATIONS:
            raise Problem.out_of_range(f"The text has {len(things):,} {what}; {MOST_QUOTATIONS} are the most.", "text")
    index = snapshot.cache.get(("text index",), lambda: TextIndex(snapshot.library))
    claims = [_QuotationClaim(each, _words(text, each.span, marked)) for each in found]
    claims = [claim for claim in claims if any(word.is_word for word in claim.words)]
    loose = _attribute(text, claims, marked)
    bodies = [_quotation(snapshot, index, known, text, claim) for claim in claims]
    return {
        "index": snapshot.id,
        "verdict": _verdict(bodies, any(known.passage_of(marker.name) is None for marker in marked)),
        "quotations": bodies,
        "markers": [_marker(snapshot, known, marker) for marker in marked],
        "claims": _unquoted(text, loose),
    }


def _words(text: str, span: Span, marked: Sequence[Marker]) -> list[Token]:
    inside = [m for m in marked if span.start <= m.start and m.end <= span.end]
    return [t for t in tokens(text, *span) if not any(m.start <= t.start < m.end for m in inside)]


def _attribute(text: str, claims: Sequence[_QuotationClaim], marked: Sequence[Marker]) -> list[Marker]:
    """Give every quotation the markers in it and those behind it in the same line, before the next quotation.

    A name or term takes only those right behind it, since others speak of the whole sentence. A quotation without any takes
    those in front of it where nothing or a colon stands between. The markers that are left over are returned.
    """
    starts = [claim.quoted.outer.start for claim in claims]
    loose = []
    for marker in marked:
        place = bisect_right(starts, marker.start) - 1
        claim = claims[place] if place >= 0 else None
        inside = claim is not None and marker.end <= claim.quoted.outer.end
        if claim and (inside or (_behind(claim, text[claim.quoted.outer.end : marker.start]) and not _HEADS.match(text, marker.end))):
            claim.markers.append(marker)
        else:
            loose.append(marker)
    left = []
    for marker in loose:
        place = bisect_right(starts, marker.start)
        # Between marker and block quote stands the name of the source, which may have quotation marks of its own.
        following = next((c for c in claims[place : place + 3] if _before(c, text[marker.end : c.quoted.outer.start])), None)
        if following and not following.markers:
            following.markers.append(marker)
        else:
            left.append(marker)
    return left


def _behind(claim: _QuotationClaim, between: str) -> bool:
    if claim.quoted.block:  # it stands in lines of its own, the marker in the next
        return len(between) <= _NEAR and between.strip().count("\n") == 0
    if sum(word.is_word for word in claim.words) < LEAST_WORDS and any(c.isalnum() for c in between if not claim.markers):
        return False
    return len(between) <= _NEAR and "\n" not in between


def _before(claim: _QuotationClaim, between: str) -> bool:
    if claim.quoted.block:  # the marker and the name of the source stand in the line before
        return len(between) <= _NEAR and between.strip().count("\n") == 0
    return between.strip() in ("", ":") or (between.rstrip().endswith(":") and "\n" not in between and len(between) <= _NEAR)


def _quotation(snapshot: Snapshot, index: TextIndex, known: MarkerTable, text: str, claim: _QuotationClaim) -> Json:
    named = [passage for marker in claim.markers if (passage := known.passage_of(marker.name))]
    claimed = {passage.id for passage in named}
    judgement, span = match_quotation(index, text, claim.words, claimed), claim.quoted.span
    if claim.quoted.without_attribution and judgement.status is not QuotationStatus.EXACT:
        words = [word for word in claim.words if word.end <= claim.quoted.without_attribution.end]
        without = match_quotation(index, text, words, claimed)
        if without.status is QuotationStatus.EXACT or judgement.status is QuotationStatus.UNSUPPORTED:
            judgement, span = without, claim.quoted.without_attribution
    words_quoted = sum(word.is_word for word in claim.words)
    nearest = judgement.occurrences[0].passage if judgement.occurrences else None
    return {
        "text": text[span.start : span.end],
        "span": list(span),
        "status": judgement.status.value,
        "short": words_quoted < LEAST_WORDS,
        "cut": judgement.cut,
        "marker": claim.markers[0].name if claim.markers else None,
        "marker_ok": _rightly(judgement, claimed) if claim.markers else None,
        "citation": citation_json(snapshot.library, nearest) if nearest else None,
        "role": nearest.role.value if nearest else None,
        "passage": {"text": nearest.text, "display": nearest.display} if nearest else None,
        "printed": [_run(place) for place in judgement.occurrences],
        "differences": [
            {"change": d.kind.value, "given": d.given, "printed": d.printed, "span": list(d.span)} for d in judgement.alterations
        ],
        "also": [citation_json(snapshot.library, place.passage) for place in judgement.others[:_ALSO]],
    }


def _rightly(judgement: QuotationMatch, claimed: set[str]) -> bool:
    """Whether the words are from a passage that a marker names; those of a quotation from several, from one of them."""
    return any(place.passage.id in claimed for place in judgement.occurrences)


def _run(place: Occurrence) -> Json:
    """A run of printed words as it is displayed or printed, with its place in the document."""
    words = place.tokens
    here = Span(words[0].start, words[-1].end)
    passage: Passage = place.passage
    evidence = text_span_of_display(passage, here) if place.text.is_display else (here.start, here.end)
    return {
        "text": place.text.text[here.start : here.end],
        "form": "display" if place.text.is_display else "text",
        "entry": passage.entry,
        "spans": [list(span) for span in document_spans(passage, evidence)] if evidence else [],
    }


def _marker(snapshot: Snapshot, known: MarkerTable, marker: Marker) -> Json:
    passage = known.passage_of(marker.name)
    return {
        "marker": marker.name,
        "span": [marker.start, marker.end],
        "known": passage is not None,
        "citation": citation_json(snapshot.library, passage) if passage else None,
    }


def _unquoted(text: str, loose: Sequence[Marker]) -> list[Json]:
    """The sentences that a marker stands in or behind without a quotation: nothing that could be compared."""
    found: dict[Span, list[str]] = {}
    bare = text
    for marker in loose:  # behind a full stop they belong to the sentence before, whatever follows
        bare = bare[: marker.start] + " " * (marker.end - marker.start) + bare[marker.end :]
    bounds = [Span(a, b) for a, b in sentences(bare)] or [Span(0, len(text))]
    starts = [span.start for span in bounds]
    for marker in loose:
        place = max(bisect_right(starts, marker.start) - 1, 0)
        found.setdefault(bounds[place], []).append(marker.name)
    return [{"text": text[a:b], "span": [a, b], "markers": names, "quoted": False} for (a, b), names in found.items()]


def _verdict(bodies: Sequence[Json], unknown: bool) -> str:
    counted = [body for body in bodies if not body["short"] or body["marker"]]
    for status in (QuotationStatus.UNSUPPORTED, QuotationStatus.ALTERED):
        if any(body["status"] == status for body in counted):
            return status.value
    if unknown or any(body["marker_ok"] is False for body in counted):
        return "misattributed"
    return "exact" if counted else "nothing-quoted"
