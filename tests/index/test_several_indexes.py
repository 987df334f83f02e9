import shutil
from pathlib import Path

import numpy as np
import pytest

from corpus.languages import LANGUAGES
from glossary.string_trie import UNKNOWN, StringTrie
from glossary.word_tables import LanguageTables, WordTables
from index.model import Query
from index.search import Index

QUESTIONS = (
    "Wie hoch steigt der Pegel, wenn Laternen erloschen sind?",
    "Darf ein Wrack durchnässt werden?",
    "Posso scandagliare un vortice?",
)

Answer = tuple[str, tuple[tuple[str, float], ...]]


@pytest.fixture(scope="module")
def folders(sample_snapshots, tmp_path_factory) -> tuple[Path, Path]:
    """A snapshot of the sample, and a copy whose tables have other stop words, no lemmas and no
    words analysed in advance.
    """
    original = sample_snapshots.path(str(sample_snapshots.current()))
    copy = tmp_path_factory.mktemp("other") / "snapshot"
    shutil.copytree(original, copy)
    tables = WordTables.load(original / "forms")
    shutil.rmtree(copy / "forms")
    shutil.rmtree(copy / "stems")
    others = {}
    for language in LANGUAGES:
        known = StringTrie(("wrack", "steigen"))
        stop_words = frozenset(
            {"pegel", "laternen", "durchnässt", "vortice", "wie", "darf", "posso"}
        )
        others[language] = LanguageTables(
            known,
            np.full(len(known), UNKNOWN, dtype=np.int32),
            stop_words,
            tables[language].tokenizer,
        )
    WordTables(others).save(copy / "forms")
    WordTables(others).save_analyses((), copy / "stems")
    return original, copy


def answers(index):
    found = [index.search(Query(question)) for question in QUESTIONS]
    return [
        (each.language, tuple((hit.passage.id, hit.score) for hit in each.hits)) for each in found
    ]


def test_indexes_with_other_tables_do_not_change_each_others_answers(folders):
    alone = [answers(Index.load(folder)) for folder in folders]
    assert alone[0] != alone[1]
    for order in ((0, 1), (1, 0)):
        opened = {number: Index.load(folders[number]) for number in order}
        for number in (*order, *reversed(order)):
            assert answers(opened[number]) == alone[number]
