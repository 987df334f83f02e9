import pytest

from corpus.document import Document
from corpus.model import Edition
from corpus.read import read
from glossary.model import ReferenceKind, ReferenceProblem
from glossary.references import find

RULES = """# {title}

## 1. Abc

1.1. {sentence}

1.2. Abc abc abc.

1.2a Abc def.

1.2b Abc ghi.

1.2c Abc jkl.

1.3. Abc mno.

1.4. Abc pqr.

## 2. Def

2.1. Def def.

2.1.1. Def ghi.

2.1.2. Def jkl.
"""


def _read(text, language):
    return read(
        Document.from_bytes("abc.md", text.encode()),
        Edition("abc", "abc", language, "1", "Abc", "outline"),
    )


def _numbers(sentence, language="en"):
    """What each reference of a rule is printed as, and the number of what it leads to."""
    rulebook = _read(RULES.format(title="Xyz", sentence=sentence), language)
    numbers = {entry.id: (entry.number or "").rstrip(".") for entry in rulebook.entries}
    return [(reference.raw, numbers.get(reference.target or "")) for reference in find(rulebook)]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "A boat drifts as per 1.3 and as described in rule 2.1.1."),
        ("de", "Ein Boot treibt gemäß 1.3 und wie beschrieben in 2.1.1."),
        ("it", "Una barca va come da 1.3 e come indicato in 2.1.1."),
        ("es", "Un barco va según 1.3 y como se explica en 2.1.1."),
        ("fr", "Un bateau part selon 1.3 et comme indiqué dans 2.1.1."),
    ],
)
def test_a_rule_is_followed_by_its_number(language, sentence):
    assert _numbers(sentence, language) == [("1.3", "1.3"), ("2.1.1", "2.1.1")]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("A boat rests (1.2, 1.3 and 2.1).", [("1.2", "1.2"), ("1.3", "1.3"), ("2.1", "2.1")]),
        ("A boat rests, see rules 1.2a-c.", [("1.2a", "1.2a"), ("1.2a-c", "1.2b"), ("c", "1.2c")]),
        ("A boat rests, see rules 1.2-4.", [("1.2", "1.2"), ("1.2-4", "1.3"), ("4", "1.4")]),
        ("A boat rests, see option 2.1.2-1.", [("2.1.2", "2.1.2")]),
        ("A boat rests, see rule 1.2 (b).", [("1.2 (b)", "1.2b")]),
        ("Then follow 2.1.2.", [("2.1.2", "2.1.2")]),
        ("A boat rests, see rule 2.1.7.", [("2.1.7", None)]),
    ],
)
def test_numbers_are_read_however_they_are_joined(sentence, expected):
    assert _numbers(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "This is version 2.1.1 of the rules.",
        "Versions 1.4, 2.1.1 and 2.1.2 are too old.",
        "A boat is 1.3 metres long (or 2 fathoms).",
        "This was added in the FAQ, section 'Boats', point 1.3.",
        "Effects may refer to Def, and all may see Abc.",
    ],
)
def test_other_numbers_are_no_references(sentence):
    assert _numbers(sentence.replace("all may see Abc", "no more")) == []


@pytest.mark.parametrize(
    ("language", "sentence", "heading"),
    [
        ("en", "A lantern shines, see Appendix II.", "Appendix II: Quays"),
        ("de", "Eine Laterne leuchtet (mehr in Anhang II).", "Anhang II: Kais"),
        ("it", "Una lanterna brilla, vedi l'Appendice II.", "Appendice II: Moli"),
        ("es", "Un farol brilla (véase el Apéndice II).", "Apéndice II: Muelles"),
        ("fr", "Une lanterne brille, voir l'Annexe II.", "Annexe II : Quais"),
    ],
)
def test_an_appendix_is_found_by_its_label(language, sentence, heading):
    text = (
        f"# Xyz\n\n{sentence}\n\n# {heading.split()[0]} I: Abc\n\nAbc abc.\n\n# {heading}\n\nDef "
        "def.\n"
    )
    rulebook = _read(text, language)
    titles = {entry.id: entry.heading for entry in rulebook.entries}
    assert [titles[reference.target or ""] for reference in find(rulebook)] == [heading]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "A boat rests, see “Long Quays” on page 4, “Fog” on page 5."),
        ("de", "Ein Boot ruht, siehe „Long Quays“ auf S. 4, „Fog“ auf S. 5."),
        ("it", "Una barca riposa, vedi “Long Quays” a pag. 4, “Fog” a pag. 5."),
        ("es", "Un barco descansa, ver «Long Quays» en la pág. 4, «Fog» en la pág. 5."),
        ("fr", "Un bateau se repose, voir « Long Quays » p. 4, « Fog » p. 5."),
    ],
)
def test_titles_with_pages_are_found(language, sentence):
    text = f"# Xyz\n\n{sentence}\n\n# Long Quays\n\nAbc abc.\n\n# Fog\n\nDef def.\n"
    assert [reference.raw for reference in find(_read(text, language))] == ["Long Quays", "Fog"]


def test_a_number_with_the_title_of_another_rule_means_the_title():
    text = (
        "# Xyz\n\n## 1. Boats\n\n### 1.1. Sails\n\nSee 1.3, “Lanterns”. See 1.2, “Rope”.\n\n### "
        "1.2. Ropes\n\nAbc.\n\n"
    )
    text += "### 1.3. Masts\n\nDef.\n\n### 1.4. Lanterns\n\nGhi.\n"
    rulebook = _read(text, "en")
    numbers = {entry.id: (entry.number or "").rstrip(".") for entry in rulebook.entries}
    found = [(each.raw, numbers[each.target or ""], each.problem) for each in find(rulebook)]
    assert found == [("1.3", "1.4", ReferenceProblem.WRONG_NUMBER), ("1.2", "1.2", None)]


def test_the_last_number_of_a_range_is_told():
    found = find(_read(RULES.format(title="Xyz", sentence="A boat rests, see rules 1.2a-c."), "en"))
    assert [reference.kind for reference in found] == [ReferenceKind.RANGE] * 3
