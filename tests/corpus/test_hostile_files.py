"""Damaged and hostile files: a reading, or one line that says what is wrong; never a crash, and
never a request to anybody.

``REGULA_MUTATIONS`` sets how many damaged files are tried in all (2000 for the full run).
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

import pytest

from corpus import Document, UnreadableDocument
from corpus.blocks import Block, ExtractedText, Span
from corpus.formats import ExtractedFormat, UnreadableFile, isolated, recognise_file
from tests.conftest import seeds
from tests.corpus.damaged_files import RequestWatch, damaged, refuse_connections, tried
from tests.corpus.hostile_files import hostile_files
from tests.corpus.rulebook_formats import CHAPTERS, MAKERS

pytestmark = pytest.mark.usefixtures("extracted_apart")
ROOT = Path(isolated.__file__).resolve().parents[2]
REFUSED = {
    "locked.pdf": "encrypted",
    "locked.docx": "encrypted",
    "locked.epub": "encrypted",
    "office.doc": "encrypted",
    "bomb.docx": "unpacks to more",
    "many-parts.docx": "25,001 parts",
    "entity.docx": "entities",
    "laughs.odt": "entities",
    "too-nested-tables.docx": "damaged XML",
    "too-many-pages.pdf": "9,000 pages",
    "archive.zip": "an archive",
    "noise.txt": "binary",
    "many-lines.txt": "300,000 lines",
}
READ = (
    "acting.pdf",
    "loading.html",
    "loading.epub",
    "template.docx",
    "outline-of-itself.pdf",
    "restricted.pdf",
    "spanning-cells.html",
)
HOSTILE = [
    pytest.param(name, marks=() if name in REFUSED or name in READ else pytest.mark.trial)
    for name in hostile_files("")
]
MUTATIONS = int(os.environ.get("REGULA_MUTATIONS", "100"))
CHUNK = 20  # damaged files in one test
MEMORY = 1 << 30  # bytes


@pytest.fixture(scope="module")
def watch() -> RequestWatch:
    return RequestWatch()


@pytest.fixture(scope="module", autouse=True)
def _nobody_is_asked(watch):
    yield
    assert watch.seen == 0


@pytest.fixture(scope="module")
def reader() -> Iterator[ProcessPoolExecutor]:
    """Another process, which reads files, so that its memory is what reading takes; whatever it
    asks for is an error.
    """
    with ProcessPoolExecutor(1, get_context("spawn"), refuse_connections) as started:
        yield started


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_read_or_refused_in_one_line_that_says_why(reader, watch, name):
    trial = reader.submit(tried, name, hostile_files(watch.address)[name]()).result()
    assert not trial.fault
    assert REFUSED.get(name, "") in trial.said
    assert trial.read or name not in READ
    assert max(trial.memory) <= MEMORY


@pytest.mark.trial
@pytest.mark.parametrize("first", range(0, MUTATIONS, CHUNK))
def test_no_damaged_file_crashes_or_takes_too_much_time_or_memory(reader, first):
    for seed in range(first, first + CHUNK):
        original = list(MAKERS)[seed % len(MAKERS)]
        name = f"{seed}-{original}"
        trial = reader.submit(tried, name, damaged(MAKERS[original](), name)).result()
        assert not trial.fault, name
        assert max(trial.memory) <= MEMORY, name


@pytest.mark.parametrize("name", MAKERS)
def test_the_undamaged_rulebooks_are_read_with_all_their_chapters(name):
    document = Document.from_bytes(name, MAKERS[name]())
    assert all(chapter in document.text for chapter in CHAPTERS)


@pytest.mark.parametrize("seed", seeds(8))
@pytest.mark.parametrize("name", MAKERS)
def test_damaged_files_are_read_or_refused(name, seed):
    raw = damaged(MAKERS[name](), f"{seed} {name}")
    if format := recognise_file(raw):
        with suppress(UnreadableFile):
            assert isinstance(format.extract(raw), ExtractedText)


@pytest.mark.parametrize(
    ("attempt", "event"),
    [
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "socket."),
        ("import socket; socket.getaddrinfo('spiel.example', 80)", "socket."),
        ("import subprocess; subprocess.run(['true'])", "subprocess."),
        ("import os; os.system('true')", "os.system"),
    ],
)
def test_the_process_that_extracts_can_ask_nobody_and_start_nothing(attempt, event):
    code = f"from corpus.formats import isolated; isolated._confine(); {attempt}"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"PermissionError: a document may not do this: {event}" in done.stderr


def test_the_process_that_extracts_writes_no_file(tmp_path):
    code = (
        f"from corpus.formats import isolated; isolated._confine(); "
        f"open({str(tmp_path / 'x')!r}, 'w').write('a' * 100000)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "File too large" in done.stderr
    assert not (tmp_path / "x").read_bytes()


def test_extraction_ends_when_its_processor_time_is_used_up():
    code = (
        "from corpus.formats import isolated; isolated.SECONDS = 1; isolated._confine()\n"
        "while True: pass"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env={"PYTHONPATH": str(ROOT)}, check=False
    )
    assert done.returncode == -signal.SIGXCPU


@pytest.mark.parametrize(
    ("characters", "blocks"), [(isolated.MOST_CHARACTERS + 1, 1), (10, isolated.MOST_BLOCKS + 1)]
)
def test_more_text_than_a_rulebook_has_is_refused(characters, blocks):
    found = ExtractedText("a" * characters, (Block(Span(0, 1)),) * blocks, characters)
    result = isolated._extracted(ExtractedFormat("x", lambda _: True, lambda _: found), b"")
    assert isinstance(result, str)
    assert "more than a rulebook can have" in result


def test_a_text_of_more_characters_than_a_rulebook_has_is_refused():
    with pytest.raises(
        UnreadableDocument, match="5,000,004 characters, more than a rulebook can have"
    ):
        Document.from_bytes("x.txt", b"Lot " * 1_250_001)
