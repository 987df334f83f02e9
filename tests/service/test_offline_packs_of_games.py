"""Packs for asking offline: how large they are, that they are the same for the same index, and what a small change renews."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.errors import NotFound
from index.building.snapshots import Snapshots
from index.encoding.encoder import SubwordEncoder
from index.offline.container import unpack_fragment
from index.offline.pack import MOST_BYTES, NoPack, Pack
from index.search import Index
from service.answers.offline import build_pack
from service.core.snapshot import Snapshot

GAME = "pegelduell"


@pytest.fixture(scope="module")
def snapshot(sample_snapshots: Snapshots, sample_index: Index) -> Snapshot:
    return Snapshot(sample_index, sample_snapshots.path(sample_index.id))


@pytest.fixture(scope="module")
def pack(snapshot: Snapshot) -> Pack:
    return build_pack(snapshot, GAME)


def test_a_pack_lists_its_fragments_by_their_content(pack: Pack) -> None:
    listed = pack.manifest["fragments"]
    assert pack.manifest["bytes"] == sum(each["bytes"] for each in listed) <= MOST_BYTES
    assert {each["sha256"] for each in listed} == set(pack.fragments)
    assert all(hashlib.sha256(content).hexdigest() == digest for digest, content in pack.fragments.items())
    assert {edition["id"] for edition in pack.manifest["editions"]} == {"pegelduell-de-2.0", "pegelduell-faq-de-3"}


def test_a_pack_is_stored_as_it_is_loaded(pack: Pack, tmp_path: Path) -> None:
    pack.save(tmp_path)
    pack.save(tmp_path)
    assert json.loads(pack.manifest_bytes) == pack.manifest
    assert {path.name: path.read_bytes() for path in (tmp_path / "fragments").iterdir()} == pack.fragments


@pytest.fixture
def altered(snapshot: Snapshot) -> Iterator[Snapshot]:
    """The same, but for one passage that says something else."""
    library = snapshot.library
    passages = list(library.passages)
    number = next(n for n, each in enumerate(passages) if each.entry.startswith("pegelduell-de-2.0/") and len(each.text) > 80)
    passages[number] = replace(passages[number], display=f"{passages[number].display} Und noch etwas.")
    changed = replace(library, passages=passages)
    vars(changed)["relations"] = library.relations
    index = snapshot.index
    assert isinstance(index, Index)
    before = index.library
    index.library = changed
    yield Snapshot(index, snapshot.folder)
    index.library = before


def test_only_what_changed_is_renewed(pack: Pack, altered: Snapshot) -> None:
    again = build_pack(altered, GAME)
    renewed = {name for name, digest in again.names.items() if pack.names.get(name) != digest}
    groups = [name for name in renewed if name.startswith("pegelduell-")]
    assert len(groups) == 1
    assert not any(name.startswith("encoder-") for name in renewed)
    size = sum(len(again.fragments[again.names[name]]) for name in renewed)
    assert size < 0.05 * again.size
    texts = [
        passage["display"] for passage in unpack_fragment(again.fragments[again.names[groups[0]]])[0]["passages"] if "display" in passage
    ]
    assert any(text.endswith("Und noch etwas.") for text in texts)


def test_the_same_index_gives_the_same_pack(pack: Pack, snapshot: Snapshot) -> None:
    assert build_pack(snapshot, GAME) == pack


def test_there_is_none_of_a_game_that_is_not_here(snapshot: Snapshot) -> None:
    with pytest.raises(NotFound, match="pegelduell, pegelwacht"):
        build_pack(snapshot, "schach")


def test_there_is_none_of_an_index_whose_encoder_is_a_model(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    index = snapshot.index
    assert isinstance(index, Index)
    assert isinstance(index.encoder, SubwordEncoder)
    monkeypatch.setattr(index, "encoder", object())
    with pytest.raises(NoPack, match="offline"):
        build_pack(snapshot, GAME)


def test_there_is_none_of_an_index_in_memory(snapshot: Snapshot) -> None:
    with pytest.raises(NoPack, match="build"):
        build_pack(Snapshot(snapshot.index), GAME)
