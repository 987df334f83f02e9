"""A judge's memory: favourites, notes, lists and questions on the device alone; files, two tabs,
browsers that keep nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from index.library.library import Library, make_library
from service.ops.settings import Settings
from service.web.app import create_app
from tests.browser.caches import wait_until_cached
from tests.service.harbour import Harbour, Indexes, german, italian, library
from tests.service.serving import answering, free_port

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    Visit = Callable[..., Page]

DE = "sternenhafen-de-1.0"
RULE = "Bei Flaute darf kein Schiff den Hafen verlassen, außer es hat Ruder."
NEW_RULE = "Bei Flaute bleibt jedes Schiff im Hafen."
FORBIDDEN = "Object.defineProperty(window, 'indexedDB', {value: {open() { throw new DOMException('no', 'SecurityError'); }}});"
MANY_QUESTIONS = """async () => {
  const store = await import(document.querySelector('#kept').dataset.store);
  await store.change(async ({questions}, got) => {
    for (let n = 0; n < 205; n++) {
      await got(questions.put({key: ` ${n}`, question: `${n}`, address: `/?q=${n}`, scope: '', time: `2020-01-01T00:00:00.${n}Z`}));
    }
  });
}"""
NEWER = """new Promise((done) => {
  const asked = indexedDB.open('regula', 99);
  asked.onsuccess = () => { asked.result.close(); done(); };
})"""
FULL = "void (IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); });"


def changed_library() -> Library:
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
def server(indexes: Indexes) -> str:
    """The address of a server that keeps no feedback; its thread ends with the tests."""
    settings = Settings(port=free_port(), rate_limit="none")
    return answering(create_app(indexes, settings), settings)


@pytest.fixture
def judge(visit: Visit) -> Page:
    """A judge on a phone who has asked about calm."""
    return visit("/?q=Flaute", 360, 640, language="en", touch=True, workers=False)


def answers(page: Page) -> Locator:
    return page.get_by_role("main").get_by_role("article")


def said(page: Page) -> Locator:
    return page.locator("#said")


def star(page: Page, number: int) -> None:
    button = answers(page).nth(number).get_by_role("button", name="Favourite")
    button.tap()
    expect(button).to_have_attribute("aria-pressed", "true")


def memory(page: Page) -> Page:
    page.goto("/memory")
    expect(page.locator("#kept")).to_be_visible()
    return page


def listed(page: Page) -> list[str]:
    return page.locator("#listed h3 a").all_inner_texts()


def two_on_a_list(page: Page) -> None:
    for number in (0, 1):
        star(page, number)
        button = answers(page).nth(number).locator("[data-list]")
        button.tap()
        expect(button).to_have_attribute("aria-pressed", "true")


def exported(page: Page, button: str = "Export everything") -> dict[str, Any]:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).tap()
    found: dict[str, Any] = json.loads(Path(waiting.value.path()).read_text("utf-8"))
    return found


def give(page: Page, content: object) -> None:
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    page.locator("#import").set_input_files(
        {"name": "a.json", "mimeType": "application/json", "buffer": text}
    )


def test_a_star_a_note_and_this_was_it_are_there_again_and_nothing_is_sent(judge: Page) -> None:
    sent: list[str] = []
    judge.on(
        "request",
        lambda request: sent.append(f"{request.method} {request.url} {request.post_data or ''}"),
    )
    star(judge, 1)
    expect(said(judge)).to_have_text("Kept as a favourite on this device")
    first = answers(judge).nth(1)
    first.get_by_role("button", name="Write a note").tap()
    first.get_by_role("textbox").fill("So ruled <b>on Saturday</b>")
    first.get_by_role("button", name="Keep the note").tap()
    expect(first.get_by_role("note")).to_contain_text("My note, not the rulebook's words")
    expect(first.get_by_role("note")).to_contain_text("<b>on Saturday</b>")
    was_it = first.get_by_role("button", name="This was it")
    was_it.tap()
    expect(was_it).to_have_attribute("aria-pressed", "true")
    expect(said(judge)).to_have_text("Noted on this device as what it was")
    judge.goto(f"/e/{DE}/flaute")
    expect(judge.get_by_role("note")).to_contain_text("So ruled <b>on Saturday</b>")
    memory(judge)
    kept = judge.locator("#starred > li")
    expect(kept.locator("blockquote")).to_have_text(RULE)
    expect(kept.get_by_role("link", name="Flaute")).to_have_attribute(
        "href", f"/e/{DE}/flaute#p-flaute-0"
    )
    expect(kept.locator("cite")).to_have_text("Sternenhafen Regelbuch 1.0 (de), Flaute, Z. 25–27")
    asked = judge.locator("#asked-list > li")
    expect(asked).to_contain_text("This was it: Flaute")
    asked.get_by_role("link", name="Flaute", exact=True).tap()
    expect(answers(judge).nth(1).get_by_role("button", name="This was it")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert not [
        each
        for each in sent
        if "Saturday" in each or not each.startswith("GET ") or "fingerprints" in each
    ]


def test_a_list_is_put_in_order_printed_and_shared(judge: Page) -> None:
    two_on_a_list(judge)
    memory(judge)
    expect(judge.locator("#listed > li")).to_have_count(2)
    first, second = listed(judge)
    judge.locator("#listed > li").nth(1).get_by_role("button", name="Up").press("Enter")
    expect(said(judge)).to_have_text("Place 1 of 2")
    assert listed(judge) == [second, first]
    expect(judge.locator("#listed > li").first.get_by_role("button", name="Down")).to_be_focused()
    grip = judge.locator("#listed .grip").nth(1)
    judge.locator("#list-does").evaluate("each => each.scrollIntoView()")  # both are seen
    box, to = grip.bounding_box(), judge.locator("#listed > li").first.bounding_box()
    assert box is not None
    assert to is not None
    judge.mouse.move(box["x"] + 10, box["y"] + 10)
    judge.mouse.down()
    judge.mouse.move(box["x"] + 10, to["y"] + 5, steps=5)
    judge.mouse.up()
    expect(judge.locator("#listed h3 a").first).to_have_text(first)
    judge.reload()
    expect(judge.locator("#listed h3 a").first).to_have_text(first)
    judge.evaluate("window.print = () => undefined")
    judge.get_by_role("button", name="Print").tap()
    judge.emulate_media(media="print")
    expect(judge.locator("#listed blockquote").first).to_be_visible()
    for hidden in ("#favourites", "#history", "#list", "#listed [data-do]"):
        expect(judge.locator(hidden).first).to_be_hidden()
    judge.emulate_media(media="screen")
    shared = exported(judge, "Share as a file")
    assert [len(shared[name]) for name in ("lists", "passages", "questions")] == [1, 2, 0]


def test_the_history_is_bounded_cleared_and_switched_off(judge: Page) -> None:
    star(judge, 0)  # by then it is recorded
    memory(judge)
    expect(judge.locator("#asked-list > li")).to_have_count(1)
    judge.evaluate(MANY_QUESTIONS)
    judge.goto("/?q=Sturm")
    star(judge, 0)
    memory(judge)
    expect(judge.locator("#asked-list > li")).to_have_count(200)
    expect(judge.locator("#asked-list > li").first).to_contain_text("Sturm")
    judge.locator("#asked-list > li").first.get_by_role("button", name="Remove").tap()
    expect(judge.locator("#asked-list > li").first).not_to_contain_text("Sturm")
    judge.on("dialog", lambda dialog: dialog.accept())
    judge.get_by_role("button", name="Delete the history").tap()
    expect(judge.locator("#asked-list > li")).to_have_count(0)
    judge.get_by_label("Keep a history of questions").uncheck()
    judge.goto("/?q=Hafen")
    answers(judge).first.get_by_role("button", name="This was it").tap()
    expect(said(judge)).to_have_text("Kept as a favourite on this device")
    memory(judge)
    expect(judge.locator("#asked-list > li")).to_have_count(0)


def test_a_file_goes_to_another_device_and_is_added_or_put_in_place(
    judge: Page, visit: Visit
) -> None:
    two_on_a_list(judge)
    memory(judge)
    file = exported(judge)
    assert (file["format"], file["version"]) == ("regula-memory", 1)
    other = memory(visit("/?q=Hafen", 360, 640, language="en", touch=True, workers=False))
    other.goto("/?q=Hafen")
    star(other, 0)
    memory(other)
    give(other, file)
    expect(other.locator("#in-file")).to_have_text("Passages: 2, lists: 1, questions: 1")
    other.get_by_role("button", name="Add to what is here").tap()
    expect(other.locator("#listed > li")).to_have_count(2)
    assert other.locator("#starred > li").count() >= 2
    before = other.locator("#starred > li").count()
    give(other, file)
    other.get_by_role("button", name="Add to what is here").tap()
    expect(said(other)).to_have_text("The file was taken in.")
    expect(other.locator("#preview-of-file")).to_be_hidden()
    expect(other.locator("#starred > li")).to_have_count(before)  # twice is once
    give(other, {**file, "lists": []})
    other.get_by_role("button", name="Replace what is here").tap()
    expect(other.locator("#listed > li")).to_have_count(0)
    expect(other.locator("#starred > li")).to_have_count(2)
    expect(other.locator("#asked-list > li")).to_have_count(1)


def test_hostile_and_broken_files_are_refused_and_nothing_is_lost(judge: Page) -> None:
    two_on_a_list(judge)
    memory(judge)
    file = exported(judge)
    passage = file["passages"][0]

    def altered(**fields: object) -> dict[str, Any]:
        return {**file, "passages": [{**passage, **fields}]}

    for content, says in [
        (b"{", "The file is damaged"),
        (b"[]", "This is no file of favourites"),
        ({**file, "version": 2}, "newer version"),
        (b" " * 5_000_001, "too large"),
        (altered(url="javascript:alert(1)"), "passages[1].url"),
        (altered(url="//evil.example/"), "passages[1].url"),
        (altered(words="all"), "passages[1].words"),
        (altered(key="__proto__"), "passages[1].key"),
        (
            {**file, "questions": [{**file["questions"][0], "address": "https://evil.example/"}]},
            "questions[1].address",
        ),
        ({**file, "passages": [passage] * 2001}, "passages"),
    ]:
        give(judge, content)
        trouble = judge.get_by_role("alert")
        expect(trouble).to_contain_text(says)
        expect(trouble).to_contain_text("Nothing was changed.")
        expect(judge.locator("#preview-of-file")).to_be_hidden()
    expect(judge.locator("#starred > li")).to_have_count(2)
    markup = "<img src=x onerror=window.ran=1>"
    give(
        judge,
        altered(
            heading=markup,
            label=markup,
            words=[{"text": markup, "depth": 0, "role": ""}],
            note={"text": markup, "changed": ""},
        ),
    )
    judge.get_by_role("button", name="Add to what is here").tap()
    expect(judge.locator("#listed").get_by_role("note")).to_contain_text(markup)
    assert judge.evaluate("window.ran") is None
    assert judge.locator("#kept img").count() == 0


def test_two_tabs_show_the_same(judge: Page) -> None:
    other = judge.context.new_page()
    other.goto("/?q=Flaute")
    star(judge, 1)
    expect(answers(other).nth(1).get_by_role("button", name="Favourite")).to_have_attribute(
        "aria-pressed", "true"
    )
    memory(other)
    judge.bring_to_front()
    star(judge, 0)
    expect(other.locator("#starred > li")).to_have_count(2)


def test_where_nothing_can_be_kept_it_says_so_and_the_page_goes_on(judge: Page) -> None:
    button = answers(judge).first.get_by_role("button", name="Favourite")
    button.wait_for()
    judge.evaluate(FULL)
    button.tap()
    expect(said(judge)).to_have_text("Not kept: the browser has no room left.")
    expect(button).to_have_attribute("aria-pressed", "false")
    judge.add_init_script(FORBIDDEN)
    judge.reload()
    answers(judge).first.get_by_role("button", name="Favourite").tap()
    expect(said(judge)).to_have_text("Not kept: this browser keeps nothing for this site.")
    judge.goto("/memory")
    expect(judge.get_by_role("alert")).to_contain_text("This browser keeps nothing for this site")


def test_what_a_newer_version_has_written_is_left_alone(visit: Visit) -> None:
    page = visit("/keys", language="en", workers=False)
    page.evaluate(NEWER)
    page.goto("/memory")
    expect(page.get_by_role("alert")).to_contain_text(
        "A newer version of this site has written here."
    )


def test_it_is_read_offline_and_told_when_the_rulebook_has_changed(
    visit: Visit, indexes: Indexes
) -> None:
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
        item.get_by_role("button", name="Take over today's words").tap()
        expect(item.locator("blockquote")).to_have_text(NEW_RULE)
        expect(item.locator(".state")).to_be_hidden()
    finally:
        indexes.index = first


def test_what_is_kept_is_accessible_and_fits_a_phone(visit: Visit) -> None:
    page = visit("/?q=Flaute", 320, 640, language="en", workers=False, touch=True)
    two_on_a_list(page)
    answers(page).first.get_by_role("button", name="Write a note").tap()
    answers(page).first.get_by_role("textbox").fill("Note")
    answers(page).first.get_by_role("button", name="Keep the note").tap()
    answers(page).first.get_by_role("note").wait_for()
    for address in ("/?q=Flaute", f"/e/{DE}/glossar", "/memory"):
        page.goto(address)
        page.locator(".star, #listed > li").first.wait_for()
        page.wait_for_timeout(200)
        for scheme, options in (
            ("light", {"rules": {"target-size": {"enabled": True}}}),
            ("dark", {"runOnly": ["color-contrast"]}),
        ):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            found = Axe().run(page, options={"resultTypes": ["violations"], **options})
            assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
