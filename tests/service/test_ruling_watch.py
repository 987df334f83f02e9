import json
import time
import urllib.parse
import urllib.request

import pytest

from corpus.errors import RegulaError
from index.building.snapshots import Snapshots
from service.ops.background import (
    ruling_stamp,
    watch_rulings,
)
from service.ops.keys import KeyRing
from tests.index.small_indexes import indexes, publish_copy
from tests.service.serving import serving

GAME = "pegelduell"
QUESTION = "Darf der Zwackelkahn im Nebel umkehren?"
ANSWER = "Ja, solange er die Glocke läutet."


def waited(condition, seconds=120):
    end = time.monotonic() + seconds
    while not (held := condition()) and time.monotonic() < end:
        time.sleep(0.2)
    return held


def sent(address, fields, key):
    host = urllib.parse.urlsplit(address).netloc
    headers = {"Authorization": f"Bearer {key}", "Origin": f"http://{host}"}
    with urllib.request.urlopen(
        urllib.request.Request(address, urllib.parse.urlencode(fields).encode(), headers)
    ) as response:
        assert response.status == 200


def rulings(service, key):
    """The rulings that one of the processes finds for the question."""
    address = f"{service.address}/v1/ask?{urllib.parse.urlencode({'q': QUESTION, 'layers': 'rulings', 'fields': 'all'})}"
    request = urllib.request.Request(
        address, headers={"Authorization": f"Bearer {key}", "Connection": "close"}
    )
    with urllib.request.urlopen(request) as response:
        found = json.load(response)
    return [(passage["text"], passage["role"]) for passage in found["passages"]]


def everywhere(service, key, expected):
    """Whether ``expected`` is what a dozen requests, to whichever process takes them, are answered
    with.
    """
    return waited(lambda: all(rulings(service, key) == expected for _ in range(12)))


@pytest.mark.acceptance
def test_a_house_ruling_is_in_answers_of_every_process_and_leaves_them_again(twins, tmp_path):
    home = tmp_path / "home"
    (home / "rulebooks").mkdir(parents=True)
    publish_copy(indexes(twins.books[0], tmp_path / "index").snapshots, twins.built[0])
    key = KeyRing(tmp_path / "keys.toml").make("anna", editor=True)
    variables = {
        "REGULA_HOME": str(home),
        "REGULA_KEYS": str(tmp_path / "keys.toml"),
        "REGULA_WATCH": "0.3",
    }
    with serving(
        twins.books[0],
        tmp_path / "index",
        tmp_path / "log",
        variables,
        workers=2,
        rate_limit="none",
    ) as service:
        assert rulings(service, key) == []
        typed = {
            "game": GAME,
            "question": QUESTION,
            "answer": ANSWER,
            "language": "de",
            "date": "2031-05-01",
            "do": "keep",
        }
        sent(
            f"{service.address}/rulings/new",
            {**typed, "cards": "", "source": "", "author": ""},
            key,
        )
        assert everywhere(service, key, [(ANSWER, "text")]), (tmp_path / "log").read_text()
        file = home / "rulings" / GAME / "house.yaml"
        written = file.read_text(encoding="utf-8")
        newer = (
            "- {id: neu, question: Darf der Kahn umkehren?, answer: 'Nein, nie.', language: de, "
            "authority: house, date: 2031-06-01"
        )
        (file.parent / "neu.yaml").write_text(
            f"{newer}, supersedes: [{id_of(written)}]}}\n", encoding="utf-8"
        )
        assert waited(lambda: all((ANSWER, "void") in rulings(service, key) for _ in range(12))), (
            tmp_path / "log"
        ).read_text()
        file.unlink()
        (file.parent / "neu.yaml").unlink()
        assert everywhere(service, key, []), (tmp_path / "log").read_text()
        assert len(service.workers()) == 2  # started anew, as after every publication


def id_of(written):
    return next(line.partition("id:")[2].strip() for line in written.splitlines() if "id:" in line)


def write(home, text):
    (home / "rulings" / GAME).mkdir(parents=True, exist_ok=True)
    (home / "rulings" / GAME / "a.yaml").write_text(text, encoding="utf-8")


def test_of_several_that_watch_one_builds_and_only_what_changed(tmp_path):
    home, index, built = tmp_path / "home", Snapshots(tmp_path / "index").folder, []
    index.mkdir(exist_ok=True)
    write(home, "[]")
    watching = [
        watch_rulings(
            home, index, ruling_stamp(home), lambda: built.append(1), 0.05, lambda line: None
        )
        for _ in range(3)
    ]
    time.sleep(0.5)
    assert built == []
    write(home, "- {}")
    assert waited(lambda: bool(built))
    (home / "rulings" / GAME / ".a.yaml.new").write_text("half written", encoding="utf-8")
    time.sleep(0.5)
    assert built == [1]
    (home / "rulings" / GAME / "a.yaml").unlink()
    assert waited(lambda: len(built) > 1)
    end(watching)


def test_a_build_that_fails_is_told_and_tried_again(tmp_path):
    told: list[str] = []
    tries: list[int] = []

    def build():
        tries.append(1)
        if len(tries) == 1:
            raise RegulaError("the disk is full")

    write(tmp_path, "[]")
    watching = [watch_rulings(tmp_path, tmp_path, (), build, 0.05, told.append)]
    assert waited(lambda: len(tries) == 2)
    assert told == ["the disk is full; rulings that were changed are not in answers yet"]
    end(watching)


def test_a_folder_that_cannot_be_written_to_lets_nobody_build(tmp_path):
    built: list[int] = []
    write(tmp_path, "[]")
    watching = [
        watch_rulings(
            tmp_path, tmp_path / "missing", (), lambda: built.append(1), 0.05, lambda line: None
        )
    ]
    time.sleep(0.5)
    assert built == []
    end(watching)


def end(watching):
    for each in watching:
        each.set()
