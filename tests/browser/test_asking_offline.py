"""A hall without a network: rulebooks that were loaded for it answer on the device, as far as they are whole and there is room for them."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import pytest

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (make test installs it)")
from playwright.sync_api import expect

from tests.browser.addresses import DUELL, GUARDIA
from tests.browser.caches import wait_until_cached

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    Visit = Callable[..., Page]

FRAGMENTS = "**/offline/fragments/*"
PACK = "/offline/packs/pegelduell"
MAKING = 120_000  # milliseconds that the first visitor waits for a pack, on a busy machine

PREPARED = """async (address) => {
    while ((await fetch(address)).status === 503) await new Promise((resolve) => setTimeout(resolve, 300));
}"""
STORED = """() => new Promise((resolve, reject) => {
    const request = indexedDB.open("regula-packs");
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
        const all = request.result.transaction("fragments").objectStore("fragments").getAllKeys();
        all.onsuccess = () => (request.result.close(), resolve(all.result));
    };
})"""

SPOILT = """() => new Promise((resolve) => {
    const request = indexedDB.open("regula-packs");
    request.onsuccess = () => {
        const packs = request.result.transaction("packs", "readwrite").objectStore("packs");
        packs.get("pegelduell").onsuccess = ({target}) => {
            target.result.manifest.format = 99;
            packs.put(target.result).onsuccess = () => (request.result.close(), resolve());
        };
    };
})"""


@pytest.fixture
def desk(visit: Visit) -> Callable[..., Page]:
    """Makes the page of a visitor who looks at what can be loaded, once the server has made it."""

    def make(**more: Any) -> Page:
        page = visit("/keys", language="en", **more)
        page.set_default_timeout(MAKING)
        page.evaluate(PREPARED, PACK)
        page.goto("/offline")
        expect(button(page, "Load for asking without a network")).to_be_visible()
        return page

    return make


def button(page: Page, name: str) -> Any:
    return page.locator("#pack-pegelduell").get_by_role("button", name=re.compile(name))


def state(page: Page) -> Any:
    return page.locator("#pack-pegelduell [data-state]")


def load(page: Page, name: str = "Load for asking without a network: Pegelduell, [67]\\.\\d MB") -> None:
    button(page, name).click()
    expect(state(page)).to_contain_text("Questions on it are answered without a network now. Loaded on ")


def ask(page: Page, question: str) -> None:
    page.get_by_label("Your question", exact=True).fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()


def shown(page: Page) -> dict[str, str | None]:
    """The first passage of an answer: where its heading leads, its words with what is marked, its citation and what of it is pasted."""
    first = page.get_by_role("article").first
    return {
        "id": first.get_attribute("data-answer"),
        "address": first.locator("h3 a").get_attribute("href"),
        "heading": first.locator("h3").inner_text().strip(),
        "words": first.locator("blockquote").inner_text(),
        "place": first.locator(".place").first.inner_text(),
        "cited": first.locator(".cite p").text_content(),
    }


def requested(page: Page) -> list[str]:
    """The fragments that the page asks for from now on."""
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url.rpartition("/")[2]) if "/offline/fragments/" in request.url else None)
    return found


def test_questions_are_answered_on_the_device_where_there_is_no_network(desk: Callable[..., Page]) -> None:
    page = desk()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    load(page)
    page.goto(f"/?edition={DUELL}")
    wait_until_cached(page, "/offline", page.url)
    page.context.set_offline(True)
    ask(page, "aufgeben")  # from a page that is open
    banner = page.get_by_role("note").filter(has_text="Answered on this device from the rulebook loaded on")
    expect(banner).to_contain_text("Rulings and cards are not included.")
    first = page.get_by_role("article").first
    offline = shown(page)
    expect(first.locator("mark").first).to_be_visible()
    first.get_by_text("Copy citation").click()
    assert page.evaluate("navigator.clipboard.readText()") == offline["cited"]
    page.reload()  # the app is started with the question in its address
    expect(banner).to_be_visible()
    expect(page).to_have_title("aufgeben – Regula")
    expect(page.get_by_label("Your question", exact=True)).to_have_value("aufgeben")
    page.get_by_label("Search in").select_option(GUARDIA)  # of a game that is not loaded
    expect(page.get_by_role("heading", level=1)).to_have_text("No answer: the network cannot be reached.")
    expect(page.get_by_text("is not loaded on this device for asking without a network.")).to_be_visible()
    expect(page.get_by_text("Loaded: Pegelduell 2.0 (de)")).to_be_visible()
    page.get_by_label("Search in").select_option(DUELL)
    expect(banner).to_be_visible()
    page.context.set_offline(False)
    page.get_by_role("link", name="Ask the server").click()
    expect(banner).to_be_hidden()
    assert shown(page) == offline


def test_a_load_that_was_interrupted_goes_on_and_what_is_removed_is_gone(desk: Callable[..., Page]) -> None:
    page = desk(workers=False)
    given: list[str] = []

    def half(route: Route) -> None:
        if len(given) >= 5:
            return route.abort("internetdisconnected")
        given.append(route.request.url.rpartition("/")[2])
        return route.continue_()

    page.route(FRAGMENTS, half)
    button(page, "Load for asking").click()
    expect(state(page)).to_contain_text("The network went away. What is loaded stays")
    expect(state(page)).to_contain_text(re.compile(r"Interrupted: .* of \d\.\d MB are here"))
    page.unroute(FRAGMENTS)
    page.reload()
    again = requested(page)
    load(page, "Go on loading: Pegelduell, ")
    assert set(again).isdisjoint(given)
    assert sorted({*again, *given}) == sorted(page.evaluate(STORED))
    page.evaluate(SPOILT)  # as if another version of the site had loaded it
    page.route("**/?q=*", lambda route: route.abort())
    page.goto("/")
    ask(page, "aufgeben")
    expect(page.get_by_text("it comes from another version, or is damaged. Load it again.")).to_be_visible()
    page.goto("/offline")
    expect(state(page)).to_contain_text("A newer version is there: 0 kB")
    button(page, "Remove: Pegelduell").click()
    expect(button(page, "Load for asking")).to_be_visible()
    assert page.evaluate(STORED) == []


def test_an_update_loads_what_has_changed_and_until_it_is_whole_the_old_one_answers(desk: Callable[..., Page], server: str) -> None:
    page = desk(workers=False)
    load(page)
    with urlopen(server + PACK) as response:
        newer = json.load(response)
    changed = newer["fragments"][-1]
    with urlopen(f"{server}/offline/fragments/{changed['sha256']}") as response:
        content = zlib.compress(zlib.decompress(response.read()), 1)  # the same otherwise
    before = changed["sha256"]
    newer["index"] = "20990101-newer"
    newer["bytes"] += len(content) - changed["bytes"]
    changed |= {"sha256": sha256(content).hexdigest(), "bytes": len(content)}
    page.route(f"**{PACK}", lambda route: route.fulfill(json=newer))
    page.route(f"**/offline/fragments/{changed['sha256']}", lambda route: route.abort())
    asked = requested(page)
    page.reload()
    expect(state(page)).to_contain_text("A newer version is there")
    button(page, "Load the newer version").click()
    expect(state(page)).to_contain_text("The network went away")
    assert before in page.evaluate(STORED)
    page.route(f"**/offline/fragments/{changed['sha256']}", lambda route: route.fulfill(body=content))
    page.route("**/?q=*", lambda route: None)  # a network that gives no answer
    page.goto("/")
    ask(page, "aufgeben")
    expect(page.get_by_role("note")).to_contain_text("Answered on this device")
    page.goto("/offline")
    load(page, "Load the newer version")
    expect(state(page)).to_contain_text("index 20990101-newer")
    assert set(asked) == {changed["sha256"]}
    assert before not in page.evaluate(STORED)
    page.route("**/?q=*", lambda route: route.abort())
    page.goto("/")
    ask(page, "aufgeben")
    expect(page.get_by_role("note")).to_contain_text("Answered on this device")


def test_too_little_room_and_none_at_all_are_said_in_a_sentence(desk: Callable[..., Page], server: str) -> None:
    page = desk(workers=False)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Storage.overrideQuotaForOrigin", {"origin": server, "quotaSize": 3_000_000})
    button(page, "Load for asking").click()
    expect(state(page)).to_contain_text("There is not enough room on this device.")  # as the store says
    devtools.send("Storage.overrideQuotaForOrigin", {"origin": server})  # as it was
    page.evaluate("navigator.storage.estimate = async () => ({quota: 3_000_000, usage: 2_500_000})")
    button(page, "Load for asking|Go on loading").click()
    expect(state(page)).to_contain_text(re.compile("There is not enough room: .* MB more are needed, the browser gives 500 kB."))
    page.add_init_script("Object.defineProperty(window, 'indexedDB', {get() { throw new DOMException('forbidden', 'SecurityError'); }})")
    page.reload()
    expect(state(page)).to_contain_text("This browser stores nothing for this site")
