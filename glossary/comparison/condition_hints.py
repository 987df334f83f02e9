"""Which conditions a passage has and its translation has not ("only", "unless"), and how sure it is that one was added or lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from glossary.comparison.agreement import Agreement
from glossary.comparison.conditions import ConditionFinder, ConditionUse
from glossary.comparison.differences import JoinedPassages
from glossary.comparison.term_hints import LONGER, FacingRow

# Share of rows with a word for a condition whose other side has one too, for its absence to be likely one on a longer side, and on any.
LEAST_AGREEMENT = 0.85
STEADY = 0.95
STEADY_ROWS = 8  # that have such a word, at least
LEAST_DOUBTFUL = 0.75  # the share below which a word is not even a doubtful hint: it is idiom


class ConditionHints(NamedTuple):
    """The conditions that the left alone has, and those that the right alone has: likely ones, then doubtful ones."""

    likely: tuple[list[ConditionUse], list[ConditionUse]]
    doubtful: tuple[list[ConditionUse], list[ConditionUse]]


class ConditionComparison:
    """Compares the conditions of ``rows`` in two languages. What translators often say in other words is no likely difference."""

    def __init__(self, languages: tuple[str, str], rows: Sequence[FacingRow]):
        self._finders = [ConditionFinder(language) for language in languages]
        self._agreement = Agreement(1, 2)
        for row in rows:
            texts, uses = self._read(row)
            for side in (0, 1):
                alone = {_form(texts[side], use) for use in _alone(uses, side)}
                for form in {_form(texts[side], use) for use in uses[side]}:
                    self._agreement.add((side, form), form not in alone)

    def hints(self, row: FacingRow) -> ConditionHints:
        """The conditions of ``row`` that only one side has, with their places in its `JoinedPassages`."""
        texts, uses = self._read(row)
        found: tuple[list[list[ConditionUse]], ...] = ([[], []], [[], []])
        for side in (0, 1):
            longer = len(texts[side]) >= LONGER * len(texts[1 - side])
            for use in _alone(uses, side):
                key = side, _form(texts[side], use)
                share = self._agreement.share(key)
                steady = share >= STEADY and self._agreement.texts(key) >= STEADY_ROWS
                if share >= LEAST_DOUBTFUL:
                    found[not (steady or (longer and share >= LEAST_AGREEMENT))][side].append(use)
        return ConditionHints(*(tuple(sides) for sides in found))  # type: ignore[arg-type]

    def _read(self, row: FacingRow) -> tuple[list[str], list[list[ConditionUse]]]:
        texts = [JoinedPassages(side).text for side in row.passages]
        return texts, [finder.find(text) for finder, text in zip(self._finders, texts, strict=True)]


def _alone(uses: Sequence[Sequence[ConditionUse]], side: int) -> list[ConditionUse]:
    there = {meaning for use in uses[1 - side] for meaning in use.meanings}
    return [use for use in uses[side] if there.isdisjoint(use.meanings)]


def _form(text: str, use: ConditionUse) -> str:
    return text[use.span.start : use.span.end].casefold()
