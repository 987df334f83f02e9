"""Each file of an index truncated, altered and removed, before a start and while serving: the
answers of a whole index, or a clear 503.

Some files, evenly chosen, take part in every run; all of them are behind the marker ``trial``.
"""

import json
import os
import shutil
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.error import HTTPError

import pytest

from index.building.snapshots import MANIFEST, Snapshots
from index.memory import free_long_lived_objects
from service.ops.indexes import IndexManager, NoIndex
from service.ops.settings import Locations
from service.web.app import create_app
from tests.conftest import SAMPLE
from tests.index.small_indexes import publish_copy
from tests.service.layered import assert_exact
from tests.service.serving import serving

SOME = 9  # files of about 110
QUESTIONS = (
    "Wie viele Laternen brauche ich, um zu gewinnen?",
    "Wann steigt der Pegel?",
    "Quando sale il livello?",
    "Darf ein Wrack segeln?",
)

Harm = Callable[[Path], None]


def truncated(path):
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def emptied(path):
    with path.open("r+b") as file:
        file.truncate(0)


def flipped(path):
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        byte = file.read(1)
        file.seek(-len(byte), os.SEEK_CUR)
        file.write(bytes(b ^ 4 for b in byte))


def removed(path):
    path.unlink()


HARMS: tuple[Harm, ...] = (truncated, emptied, flipped, removed)
EXTENT = pytest.mark.parametrize(
    "every", [False, pytest.param(True, marks=pytest.mark.trial)], ids=["some", "all"]
)


@pytest.fixture
def snapshots(sample_snapshots, tmp_path) -> Snapshots:
    """A folder with two whole indexes of the sample, byte for byte the same but for their ids."""
    found = Snapshots(tmp_path / "index")
    built = sample_snapshots.current()
    assert built is not None
    for _ in range(2):
        publish_copy(found, sample_snapshots.path(built))
    return found


@pytest.fixture(scope="session")
def answers(sample_snapshots) -> list[object]:
    """What a whole index answers."""
    found = IndexManager(Locations(SAMPLE, sample_snapshots.folder, True))
    found.load()
    return answers_of(found)


def answers_of(indexes):
    """What is answered to each of `QUESTIONS`, or the status of the problem."""
    client = create_app(indexes).test_client()
    responses = [
        client.post("/v1/ask", json={"question": question, "fields": "all"})
        for question in QUESTIONS
    ]
    return [
        {**(each.json or {}), "index": ""} if each.status_code == 200 else each.status_code
        for each in responses
    ]


def cited(answers):
    """Every passage is what the document, or the file of rulings or cards, has in that place."""
    documents = {path.name: path.read_bytes().decode("utf-8") for path in SAMPLE.iterdir()}
    for found in answers:
        assert isinstance(found, dict)
        assert found["passages"]
        for passage in found["passages"]:
            if passage.get("layer", "rulebook") != "rulebook":
                assert_exact(passage)
                continue
            source = passage["citation"]["source"]
            assert passage["text"] == "\n".join(
                documents[source["file"]][a:b] for a, b in source["spans"]
            )


def harmed(snapshots, every):
    """Files of the published index and what is done to each, after which it is as it was."""
    current = snapshots.current()
    assert current is not None
    folder = snapshots.path(current)
    files = [
        snapshots.folder / "current",
        folder / MANIFEST,
        *sorted(p for p in folder.rglob("*") if p.is_file() and p.name != MANIFEST),
    ]
    chosen = files if every else [*files[:2], *files[2 :: len(files) // SOME]]
    for number, path in enumerate(chosen):
        whole = path.read_bytes()
        for harm in HARMS if every else (HARMS[number % len(HARMS)],):
            harm(path)
            yield path, harm
            path.write_bytes(whole)
            free_long_lived_objects()  # else hundreds of indexes would have their files open


def test_the_answers_that_are_compared_cite_what_is_printed(answers):
    cited(answers)


@EXTENT
def test_whatever_file_is_damaged_before_a_start_another_index_gives_the_same_answers(
    snapshots, answers, every
):
    for path, harm in harmed(snapshots, every):
        said: list[str] = []
        found = IndexManager(Locations(SAMPLE, snapshots.folder, True), said.append)
        found.load()
        assert answers_of(found) == answers, (path, harm, said)
        assert said or path.name == MANIFEST, (path, harm)


@EXTENT
def test_whatever_file_of_the_only_index_is_damaged_before_a_start_there_is_none_or_its_answers(
    snapshots, answers, every
):
    *_, old = snapshots.all()
    shutil.rmtree(snapshots.path(old))
    for path, harm in harmed(snapshots, every):
        found = IndexManager(Locations(SAMPLE, snapshots.folder, True))
        try:
            found.load()
        except NoIndex:
            assert answers_of(found) == [503] * len(QUESTIONS)
        else:
            assert answers_of(found) == answers, (path, harm)


@EXTENT
def test_whatever_file_is_damaged_under_a_running_service_its_answers_stay(
    snapshots, answers, every, tmp_path
):
    log = tmp_path / "log"
    with serving(
        SAMPLE,
        snapshots.folder,
        log,
        workers=1,
        answers_kept=0,
        rate_limit="none",
        private_copies=True,
    ) as served:

        def asked(question):
            body = json.dumps({"question": question, "fields": "all"}).encode()
            request = urllib.request.Request(
                f"{served.address}/v1/ask",
                body,
                # Links begin with the name that is called, here as in `answers_of`.
                {"Content-Type": "application/json", "Host": "localhost"},
            )
            try:
                with urllib.request.urlopen(request, timeout=30) as response:
                    return {**json.load(response), "index": ""}
            except HTTPError as fault:
                return fault.code

        (before,) = served.workers()
        for path, harm in harmed(snapshots, every):
            assert [asked(question) for question in QUESTIONS] == answers, (path, harm)
        for path in snapshots.folder.rglob("*"):
            if path.is_file():
                emptied(path)
        assert [asked(question) for question in (*QUESTIONS, *reversed(QUESTIONS))] == [
            *answers,
            *reversed(answers),
        ]
        with urllib.request.urlopen(f"{served.address}/state", timeout=30) as response:
            assert response.status == 200
        assert served.workers() == [before], log.read_text()
