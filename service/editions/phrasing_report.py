"""Lists of passages without phrasings, and of phrasings whose passage is gone or reworded, for who maintains phrasings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from corpus.model import Passage, Rulebook
from glossary.comparison.rewording import ChangedPhrasings, TextRun, diff_words
from glossary.phrasings import PassagePhrasings, attach_phrasings, fingerprint, load_phrasings, load_with_sister_editions
from glossary.phrasings.model import TieEvidence

_SHOWN_CHARACTERS = 60  # characters of a passage in a line
_SHOWN_PHRASINGS = 3  # of a passage, on a terminal


def missing_phrasings(rulebooks: Iterable[Rulebook]) -> Iterator[Passage]:
    """Yield the passages of ``rulebooks`` that can settle a question and have no phrasings, in document order."""
    for rulebook in rulebooks:
        yield from attach_phrasings(load_with_sister_editions(rulebook.edition), rulebook.passages).missing


def missing_line(passage: Passage) -> str:
    """Return a passage in one line: fingerprint, line, id, its first words."""
    return f'"{fingerprint(passage.text)}"  {passage.lines.first:>6}  {passage.id}  {" ".join(passage.display[:_SHOWN_CHARACTERS].split())}'


def missing_json(passage: Passage) -> dict[str, Any]:
    """Return a passage for programs that write phrasings; ``fingerprint`` and ``at`` are what the YAML file needs."""
    return {
        "fingerprint": fingerprint(passage.text),
        "at": passage.id.partition("/")[2],
        "edition": passage.entry.partition("/")[0],
        "lines": list(passage.lines),
        "display": passage.display,
    }


def orphaned_phrasings(rulebooks: Iterable[Rulebook]) -> Iterator[tuple[str, PassagePhrasings]]:
    """Yield the phrasings of the editions of ``rulebooks`` that fit no passage, each with the id of its edition."""
    for rulebook in rulebooks:
        if rulebook.edition.known:
            for phrasings in attach_phrasings(load_phrasings(rulebook.edition.id), rulebook.passages).orphaned:
                yield rulebook.edition.id, phrasings


def orphaned_line(edition: str, phrasings: PassagePhrasings) -> str:
    """Return phrasings in one line: fingerprint, where their passage stood, the first of them."""
    first = next(iter((*phrasings.players, *phrasings.situations, phrasings.gist)), "")
    return f'"{phrasings.fingerprint}"  {edition}/{phrasings.at}  {first}'


def orphaned_json(edition: str, phrasings: PassagePhrasings) -> dict[str, Any]:
    """Return phrasings with all their fields."""
    return {
        "fingerprint": phrasings.fingerprint,
        "at": phrasings.at,
        "edition": edition,
        "players": list(phrasings.players),
        "situations": list(phrasings.situations),
        "gist": phrasings.gist,
        "situations_en": list(phrasings.situations_en),
    }


def changed_json(each: ChangedPhrasings) -> dict[str, Any]:
    """Return it with both texts and all phrasings."""
    phrasings = each.tie.phrasings
    return {
        "fingerprint": phrasings.fingerprint,
        "at": phrasings.at,
        "edition": each.edition.id,
        "passage": each.passage.id,
        "lines": list(each.passage.lines),
        "evidence": each.tie.evidence.value,
        "share": each.tie.share,
        "changes": [kind.value for kind in each.changes],
        "old": each.old.display if each.old else None,
        "new": each.passage.display,
        "new_fingerprint": fingerprint(each.passage.text),
        "phrasings": [{"text": text, "language": language} for text, language in phrasings.all(each.edition.language)],
    }


def changed_text(each: ChangedPhrasings) -> str:
    """Return it for a terminal: where, what changed, the old text above the new one with changed words in brackets, some phrasings."""
    phrasings = each.tie.phrasings
    if each.old is None:
        what = "the old text is not here"
        texts = [("new", each.passage.display)]
    else:
        what = ", ".join(kind.value for kind in each.changes) or "reworded"
        texts = list(zip(("old", "new"), map(_bracketed, diff_words(each.old.display, each.passage.display)), strict=True))
    if each.tie.evidence is TieEvidence.PLACE:
        what += "; tied by its place alone"
    lines = [f'"{phrasings.fingerprint}"  {each.passage.lines.first:>6}  {each.passage.id} (was {phrasings.at}): {what}']
    lines += [f"    {name}  {' '.join(text.split())}" for name, text in texts]
    said = [text for text, _ in phrasings.all(each.edition.language)]
    lines += [f"         ? {text}" for text in said[:_SHOWN_PHRASINGS]]
    return "\n".join(lines + ([f"         … and {len(said) - _SHOWN_PHRASINGS} more"] if len(said) > _SHOWN_PHRASINGS else []))


def _bracketed(runs: Sequence[TextRun]) -> str:
    return "".join(f"[{run.text}]" if run.changed else run.text for run in runs)
