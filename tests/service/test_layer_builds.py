import hashlib
from pathlib import Path
from typing import Any

import pytest

import index.building.build
import index.training.encoder
from index.building.build import build
from index.building.snapshots import Snapshots
from index.layers.passages import Layer
from index.model import CardTextHit, Query, RulingHit
from index.search import Index
from index.training.encoder import SubwordEmbedding
from service.answers.verify import verification_out
from service.core.snapshot import Snapshot
from tests.index.small_indexes import books
from tests.service.bodies import json_body
from tests.service.layered import cited

pytestmark = pytest.mark.acceptance

GAME = "pegelduell"
ASKED = "Darf ich den Zwackelkahn im Nebel umbenennen?"
CARD = "Was macht die Karte „Zwackelkahn“?"
RULING = """- id: zwackelkahn
  question: Darf ich den Zwackelkahn im Nebel umbenennen?
  answer: {answer}
  language: de
  cards: [Zwackelkahn]
  date: 2031-03-02
  authority: publisher
  source: Verlagsforum
"""
DATABASE = """cards:
  - id: "77"
    names: {{de: Zwackelkahn}}
    type: boat
    texts: {{de: "{text}"}}
"""


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    home = tmp_path / "home"
    for layer in ("rulings", "cards"):
        (home / layer / GAME).mkdir(parents=True)
    monkeypatch.setenv("REGULA_HOME", str(home))
    monkeypatch.setattr(
        index.training.encoder,
        "train",
        lambda texts, examples, start, report: SubwordEmbedding(seed=1),
    )
    return home


def write(home, answer, text):
    (home / "rulings" / GAME / "forum.yaml").write_text(
        RULING.format(answer=answer), encoding="utf-8"
    )
    (home / "cards" / GAME / "cards.yaml").write_text(DATABASE.format(text=text), encoding="utf-8")


def quoted(found, home):
    """What is quoted of the ruling and of the card, by layer, each checked against the file that it
    is cited from.
    """
    texts: dict[str, str] = {}
    for layer, asked in ((Layer.RULINGS, ASKED), (Layer.CARDS, CARD)):
        (hit,) = found.search(Query(asked, layers=(layer,))).beside
        assert isinstance(hit, (RulingHit, CardTextHit))
        place = (
            hit.ruling.answer.source
            if isinstance(hit, RulingHit)
            else hit.quoted.text.quoted.source
        )
        source: dict[str, Any] = {**place._asdict(), "spans": hit.passage.spans}
        assert cited(source, (home / layer / GAME,)) == hit.passage.text
        texts[layer] = hit.passage.text
    return texts


def test_a_text_that_changed_is_quoted_anew_and_rulebooks_are_not_read_for_it(
    home, tmp_path, monkeypatch
):
    snapshots = Snapshots(tmp_path / "index")
    rulebooks, _ = books(tmp_path / "books")
    before = {
        "rulings": "Ja, aber nur flussaufwärts und nur leise.",
        "cards": "Zieh drei Laternen aus dem Schilf.",
    }
    after = {
        "rulings": "Nein, seit dem Sommer nur noch flussabwärts.",
        "cards": "Zieh vier Laternen vom Steg.",
    }
    write(home, *before.values())
    first = Index.load(snapshots.path(build(rulebooks, snapshots).id))
    assert quoted(first, home) == before

    write(home, *after.values())
    monkeypatch.setattr(
        index.building.build, "read_folder", None
    )  # whoever reads rulebooks now fails
    second = Index.load(snapshots.path(build(rulebooks, snapshots).id))
    assert second.id != first.id
    assert quoted(second, home) == after
    hashes = {hashlib.sha256(path.read_bytes()).hexdigest() for path in home.rglob("*.yaml")}
    assert {ruling.answer.source.sha256 for ruling in second.rulings} <= hashes
    assert [hit.passage for hit in second.search(Query("Was ist die Hafenschau?")).hits] == [
        hit.passage for hit in first.search(Query("Was ist die Hafenschau?")).hits
    ]
    for old, new in zip(before.values(), after.values(), strict=True):
        assert json_body(verification_out(Snapshot(first), f"„{old}“"))["verdict"] == "exact"
        assert json_body(verification_out(Snapshot(second), f"„{old}“"))["verdict"] != "exact"
        assert json_body(verification_out(Snapshot(second), f"„{new}“"))["verdict"] == "exact"


def test_a_ruling_and_a_card_that_are_gone_are_no_longer_found(home, tmp_path, monkeypatch):
    snapshots = Snapshots(tmp_path / "index")
    rulebooks, _ = books(tmp_path / "books")
    write(home, "Ja.", "Zieh drei Laternen.")
    build(rulebooks, snapshots)
    for path in home.rglob("*.yaml"):
        path.unlink()
    monkeypatch.setattr(index.building.build, "read_folder", None)
    found = Index.load(snapshots.path(build(rulebooks, snapshots).id))
    for asked in (ASKED, CARD):
        assert found.search(Query(asked)).beside == ()
        assert found.search(Query(asked)).layers == ()
