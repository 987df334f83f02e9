import pytest

from glossary.check import check_rulebook
from glossary.references import find
from tests.corpus.pdf_maker import PrintedRulebook
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


def test_a_range_of_paragraphs_is_one_of_the_rule_that_it_stands_in():
    paragraphs = "".join(f"({n}) Der Steg {n} ist frei.\n\n" for n in range(1, 5))
    text = f"## § 3 Stege\n\n{paragraphs}(5) In den Fällen des Absatz 1 bis 4 haftet niemand.\n"
    rules = "".join(f"## § {n} Boote\n\nAlle rudern.\n\n" for n in (1, 2))
    found = referred(book("a.md", f"# Hafenordnung\n\n{rules}{text}"))
    assert sorted(found) == ["§ 3 (1)", "§ 3 (2)", "§ 3 (3)", "§ 3 (4)"]


def test_a_roman_number_is_that_of_a_chapter_and_never_of_a_rule():
    chapters = "".join(
        f"## Teil {roman} Boote {n}\n\n### § {n} Rudern\n\nAlle rudern {n} Mal.\n\n"
        for n, roman in enumerate(("I", "II", "III", "IV"), 1)
    )
    text = f"# Hafenordnung\n\n{chapters}### § 5 Ende\n\nNäheres regelt Abschnitt III.\n"
    assert referred(book("a.md", text)) == ["Teil III"]


def test_letters_below_appendices_are_appendices():
    text = (
        "# Harbour\n\n## 1 Boats\n\nSee Appendix B.\n\n## 2 Nets\n\nNobody fishes.\n\n"
        "## 3 Ropes\n\nAll pull.\n\n# Appendices\n\n## A. Fees\n\nFree.\n\n## B. Maps\n\nOne.\n"
    )
    assert referred(book("a.md", text)) == ["B"]


@pytest.mark.parametrize(
    "law", [" della L. 142/2001", " L 142/2001", ", comma secondo, lett. b), della Legge n. 142"]
)
def test_articles_of_italian_laws_are_not_those_of_the_statute(law):
    articles = "".join(f"## Art. {n} Barche\n\nTutti remano.\n\n" for n in range(1, 5))
    text = f"# Statuto\n\n{articles}## Art. 5 Fine\n\nA norma dell'art. 3{law} nessuno rema.\n"
    assert {each for each in referred(book("a.md", text)) if each} == set()


@pytest.mark.parametrize(
    ("cited", "rule"),
    [("art. 1 c. 2", "Art. 1 2."), ("art. 1, c.2", "Art. 1 2."), ("art. 1 c. 2 CTS", None)],
)
def test_c_before_a_figure_is_the_paragraph_of_an_article(cited, rule):
    text = f"## Art. 1 Barche\n\n1. Una.\n2. Due.\n\n## Art. 2 Fine\n\nVale l'{cited}.\n"
    assert referred(book("a.md", f"# Statuto del porto\n\n{text}")) == [rule]


def test_a_link_to_the_top_of_a_page_leads_to_the_chapter_that_begins_there():
    printed = PrintedRulebook()
    printed.heading("Hafen", 20)
    printed.paragraph("Wer Boote hat, liest das Kapitel, das auf der letzten Seite beginnt. " * 3)
    printed.link("10", "oben")
    printed.next_page()
    printed.top("oben")
    for _ in range(6):
        printed.paragraph(" ")
    printed.paragraph("Boote", "Helvetica-Bold", 20)
    printed.paragraph("Alle rudern an das andere Ufer und wieder zurück. " * 3)
    assert referred(book("a.pdf", printed.printed())) == ["Boote"]


def test_what_links_to_other_files_of_the_documentation_lacks_nothing():
    text = (
        "Fragen\n======\n\n.. _nadel: nadel.html\n.. _hier:\n\nKugel\n-----\n\n"
        "Siehe `Leihe <../leihe.html#kugel>`_, nadel_ und :doc:`regeln/index`, :ref:`Bahn <bahn>`,\n"
        "`den Wart`__ und `Kasse`_. Unklar ist `Nirgends`_.\n\n__ wart.html\n\n"
        "Kasse\n-----\n\nSiehe `oben <#kugel>`_ und :ref:`hier <hier>`.\n"
    )
    assert referred(book("fragen.rst", text)) == ["Kasse", None, "Kugel", "Kugel"]
