import pytest

from glossary.references.cited_rules import cited_rules


def cited(question):
    """Each rule: the key of the word before its number, its parts, those of what may not be
    numbered.
    """
    return [
        " ".join(filter(None, (each.label, ".".join(each.rule), *map("({})".format, each.marks))))
        for each in cited_rules(question).rules
    ]


@pytest.mark.parametrize(
    ("question", "rules"),
    [
        ("4.2a", ["4.2.a"]),
        ("Was gilt nach 4.2B?", ["4.2.b"]),
        ("4.2.b", ["4.2.b"]),
        ("4.2 b", ["4.2 (b)"]),
        ("Was sagt 4.2 B?", ["4.2 (b)"]),
        ("Was sagt 4.2 b zu Wachen?", ["4.2.b"]),
        ("4.2 (b)", ["4.2 (b)"]),
        ("Regel 4.2 Buchstabe b", ["reg 4.2 (b)"]),
        ("Buchstabe b von Regel 4.2", ["reg 4.2 (b)"]),
        ("Regel Nr. 12", ["reg 12"]),
        ("Nummer 10.1", ["10.1"]),
        ("§1 Abs.3", ["§ 1 (3)"]),
        ("§ 1 (1) 2.", ["§ 1 (1) (2)"]),
        ("Paragraph 1, Absatz 1, Nummer 3", ["parag 1 (1) (3)"]),
        ("§ 1 Absätze 2 und 3", ["§ 1 (2)", "§ 1 (3)"]),
        ("§ 5 Abs. 2 Satz 1", ["§ 5 (2)"]),
        ("§§ 2 bis 4", ["§ 2", "§ 3", "§ 4"]),
        ("Art. 3 comma 2", ["art 3 (2)"]),
        ("art 3 co. 2", ["art 3 (2)"]),
        ("art. 3, c. 2", ["art 3 (2)"]),
        ("art. 3 c.2", ["art 3 (2)"]),
        ("Cosa dice il comma 2 dell'art.3?", ["art 3 (2)"]),
        ("lettera b) del comma 2 dell'art. 5", ["art 5 (2) (b)"]),
        ("comma 2 lettera b dell'art. 5", ["art 5 (2) (b)"]),
        ("numero 3 dell'art. 4", ["art 4 (3)"]),
        ("art. 5 bis", ["art 5.bis"]),
        ("Art. III", ["art 3"]),
        ("Article 2(b)", ["art 2 (b)"]),
        ("rule #5", []),
        ("Version 1.5", []),
        ("Ist ein Feld 4 m lang?", []),
        ("laut Abs. 3", []),
        ("der zweite Absatz von § 4", ["§ 4 (2)"]),
        ("§ 4, dritter Absatz", ["§ 4 (3)"]),
        ("il terzo comma dell'articolo 5", ["art 5 (3)"]),
        ("art. 5 comma secondo", ["art 5 (2)"]),
        ("die dritte Regel", ["reg 3"]),
        ("§ 2 BGB", []),
        ("§ 2 bgb", []),
        ("BGB § 2", []),
        ("§ 26 Abs. 2 BGB", []),
        ("§ 3 StGB und § 4", ["§ 4"]),
        ("art. 5 c.c.", []),
        ("l'art. 36 del codice civile", []),
        ("Regel 4 der FIDE", []),
        ("§ 2 der Satzung", ["§ 2"]),
        ("Regel 4 im KO-System", ["reg 4"]),
    ],
)
def test_numbers_are_read_however_they_are_written(question, rules):
    assert cited(question) == rules


def test_a_unit_is_no_letter_of_a_rule():
    assert "4.2 (m)" not in cited("Darf ein Feld 4.2 m lang sein?")


def test_what_else_is_asked_is_told():
    assert cited_rules("Was sagt § 1 Abs. 3 Satz 2?").rest.split() == ["Was", "sagt", "?"]


def test_a_number_of_a_book_that_is_searched_is_one_of_its_rules():
    assert cited_rules("§ 2 BGB", ["Bürgerliches Gesetzbuch (BGB)"]).rules


def test_a_number_in_words_is_never_sure():
    assert not any(rule.is_sure for rule in cited_rules("die dritte Regel").rules)
