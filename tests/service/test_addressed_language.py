"""Addresses that say in which language their page is: ``?lang=it`` before the cookie and what the
browser asks for.
"""

import pytest

from tests.service.test_pages import DE, GERMAN, IT, Page, page


def spoken(client, address):
    return page(client, address).all("html")[0]["lang"]


PAGES = [
    "/?q=ankern",
    f"/e/{DE}/ankern?",
    "/cards?",
    f"/screen/e/{IT}/ancorare?",
]


@pytest.mark.parametrize("address", PAGES)
def test_the_address_says_the_language_of_any_page(client, address):
    response = client.get(f"{address}&lang=it", headers=GERMAN)
    assert (
        Page(response.text).all("html")[0]["lang"] == response.headers["Content-Language"] == "it"
    )
    assert spoken(client, address) == "de"


def test_the_address_goes_before_what_was_chosen_and_what_it_does_not_know_is_passed_over(client):
    client.set_cookie("language", "en")
    assert spoken(client, "/?lang=it") == "it"
    assert spoken(client, "/?lang=de-AT") == "de"
    for unknown in ("fr", "", "..", "de_AT", "%00", "x" * 500):
        assert spoken(client, f"/?lang={unknown}") == "en"


def test_the_choice_in_the_menu_holds_although_the_address_said_another(client):
    back = client.post(
        "/language", data={"value": "en", "next": "/?q=ankern&lang=it&game=sternenhafen"}
    )
    assert back.headers["Location"] == "/?q=ankern&game=sternenhafen"
    assert spoken(client, back.headers["Location"]) == "en"


def test_who_asks_further_stays_in_the_language_of_the_address(client):
    shown = page(client, "/?q=ankern&lang=it")
    assert {a.get("value") for a in shown.all("input") if a.get("name") == "lang"} == {"it"}
    led = client.get("/?in=sternenhafen&q=ankern&lang=it", headers=GERMAN).headers["Location"]
    assert led == "/?q=ankern&game=sternenhafen&lang=it"
    more = [
        link
        for link in page(client, "/?q=ein+der+die+im+nur+nicht&lang=it").links()
        if "k=20" in link
    ]
    assert "lang=it" in more[0]
    assert not any(a.get("name") == "lang" for a in page(client, "/?q=ankern&lang=xx").all("input"))


def test_an_address_that_leads_on_hands_the_language_over(client):
    found = client.get("/cards?q=Leuchtturm&lang=it", headers=GERMAN)
    assert found.status_code == 303
    assert found.headers["Location"].endswith("?lang=it")
    assert spoken(client, found.headers["Location"]) == "it"


def test_search_engines_are_told_the_page_in_each_language(client):
    shown = page(client, "/?q=Hafen+%26+M%C3%BCnze&lang=it")
    known = {a.get("hreflang"): a["href"] for a in shown.all("link") if a.get("hreflang")}
    asked = "/?q=Hafen+%26+M%C3%BCnze"
    assert known == {
        "x-default": asked,
        **{code: f"{asked}&lang={code}" for code in ("de", "it", "en")},
    }
    assert [a["href"] for a in shown.all("link") if a.get("rel") == "canonical"] == [
        f"{asked}&lang=it"
    ]
    assert [
        a["href"]
        for a in page(client, f"{asked}&lang=xx").all("link")
        if a.get("rel") == "canonical"
    ] == [asked]
    assert not any(a.get("hreflang") for a in page(client, "/nothing", 404).all("link"))
