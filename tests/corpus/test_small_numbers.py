import re

import pytest

from corpus import Document
from glossary.references.anywhere import find
from service.editions.recognised_rulebook import GivenFields, recognise_rulebook
from service.editions.recognition_screen import doubts
from tests.corpus.reading import book, numbers, shown, small
from tests.corpus.test_office_documents import NAMES, open_document


def test_a_list_belongs_to_its_paragraph_and_numbering_goes_on_after_it():
    rulebook = small("liste.md")
    assert numbers(rulebook) == [
        "§ 1",
        "  § 1 (1)",
        "    § 1 (1) 1.",
        "    § 1 (1) 2.",
        "    § 1 (1) 3.",
        "  § 1 (2)",
        "  § 1 (3)",
        "§ 2",
        "  § 2 (1)",
        "  § 2 (2)",
    ]
    (reference,) = find(rulebook)
    target = next(entry for entry in rulebook.entries if entry.id == reference.target)
    text = " ".join(p.display for p in rulebook.passages if p.entry == target.id)
    assert (target.number, text) == ("§ 1 (3)", "(3) Die Würfel sind rot.")
    lists = [p for p in rulebook.passages if p.display.startswith(("1.", "3."))]
    assert {p.lead_in for p in lists} == {"(1) Zum Spielen braucht man:"}


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        (("1.", "2."), ("a)", "b)")),
        (("(1)", "(2)"), ("a)", "b)")),
        (("(1)", "(2)"), ("1.", "2.")),
        (("a)", "b)"), ("aa)", "bb)")),
    ],
)
def test_a_list_may_begin_right_behind_the_number_of_its_rule(outer, inner):
    first = f"{outer[0]} {inner[0]} Das Boot fährt.\n{inner[1]} Es hält.\n{outer[1]} Es sinkt."
    rulebook = book("b.txt", f"BOOTE\n\n§ 1 Fahrt\n\n{first}\n\n§ 2 Ende\n\nEs ist aus.\n")
    numbered = {entry.id: entry.number for entry in rulebook.entries}
    assert [(numbered[p.entry], p.display) for p in rulebook.passages] == [
        (f"§ 1 {outer[0]} {inner[0]}", f"{inner[0]} Das Boot fährt."),
        (f"§ 1 {outer[0]} {inner[1]}", f"{inner[1]} Es hält."),
        (f"§ 1 {outer[1]}", f"{outer[1]} Es sinkt."),
        ("§ 2", "Es ist aus."),
    ]
    assert f"§ 1 {outer[0]}" in numbered.values()


@pytest.mark.parametrize("law", ["§ 26 BGB", "§26 GenG", "§ 26 StGB", "§ 26 Abgabengesetz"])
def test_a_sentence_that_begins_with_an_article_of_a_law_is_none_of_the_document(law):
    rules = "1. Alle rudern.\n2. Alle schlafen.\n"
    rulebook = book("b.md", f"# Satzung\n\n## Boote\n\nAlt.\n\n{law} gilt auch hier.\n\n{rules}")
    assert numbers(rulebook) == []


def boats(first):
    """Return a rulebook whose rules are numbered through its chapters; ``first`` is the first."""
    rules = [f"{n}. Boot {n} liegt im Hafen von {n} Städten.\n" for n in range(2, 9)]
    chapters = "## Bau\n\n", first, "\n\n", *rules[:3], "\n## Hafen\n\n", *rules[3:]
    return book("b.md", "".join(("# Boote\n\n", *chapters)))


@pytest.mark.parametrize(
    "rule", ["1. Diese Boote dürfen nicht haben:", "1. Im Hafen sind auf diesen Booten verboten"]
)
@pytest.mark.parametrize("mark", ["> 1)  ", "a) ", "* "])
def test_the_items_of_a_numbered_rule_say_what_it_says_of_them(rule, mark):
    rulebook = boats(f"{rule}\n\n{mark}Feuer und Rauch;\n{mark}Magnete")
    items = [each for each in rulebook.passages if re.search("Feuer|Magnete", each.text)]
    assert len(items) == 2
    assert {each.lead_in for each in items} == {rule}


def test_a_rule_that_ends_in_a_list_of_its_own_leads_in_to_nothing():
    rulebook = boats("1. Es gibt Boote:\n   - Kähne\n   - Jollen\n\n- die Pier")
    assert not any("Jollen" in each.lead_in for each in rulebook.passages)


@pytest.mark.parametrize(
    ("outer", "marks"),
    [
        ("(%d)", ("1.", "2.")),
        ("(%d)", ("1)", "2)")),
        ("(%d)", ("i)", "ii)")),
        ("%d.", ("1)", "2)")),
        ("%d.", ("a)", "b)")),
    ],
)
def test_marks_of_another_style_are_a_list_in_the_paragraph(outer, marks):
    listed = "\n".join(f"{mark} eine Verwarnung," for mark in marks)
    rulebook = book(
        "a.txt",
        f"Strafordnung\n\n§ 1 Strafen\n\n{outer % 1} Es gibt folgende Strafen:\n\n{listed}\n\n"
        f"{outer % 2} Strafen werden sofort vollzogen.\n\n§ 2 Ende\n\n"
        f"{outer % 1} Das Spiel endet mit der Nacht.\n\n{outer % 2} Es beginnt am Morgen.\n",
    )
    first, second = outer % 1, outer % 2
    assert numbers(rulebook) == [
        "§ 1",
        f"  § 1 {first}",
        *(f"    § 1 {first} {mark}" for mark in marks),
        f"  § 1 {second}",
        "§ 2",
        f"  § 2 {first}",
        f"  § 2 {second}",
    ]


def test_articles_run_on_beside_the_numbers_of_chapters():
    assert [row[2:] for row in numbers(small("codice.txt")) if "Capitolo" not in row] == [
        "1.1",
        "  Art. 1",
        "1.2",
        "  1.2.1",
        "    Art. 2",
        "    Art. 3",
        "  1.2.2",
        "    Art. 4",
        "1.3",
        "  Art. 5",
        "2.1",
        "  Art. 6",
    ]


def test_a_chapter_takes_its_title_from_the_next_line():
    chapters = [e for e in small("codice.txt").entries if (e.number or "").startswith("Cap")]
    assert [(e.number, e.heading, e.title) for e in chapters] == [
        ("Capitolo 1", "Capitolo 1 Norme generali", "Norme generali"),
        ("Capitolo 2", "Capitolo 2 La gru classica", "La gru classica"),
    ]


def test_rules_numbered_in_plain_type_are_entries():
    assert numbers(small("elf.pdf")) == [str(number) for number in range(1, 12)]


def test_rules_that_run_on_through_chapters_are_entries_and_a_list_of_steps_is_none():
    rules = [f"{n}. Chi gioca la tessera {n} conta i punti e pesca." for n in range(1, 10)]
    rules[4] = "5. Ogni tavolo ha:\n   a) un tabellone;\n   b) due sacchetti."
    text = "\n\n".join(
        ["# Gara", "## CAPO I - Inizio", *rules[:5], "## CAPO II - Gioco", *rules[5:]]
    )
    expected = ["1", "2", "3", "4", "5", "  5a", "  5b", "6", "7", "8", "9"]
    own = [row for row in numbers(book("a.md", text)) if "CAPO" not in row]
    assert [row.removeprefix("  ") for row in own] == expected
    unlabelled = numbers(book("a.md", text.replace("CAPO I - ", "").replace("CAPO II - ", "")))
    assert unlabelled == expected
    steps = "\n".join(f"{n}. Legt die Karte {n} auf den Tisch." for n in range(1, 5))
    setup = f"# Spiel\n\n## Aufbau\n\n{steps}\n\n## Zug\n\nZieht eine Karte.\n\n## Ende\n\nZählt.\n"
    assert numbers(book("a.md", setup)) == []


def test_a_number_alone_above_its_text_is_no_text():
    rulebook = small("artikel.md")
    assert len(rulebook.passages) == len([n for n in numbers(rulebook) if "Art." in n]) == 7
    assert rulebook.passages[0].text == "Ogni giocatore ha otto casse."
    rule = book("a.md", "# Gara\n\n## Art. 1\n\n## Art. 2\n\nSi gioca a giro.\n")
    assert [p.display for p in rule.passages] == ["Si gioca a giro."]


def _clubs_rules(mark, blank):
    headings = ("Mitgliedschaft", "Beiträge")
    lists = [["Mitglied ist, wer rudert.", "Es endet", "Der Rat prüft."], ["Zwei Kronen.", "Bar."]]
    text = f"{mark}Ordnung des Ruderclubs\n\n"
    for heading, items in zip(headings, lists, strict=True):
        text += f"{mark and '#' + mark}{heading}\n\n"
        for number, item in enumerate(items, 1):
            text += f"{number}. {item}\n{blank}"
            if item == "Es endet":
                text += f"   a) durch Austritt,\n{blank}   b) durch Tod.\n{blank}"
        text += "\n"
    return text


@pytest.mark.parametrize(("name", "mark", "blank"), [("a.md", "# ", ""), ("a.txt", "", "\n")])
def test_lists_that_begin_again_below_headings_keep_their_numbers(name, mark, blank):
    rulebook = book(name, _clubs_rules(mark, blank))
    titles = {entry.id: entry.title for entry in rulebook.entries}
    assert [f"{titles[p.entry]}, {p.item}" for p in rulebook.passages] == [
        "Mitgliedschaft, 1.",
        "Mitgliedschaft, 2.",
        "Mitgliedschaft, 2. a)",
        "Mitgliedschaft, 2. b)",
        "Mitgliedschaft, 3.",
        "Beiträge, 1.",
        "Beiträge, 2.",
    ]


def test_lettered_rules_that_run_on_through_headings_are_entries():
    names, letters = ("Gewicht", "Maße", "Strom", "Waffen"), iter("ABCDEFGHI")
    text = "# Regeln der kleinen Kräne\n\n"
    for at, name in enumerate(names):
        text += f"## {name}\n\n"
        for _ in range(2):
            text += (
                f"{next(letters)}. Der Kran hält dabei alle Grenzen ein, die der Rat festlegt.\n"
            )
            text += "   1. Er wird gewogen.\n   2. Er wird gemessen.\n" if at == 1 else ""
        text += "\n"
    rulebook = book("a.md", text)
    assert numbers(rulebook) == [
        *("A", "B", "C", "  C.1", "  C.2", "D", "  D.1", "  D.2", "E", "F", "G", "H")
    ]
    titles = {entry.id: entry.title for entry in rulebook.entries}
    parents = {entry.number: titles.get(entry.parent or "") for entry in rulebook.entries}
    assert (parents["A"], parents["C"], parents["H"]) == ("Gewicht", "Maße", "Waffen")


def test_a_number_at_the_beginning_of_a_line_within_a_rule_is_no_rule():
    rules = [f"{n}. Der Verein meldet seine Krane bis zum Abend an.\n" for n in range(1, 8)]
    rules[5] = "6. Die erste Mannschaft steht vor der zweiten und der\n3. Mannschaft des Vereins.\n"
    rulebook = book(
        "a.txt", "Ordnung\n\n§ 1 Meldung\n\n" + "\n".join(rules) + "\n§ 2 Ende\n\nAus.\n"
    )
    assert numbers(rulebook) == ["§ 1", *(f"  § 1 {n}." for n in range(1, 8)), "§ 2"]


def test_the_tenth_item_of_a_list_in_the_first_paragraph_is_one_of_it():
    items = "".join(f"   {n}. eine Gabe der Nummer {n};\n" for n in range(1, 12))
    text = f"# Statut\n\n## Artikel 1\n\n1. Das Vermögen bilden:\n{items}2. Es wird geteilt.\n"
    rulebook = book("a.md", f"{text}\n## Artikel 2\n\n1. Es gibt ein Amt.\n2. Es ist frei.\n")
    inner = [f"    Artikel 1 1. {n}." for n in range(1, 12)]
    assert numbers(rulebook)[:14] == ["Artikel 1", "  Artikel 1 1.", *inner, "  Artikel 1 2."]


def test_numbers_with_a_blank_and_articles_without_their_label_go_on() -> None:
    text = "La cala si raggiunge soltanto con la bassa marea."
    lines = [
        "Art. 22 – Assemblea",
        *(f"22.{n} {text}" if n < 3 else f"22. {n} {text}" for n in range(1, 6)),
        "23 – Consiglio",
        f"23.1 {text}",
        f"23. 2 {text}",
        "24 - Revisori",
        f"24.1 {text}",
    ]
    assert numbers(book("a.txt", "\n\n".join(["Statuto", *lines]))) == [
        "Art. 22", *(f"  22.{n}" for n in range(1, 6)), "23", "  23.1", "  23.2", "24", "  24.1",
    ]  # fmt: skip


def test_a_list_that_only_its_indentation_sets_apart_belongs_to_its_item() -> None:
    levels = "".join(
        f'<text:list-style style:name="L{n}"><text:list-level-style-number text:level="1" '
        f'style:num-suffix="." style:num-format="1" text:start-value="{start}">'
        f'<style:list-level-properties text:space-before="{inch}in"/>'
        "</text:list-level-style-number></text:list-style>"
        for n, (start, inch) in enumerate([(1, 0), (2, 0), (1, 0.1), (2, 0.1), (3, 0)])
    )
    items = "".join(
        f'<text:list text:style-name="L{n}"><text:list-item><text:p>{text}</text:p>'
        "</text:list-item></text:list>"
        for n, text in enumerate(
            ["Alle laden ein.", "Sie beschließen über:", "das Boot", "die Segel", "Alle gehen."]
        )
    )
    content = open_document(
        f"<office:document-content{NAMES}><office:automatic-styles>{levels}</office:automatic-styles><office:body><office:text>"
        f'<text:h text:outline-level="1" text:is-list-header="true">§ 7 Versammlung</text:h>{items}'
        '<text:h text:outline-level="1" text:is-list-header="true">§ 8 Ende</text:h><text:p>Alle gehen.</text:p>'
        "</office:text></office:body></office:document-content>"
    )
    assert numbers(book("a.odt", content)) == [
        "§ 7", "  § 7 1.", "  § 7 2.", "    § 7 2. 1.", "    § 7 2. 2.", "  § 7 3.", "§ 8",
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "mark"), [("a.md", "1."), ("a.rst", "#."), ("a.md", "1)")])
def test_a_list_that_counts_by_itself_has_the_numbers_that_readers_see(name, mark):
    texts = ["Alle nehmen Karten.", "Alle legen sie ab.", "Wer keine hat, gewinnt."]
    title = "## § {} Ablauf\n\n" if name == "a.md" else "§ {} Ablauf\n-----------\n\n"
    listed = "".join(f"{mark} {text}\n" for text in texts)
    again = f"{title.format(2)}{mark} Alle zahlen.\n{mark} Alle gehen.\n\n"
    text = f"{title.format(1)}{listed}\n{again}{title.format(3)}Niemand fragt.\n"
    rulebook = book(name, text)
    sign = mark[-1]
    assert numbers(rulebook) == [
        "§ 1", *(f"  § 1 {n}{sign}" for n in (1, 2, 3)), "§ 2", f"  § 2 1{sign}", f"  § 2 2{sign}", "§ 3",
    ]  # fmt: skip
    shown = [passage.display for passage in rulebook.passages][:3]
    assert shown == [f"{n}{sign} {text}" for n, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("name", "title"), [("a.md", "## § {} Ablauf"), ("a.rst", "§ {} Ablauf\n----------")]
)
def test_lists_within_a_list_count_for_themselves(name, title):
    mark = "1." if name == "a.md" else "#."
    listed = f"{mark} Eins.\n\n   {mark} Innen eins.\n   {mark} Innen zwei.\n\n{mark} Zwei.\n\n"
    text = f"{title.format(1)}\n\n{listed}Danach.\n\n{title.format(2)}\n\nEnde.\n"
    assert numbers(book(name, text)) == [
        "§ 1", "  § 1 1.", "    § 1 1. 1.", "    § 1 1. 2.", "  § 1 2.", "§ 2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "citing",
    [
        "Wer die Hand heben muss, steht im Kapitel",
        "Wann die Hand gehoben wird, regelt genauer §",
        "Die Hand hebt, wer verloren hat, siehe",
        "Il giocatore alza la mano secondo l'articolo",
        "A player raises one hand, as is said in rule",
    ],
)
def test_a_number_that_the_line_above_cites_is_no_rule(citing: str) -> None:
    rulebook = book(
        "a.txt",
        f"1 Hände\n\n1.1 Heben\n\n{citing}\n1.2 genauer. Danach ruht das Spiel.\n\n"
        "1.2 Senken\n\nDie Hand wird gesenkt, wenn alle sie gesehen haben.\n",
    )
    assert numbers(rulebook) == ["1", "  1.1", "  1.2"]
    assert any(passage.text.startswith(citing) for passage in rulebook.passages)


@pytest.mark.parametrize("name", ["a.txt", "a.md"])
@pytest.mark.parametrize("cited", ["a) bis c) jedes Jahr", "a) und c)", "(a) bis (c)"])
def test_items_that_the_line_above_cites_are_no_items(name: str, cited: str) -> None:
    rule = f"1. Alle wählen die Ämter nach § 2 Abs. 2\n{cited} im Herbst.\n2. Sonst niemand.\n"
    ends = "## § 2 Ämter\n\n1. Es gibt einen Rat.\n2. Es gibt:\na) Lotse,\nb) Wart,\nc) Koch.\n"
    read = book(name, f"# Hafen\n\n## § 1 Wahl\n\n{rule}\n{ends}")
    assert numbers(read)[:4] == ["§ 1", "  § 1 1.", "  § 1 2.", "§ 2"]
    (text,) = shown(read, "§ 1 1.")
    assert text.endswith(f"{cited} im Herbst.")


def test_a_cited_number_before_a_closing_bracket_is_no_rule():
    items = "1. Wer siegt, steigt auf (siehe\n   2.1.iv).\n2. Wer verliert, bleibt.\n"
    read = book(
        "liga.md", f"# Liga\n\n## 1. Klassen\n\n{items}\n## 2. Ehrung\n\n1. Ein Krug.\n2. Ein Hut."
    )
    assert numbers(read) == ["1", "  1.1", "  1.2", "2", "  2.1", "  2.2"]


def test_an_escaped_number_behind_a_bullet_counts_nothing():
    items = "1. Namen:\n    - Moor 1\n    - 2\\. Kegelclub\n2. Beiträge"
    read = book("liga.md", f"# Liga\n\n## 1. Klubs\n\n{items}\n\n## 2. Ehrung\n\nEin Krug.")
    assert numbers(read) == ["1", "  1.1", "  1.2", "2"]
    assert shown(read, "1.1") == ["1. Namen:\n    • Moor 1\n    • 2. Kegelclub"]


QUOTED = """\
# Turnierordnung

## 1. Grundsätze

1.  Der Club regelt den Spielbetrieb.

1.  Die Partien werden an den Spieltagen gespielt.

    > Die Spieltage werden im Januar festgelegt. Dabei gilt:
    >
    > 1. Feiertage sind ausgenommen.
    > 1. Ferien ebenso.
    >
    > Ausnahmen sind zu begründen.

1.  Die Wertung erfolgt über sieben Runden.

1.  Die Teilnehmer sind
    1.  Mitglieder oder
    1.  Gäste.

    Gäste zahlen eine Gebühr.

1.  Es wird mit Uhr gespielt.
"""


def test_a_list_counts_on_behind_a_quotation():
    read = book("ordnung.md", QUOTED)
    assert [n for n in numbers(read) if n.strip().count(".") == 1] == [
        f"  1.{n}" for n in range(1, 6)
    ]
    assert shown(read, "1.5") == ["5. Es wird mit Uhr gespielt."]


def test_a_paragraph_behind_a_list_belongs_to_its_rule_again():
    read = book("ordnung.md", QUOTED)
    assert shown(read, "1.4") == ["4. Die Teilnehmer sind", "Gäste zahlen eine Gebühr."]
    assert shown(read, "1.4.2") == ["2. Gäste."]
    lead_ins = {each.display: each.lead_in for each in read.passages}
    assert "Die Teilnehmer sind" in lead_ins["2. Gäste."]


HTML_LIST = "<p>Wer {0}:</p><ol><li>die Wartin,</li><li>der Wart{1}</li></ol>"
LIST = "Wer {0}:\n\n1. die Wartin,\n2. der Wart{1}\n\n"


@pytest.mark.parametrize(
    ("name", "listed", "heading", "paragraph"),
    [
        ("ordnung.html", HTML_LIST, "<h2>§ {} Bahn</h2>", "<p>{}</p>"),
        ("ordnung.md", LIST, "## § {} Bahn\n\n", "{}\n\n"),
    ],
)
def test_what_stands_between_and_behind_lists_belongs_to_their_rule(
    name, listed, heading, paragraph
):
    text = (
        heading.format(1)
        + listed.format("fegt", ".")
        + listed.format("putzt", "\n   - mit Seife,\n   - mit Sand." if name.endswith("md") else "")
        + paragraph.format("Ausnahmen gibt es keine.")
        + heading.format(2)
        + paragraph.format("Ende.")
    )
    read = book(name, text)
    assert shown(read, "§ 1 Bahn") == ["Wer fegt:", "Wer putzt:", "Ausnahmen gibt es keine."]
    lead_ins = [each.lead_in for each in read.passages if "der Wart" in each.display]
    assert lead_ins == ["Wer fegt:", "Wer putzt:"]


def test_a_further_bullet_behind_an_item_is_no_paragraph_of_its_rule():
    text = "# Regeln\n\n## 1. Bahn\n\nMan:\n\n1. fegt.\n2. wirft.\n\n-- Oder rollt.\n\n## 2. Ende\n\nAus."
    read = book("bahn.md", text)
    assert shown(read, "1. Bahn") == ["Man:"]


@pytest.mark.parametrize(
    ("items", "last"),
    [
        ("- a) Gelb.\n\nGelb warnt.\n\n- b) Rot.\n\nRot schließt aus.", "Rot schließt aus."),
        ("- a) Gelb.\n- b) Rot:\n\nwer schlägt.", "wer schlägt."),
        ("- a) Gelb.\n- b) Rot.\n\n  Rot schließt aus.", "Rot schließt aus."),
    ],
)
def test_a_paragraph_may_belong_to_the_last_item(items, last):
    read = book("karten.md", f"# Regeln\n\n## § 1 Karten\n\nEs gibt Karten:\n\n{items}\n")
    (passage,) = (each for each in read.passages if last in each.display)
    assert "b" in passage.entry


@pytest.mark.parametrize("mark", ["(%d)", "%d)"])
@pytest.mark.parametrize(
    ("without", "words"),
    [((1, 2, 3), "„Gans“ ist sie."), ((1,), "Die Gans zieht."), ((3,), "der Gans zuerst")],
)
def test_a_mark_without_a_blank_begins_a_paragraph(mark, without, words):
    blanks = ("" if number in without else " " for number in (1, 2, 3))
    rules = [f"{mark % number}{blank}{words}" for number, blank in enumerate(blanks, 1)]
    rulebook = book("a.txt", "\n".join(("Ordnung\n", "§ 1 Zug", *rules, "\n§ 2 Ende", "Aus.")))
    expected = [f"  § 1 {mark % number}" for number in (1, 2, 3)]
    assert numbers(rulebook) == ["§ 1", *expected, "§ 2"]


def test_letters_without_a_blank_are_items_and_a_letter_of_a_word_is_none():
    listed = "a)das Boot;\nb)die Mole;\n(c)Das Tau.\n(s)ein Netz."
    rulebook = book("a.txt", f"Ordnung\n\n§ 1 Bau\n\n(1)Es gibt:\n{listed}\n\n§ 2 Ende\n\nAus.\n")
    expected = ["§ 1", "  § 1 (1)", "    § 1 (1) a)", "    § 1 (1) b)"]
    assert [row for row in numbers(rulebook) if "c)" not in row] == [*expected, "§ 2"]


@pytest.mark.parametrize(
    ("wide", "close"),
    [
        ("Art. %d – Zug", "Art.%d – Zug"),
        ("§ %d Zug", "§%d Zug"),
        ("Artikel %d Zug", "Artikel%d Zug"),
        ("Regel %d: Zug", "Regel%d: Zug"),
    ],
)
def test_labels_without_a_blank_are_of_one_series_with_others(wide, close):
    labels = [(close if number in (4, 5) else wide) % number for number in range(1, 8)]
    text = "# Gara\n\n" + "\n\n".join(f"### {label}\n\nGut." for label in labels)
    assert len(numbers(book("a.md", text))) == 7
    assert not [line for line in doubts(recognised(text)) if "missing" in line]
    lacking = recognised(text.replace(f"### {close % 4}\n", "Ja.\n"))
    assert [line for line in doubts(lacking) if "missing between" in line]


@pytest.mark.parametrize(
    ("article", "printed", "number"),
    [
        ("3", "3.b", "3b"),
        ("3bis", "3bis.a.", "3bis.a"),
        ("3-bis", "3-bis.a", "3bis.a"),
        ("3 ter", "3ter.1.", "3ter.1"),
    ],
)
def test_paragraphs_with_the_number_of_their_article_are_entries(article, printed, number):
    rulebook = book(
        "a.md",
        "# Statuto\n\n### Art. 1 Nome\n\n1.a. La barca.\n\n### Art. 2 Molo\n\n2.a. Il molo.\n\n"
        f"2.b molo non è.\n\n### Art. 3 Sale\n\n3.a. Il sale.\n\n### Art. {article} Pesca\n\n"
        f"{printed} Il pesce.\n\n### Art. 4 Fine\n\n4.a. La fine.\n",
    )
    own = [row.strip() for row in numbers(rulebook)]
    assert number in own
    assert "2b" not in own


def recognised(text):
    document = Document.from_bytes("ordnung.md", text.encode())
    return recognise_rulebook(document, GivenFields(), lambda _: None)


def test_a_number_that_is_there_twice_is_doubted():
    rules = "# Ordnung\n\n## 1. Bau\n\n1.1 Boote.\n\n1.2 Molen.\n\n{} Türme.\n\n## 2. Fahrt\n\n2.1 Wind."
    twice = "1.2 is there twice (line 7, line 9)"
    assert twice in list(doubts(recognised(rules.format("1.2"))))
    assert not [line for line in doubts(recognised(rules.format("1.3"))) if "twice" in line]


@pytest.mark.parametrize("label", ["§ %d", "§%d", "Art. %d –", "Artikel %d"])
def test_articles_of_two_laws_with_the_same_numbers_are_doubted(label):
    laws = ("Strafen", "Spiele")
    articles = "".join(f"### {label % number} Zug\n\nGut.\n\n" for number in (1, 2))
    text = "# Buch\n\n" + "".join(f"## {law}\n\n{articles}" for law in laws)
    article = (label % 2).removesuffix(" –")
    assert f"{article} is there twice (line 9, line 19)" in list(doubts(recognised(text)))


@pytest.mark.parametrize("label", ["%d.", "Kapitel %d:", "%d)", "(%d)"])
def test_rules_that_each_part_counts_anew_are_not_doubted(label):
    rules = "".join(f"### {label % number} Zug {number}\n\nGut.\n\n" for number in (1, 2, 3))
    text = f"# Buch\n\n## Strafen\n\n{rules}## Spiele\n\n{rules}"
    assert not [line for line in doubts(recognised(text)) if "twice" in line]


def test_a_reference_to_a_law_is_none_that_finds_nothing():
    rules = "# Ordnung\n\n## 1. Bau\n\n1.1 Es gilt § 5 BGB.\n\n1.2 Es gilt {}.\n\n1.3 Türme."
    found = recognised(rules.format("das Recht"))
    assert not [line for line in doubts(found) if "find nothing" in line]
    found = recognised(rules.format("Ziffer 1.9"))
    assert [line for line in doubts(found) if "find nothing: 1, first “1.9”" in line]


def test_abbreviations_stay_in_a_title_and_other_words_in_capitals_do_not():
    text = "Die DEM findet jährlich statt. Zur DEM meldet der Verband.\n\n"
    titles = ("1. Grundsätze", "2. DEM U20", "3. MELDUNG ZUR DEM", "4. Strafen")
    read = book("spiel.md", "# Ordnung\n\n" + "".join(f"## {each}\n\n{text}" for each in titles))
    found = [each.title for each in read.entries if each.number]
    assert found == ["1. Grundsätze", "2. DEM U20", "3. Meldung zur DEM", "4. Strafen"]
