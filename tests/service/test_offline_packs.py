"""Packs for asking without a network, as a browser gets them: a manifest of what the index in use has, its fragments by their hashes."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from flask.testing import FlaskClient

from index.library.library import Library
from index.offline.pack import NoPack, Pack
from service.browse import offline_packs
from service.browse.offline_packs import FOLDER
from service.core.jobs.queue import JobQueue
from service.core.jobs.stored_works import Work
from service.ops.settings import Settings
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes

MANIFEST = "/offline/packs/sternenhafen"
ANKERN, FLAUTE = b"ankern " * 500, b"flaute " * 500


def address(content: bytes) -> str:
    return f"/offline/fragments/{hashlib.sha256(content).hexdigest()}"


@pytest.fixture
def published(tmp_path: Path, harbour_library: Library) -> Callable[[str], Harbour]:
    """Makes an index that is on the disk, with the name given."""

    def publish(id: str) -> Harbour:
        (tmp_path / id).mkdir()
        (tmp_path / id / "manifest.json").write_text("{}")
        snapshot = Harbour(harbour_library, id)
        snapshot.folder = tmp_path / id  # type: ignore[assignment]
        return snapshot

    return publish


@pytest.fixture
def indexes(published: Callable[[str], Harbour]) -> Indexes:
    return Indexes(published("20310517-1"))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The packs that were made, in this process, of what stands in for an index."""
    made: list[str] = []

    def run(_: Any, __: Any, folder: Path, work: Work[bytes]) -> bytes:
        game = work.arguments[0]
        made.append(f"{folder.name} {game}")
        second = FLAUTE if folder.name.endswith("1") else FLAUTE.upper()
        pack = Pack.of(folder.name, game, [], {"encoder": ANKERN, "words": second})
        pack.save(offline_packs._place(folder))
        offline_packs._tidy(folder.parent / FOLDER)
        return b"f" + pack.manifest_bytes

    monkeypatch.setattr(JobQueue, "run", run)
    return made


def manifest(client: FlaskClient) -> Any:
    for _ in range(50):
        response = client.get(MANIFEST)
        if response.status_code != 503:
            break
    assert response.status_code == 200, response.text
    return response.get_json()


def test_a_pack_is_made_once_and_its_fragments_never_change(client: FlaskClient, made: list[str]) -> None:
    found = manifest(client)
    assert (found["index"], found["game"], found["bytes"]) == ("20310517-1", "sternenhafen", len(ANKERN) + len(FLAUTE))
    for part in found["fragments"]:
        response = client.get(f"/offline/fragments/{part['sha256']}")
        assert hashlib.sha256(response.data).hexdigest() == part["sha256"]
        assert len(response.data) == part["bytes"]
        assert "immutable" in response.headers["Cache-Control"]
        again = client.get(f"/offline/fragments/{part['sha256']}", headers={"If-None-Match": response.headers["ETag"]})
        assert again.status_code == 304
    again = client.get(MANIFEST, headers={"If-None-Match": client.get(MANIFEST).headers["ETag"]})
    assert again.status_code == 304
    assert made == ["20310517-1 sternenhafen"]


def test_a_pack_in_the_making_says_when_to_come_back(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = Event()
    monkeypatch.setattr(JobQueue, "run", lambda *_: go_on.wait(10))
    response = client.get(MANIFEST)
    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
    go_on.set()


def test_the_index_changes_while_a_pack_is_loaded(
    client: FlaskClient, indexes: Indexes, published: Callable[[str], Harbour], made: list[str]
) -> None:
    manifest(client)
    assert client.get(address(FLAUTE)).status_code == 200
    indexes.index = published("20310517-2")
    assert client.get(address(FLAUTE)).status_code == 404  # the browser asks for the manifest again
    found = manifest(client)
    assert found["index"] == "20310517-2"
    assert client.get(address(FLAUTE.upper())).status_code == 200
    assert client.get(address(ANKERN)).status_code == 200
    assert client.get(address(FLAUTE)).status_code == 404


def test_packs_go_with_their_index(
    client: FlaskClient, indexes: Indexes, published: Callable[[str], Harbour], made: list[str], tmp_path: Path
) -> None:
    manifest(client)
    shutil.rmtree(tmp_path / "20310517-1")
    indexes.index = published("20310517-2")
    manifest(client)
    assert [place.name.rpartition("-")[0] for place in (tmp_path / FOLDER).iterdir()] == ["20310517-2"]


def test_an_index_that_is_rolled_back_to_has_its_pack_still(
    client: FlaskClient, indexes: Indexes, published: Callable[[str], Harbour], made: list[str]
) -> None:
    first = indexes.index
    manifest(client)
    indexes.index = published("20310517-2")
    manifest(client)
    indexes.index = first
    assert manifest(client)["index"] == "20310517-1"
    assert client.get(address(FLAUTE)).status_code == 200
    assert len(made) == 2


def test_another_process_finds_the_pack_that_was_made(
    client: FlaskClient, indexes: Indexes, made: list[str], harbour_library: Library
) -> None:
    manifest(client)
    other = Harbour(harbour_library, "20310517-1")
    other.folder = indexes.index.folder
    assert create_app(Indexes(other)).test_client().get(address(ANKERN)).status_code == 200
    assert len(made) == 1


@pytest.mark.parametrize("hurt", ["altered", "removed", "all removed"])
def test_a_damaged_pack_is_not_given_out_and_made_anew(client: FlaskClient, made: list[str], tmp_path: Path, hurt: str) -> None:
    manifest(client)
    (path,) = tmp_path.glob(f".offline/*/fragments/{hashlib.sha256(ANKERN).hexdigest()}")
    if hurt == "altered":
        path.write_bytes(FLAUTE)
    elif hurt == "removed":
        path.unlink()
    else:
        shutil.rmtree(tmp_path / ".offline")
    assert client.get(address(ANKERN)).status_code == 404
    manifest(client)
    assert client.get(address(ANKERN)).data == ANKERN
    assert len(made) == 2


@pytest.mark.parametrize("name", ["0" * 64, "..", "%2e%2e%2fmanifest.json", "sternenhafen.json", "A" * 64])
def test_no_other_file_can_be_had(client: FlaskClient, made: list[str], name: str) -> None:
    manifest(client)
    assert client.get(f"/offline/fragments/{name}").status_code == 404


def test_an_index_that_browsers_cannot_ask_says_so(client: FlaskClient, indexes: Indexes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.get("/offline/packs/no-such").status_code == 404

    def refuse(*_: object) -> None:
        raise NoPack("its encoder is on a machine")

    monkeypatch.setattr(JobQueue, "run", refuse)
    while (response := client.get(MANIFEST)).status_code == 503:
        pass
    assert response.status_code == 404
    indexes.index.folder = None  # in memory alone
    assert client.get(MANIFEST).status_code == 404


def test_a_full_disk_is_no_fault_of_the_service(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(JobQueue, "run", full)
    assert client.get(MANIFEST).status_code == 503
    assert client.get(MANIFEST).status_code == 503
    assert client.get("/offline").status_code == 200


def test_an_owner_can_switch_it_off(indexes: Indexes, made: list[str]) -> None:
    client = create_app(indexes, Settings.model_construct(offline_packs=False)).test_client()
    assert client.get(MANIFEST).status_code == client.get(address(ANKERN)).status_code == 404
    for page in ("/", "/offline"):
        response = client.get(page)
        assert response.status_code == 200
        assert "pack-sternenhafen" not in response.text
    assert made == []


def test_loading_counts_as_calls_and_the_page_does_not(indexes: Indexes, made: list[str]) -> None:
    client = create_app(indexes, Settings.model_construct(rate_limit="5/minute")).test_client()
    assert [client.get("/offline").status_code for _ in range(6)] == [200] * 6
    manifest(client)
    told = [client.get(address(ANKERN)) for _ in range(6)]
    assert told[-1].status_code == 429
    assert int(told[-1].headers["Retry-After"]) > 0


def test_scripts_without_a_version_in_their_address_are_asked_for_again(client: FlaskClient) -> None:
    assert client.get("/static/offline-packs.js").headers["Cache-Control"] == "no-cache"
    versioned = json.dumps(client.get("/sw.js").text.partition("\n")[0]).partition("/static/offline-packs.js")[2].partition("\\")[0]
    assert "max-age=31536000" in client.get(f"/static/offline-packs.js{versioned}").headers["Cache-Control"]
