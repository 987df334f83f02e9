import pytest

from glossary.check import check_rulebook
from glossary.references import find
from tests.corpus.reading import book, small


def referred(rulebook, line=None):
    """The number or title of what each reference leads to, of one line or all."""
    names = {entry.id: entry.number or entry.title for entry in rulebook.entries}
    found = find(rulebook)
    return [names.get(each.target or "") for each in found if line in (None, each.line)]


@pytest.mark.parametrize(
    ("file", "line", "targets"),
    [
        ("artikel.md", 3, []),
        ("artikel.md", 23, ["Art. 2", "Art. 3", "Art. 4"]),
        ("artikel.md", 27, ["Art. 2", "Art. 3", "Art. 4"]),
        ("artikel.md", 31, ["Art. 3"]),
        ("bereich-de.md", 21, ["§ 2", "§ 3", "§ 4"]),
        ("bereich-de.md", 25, ["§ 1", "§ 3", "§ 4", "§ 2"]),
        ("bereich-en.md", 21, ["Article 2", "Article 3", "Article 4"]),
        ("bereich-en.md", 25, ["Article 1", "Article 3", "Article 4"]),
        ("codice.txt", 3, []),
        ("codice.txt", 24, ["Art. 2", "Art. 3", "Art. 4"]),
        ("liste.md", 17, ["§ 1 (3)"]),
        ("namen.md", 29, ["Wache: Nachtschicht"]),
    ],
)
def test_each_rule_that_is_referred_to_is_found(file, line, targets):
    assert referred(small(file), line) == targets


STATUTE = """# Satzung des Bogenclubs

## § 1 Zweck

(1) Der Club fördert das Bogenschießen.

(2) Mittel dienen den Zwecken nach Abs. 1.

(3) {}

## § 2 Mitglieder

(1) Mitglied wird, wer vierzehn ist.

(2) Der Antrag ist schriftlich.

(3) Über ihn entscheidet der Vorstand.

## § 3 Beiträge

Es wird ein Beitrag erhoben.

## § 4 Auflösung

Der Club wird aufgelöst, wenn es alle wollen.
"""


@pytest.mark.parametrize(
    ("sentence", "targets"),
    [
        ("Dies gilt nach § 2 Abs. 2 und 3.", ["§ 2 (2)", "§ 2 (3)"]),
        ("Dies gilt nach § 2 Abs. 1 bis 3.", ["§ 2 (1)", "§ 2 (2)", "§ 2 (3)"]),
        ("Absatz 2 des § 2 und Absatz 1 gelten.", ["§ 2 (2)", "§ 1 (1)"]),
        ("Dies gilt nach § 26 BGB und § 4 der Turnierordnung.", [None, None]),
        ("Dies gilt nach § 4 dieser Satzung.", ["§ 4"]),
    ],
)
def test_parts_of_rules_are_found_and_other_books_told(sentence, targets):
    rulebook = book("satzung.md", STATUTE.format(sentence))
    assert referred(rulebook, 9) == targets


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("Dies gilt nach § 26 BGB, § 2 der Turnierordnung und § 1341 HGB.", []),
        ("Dies gilt nach § 9.", ["9"]),
        ("Dies gilt nach § 2 Abs. 7.", ["2 Abs. 7"]),
        ("Näheres siehe Anhang C.", ["Anhang C"]),
        ("Näheres siehe „Nebelhorn“.", ["Nebelhorn"]),
    ],
)
def test_what_finds_nothing_is_reported_but_nothing_of_another_book(sentence, wrong):
    rulebook = book("satzung.md", STATUTE.format(sentence))
    findings = check_rulebook(rulebook, [rulebook], find(rulebook))
    kinds = ("missing", "outside")
    assert [each.printed for each in findings if each.kind.value in kinds] == wrong


def test_a_word_before_the_number_makes_no_difference_to_the_contents():
    rulebook = small("parts.pdf")
    found = check_rulebook(rulebook, [rulebook], find(rulebook))
    assert [each for each in found if each.kind.value == "contents-differ"] == []
