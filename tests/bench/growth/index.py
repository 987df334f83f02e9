"""An index of made-up rulebooks, built as one of real rulebooks is, with the encoder of the sample rulebooks."""

from __future__ import annotations

import json
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from glossary.word_tables import WordTables
from index.analysis import Analyzer
from index.encoding.encoder import SubwordEncoder
from index.library import library as libraries
from index.library.indexed_texts import all_terms, all_words, indexed_texts
from index.library.passage_lookup import PassageLookup
from index.questions.question_parser import QuestionParser
from index.ranking.highlights import Highlighter
from index.ranking.passage_features import PassageFeatures
from index.store.file_store import save_vectors, save_words
from index.store.protocol import EXHAUSTIVE_LIMIT
from index.store.vectors import PassageVectors
from tests.bench.growth.library import gathered
from tests.bench.growth.rulebooks import books


def build(folder: Path, passages: int, sample: Path, limit: int = EXHAUSTIVE_LIMIT) -> dict[str, float]:
    """Make an index of so many passages in ``folder``, from a snapshot of the ``sample`` rulebooks; seconds by step.

    `index.search.Index.load` loads it. Up to ``limit`` passages everything is looked at, beyond only candidates.
    """
    seconds, start = {}, time.perf_counter()

    def done(step: str) -> None:
        nonlocal start
        seconds[step] = time.perf_counter() - start
        start = time.perf_counter()

    libraries.save_library(gathered(books(passages)), folder, ())
    done("making up the rulebooks")
    for part in ("encoder", "forms", "stems", "scope"):
        shutil.copytree(sample / part, folder / part)
    manifest = {"id": f"growth-{passages}", "built": datetime.now(UTC).isoformat(timespec="seconds"), "encoder": ""}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    tables = WordTables.load(folder / "forms")
    analyzer = Analyzer(tables)
    library, encoder = libraries.load_library(folder), SubwordEncoder.load(folder / "encoder")
    QuestionParser(library, tables, dict.fromkeys(library.games, ()), dict.fromkeys(library.games, ())).save(folder / "questions")
    PassageLookup.build(library).save(folder / "lookup")
    PassageFeatures.build(library, analyzer, np.ones(len(library.editions), dtype=np.bool_)).save(folder / "features")
    done("places and plain words")
    texts = indexed_texts(library, {})
    own = encoder.passages([t.text for t in texts])
    done("vectors")
    vectors = PassageVectors.build(own, np.empty((0, own.shape[1]), dtype=np.float32), np.empty(0, dtype=np.int32))
    save_words(folder, all_terms(texts, analyzer), all_words(texts), library.bounds, limit)
    save_vectors(folder, vectors, limit)
    done("store")
    Highlighter.build(library.searchable_texts(), encoder).save(folder / "sentences")
    done("sentences")
    return seconds
