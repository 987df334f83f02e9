"""Ties to other editions: those that seem to be missing, confirmed ones whose entries have nothing in common, learned product names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpus.layouts import LAYOUTS
from corpus.model import Entry, Rulebook
from corpus.titles import key
from glossary.check.model import Certainty, Finding, FindingKind, shorten
from glossary.concepts import load_concepts, tie_entries
from glossary.concepts.product_names import ProductName, ProductNames
from glossary.matching.tie_proposals import EntryComparer, doubtful_ties, propose_ties
from glossary.references import find as find_references

_Weighted = tuple[Entry, Entry, float]  # an entry of each of two editions, and how much speaks for a tie between them


class TieChecker:
    """Looks through the ties between editions. What there is between two of the ``rulebooks`` is worked out once, for both."""

    def __init__(self, rulebooks: Sequence[Rulebook]):
        self._rulebooks = rulebooks
        self._between: dict[tuple[str, str], tuple[list[_Weighted], list[_Weighted]]] = {}

    def find(self, rulebook: Rulebook) -> Iterator[Finding]:
        """Ties of ``rulebook`` to its sister editions that somebody should look at.

        A document of one entry is skipped: it is tied by its heading alone.
        """
        if LAYOUTS[rulebook.edition.layout].excerpt or not load_concepts(rulebook.edition.game):
            return
        for sister in self._rulebooks:
            same_game = sister is not rulebook and sister.edition.game == rulebook.edition.game
            if same_game and not LAYOUTS[sister.edition.layout].excerpt:
                left, right = (rulebook, sister) if rulebook.edition.id < sister.edition.id else (sister, rulebook)
                proposed, doubtful = self._compare(left, right)
                for one, other, weight in proposed:
                    mine, their = (one, other) if rulebook is left else (other, one)
                    why = f"seems to be about the same as {_place(their)} of {sister.edition.id}, and nobody has tied them; weight {weight}"
                    yield _finding(rulebook, mine, FindingKind.TIE_PROPOSED, their.title, Certainty.LIKELY, why)
                for one, other, weight in doubtful:
                    mine, their = (one, other) if rulebook is left else (other, one)
                    why = f"tied to {_place(their)} of {sister.edition.id}, and the two have next to nothing in common; weight {weight}"
                    yield _finding(rulebook, mine, FindingKind.TIE_DOUBTFUL, None, Certainty.POSSIBLE, why)

    def _compare(self, left: Rulebook, right: Rulebook) -> tuple[list[_Weighted], list[_Weighted]]:
        """Ties that seem to be missing and those that are doubtful."""
        pair = left.edition.id, right.edition.id
        if pair not in self._between:
            concepts = load_concepts(left.edition.game)
            tied = tie_entries(concepts, [left, right]).by_entry
            references = [*find_references(left, self._rulebooks), *find_references(right, self._rulebooks)]
            comparer = EntryComparer(left, right, references, tied, concepts)
            self._between[pair] = (
                [(p.entry, p.other, p.weight) for p in propose_ties(comparer, left, right, tied)],
                [(d.entry, d.other, d.weight) for d in doubtful_ties(comparer, left, right, tied)],
            )
        return self._between[pair]


def unconfirmed_products(rulebook: Rulebook, rulebooks: Sequence[Rulebook]) -> Iterator[Finding]:
    """Products that ``rulebook`` names and that were tied, by the cards in them, to a name in another language that nobody confirmed."""
    printed: dict[str, Entry] = {}
    for entry in rulebook.entries:
        printed.setdefault(key(entry.product or ""), entry)
    if set(printed) == {""}:
        return
    language = rulebook.edition.language
    for proposal in ProductNames(rulebook.edition.game, [b for b in rulebooks if b.edition.game == rulebook.edition.game]).proposals:
        for mine, other in ((proposal.one, proposal.other), (proposal.other, proposal.one)):
            if mine.language == language and mine.key in printed:
                yield _product(rulebook, printed[mine.key], other, proposal.weight)


def _product(rulebook: Rulebook, entry: Entry, other: ProductName, weight: float) -> Finding:
    why = f"has the cards of {other.key!r} ({other.language}), and nobody has confirmed that the two are one product; weight {weight}"
    line, name = entry.lines.first, shorten(entry.product or "")
    return Finding(rulebook.edition.id, line, FindingKind.PRODUCT_PROPOSED, name, None, Certainty.LIKELY, why)


def _place(entry: Entry) -> str:
    return f"{shorten(entry.title)!r} (line {entry.lines.first})"


def _finding(rulebook: Rulebook, entry: Entry, kind: FindingKind, meant: str | None, certainty: Certainty, why: str) -> Finding:
    return Finding(rulebook.edition.id, entry.lines.first, kind, shorten(entry.heading), shorten(meant) if meant else None, certainty, why)
