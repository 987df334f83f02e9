import pytest

from tests.service.assistants import call, trouble

GAME = "pegelwacht"


@pytest.mark.parametrize(
    ("name", "language"),
    [("Teerjacke", "de"), ("Cerata", "it"), ("Oilskin", "en"), ("teerjake", "de"), ("01007", "en")],
)
def test_a_card_is_found_by_any_name_with_its_text_in_the_language_of_the_name(
    snapshot, name, language
):
    card = call(snapshot, "find_card", name=name)["cards"][0]
    assert (card["card"], card["names"]) == (
        "01007",
        {"de": "Teerjacke", "en": "Oilskin", "it": "Cerata"},
    )
    assert all(f"({language})" in text["label"] for text in card["texts"])
    assert card["rulings"] == 2
    assert card["formats"] == {"Flotte": "legal", "Regatta": "legal"}


def test_the_texts_are_in_the_language_that_is_asked_for(snapshot):
    card = call(snapshot, "find_card", name="Teerjacke", language="it")["cards"][0]
    assert [text["label"] for text in card["texts"]] == ["Testo della carta, Cerata (it)"]


def test_several_cards_of_one_name_are_told_apart_by_their_product(snapshot):
    found = call(snapshot, "find_card", name="Möwenruf")["cards"][:2]
    assert [card["card"] for card in found] == ["02020", "04020"]
    assert found[0]["products"] != found[1]["products"]
    assert found[0]["certainty"] == found[1]["certainty"]


def test_a_text_of_a_card_that_is_its_correction_is_quoted_once_and_called_so(snapshot):
    texts = call(snapshot, "find_card", name="Arpione")["cards"][0]["texts"]
    assert {text["label"] for text in texts} == {
        "Errata della carta, 4 novembre 2022, Arpione (it)"
    }
    assert sum("Spossa Arpione" in text["words"] for text in texts) == 1


def test_what_the_tools_quote_can_be_verified(snapshot):
    card = call(snapshot, "find_card", name="Teerjacke")["cards"][0]["texts"][0]
    ruling = call(snapshot, "rulings_of", card="Teerjacke")["rulings"][0]
    for quoted in (card, ruling):
        checked = call(snapshot, "verify", text=f"«{quoted['words']}» [{quoted['marker']}]")
        assert checked["verdict"] == "exact"


@pytest.mark.parametrize("name", ["01007", "Teerjacke", "cerata", "teerjake", "Oilskin"])
def test_rulings_of_a_card_are_told_the_newest_first(snapshot, name):
    found = call(snapshot, "rulings_of", card=name)
    assert [each["card"] for each in found["cards"]] == ["01007"]
    assert [each["date"] for each in found["rulings"]] == ["2025-04-12", "2025-03-02"]
    assert (found["total"], found["page"], found["pages"]) == (2, 1, 1)


def test_a_ruling_that_something_replaced_says_so(snapshot):
    found = call(snapshot, "rulings_of", card="Enterhaken")["rulings"]
    assert [each.get("superseded", False) for each in found] == [False, True]
    assert found[0]["before"] == found[1]["before"] != ""


def test_rulings_of_all_cards_of_one_name_come_together(snapshot):
    found = call(snapshot, "rulings_of", card="Möwenruf")
    assert [each["card"] for each in found["cards"]] == ["02020", "04020"]
    assert len({each["label"] for each in found["rulings"]}) == found["total"] > 0


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("find_card", {"name": " "}, "empty"),
        ("find_card", {"name": "Otter", "game": "schach"}, GAME),
        ("rulings_of", {"card": "Teerjacke", "page": 2}, "last page is 1"),
        ("rulings_of", {"card": "Teerjacke", "game": "pegelduell"}, "There is no card"),
        ("rulings_of", {"name": "Teerjacke"}, "Known: card, game, page"),
    ],
)
def test_a_wrong_call_says_what_to_do(snapshot, tool, arguments, said):
    assert said in trouble(snapshot, tool, **arguments)
