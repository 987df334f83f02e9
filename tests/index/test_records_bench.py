"""The benchmark of records compares the same: a library in SQLite answers every look-up as one in mapped files does."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from index.library.library import Library
from index.search import Index
from tests.bench.questions import from_headings
from tests.bench.records.lookups import LookUps, of_questions, of_random_passages
from tests.bench.records.made_up import made_up
from tests.bench.records.storages import CACHING, FILES, STORAGES, clear_caches, open_library, save


@pytest.fixture(scope="module", params=["sample", "made up"])
def plain(request: pytest.FixtureRequest, sample_index: Index) -> Library:
    return sample_index.library if request.param == "sample" else made_up(1_200)


@pytest.mark.parametrize("storage", STORAGES)
def test_every_storage_gives_back_the_same_library(storage: str, plain: Library, tmp_path: Path) -> None:
    save(storage, plain, tmp_path / "stored")
    found = open_library(storage, tmp_path / "stored")
    for name in ("entries", "passages", "references", "searchable", "entry", "editions", "bounds"):
        assert list(getattr(found, name)) == list(getattr(plain, name))
    for name in ("passages_of", "children_of", "references_of", "referring_to", "pages"):
        stored, wanted = getattr(found, name), getattr(plain, name)
        assert {id: list(stored[id]) for id in stored} == {id: list(wanted[id]) for id in wanted}
        assert len(stored) == len(wanted)
    assert dict(found.concepts) == dict(plain.concepts)
    assert found.sources == plain.sources
    for edition in plain.edition:
        for name in ("entries_of", "passages_in", "references_in", "card_entries"):
            assert list(getattr(found, name)(edition)) == list(getattr(plain, name)(edition))
            assert len(getattr(found, name)(edition)) == len(getattr(plain, name)(edition))
        assert found.fallback(edition) == plain.fallback(edition)
    assert [found.path(entry) for entry in plain.entries] == [plain.path(entry) for entry in plain.entries]
    assert "" not in found.entry
    assert found.references_of.get("?", ()) == ()


def test_records_are_read_again_when_caches_are_cleared(tmp_path: Path) -> None:
    plain = made_up(50)
    for number, storage in enumerate(STORAGES):
        save(storage, plain, tmp_path / str(number))
        library = open_library(storage, tmp_path / str(number))
        id = plain.entries[0].id
        before = library.entry[id]
        assert library.entry[id] is before
        clear_caches(library)
        assert library.entry[id] == before
        assert library.entry[id] is not before


@pytest.mark.parametrize("storage", STORAGES)
def test_only_mapped_files_are_read_by_a_new_thread_when_their_names_are_gone(storage: str, tmp_path: Path) -> None:
    save(storage, made_up(50), tmp_path / "stored")
    library = open_library(storage, tmp_path / "stored")
    shutil.rmtree(tmp_path / "stored")
    with ThreadPoolExecutor(1) as thread:
        found = thread.submit(library.passages.__getitem__, 0)
        assert (found.exception() is None) == (storage in (FILES, CACHING))


def test_look_ups_of_a_question_are_recorded_and_done_again(sample_index: Index) -> None:
    library = sample_index.library
    (recorded,) = of_questions(sample_index, from_headings(library)[:1], 3)
    assert sample_index.library is library
    assert len({number for name, number in recorded if name == "searchable"}) >= 3
    assert {name for name, _ in recorded} >= {"searchable", "entry", "references_of", "pages"}
    LookUps(library).do(recorded)
    with pytest.raises(IndexError):
        LookUps(library).do([("searchable", len(library.searchable))])


def test_random_passages_are_looked_up_as_in_an_answer() -> None:
    library = made_up(60)
    first, second = of_random_passages(library, 2, 5)
    assert first != second
    assert [name for name, _ in first].count("searchable") == 5
