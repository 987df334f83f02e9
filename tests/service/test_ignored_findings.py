import html
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from corpus.document import Document
from corpus.read import read
from glossary.check import check_rulebook
from glossary.references import find
from service.cli import cli
from service.editions import findings
from service.editions.ignored_findings import judged_findings, load_ignored
from service.ops.settings import Settings
from service.ops.workspace import make_workspace
from service.web.app import create_app
from tests.conftest import SAMPLE, rulebook_of
from tests.service.test_pages import assert_sound, page
from tests.service.test_state_page import DE, FOUND

STATE, OWN = f"/state/{DE}", {"Origin": "http://localhost"}
DUEL = "pegelduell-de-2.0"
PLACES = ["--rulebooks", str(SAMPLE), "--edition", "pegelduell-de-2.0"]


@pytest.fixture
def home(tmp_path) -> Path:
    make_workspace(tmp_path / "mine")
    return tmp_path / "mine"


@pytest.fixture
def editor(indexes, home, monkeypatch) -> FlaskClient:
    monkeypatch.setattr(findings, "snapshot_findings", lambda _: {DE: FOUND})
    return create_app(indexes, Settings.model_construct(home=home)).test_client()


@pytest.fixture
def form(editor) -> dict[str, str]:
    """The form of the first misprint, filled in."""
    shown = editor.get(f"{STATE}?sort=misprint").text
    key = re.findall(r'name="key" value="([^"]*)"', shown)[0]
    return {
        "key": html.unescape(key),
        "next": STATE,
        "because": "steht so\r\nim <b>Original",
        "reviewer": "Anna",
        "do": "ignore",
    }


def test_a_finding_is_ignored_with_the_reason_and_reported_again(editor, form, home):
    assert "Fehler01" in page(editor, STATE).text
    response = editor.post(f"{STATE}/ignored", data=form, headers=OWN)
    assert (response.status_code, response.location) == (303, STATE)
    (said,) = load_ignored(home, "sternenhafen").values()
    assert (said.because, said.by) == ("steht so\nim <b>Original", "Anna")
    assert "Fehler" not in (home / "ignored" / "sternenhafen.jsonl").read_text()
    assert "Fehler01" not in page(editor, STATE).text
    shown = page(editor, f"{STATE}?ignored=1").text
    assert "Fehler01" in shown
    assert "steht so im <b>Original" in " ".join(shown.split())
    assert "Fehler02" not in shown
    assert_sound(editor, f"{STATE}?ignored=1")
    editor.post(f"{STATE}/ignored", data={**form, "do": "restore"}, headers=OWN)
    assert load_ignored(home, "sternenhafen") == {}
    assert "Fehler01" in page(editor, STATE).text


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"because": "  "}, 422),
        ({"because": "x" * 2001}, 422),
        ({"reviewer": ""}, 422),
        ({"key": "0" * 16}, 404),
    ],
)
def test_what_says_nothing_is_refused(editor, form, home, changes, status):
    response = editor.post(f"{STATE}/ignored", data={**form, **changes}, headers=OWN)
    assert response.status_code == status
    assert load_ignored(home, "sternenhafen") == {}


def test_nobody_else_may_ignore_findings(editor, form, home):
    assert editor.post(f"{STATE}/ignored", data=form).status_code == 403
    editor.environ_base["REMOTE_ADDR"] = "192.0.2.7"
    assert editor.post(f"{STATE}/ignored", data=form, headers=OWN).status_code == 403
    assert 'name="because"' not in page(editor, STATE).text
    assert load_ignored(home, "sternenhafen") == {}


def test_the_command_ignores_a_finding_until_it_is_restored(home):
    def check(*options):
        result = CliRunner().invoke(cli, ["check", *PLACES, "--home", str(home), *options])
        return result.exit_code, result.output

    first, *others = json.loads(check("--json")[1])
    assert check("--ignore", first["id"])[0] == 2
    assert check("--ignore", "0" * 16, "--because", "x", "--by", "Anna")[0] == 2
    assert check("--ignore", first["id"], "--because", "steht so", "--by", "Anna")[0] == 0
    left = json.loads(check("--json")[1])
    assert left == [each for each in others if each["id"] != first["id"]]
    assert "; 1 ignored" in check()[1]
    assert "ignored by Anna" not in check()[1]
    assert "ignored by Anna" in check("--ignored")[1]
    assert check("--restore", first["id"])[0] == 0
    assert len(json.loads(check("--json")[1])) == len(others) + 1


def test_what_is_ignored_stays_so_in_a_new_version(sample):
    old = rulebook_of(sample, DUEL)
    text = old.document.text.replace("\n", "\n\nEine neue Zeile.\n", 1)
    new = read(
        Document.from_bytes("new.txt", text.encode()),
        replace(old.edition, id="pegelduell-de-3", version="3", corrections=()),
    )
    keys = [
        {
            each.key
            for each in judged_findings(
                check_rulebook(book, [book], find(book, [book])), book.edition, book.entries, {}
            )
        }
        for book in (old, new)
    ]
    assert len(keys[0] & keys[1]) >= 0.6 * len(keys[0])
