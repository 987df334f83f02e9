"""Match one quotation with all printed text: find its words, or how they differ from the nearest
printed words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from rapidfuzz.distance import Levenshtein

from corpus.model import Role, Span
from service.answers.verify.omissions import (
    Omission,
    end_omissions,
    fuses_sentences,
    omission_between,
)
from service.answers.verify.text_index import (
    CUT,
    Occurrence,
    TextIndex,
    TextToken,
)
from service.schemas.grounding import AlterationKind, QuotationStatus

LEAST_WORDS = 3  # fewer words are a name or a term, which never counts as altered

_MOST_CHAINS = 10  # chains of occurrences that are followed in parallel
_MOST_LINES = 60  # lines of a quotation that are followed from passage to passage
_BEHIND = 40  # characters after a quotation that may continue its sentence
CUTS = (CUT, "…")


@dataclass(frozen=True)
class Alteration:
    """Words ``given`` at ``span`` of the text that differ from the words ``printed``; either may be
    "".
    """

    kind: AlterationKind
    given: str
    printed: str
    span: Span


@dataclass(frozen=True)
class QuotationMatch:
    """The status of a quotation, and the printed words that it matches or is nearest to
    (``occurrences``), in its order.

    ``others`` are further occurrences of the quotation or its parts; ``cut``: it shows an omission
    by […]; ``omissions`` are the words omitted, in order.
    """

    status: QuotationStatus
    occurrences: tuple[Occurrence, ...] = ()
    others: tuple[Occurrence, ...] = ()
    alterations: tuple[Alteration, ...] = ()
    cut: bool = False
    omissions: tuple[Omission, ...] = ()


_NOT_PRINTED = QuotationMatch(QuotationStatus.UNSUPPORTED)


def match_quotation(
    index: TextIndex, text: str, quoted: Sequence[TextToken], preferred: Collection[str]
) -> QuotationMatch:
    """Match the words ``quoted`` in ``text``; of equal occurrences, one in a passage with one of
    the ``preferred`` ids is chosen.

    A quotation is exact if it is a run of words of one passage, in its text or display, as compared
    by `.tokens`; if it is several runs of one entry in printed order with […] in between;
    consecutive passages, each from the start of a line; or consecutive headings. It is altered if
    omitted words may change the meaning (`.decisive_words`).
    """
    if not quoted:
        return _NOT_PRINTED
    whole = _without_last_comma(quoted)
    marked = _trim(whole)
    words = _trim_cuts(marked)
    cut = len(words) < len(marked)
    # Quotation marks around the whole may be printed: the last may not belong to the first.
    choices = (
        [whole]
        if len(words) == len(whole)
        else [whole, words]
        if cut or len(marked) == len(whole)
        else [whole, marked]
    )
    for each in choices:
        if found := _exact(index, each, preferred):
            return _with_ends(
                index,
                text,
                replace(found, cut=cut and each is words),
                marked if each is words else each,
                each,
            )
    lines = _split_lines(text, words)
    if found := _match_headings(index, lines if len(lines) > 1 else _split_list(words)):
        return found
    parts = _parts(index, words)
    if len(parts) > 1:
        found = _match_parts(index, text, parts, preferred)
        return _with_ends(index, text, replace(found, cut=True), marked, words)
    if 1 < len(lines) <= _MOST_LINES and (found := _match_lines(index, lines, preferred)):
        return _with_ends(index, text, replace(found, cut=cut), marked, words)
    return replace(_match_nearest(index, text, words, preferred), cut=cut)


def _without_last_comma(quoted: Sequence[TextToken]) -> list[TextToken]:
    words = list(quoted)
    while len(words) > 1 and words[-1].text in ",;:":
        words.pop()
    return words


def _trim(quoted: Sequence[TextToken]) -> list[TextToken]:
    """Return ``quoted`` without quotation marks around the whole, and without a comma, semicolon or
    colon at the end inside them.
    """
    words = list(quoted)
    while len(words) > 2 and words[0].text == '"' and words[-1].text == '"':
        words = _without_last_comma(words[1:-1])
    return words


def _trim_cuts(quoted: Sequence[TextToken]) -> list[TextToken]:
    """Return ``quoted`` without […] or … at both ends, and without a comma left at the end."""
    words = list(quoted)
    while words and words[-1].text in CUTS:
        words.pop()
    if len(words) < len(quoted):
        words = _without_last_comma(words) if words else words
    while words and words[0].text in CUTS:
        words.pop(0)
    return words


def _with_ends(
    index: TextIndex,
    text: str,
    match: QuotationMatch,
    marked: Sequence[TextToken],
    words: Sequence[TextToken],
) -> QuotationMatch:
    """Return ``match`` with the words omitted from its first and last sentence; altered if these
    may change the meaning.

    ``marked`` are the ``words`` with […] or … at both ends.
    """
    if (
        match.status is QuotationStatus.UNSUPPORTED
        or match.occurrences[0].passage.role is Role.LISTING
    ):
        return match
    first, last = words[0], words[-1]
    before = Span(marked[0].start, marked[0].end) if marked[0].start < first.start else None
    behind = Span(marked[-1].start, marked[-1].end) if marked[-1].end > last.end else None
    ends = end_omissions(
        index,
        match.occurrences[0],
        match.occurrences[-1],
        (before, behind),
        Span(first.start, last.end),
        text[last.end : last.end + _BEHIND],
    )
    omissions = (
        *(o for o in ends if o.span.start <= first.start),
        *match.omissions,
        *(o for o in ends if o.span.start > first.start),
    )
    return _judged(text, replace(match, omissions=omissions))


def _judged(text: str, match: QuotationMatch) -> QuotationMatch:
    """Return ``match``, as altered if any of its omissions may change the meaning."""
    left_out = tuple(
        Alteration(
            AlterationKind.LEFT_OUT, text[each.span.start : each.span.end], each.printed, each.span
        )
        for each in match.omissions
        if each.is_misleading
    )
    if not left_out:
        return match
    alterations = sorted({*match.alterations, *left_out}, key=lambda each: each.span)
    return replace(match, status=QuotationStatus.ALTERED, alterations=tuple(alterations))


def _exact(
    index: TextIndex,
    words: Sequence[TextToken],
    preferred: Collection[str],
    entries: Collection[str] = (),
) -> QuotationMatch | None:
    """Match ``words`` if they are printed exactly, within ``entries`` if given; otherwise return
    None.
    """
    occurrences = index.find_exact(_texts(words), preferred, entries)
    if not occurrences:
        return None
    return QuotationMatch(QuotationStatus.EXACT, (occurrences[0],), tuple(occurrences[1:]))


def _texts(words: Iterable[TextToken]) -> list[str]:
    return [word.text for word in words]


def _parts(index: TextIndex, words: Sequence[TextToken]) -> list[list[TextToken]]:
    """Return the runs of words between […]; also between ellipses without brackets, unless these
    are printed.
    """
    parts = []
    for part in _split_at(words, (CUT,)):
        printed = all(word.text != "…" for word in part) or index.find_exact(_texts(part))
        parts += [part] if printed else _split_at(part, CUTS)
    return (
        [part for part in parts if any(word.is_word for word in part)] if len(parts) > 1 else parts
    )


def _split_at(words: Sequence[TextToken], signs: Collection[str]) -> list[list[TextToken]]:
    """Return the runs of words between ``signs``; punctuation after a sign is removed with it."""
    parts: list[list[TextToken]] = [[]]
    for word in words:
        if word.text in signs:
            parts.append([])
        elif parts[-1] or len(parts) == 1 or word.text not in ".,;:":
            parts[-1].append(word)
    return [part for part in parts if part]


def _match_nearest(
    index: TextIndex, text: str, words: Sequence[TextToken], preferred: Collection[str]
) -> QuotationMatch:
    """Match ``words``, which are not printed exactly, with the most similar printed words;
    unsupported if there are none.
    """
    if sum(word.is_word for word in words) < LEAST_WORDS:
        return _NOT_PRINTED
    nearest = index.find_nearest(_texts(words), preferred)
    if nearest is None:
        return _NOT_PRINTED
    alterations = _alterations(text, words, nearest.occurrence)
    return QuotationMatch(QuotationStatus.ALTERED, (nearest.occurrence,), alterations=alterations)


def _match_parts(
    index: TextIndex, text: str, parts: Sequence[Sequence[TextToken]], preferred: Collection[str]
) -> QuotationMatch:
    """Match ``parts``, runs of words with […] in between, as one quotation from one entry, in
    printed order.

    Of several matches, the one with the fewest omissions that may change the meaning is chosen.
    """
    longest = max(parts, key=len)
    entries = {
        occurrence.passage.entry for occurrence in index.find_exact(_texts(longest), preferred)
    }
    matches = [
        _exact(index, part, preferred, entries)
        or _exact(index, part, preferred)
        or _match_nearest(index, text, part, preferred)
        for part in parts
    ]
    alterations = [alteration for match in matches for alteration in match.alterations]
    if any(match.status is QuotationStatus.UNSUPPORTED for match in matches):
        occurrences = tuple(occurrence for match in matches for occurrence in match.occurrences)
        return QuotationMatch(
            QuotationStatus.UNSUPPORTED, occurrences, alterations=tuple(alterations)
        )
    chains: list[tuple[Occurrence, ...]] = [(each,) for each in _all_occurrences(matches[0])]
    gaps = [_gap(text, before, after) for before, after in pairwise(parts)]
    joined: list[int] = []
    for place, match in enumerate(matches[1:]):
        choices = _all_occurrences(match)
        longer = [
            (*chain, each) for chain in chains for each in choices if _in_order(chain[-1], each)
        ]
        if not longer:
            joined.append(place)
            longer = [(*chains[0], each) for each in choices[:_MOST_CHAINS]]
        # Chains stay in the order found, the newest version first; within a version, the nearest
        # occurrence is meant.
        chains = sorted(
            longer,
            key=lambda chain: (
                chain[0].passage.id not in preferred,
                *_distance(chain[-2], chain[-1]),
            ),
        )[:_MOST_CHAINS]
    read = [(chain, _omissions(index, chain, gaps, joined)) for chain in chains]
    chain, omissions = min(
        read, key=lambda each: sum(omission.is_misleading for omission in each[1])
    )
    fused = [
        n
        for n, gap in enumerate(gaps)
        if n not in joined and fuses_sentences(chain[n], chain[n + 1])
    ]
    for gap in (gaps[n] for n in sorted({*joined, *fused})):
        alterations.append(Alteration(AlterationKind.JOINED, text[gap.start : gap.end], "", gap))
    status = QuotationStatus.ALTERED if alterations else QuotationStatus.EXACT
    there = {_place(each) for each in chain}
    found = {_place(each): each for match in matches for each in _all_occurrences(match)}
    others = tuple(each for place, each in found.items() if place not in there)
    return _judged(
        text, QuotationMatch(status, chain, others, tuple(alterations), omissions=omissions)
    )


def _gap(text: str, before: Sequence[TextToken], after: Sequence[TextToken]) -> Span:
    """Return the span of the […] between two runs of words."""
    given = text[before[-1].end : after[0].start]
    start = before[-1].end + len(given) - len(given.lstrip())
    return Span(start, max(start, start + len(given.strip())))


def _omissions(
    index: TextIndex, chain: Sequence[Occurrence], gaps: Sequence[Span], joined: Collection[int]
) -> tuple[Omission, ...]:
    found = (
        omission_between(index, chain[n], chain[n + 1], gap)
        for n, gap in enumerate(gaps)
        if n not in joined
    )
    return tuple(omission for omission in found if omission is not None)


def _all_occurrences(match: QuotationMatch) -> tuple[Occurrence, ...]:
    return (*match.occurrences, *match.others)


def _place(occurrence: Occurrence) -> tuple[str, bool, int, int]:
    """Return a key that identifies an occurrence."""
    return occurrence.passage.id, occurrence.text.is_display, occurrence.start, occurrence.end


def _distance(one: Occurrence, other: Occurrence) -> tuple[bool, int, int]:
    """Return a sort key for how far ``other`` is after ``one``, the smaller the nearer."""
    apart = other.passage.ordinal - one.passage.ordinal
    return (
        one.text.is_display != other.text.is_display,
        abs(apart),
        other.start - one.end if apart == 0 else other.start,
    )


def _in_order(one: Occurrence, other: Occurrence) -> bool:
    """Return whether ``other`` is printed after ``one`` in the same entry."""
    if one.passage.id == other.passage.id:
        return one.text.is_display == other.text.is_display and other.start >= one.end
    return one.passage.entry == other.passage.entry and one.passage.ordinal < other.passage.ordinal


def _split_lines(text: str, words: Sequence[TextToken]) -> list[list[TextToken]]:
    """Split ``words`` by the lines of ``text``; lines without words are left out."""
    lines: list[list[TextToken]] = []
    last = 0
    for word in words:
        if not lines or text.find("\n", last, word.start) >= 0:
            lines.append([])
        lines[-1].append(word)
        last = word.end
    return lines


def _match_lines(
    index: TextIndex, lines: Sequence[Sequence[TextToken]], preferred: Collection[str]
) -> QuotationMatch | None:
    """Match ``lines`` if they are consecutive printed passages; otherwise return None."""
    chains: list[tuple[Occurrence, ...]] = []
    start = 0
    # A short line may be printed in many places; the longest tells which entries to search.
    longest = max((_texts(line) for line in lines), key=len)
    around = {occurrence.passage.entry for occurrence in index.find_exact(longest, preferred)}
    while around and start < len(lines):
        entries = {chain[-1].passage.entry for chain in chains} or around
        for end in range(len(lines), start, -1):
            occurrences = index.find_exact(
                _texts(word for line in lines[start:end] for word in line), preferred, entries
            )
            longer = [
                (*chain, each)
                for chain in chains or [()]
                for each in occurrences
                if not chain or chain[-1].continues_in(each)
            ]
            if longer:
                chains, start = longer[:_MOST_CHAINS], end
                break
        else:
            return None
    return QuotationMatch(QuotationStatus.EXACT, chains[0]) if chains else None


def _match_headings(
    index: TextIndex, lines: Sequence[Sequence[TextToken]]
) -> QuotationMatch | None:
    """Match ``lines`` if they are consecutive headings, as in a table of contents, perhaps with
    section numbers and page numbers; otherwise return None.
    """
    if not 1 < len(lines) <= _MOST_LINES:
        return None
    chains: list[tuple[Occurrence, ...]] = []
    for line in lines:
        headings = [
            each
            for words in _without_numbers(line)
            for each in index.find_exact(_texts(words))
            if each.is_heading
        ]
        firsts = {each.passage.entry: each for each in reversed(headings)}.values()
        following = index.following_headings
        chains = [
            (*chain, each)
            for chain in chains or [()]
            for each in firsts
            if not chain or each.passage.entry in following.get(chain[-1].passage.entry, ())
        ][:_MOST_CHAINS]
        if not chains:
            return None
    return QuotationMatch(QuotationStatus.EXACT, chains[0])


def _without_numbers(line: Sequence[TextToken]) -> list[Sequence[TextToken]]:
    """Return variants of a line of a table of contents: unchanged, and without section number, page
    number, or both.
    """
    start, end = 0, len(line)
    while start < end and (
        line[start].text.isdigit() or (not line[start].is_word and line[start].text != '"')
    ):
        start += 1
    while end > start and (line[end - 1].text.isdigit() or line[end - 1].text in (*CUTS, *".,;:-")):
        end -= 1
    cut = (
        [(0, len(line)), (start, len(line)), (0, end), (start, end)]
        if start < end
        else [(0, len(line))]
    )
    return [line[a:b] for a, b in dict.fromkeys(cut)]


def _split_list(words: Sequence[TextToken]) -> list[list[TextToken]]:
    """Split a list in one line into its items: "Attack · Thwart"; [] if it is none."""
    there = set(_texts(words))
    return next(
        (
            items
            for sign in "·•|/;,-"
            if sign in there and len(items := _split_at(words, (sign,))) > 1
        ),
        [],
    )


def _alterations(
    text: str, words: Sequence[TextToken], occurrence: Occurrence
) -> tuple[Alteration, ...]:
    """Return the alterations that turn the printed words of ``occurrence`` into ``words`` of
    ``text``.
    """
    printed_text, printed_words = occurrence.text.text, occurrence.tokens
    alterations = []
    steps = Levenshtein.opcodes(_texts(printed_words), _texts(words))
    for equal, group in groupby(steps, key=lambda step: step.tag == "equal"):
        if equal:
            continue
        changed = list(group)
        printed = printed_words[changed[0].src_start : changed[-1].src_end]
        given = words[changed[0].dest_start : changed[-1].dest_end]
        end_before = (
            words[changed[0].dest_start - 1].end if changed[0].dest_start else words[0].start
        )
        span = Span(given[0].start, given[-1].end) if given else Span(end_before, end_before)
        alterations.append(
            Alteration(
                kind=AlterationKind.REPLACED
                if printed and given
                else AlterationKind.INSERTED
                if given
                else AlterationKind.LEFT_OUT,
                given=text[span.start : span.end],
                printed=printed_text[printed[0].start : printed[-1].end] if printed else "",
                span=span,
            )
        )
    return tuple(alterations)
