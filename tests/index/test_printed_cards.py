from dataclasses import replace

import pytest

from corpus.model import Kind
from glossary.card_names import CardMention
from index.cards.printed_cards import PrintedCards

GAME = "pegelwacht"


@pytest.fixture(scope="module")
def printed(sample_index) -> PrintedCards:
    return PrintedCards(sample_index.cards, sample_index.library, sample_index.analyzer.tables)


def named(index, printed, question):
    return {
        each.cards for each in printed.named(index.parser.parse(question, None, [GAME]), [GAME])
    }


def test_a_name_that_only_a_rulebook_has_leads_to_the_card_of_its_product_and_number(
    sample_index, printed
):
    entries = [
        entry
        for entry in sample_index.library.entries
        if entry.kind in (Kind.RULING, Kind.ERRATUM) and entry.number and entry.card
    ]
    parsed = sample_index.parser.parse("Was macht Zwackelkahn hier?", "de", [GAME])
    tied = 0
    for entry in entries:
        mention = CardMention(10, 21, "Zwackelkahn", (entry.id,), 1.0)
        found = printed.named(replace(parsed, cards={GAME: (mention,)}), [GAME])
        for id in (id for each in found for id in each.cards):
            card = sample_index.cards.get(GAME, id)
            tied += 1
            assert card is not None
            assert any(
                printing.number.rstrip("abc") in (entry.number or "") for printing in card.printings
            ), entry.id
    assert tied >= 0.8 * len(entries)


@pytest.mark.parametrize(
    ("question", "cards"),
    [
        ("Wie oft wirkt 02014?", {("02014",)}),
        ("Nebelhorn Lotsen-Pack, Karte Nr. 14: wie oft?", {("02014",)}),
        ("Quante volte vale Corno da Nebbia, 14?", {("02014",)}),
        ("Im Grundspiel 7 Karten ziehen?", set()),
        ("Im Grundspiel ziehe ich 7.", set()),
        ("Kostet das 12 Öl?", set()),
    ],
)
def test_codes_and_numbers_behind_a_product_name_a_card_and_other_numbers_do_not(
    sample_index, printed, question, cards
):
    assert named(sample_index, printed, question) == cards
