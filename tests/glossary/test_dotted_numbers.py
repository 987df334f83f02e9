"""Rules that are numbered without points are found by the numbers with points that other rules call
them by.
"""

from __future__ import annotations

from corpus.document import Document
from corpus.model import Edition, Rulebook
from corpus.read import read
from glossary.references import find
from glossary.references.numbers import dotted_numbers
from index.library.library import Library, make_library
from index.library.passage_lookup import PassageLookup

LISTS = """# Porto

## Barche

11. **Vele**
	111. Una vela si issa al mattino.
		1111. Una vela bagnata resta giù.
		1112. Una vela rotta va cucita, come da 2.2.1.
	112. Si ammaina la sera.
12. **Remi**
	121. Un remo basta.
	122. Due remi sono meglio.

## Moli

21. **Corde**
	211. Una corda lega una barca, vedi 1.1.1.
22. **Lanterne**
	221. Una lanterna resta accesa.
	222. Di giorno si spegne.
"""

POINTS = """# Harbour

## 1. Boats

### 1.1. Sails

1.1.1. A sail is hoisted in the morning.

1.1.2. It is lowered in the evening.

### 1.2. Oars

1.2.1. One oar will do.

1.2.2. Two oars are better.
"""


def _read(text: str, language: str) -> Rulebook:
    return read(
        Document.from_bytes("harbour.md", text.encode()),
        Edition("harbour", "harbour", language, "1", "Harbour", "outline"),
    )


def _lookup(rulebook: Rulebook) -> tuple[Library, PassageLookup]:
    library = make_library([rulebook], (), {}, {})
    return library, PassageLookup.build(library)


def test_points_divide_whole_numbers_that_stand_in_one_another() -> None:
    rulebook = _read(LISTS, "it")
    dotted = {
        entry.number: number
        for entry in rulebook.entries
        if (number := dotted_numbers(rulebook.entries).get(entry.id))
    }
    assert dotted["11"] == "1.1"
    assert dotted["1112"] == "1.1.1.2"
    assert dotted["222"] == "2.2.2"


def test_numbers_with_points_get_no_others() -> None:
    assert dotted_numbers(_read(POINTS, "en").entries) == {}


def test_references_with_points_lead_to_numbers_without() -> None:
    rulebook = _read(LISTS, "it")
    numbers = {entry.id: entry.number for entry in rulebook.entries}
    assert [(reference.raw, numbers[reference.target or ""]) for reference in find(rulebook)] == [
        ("2.2.1", "221"),
        ("1.1.1", "111"),
    ]


def test_a_question_finds_them_by_either_number() -> None:
    library, lookup = _lookup(_read(LISTS, "it"))
    for number in ("221", "2.2.1"):
        assert [library.searchable[n].text for n in lookup.of_rule.numbers(number)] == [
            "221. Una lanterna resta accesa."
        ]


def test_a_rule_without_a_text_of_its_own_is_told_by_the_first_inside_it() -> None:
    library, lookup = _lookup(_read(POINTS, "en"))
    assert [library.searchable[n].text for n in lookup.of_rule.numbers("1.2")] == [
        "1.2.1. One oar will do."
    ]
    assert (
        lookup.of_rule.numbers("1").tolist() == []
    )  # a chapter's number may stand in a question by chance
