"""One quotation against everything that is printed: where its words stand, or in what they differ from the nearest."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice

from rapidfuzz.distance import Levenshtein

from corpus.model import Span
from service.answers.verify.text_index import Occurrence, TextIndex
from service.answers.verify.tokens import CUT, Token
from service.schemas.verify import AlterationKind, QuotationStatus

LEAST_WORDS = 3  # words: fewer are a name or a term, which is looked for and never called altered

_CHAINS = 10  # ways to go on that are followed from passage to passage
_LINES = 60  # lines of a quotation that are followed from passage to passage


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


_NOWHERE = QuotationMatch(QuotationStatus.UNSUPPORTED)


def match_quotation(printed: TextIndex, text: str, quoted: Sequence[Token], claimed: Collection[str]) -> QuotationMatch:
    """What the words ``quoted`` from ``text`` are; of equal places one in a passage with one of the ``claimed`` ids.

    Exact is a run of one passage, in evidence or display, up to what `.tokens` passes over; several such runs of one entry
    in the order of print with […] between them; or whole passages that follow each other in print, each beginning a line.
    """
    words = _trimmed(quoted)
    cut = len(words) < len(_trimmed(quoted, cuts=False))
    if found := _exact(printed, words, claimed):
        return replace(found, cut=cut)
    parts = _parts(words, CUT)
    if len(parts) == 1:
        parts = _parts(words, "…")
    if len(parts) > 1:
        return replace(_match_parts(printed, text, parts, claimed), cut=True)
    lines = _lines(text, words)
    if 1 < len(lines) <= _LINES and (found := _match_lines(printed, lines, claimed)):
        return replace(found, cut=cut)
    return replace(_match_run(printed, text, words, claimed), cut=cut)


def _trimmed(quoted: Sequence[Token], cuts: bool = True) -> list[Token]:
    """Without marks around the whole, a comma, semicolon or colon at the end, and signs of cuts at both ends."""
    words = list(quoted)
    while len(words) > 1 and words[0].text == '"' and words[-1].text == '"':
        words = words[1:-1]
    while words and (words[-1].text in ",;:" or (cuts and words[-1].text in (CUT, "…"))):
        words.pop()
    while words and cuts and words[0].text in (CUT, "…"):
        words.pop(0)
    return words


def _exact(printed: TextIndex, words: Sequence[Token], claimed: Collection[str], entries: Collection[str] = ()) -> QuotationMatch | None:
    places = printed.find_exact([word.text for word in words], claimed, entries)
    if not places:
        return None
    first = places[0]
    others = {place.passage.id: place for place in places if place.passage.id != first.passage.id}
    return QuotationMatch(QuotationStatus.EXACT, (first,), tuple(others.values()))


def _parts(words: Sequence[Token], sign: str) -> list[list[Token]]:
    """The runs between the signs of a cut."""
    parts: list[list[Token]] = [[]]
    for word in words:
        if word.text == sign:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _match_run(printed: TextIndex, text: str, words: Sequence[Token], claimed: Collection[str]) -> QuotationMatch:
    """A run without cuts: exact, near to something, or printed nowhere."""
    if found := _exact(printed, words, claimed):
        return found
    if sum(word.is_word for word in words) < LEAST_WORDS:
        return _NOWHERE
    near = printed.find_nearest([word.text for word in words], claimed)
    if near is None:
        return _NOWHERE
    return QuotationMatch(QuotationStatus.ALTERED, (near.occurrence,), alterations=_alterations(text, words, near.occurrence))


def _match_parts(printed: TextIndex, text: str, parts: list[list[Token]], claimed: Collection[str]) -> QuotationMatch:
    """Runs with cuts between them as one quotation: of one entry, in the order of print."""
    longest = max(parts, key=len)
    anchors = [place.passage.entry for place in printed.find_exact([word.text for word in longest], claimed)]
    found = [_exact(printed, part, claimed, anchors) or _match_run(printed, text, part, claimed) for part in parts]
    differences = [difference for each in found for difference in each.alterations]
    if any(each.status is QuotationStatus.UNSUPPORTED for each in found):
        return QuotationMatch(
            QuotationStatus.UNSUPPORTED, tuple(place for each in found for place in each.occurrences), alterations=tuple(differences)
        )
    chains: list[tuple[Occurrence, ...]] = [(place,) for place in (*found[0].occurrences, *found[0].others)[:_CHAINS]]
    for each, before, after in zip(found[1:], parts, parts[1:], strict=False):
        choices = (*each.occurrences, *each.others)
        longer = list(islice(((*chain, place) for chain in chains for place in choices if _in_order(chain[-1], place)), _CHAINS))
        if not longer:
            span = Span(before[-1].end, after[0].start)
            differences.append(Alteration(AlterationKind.JOINED, text[span.start : span.end].strip(), "", span))
            longer = [(*chains[0], place) for place in choices[:_CHAINS]]
        chains = longer
    return QuotationMatch(QuotationStatus.ALTERED if differences else QuotationStatus.EXACT, chains[0], alterations=tuple(differences))


def _in_order(one: Occurrence, other: Occurrence) -> bool:
    """Whether ``other`` is printed behind ``one`` in the same entry."""
    if one.passage.id == other.passage.id:
        return one.text.is_display != other.text.is_display or other.start >= one.end
    return one.passage.entry == other.passage.entry and one.passage.ordinal < other.passage.ordinal


def _lines(text: str, words: Sequence[Token]) -> list[list[Token]]:
    lines: list[list[Token]] = []
    last = 0
    for word in words:
        if not lines or text.find("\n", last, word.start) >= 0:
            lines.append([])
        lines[-1].append(word)
        last = word.end
    return lines


def _match_lines(printed: TextIndex, lines: Sequence[Sequence[Token]], claimed: Collection[str]) -> QuotationMatch | None:
    """Lines as passages that follow each other in print; None where they do not."""
    chains: list[tuple[Occurrence, ...]] = []
    at = 0
    while at < len(lines):
        for end in range(len(lines), at, -1):
            places = printed.find_exact(
                [word.text for line in lines[at:end] for word in line], claimed, {chain[-1].passage.entry for chain in chains}
            )
            longer = [(*chain, place) for chain in chains or [()] for place in places if not chain or chain[-1].continues_in(place)]
            if longer:
                chains, at = longer[:_CHAINS], end
                break
        else:
            return None
    return QuotationMatch(QuotationStatus.EXACT, chains[0])


def _alterations(text: str, words: Sequence[Token], place: Occurrence) -> tuple[Alteration, ...]:
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
