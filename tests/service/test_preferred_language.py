from tests.service.test_pages import GERMAN, page


def choose(client, value, back="/"):
    return client.post("/prefer", data={"value": value, "next": back}, headers=GERMAN).headers[
        "Location"
    ]


def asked(indexes):
    assert indexes.index is not None
    query = indexes.index.queries[-1]
    return query.prefer, query.reader


def test_the_menu_offers_the_languages_of_the_rulebooks(client):
    choose(client, "it")
    shown = page(client, "/")
    assert "Antworten bevorzugt auf" in shown.text
    pressed = [a["value"] for a in shown.all("button") if a.get("aria-pressed") == "true"]
    assert pressed[:2] == ["de", "it"]


def test_what_was_chosen_is_part_of_the_address_of_an_answer(client, indexes):
    choose(client, "it")
    fields = {a["name"]: a.get("value") for a in page(client, "/").all("input") if a.get("name")}
    assert fields["prefer"] == "it"
    led = client.get("/", query_string={"in": "sternenhafen", "q": "nave", "prefer": "it"}).headers[
        "Location"
    ]
    assert led == "/?q=nave&game=sternenhafen&prefer=it"
    shown = page(client, led)
    assert asked(indexes) == ("it", "de")
    assert "Antworten bevorzugt auf: Italienisch" in shown.text
    assert "/?q=nave&game=sternenhafen" in shown.links()  # as asked
    page(client, "/?q=nave")  # the address of an answer says all, whatever is remembered
    assert asked(indexes) == (None, "de")


def test_a_choice_made_on_an_answer_changes_that_answer(client):
    assert choose(client, "it", "/?q=nave&prefer=de&k=20") == "/?q=nave&k=20&prefer=it"
    assert choose(client, "", "/?q=nave&prefer=de&k=20") == "/?q=nave&k=20"
    assert choose(client, "it", "/cards?q=nave") == "/cards?q=nave"


def test_programs_may_prefer_a_language_too(client, indexes):
    assert client.post("/v1/ask", json={"question": "nave", "prefer": "it-CH"}).status_code == 200
    assert asked(indexes) == ("it", None)
    assert client.get("/v1/ask?q=nave&prefer=it").status_code == 200
    assert client.post("/v1/ask", json={"question": "nave", "prefer": "?"}).status_code == 422
    assert (
        client.get("/?q=nave&prefer=ja").status_code == 200
    )  # none that is read here: nothing is preferred
    assert asked(indexes) == (None, "en")
