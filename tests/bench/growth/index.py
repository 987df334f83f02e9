"""An index of made-up rulebooks, built and loaded as one of real rulebooks is, with the encoder of the sample rulebooks."""

from __future__ import annotations

import shutil
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from glossary.words import read_forms
from index import store as stores
from index.encoder import BuiltIn
from index.highlights import Highlighter
from index.prints import Prints
from index.reading import Reader
from index.scope import Scope
from index.search import Index
from index.store import EXHAUSTIVE
from index.texts import all_terms, all_words, indexed_texts
from index.vectors import Vectors
from tests.bench.growth.library import MadeLibrary, write
from tests.bench.growth.rulebooks import books


def build(folder: Path, passages: int, sample: Path, limit: int = EXHAUSTIVE) -> dict[str, float]:
    """Make an index of so many passages in ``folder``, from a snapshot of the ``sample`` rulebooks; seconds by step.

    Up to ``limit`` passages everything is looked at, beyond only candidates.
    """
    seconds, start = {}, time.perf_counter()

    def done(step: str) -> None:
        nonlocal start
        seconds[step] = time.perf_counter() - start
        start = time.perf_counter()

    write(folder / "made", books(passages))
    done("making up the rulebooks")
    for part in ("encoder", "forms", "scope"):
        shutil.copytree(sample / part, folder / part)
    read_forms(folder / "forms")
    library, encoder = MadeLibrary(folder / "made"), BuiltIn.load(folder / "encoder")
    Prints.build(library).save(folder / "prints")
    done("plain words")
    texts = indexed_texts(library, {})
    own = encoder.passages([t.text for t in texts])
    done("vectors")
    vectors = Vectors.build(own, np.empty((0, own.shape[1]), dtype=np.float32), np.empty(0, dtype=np.int32))
    stores.keep(folder, all_terms(texts), all_words(texts), library.bounds, vectors, limit)
    done("store")
    Highlighter.build(library.searchable, encoder).save(folder / "sentences")
    done("sentences")
    return seconds


def load(folder: Path) -> Index:
    """The index in ``folder``."""
    read_forms(folder / "forms")
    library = MadeLibrary(folder / "made")
    return Index(
        "growth",
        datetime.now(UTC),
        library,
        library.places(),
        stores.load(folder),
        BuiltIn.load(folder / "encoder"),
        Highlighter.load(folder / "sentences"),
        Scope.load(folder / "scope"),
        Reader(library, dict.fromkeys(library.games, ()), dict.fromkeys(library.games, ())),
        Prints.load(folder / "prints"),
    )
