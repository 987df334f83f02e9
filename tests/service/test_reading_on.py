from dataclasses import replace
from time import perf_counter, sleep
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from corpus.model import Span
from service.browse.entry_view import MOST_PASSAGES, adjacent_entries
from service.browse.lookup import matches
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes
from tests.service.test_pages import DE, GERMAN, Page, page

OLD, NEW = "pegelwacht-de-1.0", "pegelwacht-de-1.1"


@pytest.fixture(scope="module")
def sample_client(sample_library) -> FlaskClient:
    return create_app(Indexes(Harbour(sample_library, id="sample"))).test_client()


def inside(client, entry, **asked):
    response = client.get(f"/e/{entry}", query_string={"part": "inside", **asked}, headers=GERMAN)
    assert response.status_code == 200
    return Page(response.text)


def listed(shown):
    """The names of the entries that are listed, without their edition."""
    return [a["data-entry"] or "" for a in shown.all("li") if "data-entry" in a]


def large(library):
    """The library with a chapter of more rules than a page has room for."""
    rule = library.entry[f"{DE}/4.2"]
    passage = library.passages_of[rule.id][0]
    rules = [
        replace(rule, id=f"{DE}/4.{n}", title=f"4.{n}", heading=f"4.{n}", number=f"4.{n}")
        for n in range(1001, 1501)
    ]
    texts = [replace(passage, id=f"{each.id}#0", entry=each.id) for each in rules]
    return replace(
        library, entries=(*library.entries, *rules), passages=(*library.passages, *texts)
    )


def test_an_entry_unfolds_with_its_words_and_short_ones_with_all_in_them(client):
    shown = inside(client, f"{DE}/sturm")
    assert "beendet den Sturm" in shown.text
    assert "Im Hafen dauert der Sturm eine Runde länger." in shown.text
    assert f"/e/{DE}/sturm" in shown.links()
    assert not shown.all("html")
    assert not shown.all("script")


def test_a_chapter_unfolds_to_a_list_of_what_is_in_it(sample_client, sample_library):
    chapter = sample_library.entry[f"{NEW}/glossar"]
    shown = inside(sample_client, chapter.id)
    assert listed(shown) == [
        each.id.partition("/")[2] for each in sample_library.children_of[chapter.id]
    ]
    assert "Im Ganzen lesen" in shown.text


def test_a_large_chapter_is_loaded_when_it_is_opened(harbour_library):
    client = create_app(Indexes(Harbour(large(harbour_library), id="large"))).test_client()
    shown = page(client, f"/browse/{DE}")
    assert f"/e/{DE}/4" in shown.links()
    assert not any(link.startswith(f"/e/{DE}/4.") for link in shown.links())
    assert len(listed(inside(client, f"{DE}/4"))) == 501


def test_the_way_through_a_rulebook_goes_into_chapters_that_have_no_room_on_a_page(harbour_library):
    library = large(harbour_library)
    entries = [e for e in library.entries_of(DE) if not e.parent]
    chapter, last = library.entry[f"{DE}/4"], library.children_of[f"{DE}/4"][-1]
    assert entries[-1] == chapter
    assert len(library.children_of[chapter.id]) > MOST_PASSAGES
    way, at = [], entries[0]
    while True:
        way.append(at.id)
        _, after = adjacent_entries(library, at)
        if after is None:
            break
        assert adjacent_entries(library, after)[0] == at
        at = after
    assert at == last
    assert len(way) == len(set(way)) == len(entries) + len(library.children_of[chapter.id])


@pytest.mark.parametrize(
    ("text", "sought", "found"),
    [
        ("Die Geräte", "gerat", ["Gerät"]),
        ("Die Geräte", "GERAET", ["Gerät"]),
        ("Größe und Grösse", "grösse", ["Größe", "Grösse"]),
        ("Abenteuer", "abenteuer", ["Abenteuer"]),
        ("può uscire", "puo", ["può"]),
        ("Gegner-\nAktivierung", "gegner aktivierung", ["Gegner-\nAktivierung"]),
        ("Regel 4.2.1 und 4.3", "4.2", ["4.2"]),
        ("Was auch immer", "!?", []),
        ("Was auch immer", "", []),
    ],
)
def test_words_are_found_whatever_their_case_and_accents(text, sought, found):
    assert [text[a:b] for a, b in matches(text, sought)] == found
    assert all(isinstance(span, Span) for span in matches(text, sought))


@pytest.mark.parametrize("sought", ["münzen", "MUNZEN", "Muenzen"])
def test_a_rulebook_is_searched_without_script(client, sought):
    shown = page(client, f"/browse/{DE}?find={sought}")
    assert listed(shown) == ["ankern", "erratum-leuchtturm-12", "4.2"]
    assert set(shown.marked) == {"Münzen"}
    assert "4 Fundstellen · 3 Einträge" in shown.text
    assert f"/e/{DE}/ankern?find={quote(sought)}" in shown.links()
    assert next(a["value"] for a in shown.all("input") if a.get("name") == "find") == sought
    assert shown.links().count("#glossary") == 0


def test_what_is_found_nowhere_is_told(client):
    shown = page(client, f"/browse/{DE}?find=xyzzy")
    assert listed(shown) == []
    assert "Keine Fundstelle" in shown.text


def test_what_was_sought_is_marked_in_the_entry_and_where_it_unfolds(client):
    assert page(client, f"/e/{DE}/ankern?find=munze").marked == ["Münze", "Münze"]
    assert inside(client, f"{DE}/ankern", find="munze").marked == ["Münze", "Münze"]
    assert page(client, f"/e/{DE}/ankern").marked == []


def test_rules_of_one_format_are_marked_and_filtered(sample_client, sample_library):
    of_format = {
        passage.entry.partition("/")[2]
        for passage in sample_library.passages_in(NEW)
        if (special := sample_library.format_of(passage)) and special.name == "Kampagnenmodus"
    }
    assert of_format
    everything, only = (
        page(sample_client, f"/browse/{NEW}{query}") for query in ("", "?format=Kampagnenmodus")
    )
    assert set(listed(only)) <= of_format | {"das-versunkene-siel-erweiterung"}
    assert set(listed(only)) & of_format
    found = {
        wanted: set(listed(page(sample_client, f"/browse/{NEW}?find=kampagne&format={wanted}")))
        for wanted in ("", "general")
    }
    assert of_format <= found[""]
    assert found["general"] == found[""] - of_format
    assert any(
        "/browse/" in link and "format=Kampagnenmodus" in link for link in everything.links()
    )
    slug = min(of_format)
    assert "Nur im Format „Kampagnenmodus“" in page(sample_client, f"/e/{NEW}/{slug}").text
    assert set(listed(page(sample_client, f"/browse/{NEW}?find=e&format=Kampagnenmodus"))) <= set(
        listed(only)
    )
    assert listed(page(sample_client, f"/browse/{NEW}?format=no-such")) == listed(everything)


def test_programs_filter_entries_by_format_too(sample_client):
    def ids(**asked):
        found = sample_client.get("/v1/entries", query_string={"edition": NEW, **asked})
        assert found.status_code == 200
        return {entry["id"] for entry in found.json["entries"]}

    assert ids(format="Kampagnenmodus", kind="ruling") == {
        f"{NEW}/ruling-kampagnenmodus",
        f"{NEW}/ruling-kampagnenmodus-2",
    }
    assert ids(format="general", kind="ruling") == ids(kind="ruling") - ids(
        format="Kampagnenmodus", kind="ruling"
    )
    assert ids(format="no-such") == set()


def settled(client, address):
    """The page once what is new has been worked out."""
    until = perf_counter() + 60
    while (response := client.get(address, headers=GERMAN)).status_code == 202:
        assert response.headers["Refresh"]
        assert perf_counter() < until
        sleep(0.05)
    return Page(response.text)


def test_what_is_new_is_listed_with_old_and_new_words(sample_client):
    assert f"/browse/{NEW}/new" in page(sample_client, f"/browse/{NEW}").links()
    shown = settled(sample_client, f"/browse/{NEW}/new")
    assert "Neu 9 Entfallen 1 Umformuliert 9" in shown.text
    assert (
        "Angriff → , jetzt Angriff (Lotse)" in shown.text
        or "Angriff →jetzt Angriff (Lotse)" in shown.text
    )
    assert shown.all("del")
    assert shown.all("ins")
    gone = settled(sample_client, f"/browse/{NEW}/new?kind=removed")
    assert "Gezeitenwürfel" in gone.text
    assert f"/e/{OLD}/gezeitenwuerfel" in gone.links()
    assert len(gone.all("section")) == 1
    assert any(a.get("href") == f"/v1/editions/{NEW}/changes" for a in shown.all("link"))


def test_entries_say_whether_they_are_new_or_changed(sample_client):
    settled(sample_client, f"/browse/{NEW}/new")
    changed = page(sample_client, f"/e/{NEW}/aktivierung")
    assert "Geändert in 1.1" in changed.text
    address = next(link for link in changed.links() if "/new?" in link)
    assert f'id="{NEW}/aktivierung"' in sample_client.get(address.partition("#")[0]).text
    assert "Neu in 1.1" in page(sample_client, f"/browse/{NEW}").text
    assert "in 1.1" not in page(sample_client, f"/e/{NEW}/abtreiben").text.replace(
        "Regelbuch 1.1", ""
    )


def test_a_first_version_has_no_news(sample_client):
    assert f"/browse/{OLD}/new" not in page(sample_client, f"/browse/{OLD}").links()
    assert sample_client.get(f"/browse/{OLD}/new").status_code == 404
    assert sample_client.get("/browse/no-such/new").status_code == 404
