from urllib.parse import unquote

import pytest
from flask.testing import FlaskClient

from index.library.library import assemble_library
from service.editions import comparison_view
from service.editions.comparison import compare_in_library
from service.editions.comparison_view import (
    DIFFERENCE_KINDS,
    ComparisonFilter,
    SearchableComparison,
    count_by_kind,
    filter_entries,
    make_searchable,
)
from service.web.app import create_app
from service.web.pages.layout import PAGE
from tests.service.harbour import Harbour, Indexes
from tests.service.test_pages import GERMAN, Page, assert_sound, page

OLD, NEW, ITALIAN = "pegelwacht-de-1.0", "pegelwacht-de-1.1", "pegelwacht-it-1.1"
BOTH = f"/compare/{NEW}/{ITALIAN}"


@pytest.fixture(scope="module")
def client(sample_library) -> FlaskClient:
    index = Harbour(sample_library, id="sample")
    for left, right in ((NEW, ITALIAN), (OLD, NEW)):
        assert comparison_view.searchable_comparison(index, left, right)
    return create_app(Indexes(index)).test_client()


@pytest.fixture(scope="module")
def comparison(sample_library) -> SearchableComparison:
    return make_searchable(compare_in_library(sample_library, NEW, ITALIAN))


def headed(shown):
    """The entries that a page shows side by side, by their ids."""
    return [
        a["id"] or "" for a in shown.all("section") if (a.get("class") or "").startswith("opening")
    ]


@pytest.mark.parametrize(
    "address",
    [
        "/compare",
        BOTH,
        f"{BOTH}?entry={NEW}/pegel",
        f"{BOTH}?q=xyzzy",
        f"/compare/{OLD}/{NEW}",
        "/compare?left=x",
    ],
)
def test_every_page_is_sound(client, address):
    assert_sound(client, address)


def test_two_editions_of_one_game_are_chosen_in_a_form(client):
    shown = page(client, "/compare")
    assert {a["name"] for a in shown.all("select")} >= {"left", "right"}
    assert BOTH in shown.links()
    response = client.get("/compare", query_string={"left": NEW, "right": ITALIAN})
    assert (response.status_code, response.headers["Location"]) == (303, BOTH)


@pytest.mark.parametrize(
    ("left", "right", "says"),
    [
        (NEW, NEW, "zweimal dieselbe Ausgabe"),
        (NEW, "pegelduell-de-2.0", "verschiedener Spiele"),
        (NEW, "", "zwei Ausgaben aus der Liste"),
        ('"><script>', NEW, "zwei Ausgaben aus der Liste"),
    ],
)
def test_what_cannot_be_compared_is_said_above_the_choice(client, left, right, says):
    shown = Page(
        client.get("/compare", query_string={"left": left, "right": right}, headers=GERMAN).text
    )
    assert says in shown.text
    selected = [a["value"] for a in shown.all("option") if "selected" in a]
    assert set(selected) <= {left, right}
    assert all((script.get("src") or "").startswith("/static/") for script in shown.all("script"))


def test_what_differs_is_listed_with_an_account_and_shown_side_by_side(client, comparison):
    shown = page(client, BOTH)
    wanted = filter_entries(comparison, ComparisonFilter())
    listed = headed(shown)
    assert listed == [entry.id for entry in wanted[: len(listed)]] != []
    changed = next(entry for entry in wanted if "terms" in comparison.difference_counts[entry.id])
    assert "weicht ab: " in page(client, f"{BOTH}?entry={changed.id}").text
    assert f"{len(wanted)} Einträge" in shown.text


def test_the_pages_together_show_every_difference_once(client, comparison):
    seen, address = [], BOTH
    while address:
        shown = page(client, address)
        assert len(headed(shown)) == 1 or len(shown.text) < 1.5 * PAGE
        seen += headed(shown)
        address = next((a["href"] for a in shown.all("a") if a.get("rel") == "next"), None) or ""
    assert seen == [entry.id for entry in filter_entries(comparison, ComparisonFilter())]
    assert headed(page(client, f"{BOTH}?page=9999")) == headed(shown)
    assert headed(page(client, f"{BOTH}?page=-1")) == headed(page(client, BOTH))


def test_a_sort_of_difference_shows_only_entries_that_have_it(client, comparison):
    counts = count_by_kind(comparison, ComparisonFilter())
    assert set(counts) <= set(DIFFERENCE_KINDS)
    assert counts["terms"]
    for sort, count in counts.items():
        found = filter_entries(comparison, ComparisonFilter(kind=sort))
        assert len(found) == count
        badges = [
            {b.kind for b in o.badges} | {b.kind for s in o.rows for b in s.badges} for o in found
        ]
        if sort not in ("words", "passages"):
            assert all(sort in each for each in badges)
        listed = headed(page(client, f"{BOTH}?sort={sort}"))
        assert listed == [entry.id for entry in found[: len(listed)]] != []


@pytest.mark.parametrize("words", ["pegel", "PEGEL", "livello"])
def test_an_entry_is_found_by_its_heading_in_either_language(client, words):
    assert f"{NEW}/pegel" in headed(page(client, f"{BOTH}?status=all&q={words}"))


def test_one_entry_is_shown_alone_between_its_neighbours_in_the_filter(client, comparison):
    wanted = filter_entries(comparison, ComparisonFilter(kind="references"))
    shown = page(client, f"{BOTH}?sort=references&entry={wanted[1].id}")
    assert headed(shown) == [wanted[1].id]
    beside = {a["rel"]: unquote(a["href"] or "") for a in shown.all("a") if "rel" in a}
    assert beside == {
        "prev": f"{BOTH}?sort=references&entry={wanted[0].id}",
        "next": f"{BOTH}?sort=references&entry={wanted[2].id}",
    }
    back = next(
        unquote(link) for link in shown.links() if link.startswith(f"{BOTH}?sort=references#")
    )
    assert back.rpartition("#")[2] == wanted[1].id
    late = headed(page(client, f"{BOTH}?page=2"))[0]
    assert f"{BOTH}?page=2#{late}" in map(unquote, page(client, f"{BOTH}?entry={late}").links())
    right = next(entry for entry in comparison.entries if entry.left and entry.right)
    assert headed(page(client, f"{BOTH}?entry={right.right[0].id}")) == [right.id]


def test_an_entry_that_is_not_compared_is_told_apart_from_one_that_is_not_there(client):
    assert "gehört nicht zum Vergleich" in page(client, f"{BOTH}?entry={OLD}/pegel").text
    page(client, f"{BOTH}?entry=no-such", 404)


def test_every_passage_leads_to_its_place_on_the_page_of_its_entry(client):
    places = [link for link in page(client, f"{BOTH}?entry={NEW}/pegel").links() if "#p-" in link]
    assert len({link.split("/")[2] for link in places}) == 2
    for place in places:
        address, _, anchor = place.partition("#")
        assert anchor in [a.get("id") for _, a in page(client, address).elements]


def test_every_export_that_is_offered_can_be_had(client):
    offered = [link for link in page(client, BOTH).links() if link.startswith("/v1/compare")]
    assert {link.rpartition("/")[2] for link in offered} == {
        "html",
        "xlsx",
        "csv",
        "tmx",
        "tbx",
        "xliff",
        "review-xlsx",
    }
    assert all(client.get(link).status_code == 200 for link in offered)
    versions = [
        link
        for link in page(client, f"/compare/{OLD}/{NEW}").links()
        if link.startswith("/v1/compare")
    ]
    assert not {"tmx", "xliff"} & {link.rpartition("/")[2] for link in versions}
    assert all(client.get(link).status_code == 200 for link in versions)


def test_without_two_editions_of_a_game_there_is_nothing_to_choose(sample):
    one = [book for book in sample.rulebooks if book.edition.game == "pegelduell"][:1]
    client = create_app(Indexes(Harbour(assemble_library(one), id="one"))).test_client()
    shown = page(client, "/compare")
    assert "Noch gibt es nichts zu vergleichen" in shown.text
    assert not any(a.get("name") == "left" for a in shown.all("select"))
