import os
import re
from pathlib import Path

import pytest

from corpus.cards.model import Card, CardFace, CardText, TextKind
from corpus.cards.read import read_cards
from corpus.sourced_text import SourcedText, StringSource
from glossary.comparison.card_texts import (
    CardDifference,
    CardTextComparison,
    translated_languages,
)
from glossary.concepts import load_concepts
from tests.conftest import ROOT

GAME = "pegelwacht"
AGREEING = (
    "After you draw a card, gain 1 [oil].",
    "Nachdem du eine Karte gezogen hast, erhältst du 1 [oil].",
)


def text_of(words, language, field="text", kind=TextKind.RULES):
    return CardText(
        kind,
        SourcedText(words, language, StringSource(f"{language}.json", "0" * 64, f"/0/{field}")),
        words,
    )


def face_of(names, *texts):
    return CardFace(names, {}, "", {}, {}, texts)


def card_of(*faces, id="pw1"):
    return Card(id, GAME, id, faces, (), (), {})


def pair(english, other, language="de", id="pw1"):
    names = {"en": "Lock Keeper", language: "Schleusenwart"}
    return card_of(face_of(names, text_of(english, "en"), text_of(other, language)), id=id)


def compared(*cards, language="de"):
    return list(CardTextComparison(GAME, cards, language, load_concepts(GAME)).findings)


def only(english, other, language="de"):
    (finding,) = compared(pair(english, other, language), language=language)
    return finding


def words(finding):
    return (
        finding.original.words if finding.original else (),
        finding.translation.words if finding.translation else (),
    )


def test_another_number_is_found_with_its_place_on_either_side():
    finding = only("Draw 3 cards, then gain 2 [oil].", "Ziehe 4 Karten, dann erhalte 2 [oil].")
    assert finding.kind is CardDifference.NUMBERS
    assert words(finding) == (("3",), ("4",))
    assert finding.translation is not None
    assert finding.translation.spans == ((6, 7),)
    assert finding.translation.quoted.text[6:7] == "4"


@pytest.mark.parametrize(
    ("english", "other", "language"),
    [
        ("Draw three cards.", "Ziehe 3 Karten.", "de"),
        ("Draw the top card.", "Pesca 1 carta dalla cima.", "it"),
        ("If you have fewer than 5 [oil], draw 2.", "Se hai 4 o meno [oil], pesca 2.", "it"),
        (
            "Restricted. Draw 4.",
            "Eingeschränkt. <i>(Höchstens 2 davon pro Kopf.)</i> Ziehe 4.",
            "de",
        ),
        (
            "Choose bow or stern. It gains +2 there.",
            "Scegli se aggiungere +2 a prua o +2 a poppa.",
            "it",
        ),
        (
            "Discard a card each from port and starboard: 3 [oil].",
            "Lege je eine Karte von backbord und steuerbord ab: 3 [oil].",
            "de",
        ),
        ("Tow-9 gains 2 [oil].", "Schlepper erhält 2 [oil]. <i>(Tow-9)</i>", "de"),
    ],
)
def test_what_is_only_said_in_other_words_is_no_difference(english, other, language):
    assert [
        f
        for f in compared(pair(english, other, language), language=language)
        if f.kind is CardDifference.NUMBERS
    ] == []


def test_symbols_count_however_they_are_written():
    assert compared(pair("Gain 2 [oil] [PER_HERO].", "Erhalte 2 [Oil] [per_player].")) == []
    finding = only("Spend [oil][oil] at the lock.", "Gib an der Schleuse [oil] aus.")
    assert (finding.kind, words(finding)) == (CardDifference.SYMBOLS, (("[oil]",), ()))


def test_a_condition_that_one_side_lacks_is_found_unless_translators_do_that_often():
    many = [pair(*AGREEING, id=f"same{number}") for number in range(60)]
    lacking = pair(
        "After you draw a card, draw 2 more.", "Ziehe eine Karte, ziehe 2 weitere.", id="lacking"
    )
    found = [
        f
        for f in compared(*many, lacking)
        if f.kind is CardDifference.CONDITIONS and f.card.id == "lacking"
    ]
    assert [words(f)[0] for f in found] == [("After",)]
    idiom = [lacking._replace(id=f"lacking{number}") for number in range(60)]
    assert not [f for f in compared(*many, *idiom) if "After" in words(f)[0]]


def test_a_term_that_one_side_lacks_is_found_where_the_others_have_it():
    many = [
        pair("A buoy goes adrift at night.", "Nachts muss eine Boje abtreiben.", id=f"same{number}")
        for number in range(60)
    ]
    lacking = pair(
        "The storm is adrift in the harbour today.",
        "Der Sturm liegt heute ganz still am Kai.",
        id="lacking",
    )
    found = [f for f in compared(*many, lacking) if f.kind is CardDifference.TERMS]
    assert [(f.card.id, words(f)) for f in found] == [("lacking", (("adrift",), ()))]


def test_what_is_not_translated_is_told_from_what_is():
    english = text_of("Draw 3 cards from the hold.", "en")
    front = face_of({"en": "Lock", "de": "Schleuse"}, english)
    back = face_of({"en": "Open Lock"}, english)
    kept = face_of(
        {"en": "Buoy", "de": "Boje"}, english, text_of("Draw 3 cards from the hold.", "de")
    )
    part = face_of({"en": "Buoy", "de": "Boje"}, english, text_of("Draw 3 cards.", "de"))
    same = face_of(
        {"en": "Buoy", "de": "Boje"}, text_of("Permanent.", "en"), text_of("Permanent.", "de")
    )
    flavour = text_of("The sea waits.", "en", kind=TextKind.FLAVOUR)
    told = face_of({"en": "Sea", "de": "See"}, flavour)
    cards = [
        card_of(face_of({"en": "Tide"}), id="none"),
        card_of(front, back, id="two"),
        *(card_of(f) for f in (kept, part, same, told)),
    ]
    found = [(f.card.id, f.face, f.kind) for f in compared(*cards, pair(*AGREEING, id="yes"))]
    assert found == [
        ("none", 0, CardDifference.CARD),
        ("two", 0, CardDifference.TEXT),
        ("two", 1, CardDifference.FACE),
        ("pw1", 0, CardDifference.UNTRANSLATED),
        ("pw1", 0, CardDifference.UNTRANSLATED),
    ]


@pytest.mark.parametrize(
    "hostile",
    ["", "((((" * 5_000, "[" * 20_000, "9" * 20_000, "<b" * 10_000, "\x00\ud800 1", "1 " * 9_000],
)
def test_whatever_stands_in_a_text_is_compared(hostile):
    assert isinstance(
        compared(pair("Draw 3 cards.", hostile), pair(hostile, "Ziehe 3 Karten.", id="pw2")), list
    )


def test_languages_are_those_with_rules_texts_beside_english_ones():
    assert translated_languages([pair(*AGREEING)]) == ("de",)
    assert translated_languages([card_of(face_of({"de": "Boje"}, text_of("Ziehe 1.", "de")))]) == ()


def real_cards():
    """The cards of Marvel Champions; the test is skipped where they are not found."""
    folder = (
        Path(os.environ.get("REGULA_CARDS") or ROOT.parent / "shared" / "cards")
        / "marvelsdb-json-data"
    )
    if not folder.is_dir():
        pytest.skip("the real cards are not here")
    return read_cards(folder, "marvel-champions").cards


@pytest.mark.acceptance
@pytest.mark.parametrize("language", ["de", "it"])
def test_real_translations_differ_seldom_and_a_changed_number_or_symbol_is_noticed(language):
    cards, concepts = real_cards(), load_concepts("marvel-champions")
    findings = CardTextComparison("marvel-champions", cards, language, concepts).findings
    for kind in (
        CardDifference.NUMBERS,
        CardDifference.SYMBOLS,
        CardDifference.TERMS,
        CardDifference.CONDITIONS,
    ):
        assert sum(f.kind is kind for f in findings) < 200
    sides = [side for f in findings for side in (f.original, f.translation) if side]
    assert all(side.quoted.text[start:end].strip() for side in sides for start, end in side.spans)
    differing = {f.card.id for f in findings}
    alike = [card for card in cards if card.id not in differing and any(card.texts(language))]
    for pattern, other, kind in (
        (r"(?<![\w-])2(?!\w)", "7", CardDifference.NUMBERS),
        (r"\[energy\]", "[mental]", CardDifference.SYMBOLS),
    ):
        changed = [
            altered
            for card in alike
            if (altered := _altered(card, language, pattern, other)) is not None
        ][:100]
        noticed = {
            f.card.id
            for f in CardTextComparison("marvel-champions", changed, language, concepts).findings
            if f.kind is kind
        }
        assert len(noticed) >= 0.9 * len(changed) > 20


def _altered(card, language, pattern, other):
    """``card`` with ``other`` for the first place of ``pattern`` in its texts in ``language``; None
    where none has it.
    """
    for number, face in enumerate(card.faces):
        for place, text in enumerate(face.texts):
            if (
                text.quoted.language == language
                and text.kind is TextKind.RULES
                and re.search(pattern, text.quoted.text)
            ):
                quoted = text.quoted._replace(
                    text=re.sub(pattern, other, text.quoted.text, count=1)
                )
                texts = (
                    *face.texts[:place],
                    text._replace(quoted=quoted),
                    *face.texts[place + 1 :],
                )
                return card._replace(
                    faces=(
                        *card.faces[:number],
                        face._replace(texts=texts),
                        *card.faces[number + 1 :],
                    )
                )
    return None
