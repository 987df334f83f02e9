from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)
from playwright.sync_api import expect

from tests.browser.addresses import DUELL, GUARDIA
from tests.browser.caches import wait_until_cached

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

PACK = "/offline/packs/pegelduell"
MAKING = 120_000  # milliseconds that the first visitor waits for a pack, on a busy machine

PREPARED = """async (address) => {
    while ((await fetch(address)).status === 503) await new Promise((resolve) => setTimeout(resolve, 300));
}"""

OF_VERSION_1 = """() => new Promise((resolve, reject) => {  // what version 1.0 stored: a manifest, and the fragments that it names
    const removed = indexedDB.deleteDatabase("regula-packs");
    removed.onerror = reject;
    removed.onsuccess = () => {
        const request = indexedDB.open("regula-packs", 1);
        request.onupgradeneeded = () => {
            request.result.createObjectStore("packs", {keyPath: "game"});
            request.result.createObjectStore("fragments");
        };
        request.onsuccess = () => {
            const writing = request.result.transaction(["packs", "fragments"], "readwrite");
            const fragments = [{sha256: "0a", bytes: 3}];
            const manifest = {format: 1, index: "20260101-old", game: "pegelduell", bytes: 3, editions: [], fragments};
            writing.objectStore("packs").put({game: "pegelduell", manifest, loaded: new Date()});
            writing.objectStore("fragments").put(new ArrayBuffer(3), "0a");
            writing.oncomplete = () => (request.result.close(), resolve());
        };
    };
})"""


@pytest.fixture
def desk(visit) -> Callable[..., Page]:
    """Makes the page of a visitor who looks at what can be loaded, once the server has made it."""

    def make(**more):
        page = visit("/keys", language="en", **more)
        page.set_default_timeout(MAKING)
        page.evaluate(PREPARED, PACK)
        page.goto("/offline")
        expect(button(page, "Load")).to_be_visible()
        return page

    return make


def button(page, name):
    return page.locator("#pack-pegelduell").get_by_role("button", name=re.compile(name))


def state(page):
    return page.locator("#pack-pegelduell [data-state]")


def load(page, name="Load Pegelduell \\(0\\.\\d MB\\)"):
    button(page, name).click()
    expect(state(page)).to_contain_text("this game can be asked offline. Loaded on ")


def ask(page, question):
    page.get_by_label("Your question", exact=True).fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()


def shown(page):
    """The passages of an answer by their ids: where headings lead, the words, the citation and what
    of it is pasted.
    """
    return {
        article.get_attribute("data-answer"): {
            "address": article.locator("h3 a").get_attribute("href"),
            "heading": article.locator("h3").inner_text().strip(),
            "words": article.locator("blockquote").first.inner_text().split(),
            "place": article.locator(".where").inner_text(),
            "cited": article.locator(".cite p").text_content(),
        }
        for article in page.get_by_role("article").all()
    }


def test_questions_are_answered_on_the_device_where_there_is_no_network(desk):
    page = desk()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    load(page)
    page.goto(f"/?edition={DUELL}")
    wait_until_cached(page, "/offline", page.url)
    page.context.set_offline(True)
    ask(page, "aufgeben")  # from a page that is open
    banner = page.get_by_role("note").filter(
        has_text="Answered offline by a simpler search, from the rulebook loaded on"
    )
    expect(banner).to_contain_text("check the passages")
    expect(banner).to_contain_text("Rulings and cards are not included.")
    first = page.get_by_role("article").first
    offline = shown(page)
    first.locator("[data-cite]").click()
    assert (
        page.evaluate("navigator.clipboard.readText()")
        == offline[first.get_attribute("data-answer")]["cited"]
    )
    page.reload()  # the app is started with the question in its address
    expect(banner).to_be_visible()
    expect(page).to_have_title("aufgeben – Regula")
    expect(page.get_by_label("Your question", exact=True)).to_have_value("aufgeben")
    page.get_by_label("Search in").select_option(GUARDIA)  # of a game that is not loaded
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "No answer: the network cannot be reached."
    )
    expect(
        page.get_by_text("is not loaded on this device for asking without a network.")
    ).to_be_visible()
    expect(page.get_by_text("Loaded: Pegelduell 2.0 (de)")).to_be_visible()
    page.get_by_label("Search in").select_option(DUELL)
    expect(banner).to_be_visible()
    page.context.set_offline(False)
    page.get_by_role("link", name="Ask the server").click()
    expect(banner).to_be_hidden()
    expect(page.get_by_role("article").first).to_be_visible()
    page.wait_for_load_state()
    online = shown(page)
    both = offline.keys() & online.keys()
    assert both
    for id in both:
        assert offline[id] == online[id]


def test_what_is_not_whole_is_not_stored_and_what_is_removed_is_gone(desk):
    page = desk(workers=False)
    page.route(
        f"**{PACK}",
        lambda route: (
            route.fulfill(body=b"\x1f\x8b cut off")
            if route.request.method == "GET"
            else route.continue_()
        ),
    )
    button(page, "Load").click()
    expect(state(page)).to_contain_text("The connection broke. Load it again.")
    page.unroute(f"**{PACK}")
    page.reload()
    expect(state(page)).to_have_text("Not loaded.")
    load(page)
    page.reload()
    expect(state(page)).to_contain_text("Loaded on ")
    button(page, "Remove Pegelduell").click()
    expect(button(page, "Load")).to_be_visible()
    page.route("**/?q=*", lambda route: route.abort())
    page.goto("/")
    ask(page, "aufgeben")
    expect(page.get_by_text("No rulebook is loaded on this device")).to_be_visible()


def test_what_version_1_loaded_is_replaced(desk):
    page = desk(workers=False)
    page.goto("/keys")
    page.evaluate(OF_VERSION_1)
    page.goto("/offline")
    expect(state(page)).to_have_text("Not loaded.")
    load(page)
    page.route("**/?q=*", lambda route: route.abort())
    page.goto("/")
    ask(page, "aufgeben")
    expect(page.get_by_role("note")).to_contain_text("Answered offline")
    expect(page.get_by_role("article").first).to_be_visible()


def test_a_newer_index_is_offered_and_until_it_is_loaded_the_old_one_answers(desk):
    page = desk(workers=False)
    load(page)
    newer = {"Regula-Index": "20990101-newer", "Content-Length": "300000"}
    page.route(
        f"**{PACK}",
        lambda route: (
            route.fulfill(headers=newer) if route.request.method == "HEAD" else route.abort()
        ),
    )
    page.reload()
    expect(state(page)).to_contain_text("A newer version is there.")
    button(page, "Update Pegelduell ").click()
    expect(state(page)).to_contain_text("The connection broke")
    page.route("**/?q=*", lambda route: None)  # a network that gives no answer
    page.goto("/")
    ask(page, "aufgeben")
    expect(page.get_by_role("note")).to_contain_text("Answered offline")
    ask(page, "qqqqzz xyxyxyxy")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()


def test_too_little_room_and_none_at_all_are_said_in_a_sentence(desk, server):
    page = desk(workers=False)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Storage.overrideQuotaForOrigin", {"origin": server, "quotaSize": 50_000})
    button(page, "Load").click()
    expect(state(page)).to_contain_text("This device has too little room.")  # as the store says
    page.add_init_script(
        "Object.defineProperty(window, 'indexedDB', {get() { throw new DOMException('forbidden', "
        "'SecurityError'); }})"
    )
    page.reload()
    expect(state(page)).to_contain_text("This browser stores nothing here")
