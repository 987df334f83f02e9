"""Query variants: list the passages that lack them, and add new ones to a file without changing the
others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from corpus.model import Passage, Rulebook
from glossary.comparison.rewording import ChangedPhrasings, TextRun, diff_words
from glossary.query_variants import (
    PassageVariants,
    attach_query_variants,
    fingerprint,
    load_query_variants,
    load_with_sister_editions,
    wording,
)
from glossary.query_variants.model import AlignmentEvidence
from service.editions.yaml_edits import extended, loaded

PHRASINGS_HEADER = """\
# What players type for each passage, which is named by a fingerprint of its words; `at` says where
# it stood. `drafted` names the model that proposed it: correct or delete what is bad. `review` says
# which texts somebody should look at, and why. A passage with nothing but its place says nothing
# that one could ask about.
"""
_SHOWN_CHARACTERS = 60  # characters of a passage in a line
_SHOWN_PHRASINGS = 3  # of a passage, on a terminal


@dataclass(frozen=True)
class NewVariants:
    """Query variants for ``passage``: ``players`` and ``situations`` in the rulebook's language,
    ``gist`` in English, ``others`` by language; ``review`` says why a text should be checked.
    """

    passage: Passage
    players: Sequence[str] = ()
    situations: Sequence[str] = ()
    gist: str = ""
    others: Mapping[str, Sequence[str]] = field(default_factory=dict)
    drafted: str = ""
    review: Mapping[str, str] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """The name of its block in the file."""
        return fingerprint(self.passage.text)

    def fields(self) -> dict[str, Any]:
        """Return the fields of its block in the file."""
        fields = {
            "at": self.passage.id.partition("/")[2],
            "wording": wording.written(wording.wording(self.passage.text)),
            "drafted": self.drafted,
            "players": list(self.players),
            "situations": list(self.situations),
            "gist": self.gist,
            "others": {language: list(texts) for language, texts in self.others.items() if texts},
            "review": dict(self.review),
        }
        return {name: value for name, value in fields.items() if value}


def with_phrasings(text: str, additions: Iterable[NewVariants]) -> str:
    """Return ``text``, the content of a file, with ``additions`` in existing blocks or, for other
    passages, in new ones. Raises `CannotEdit`.
    """
    there = loaded(text) or {}
    added = {each.fingerprint: each.fields() for each in additions}
    for name in added.keys() & there.keys():
        named = ("players", "others", "review")
        added[name] = {field: added[name][field] for field in named if field in added[name]}
    return extended(text, added, PHRASINGS_HEADER)


def with_drafts(text: str, drafts: Iterable[NewVariants]) -> str:
    """Return ``text`` with ``drafts`` for passages without a block in it. Raises `CannotEdit`."""
    there = loaded(text) or {}
    return with_phrasings(text, [draft for draft in drafts if draft.fingerprint not in there])


def missing_phrasings(rulebooks: Iterable[Rulebook]) -> Iterator[Passage]:
    """Yield the passages that can settle a question and have no query variants."""
    for rulebook in rulebooks:
        known = load_with_sister_editions(rulebook.edition)
        yield from attach_query_variants(known, rulebook.passages).missing


def missing_line(passage: Passage) -> str:
    """Return a passage in one line: fingerprint, line, id, its first words."""
    words = " ".join(passage.display[:_SHOWN_CHARACTERS].split())
    return f'"{fingerprint(passage.text)}"  {passage.lines.first:>6}  {passage.id}  {words}'


def missing_json(passage: Passage) -> dict[str, Any]:
    """Return a passage as JSON; files of variants need its ``fingerprint`` and ``at``."""
    return {
        "fingerprint": fingerprint(passage.text),
        "at": passage.id.partition("/")[2],
        "edition": passage.entry.partition("/")[0],
        "lines": list(passage.lines),
        "display": passage.display,
    }


def orphaned_phrasings(rulebooks: Iterable[Rulebook]) -> Iterator[tuple[str, PassageVariants]]:
    """Yield the query variants that match no passage of ``rulebooks``, each with the id of its
    edition.
    """
    for book in rulebooks:
        if book.edition.known:
            own = load_query_variants(book.edition.id)
            for phrasings in attach_query_variants(own, book.passages).orphaned:
                yield book.edition.id, phrasings


def orphaned_line(edition: str, phrasings: PassageVariants) -> str:
    """Return query variants in one line: fingerprint, former place of their passage, first
    variant.
    """
    first = next(iter((*phrasings.players, *phrasings.situations, phrasings.gist)), "")
    return f'"{phrasings.fingerprint}"  {edition}/{phrasings.at}  {first}'


def orphaned_json(edition: str, phrasings: PassageVariants) -> dict[str, Any]:
    """Return query variants for programs."""
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
    """Return both texts of a reworded passage and all query variants."""
    phrasings = each.tie.variants
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
        "phrasings": [variant._asdict() for variant in phrasings.all(each.edition.language)],
    }


def changed_text(each: ChangedPhrasings) -> str:
    """Return old and new text for a terminal, changed words in brackets, and some variants."""
    phrasings = each.tie.variants
    if each.old is None:
        what, texts = "the old text is not here", {"new": each.passage.display}
    else:
        what = ", ".join(each.changes) or "reworded"
        old, new = diff_words(each.old.display, each.passage.display)
        texts = {"old": _bracketed(old), "new": _bracketed(new)}
    if each.tie.evidence is AlignmentEvidence.PLACE:
        what += "; tied by its place alone"
    where = f"{each.passage.lines.first:>6}  {each.passage.id} (was {phrasings.at})"
    said = [text for text, _ in phrasings.all(each.edition.language)]
    lines = [f'"{phrasings.fingerprint}"  {where}: {what}']
    lines += [f"    {name}  {' '.join(text.split())}" for name, text in texts.items()]
    lines += [f"         ? {text}" for text in said[:_SHOWN_PHRASINGS]]
    if len(said) > _SHOWN_PHRASINGS:
        lines.append(f"         … and {len(said) - _SHOWN_PHRASINGS} more")
    return "\n".join(lines)


def _bracketed(runs: Sequence[TextRun]) -> str:
    return "".join(f"[{run.text}]" if run.changed else run.text for run in runs)
