import hashlib

import pytest
from flask.testing import FlaskClient

from corpus.cards.read import SAMPLE
from index.cards.card_store import CardStore
from service.ops.settings import Settings
from service.web.app import create_app
from tests.pointers import value_at
from tests.service.harbour import Indexes

GAME = "pegelwacht"
HOOK = f"/cards/{GAME}/grappling-iron-01015"


@pytest.fixture
def client(snapshot) -> FlaskClient:
    return create_app(Indexes(snapshot)).test_client()


def found(client, **asked):
    response = client.get("/v1/cards", query_string=asked)
    assert response.status_code == 200, response.text
    return response.get_json()["cards"]


@pytest.mark.parametrize("asked", ["arpione", "enterhacken", "01015"])
def test_a_card_is_found_by_any_name_and_spelling(client, asked):
    first = found(client, q=asked)[0]
    assert (first["id"], first["url"]) == ("01015", HOOK)
    assert first["names"] == {"de": "Enterhaken", "it": "Arpione", "en": "Grappling Iron"}


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({}, 400),
        ({"q": "x" * 10_000}, 422),
        ({"q": "Otter\x07"}, 422),
        ({"q": "Otter", "game": "schach"}, 422),
        ({"q": "(a+)+$[" * 40}, 200),
        ({"q": "Otter, Enterhaken, Möwenruf, " * 60}, 200),
        ({"q": "' OR 1=1 --"}, 200),
    ],
)
def test_hostile_queries_are_refused_or_find_nothing_wrong(client, asked, status):
    response = client.get("/v1/cards", query_string=asked)
    assert response.status_code == status
    if status != 200:
        assert response.mimetype == "application/problem+json"


def quotations(part):
    """Every text in a response with a place in a file of cards."""
    if isinstance(part, dict):
        source = part.get("source")
        if isinstance(source, dict) and "pointer" in source and "text" in part:
            yield part["text"], source
        for inside in part.values():
            yield from quotations(inside)
    elif isinstance(part, list):
        for each in part:
            yield from quotations(each)


def test_every_text_of_every_card_stands_where_it_is_cited(client, sample_index):
    seen = 0
    for card in sample_index.cards.of_game(GAME):
        whole = client.get(f"/v1/cards/{GAME}/{card.slug}").get_json()
        for text, source in [*quotations(whole["faces"]), *quotations(whole["errata"])]:
            file = SAMPLE / GAME / source["file"]
            assert hashlib.sha256(file.read_bytes()).hexdigest() == source["sha256"]
            assert (
                "".join(
                    value_at(file, source["pointer"])[start:end] for start, end in source["spans"]
                )
                == text
            )
            seen += 1
        for rule in whole["rules"]:
            assert rule["entry"] in sample_index.library.entry
            if source := rule["source"]:
                [[start, end]] = source["spans"]
                assert (
                    value_at(SAMPLE / GAME / source["file"], source["pointer"])[start:end]
                    == rule["term"]
                )
    assert seen > 50


def test_a_card_tells_its_printings_errata_rules_and_rulings(client):
    whole = client.get(f"/v1{HOOK}").get_json()
    assert whole["printings"][0]["products"]["de"] == "Grundspiel"
    assert {erratum["old"]["language"] for erratum in whole["errata"]} == {"de", "it"}
    assert "Schaden" in {rule["title"] for rule in whole["rules"]}
    assert {entry["kind"] for entry in whole["printed"]} == {"erratum"}
    dates = [ruling["date"] for ruling in whole["rulings"]]
    assert len(dates) > 1
    assert dates == sorted(dates, reverse=True)


@pytest.mark.parametrize("address", ["01015", "an-old-name-01015"])
@pytest.mark.parametrize(("prefix", "status"), [("/v1", 308), ("", 301)])
def test_a_code_or_an_old_address_leads_to_the_present_one(client, prefix, status, address):
    response = client.get(f"{prefix}/cards/{GAME}/{address}")
    assert (response.status_code, response.headers["Location"]) == (status, f"{prefix}{HOOK}")


@pytest.mark.parametrize(
    "address",
    [
        f"{GAME}/nix",
        f"{GAME}/nix-9",
        f"{GAME}/" + "a-" * 500,
        f"{GAME}/%00",
        f"{GAME}/01015/x",
    ],
)
def test_what_is_no_card_is_not_found(client, address):
    assert {client.get(f"{prefix}/cards/{address}").status_code for prefix in ("/v1", "")} == {404}


def test_cards_of_an_unknown_game_are_not_found_and_the_api_says_which_field_is_wrong(client):
    assert client.get("/cards/schach/01015").status_code == 404
    problem = client.get("/v1/cards/schach/01015")
    assert (problem.status_code, problem.json["field"]) == (422, "game")


def test_a_card_tells_the_formats_it_is_in_and_from_when_or_until_when(client, monkeypatch):
    address = f"/cards/{GAME}/clever-jackdaw-01009"
    assert client.get(f"/v1{address}").get_json()["formats"] == {
        "Flotte": "legal",
        "Regatta": "banned",
    }
    for language, states in (
        ("de", ("erlaubt", "verboten")),
        ("it", ("legale", "bandita")),
        ("en", ("legal", "banned")),
    ):
        text = shown(client, address, language).partition('id="formats"')[2].partition("</dl>")[0]
        assert all(f"<dd>{state}</dd>" in text for state in states), text
    monkeypatch.setattr(
        CardStore, "get", with_formats({"Flotte": "until 2026-07-17", "Regatta": "2027-01-01"})
    )
    for language, states in (
        ("de", ("bis 17. Juli 2026", "ab 1. Januar 2027")),
        ("it", ("fino al 17 luglio 2026", "dal 1 gennaio 2027")),
    ):
        text = shown(client, address, language).partition('id="formats"')[2].partition("</dl>")[0]
        assert all(f"<dd>{state}</dd>" in text for state in states), text


def with_formats(formats):
    """`CardStore.get`, whose cards have these ``formats``."""
    get = CardStore.get

    def changed(store, game, id_or_slug):
        found = get(store, game, id_or_slug)
        return found._replace(formats=formats) if found else None

    return changed


def shown(client, address, language="de"):
    response = client.get(address, headers={"Accept-Language": language})
    assert response.status_code == 200
    return response.text


def test_the_page_shows_the_text_in_the_readers_language_first(client):
    for language, name in (("de", "Enterhaken"), ("it", "Arpione"), ("en", "Grappling Iron")):
        text = shown(client, HOOK, language)
        assert f'<h1 class="card-name" lang="{language}">{name}</h1>' in text
        first, _, unfolding = text.partition("<main")[2].partition("</section>")
        assert f'<blockquote lang="{language}">' in first
        others = {"de", "it", "en"} - {language}
        assert all(
            f'<blockquote lang="{other}">' not in first
            and f'<blockquote lang="{other}">' in unfolding
            for other in others
        )


def test_a_card_is_shown_first_in_the_language_that_was_chosen_for_passages(client):
    client.set_cookie("prefer", "it")
    text = shown(client, HOOK)
    assert '<h1 class="card-name" lang="it">Arpione</h1>' in text
    assert "Kartentext" in text
    assert f'href="/cards/{GAME}/call-of-the-gulls-02020" lang="it"' in shown(
        client, "/cards?q=M%C3%B6wenruf"
    )
    assert client.get("/v1/suggest?q=enterh&language=it").get_json()["cards"][0]["id"] == "01015"


def test_symbols_have_names_that_are_read_aloud(client):
    drawn = '<span class="symbol framed" role="img" aria-label="Öl" title="Öl">Öl</span>'
    assert drawn in shown(client, f"/cards/{GAME}/jonna-priel-01001a")
    assert drawn in shown(client, f"/?q=Was+macht+Bernstein-Ole%3F&game={GAME}")


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", ("Gerät", "Eisen.", "Kosten", "1. März 2021", "4. November 2022")),
        ("it", ("Attrezzo", "Ferro.", "Costo", "1 marzo 2021", "4 novembre 2022")),
    ],
)
def test_type_values_and_days_are_in_the_readers_language(client, language, words):
    text = shown(client, HOOK, language).partition("<main")[2]
    assert all(
        f">{word}<" in text or f" {word}<" in text
        for word in words
        if word not in ("Eisen.", "Ferro.", "Iron.")
    )
    assert all(word in text for word in words)
    assert "2021-03-01<" not in text


def test_of_several_printings_the_first_stands_above_the_text_and_all_below(client):
    text = shown(client, f"/cards/{GAME}/oilskin-01007")
    above, _, below = text.partition('id="text"')
    assert "Grundspiel" in above
    assert "2 Ausgaben" in above
    assert "Otter Lotsen-Pack" not in above
    assert "Otter Lotsen-Pack" in below


def test_the_page_links_rulings_rules_and_what_rulebooks_print(client):
    text = shown(client, HOOK)
    assert text.index("30. September 2025") < text.index("20. November 2024")
    assert "/e/pegelwacht-de-1.1/erratum-enterhaken-15" in text
    assert '<a href="/e/pegelwacht-de-1.1/schaden"' in text


def test_the_search_for_cards_leads_to_the_one_that_is_meant_and_lists_several(client):
    response = client.get("/cards", query_string={"q": "arpione"})
    assert (response.status_code, response.headers["Location"]) == (303, HOOK)
    text = shown(client, "/cards?q=M%C3%B6wenruf")
    assert f"/cards/{GAME}/call-of-the-gulls-02020" in text
    assert f"/cards/{GAME}/call-of-the-gulls-04020" in text


def test_cards_are_suggested_while_one_types(client):
    offered = client.get("/v1/suggest", query_string={"q": "kluge d"}).get_json()["cards"]
    assert [(card["title"], card["url"]) for card in offered] == [
        ("Kluge Dohle", f"/cards/{GAME}/clever-jackdaw-01009")
    ]
    assert (
        client.get(
            "/v1/suggest", query_string={"q": "kluge d", "edition": "pegelduell-de-2.0"}
        ).get_json()["cards"]
        == []
    )


def test_pictures_come_from_elsewhere_only_where_the_owner_says_so(client, snapshot):
    response = client.get(HOOK)
    assert "<img" not in response.text.partition("<main")[2]
    assert "https://" not in response.headers["Content-Security-Policy"]
    settings = Settings(card_images="https://pictures.example/{game}/{code}.jpg")
    response = create_app(Indexes(snapshot), settings).test_client().get(HOOK)
    assert f'src="https://pictures.example/{GAME}/01015.jpg"' in response.text
    assert "img-src 'self' https://pictures.example;" in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "address",
    ["ftp://x/{code}", "https://x/picture.jpg", "https://x.example/{code}; script-src *", "{code}"],
)
def test_an_address_of_pictures_that_is_none_is_refused(address):
    with pytest.raises(ValueError, match="card_images"):
        Settings(card_images=address)


@pytest.mark.parametrize(
    ("typed", "to"),
    [
        ("grapling iron", HOOK),
        ("enterhacken", HOOK),
        ("4.2.3", "/e/pegelduell-de-2.0/4.2.3"),
    ],
)
def test_a_name_or_a_number_opens_what_it_names(client, typed, to):
    response = client.get("/", query_string={"q": typed})
    assert (response.status_code, response.headers.get("Location")) == (303, to)


@pytest.mark.parametrize(
    "typed",
    [
        "Was macht Enterhaken?",
        "Auftauchen",
    ],
)
def test_questions_and_terms_are_answered(client, typed):
    response = client.get("/", query_string={"q": typed})
    assert response.status_code == 200
    assert "<blockquote" in response.text


def test_nothing_found_is_said_without_neighbours(client):
    shown = client.get("/", query_string={"q": "asdfghjkl"}, headers={"Accept-Language": "de"}).text
    assert "Nichts gefunden" in shown
    assert "<blockquote" not in shown
    assert "Nur das Regelwerk zeigen" not in shown
