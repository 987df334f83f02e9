import pytest

from corpus.document import Document
from corpus.model import Edition
from corpus.read import read
from glossary.references import find
from glossary.references.cited_rules import cited_rules
from glossary.references.numbers import dotted_numbers
from index.library.library import make_library
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


def _read(text, language):
    return read(
        Document.from_bytes("harbour.md", text.encode()),
        Edition("harbour", "harbour", language, "1", "Harbour", "outline"),
    )


def _lookup(rulebook):
    library = make_library([rulebook], (), {}, {})
    return library, PassageLookup.build(library)


def test_points_divide_whole_numbers_that_stand_in_one_another():
    rulebook = _read(LISTS, "it")
    dotted = {
        entry.number: number
        for entry in rulebook.entries
        if (number := dotted_numbers(rulebook.entries).get(entry.id))
    }
    assert dotted["11"] == "1.1"
    assert dotted["1112"] == "1.1.1.2"
    assert dotted["222"] == "2.2.2"


def test_numbers_with_points_get_no_others():
    assert dotted_numbers(_read(POINTS, "en").entries) == {}


def test_references_with_points_lead_to_numbers_without():
    rulebook = _read(LISTS, "it")
    numbers = {entry.id: entry.number for entry in rulebook.entries}
    assert [(reference.raw, numbers[reference.target or ""]) for reference in find(rulebook)] == [
        ("2.2.1", "221"),
        ("1.1.1", "111"),
    ]


def _asked(rulebook, question, chapters=True):
    library, lookup = _lookup(rulebook)
    (rule,) = cited_rules(question).rules
    return [library.searchable[n].text for n in lookup.of_rule.passages(rule, chapters)]


@pytest.mark.parametrize("number", ["221", "2.2.1"])
def test_a_question_finds_them_by_either_number(number):
    assert _asked(_read(LISTS, "it"), f"regola {number}") == ["221. Una lanterna resta accesa."]


def test_a_rule_is_told_by_all_that_is_inside_it():
    oars = ["1.2.1. One oar will do.", "1.2.2. Two oars are better."]
    assert _asked(_read(POINTS, "en"), "1.2") == oars
    assert _asked(_read(POINTS, "en"), "rule 1")[2:] == oars


def test_a_number_of_a_chapter_may_stand_in_a_question_by_chance():
    question = "Does the rule 1 action per boat hold for sails?"
    assert _asked(_read(POINTS, "en"), question, chapters=False) == []
