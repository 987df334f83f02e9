"""Which formats of a game a question asks for, so that the rules of the others come behind the
general ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.languages import FALLBACK, get_language
from glossary.string_trie import UNKNOWN
from index.analysis import Analyzer
from index.files.quantized import load_mapped
from index.library.library import Library
from index.library.special_formats import KINDS, telling_words
from index.questions.prepared import PreparedQuestion

Places = Sequence[int]  # positions of formats


class AskedFormats:
    """The special formats (`index.library.special_formats`) of the searchable passages of a
    library.

    ``passages``, shape (m,), are the passages of special formats, ascending, and ``formats``, shape
    (m,), the format of each, by position. ``around``, shape (formats,), is the format that each is
    a part of, -1 for none. A question asks for a format by the terms of its name, all ``needed``
    ones, or by what formats of its kind are called, or by asking for the one around it. ``terms``
    are the formats by language and term, ``kinds`` those of each kind.
    """

    def __init__(
        self,
        passages: NDArray[np.int64],
        formats: NDArray[np.int32],
        around: NDArray[np.int32],
        needed: Places,
        terms: Mapping[str, Mapping[str, Places]],
        kinds: Mapping[str, Places],
    ):
        self.passages, self.formats = passages, formats
        self.around, self.needed, self.terms, self.kinds = around, needed, terms, kinds

    @classmethod
    def build(cls, library: Library, analyzer: Analyzer) -> AskedFormats:
        """The special formats of the passages of ``library``."""
        special = library.formats
        of_passage = special.of_passage[library.relations.searchable]
        terms: dict[str, dict[str, list[int]]] = {}
        kinds: dict[str, list[int]] = {}
        needed = []
        for place, each in enumerate(special.formats):
            language = library.edition[library.entry[each.entry].edition].language
            of_name = dict.fromkeys(analyzer.terms(telling_words(each.name, language), language))
            needed.append(max(len(of_name), 1))
            for term in of_name:
                terms.setdefault(language, {}).setdefault(term, []).append(place)
            for kind in sorted(special.kinds(place)):
                kinds.setdefault(kind, []).append(place)
        passages = np.flatnonzero(of_passage != UNKNOWN)
        around = np.array([each.around for each in special.formats], dtype=np.int32)
        return cls(passages, of_passage[passages], around, needed, terms, kinds)

    def unasked(self, prepared: PreparedQuestion) -> NDArray[np.int64]:
        """The passages of special formats that a question does not ask for, ascending."""
        asked: set[int] = set()
        for language, terms in prepared.terms.items():
            known = self.terms.get(language, {})
            counts: dict[int, int] = {}
            for term in known.keys() & set(terms):
                for place in known[term]:
                    counts[place] = counts.get(place, 0) + 1
            asked.update(place for place, count in counts.items() if count >= self.needed[place])
        for kind in asked_kinds(prepared.parsed.folded, prepared.language):
            asked.update(self.kinds.get(kind, ()))
        if not asked:
            return self.passages
        chosen = np.fromiter(asked, dtype=np.int32)
        return self.passages[
            ~(np.isin(self.formats, chosen) | np.isin(self.around[self.formats], chosen))
        ]

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        np.save(folder / "passages.npy", self.passages)
        np.save(folder / "formats.npy", self.formats)
        np.save(folder / "around.npy", self.around)
        names = {"needed": self.needed, "terms": self.terms, "kinds": self.kinds}
        (folder / "names.json").write_text(json.dumps(names, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> AskedFormats:
        """What `save` wrote to ``folder``. Raises `OSError`, `ValueError` or `KeyError` where it is
        damaged.
        """
        names = json.loads((folder / "names.json").read_text(encoding="utf-8"))
        passages, formats, around = (
            load_mapped(folder / f"{name}.npy") for name in ("passages", "formats", "around")
        )
        return cls(passages, formats, around, names["needed"], names["terms"], names["kinds"])


def asked_kinds(question: Iterable[str], language: str) -> frozenset[str]:
    """The kinds of formats that a question in ``language`` with these folded words asks for."""
    text = f" {' '.join(question)} "
    return frozenset(
        kind for kind, those in phrases(language) if any(phrase in text for phrase in those)
    )


@cache
def phrases(language: str) -> Sequence[tuple[str, Sequence[str]]]:
    """What asks for each kind of format in ``language``, with a blank before it."""
    formats, fallback = get_language(language).formats, get_language(FALLBACK).formats
    return [
        (
            kind,
            [
                f" {each}"
                for each in getattr(formats, kind).questions or getattr(fallback, kind).questions
            ],
        )
        for kind in KINDS
    ]
