from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from index.library.library import make_library
from service.ops.settings import Settings
from service.web.app import create_app
from tests.browser.caches import wait_until_cached
from tests.service.harbour import Harbour, Indexes, german, italian, library
from tests.service.serving import answering, free_port

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

DE = "sternenhafen-de-1.0"
LIST = "Print or share the list"
RULE = "Bei Flaute darf kein Schiff den Hafen verlassen, außer es hat Ruder."
NEW_RULE = "Bei Flaute bleibt jedes Schiff im Hafen."
FORBIDDEN = (
    "Object.defineProperty(window, 'indexedDB', {value: {open() { throw new DOMException('no', "
    "'SecurityError'); }}});"
)
MANY_QUESTIONS = """async () => {
  const store = await import('/static/memory-store.js');
  await store.change(({questions}) => {
    for (let n = 0; n < 205; n++) {
      const time = `2020-01-01T00:00:00.${n}Z`;
      questions.set(` ${n}`, {key: ` ${n}`, question: `${n}`, address: `/?q=${n}`, scope: '', time});
    }
  });
}"""
# What version 1.0 of this site has kept: two lists.
FORMER = """async () => {
  const asked = indexedDB.open('regula', 1);
  const database = await new Promise((done) => (asked.onsuccess = () => done(asked.result)));
  const stores = database.transaction(['passages', 'lists'], 'readwrite');
  const put = (id, keys) => ({id, name: id, day: '', passages: keys, changed: ''});
  const all = await new Promise((done) => {
    const keys = stores.objectStore('passages').getAllKeys();
    keys.onsuccess = () => done(keys.result);
  });
  all.forEach((key, n) => stores.objectStore('lists').put(put(`list-${n}`, [key])));
  await new Promise((done) => (stores.oncomplete = done));
  database.close();
}"""
NEWER = """new Promise((done) => {
  const asked = indexedDB.open('regula', 99);
  asked.onsuccess = () => { asked.result.close(); done(); };
})"""
FULL = (
    "void (IDBObjectStore.prototype.put = () => { throw new DOMException('full', "
    "'QuotaExceededError'); });"
)


def changed_library():
    """The rulebook in which the rule on calm was worded anew."""
    books = [german(), italian()]
    passages = books[0].passages
    at = next(n for n, each in enumerate(passages) if each.id == f"{DE}/flaute#0")
    passages[at] = replace(passages[at], text=NEW_RULE, display=NEW_RULE)
    return make_library([b.rulebook() for b in books], [], {}, {})


@pytest.fixture(scope="module")
def indexes() -> Indexes:
    return Indexes(Harbour(library(), id="first"))


@pytest.fixture(scope="module")
def server(indexes) -> str:
    """The address of a server that keeps no feedback; its thread ends with the tests."""
    settings = Settings(port=free_port(), rate_limit="none")
    return answering(create_app(indexes, settings), settings)


@pytest.fixture
def judge(visit) -> Page:
    """A judge on a phone who has asked about calm."""
    return visit("/?q=Flaute", 360, 640, language="en", touch=True, workers=False)


def answers(page):
    return page.get_by_role("main").get_by_role("article")


def said(page):
    return page.locator("#said")


def star(page, number):
    answer = answers(page).nth(number)
    if answer.locator(".dots:not([open])").count():
        answer.locator(".dots > summary").tap()
    button = answer.get_by_role("button", name="Favourite")
    button.tap()
    expect(button).to_have_attribute("aria-pressed", "true")


def memory(page):
    page.goto("/memory")
    expect(page.locator("#kept")).to_be_visible()
    return page


def listed(page):
    return page.locator("#listed h3 a").all_inner_texts()


def two_on_a_list(page):
    for number in (0, 1):
        star(page, number)
        button = answers(page).nth(number).get_by_role("button", name="On the list")
        button.tap()
        expect(button).to_have_attribute("aria-pressed", "true")


def change(item):
    """Unfold what can be done with an ``item`` of the page, and return it."""
    if item.locator("details").first.get_attribute("open") is None:
        item.locator(".kept-tools > summary").tap()
    return item


def unfold(page, name):
    """Unfold the form called ``name``."""
    form = page.locator("details.kept-tools").filter(has=page.get_by_text(name, exact=True)).first
    if form.get_attribute("open") is None:
        form.locator("summary").first.tap()


def write_note(within, text):
    within.get_by_text("Write a note").tap()
    within.get_by_role("textbox").fill(text)
    within.get_by_role("button", name="Keep the note").tap()


def exported(page, button="Export everything"):
    unfold(page, "Export and import" if button == "Export everything" else LIST)
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).tap()
    return json.loads(Path(waiting.value.path()).read_text("utf-8"))


def give(page, content):
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    page.locator("#import").set_input_files(
        {"name": "a.json", "mimeType": "application/json", "buffer": text}
    )


def test_stars_and_notes_are_there_again_and_nothing_is_sent(judge):
    sent: list[str] = []
    judge.on(
        "request",
        lambda request: sent.append(f"{request.method} {request.url} {request.post_data or ''}"),
    )
    star(judge, 1)
    expect(said(judge)).to_have_text("Kept as a favourite on this device")
    first = answers(judge).nth(1)
    write_note(first, "So ruled <b>on Saturday</b>")
    expect(first.locator(".my-note")).to_contain_text("My note, not the rulebook's words")
    expect(first.locator(".my-note")).to_contain_text("<b>on Saturday</b>")
    judge.goto(f"/e/{DE}/flaute")
    expect(judge.locator(".my-note")).to_contain_text("So ruled <b>on Saturday</b>")
    memory(judge)
    kept = judge.locator("#starred > li")
    expect(kept.locator("blockquote")).to_have_text(RULE)
    expect(kept.get_by_role("link", name="Flaute")).to_have_attribute(
        "href", f"/e/{DE}/flaute#p-flaute-0"
    )
    expect(kept.locator("cite")).to_have_text("Sternenhafen Regelbuch 1.0 (de), Flaute, Z. 25–27")
    write_note(change(kept), "Otherwise on Sunday")
    expect(kept.locator(".my-note")).to_contain_text("Otherwise on Sunday")
    asked = judge.locator("#asked-list > li")
    expect(asked).to_have_count(1)
    asked.get_by_role("link", name="Flaute", exact=True).tap()
    expect(answers(judge).nth(1).locator(".my-note")).to_contain_text("Otherwise on Sunday")
    assert not [
        each
        for each in sent
        if "Saturday" in each or not each.startswith("GET ") or "fingerprints" in each
    ]


def test_a_list_is_put_in_order_printed_and_shared(judge):
    two_on_a_list(judge)
    memory(judge)
    expect(judge.locator("#listed > li")).to_have_count(2)
    first, second = listed(judge)
    change(judge.locator("#listed > li").nth(1)).get_by_role("button", name="Up").press("Enter")
    expect(said(judge)).to_have_text("Place 1 of 2")
    assert listed(judge) == [second, first]
    expect(judge.locator("#listed > li").first.get_by_role("button", name="Down")).to_be_focused()
    judge.reload()
    expect(judge.locator("#listed h3 a").first).to_have_text(second)
    judge.emulate_media(media="print")
    expect(judge.locator("#listed blockquote").first).to_be_visible()
    for hidden in ("#starred", "#asked-list", "#listed [data-do]"):
        expect(judge.locator(hidden).first).to_be_hidden()
    judge.emulate_media(media="screen")
    shared = exported(judge, "Share as a file")
    assert [len(shared[name]) for name in ("passages", "questions")] == [2, 0]
    judge.on("dialog", lambda dialog: dialog.accept())
    unfold(judge, LIST)
    judge.get_by_role("button", name="Empty the list").tap()
    expect(judge.locator("#listed > li")).to_have_count(0)
    expect(judge.locator("#starred > li")).to_have_count(2)


def test_lists_of_an_older_version_are_one_list(judge):
    for number in (0, 1):
        star(judge, number)
    judge.evaluate(FORMER)
    memory(judge)
    expect(judge.locator("#listed > li")).to_have_count(2)
    change(judge.locator("#listed > li").first).get_by_role("button", name="Down").tap()
    judge.reload()
    expect(judge.locator("#listed > li")).to_have_count(2)


def test_the_history_is_bounded_cleared_and_switched_off(judge):
    star(judge, 0)  # by then it is recorded
    memory(judge)
    expect(judge.locator("#asked-list > li")).to_have_count(1)
    judge.evaluate(MANY_QUESTIONS)
    judge.goto("/?q=Sturm")
    star(judge, 0)
    memory(judge)
    expect(judge.locator("#asked-list > li")).to_have_count(200)
    expect(judge.locator("#asked-list > li").first).to_contain_text("Sturm")
    change(judge.locator("#asked-list > li").first).get_by_role("button", name="Remove").tap()
    expect(judge.locator("#asked-list > li").first).not_to_contain_text("Sturm")
    judge.on("dialog", lambda dialog: dialog.accept())
    expect(judge.locator("#asked-list > li").nth(10)).to_be_hidden()
    unfold(judge, "Whole history")
    expect(judge.locator("#asked-list > li").nth(10)).to_be_visible()
    judge.get_by_role("button", name="Delete the history").tap()
    expect(judge.locator("#asked-list > li")).to_have_count(0)
    judge.get_by_label("Keep a history of questions").uncheck()
    expect(said(judge)).to_have_text("Kept on this device")  # to leave earlier would undo it
    judge.goto("/?q=Hafen")
    star(judge, 0)
    memory(judge)
    expect(judge.locator("#asked-list > li")).to_have_count(0)


def test_a_choice_stands_though_the_page_is_drawn_again_meanwhile(judge):
    memory(judge)
    judge.evaluate("""() => {
      const box = document.querySelector('#keep-history');
      box.click();
      box.checked = true;  // as when a change in another tab draws the page again
    }""")
    expect(said(judge)).to_have_text("Kept on this device")
    expect(judge.get_by_label("Keep a history of questions")).not_to_be_checked()


def test_a_file_goes_to_another_device_and_is_added(judge, visit):
    two_on_a_list(judge)
    memory(judge)
    file = exported(judge)
    assert (file["format"], file["version"]) == ("regula-memory", 1)
    other = visit("/?q=Hafen", 360, 640, language="en", touch=True, workers=False)
    star(other, 0)
    memory(other)
    asked: list[str] = []

    def accept(dialog):
        asked.append(dialog.message)
        dialog.accept()

    other.on("dialog", accept)
    give(other, file)
    expect(other.locator("#listed > li")).to_have_count(2)
    assert asked == ["Add to what is here: 2 passages, 1 questions?"]
    before = other.locator("#starred > li").count()
    assert before >= 2
    said(other).evaluate("(each) => { each.textContent = ''; }")  # what was said the first time
    give(other, file)
    expect(said(other)).to_have_text("The file was taken in.")
    expect(other.locator("#starred > li")).to_have_count(before)  # twice is once
    former = [{"id": each["key"], "passages": [each["key"]]} for each in file["passages"]]
    plain = [{**each, "listed": None} for each in file["passages"]]
    unfold(other, LIST)
    other.get_by_role("button", name="Empty the list").tap()
    expect(other.locator("#listed > li")).to_have_count(0)
    give(other, {**file, "passages": plain, "lists": former})  # as version 1.0 has exported it
    expect(other.locator("#listed > li")).to_have_count(2)


def test_hostile_and_broken_files_are_refused_and_nothing_is_lost(judge):
    two_on_a_list(judge)
    memory(judge)
    file = exported(judge)
    passage = file["passages"][0]
    judge.on("dialog", lambda dialog: dialog.accept())

    def altered(**fields):
        return {**file, "passages": [{**passage, **fields}]}

    for content, says in [
        (b"{", "The file is damaged"),
        (b"[]", "The file is damaged"),
        ({**file, "version": 2}, "newer version"),
        (b" " * 5_000_001, "too large"),
        (altered(url="javascript:alert(1)"), "The file is damaged"),
        (altered(url="//evil.example/"), "The file is damaged"),
        (altered(words="all"), "The file is damaged"),
        (altered(key="__proto__"), "The file is damaged"),
        (
            {**file, "questions": [{**file["questions"][0], "address": "https://evil.example/"}]},
            "The file is damaged",
        ),
        ({**file, "passages": [passage] * 2001}, "The file is damaged"),
    ]:
        give(judge, content)
        trouble = judge.get_by_role("alert")
        expect(trouble).to_contain_text(says)
        expect(trouble).to_contain_text("Nothing was changed.")
    expect(judge.locator("#starred > li")).to_have_count(2)
    markup = "<img src=x onerror=window.ran=1>"
    note = {"text": markup, "changed": ""}
    words = [{"text": markup, "depth": 0, "role": ""}]
    name = {"fingerprint": "0123456789ab", "key": f"{passage['game']} 0123456789ab"}
    give(judge, altered(**name, heading=markup, label=markup, words=words, note=note))
    expect(judge.locator("#listed .my-note:visible")).to_contain_text(markup)
    assert judge.evaluate("window.ran") is None
    assert judge.locator("#kept img").count() == 0


def test_two_tabs_show_the_same(judge):
    other = judge.context.new_page()
    other.goto("/?q=Flaute")
    answers(other).nth(1).locator(".dots > summary").tap()
    star(judge, 1)
    expect(answers(other).nth(1).get_by_role("button", name="Favourite")).to_have_attribute(
        "aria-pressed", "true"
    )
    memory(other)
    judge.bring_to_front()
    star(judge, 0)
    expect(other.locator("#starred > li")).to_have_count(2)


def test_where_nothing_can_be_kept_it_says_so_and_the_page_goes_on(judge):
    answers(judge).first.locator(".dots > summary").tap()
    button = answers(judge).first.get_by_role("button", name="Favourite")
    button.wait_for()
    judge.evaluate(FULL)
    button.tap()
    expect(said(judge)).to_have_text("Not kept: the browser has no room left.")
    expect(button).to_have_attribute("aria-pressed", "false")
    judge.add_init_script(FORBIDDEN)
    judge.reload()
    answers(judge).first.locator(".dots > summary").tap()
    answers(judge).first.get_by_role("button", name="Favourite").tap()
    expect(said(judge)).to_have_text("Not kept: this browser keeps nothing for this site.")
    judge.goto("/memory")
    expect(judge.get_by_role("alert")).to_contain_text("This browser keeps nothing for this site")


def test_what_a_newer_version_has_written_is_left_alone(visit):
    page = visit("/keys", language="en", workers=False)
    page.evaluate(NEWER)
    page.goto("/memory")
    expect(page.get_by_role("alert")).to_contain_text(
        "A newer version of this site has written here."
    )


def test_it_is_read_offline_and_told_when_the_rulebook_has_changed(visit, indexes):
    page = visit("/?q=Flaute", 360, 640, language="en", touch=True)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    wait_until_cached(page, "/memory")
    two_on_a_list(page)
    page.context.set_offline(True)
    memory(page)
    expect(page.locator("#listed > li").nth(1).locator("blockquote")).to_have_text(RULE)
    page.context.set_offline(False)
    first = indexes.index
    indexes.index = Harbour(changed_library(), id="second")
    try:
        memory(page)
        item = page.locator("#listed > li").nth(1)
        expect(item.locator(".state")).to_have_text(
            "The rulebook has changed since this was kept: these are the words of then."
        )
        expect(item.locator("blockquote")).to_have_text(RULE)
        expect(page.locator("#listed > li").first.locator(".state")).to_be_hidden()
        change(item).get_by_role("button", name="Take over today's words").tap()
        expect(item.locator("blockquote")).to_have_text(NEW_RULE)
        expect(item.locator(".state")).to_be_hidden()
    finally:
        indexes.index = first


def test_what_is_kept_is_accessible_and_fits_a_phone(visit):
    page = visit("/?q=Flaute", 320, 640, language="en", workers=False, touch=True)
    two_on_a_list(page)
    write_note(answers(page).first, "Note")
    answers(page).first.locator(".my-note").wait_for()
    for address in ("/?q=Flaute", f"/e/{DE}/glossar", "/memory"):
        page.goto(address)
        page.locator(".star, #listed > li").first.wait_for(state="attached")
        page.wait_for_timeout(200)
        for scheme, options in (
            ("light", {"rules": {"target-size": {"enabled": True}}}),
            ("dark", {"runOnly": ["color-contrast"]}),
        ):
            page.emulate_media(color_scheme=scheme)
            found = Axe().run(page, options={"resultTypes": ["violations"], **options})
            assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
