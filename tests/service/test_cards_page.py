from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from corpus.model import Kind
from index.library.library import Library
from service.browse.cards import CardCatalogue
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes
from tests.service.test_pages import DE, IT, page

LIGHTHOUSE = "/cards/sternenhafen/12-grundspiel"


@pytest.fixture(scope="module")
def tied(harbour_library) -> Library:
    """The invented game with an Italian erratum of the same card, a card that mentions it, and both
    tied by concept.
    """
    ruling = harbour_library.entry[f"{DE}/ruling-leuchtturm-12"]
    erratum = harbour_library.entry[f"{DE}/erratum-leuchtturm-12"]
    faro = replace(
        erratum,
        id=f"{IT}/erratum-faro",
        edition=IT,
        title="Faro",
        card="FARO",
        product="SET BASE",
        heading="FARO",
        parent=None,
    )
    boat = replace(ruling, id=f"{DE}/ruling-boot-13", title="Boot", card="BOOT", number="13")
    text = harbour_library.passages_of[ruling.id][0]
    return replace(
        harbour_library,
        entries=(*harbour_library.entries, faro, boat),
        passages=(
            *harbour_library.passages,
            replace(text, id=f"{faro.id}#0", entry=faro.id, display="Il Faro vale due monete."),
            replace(
                text,
                id=f"{boat.id}#0",
                entry=boat.id,
                display="F: Hilft der LEUCHTTURM dem Boot?\nA: Ja.",
            ),
        ),
        concepts={
            ruling.id: "sternenhafen/card-12-base-ruling",
            f"{DE}/ruling-leuchtturm-12-2": "sternenhafen/card-12-base-ruling-2",
            erratum.id: "sternenhafen/card-12-base-erratum",
            faro.id: "sternenhafen/card-12-base-erratum",
            boat.id: "sternenhafen/card-13-base-ruling",
        },
    )


@pytest.fixture
def harbour(tied) -> FlaskClient:
    return create_app(Indexes(Harbour(tied, id="tied"))).test_client()


@pytest.mark.parametrize(
    "asked",
    [
        "Leuchtturm",
        "leuchtturm",
        "Leuchturm",
        "12",
        "Leuchtturm 12",
        "Leuchtturm (12)",
        "Grundspiel",
        "leucht",
    ],
)
def test_a_card_is_found_by_name_number_and_product(client, asked):
    response = client.get("/cards", query_string={"q": asked})
    assert response.status_code == 303
    assert response.headers["Location"] == LIGHTHOUSE


def test_a_card_shows_its_rulings_and_errata_with_their_places(client):
    shown = page(client, LIGHTHOUSE)
    assert "Nr. 12 · Grundspiel" in shown.text
    assert shown.text.index("Errata 1") < shown.text.index("FAQ 2")
    assert "Leuchtet der Leuchtturm auch bei Nebel?" in shown.text
    assert "Darf ich zwei Leuchttürme bauen?" in shown.text
    assert "Sternenhafen Regelbuch 1.0 (de)" in shown.text
    assert f"/e/{DE}/erratum-leuchtturm-12" in shown.links()


def test_one_card_in_two_languages_is_one_card_with_the_readers_language_first(harbour):
    for asked in ("Faro", "Leuchtturm"):
        assert (
            harbour.get("/cards", query_string={"q": asked}).headers["Location"]
            == "/cards/sternenhafen/12-base"
        )
    shown = page(harbour, "/cards/sternenhafen/12-base")
    assert "Leuchtturm / Faro" in shown.text
    assert "Grundspiel / Set Base" in shown.text
    assert (
        shown.text.index("zwei Münzen")
        < shown.text.index("due monete")
        < shown.text.index("bei Nebel")
    )
    assert any(a.get("lang") == "it" for a in shown.all("article"))


def test_a_product_has_one_tidy_name_whatever_is_misprinted(harbour_library):
    ruling = harbour_library.entry[f"{DE}/ruling-leuchtturm-12"]
    names = (
        "STURM ÜBER DEM HAFEN",
        "STURM ÜBER DEM HAFEN",
        "STURM UBER DEM HAFEN",
        "Sturm über dem Haffen",
    )
    ids = [f"{DE}/ruling-{number}" for number in range(len(names))]
    added = [
        replace(ruling, id=id, number=str(30 + n), product=names[n]) for n, id in enumerate(ids)
    ]
    cards = {id: f"sternenhafen/card-{30 + n}-sturm-ruling" for n, id in enumerate(ids)}
    library = replace(harbour_library, entries=(*harbour_library.entries, *added), concepts=cards)
    stormy = create_app(Indexes(Harbour(library, id="storm"))).test_client()
    shown = page(stormy, "/cards")
    assert "Sturm Über dem Hafen 4" in shown.text
    assert not any(name in page(stormy, f"/e/{ids[3]}").text for name in ("STURM", "Haffen"))


def test_a_game_says_what_of_its_cards_is_loaded(client, harbour_library):
    assert "Keine Kartendatenbank geladen. Darunter: Karten" in page(client, "/cards").text
    assert "Sternenhafen: Keine Kartendatenbank geladen" in page(client, "/cards?q=Xyzzyx").text
    entries = tuple(e for e in harbour_library.entries if e.kind not in (Kind.RULING, Kind.ERRATUM))
    silent = create_app(
        Indexes(Harbour(replace(harbour_library, entries=entries), id="silent"))
    ).test_client()
    assert "Zu Karten ist nichts geladen" in page(silent, "/cards").text


def test_rulings_on_other_cards_that_name_it_are_related(harbour):
    shown = page(harbour, "/cards/sternenhafen/12-base")
    related = shown.text[shown.text.index("FAQ zu anderen Karten") :]
    assert "Boot FAQ" in related
    assert "Leuchtturm" not in related.split("Jede Antwort")[0].replace("LEUCHTTURM", "")
    assert "FAQ zu anderen Karten" not in page(harbour, "/cards/sternenhafen/13-base").text


def of_products(shown):
    return [details for details in shown.all("details") if details.get("class") == "product"]


def test_products_can_be_leafed_through(harbour):
    shown = page(harbour, "/cards")
    assert (
        len(of_products(shown)) == 1
    )  # both cards are of one product, whatever each edition calls it
    assert "Grundspiel / Set Base 2" in shown.text
    assert "1 Erratum" not in shown.text
    assert "2 Errata, 2 FAQ" in shown.text
    alone = page(harbour, "/cards?product=base&game=sternenhafen")
    assert ["open" in product for product in of_products(alone)] == [True]
    assert "/cards/sternenhafen/13-base" in alone.links()


def test_a_card_without_rulings_is_told_so(client):
    shown = page(client, "/cards?q=Xyzzyx")
    assert "Keine Karte heißt so oder hat diese Nummer" in shown.text
    assert next(a for a in shown.all("input") if a.get("id") == "card")["value"] == "Xyzzyx"


@pytest.mark.parametrize(
    "address",
    ["/cards/no-such", "/cards/sternenhafen/99", "/cards?product=no-such", "/cards?game=no-such"],
)
def test_a_card_or_product_that_is_not_here_is_told_so(client, address):
    assert "Diese Seite gibt es nicht" in page(client, address, 404).text


def test_every_ruling_of_the_sample_stands_under_one_card(sample_library):
    library = sample_library
    register = CardCatalogue(library)
    rulings = [e.id for e in library.entries if e.kind in (Kind.RULING, Kind.ERRATUM)]
    assert rulings
    assert sorted(e.id for card in register.by_id.values() for e in card.entries) == sorted(rulings)
    assert sum(len(product.cards) for product in register.products) == len(register.by_id)
    client = create_app(Indexes(Harbour(sample_library, id="sample"))).test_client()
    assert all(client.get(f"/cards/{id}").status_code == 200 for id in register.by_id)
    both = [
        c
        for c in register.by_id.values()
        if len({library.edition[e.edition].language for e in c.entries}) > 1
    ]
    assert both, "no card of the sample is known in two languages"
