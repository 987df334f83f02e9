import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from corpus.rulings import load_rulings
from index.layers.passages import ruling_passage
from index.layers.ruling_store import RulingStore
from index.model import RulingHit
from service.ops.feedback.confirmed import proposed_phrasings
from service.ops.feedback.records import FeedbackRecord
from service.ops.settings import Settings
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes, library
from tests.service.test_pages import GERMAN, Page, page
from tests.service.test_ruling_pages import RULINGS
from tests.service.test_several_questions import FIRST, SECOND, TEXT, TwoQuestionHarbour

GAME = "sternenhafen"


class RuledHarbour(Harbour):
    """Finds a ruling for every question, before what the rulebook says."""

    def search(self, query):
        ruling = self.rulings[f"{GAME}/leuchtturm-nebel"]
        hit = RulingHit(
            ruling_passage(ruling), 0.9, (), behind=0, ruling=ruling, settles=True, older=False
        )
        return replace(super().search(query), beside=(hit,))


@pytest.fixture
def kept(tmp_path) -> Callable[[], list[dict[str, Any]]]:
    return lambda: [
        json.loads(line)
        for file in (tmp_path / "feedback").glob("*.jsonl")
        for line in file.read_text("utf-8").splitlines()
    ]


def told(snapshot, home):
    return create_app(Indexes(snapshot), Settings(feedback=True, home=home)).test_client()


def forms(client, address):
    found = re.findall(
        r'<form class="verdict".*?</form>', client.get(address, headers=GERMAN).text, re.DOTALL
    )
    return [{str(a["name"]): str(a["value"]) for a in Page(each).all("input")} for each in found]


def test_a_ruling_can_be_what_it_was_and_becomes_no_phrasing(tmp_path, kept):
    home = tmp_path / "rulings" / GAME
    home.mkdir(parents=True)
    (home / "forum.yaml").write_text(json.dumps(RULINGS), encoding="utf-8")
    store = RulingStore.build({GAME: load_rulings(GAME, tmp_path).rulings})
    client = told(RuledHarbour(library(), rulings=store), tmp_path)
    first = forms(client, "/?q=Flaute")[0]
    assert (
        client.post("/feedback", data={**first, "verdict": "hit"}, headers=GERMAN).status_code
        == 303
    )
    assert "Danke, es ist notiert." in page(client, "/?q=Flaute").text
    (said,) = kept()
    assert (said["verdict"], said["passage"]["id"], said["rank"]) == (
        "hit",
        f"rulings/{GAME}/leuchtturm-nebel#1",
        1,
    )
    assert said["passage"]["label"].startswith("Offizielle Antwort")
    assert proposed_phrasings(library(), [FeedbackRecord(**said)]) == []


def test_each_of_several_questions_is_judged_by_itself(tmp_path, harbour_library, kept):
    client = told(TwoQuestionHarbour(harbour_library), tmp_path)
    address = f"/?q={TEXT}"
    asked = [form["question"] for form in forms(client, address)]
    assert FIRST in asked
    assert SECOND in asked
    of_second = forms(client, address)[asked.index(SECOND)]
    client.post("/feedback", data={**of_second, "verdict": "hit"}, headers=GERMAN)
    assert [(said["verdict"], said["question"]) for said in kept() if said["verdict"] == "hit"] == [
        ("hit", SECOND)
    ]
    assert page(client, address).text.count("Danke, es ist notiert.") == 1
