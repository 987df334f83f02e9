from __future__ import annotations

import re

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)
from playwright.sync_api import expect

from service.ops.settings import Settings
from service.web.app import create_app
from tests import paged
from tests.browser.caches import wait_until_cached
from tests.browser.test_asking import open_more
from tests.service.harbour import Indexes
from tests.service.serving import answering, free_port

ASKED = f"/?q=Leuchtturm&edition={paged.EDITION}"


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> str:
    """The address of a server over the PDF of `paged`; its thread ends with the tests."""
    found = paged.snapshot(tmp_path_factory.mktemp("indexes") / "20310517-moewen")
    settings = Settings(port=free_port(), rate_limit="none")
    return answering(create_app(Indexes(found), settings), settings)


def in_sight(page):
    """Whether the first mark is within the window, or comes there."""
    return page.wait_for_function(
        """() => {
          const box = document.querySelector("#passage")?.getBoundingClientRect();
          return box && box.top > 0 && box.bottom < innerHeight;
        }"""
    )


def to_page(page):
    """The link that the place of the first answer is, in sight without a tap."""
    return page.locator("[data-answer]").first.get_by_role("link", name="S. 1", exact=True)


def drawn(page):
    page.wait_for_function("() => document.querySelector('.sheet img')?.naturalWidth > 0")


def test_an_answer_shows_its_place_as_printed_when_it_is_asked_for(visit):
    page = visit(ASKED, language="de", width=360, height=640)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    first = page.locator("[data-answer]").first
    printed = first.locator(".printed")
    expect(printed).to_be_hidden()
    assert not [url for url in asked if ".png" in url]
    with page.expect_response(re.compile(r"/pages/1\.png")) as answered:
        open_more(first)
    assert answered.value.ok
    expect(printed.locator("svg")).to_be_visible()
    expect(printed.locator("svg")).not_to_have_attribute("aria-busy", "true")
    mark, shown = (
        printed.locator("rect").first.bounding_box(),
        printed.locator("svg").bounding_box(),
    )
    assert mark
    assert shown
    assert shown["x"] <= mark["x"]
    assert mark["x"] + mark["width"] <= shown["x"] + shown["width"] <= 360
    assert shown["y"] <= mark["y"]
    assert mark["y"] + mark["height"] <= shown["y"] + shown["height"]
    first.get_by_role("link", name="Ganze Seite : Flug").click()
    drawn(page)
    assert in_sight(page)
    page.get_by_role("link", name="Zurück zur Antwort").click()
    expect(page.locator("[data-answer]").first).to_be_visible()


def test_a_citation_that_is_copied_has_a_link_to_its_page(visit, server):
    page = visit(ASKED, language="de")
    page.locator("[data-cite]").first.click()
    expect(page.get_by_role("status").first).to_contain_text("Zitat kopiert")
    words, html = page.evaluate(
        """async () => {
        const [copied] = await navigator.clipboard.read();
        return Promise.all(["text/plain", "text/html"].map(async (kind) => (await copied.getType(kind)).text()));
    }"""
    )
    assert words == "„Über dem Leuchtturm kreist sie eine Runde.“ – Möwenspiel 1.0, Flug, S. 1"
    assert f'<a href="{server}/documents/' in html
    assert html.endswith("S. 1</a>")


def test_pages_that_were_read_are_there_without_a_network(visit):
    page = visit("/", language="de", workers=True)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.goto(ASKED)
    link = to_page(page)
    wait_until_cached(
        page,
        link.get_attribute("data-sheet") or "",
        (link.get_attribute("href") or "").partition("#")[0],
    )
    page.context.set_offline(True)
    link.click()
    drawn(page)
    assert in_sight(page)
    page.get_by_label("Größer").check()  # which asks for a wider picture
    page.wait_for_timeout(300)
    drawn(page)
    assert in_sight(page)
    page.get_by_role("link", name="Seite 2", exact=False).last.click()
    expect(page.get_by_role("heading", name="Offline nutzen")).to_be_visible()
    page.go_back()
    drawn(page)
    page.get_by_role("link", name="Zurück zur Antwort").click()
    expect(page.locator("[data-answer]").first).to_be_visible()


def test_pictures_that_are_kept_have_a_bound(visit):
    page = visit("/", language="de", workers=True)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    worker = page.context.service_workers[0]
    left = worker.evaluate(
        """async () => {
        const index = (await fetch("/")).headers.get("Regula-Index"); // whatever is kept of another, the page that is being kept ends
        const picture = (size) => new Response(new Uint8Array(size), { headers: { "Regula-Index": index } });
        for (let page = 1; page <= 5; page++) await keep(`${location.origin}/documents/a/pages/${page}.png?width=1280`, picture(ROOM / 4));
        const names = (await caches.keys()).filter((name) => name.startsWith("drawn-"));
        return (await (await caches.open(names[0])).keys()).map((request) => new URL(request.url).pathname);
    }"""
    )
    assert left == [f"/documents/a/pages/{number}.png" for number in (2, 3, 4, 5)]


def test_a_picture_that_does_not_come_leaves_its_words_and_says_so(visit):
    page = visit(ASKED, language="de", width=360, height=640, workers=False)
    page.route("**/*.png?*", lambda route: route.abort())
    to_page(page).click()
    expect(page.get_by_text("Das Bild dieser Seite fehlt.")).to_be_visible()
    expect(page.locator(".marks")).to_be_hidden()
    expect(
        page.get_by_role("img", name="Über dem Leuchtturm kreist sie eine Runde.")
    ).to_be_visible()


def test_a_larger_page_keeps_the_mark_in_sight_and_the_window_as_wide(visit):
    page = visit(ASKED, language="de", width=360, height=640)
    to_page(page).click()
    drawn(page)
    before = page.locator("#passage").bounding_box()
    page.get_by_label("Größer").check()
    after = page.locator("#passage").bounding_box()
    assert before
    assert after
    assert after["width"] > 2 * before["width"]
    assert 0 <= after["x"] < 360
    assert in_sight(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_page_itself_is_shown_when_it_is_asked_for(visit):
    page = visit(ASKED, language="de")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    to_page(page).click()
    drawn(page)
    assert not [url for url in asked if ".mjs" in url]
    page.get_by_role("button", name="Schärfer").click()
    page.wait_for_function("() => document.querySelector('.sheet canvas')")
    assert page.locator(".words span").first.text_content() == "FLUG"
    assert page.locator("#passage").count() == 1
