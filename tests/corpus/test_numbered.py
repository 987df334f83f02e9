from collections import Counter

import pytest

from corpus.document import Document
from corpus.layouts import numbered
from corpus.model import Edition, Fault, Kind, Role
from corpus.read import read
from tests.corpus.reading import correct, shown


def parse(text, *corrections):
    edition = Edition("wolken-de", "wolken", "de", "1", "Wolken", "numbered", corrections)
    book = read(Document.from_bytes("wolken.txt", text.encode()), edition)
    assert book.strays == ()
    assert book.unfit == ()
    return book


def outline(book):
    """Kind, heading and the heading of the entry around it."""
    names = {entry.id: entry.heading for entry in book.entries}
    return [
        (entry.kind.value, entry.heading, names.get(entry.parent or "")) for entry in book.entries
    ]


def terms(book):
    return {
        e.heading: shown(book, e.heading)
        for e in book.entries
        if e.kind in (Kind.TERM, Kind.REDIRECT)
    }


RULES = "1. WOLKEN\n\n1.1. Allgemeines\n\n1.1.1. Wolken ziehen.\n\n"

# Chapters, groups, rules


def test_depth_comes_from_the_number_and_not_from_bullets_or_indentation():
    book = parse(
        "1. WOLKEN\n\n1.1. Regen\n\n- 1.1.1. Es regnet.\n- 1.1.1.1. Stark.\n   - 1.1.2. Es "
        "hagelt.\n1.1.10. Es schneit.\n"
    )
    assert outline(book) == [
        ("section", "1. WOLKEN", None),
        ("section", "1.1. Regen", "1. WOLKEN"),
        ("rule", "1.1.1", "1.1. Regen"),
        ("rule", "1.1.1.1", "1.1.1"),
        ("rule", "1.1.2", "1.1. Regen"),
        ("rule", "1.1.10", "1.1. Regen"),
    ]
    assert shown(book, "1.1.1.1") == ["1.1.1.1. Stark."]


def test_a_rule_is_its_number_and_the_number_is_part_of_what_can_be_quoted():
    rule = next(entry for entry in parse(RULES).entries if entry.kind is Kind.RULE)
    assert (rule.heading, rule.number, rule.heading_spans, rule.id) == (
        "1.1.1",
        "1.1.1",
        (),
        "wolken-de/1.1.1",
    )
    assert shown(parse(RULES), "1.1.1") == ["1.1.1. Wolken ziehen."]


def test_a_number_of_two_levels_is_a_heading_or_a_rule_by_what_follows_it():
    book = parse(
        "1. WOLKEN\n\n1.1. Regen\n\n1.1.1. Es regnet.\n\n2. WIND\n\n2.1. Der Wind weht "
        "immer.\n\n2.1.1. Auch nachts.\n"
    )
    assert outline(book)[3:] == [
        ("section", "2. WIND", None),
        ("rule", "2.1", "2. WIND"),
        ("rule", "2.1.1", "2.1"),
    ]


def test_a_rule_whose_parent_is_missing_stands_under_the_nearest_number():
    book = parse("1. WOLKEN\n\n1.2. Hagel\n\n1.2.3.4. Körner.\n\n1.9.1. Eis.\n")
    assert outline(book)[2:] == [("rule", "1.2.3.4", "1.2. Hagel"), ("rule", "1.9.1", "1. WOLKEN")]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("1.1.1. Regen", "1.1.1. Regen"),
        ("1.1.1. *Regen* – Wasser fällt.", "1.1.1. Regen"),
        ("1.1.1. **Regen** ♥ - Wasser fällt.", "1.1.1. Regen"),
        ("1.1.1. *Regen {R}*– Wasser fällt.", "1.1.1. Regen"),
        ("1.1.1. **Regen** fällt.", "1.1.1"),
        ("1.1.1. Regen fällt, und damit ist dieser Satz hier aus", "1.1.1"),
    ],
)
def test_rules_with_a_name_are_titled_by_it(line, title):
    book = parse(f"1. WOLKEN\n\n1.1. Regen\n\n{line}\n")
    assert book.entries[-1].title == title


def test_lists_dates_and_figures_inside_rules_are_no_chapters():
    book = parse(
        RULES
        + "1.1.2. Es gilt:\n\n1. Erst Nebel.\n2. Dann Sonne.\n\n30. April 2031\n\n2.5 Grad sind "
        "kalt.\n"
    )
    assert [heading for _, heading, _ in outline(book)] == [
        "1. WOLKEN",
        "1.1. Allgemeines",
        "1.1.1",
        "1.1.2",
    ]


def test_chapters_need_no_capitals_and_no_contents_table():
    book = parse(
        "Wetterspiel\n\n1. Wolken\n\nEin Wort vorweg.\n\n1.1. Ziele haben alle.\n\n2. Wind\n\n2.1. "
        "Er weht.\n"
    )
    assert outline(book) == [
        ("section", "Wetterspiel", None),
        ("section", "1. Wolken", None),
        ("rule", "1.1", "1. Wolken"),
        ("section", "2. Wind", None),
        ("rule", "2.1", "2. Wind"),
    ]
    assert shown(book, "1. Wolken") == ["Ein Wort vorweg."]


def test_numbers_may_be_printed_without_their_last_full_stop():
    book = parse("1. WOLKEN\n\n1.1 Regen\n\n1.1.1 Es regnet.\n\n1.2 Wind\n\n1.2.1 Er weht.\n")
    assert [heading for _, heading, _ in outline(book)] == [
        "1. WOLKEN",
        "1.1 Regen",
        "1.1.1",
        "1.2 Wind",
        "1.2.1",
    ]
    book = parse(RULES + "1.1.2 Punkt vergessen.\n")
    assert outline(book)[-1] == ("rule", "1.1.2", "1.1. Allgemeines")


def test_a_number_behind_siehe_at_a_torn_line_begins_no_rule():
    book = parse(RULES + "1.1.2. Mehr dazu in Abschnitt\n\n1.1.1. Dort steht es.\n")
    assert [e.heading for e in book.entries if e.kind is Kind.RULE] == ["1.1.1", "1.1.2"]
    assert shown(book, "1.1.2")[0].endswith("Dort steht es.")


# Examples and torn sentences


@pytest.mark.parametrize(
    "mark",
    [
        "Beispiel: ",
        "- Beispiel A:** ",
        "*Beispiel: ",
        "Esempio: ",
        "\nBeispiel B: ",
        "- Esempio C:** ",
    ],
)
def test_examples_belong_to_the_rule_above_and_lose_their_false_bullet(mark):
    book = parse(RULES.rstrip("\n") + f"\n{mark}Eine Wolke zieht.\n\n1.1.2. Wolken regnen.\n")
    (text,) = shown(book, "1.1.1")
    assert text.startswith("1.1.1. Wolken ziehen.\n")
    assert text.endswith("Eine Wolke zieht.")
    assert "•" not in text
    assert "*" not in text


def test_examples_of_several_paragraphs_stay_with_their_rule():
    book = parse(RULES + "Beispiel: Es regnet.\n\nDann schneit es.\n\n1.1.2. Ende.\n")
    assert len(shown(book, "1.1.1")) == 1
    assert shown(book, "1.1.1")[0].endswith("Dann schneit es.")


def test_a_rule_with_long_examples_is_divided_where_they_begin():
    example = "Eine Wolke zieht über den Berg. " * 30
    book = parse(RULES + f"Beispiel A: {example}\n\n- Beispiel B:** {example}\n")
    assert [text[:10] for text in shown(book, "1.1.1")] == ["1.1.1. Wol", "Beispiel B"]


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("Eine Wolke, die über den", "Berg zieht, regnet ab.", 2),
        ("**Eine Wolke, die über den**", "hohen Berg zieht, regnet.", 2),
        ("Eine Wolke regnet ab.", "Danach ist sie fort.", 1),
    ],
)
def test_sentences_torn_by_a_page_break_are_one_passage_of_two_pieces(first, second, joined):
    long = "Wer lange in den Himmel sieht, der sieht nach einer Weile Schafe. "
    book = parse(f"1. WOLKEN\n\n1.1. Regen\n\n1.1.1. {long}{first}\n\n17\n\n{second}\n")
    (passage,) = [p for p in book.passages if p.entry.endswith("1.1.1")]
    assert len(passage.spans) == 2  # the page number between them is left out
    book = parse(f"1. WOLKEN\n\n1.1. Regen\n\n1.1.1. {long}{first}\n\n{second}\n")
    (passage,) = [p for p in book.passages if p.entry.endswith("1.1.1")]
    assert len(passage.spans) == joined


def test_page_numbers_and_ornaments_are_left_out():
    book = parse(RULES + "12\n\nSeite 13 von 40\n\n* * *\n\n1.1.2. Ende.\n")
    assert [f.why for f in book.furniture] == ["page number", "page number", "rule or ornament"]
    assert shown(book, "1.1.1") == ["1.1.1. Wolken ziehen."]


# Front matter and contents table

CONTENTS = "1. WOLKEN\n - 1.1. Allgemeines\n - 1.2. Regne\n 2. WIND\n - 2.1. Sturm\n- GLOSSAR\n\n"
BODY = (
    RULES + "1.2. Regen\n\n1.2.1. Es regnet.\n\n2. WIND\n\n2.1. Sturm\n\n2.1.1. Er "
    "tobt.\n\nGLOSSAR\n\nWolke\n\nWasser am Himmel.\n"
)


def test_the_contents_table_repeats_headings_and_makes_none():
    book = parse(
        "WETTER\n\nVersion 2.1.0\n\nEinleitung\n\nHier geht es los.\n\nINHALT\n\n" + CONTENTS + BODY
    )
    headings = [heading for _, heading, _ in outline(book)]
    assert headings[:4] == ["WETTER", "Einleitung", "INHALT", "1. WOLKEN"]
    assert (
        headings.count("1. WOLKEN")
        == headings.count("1.1. Allgemeines")
        == headings.count("GLOSSAR")
        == 1
    )
    listing = [passage for passage in book.passages if passage.role is Role.LISTING]
    assert [passage.display.split("\n")[0] for passage in listing] == [
        "1. WOLKEN",
        "2. WIND",
        "• GLOSSAR",
    ]


@pytest.mark.parametrize("head", ["", "Sommario\n\n", "## Inhaltsverzeichnis\n\n"])
def test_a_contents_table_is_known_with_or_without_a_heading(head):
    book = parse("WETTER\n\n" + head + CONTENTS.replace("Regne", "Regen ..... 7") + BODY)
    assert sum(passage.role is Role.LISTING for passage in book.passages) == 3
    assert Counter(entry.kind for entry in book.entries)[Kind.RULE] == 3


def test_a_title_page_is_one_section_with_its_version_and_date():
    book = parse(
        "WETTER\n\nVersion 3.2.0\n\nGültig ab 3. Mai 2031\n\nFür Kinder\n\nViel Spaß mit dem "
        "Wetter.\n\n" + RULES
    )
    assert outline(book)[:2] == [("section", "WETTER", None), ("section", "Für Kinder", None)]
    assert shown(book, "WETTER") == ["Version 3.2.0", "Gültig ab 3. Mai 2031"]


# Glossary


def glossary(text, head="GLOSSAR"):
    return terms(parse(f"{RULES}{head}\n\n{text}\n"))


@pytest.mark.parametrize(
    ("line", "head"),
    [
        ("Sturm Ein starker Wind.", "Sturm"),
        ("still werden Wenn der Wind nachlässt.", "still werden"),
        ("Tau, früher Die Tropfen am Morgen.", "Tau, früher"),
        ("Tuono Quando un lampo fa rumore.", "Tuono"),
        ("Tramonto L'ora in cui il sole scende.", "Tramonto"),
    ],
)
def test_a_head_that_has_run_into_its_text_is_a_term_of_its_own(line, head):
    found = glossary(f"Wolke\n\nWasser am Himmel.\n\n{line}\n\nZug\n\nLuft in Bewegung.")
    assert list(found) == ["Wolke", head, "Zug"]
    assert found[head] == [line.removeprefix(head).strip()]


@pytest.mark.parametrize(
    "paragraph",
    [
        "Ein Nebel ist eine Wolke am Boden.",
        "Manche Wolken regnen nie.",
        "Auch der Regen zählt dazu.",
    ],
)
def test_a_second_paragraph_is_no_new_term(paragraph):
    assert glossary(f"Wolke\n\nWasser am Himmel.\n\n{paragraph}") == {
        "Wolke": ["Wasser am Himmel.", paragraph]
    }


@pytest.mark.parametrize(
    "head",
    ["wolkig", "Wolke, große", "hell/dunkel", "Phase 1: Nebel", "Regen ♥", "Schritt: Gießen"],
)
def test_heads_in_lower_case_with_comma_slash_colon_or_icon_are_terms(head):
    assert glossary(f"Anfang\n\nDas Erste.\n\n{head}\n\nEtwas am Himmel.")[head] == [
        "Etwas am Himmel."
    ]


def test_a_short_text_without_full_stop_is_no_head():
    assert glossary("Wolke\n\nWasser, sonst nichts\n\nZug\n\nLuft.") == {
        "Wolke": ["Wasser, sonst nichts"],
        "Zug": ["Luft."],
    }


def test_bold_heads_before_their_text_are_terms():
    assert glossary("**Wolke:** Wasser.\n**Zug:** Luft.\n") == {
        "Wolke": ["Wasser."],
        "Zug": ["Luft."],
    }


def test_the_same_head_twice_is_two_terms():
    book = parse(RULES + "GLOSSARIO\n\nWolke\n\nWasser.\n\nWolke\n\nAuch Eis.\n")
    assert [entry.id for entry in book.entries if entry.kind is Kind.TERM] == [
        "wolken-de/wolke",
        "wolken-de/wolke-2",
    ]


def test_a_term_that_only_points_elsewhere_is_a_redirect():
    book = parse(
        RULES + "GLOSSAR\n\nNebel\n\nSiehe Wolke.\n\nWolke\n\nWasser.\n\nSiehe auch: Nebel\n"
    )
    assert [(e.heading, e.kind) for e in book.entries[-2:]] == [
        ("Nebel", Kind.REDIRECT),
        ("Wolke", Kind.TERM),
    ]
    assert [p.display for p in book.passages if p.role is Role.SEE] == [
        "Siehe Wolke.",
        "Siehe auch: Nebel",
    ]


def test_letters_between_terms_are_left_out_and_an_appendix_ends_the_glossary():
    heads = "".join(
        f"Begriff {name}\n\nEin Wort.\n\n" for name in ("eins", "zwei", "drei", "vier", "fünf")
    )
    book = parse(f"{RULES}GLOSSAR\n\nB\n\n{heads}DANKSAGUNG\n\nDank an den Wind.\n")
    assert (
        next(entry.heading for entry in book.entries if entry.kind is Kind.TERM) == "Begriff eins"
    )
    assert outline(book)[-1] == ("section", "DANKSAGUNG", None)


# Change log

LOG = (
    "Aktualisierungen\n\n3. Mai 2031\n\nNeu ist:\n\n- 1.1.1. Gekürzt.\n- 1.1.1/1.1.2. "
    "Getauscht.\n\nIm Glossar\n\n- **Wolke:** Neu.\n"
)


def test_items_of_the_change_log_begin_with_numbers_and_are_no_rules():
    book = parse(f"{RULES}GLOSSAR\n\nWolke\n\nWasser.\n\n{LOG}")
    assert outline(book)[-3:] == [
        ("section", "Aktualisierungen", None),
        ("section", "3. Mai 2031", "Aktualisierungen"),
        ("section", "Im Glossar", "3. Mai 2031"),
    ]
    assert sum(entry.kind is Kind.RULE for entry in book.entries) == 1
    assert [p.depth for p in book.passages if p.entry.endswith("3-mai-2031")] == [0, 1, 1]


def test_a_change_log_before_the_first_chapter_is_one_too():
    book = parse(f"WETTER\n\n{LOG}\n{RULES}")
    assert [h for k, h, _ in outline(book) if k == "section"] == [
        "WETTER", "Aktualisierungen", "3. Mai 2031", "Im Glossar", "1. WOLKEN", "1.1. Allgemeines",
    ]  # fmt: skip


# Corrections


def test_what_a_correction_calls_furniture_is_left_out():
    book = parse(
        RULES + "WOLKE IM BILD\n\nREGNET Sehr nass.\n\n1.1.2. Ende.\n",
        correct(7, Fault.FURNITURE, "WOLKE", through=9),
    )
    assert shown(book, "1.1.1") == ["1.1.1. Wolken ziehen."]
    assert len(book.furniture) == 2


def test_a_misprinted_rule_number_is_read_as_the_one_that_is_meant():
    book = parse(RULES + "1.7.2. Ende.\n", correct(7, Fault.NUMBER, "1.7.2", "1.1.2"))
    assert outline(book)[-1] == ("rule", "1.1.2", "1.1. Allgemeines")


def test_corrections_say_what_is_a_heading_and_what_is_none():
    book = parse(RULES + "2. WIND\n\n2.1. Er weht.\n", correct(7, Fault.NOT_HEADING, "2. WIND"))
    assert "2. WIND" not in [entry.heading for entry in book.entries]
    book = parse(
        RULES + "Zwischenruf.\n\nHallo.\n", correct(7, Fault.HEADING, "Zwischenruf", "section")
    )
    assert outline(book)[-1] == ("section", "Zwischenruf.", "1. WOLKEN")
    assert shown(book, "Zwischenruf.") == ["Hallo."]
    book = parse(
        RULES + "GLOSSAR\n\nWas nun?\n\nRegen.\n", correct(9, Fault.HEADING, "Was nun", "term")
    )
    assert terms(book) == {"Was nun?": ["Regen."]}


def test_a_torn_paragraph_that_looks_like_a_rule_goes_on_where_a_correction_says_so():
    book = parse(RULES + "1.1.1. Wolken auch.\n", correct(7, Fault.TORN, "1.1.1", "5"))
    assert len([p for p in book.passages if p.entry.endswith("1.1.1")]) == 1


def test_a_footnote_glued_to_another_rule_goes_home():
    text = "1. WOLKEN\n\n1.1. Regen\n\n1.1.1. Es regnet*.\n\n1.1.2. Es hagelt. *Meist nachts.\n"
    book = parse(text, correct(7, Fault.BELONGS, "*Meist", "1.1.1"))
    assert shown(book, "1.1.1") == ["1.1.1. Es regnet.", "Meist nachts."]
    assert shown(book, "1.1.2") == ["1.1.2. Es hagelt."]


def test_lost_and_garbled_characters_are_put_back_for_readers_only():
    fixes = [
        correct(5, Fault.CHARACTER, "Wolkenziehen", "Wolken ziehen"),
        correct(6, Fault.LOST, "bald ", "bald […] "),
    ]
    book = parse(
        "1. WOLKEN\n\n1.1. Regen\n\n1.1.1. Wolkenziehen.\nBeispiel: Es zieht bald \nBeispiel: "
        "Ja.\n",
        *fixes,
    )
    assert shown(book, "1.1.1") == [
        "1.1.1. Wolken ziehen.\nBeispiel: Es zieht bald […] \nBeispiel: Ja."
    ]
    assert "Wolkenziehen" in next(p.text for p in book.passages if p.entry.endswith("1.1.1"))


# Recognition


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BODY, True),
        ("1. Eins\n2. Zwei\n3. Drei\n", False),
        ("Nur Text.\n\nMehr Text.\n", False),
        ("", False),
    ],
)
def test_numbered_rules_are_recognised_and_numbered_lists_are_not(text, expected):
    assert (numbered.score(Document("x", "", text)) > 0.5) is expected
