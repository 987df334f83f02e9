"""Regula with parts of its ranking switched off, and an index of the same rulebooks that was built without phrasings."""

from __future__ import annotations

from collections.abc import Callable
from unittest import mock

from glossary.phrasings import load_phrasings
from index.building.build import BuildOptions, build
from index.building.fingerprints import fits
from index.building.snapshots import Snapshots
from index.ranking.fusion import weights
from index.search import Index
from service.ops.settings import Locations
from tests.bench.held_out import HeldOut
from tests.bench.systems import Regula


class Ablated(Regula):
    """Regula with only the parts in ``kept`` counting; everything after the ranking by parts stays as it is.

    A question has the weights in ``held_out`` where there are any for it.
    """

    def __init__(self, name: str, index: Index, kept: frozenset[str], held_out: HeldOut) -> None:
        super().__init__(index)
        self.name = name
        self._kept = kept
        self._held_out = held_out

    def search(self, question: str, document: str, k: int) -> list[int]:
        """Numbers of the passages that Regula would answer with if it had only these parts."""
        learned = self._held_out.get((question, document), weights())
        kept = {part: weight if part in self._kept else 0.0 for part, weight in learned.items()}
        with mock.patch("index.ranking.signals.weights", return_value=kept):
            return super().search(question, document, k)


def whole(index: Index, held_out: HeldOut) -> Ablated:
    """Regula with all parts, by weights that were learned without the question."""
    return Ablated("Regula, weights held out", index, frozenset(weights()), held_out)


def variants(index: Index, held_out: HeldOut, phrased: bool = True) -> list[Ablated]:
    """All parts together, each alone, and each left out; only the first two for an index that is not ``phrased``."""
    parts = [part for part, weight in weights().items() if weight and (phrased or part != "phrasings")]
    kept = {"all parts": parts, **{f"{part} only": [part] for part in parts}}
    if phrased:
        kept |= {f"without {part}": [p for p in parts if p != part] for part in parts}
    prefix = "" if phrased else "no phrasings at all: "
    return [Ablated(prefix + name, index, frozenset(some), held_out) for name, some in kept.items()]


def without_phrasings(locations: Locations, whole: Index, say: Callable[[str], None]) -> Index | None:
    """An index that has seen no phrasing, neither as text nor in training; None where the editions have none anyway.

    It is kept beside the index that serves and built again only when that one would be.
    """
    if not any(load_phrasings(edition.id) for edition in whole.library.editions):
        return None
    snapshots = Snapshots(locations.index.with_name(locations.index.name + "-without-phrasings"))
    if not fits(snapshots, locations.rulebooks, locations.encoder):
        say("building a second index without phrasings")
        with mock.patch("glossary.phrasings.load_phrasings", return_value=()):
            build(locations.rulebooks, snapshots, BuildOptions(locations.encoder))
    return Index.load(snapshots.path(str(snapshots.current())))
