"""One quotation against everything that is printed: where its words stand, or in what they differ from the nearest."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice

from rapidfuzz.distance import Levenshtein

from corpus.model import Span
from service.answers.verify.text_index import Occurrence, TextIndex
from service.answers.verify.tokens import CUT, TextToken
from service.schemas.verify import AlterationKind, QuotationStatus

LEAST_WORDS = 3  # words: fewer are a name or a term, which is looked for and never called altered

_MOST_CHAINS = 10  # ways to go on that are followed from passage to passage
_MOST_LINES = 60  # lines of a quotation that are followed from passage to passage


@dataclass(frozen=True)
class Alteration:
    """What is ``given`` at ``span`` of the text where something else, or nothing, is ``printed``."""

    kind: AlterationKind
    given: str
    printed: str
    span: Span


@dataclass(frozen=True)
class QuotationMatch:
    """What a quotation is, and the runs of printed words that it is, or is nearest to, in its order.

    ``others`` are further places where all of it is printed; ``cut`` says that it shows by […] that something is left out.
    """

    status: QuotationStatus
    occurrences: tuple[Occurrence, ...] = ()
    others: tuple[Occurrence, ...] = ()
    alterations: tuple[Alteration, ...] = ()
    cut: bool = False


_NOT_PRINTED = QuotationMatch(QuotationStatus.UNSUPPORTED)


def match_quotation(index: TextIndex, text: str, quoted: Sequence[TextToken], preferred: Collection[str]) -> QuotationMatch:
    """What the words ``quoted`` from ``text`` are; of equal places one in a passage with one of the ``claimed`` ids.

    Exact is a run of one passage, in evidence or display, up to what `.tokens` passes over; several such runs of one entry
    in the order of print with […] between them; or whole passages that follow each other in print, each beginning a line.
    """
    words = _trim(quoted)
    cut = len(words) < len(_trim(quoted, cuts=False))
    if found := _exact(index, words, preferred):
        return replace(found, cut=cut)
    parts = _split_at(words, CUT)
    if len(parts) == 1:
        parts = _split_at(words, "…")
    if len(parts) > 1:
        return replace(_match_parts(index, text, parts, preferred), cut=True)
    lines = _split_lines(text, words)
    if 1 < len(lines) <= _MOST_LINES and (found := _match_lines(index, lines, preferred)):
        return replace(found, cut=cut)
    return replace(_match_run(index, text, words, preferred), cut=cut)


def _trim(quoted: Sequence[TextToken], cuts: bool = True) -> list[TextToken]:
    """Without marks around the whole, a comma, semicolon or colon at the end, and signs of cuts at both ends."""
    words = list(quoted)
    while len(words) > 1 and words[0].text == '"' and words[-1].text == '"':
        words = words[1:-1]
    while words and (words[-1].text in ",;:" or (cuts and words[-1].text in (CUT, "…"))):
        words.pop()
    while words and cuts and words[0].text in (CUT, "…"):
        words.pop(0)
    return words


def _exact(
    index: TextIndex, words: Sequence[TextToken], preferred: Collection[str], entries: Collection[str] = ()
) -> QuotationMatch | None:
    places = index.find_exact([word.text for word in words], preferred, entries)
    if not places:
        return None
    first = places[0]
    others = {place.passage.id: place for place in places if place.passage.id != first.passage.id}
    return QuotationMatch(QuotationStatus.EXACT, (first,), tuple(others.values()))


def _split_at(words: Sequence[TextToken], sign: str) -> list[list[TextToken]]:
    """The runs between the signs of a cut."""
    parts: list[list[TextToken]] = [[]]
    for word in words:
        if word.text == sign:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _match_run(index: TextIndex, text: str, words: Sequence[TextToken], preferred: Collection[str]) -> QuotationMatch:
    """A run without cuts: exact, near to something, or printed nowhere."""
    if found := _exact(index, words, preferred):
        return found
    if sum(word.is_word for word in words) < LEAST_WORDS:
        return _NOT_PRINTED
    near = index.find_nearest([word.text for word in words], preferred)
    if near is None:
        return _NOT_PRINTED
    return QuotationMatch(QuotationStatus.ALTERED, (near.occurrence,), alterations=_alterations(text, words, near.occurrence))


def _match_parts(index: TextIndex, text: str, parts: list[list[TextToken]], preferred: Collection[str]) -> QuotationMatch:
    """Runs with cuts between them as one quotation: of one entry, in the order of print."""
    longest = max(parts, key=len)
    anchors = [place.passage.entry for place in index.find_exact([word.text for word in longest], preferred)]
    found = [_exact(index, part, preferred, anchors) or _match_run(index, text, part, preferred) for part in parts]
    differences = [difference for each in found for difference in each.alterations]
    if any(each.status is QuotationStatus.UNSUPPORTED for each in found):
        return QuotationMatch(
            QuotationStatus.UNSUPPORTED, tuple(place for each in found for place in each.occurrences), alterations=tuple(differences)
        )
    chains: list[tuple[Occurrence, ...]] = [(place,) for place in (*found[0].occurrences, *found[0].others)[:_MOST_CHAINS]]
    for each, before, after in zip(found[1:], parts, parts[1:], strict=False):
        choices = (*each.occurrences, *each.others)
        longer = list(islice(((*chain, place) for chain in chains for place in choices if _in_order(chain[-1], place)), _MOST_CHAINS))
        if not longer:
            span = Span(before[-1].end, after[0].start)
            differences.append(Alteration(AlterationKind.JOINED, text[span.start : span.end].strip(), "", span))
            longer = [(*chains[0], place) for place in choices[:_MOST_CHAINS]]
        chains = longer
    return QuotationMatch(QuotationStatus.ALTERED if differences else QuotationStatus.EXACT, chains[0], alterations=tuple(differences))


def _in_order(one: Occurrence, other: Occurrence) -> bool:
    """Whether ``other`` is printed behind ``one`` in the same entry."""
    if one.passage.id == other.passage.id:
        return one.text.is_display != other.text.is_display or other.start >= one.end
    return one.passage.entry == other.passage.entry and one.passage.ordinal < other.passage.ordinal


def _split_lines(text: str, words: Sequence[TextToken]) -> list[list[TextToken]]:
    lines: list[list[TextToken]] = []
    last = 0
    for word in words:
        if not lines or text.find("\n", last, word.start) >= 0:
            lines.append([])
        lines[-1].append(word)
        last = word.end
    return lines


def _match_lines(index: TextIndex, lines: Sequence[Sequence[TextToken]], preferred: Collection[str]) -> QuotationMatch | None:
    """Lines as passages that follow each other in print; None where they do not."""
    chains: list[tuple[Occurrence, ...]] = []
    at = 0
    while at < len(lines):
        for end in range(len(lines), at, -1):
            places = index.find_exact(
                [word.text for line in lines[at:end] for word in line], preferred, {chain[-1].passage.entry for chain in chains}
            )
            longer = [(*chain, place) for chain in chains or [()] for place in places if not chain or chain[-1].continues_in(place)]
            if longer:
                chains, at = longer[:_MOST_CHAINS], end
                break
        else:
            return None
    return QuotationMatch(QuotationStatus.EXACT, chains[0])


def _alterations(text: str, words: Sequence[TextToken], place: Occurrence) -> tuple[Alteration, ...]:
    """What has to be done to the printed words of ``place`` to get ``words``."""
    there = place.text.text
    run = place.tokens
    steps = Levenshtein.opcodes([word.text for word in run], [word.text for word in words])
    found = []
    for equal, group in groupby(steps, key=lambda step: step.tag == "equal"):
        if equal:
            continue
        changed = list(group)
        was, given = run[changed[0].src_start : changed[-1].src_end], words[changed[0].dest_start : changed[-1].dest_end]
        change = AlterationKind.REPLACED if was and given else AlterationKind.INSERTED if given else AlterationKind.LEFT_OUT
        after = words[changed[0].dest_start - 1].end if changed[0].dest_start else words[0].start
        span = Span(given[0].start, given[-1].end) if given else Span(after, after)
        there_printed = there[was[0].start : was[-1].end] if was else ""
        found.append(Alteration(change, text[span.start : span.end], there_printed, span))
    return tuple(found)
