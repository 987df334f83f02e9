import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)
from playwright.sync_api import expect

from tests.browser.addresses import CARD, STATES


def test_other_languages_unfold_without_script(visit):
    page = visit(CARD, language="de", script=False)
    others = page.locator("section[aria-labelledby=languages]")
    expect(others.locator("blockquote[lang=it]").first).to_be_hidden()
    others.locator("summary", has_text="Arpione").click()
    expect(others.locator("blockquote[lang=it]").first).to_be_visible()


def test_a_card_is_chosen_while_one_types(visit):
    page = visit("/", language="de")
    page.get_by_label("Deine Frage", exact=True).press_sequentially("kluge d")
    page.get_by_role("option", name="Kluge Dohle").click()
    expect(page.get_by_role("heading", name="Kluge Dohle", level=1)).to_be_visible()


# What a finger is to hit, with the height of each; what lies around a link reaches out for it too.
SMALL = """() => [...document.querySelectorAll(
    "main .acts a, main .acts summary, main .links a, main .special a, main .rest > summary, main .quote h3 a, main .more a"
  )].filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 44).map((each) => each.innerText)"""


def test_a_finger_hits_what_it_is_to_hit(visit):
    page = visit("/keys", width=390, height=844, touch=True)
    for name in ("answer-ruled", "answer-card", "card-errata", "ruling-superseded"):
        page.goto(STATES[name])
        assert page.evaluate(SMALL) == [], name


def test_an_official_ruling_is_read_without_scrolling(visit):
    page = visit(STATES["answer-ruled"], width=320, height=640, touch=True)
    first = page.get_by_role("main").get_by_role("article").first
    expect(first).to_contain_text("Offizielle Antwort, 8. Juli 2025")
    marked = first.locator(
        "mark, blockquote"
    ).first.bounding_box()  # of one sentence nothing is marked
    assert marked is not None
    assert marked["y"] + marked["height"] <= 640


def test_a_ruling_that_names_no_basis_leads_to_the_rules_in_its_words(visit):
    page = visit(STATES["ruling-superseded"])
    page.get_by_role("region", name="Genannte Regeln").get_by_role(
        "link", name="Schaden", exact=True
    ).click()
    expect(page.get_by_role("heading", name="Schaden", level=1)).to_be_visible()


def test_the_star_stands_beside_who_has_ruled(visit):
    page = visit("/rulings/pegelwacht", 320, 640, touch=True)
    ruling = page.locator("article.ruling").first
    star, label = ruling.locator(".star"), ruling.locator(".special")
    star.wait_for()
    (left, right) = (label.bounding_box(), star.bounding_box())
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"]
