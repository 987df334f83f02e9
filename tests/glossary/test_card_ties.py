from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from corpus import data_files
from corpus.model import Rulebook
from glossary.concepts.product_names import (
    CARD_KINDS,
    ProductNames,
    card_numbers,
    load_products,
)
from glossary.matching.printed_ties import tie_cards, tie_topics

GERMAN, ITALIAN = "marvel-champions-de-1.5", "marvel-champions-it-1.7"
TRUTH = data_files.load(
    Path(__file__).parent / "alignment" / "cards.yaml",
    TypeAdapter(dict[str, list[tuple[int, int]]]),
)

Pairs = set[tuple[int, int]]


def of_game(rulebook_folder, game):
    return [rulebook for rulebook in rulebook_folder.rulebooks if rulebook.edition.game == game]


def tied_lines(rulebooks, tied, left, right):
    """First lines of entries of two editions that have one concept."""
    here, there = (
        [
            (tied[e.id], e.lines.first)
            for r in rulebooks
            if r.edition.id == edition
            for e in r.entries
            if e.id in tied
        ]
        for edition in (left, right)
    )
    return {(a, b) for one, a in here for other, b in there if one == other}


def truth(*parts):
    return {(left, right) for part in parts for left, right in TRUTH[part]}


def f1(found, right):
    return 2 * len(found & right) / (len(found) + len(right))


@pytest.fixture(scope="module")
def champions(real) -> list[Rulebook]:
    return of_game(real, "marvel-champions")


@pytest.fixture(scope="module")
def tied(champions) -> dict[str, str]:
    return tie_cards(champions)


def test_cards_of_the_german_and_the_italian_print_are_tied(champions, tied):
    right = truth("rulings", "errata")
    assert len(right) == 90
    found = tied_lines(champions, tied, GERMAN, ITALIAN)
    assert f1(found, right) >= 0.97, (sorted(right - found), sorted(found - right))


def test_questions_and_corrections_about_no_card_are_of_no_concept_but_tied_by_what_they_speak_of(
    champions, tied
):
    topics = tie_topics(champions)
    assert not topics.keys() & tied.keys()
    found = tied_lines(champions, topics, GERMAN, ITALIAN)
    assert f1(found, truth("topics")) >= 0.9, (
        sorted(truth("topics") - found),
        sorted(found - truth("topics")),
    )


def test_a_misprinted_number_or_product_does_not_part_a_card(champions, tied):
    found = tied_lines(champions, tied, GERMAN, ITALIAN)
    cosmo = {(3118, 3650), (3138, 3650)}  # 20 in two German products, 8 of both in Italian
    red_skull = {
        (2819, 3094),
        (2825, 3314),
        (2831, 3234),
        (2837, 3140),
    }  # three spellings of the Italian product
    assert cosmo | red_skull <= found


def test_the_order_of_the_rulebooks_changes_no_concept(champions, tied, sample):
    assert tie_cards(champions[::-1]) == tied
    assert tie_cards(sample.rulebooks[::-1]) == tie_cards(sample.rulebooks)


def test_every_product_in_print_is_confirmed_by_the_file(champions, sample):
    assert ProductNames("marvel-champions", champions).proposals == ()
    assert ProductNames("pegelwacht", of_game(sample, "pegelwacht")).proposals == ()
    here = ProductNames("marvel-champions", champions)
    named = {
        p
        for r in champions
        for e in r.entries
        if e.kind in CARD_KINDS
        for p in here.products_of(e, r.edition.language)
    }
    assert named == set(load_products("marvel-champions").values())


def test_without_a_file_products_are_learned_from_their_cards(champions, tmp_path):
    known = load_products("marvel-champions")
    learned = ProductNames("marvel-champions", champions, tmp_path).proposals
    assert len(learned) >= 25
    assert all(known[one] == known[other] for one, other, _ in learned)
    found = tied_lines(champions, tie_cards(champions, tmp_path), GERMAN, ITALIAN)
    assert f1(found, truth("rulings", "errata")) >= 0.97


CARDS_OF_THE_SAMPLE = {
    *{
        (779, 753),
        (785, 759),
        (789, 763),
        (797, 745),
        (805, 777),
        (811, 771),
        (819, 783),
        (825, 789),
        (861, 793),
    },
    *{(879, 807), (887, 824), (891, 820), (905, 832)},
}
TOPICS_OF_THE_SAMPLE = {(758, 730), (762, 736), (901, 836)}


def test_cards_and_topics_of_the_sample_are_tied(sample):
    rulebooks = of_game(sample, "pegelwacht")
    assert (
        tied_lines(rulebooks, tie_cards(rulebooks), "pegelwacht-de-1.1", "pegelwacht-it-1.1")
        == CARDS_OF_THE_SAMPLE
    )
    assert (
        tied_lines(rulebooks, tie_topics(rulebooks), "pegelwacht-de-1.1", "pegelwacht-it-1.1")
        == TOPICS_OF_THE_SAMPLE
    )


Asked = tuple[str, str | None, str | None, str]  # card, number, product, question


@pytest.fixture
def asked(book) -> Callable[..., Rulebook]:
    """Makes a rulebook of rulings: (card, number, product, text)."""

    def make(edition, language, *rulings, kind="ruling"):
        made = book(
            *((kind, card, text) for card, _, _, text in rulings),
            edition=edition,
            language=language,
        )
        about = zip(made.entries, rulings, strict=True)
        entries = tuple(
            replace(e, card=card, number=number, product=product)
            for e, (card, number, product, _) in about
        )
        return replace(made, entries=entries)

    return make


def concept_of(tied, edition):
    return [tied[id] for id in sorted(tied) if id.startswith(f"{edition}/")]


def test_where_one_print_has_fewer_questions_they_are_told_by_their_content(asked):
    german = asked(
        "a",
        "de",
        ("BOJE", "7", "HAFEN", "Zählt die Boje bei 12 Schaden?"),
        ("BOJE", "7", "HAFEN", "Darf Nordstern die Boje heben?"),
    )
    italian = asked("b", "it", ("BOA", "7", "HAFEN", "Nordstern può alzare la boa?"))
    tied = tie_cards([german, italian])
    assert concept_of(tied, "a") == ["card-7-hafen-ruling", "card-7-hafen-ruling-2"]
    assert concept_of(tied, "b") == ["card-7-hafen-ruling-2"]


def test_the_same_number_in_another_product_is_another_card(asked):
    german = asked("a", "de", ("BOJE", "7", "HAFEN", "Frage?"))
    italian = asked("b", "it", ("BOA", "7", "TEMPESTA", "Domanda?"))
    assert not set(concept_of(tie_cards([german, italian]), "a")) & set(
        concept_of(tie_cards([german, italian]), "b")
    )


def test_a_ruling_is_never_tied_to_an_erratum(asked):
    german = asked("a", "de", ("BOJE", "7", "HAFEN", "Die Boje hebt 3."))
    italian = asked("b", "it", ("BOJE", "7", "HAFEN", "Boje alza 3."), kind="erratum")
    tied = tie_cards([german, italian])
    assert concept_of(tied, "a") == ["card-7-hafen-ruling"]
    assert concept_of(tied, "b") == ["card-7-hafen-erratum"]


@pytest.mark.parametrize("number", ["1A", "3"])
def test_a_name_ties_only_cards_whose_numbers_have_no_sides(asked, number):
    german = asked("a", "de", ("OTTER", "14", "HAFEN", "Otter hebt 3 Kisten."))
    italian = asked("b", "it", ("OTTER", number, "HAFEN", "Otter alza 3 casse."))
    tied = tie_cards([german, italian])
    assert (concept_of(tied, "a") == concept_of(tied, "b")) is (number == "3")


def test_names_without_a_letter_are_no_stumbling_block(asked):
    odd = asked(
        "a",
        "de",
        ("***", None, None, "?"),
        ("", None, "", ""),
        ("»«", "-", " / ", "!"),
        ("★", "0", "/", ""),
    )
    assert len(tie_cards([odd, asked("b", "it", ("♥", None, "★", "…"))])) == 4
    assert tie_cards([]) == {}


@pytest.mark.parametrize(
    ("printed", "meant"),
    [
        ("7", ("7",)),
        ("19b", ("19B",)),
        ("1A-3A", ("1A", "2A", "3A")),
        ("52A-52C", ("52A", "52B", "52C")),
        ("184B/184C", ("184B", "184C")),
        ("73/74/75", ("73", "74", "75")),
        ("1-9999", ("1", "9999")),
        ("", ()),
        (None, ()),
    ],
)
def test_numbers_in_print_are_read_one_by_one(printed, meant):
    assert card_numbers(printed) == meant


def test_a_product_with_a_letter_wrong_is_that_product(asked, tmp_path):
    german = asked(
        "a",
        "de",
        ("BOJE", "7", "DIE LANGE NACHT", "Frage?"),
        ("TAU", "8", "DIE LANGE NAHT", "Frage?"),
    )
    products = ProductNames("spiel", [german], tmp_path)
    assert {products.products_of(entry, "de") for entry in german.entries} == {("die-lange-nacht",)}


def test_a_name_confirmed_for_two_products_is_a_fault(tmp_path):
    (tmp_path / "spiel.yaml").write_text(
        "harbour: {de: [HAFEN]}\nport: {de: [Hafen]}\n", encoding="utf-8"
    )
    with pytest.raises(data_files.DataFileError, match="belongs to 'harbour' already"):
        load_products("spiel", tmp_path)
