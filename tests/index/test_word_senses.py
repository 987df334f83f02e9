import pytest

from glossary.concepts import Concept
from index.cards.rule_links import TermReader, is_other_word

NO_ENTRY = {"unwritten"}


def concept(id, language, *names):
    return Concept(id, "pegelwacht", {language: names}, {}, {}, (), False, {})


def read(text, language, *concepts, game="pegelwacht"):
    reader = TermReader(
        game, language, concepts, lambda id: None if id in NO_ENTRY else id.removeprefix("same-")
    )
    return [
        f"{place.concept}: {text[place.span.start : place.span.end]}"
        for place in reader.places(text, text)
    ]


def test_the_name_as_it_is_written_wins_over_an_inflected_one():
    concepts = concept("look", "it", "Guardare"), concept("guard", "it", "Guardia")
    assert read("Guardia. Pesca.", "it", *concepts) == ["guard: Guardia"]


def test_the_name_with_a_parameter_is_meant_before_a_number():
    concepts = concept("win", "de", "Sieg"), concept("victory", "de", "Sieg X")
    assert read("Sieg 2. Der Sieg ist nah.", "de", *concepts) == ["victory: Sieg", "win: Sieg"]


def test_of_several_rules_with_the_same_name_none_is_linked_unless_they_are_one_entry():
    assert (
        read(
            "Ein Angriff.",
            "de",
            concept("one", "de", "Angriff (Boot)"),
            concept("two", "de", "Angriff (Welle)"),
        )
        == []
    )
    assert read(
        "Ein Angriff.", "de", concept("one", "de", "Angriff"), concept("unwritten", "de", "Angriff")
    ) == ["one: Angriff"]
    assert (
        len(
            read(
                "Ein Angriff.",
                "de",
                concept("one", "de", "Angriff"),
                concept("same-one", "de", "Angriff"),
            )
        )
        == 1
    )


def test_english_words_of_one_stem_are_told_apart():
    concepts = concept("activation", "en", "activation", "activate"), concept("stun", "en", "stun")
    assert read("The active ship is stunned.", "en", *concepts) == ["stun: stunned"]
    assert read("It activates.", "en", *concepts) == ["activation: activates"]


@pytest.mark.parametrize(
    ("written", "name", "other"),
    [
        ("stern", "Stern", True),
        ("betäubt", "Betäubt", False),
        ("mische", "Mischen", False),
        ("im Kampf", "Im Kampf", False),
    ],
)
def test_a_german_noun_has_a_capital_letter_and_a_verb_need_not(written, name, other):
    assert is_other_word(written, name, "de") == other


def test_a_title_in_capitals_names_no_rule():
    assert read("MOVING ON You may move it.", "en", concept("move", "en", "move", "moving")) == [
        "move: move"
    ]


def test_phrases_tell_what_is_meant():
    uses = (
        concept("resource", "de", "Ressource"),
        concept("resource-ability", "de", "Ressourcenfähigkeit"),
    )
    assert read(
        "<b>Ressource</b>: Gib eine Ressource aus.", "de", *uses, game="marvel-champions"
    ) == ["resource-ability: Ressource", "resource: Ressource"]


@pytest.mark.parametrize(
    "hostile", ["", "<b>" * 6_000, "Angriff (" * 2_000, "\x00\ud800", "attack " * 3_000]
)
def test_whatever_stands_in_a_text_is_read(hostile):
    assert isinstance(
        read(hostile, "en", concept("a", "en", "attack"), game="marvel-champions"), list
    )
