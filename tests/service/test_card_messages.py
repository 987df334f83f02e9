import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from corpus.cards.model import Card, CardFace, CardText, TextKind
from corpus.model import Span
from corpus.rulings.model import Authority, Ruling
from corpus.sourced_text import SourcedText, StringSource
from index.model import CardTextHit, PartResult, Query
from service.answers.chat_markup import utf16_length
from service.answers.chat_messages import compose_card_message, compose_message, message_out
from service.schemas.fields import LEAST_MESSAGE, MESSAGE_LIMITS, MessageFormat
from service.web.app import create_app
from tests.service.harbour import Indexes
from tests.service.test_chat import BASE, HOSTILE, assert_markdown_v2, discord, plain, rendered

GAME = "pegelwacht"
OILSKIN = f"/cards/{GAME}/oilskin-01007"


@pytest.fixture
def client(snapshot) -> FlaskClient:
    return create_app(Indexes(snapshot)).test_client()


def asked(client, question, **fields):
    response = client.get(
        "/v1/message", query_string={"q": question, "format": "discord", **fields}
    )
    assert response.status_code == 200, response.text
    return response.get_json()


def card(name, text="Nimm 1 Öl.", subtitle=""):
    quoted = SourcedText(text, "de", StringSource("cards.yaml", "0" * 64, "/cards/0/texts/de"))
    face = CardFace(
        {"de": name},
        {"de": subtitle} if subtitle else {},
        "gear",
        {},
        {},
        (CardText(TextKind.RULES, quoted, text),),
    )
    return Card("1", GAME, "karte-1", (face,), (), (), {})


def ruling(id, answer, authority=Authority.PUBLISHER, superseded_by=""):
    place = StringSource("a.yaml", "0" * 64, "/0/answer")
    return Ruling(
        id=f"{GAME}/{id}",
        game=GAME,
        authority=authority,
        date="2025-01-01",
        cards=("1",),
        question=None,
        answer=SourcedText(answer, "de", place),
        source="",
        url="",
        bases=(),
        superseded_by=superseded_by,
    )


@pytest.mark.parametrize(
    ("name", "language", "heading"),
    [
        ("Teerjacke", "de", "Teerjacke"),
        ("teerjake", "de", "Teerjacke"),
        ("Cerata", "it", "Cerata"),
        ("Oilskin?", "en", "Oilskin"),
        ("Otter", "de", "Otter"),
    ],
)
def test_the_name_of_a_card_is_answered_with_the_card_in_the_language_of_the_name(
    client, name, language, heading
):
    found = asked(client, name)
    assert found["language"] == language
    assert found["message"].startswith(f"**{heading}**\n> ")


def test_a_card_is_quoted_with_the_rulings_on_it_each_cited(client):
    found = asked(client, "Teerjacke")
    assert [each["kind"] for each in found["citations"]] == ["card", "ruling", "ruling"]
    for link in (OILSKIN, f"/rulings/{GAME}/teerjacke-sturm", f"/rulings/{GAME}/cerata-burrasca"):
        assert f"(<http://localhost{link}>)" in found["message"]
    alone = asked(client, "Teerjacke", layers="rulebook,cards")
    assert [each["kind"] for each in alone["citations"]] == ["card"]
    assert asked(client, "Teerjacke", layers="rulebook")["citations"][0].get("entry")


def test_a_corrected_card_shows_its_text_once_and_in_one_language(client):
    message = asked(client, "Arpione")["message"]
    assert message.count("infliggi 2 danni a un relitto") == 1
    assert "Handlung: Ermatte" not in message
    assert message.index("Errata della carta") < message.index("Risposta ufficiale")


def test_other_cards_of_the_name_are_linked(client):
    message = asked(client, "Möwenruf")["message"]
    assert f"http://localhost/cards/{GAME}/call-of-the-gulls-02020" in message
    others = message.partition("**Andere Karten dieses Namens**")[2]
    assert (
        "[Möwenruf, Das versunkene Siel, "
        f"20](<http://localhost/cards/{GAME}/call-of-the-gulls-04020>)" in others
    )


def test_a_term_of_the_game_and_a_question_on_a_card_are_answered_as_questions(client):
    assert "/e/pegelwacht-" in asked(client, "Anker")["message"].partition("**Weitere Stellen**")[0]
    found = asked(client, "Kann ein durchnässter Lotse den Enterhaken benutzen?")
    assert found["citations"][0]["url"] == f"/rulings/{GAME}/enterhaken-durchnaesst-2"
    assert asked(client, "Teerjacke", edition="pegelduell-de-2.0")["citations"][0]["kind"] != "card"


def test_the_message_of_the_cards_own_address_is_the_same(client):
    direct = client.get(
        f"/v1/message{OILSKIN}", query_string={"format": "discord", "language": "de"}
    ).get_json()
    assert (direct["name"], direct["url"], direct["format"]) == ("Teerjacke", OILSKIN, "discord")
    assert direct["message"] == asked(client, "Teerjacke")["message"]


@pytest.mark.parametrize("form", MessageFormat)
def test_every_card_of_the_sample_fits_and_is_linked(client, sample_index, form):
    for each in sample_index.cards.of_game(GAME):
        found = client.get(
            f"/v1/message/cards/{GAME}/{each.slug}",
            query_string={"format": form.value, "language": "it"},
        ).get_json()
        assert found["length"] == utf16_length(found["message"]) <= MESSAGE_LIMITS[form]
        assert not found["cut"]
        assert found["url"] in found["message"]


@pytest.mark.parametrize("form", MessageFormat)
def test_a_long_text_is_cut_with_a_mark_and_keeps_its_link(form):
    long = " ".join(f"Nimm {number} Öl und lege eine Karte ab." for number in range(400))
    written = compose_card_message(
        card("Fass", long), [ruling("kurz", "Ja, immer.")], "de", form, BASE
    )
    assert written.cut
    assert re.search(r"\[…\]|\\\[…\\\]", written.text)
    assert MESSAGE_LIMITS[form] * 0.8 < written.length <= MESSAGE_LIMITS[form]
    assert f"{BASE}/cards/{GAME}/karte-1" in written.text
    assert f"{BASE}/rulings/{GAME}/kurz" in written.text


def test_official_rulings_that_hold_come_first_and_superseded_ones_are_left_out():
    rulings = [
        ruling("haus", "Am Tisch: ja.", Authority.HOUSE),
        ruling("alt", "Nein.", superseded_by=f"{GAME}/neu"),
        ruling("neu", "Doch."),
    ]
    text = compose_card_message(card("Fass"), rulings, "de", MessageFormat.PLAIN, BASE).text
    assert text.index("Doch.") < text.index("Am Tisch: ja.")
    assert "Nein." not in text


def test_a_card_without_text_is_named_and_linked():
    blank = card("Fass", "")._replace(faces=(CardFace({"de": "Fass"}, {}, "gear", {}, {}, ()),))
    text = compose_card_message(blank, [], "de", MessageFormat.DISCORD, BASE).text
    assert text.splitlines()[0] == "**Fass**"
    assert f"(<{BASE}/cards/{GAME}/karte-1>)" in text


@given(
    name=HOSTILE,
    words=HOSTILE,
    form=st.sampled_from([MessageFormat.MARKDOWN, MessageFormat.DISCORD]),
)
def test_signs_in_names_and_texts_of_cards_never_work_as_markup(name, words, form):
    name = " ".join(name.split())
    text = compose_card_message(card(name, words), [], "de", form, BASE).text
    if form is MessageFormat.DISCORD:
        assert plain(discord(text)) == plain(words)
        heading = text.split("\n> ")[0]
        assert heading.startswith("**")
        assert heading.endswith("**")
        assert not re.search(r"(?<!\\)(?:\\\\)*[`*_~|<>\[\]]", heading[2:-2])
    else:
        assert_markdown_v2(text)
        quoted, _, links = rendered(text)
        assert plain(quoted) == plain(words)
        assert set(links) <= {f"{BASE}/cards/{GAME}/karte-1"}


@pytest.mark.parametrize("form", MessageFormat)
@pytest.mark.parametrize(
    "name",
    [
        "@everyone",
        "<@123456>",
        "https://example.org/x",
        "Kai](https://example.org)",
        "**Fett** `Kai`",
    ],
)
def test_the_name_of_a_card_calls_nobody_and_links_nowhere(form, name):
    text = compose_card_message(card(name), [], "de", form, BASE).text
    assert not re.search(r"@(everyone|here)|<@[!&]?\d+>", text)
    if form is MessageFormat.MARKDOWN:
        assert_markdown_v2(text)
        assert set(rendered(text)[2]) <= {f"{BASE}/cards/{GAME}/karte-1"}
    if form is MessageFormat.DISCORD:
        assert "](https://example.org" not in text
        assert "https://example.org/x" not in text


@given(
    name=st.text("aÄ𝔸 -", min_size=1, max_size=300).filter(str.strip),
    words=st.text("ab. \n", min_size=1, max_size=3000).filter(str.strip),
    form=st.sampled_from(MessageFormat),
    limit=st.integers(LEAST_MESSAGE, 900),
)
def test_no_message_on_a_card_is_longer_than_allowed(name, words, form, limit):
    others = [card(f"{name} {number}") for number in range(5)]
    written = compose_card_message(
        card(name, words), [ruling("r", words)], "de", form, BASE, limit, others
    )
    assert written.length == utf16_length(written.text) <= limit
    assert ("[…]" in written.text or r"\[…\]" in written.text) >= written.cut


@pytest.mark.parametrize("format", list(MessageFormat))
def test_a_card_message_says_what_is_open(snapshot, format):
    question = "Was macht die Karte „Enterhaken“?"
    found = snapshot.search(Query(question, game=GAME, language="de"))
    assert isinstance(found.ranked[0], CardTextHit)
    open_part = PartResult("Darf mein Hund mitspielen?", Span(0, 5), 0.0, False, ())
    for result, said in (
        (found, ""),
        (replace(found, confidence=0.5), "wahrscheinlich"),
        (replace(found, confidence=0.0, answered=False), "klärt das vielleicht nicht"),
        (replace(found, parts=(open_part,)), "Hund mitspielen? – Das Regelwerk klärt das"),
    ):
        message = compose_message(snapshot.library, result, format, BASE)
        words = re.sub(r"[\\*_]", "", message.text)
        assert (said or "Enterhaken") in words
        if not said:
            assert "vielleicht" not in words
            assert "wahrscheinlich" not in words
        out = message_out(snapshot, result, message)
        assert (out.settled == "settled") == (not said or bool(result.parts))
