import re

import pytest

from corpus.model import Kind
from index.library.library import Library
from service.browse.lookup import by_letter, letter, sort_key
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes
from tests.service.test_pages import DE, IT, page


@pytest.mark.parametrize(
    "sorted_so",
    [
        ["Abwehr", "Ändern", "Angriff", "Anker", "Ärger"],
        ["Masse", "Maße", "Mast"],
        ["Zug", "zug um zug", "Zugluft"],
        ["città", "Cittadella", "è", "E adesso", "età"],
        ["Regel 2", "Regel 10", "Regel 10a"],
        ["„Anker“", "Anker (Schiff)", "Ankern"],
    ],
)
def test_names_stand_where_readers_of_the_language_look_for_them(sorted_so):
    assert sorted(set(sorted_so), key=sort_key) == sorted_so


def test_accents_have_no_letter_of_their_own_and_signs_none():
    assert [letter(name) for name in ("Öl", "è", "ß", "(Anker)", "7. Tag", "…", "Łódź", "Ω")] == [
        "O",
        "E",
        "S",
        "A",
        "#",
        "#",
        "L",
        "#",
    ]
    assert by_letter(["Öl", "Ort", "1. Zug", "Ast"], str) == [
        ("#", ["1. Zug"]),
        ("A", ["Ast"]),
        ("O", ["Öl", "Ort"]),
    ]


def test_all_editions_can_be_leafed_through(client):
    shown = page(client, "/browse")
    assert {f"/browse/{DE}", f"/browse/{IT}", "/cards"} <= set(shown.links())
    assert "Version 1.0 · Deutsch · 5 Begriffe · 1 Regel · 3 FAQ und Errata" in shown.text
    assert "Version 1.1 · Italienisch · 1 Begriff" in shown.text


def test_the_glossary_is_listed_from_a_to_z(client):
    shown = page(client, f"/browse/{DE}")
    order = [link for link in shown.links() if link.startswith(f"/e/{DE}/")]
    assert order[:5] == [
        f"/e/{DE}/{slug}" for slug in ("ankern", "die-hafenregel", "flaute", "hafen", "sturm")
    ]
    assert "Hafen Verweis" in shown.text
    anchors = {a.get("id") for _, a in shown.elements}
    letters = [link for link in shown.links() if link.startswith("#letter-")]
    assert letters == ["#letter-A", "#letter-D", "#letter-F", "#letter-H", "#letter-S"]
    assert {link[1:] for link in shown.links() if link.startswith("#")} - {"main"} <= anchors


def test_rules_are_a_tree_that_opens_without_script(client):
    html = re.sub(r"\s+", " ", client.get(f"/browse/{DE}").text)
    link = rf'<a href="/e/{DE}/4\.2"[^>]*>4\.2</a> <span class="says">Wer ablegt, zahlt'
    assert re.search(rf"<details[^>]*><summary>4\. Ablauf</summary>.*{link}", html)


def test_an_edition_that_is_not_here_is_told_so(client):
    assert "Diese Seite gibt es nicht" in page(client, "/browse/no-such", 404).text


def test_a_library_without_rulebooks_is_told_so():
    client = create_app(Indexes(Harbour(Library((), {}, (), (), (), {}), id="empty"))).test_client()
    assert "Hier ist kein Regelwerk geladen" in page(client, "/browse").text
    assert "Kein Regelwerk hat FAQ oder Errata zu Karten" in page(client, "/cards").text


def test_every_entry_of_the_sample_is_listed_or_inside_a_listed_one(sample_library):
    client = create_app(Indexes(Harbour(sample_library, id="sample"))).test_client()
    library = sample_library
    for edition in library.editions:
        listed = set(page(client, f"/browse/{edition.id}").links())
        for entry in library.entries_of(edition.id):
            if entry.kind in (Kind.TERM, Kind.REDIRECT, Kind.RULE, Kind.SECTION):
                assert f"/e/{entry.id}" in listed
