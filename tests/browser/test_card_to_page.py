import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)
from playwright.sync_api import expect

from corpus.cards.model import Card, CardFace, CardText, Printing, TextKind
from corpus.rulings.model import Authority, Basis, Ruling
from corpus.sourced_text import SourcedText, StringSource
from index.cards.card_store import CardStore
from index.files.records import IdTable
from index.layers.ruling_store import RulingStore
from service.ops.settings import Settings
from service.web.app import create_app
from tests import paged
from tests.service.harbour import Harbour, Indexes
from tests.service.serving import answering, free_port

GULL = "/cards/moewenspiel/gull-7"


def gull():
    text = CardText(
        TextKind.RULES,
        SourcedText("Zieht 2 Federn.", "de", StringSource("cards.json", "0" * 64, "/0/text")),
        "Zieht 2 Federn.",
    )
    face = CardFace({"de": "Silbermöwe", "en": "Gull"}, {}, "bird", {}, {}, (text,), "7")
    return Card(
        "7",
        "moewenspiel",
        "gull-7",
        (face,),
        (Printing("7", {"de": "Grundspiel"}, "7", ""),),
        (),
        {},
    )


def ruling():
    said = SourcedText(
        "Ja, sie fliegt über jedes Feld.", "de", StringSource("rulings.yaml", "0" * 64, "/0/answer")
    )
    basis = Basis(f"{paged.EDITION}/flug", "", "")
    return Ruling(
        "moewenspiel/gull-1",
        "moewenspiel",
        Authority.PUBLISHER,
        "2031-02-03",
        ("7",),
        None,
        said,
        "Forum",
        "",
        (basis,),
        "",
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> str:
    """The address of a server over the PDF of `paged` with a card and a ruling about it that rests
    on its rule.
    """
    found: Harbour = paged.snapshot(tmp_path_factory.mktemp("indexes") / "20310517-moewen")
    found.cards = CardStore(
        {"moewenspiel": range(1)}, [gull()], IdTable.from_ids(["moewenspiel/gull-7"]), None, None
    )
    found.rulings = RulingStore.build({"moewenspiel": [ruling()]}, lambda game, card: card)
    settings = Settings(port=free_port(), rate_limit="none")
    return answering(create_app(Indexes(found), settings), settings)


def test_a_judge_gets_from_a_card_to_the_page_of_the_book_in_three_taps(visit):
    page = visit(GULL, width=360, height=640, language="de")
    page.get_by_role("main").get_by_role("link", name="3. Februar 2031").click()
    page.get_by_role("main").get_by_role("link", name="Flug").click()
    page.get_by_role("main").get_by_role("link", name="Seite 1").first.click()
    expect(page.locator("#passage")).to_be_visible()
    page.wait_for_function("() => document.querySelector('.sheet img')?.naturalWidth > 0")
