"""The functions that programs call: build an index of a folder, open it, ask it."""

from __future__ import annotations

from pathlib import Path

import pytest

from index import build_index, open_index
from index.building.build import NothingToRead
from index.model import Query
from tests.index.small_indexes import QUESTIONS, books


def test_an_index_is_built_of_a_folder_and_opened(tmp_path: Path) -> None:
    rulebooks, _ = books(tmp_path / "rulebooks")
    built = build_index(rulebooks, tmp_path / "index")
    index = open_index(tmp_path / "index")
    assert index.id == built.id
    assert index.search(Query(QUESTIONS[0], k=1)).hits


def test_where_there_is_nothing_to_read_or_to_open_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "rulebooks").mkdir()
    with pytest.raises(NothingToRead, match="no rulebook in it"):
        build_index(tmp_path / "rulebooks", tmp_path / "index")
    with pytest.raises(FileNotFoundError, match="no index in it"):
        open_index(tmp_path / "index")
