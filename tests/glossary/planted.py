"""Plant differences in translations (a changed number, a replaced term, a dropped condition), and
count how many are found.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from corpus.languages import get_language
from corpus.model import Passage
from glossary import normalization
from glossary.comparison import EditionComparison, compare_editions
from glossary.comparison.passage_similarity import edition_name_finder
from glossary.concepts import Concept, load_concepts
from glossary.matching.printed_ties import tie_topics
from index.library.library import Library

KINDS = ("numbers", "terms", "conditions")


class PlantedDifference(NamedTuple):
    """The altered ``passage`` of the right edition: ``words`` are removed or replaced, ``kind`` is
    the expected kind of QA warning.
    """

    passage: Passage
    kind: str
    words: str


class FoundDifferences(NamedTuple):
    """Counts by kind: planted differences, those with a likely QA warning, and those with any."""

    planted: Counter[str]
    likely: Counter[str]
    any: Counter[str]


def plant(
    library: Library, before: EditionComparison, number: int, seed: int = 1
) -> FoundDifferences:
    """Plant ``number`` differences of each kind in the right edition, each in a different passage,
    and count how many a comparison shows in addition to ``before``.

    Only words that the aligned passage also has are altered, so that both sides agreed before.
    """
    planted = _planted(library, before, number, seed)
    after = _compared_again(library, before, {each.passage.id: each.passage for each in planted})
    rows = [_hints_by_passage(comparison) for comparison in (before, after)]
    found = FoundDifferences(Counter(), Counter(), Counter())
    for each in planted:
        found.planted[each.kind] += 1
        was, now = (hints.get(each.passage.id, (Counter(), Counter())) for hints in rows)
        found.likely[each.kind] += bool(now[0][each.kind] > was[0][each.kind])
        both = (
            now[0][each.kind] > was[0][each.kind]
            or now[0][each.kind] + now[1][each.kind] > was[0][each.kind] + was[1][each.kind]
        )
        found.any[each.kind] += both
    return found


def _compared_again(
    library: Library, before: EditionComparison, altered: dict[str, Passage]
) -> EditionComparison:
    books: dict[str, Any] = {b.edition.id: b for b in library.rulebooks}
    one, other = books[before.left.id], books[before.right.id]
    changed = other._replace(passages=tuple(altered.get(p.id, p) for p in other.passages))
    game = one.edition.game
    return compare_editions(
        one,
        changed,
        library.concepts,
        library.references_of,
        load_concepts(game),
        tie_topics((one, other)),
    )


def _hints_by_passage(
    comparison: EditionComparison,
) -> dict[str, tuple[Counter[str], Counter[str]]]:
    """Return, by passage of the right edition, the numbers of likely and of doubtful warnings in
    its row, by kind.
    """
    found = {}
    for pair in comparison.pairs:
        for row in pair.rows:
            counts: list[Counter[str]] = []
            for differences in (row.differences, row.doubtful):
                counts.append(Counter())
                for each in differences:
                    counts[-1][each.kind.value.replace("false-friends", "terms")] += len(
                        each.left
                    ) + len(each.right)
            found.update({p.id: (counts[0], counts[1]) for p in row.right})
    return found


def _planted(
    library: Library, comparison: EditionComparison, number: int, seed: int
) -> list[PlantedDifference]:
    chance = random.Random(seed)
    rows = [
        row
        for pair in comparison.pairs
        for row in pair.rows
        if len(row.left) == len(row.right) == 1
    ]
    chance.shuffle(rows)
    books: dict[str, Any] = {b.edition.id: b for b in library.rulebooks}
    concepts = load_concepts(comparison.left.game)
    finders = [
        edition_name_finder(books[e.id], concepts, library.concepts)
        for e in (comparison.left, comparison.right)
    ]
    wanted = Counter(dict.fromkeys(KINDS, number))
    found: list[PlantedDifference] = []
    for row in rows:
        here, there = row.left[0], row.right[0]
        for kind in sorted(KINDS, key=lambda kind: -wanted[kind]):
            if wanted[kind] and (
                altered := _altered(kind, here, there, comparison, finders, concepts, chance)
            ):
                text, words = altered
                found.append(
                    PlantedDifference(replace(there, text=text, display=text), kind, words)
                )
                wanted[kind] -= 1
                break
    return found


def _altered(
    kind: str,
    here: Passage,
    there: Passage,
    comparison: EditionComparison,
    finders: Any,
    concepts: Iterable[Concept],
    chance: random.Random,
) -> tuple[str, str] | None:
    """Return the display of ``there`` with one new difference of a kind to ``here``, and the
    removed words; None where none is possible.
    """
    languages = comparison.left.language, comparison.right.language
    text = there.display
    places = list(
        {
            "numbers": lambda: _numbers(here.display, text, languages),
            "terms": lambda: _terms(here.display, text, finders, concepts, chance),
            "conditions": lambda: _conditions(here.display, text, languages),
        }[kind]()
    )
    if not places:
        return None
    start, end, new = chance.choice(places)
    return re.sub(r" {2,}", " ", text[:start] + new + text[end:]), text[start:end]


def _numbers(here: str, text: str, languages: tuple[str, str]) -> Iterator[tuple[int, int, str]]:
    """Yield numbers from 2 on that both texts have, in figures or words, each with the next number
    in figures.
    """
    values = [
        {
            **{word: n for n, word in enumerate(get_language(code).numbers.from_two, 2)},
            **{str(n): n for n in range(2, 20)},
        }
        for code in languages
    ]
    known = {values[0].get(normalization.fold(word.text)) for word in normalization.tokenize(here)}
    for word in normalization.tokenize(text):
        value = values[1].get(normalization.fold(word.text))
        if (
            value
            and value in known
            and word.text != "sei"
            and re.search(r"[^\W\d_] $", text[: word.start])
        ):
            yield word.start, word.end, str(value + 1)


def _terms(
    here: str, text: str, finders: Any, concepts: Iterable[Concept], chance: random.Random
) -> Iterator[tuple[int, int, str]]:
    """Yield terms that both texts name once, each with the name of a term that neither has."""
    named = [
        {c for use in finder.find(normalization.tokenize(t)) for c, _ in use.concepts}
        for finder, t in zip(finders, (here, text), strict=True)
    ]
    tokens = normalization.tokenize(text)
    uses = list(finders[1].find(tokens))
    language = finders[1].language
    others = sorted(
        c.id
        for c in concepts
        if c.id not in named[0] | named[1]
        and not c.ordinary
        and c.names.get(language)
        and c.entries
    )
    names = {c.id: c.names[language][0] for c in concepts if c.names.get(language)}
    for use in uses:
        ids = {c for c, _ in use.concepts}
        if (
            ids & named[0]
            and not ids & finders[1].ordinary
            and sum(bool(ids & {c for c, _ in other.concepts}) for other in uses) == 1
        ):
            yield (
                tokens[use.first].start,
                tokens[use.last - 1].end,
                names[chance.choice(others)].lower(),
            )


def _conditions(here: str, text: str, languages: tuple[str, str]) -> Iterator[tuple[int, int, str]]:
    """Yield conditions of one word that both texts have, each with an empty replacement."""
    words = [get_language(code).card_conditions for code in languages]
    for name in (
        "only",
        "may",
        "until",
        "unless",
        "once",
        "instead",
        "if",
        "when",
        "after",
        "before",
    ):
        if any(
            re.search(rf"\b(?:{pattern})\b", here, re.IGNORECASE)
            for pattern in words[0].get(name, ())
        ):
            for pattern in words[1].get(name, ()):
                yield from (
                    (m.start(), m.end(), "")
                    for m in re.finditer(rf"\b(?:{pattern})\b", text, re.IGNORECASE)
                )
