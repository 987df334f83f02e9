from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)
from playwright.sync_api import expect

from tests.browser.addresses import CARD, PAGES, WACHT

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

_MOST_STOPS = 60  # presses of Tab to anything that a way leads to

# Whether the element with the focus is to be seen: it has a size, is in the window, and nothing
# lies over it.
_SEEN = """() => {
    const focused = document.activeElement;
    const [box] = [...focused.getClientRects()].filter((each) => each.width > 0 && each.height > 0);
    if (!box || focused.closest("[aria-hidden=true], [inert]")) return false;
    const x = Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 1);
    const y = Math.min(Math.max(box.top + box.height / 2, 1), innerHeight - 1);
    const top = document.elementFromPoint(x, y);
    return focused.contains(top) || top?.contains(focused);
}"""


_NAMED = (
    "(document.activeElement.textContent || document.activeElement.ariaLabel || "
    "document.activeElement.id).trim()"
)


class Told(NamedTuple):
    """What is told of an element: ``states`` are those of the accessibility tree, such as
    expanded.
    """

    role: str
    name: str
    description: str
    states: dict[str, Any]


class ScreenReader:
    """A person who only has a keyboard and what is read aloud of ``page``."""

    def __init__(self, page):
        self.page = page
        self._session = page.context.new_cdp_session(page)
        self._session.send("Accessibility.enable")

    def tree(self, of_focused=False):
        """Everything that is told of the page, or of the element with the focus, in the order in
        which it is read.
        """
        nodes = {
            node["nodeId"]: node
            for node in self._session.send("Accessibility.getFullAXTree")["nodes"]
        }
        root = next(iter(nodes))
        found = list(_walk(nodes, root))
        if of_focused:
            found = list(
                _walk(
                    nodes,
                    [node for node in found if _told(node).states.get("focused")][-1]["nodeId"],
                )
            )
        return [_told(node) for node in found if not node.get("ignored")]

    def focused(self):
        """What is told of the element with the focus."""
        for _ in range(20):  # the tree comes a moment after what unfolds
            if found := [told for told in self.tree() if told.states.get("focused")]:
                return found[-1]
            self.page.wait_for_timeout(50)
        raise AssertionError("nothing has the focus")

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def tab_to(self, name, role=None, key="Tab"):
        """Press ``key`` until something called ``name`` has the focus. All that comes before has a
        name too, and is to be seen.
        """
        passed = []
        for _ in range(_MOST_STOPS):
            self.press(key)
            told = self.focused()
            passed.append(f"{told.role} {told.name!r}")
            assert told.name or told.role == "RootWebArea", passed
            assert self.page.evaluate(_SEEN) or told.role == "RootWebArea", passed
            if re.match(name, told.name) and role in (None, told.role):
                return told
        raise AssertionError(passed)

    def says(self, words):
        """Wait until the live region says ``words``."""
        expect(self.page.locator("#said")).to_have_text(re.compile(words))


def _walk(nodes, id):
    if id in nodes:
        yield nodes[id]
        for child in nodes[id].get("childIds", []):
            yield from _walk(nodes, child)


def _told(node):
    states = {each["name"]: each["value"].get("value") for each in node.get("properties", [])}
    role, name, description = (
        str(node.get(part, {}).get("value", "")) for part in ("role", "name", "description")
    )
    return Told(role, name, description, states)


@pytest.fixture
def read(visit) -> Callable[[str], ScreenReader]:
    return lambda address: ScreenReader(visit(address, language="en"))


def test_a_question_is_asked_and_its_first_passage_read_with_verdict_and_place(read):
    reader = read(f"/?edition={WACHT}")
    asked = reader.focused()
    assert (asked.role, asked.name, asked.states["expanded"]) == (
        "combobox",
        "Your question",
        False,
    )
    reader.page.keyboard.type("Wann steigt der Pegel?")
    reader.press("Enter")
    reader.says("Pegel|Answer|settle")
    passage = reader.focused()
    assert passage.role == "article"
    assert passage.name
    inside = reader.tree(of_focused=True)
    assert any(each.role == "heading" and each.name for each in inside)
    assert any(each.role == "blockquote" for each in inside)
    assert any(
        re.search(r"[SZ]\. \d+", each.name) for each in inside
    )  # the place, as the edition cites
    told = reader.tree()
    before = told[: told.index(inside[0])]
    assert any(
        each.role == "heading" and re.search("What|settle|answer", each.name) for each in before
    )  # how certain it is
    first = reader.page.evaluate("document.activeElement.dataset.answer")
    reader.press("ArrowDown")
    assert reader.focused().role == "article"
    assert reader.page.evaluate("document.activeElement.dataset.answer") != first


def test_a_suggestion_is_taken_and_what_is_chosen_is_told(read):
    reader = read(f"/?edition={WACHT}")
    reader.page.keyboard.type("auft")
    offered = reader.page.get_by_role("listbox", name="Suggestions").get_by_role("option").first
    expect(offered).to_contain_text("Auftauchen")  # of "au" there are others
    reader.says("Suggestions: [1-9]")
    field = reader.focused()
    assert (field.role, field.states["expanded"]) == ("combobox", True)
    reader.press("ArrowDown")
    chosen = [
        each.name
        for each in reader.tree()
        if each.role == "option" and each.states.get("selected") is True
    ]
    assert any(name.startswith("Auftauchen") for name in chosen)
    assert (
        reader.page.evaluate("document.activeElement.getAttribute('aria-activedescendant')") == "s0"
    )
    reader.press("Enter")
    expect(reader.page.get_by_role("heading", level=1)).to_have_text("Auftauchen")


def test_an_entry_and_what_its_references_lead_to_are_read(read):
    reader = read(PAGES["entry"])
    assert reader.tab_to("Skip to the text").role == "link"
    reader.press("Enter")
    assert reader.focused().role == "main"
    link = reader.page.locator("a.ref").first
    reader.tab_to(re.escape(link.inner_text()))
    expect(link).to_have_attribute("aria-describedby", "preview")
    told = reader.focused()
    assert (told.role, bool(told.description)) == ("link", True)
    reader.press("Escape")
    expect(reader.page.locator("#preview")).to_be_hidden()
    assert reader.focused().name == told.name


def test_a_card_is_found_and_a_ruling_read(read):
    reader = read("/cards")
    assert reader.tab_to("Name, number or product of a card").role in ("searchbox", "textbox")
    reader.page.keyboard.type("otter")
    reader.press("Enter")
    expect(reader.page.get_by_role("heading", level=1)).to_have_text("Otter")
    reader.page.goto(CARD)
    ruled = reader.page.get_by_role("region", name=re.compile("^Rulings outside the rulebook"))
    label = ruled.locator("a").first.inner_text()
    reader.tab_to(re.escape(label))
    reader.press("Enter")
    expect(reader.page).to_have_url(re.compile("/rulings/pegelwacht/"))
    told = reader.tree()
    assert next(each.states["level"] for each in told if each.role == "heading" and each.name) == 1
    assert any(each.role == "blockquote" for each in told)


def test_the_menu_opens_chooses_and_gives_the_focus_back(read):
    reader = read("/about")
    menu = reader.tab_to("Menu")
    assert menu.states["expanded"] is False
    reader.press("Enter")
    assert reader.focused().states["expanded"] is True
    dark = reader.tab_to("Dark", "button")
    assert dark.states["pressed"] == "false"
    reader.press("Escape")
    assert reader.focused().name == "Menu"
    assert reader.focused().states["expanded"] is False
    reader.press("Enter")
    reader.tab_to("Dark", "button")
    reader.press("Enter")
    expect(reader.page.locator("html")).to_have_attribute("data-theme", "dark")


@pytest.mark.parametrize("address", [PAGES["answer"], PAGES["entry"]])
def test_every_stop_of_the_tab_key_is_named_and_seen_and_the_page_can_be_left(read, address):
    reader = read(address)
    reader.page.locator("body").evaluate("(body) => { body.tabIndex = -1; body.focus(); }")
    stops: list[str] = []
    for _ in range(400):
        reader.press("Tab")
        if reader.page.evaluate("document.activeElement === document.body"):
            break
        named = reader.page.evaluate(_NAMED)
        assert named, stops
        assert reader.page.evaluate(_SEEN), (named, stops)
        stops.append(named)
    else:
        raise AssertionError("the focus does not leave the page")
    assert len(stops) > 10
