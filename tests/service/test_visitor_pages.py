import json
import re
import struct
from dataclasses import replace

import pytest

from service.answers.citations import quoted_citation
from service.web.app import create_app
from service.web.pages.layout import local_address
from tests.service.harbour import Harbour, Indexes
from tests.service.test_pages import DE, GERMAN, IT, page


def chosen(client, what, value, back="/?q=nave&game=sternenhafen", status=303):
    response = client.post(f"/{what}", data={"value": value, "next": back}, headers=GERMAN)
    assert response.status_code == status
    return response.headers.get("Location", "")


def test_a_language_chosen_holds_on_every_page_until_another_is_chosen(client):
    assert chosen(client, "language", "it") == "/?q=nave&game=sternenhafen"
    for address in ("/", f"/e/{DE}/ankern", "/no-such"):
        shown = client.get(address, headers=GERMAN)
        assert '<html lang="it">' in shown.text
    chosen(client, "language", "de")
    assert '<html lang="de">' in client.get("/").text


def test_a_theme_chosen_is_part_of_the_page_itself(client):
    assert "data-theme" not in client.get("/").text
    chosen(client, "theme", "dark")
    shown = page(client, "/")
    assert shown.all("html") == [{"lang": "de", "data-theme": "dark"}]
    assert (
        next(a for a in shown.all("meta") if a.get("name") == "color-scheme")["content"] == "dark"
    )
    assert len([a for a in shown.all("meta") if a.get("name") == "theme-color"]) == 1
    chosen(client, "theme", "")
    assert page(client, "/").all("html") == [{"lang": "de"}]


def test_keys_of_one_letter_can_be_turned_off(client):
    chosen(client, "keys", "off")
    assert page(client, "/").all("html") == [{"lang": "de", "data-keys": "off"}]


def test_the_choice_in_force_is_the_one_pressed(client):
    pressed = [
        a["value"] for a in page(client, "/").all("button") if a.get("aria-pressed") == "true"
    ]
    assert pressed == ["de", "", "", ""]


@pytest.mark.parametrize(
    ("what", "value"),
    [("language", "fr"), ("language", ""), ("theme", "pink"), ("keys", "maybe"), ("prefer", "xx")],
)
def test_a_choice_that_there_is_not_is_refused(client, what, value):
    chosen(client, what, value, status=422)
    assert client.get_cookie(what) is None


def test_a_cookie_that_means_nothing_changes_nothing(client):
    plain = client.get("/", headers=GERMAN).text
    for name in ("language", "theme", "keys", "scope", "prefer"):
        client.set_cookie(name, '"><script>')
    assert client.get("/", headers=GERMAN).text == plain


@pytest.mark.parametrize(
    "address",
    [
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "https://evil.example/",
        "https:evil.example",
        "javascript:alert(1)",
        "/\t/evil.example",
        "\t//evil.example",
        "/\r\nSet-Cookie: a=b",
        "//[",
        "evil.example",
        "",
    ],
)
def test_a_choice_never_leads_to_another_site(client, address):
    assert local_address(address) == "/"
    assert chosen(client, "language", "it", back=address) == "/"


def selected(client, address):
    return [a["value"] for a in page(client, address).all("option") if "selected" in a]


def test_where_was_searched_is_remembered_and_the_address_wins(client):
    client.get("/", query_string={"in": IT, "q": "nave"})
    assert selected(client, "/") == [IT]
    assert selected(client, "/offline") == [IT]
    assert selected(client, f"/?edition={DE}") == [DE]
    assert selected(client, "/?q=nave&game=sternenhafen") == ["sternenhafen"]
    assert selected(client, "/?q=nave") == []  # this address asks all rulebooks, whoever opens it
    client.get("/", query_string={"in": "sternenhafen", "q": ""})
    assert selected(client, "/") == ["sternenhafen"]
    client.get("/", query_string={"in": "", "q": "nave"})
    assert selected(client, "/") == []


def test_following_a_link_is_no_choice(client):
    client.get(f"/?q=nave&edition={IT}")
    assert selected(client, "/") == []


def test_what_is_not_loaded_is_not_remembered(client):
    client.get("/", query_string={"in": "no-such", "q": "nave"})
    assert client.get_cookie("scope") is None
    client.set_cookie("scope", "gone-de-1.0")
    assert selected(client, "/") == []


def test_an_answer_brings_a_citation_to_paste(client):
    shown = page(client, "/?q=betäubtes")
    expected = (
        "„Ein Schiff kann nur im eigenen Hafen ankern. Ein betäubtes Schiff kann nicht ankern.“ – "
        "Sternenhafen Regelbuch 1.0, Ankern, S. 3"
    )
    assert expected in shown.text
    italian = page(client, "/?q=stordita")
    assert (
        "«Una nave stordita non può ancorare. Una nave senza remi non può uscire.» – Porto "
        "Stellare Regolamento 1.1, Ancorare, r. 6–7" in italian.text
    )


def test_a_bullet_and_a_part_of_a_term_are_cited_as_what_they_are(client):
    assert (
        "„• Wer ankert, zieht eine Karte (siehe Flaute).“ – Sternenhafen"
        in page(client, "/?q=zieht").text
    )
    assert (
        "länger.“ – Sternenhafen Regelbuch 1.0, Sturm (Wetter), Ausnahme, S. 3"
        in page(client, "/?q=runde").text
    )


@pytest.mark.parametrize("length", [1, 50])
def test_a_passage_is_cited_as_it_is_printed_however_long_it_is(harbour_library, length):
    text = f"Der Anker hält:\n • {'Wind weht. ' * length}\n • Die Kette reißt."
    passage = replace(harbour_library.passages_of[f"{DE}/flaute"][0], text=text, display=text)
    assert quoted_citation(harbour_library, passage).startswith(f"„{text}“ – Sternenhafen ")


def test_an_answer_offers_whole_entry_link_and_citation(client):
    shown = page(client, "/?q=liegeplatz")
    found = {
        name: a["href"] for a in shown.all("a") for name in ("data-open", "data-link") if name in a
    }
    assert found == {"data-open": f"/e/{DE}/4#p-4.2-0", "data-link": f"/e/{DE}/4.2#p-4.2-0"}
    assert "p-4.2-0" in [a.get("id") for _, a in page(client, f"/e/{DE}/4.2").elements]
    assert (
        len([a for a in shown.all("summary") if "data-cite" in a])
        == len([a for a in shown.all("article") if "data-answer" in a])
        == 1
    )


def test_the_same_rule_in_the_other_language_is_offered_where_there_is_one(harbour_library):
    tied = {
        f"{DE}/ankern": "sternenhafen/anchor",
        f"{DE}/hafen": "sternenhafen/anchor",
        f"{IT}/ancorare": "sternenhafen/anchor",
    }
    library = replace(harbour_library, concepts=tied)
    client = create_app(Indexes(Harbour(library, id="tied"))).test_client()

    def elsewhere(address):
        return [
            (a["href"], a["hreflang"])
            for a in page(client, address).all("a")
            if "data-elsewhere" in a
        ]

    assert elsewhere("/?q=betäubtes") == [(f"/e/{IT}/ancorare", "it")]
    assert elsewhere("/?q=stordita") == [(f"/e/{DE}/ankern", "de")]
    assert elsewhere("/?q=beendet") == []
    assert "Italienisch: Ancorare" in page(client, "/?q=betäubtes").text


def test_an_answer_is_announced_and_its_page_asks_for_no_focus(client):
    shown = page(client, "/?q=betäubtes")
    main = shown.all("main")[0]
    assert main["data-said"] == "Geklärt. Antwort: Ankern. Weitere Stellen: 0"
    assert not any("autofocus" in a for a in shown.all("input"))
    assert (
        page(client, "/?q=xyzzy").all("main")[0]["data-said"]
        == "Das Regelwerk klärt das vielleicht nicht"
    )
    assert "Zeichen" in str(page(client, "/?q=" + "x" * 2001, 422).all("main")[0]["data-said"])


def test_every_page_leads_to_every_part_of_the_site(client):
    shown = page(client, f"/e/{DE}/ankern")
    assert {"/", "/cards", "/browse", "/compare", "/state", "/about", "/offline"} <= set(
        shown.links()
    )
    current = {a["href"] for a in page(client, "/").all("a") if a.get("aria-current") == "page"}
    assert current == {"/"}
    current = {a["href"] for a in shown.all("a") if a.get("aria-current") == "page"}
    assert current == {"/browse"}


def test_the_site_can_be_installed(client):
    links = {a["rel"]: a["href"] for a in page(client, "/").all("link")}
    response = client.get(links["manifest"] or "", headers=GERMAN)
    assert response.mimetype == "application/manifest+json"
    told = json.loads(response.text)
    assert (told["start_url"], told["scope"], told["display"], told["lang"]) == (
        "/",
        "/",
        "standalone",
        "de",
    )
    assert "Frag das Regelwerk" in told["name"]
    for icon in told["icons"]:
        picture = client.get(icon["src"])
        assert picture.status_code == 200
        if icon["type"] == "image/png":
            assert "{}x{}".format(*struct.unpack(">II", picture.data[16:24])) == icon["sizes"]
    assert "maskable" in [icon.get("purpose") for icon in told["icons"]]


def test_the_service_worker_may_run_and_keeps_the_files_of_this_version(client, app):
    response = client.get("/sw.js")
    assert response.mimetype == "text/javascript"
    assert response.headers["Cache-Control"] == "no-cache"
    assert "worker-src 'self'" in response.headers["Content-Security-Policy"]
    files = json.loads(re.search(r"FILES = (\[.*?\]);", response.text)[1])
    needed = {
        a["href"] for a in page(client, "/").all("link") if a["rel"] in ("stylesheet", "icon")
    }
    needed |= {
        a["src"] for address in ("/", "/offline") for a in page(client, address).all("script")
    }
    assert needed <= set(files)
    assert all(client.get(file).status_code == 200 for file in files)
    assert app.static_folder is not None
    assert client.get("/sw.js").text == response.text


def test_pages_name_the_index_they_are_kept_by_and_errors_do_not(client):
    for address in ("/", "/?q=betäubtes", f"/e/{DE}/ankern", "/offline"):
        assert client.get(address).headers["Regula-Index"] == "index-1"
    assert "Regula-Index" not in client.get("/no-such").headers


def test_the_first_page_is_light(client):
    response = client.get("/", headers=GERMAN)
    shown = page(client, "/")
    files = [a["href"] for a in shown.all("link") if a.get("rel") in ("stylesheet", "icon")] + [
        a["src"] for a in shown.all("script")
    ]
    assert len(response.data) + sum(len(client.get(file or "").data) for file in files) < 60_000
