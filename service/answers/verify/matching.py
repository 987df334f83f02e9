"""One quotation matched with everything that is printed: where its words stand, or how they differ from the nearest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice

from rapidfuzz.distance import Levenshtein

from corpus.model import Span
from service.answers.verify.text_index import Occurrence, TextIndex
from service.answers.verify.tokens import CUT, TextToken
from service.schemas.verify import AlterationKind, QuotationStatus

LEAST_WORDS = 3  # fewer words are a name or a term, which is looked up and never called altered

_MOST_CHAINS = 10  # chains of occurrences that are followed at the same time
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
    """What a quotation is, and the printed words that it is, or is nearest to, in its order.

    ``others`` are further occurrences of the whole quotation; ``cut`` says that it shows by […] that something is left out.
    """

    status: QuotationStatus
    occurrences: tuple[Occurrence, ...] = ()
    others: tuple[Occurrence, ...] = ()
    alterations: tuple[Alteration, ...] = ()
    cut: bool = False


_NOT_PRINTED = QuotationMatch(QuotationStatus.UNSUPPORTED)


def match_quotation(index: TextIndex, text: str, quoted: Sequence[TextToken], preferred: Collection[str]) -> QuotationMatch:
    """Match the words ``quoted`` from ``text``; of equal occurrences one in a passage with one of the ``preferred`` ids is taken.

    A quotation is exact where it is a run of words of one passage, in its text or display, as `.tokens` compares them; several such
    runs of one entry in the order of print with […] between them; or whole passages that follow each other, each beginning a line.
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
    """Return the words without marks around the whole, a comma, semicolon or colon at the end, and signs of cuts at both ends."""
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
    """Match words that are printed exactly so, where ``entries`` are named in one of these; None where they are not."""
    occurrences = index.find_exact(_texts(words), preferred, entries)
    if not occurrences:
        return None
    first = occurrences[0]
    others = {each.passage.id: each for each in occurrences if each.passage.id != first.passage.id}
    return QuotationMatch(QuotationStatus.EXACT, (first,), tuple(others.values()))


def _texts(words: Iterable[TextToken]) -> list[str]:
    return [word.text for word in words]


def _split_at(words: Sequence[TextToken], sign: str) -> list[list[TextToken]]:
    """Return the runs of words between the signs of a cut."""
    parts: list[list[TextToken]] = [[]]
    for word in words:
        if word.text == sign:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _match_run(index: TextIndex, text: str, words: Sequence[TextToken], preferred: Collection[str]) -> QuotationMatch:
    """Match a run of words without cuts: exact, similar to something printed, or printed nowhere."""
    if exact := _exact(index, words, preferred):
        return exact
    if sum(word.is_word for word in words) < LEAST_WORDS:
        return _NOT_PRINTED
    nearest = index.find_nearest(_texts(words), preferred)
    if nearest is None:
        return _NOT_PRINTED
    alterations = _alterations(text, words, nearest.occurrence)
    return QuotationMatch(QuotationStatus.ALTERED, (nearest.occurrence,), alterations=alterations)


def _match_parts(index: TextIndex, text: str, parts: Sequence[Sequence[TextToken]], preferred: Collection[str]) -> QuotationMatch:
    """Match runs of words with cuts between them as one quotation: of one entry, in the order of print."""
    longest = max(parts, key=len)
    entries = [occurrence.passage.entry for occurrence in index.find_exact(_texts(longest), preferred)]
    matches = [_exact(index, part, preferred, entries) or _match_run(index, text, part, preferred) for part in parts]
    alterations = [alteration for match in matches for alteration in match.alterations]
    if any(match.status is QuotationStatus.UNSUPPORTED for match in matches):
        occurrences = tuple(occurrence for match in matches for occurrence in match.occurrences)
        return QuotationMatch(QuotationStatus.UNSUPPORTED, occurrences, alterations=tuple(alterations))
    chains: list[tuple[Occurrence, ...]] = [(each,) for each in _all_occurrences(matches[0])[:_MOST_CHAINS]]
    for match, before, after in zip(matches[1:], parts, parts[1:], strict=False):
        choices = _all_occurrences(match)
        continued = ((*chain, each) for chain in chains for each in choices if _in_order(chain[-1], each))
        longer = list(islice(continued, _MOST_CHAINS))
        if not longer:
            span = Span(before[-1].end, after[0].start)
            alterations.append(Alteration(kind=AlterationKind.JOINED, given=text[span.start : span.end].strip(), printed="", span=span))
            longer = [(*chains[0], each) for each in choices[:_MOST_CHAINS]]
        chains = longer
    status = QuotationStatus.ALTERED if alterations else QuotationStatus.EXACT
    return QuotationMatch(status, chains[0], alterations=tuple(alterations))


def _all_occurrences(match: QuotationMatch) -> tuple[Occurrence, ...]:
    return (*match.occurrences, *match.others)


def _in_order(one: Occurrence, other: Occurrence) -> bool:
    """Return whether ``other`` is printed behind ``one`` in the same entry."""
    if one.passage.id == other.passage.id:
        return one.text.is_display != other.text.is_display or other.start >= one.end
    return one.passage.entry == other.passage.entry and one.passage.ordinal < other.passage.ordinal


def _split_lines(text: str, words: Sequence[TextToken]) -> list[list[TextToken]]:
    """Return the words of each line of ``text``; lines without any are left out."""
    lines: list[list[TextToken]] = []
    last = 0
    for word in words:
        if not lines or text.find("\n", last, word.start) >= 0:
            lines.append([])
        lines[-1].append(word)
        last = word.end
    return lines


def _match_lines(index: TextIndex, lines: Sequence[Sequence[TextToken]], preferred: Collection[str]) -> QuotationMatch | None:
    """Match lines as passages that follow each other in print; None where they do not."""
    chains: list[tuple[Occurrence, ...]] = []
    start = 0
    while start < len(lines):
        entries = {chain[-1].passage.entry for chain in chains}
        for end in range(len(lines), start, -1):
            occurrences = index.find_exact(_texts(word for line in lines[start:end] for word in line), preferred, entries)
            longer = [(*chain, each) for chain in chains or [()] for each in occurrences if not chain or chain[-1].continues_in(each)]
            if longer:
                chains, start = longer[:_MOST_CHAINS], end
                break
        else:
            return None
    return QuotationMatch(QuotationStatus.EXACT, chains[0])


def _alterations(text: str, words: Sequence[TextToken], occurrence: Occurrence) -> tuple[Alteration, ...]:
    """Return what turns the printed words of ``occurrence`` into ``words``, which stand in ``text``."""
    printed_text, printed_words = occurrence.text.text, occurrence.tokens
    alterations = []
    steps = Levenshtein.opcodes(_texts(printed_words), _texts(words))
    for equal, group in groupby(steps, key=lambda step: step.tag == "equal"):
        if equal:
            continue
        changed = list(group)
        printed = printed_words[changed[0].src_start : changed[-1].src_end]
        given = words[changed[0].dest_start : changed[-1].dest_end]
        end_before = words[changed[0].dest_start - 1].end if changed[0].dest_start else words[0].start
        span = Span(given[0].start, given[-1].end) if given else Span(end_before, end_before)
        alterations.append(
            Alteration(
                kind=AlterationKind.REPLACED if printed and given else AlterationKind.INSERTED if given else AlterationKind.LEFT_OUT,
                given=text[span.start : span.end],
                printed=printed_text[printed[0].start : printed[-1].end] if printed else "",
                span=span,
            )
        )
    return tuple(alterations)
