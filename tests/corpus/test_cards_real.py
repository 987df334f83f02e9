import json
import os
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from rapidfuzz import fuzz

from corpus.cards.model import Card
from corpus.cards.read import read_cards
from corpus.cards.symbols import symbol_places, unknown_symbols
from tests.conftest import ROOT

pytestmark = pytest.mark.acceptance

FOLDERS = {"marvel-champions": "marvelsdb-json-data", "lorcana": "lorcana"}


def folder_of(game):
    """Where the database of ``game`` is: REGULA_CARDS, else ../shared/cards. Skips the test where
    it is nowhere.
    """
    places = [Path(place) for place in [os.environ.get("REGULA_CARDS", "")] if place] + [
        ROOT.parent / "shared" / "cards"
    ]
    found = next(
        (place / FOLDERS[game] for place in places if (place / FOLDERS[game]).is_dir()), None
    )
    if found is None:
        pytest.skip("the real card databases are not here")
    return found


@cache
def read(game):
    return read_cards(folder_of(game), game)


@cache
def data(path):
    return json.loads(path.read_text(encoding="utf-8"))


def records(folder, pattern):
    return [record for path in sorted(folder.glob(pattern)) for record in data(path)]


@cache
def by_code():
    """The cards of Marvel Champions by the codes of all their faces and printings."""
    found: dict[str, Card] = {}
    for card in read("marvel-champions").cards:
        found |= {face.code: card for face in card.faces} | {
            printing.code: card for printing in card.printings
        }
    return found


def test_every_record_of_marvelsdb_is_a_card_a_face_or_a_printing():
    originals = records(folder_of("marvel-champions"), "pack/*.json")
    backs_of_reprints = {
        record["back_link"]
        for record in originals
        if "duplicate_of" in record and "back_link" in record
    }
    assert len(originals) > 4_000
    assert [
        record["code"]
        for record in originals
        if record["code"] not in by_code() and record["code"] not in backs_of_reprints
    ] == []


@pytest.mark.parametrize("language", ["en", "de", "it"])
def test_every_name_and_text_of_marvelsdb_is_there_in_its_language(language):
    folder = folder_of("marvel-champions")
    english = {record["code"]: record for record in records(folder, "pack/*.json")}
    translated = (
        english.values()
        if language == "en"
        else records(folder, f"translations/{language}/pack/*.json")
    )
    quoted = {text.quoted.text for card in by_code().values() for text in card.texts(language)}
    names = {face.names.get(language) for card in by_code().values() for face in card.faces}
    missing: Counter[str] = Counter()
    twice = Counter(record["code"] for record in translated)
    for record in translated:
        original = english.get(record["code"])
        if original is None or twice[record["code"]] > 1 or "duplicate_of" in original:
            # Each is a fault that is listed, or a printing of a card that is looked at itself
            continue
        missing["name"] += (
            bool(record.get("name"))
            and record["name"].strip() not in names
            and "[" not in record["name"]
        )
        for field in ("text", "flavor"):
            text = record.get(field)
            # Some differ from the English ones in a colon or a quotation mark.
            is_english = language != "en" and fuzz.ratio(text, original.get(field)) >= 88
            missing[field] += bool(text and text.strip() and not is_english and text not in quoted)
    assert sum(missing.values()) == 0, missing
    assert len(quoted) > 2_000


def test_every_record_of_lorcanajson_is_a_printing_and_every_wording_that_counts_is_there():
    records = data(folder_of("lorcana") / "allCards.en.json")["cards"]
    cards = read("lorcana").cards
    assert {printing.code for card in cards for printing in card.printings} == {
        str(record["id"]) for record in records
    }
    names = {card.faces[0].names["en"].casefold() for card in cards}
    assert {record["name"].casefold() for record in records} - names <= {
        "vaiana"
    }  # a promotion under the name that the card has elsewhere
    texts = {str(record["id"]): record["fullText"] for record in records}
    assert [
        card.slug
        for card in cards
        if texts[card.faces[0].code].strip() and not list(card.texts("en"))
    ] == []


@pytest.mark.parametrize("game", FOLDERS)
def test_every_symbol_is_shown(game):
    found = read(game)
    told = {(fault.file, fault.pointer) for fault in found.faults if "unknown symbol" in fault.what}
    count = 0
    for card in found.cards:
        for text in card.texts():
            if unknown_symbols(text.quoted.text, game):
                assert (text.quoted.source.file, text.quoted.source.pointer) in told
                continue
            places = symbol_places(text.quoted.text, game)
            shown = [place.symbol.id for place in symbol_places(text.display, game)]
            assert shown == [place.symbol.id for place in places], text.display
            count += len(places)
        assert not any(
            unknown_symbols(value, game)
            for face in card.faces
            for value in (*face.stats.values(), *face.names.values())
        )
    assert count > 1_500
    assert len(told) < 10


@pytest.mark.parametrize("game", FOLDERS)
def test_nothing_of_markup_is_left_in_what_is_displayed(game):
    left = [
        text.display
        for card in read(game).cards
        for text in card.texts()
        if re.search(r"</?\w+\s*/?>|\[\[|\]\]|&\w+;", text.display)
    ]
    assert left == []


def test_every_erratum_of_the_databases_is_there():
    folder = folder_of("marvel-champions")
    described = [
        record["errata"] for record in records(folder, "pack/*.json") if record.get("errata")
    ]
    noted = [
        each.note.quoted.text
        for card in read("marvel-champions").cards
        for each in card.errata
        if each.note
    ]
    assert sorted(noted) == sorted(described)
    old = {
        each.old.quoted.text for card in read("lorcana").cards for each in card.errata if each.old
    }
    historic = [
        each
        for card in data(folder_of("lorcana") / "allCards.en.json")["cards"]
        for each in card.get("historicData", [])
    ]
    known = {" ".join(text.split()) for text in old}
    assert {
        " ".join(each["fullText"].split()) for each in historic if each.get("fullText", "").strip()
    } <= known
