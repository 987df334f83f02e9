from __future__ import annotations

import re
from collections.abc import Callable
from time import monotonic, sleep
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)
from playwright.sync_api import expect

from tests.browser.addresses import DUELL, GUARDIA, WACHT, WACHT_OLD, photograph

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

PATIENCE = 60_000  # milliseconds for what the server works out behind the scenes


def test_a_reference_shows_what_it_leads_to_and_leads_there(visit):
    page = visit(f"/e/{WACHT}/auftauchen", language="en")
    reference = (
        page.get_by_role("main").get_by_role("article").get_by_role("link", name="Strudel").last
    )
    reference.hover()
    preview = page.locator(".preview")
    expect(preview).to_be_visible()
    expect(preview).to_contain_text("Strudel")
    photograph(page, "preview-1440-light")
    page.keyboard.press("Escape")
    expect(preview).to_be_hidden()
    reference.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Strudel")
    expect(
        page.get_by_role("region", name="Referred to by").get_by_role("link", name="Auftauchen")
    ).to_be_visible()


def test_an_entry_leads_to_its_neighbours_and_its_other_editions(visit):
    page = visit(f"/e/{WACHT}/auftauchen", language="en")
    page.get_by_role("region", name="In other editions").get_by_role(
        "link", name="Affiorare"
    ).click()
    expect(page).to_have_url(re.compile(f"/e/{GUARDIA}/affiorare"))
    neighbours = page.get_by_role("navigation", name="Previous and next entry")
    neighbours.get_by_role("link", name=re.compile("^Next")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Aggancio")


@pytest.mark.parametrize("asked", ["Teerjacke", "teerj", "Cerata"])
@pytest.mark.parametrize("script", [True, False])
def test_a_card_is_found_with_its_rulings_in_all_editions(visit, asked, script):
    page = visit("/cards", 360, 640, language="en", script=script)
    page.get_by_label("Name, number or product of a card").fill(asked)
    page.get_by_role("button", name="Find").click()
    main = page.get_by_role("main")
    if asked == "teerj":  # not certain: a list, in which the card has its English name
        main.locator("a[href^='/cards/pegelwacht/']").first.click()
    else:
        expect(main.get_by_role("heading", name=re.compile("Teerjacke")).first).to_be_visible()
    expect(main.get_by_text("Schützt Teerjacke auch einen Matrosen?").first).to_be_visible()
    expect(main.get_by_text(re.compile("cerata", re.IGNORECASE)).first).to_be_visible()


def test_the_glossary_is_sorted_and_leads_to_entries(visit):
    page = visit("/browse", language="en")
    page.get_by_role("main").locator(f"a[href$='/browse/{DUELL}']").click()
    glossary = page.get_by_role("region", name="Glossary")
    expect(glossary.locator("summary").first).to_be_visible()
    names = [
        name.strip() for name in glossary.locator("ul.contents > li summary").all_inner_texts()
    ]
    assert names.index("oben") < names.index("Öl") < names.index("Pegel")  # ö stands with o
    glossary.locator("summary").filter(has_text=re.compile(r"^\s*Öl\s*$")).click()
    glossary.get_by_role("link", name=re.compile("^Open the entry")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Öl")


def test_numbered_rules_open_as_a_tree_without_script(visit):
    page = visit(f"/browse/{DUELL}", 360, 640, language="en", script=False)
    rules = page.get_by_role("region", name="Numbered rules")
    inner = rules.get_by_role("link", name="4.2.3.1", exact=True)
    expect(inner).to_be_hidden()
    for name in ("4. Fahrten", "4.2. Eine Karte verölen", "4.2.3"):
        rules.locator("summary").filter(
            has_text=re.compile(rf"^\s*{re.escape(name)}(?![.\d])")
        ).click()
    inner.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("4.2.3.1")


@pytest.mark.parametrize("script", [True, False])
def test_two_editions_are_chosen_and_stand_side_by_side(visit, script):
    page = visit("/compare", language="en", script=script)
    main = page.get_by_role("main")
    main.get_by_label("Left").select_option(WACHT_OLD)
    main.get_by_label("Right").select_option(WACHT)
    main.get_by_role("button", name="Compare").click()
    expect(page).to_have_url(re.compile(f"/compare/{WACHT_OLD}/{WACHT}"))
    expect(main.get_by_role("heading", level=1)).to_contain_text("1.0", timeout=PATIENCE)
    expect(main.locator("del").first).to_be_visible(timeout=PATIENCE)
    expect(main.locator("ins").first).to_be_visible()
    total = main.get_by_role("status").inner_text()
    main.get_by_label("Heading contains").fill("Auftauchen")
    main.get_by_role("button", name="Filter").click()
    expect(main.get_by_role("status")).not_to_have_text(total)
    assert "q=Auftauchen" in page.url


def test_a_difference_is_seen_without_colour(visit):
    page = visit(f"/compare/{WACHT_OLD}/{WACHT}", language="en")
    main = page.get_by_role("main")
    expect(main.locator("del").first).to_be_visible(timeout=PATIENCE)
    line = "(each) => getComputedStyle(each).textDecorationLine"
    assert main.locator("del").first.evaluate(line) == "line-through"
    assert main.locator("ins").first.evaluate(line) == "underline"


def test_a_comparison_is_taken_along(visit):
    page = visit(f"/compare/{WACHT}/{GUARDIA}", language="en")
    main = page.get_by_role("main")
    endings = {"HTML": ".html", "Excel": ".xlsx", "CSV": ".csv", "TMX": ".tmx", "TBX": ".tbx"}
    for name, ending in endings.items():
        link = main.locator(f"a[href$='/{ending[1:]}']")
        expect(link).to_have_text(re.compile(f"^{name}"), timeout=PATIENCE)
        end = monotonic() + PATIENCE / 1000
        while (
            page.request.get(
                f"{page.url.partition('/compare')[0]}{link.get_attribute('href')}"
            ).status
            == 503
            and monotonic() < end
        ):
            sleep(0.5)  # it is still being prepared
        with page.expect_download() as started:
            link.click()
        assert started.value.suggested_filename.endswith(ending)


def test_faults_in_print_lead_to_their_place(visit):
    page = visit("/state", language="en")
    page.get_by_role("main").locator(f"a[href$='/state/{WACHT}']").click()
    main = page.get_by_role("main")
    expect(main.get_by_label("Sort of fault")).to_be_visible(timeout=PATIENCE)
    place = main.locator("a[href^='/e/']").first
    address = place.get_attribute("href")
    place.click()
    expect(page).to_have_url(re.compile(re.escape(str(address))))
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_about_says_which_documents_are_loaded(visit):
    page = visit("/about", language="en")
    main = page.get_by_role("main")
    expect(main.get_by_text(re.compile("pegelwacht-de-1.1.txt")).first).to_be_visible()
    expect(main.get_by_text(re.compile("[0-9a-f]{12}")).first).to_be_visible()
