"""What is known to be misprinted in a quoted passage: as it is meant, and what the check of the rulebook has found in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from corpus.cards.symbols import symbol_places
from corpus.model import Passage, Span
from glossary.check import Certainty, Finding, FindingKind
from index.library.library import Library
from service.core.repaired import RepairedRun, repaired_sentences

MOST_FINDINGS = 4  # of one passage; the page of its entry has all
# What changes how a passage reads even where nobody can tell what is meant.
_TELLING = frozenset([FindingKind.LOST, FindingKind.TORN])


@dataclass(frozen=True)
class Misprints:
    """``repaired`` are the sentences of a passage with something restored in them, as they are meant; ``findings`` are all others in it."""

    repaired: list[tuple[RepairedRun, ...]]
    findings: tuple[Finding, ...]


def known_misprints(library: Library, passage: Passage, findings: Mapping[str, Sequence[Finding]]) -> Misprints | None:
    """Return what is misprinted in ``passage``, None where nothing is known; ``findings`` are those of its edition and of others."""
    entry = library.entry[passage.entry]
    game = library.edition[entry.edition].game
    language = library.edition[entry.edition].language
    repaired = [tuple(_named(run, game, language) for run in sentence) for sentence in repaired_sentences(library, passage)]
    touching = tuple(_touching(library, passage, findings.get(entry.edition, ())))
    return Misprints(repaired, touching[:MOST_FINDINGS]) if repaired or touching else None


def _named(run: RepairedRun, game: str, language: str) -> RepairedRun:
    """Return ``run`` with what a symbol is called where the notes have what a database of cards writes for it."""
    if not run.restored:
        return run
    text, last = "", 0
    for place in symbol_places(run.text, game):
        text += f"{run.text[last : place.start]}[{place.symbol.name(language)}]"
        last = place.end
    return run._replace(text=text + run.text[last:])


def _touching(library: Library, passage: Passage, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield those of ``findings`` that are likely and printed in ``passage``, without those that are repaired already."""
    restored = [Span(sign.start, sign.end) for sign in library.restored.get(passage.id, ())]
    first, last = passage.lines
    for finding in findings:
        likely = finding.certainty is not Certainty.POSSIBLE and (finding.meant or finding.kind in _TELLING)
        if not likely or finding.line is None or not first <= finding.line <= last:
            continue
        place = _place(finding.printed, passage.text)
        if place and not any(sign.start < place.end and place.start < sign.end for sign in restored):
            yield finding


def _place(printed: str, text: str) -> Span | None:
    """Return where ``text`` has what a finding calls ``printed``: "[ ]" stands for what is lost, "…" for what is cut off."""
    words = [".*?" if word == "[ ]" else re.escape(word) for word in re.findall(r"\[ \]|\S+", printed.strip("…"))]
    match = re.search(r"\s*".join(words), text, re.DOTALL) if words else None
    return Span(*match.span()) if match else None
