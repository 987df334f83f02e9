from collections.abc import Callable
from dataclasses import replace

import pytest

from corpus import Document, Edition, Rulebook, read
from corpus.model import Correction, Fault, Furniture, IndexItem, Span
from glossary.check import (
    Certainty,
    FindingKind,
    Why,
    because,
    check_rulebook,
    edition_notes,
)
from glossary.check.spelling import find_misspelled_cards, find_misspellings
from glossary.query_variants import PassageVariants, fingerprint
from glossary.references import find

Make = Callable[..., Rulebook]
Terms = list[tuple[str, ...]]

HONEY: Terms = [("term", "HONIG", "Süß."), ("term", "IMKER", "Fleißig.")]
MEADOW: Terms = [
    ("term", n, "Schön.")
    for n in ("WABE", "HONIG", "IMKER", "BIENE", "WIESE", "BLUME", "SONNE", "REGEN", "STOCK")
]
TWICE = "Wer zuerst erntet, darf danach noch ein Glas füllen."
CUT = "Die Ernte ist aus, sobald der Imker sein Glas zum"
FLIGHT = (
    "Sobald eine Biene erwacht, fliegt sie zur nächsten Blume und kehrt am Abend in den Stock "
    "zurück."
)


def checked(rulebook):
    return check_rulebook(rulebook, [rulebook], find(rulebook, [rulebook]))


def told(rulebook, sort):
    return [(f.line, f.printed, f.meant) for f in checked(rulebook) if f.kind is sort]


IN_A_TEXT = [  # kind, text, what is printed, what is meant
    (
        FindingKind.NUMBER_GAP,
        "So geht es:\n1. Ausfliegen\n2. Sammeln\n4. Abfüllen",
        "4. Abfüllen",
        "3.",
    ),
    (
        FindingKind.NUMBER_TWICE,
        "So geht es:\n1. Ausfliegen\n2. Sammeln\n2. Abfüllen",
        "2. Abfüllen",
        None,
    ),
    (
        FindingKind.BREAKS_OFF,
        "Jeder Imker füllt nun ein Glas und ruht",
        "Jeder Imker füllt nun ein Glas und ruht",
        None,
    ),
    (FindingKind.LOST, "Zahle 2 , um eine Biene zu wecken.", "Zahle 2 [ ] , um eine Biene", None),
    (FindingKind.LOST, "Eine Biene mit  Kosten ruht.", "Eine Biene mit [ ] Kosten ruht.", None),
    (FindingKind.DOUBLED_WORD, "Geerntet wird nur im im Sommer.", "im im", "im"),
    (
        FindingKind.DOUBLED_WORD,
        "Man darf das Korn nur für Brot verwenden. nur für Brot verwenden.",
        "nur für Brot verwenden. nur für Brot verwenden.",
        "nur für Brot verwenden.",
    ),
    (FindingKind.GLUED, "Geerntet wird,wenn es warm ist.", "wird,wenn", "wird, wenn"),
    (FindingKind.GLUED, "Geerntet werden 2karten im Sommer.", "2karten", "2 karten"),
    (FindingKind.GLUED, "Geerntet wird(aber nie nachts) im Sommer.", "wird(aber", "wird (aber"),
    (
        FindingKind.UNPAIRED,
        "Geerntet wird (aber nie nachts.",
        "Geerntet wird (aber nie nachts.",
        None,
    ),
    (FindingKind.UNPAIRED, "Das heißt „reiche Ernte.", "Das heißt „reiche Ernte.", None),
    (FindingKind.UNPAIRED, 'Das heißt reiche" Ernte.', 'Das heißt reiche" Ernte.', None),
    (FindingKind.MARKUP, "- Beginn.** Alle fliegen aus.", "- Beginn.** Alle fliegen aus.", None),
    (FindingKind.ESCAPE, "Im Fr\\u00fchling bl\\u00fcht es.", "\\u00fc", "ü"),
    (FindingKind.ESCAPE, "Wecke sie \\rightarrow ernte.", "\\rightarrow", None),
    (FindingKind.ESCAPE, "Mehr steht [im Anhang](#).", "[im Anhang](#)", "im Anhang"),
    (FindingKind.SYMBOL, "Das kostet \ue011 Honig.", "\ue011", None),
    (FindingKind.SYMBOL, "Das kostet 1 🐝 je Glas.", "🐝", None),
    (FindingKind.SYMBOL, "Der Нonig ist süß.", "Н", None),
]


@pytest.mark.parametrize(
    ("sort", "entries", "printed", "meant"),
    [
        *((kind, [("term", "ERNTE", text)], *rest) for kind, text, *rest in IN_A_TEXT),
        (FindingKind.MISSING, [("term", "WABE", "Siehe auch: Nektarine")], "Nektarine", None),
        (
            FindingKind.REFERS_TO_ITSELF,
            [("term", "WABE", "Voll ist voll.", "Siehe auch: Wabe")],
            "Wabe",
            None,
        ),
        (
            FindingKind.LISTED_TWICE,
            [("term", "WABE", "Siehe auch: Honig, Imker, Honig"), *HONEY],
            "Honig",
            None,
        ),
        (
            FindingKind.LIST_SIGNS,
            [("term", "WABE", "Siehe auch: Honig Imker"), *HONEY],
            "Honig Imker",
            "Honig, Imker",
        ),
        (
            FindingKind.LIST_SIGNS,
            [("term", "WABE", "Siehe auch: Honig, , Imker"), *HONEY],
            "Honig,, Imker",
            "Honig, Imker",
        ),
        (
            FindingKind.LIST_SIGNS,
            [("term", "WABE", "Siehe auch: Honig, "), *HONEY],
            "Honig,",
            "Honig",
        ),
        (
            FindingKind.DUPLICATE_HEADING,
            [("term", "WABE", "Eine Zelle."), *HONEY, ("term", "WABE", "Viele Zellen.")],
            "WABE",
            None,
        ),
        (FindingKind.HEADING, [*MEADOW, ("term", "GLASs", "Voll.")], "GLASs", None),
        (
            FindingKind.NUMBER_TWICE,
            [("term", "ERNTE"), ("subsection", "a.) Flug", "x"), ("subsection", "a.) Ruhe", "y")],
            "a.) Ruhe",
            None,
        ),
        (FindingKind.PRINTED_TWICE, [("term", "ERNTE", TWICE, TWICE)], TWICE, None),
        (FindingKind.BREAKS_OFF, [("term", "ERNTE", CUT)], CUT, None),
        (
            FindingKind.SYMBOL,
            [("term", "HONIG-RESSOURCE (%)", "Süß.")],
            "HONIG-RESSOURCE (%)",
            None,
        ),
        (
            FindingKind.MISSPELLED,
            [("term", "ERNTE", *["Jeder Spieler erntet."] * 4, "Ein Spielre ruht.")],
            "Spielre",
            "Spieler",
        ),
        (
            FindingKind.SPELLING_VARIES,
            [("term", "ERNTE", *["Die Honigkarte zählt."] * 5, "Eine Honig-Karte ruht.")],
            "Honig-Karte",
            "Honigkarte",
        ),
    ],
)
def test_a_fault_is_found_with_its_place_and_what_is_meant(book, sort, entries, printed, meant):
    rulebook = book(*entries)
    found = [f for f in checked(rulebook) if f.kind is sort]
    assert [(f.printed, f.meant) for f in found] == [(printed, meant)]
    assert found[0].line is not None
    assert (
        printed.split("[ ]")[0].split(",")[0].strip() in rulebook.document.line(found[0].line).text
    )


@pytest.mark.parametrize(
    "text",
    [
        "Die Karte, die die Biene weckt, ruht; Wild Wild Summ Summ bleibt wach.",
        "Vorsicht (siehe unten): 1) erst wecken, 2) dann ernten.",
        "Wer mag, schreibt an wiese@imker.example oder schaut auf www.imker.example/wiese.",
        "Die Einigkeit siegt ... oder auch nicht …",
        "Er sagt: „Summ!“ – mehr nicht.",
        "Ruhende Karten:\n- Biene\n- Blume\n- Imker des Nordens",
        "Kartenspielerin und Kartenspieler, Kartenspiele und Kartenspiels.",
        "So geht es:\n1. Flug\na. zur Blume\nb. zum Stock\n2. Ruhen\nUnd so:\n1. Ernten\n2. Ruhen",
        "Zahle 1 → wecke eine Biene (★).",
    ],
)
def test_what_is_right_is_left_alone(book, text):
    assert checked(book(("term", "WIESE", text))) == ()


def test_things_said_of_two_subjects_are_no_repetition(book):
    for other in (
        FLIGHT.replace("Biene", "Hummel"),
        FLIGHT.replace("fliegt sie", "fliegt sie nicht"),
    ):
        assert (
            told(
                book(("term", "BIENE", FLIGHT), ("term", "HUMMEL", other)),
                FindingKind.PRINTED_TWICE,
            )
            == []
        )


def test_a_rule_on_the_term_of_another_entry_is_named_where_it_strays(book):
    own, other = FLIGHT, FLIGHT.replace("Biene", "Hummel")
    rulebook = book(("term", "BIENE", own, other), ("term", "HUMMEL", other))
    (found,) = [f for f in checked(rulebook) if f.kind is FindingKind.PRINTED_TWICE]
    first, second = (
        n
        for n, line in enumerate(rulebook.document.text.splitlines(), 1)
        if line.startswith("Sobald eine Hummel")
    )
    assert (found.line, found.certainty) == (first, Certainty.LIKELY)
    assert found.why == because(Why.SAME_TEXT_OF_TERM, quoted="HUMMEL", line=second)


def test_an_older_wording_beside_the_new_one_is_named_with_the_words_that_changed(book):
    rulebook = book(("term", "BIENE", FLIGHT), ("term", "STOCK", FLIGHT.replace("am Abend ", "")))
    (found,) = [f for f in checked(rulebook) if f.kind is FindingKind.PRINTED_TWICE]
    assert found.certainty is Certainty.POSSIBLE
    assert found.why == because(Why.NEARLY_SAME_TEXT_WITH, line=2, words="am abend / –")


def test_gaps_in_the_numbers_of_rules_are_found():
    rules = [
        "1. BIENEN",
        "1.1. Allgemeines",
        "1.1.1. Bienen fliegen.",
        "1.1.3. Bienen ruhen.",
        "1.2. Stock",
        "1.2.1. Voll.",
        "1.2.1. Leer.",
    ]
    document = Document.from_bytes("x.txt", "\n\n".join(["REGELN", *rules]).encode())
    rulebook = read(document, Edition("spiel-1", "spiel", "de", "1", "Spiel", "numbered"))
    assert told(rulebook, FindingKind.NUMBER_GAP) == [(9, "1.1.3", "1.1.2")]
    assert told(rulebook, FindingKind.NUMBER_TWICE) == [(15, "1.2.1", None)]


def test_the_printed_index_is_held_against_the_entries(book):
    rulebook = book(
        ("term", "ADLER", "Hoch."),
        ("term", "BIENE", "Summt."),
        ("term", "FALKE", "Jagt."),
        ("term", "GEIER", "Wartet."),
    )
    items = [("Adler", 2), ("Biene", 9), ("Geier", 4), ("Nashorn", 5), ("Falter", 6)]
    rulebook = replace(
        rulebook,
        index_items=tuple(IndexItem(n + 1, name, (page,)) for n, (name, page) in enumerate(items)),
    )
    assert told(rulebook, FindingKind.NOT_INDEXED) == [(5, "FALKE", None)]
    assert told(rulebook, FindingKind.INDEX_WITHOUT_ENTRY) == [
        (4, "Nashorn", None),
        (5, "Falter", None),
    ]
    assert told(rulebook, FindingKind.INDEX_PAGE) == [(2, "BIENE 9", None)]
    assert told(rulebook, FindingKind.INDEX_ORDER) == [(5, "Falter", None)]


def test_a_sentence_torn_by_a_caption_is_told_from_one_torn_by_a_page(book):
    rulebook = book(
        ("term", "WIESE", "Auf der Wiese blüht", "STOCK IM BILD", "der Klee."),
        ("term", "WALD", "Im Wald wächst", "", "ein Pilz."),
    )
    first, caption, last, *page = rulebook.passages
    torn = replace(first, spans=(*first.spans, *last.spans))
    across = replace(page[0], spans=(*page[0].spans, *page[2].spans))
    changed = replace(
        rulebook,
        passages=(torn, across),
        furniture=(Furniture(Span(*caption.spans[0]), "caption"),),
    )
    assert told(changed, FindingKind.TORN) == [(4, "der Klee.", None)]


def test_corrections_are_findings_and_hide_what_they_already_say(book):
    rulebook = book(
        ("term", "STOCK", "Der Нonig ist süß."), ("term", "IMKRE", "Er ruht."),
        ("term", "BIO", "Der Imker erntet nur am Abend, um"),
        corrections=(
            Correction(2, Fault.CHARACTER, "Нonig", "Honig", "letter misread", 2),
            Correction(3, Fault.TITLE, "IMKRE", "Imker", "letters exchanged", 3),
            Correction(5, Fault.TITLE, "BIO", "Bio", "no fault, only small letters", 5),
            Correction(6, Fault.LOST, "Abend, um", None, "the end is missing", 6),
            Correction(4, Fault.CHARACTER, "gibt es nicht", "x", "other version", 4),
        ),
    )  # fmt: skip
    rulebook = replace(
        rulebook,
        unfit=tuple(c for c in rulebook.edition.corrections if not c.fits(rulebook.document)),
    )
    assert [(f.line, f.kind, f.printed, f.meant, f.certainty) for f in checked(rulebook)] == [
        (6, FindingKind.LOST, "Abend, um", None, Certainty.CERTAIN),
        (2, FindingKind.MISPRINT, "Нonig", "Honig", Certainty.CERTAIN),
        (3, FindingKind.MISPRINT, "IMKRE", "Imker", Certainty.CERTAIN),
        (4, FindingKind.CORRECTION_UNFIT, "gibt es nicht", "x", Certainty.CERTAIN),
    ]


def test_passages_without_phrasings_are_one_number(book, monkeypatch):
    rulebook = book(
        ("term", "WIESE", "Auf der Wiese blüht der Klee."),
        ("term", "STOCK", "Der Stock ist voll.", "Der Stock ist leer."),
    )
    assert told(rulebook, FindingKind.NO_PHRASINGS) == []
    known = PassageVariants(
        fingerprint("Der Stock ist voll."), "stock#0", ("stock voll",), (), "", ()
    )
    monkeypatch.setattr(edition_notes, "load_query_variants", lambda edition: (known,))
    assert told(rulebook, FindingKind.NO_PHRASINGS) == [(None, "2 passages have none", None)]


def of_any_kind(*lines, language="en"):
    text = "\n\n".join(["# The Harbour", *lines])
    return read(
        Document.from_bytes("x.md", text.encode()),
        Edition("hafen-1", "hafen", language, "1", "Hafen", "outline"),
    )


def kinds(rulebook):
    return [(f.kind, f.printed) for f in checked(rulebook)]


def test_tags_that_open_and_close_are_how_a_document_is_written():
    assert (
        kinds(of_any_kind('A <b>barge</b> is <a name="x"></a>heavy.', "A <i>lantern</i> is light."))
        == []
    )
    assert (FindingKind.ESCAPE, "</b>") in kinds(of_any_kind("A barge</b> is heavy."))


def test_signs_in_braces_that_are_everywhere_are_how_a_document_writes_its_icons():
    assert (FindingKind.SYMBOL, "{L}") in kinds(of_any_kind("Pay {L} to the harbour."))
    assert (
        kinds(of_any_kind(*(f"In round {n} pay {{L}} to keeper {n * n}." for n in range(30)))) == []
    )


def test_half_words_before_an_apostrophe_are_not_misspelled():
    often = [f"The keeper {n} should and would and could open lock {n * n}." for n in range(9)]
    assert kinds(of_any_kind(*often, "He shouldn't, wouldn't and couldn't.")) == []


def test_what_was_left_untranslated_is_not_misspelled():
    often = [
        f"Ogni investigatore numero {n} usa la sua opportunità e la sua abilità." for n in range(9)
    ]
    untranslated = (
        "Each investigator at the harbour has the opportunity to use this ability before the "
        "round ends."
    )
    assert kinds(of_any_kind(*often, untranslated, language="it")) == []


def test_numbers_of_another_document_are_no_reference_without_target():
    rules = [
        "## 1 Fog",
        "1.1 Fog is grey.",
        "1.2 Fog is wet, see rule 1.9.",
        "1.3 Fog is cold, see rule 7.4 of the tournament rules.",
    ]
    assert [
        printed for kind, printed in kinds(of_any_kind(*rules)) if kind is FindingKind.MISSING
    ] == ["1.9"]


def test_addresses_have_no_blanks_behind_their_full_stops():
    assert (
        kinds(of_any_kind("Write to Support.Harbour.com. Or write a letter . . . and wait.")) == []
    )


def test_rules_that_are_all_heading_and_titles_above_the_text_are_not_empty():
    lines = [
        "## Official rules",
        "## 1 Fog",
        "Grey.",
        "### 1.1 A barge waits for the fog to lift before it leaves.",
        "## 2 Locks",
        "## 3 End",
        "Late.",
    ]
    assert [
        printed for kind, printed in kinds(of_any_kind(*lines)) if kind is FindingKind.EMPTY_ENTRY
    ] == ["2 Locks"]


LARGE = (
    "Jede Karte liegt da, denn die Karte ist eine Karte wie jede Karte. "
    "Das Ende ist ein Ende, und am Ende steht das Ende."
)


@pytest.mark.parametrize(
    ("slip", "printed", "meant"),
    [
        ("Danach wird die karte abgelegt.", ["karte"], "Karte"),
        ("Danach wird die Bienen-\nkarte abgelegt.", [], None),  # divided by a line
        ("Danach liegt einen Karte dort.", ["einen Karte"], "eine Karte"),
        ("Danach liegt er bei einer Karte.", [], None),
        ("Danach ende die Partie.", [], None),  # of "enden"
    ],
)
def test_nouns_have_capitals_and_articles_of_their_gender(book, slip, printed, meant):
    made = book(*(("term", f"WABE{letter}", LARGE) for letter in "ABCD"), ("term", "GLAS", slip))
    found = [
        f for f in find_misspellings(made, ()) if f.printed in ("karte", "einen Karte", "ende")
    ]
    assert [f.printed for f in found] == printed
    assert {f.meant for f in found} <= {meant}


@pytest.mark.parametrize(
    ("slip", "printed", "meant"),
    [
        ("Dann gilt der erst Satz.", ["der erst Satz"], ["der erste Satz"]),
        ("Der Imker, der erst Karten zieht, ruht.", [], []),
        ("Dann gelten die acht Karten.", [], []),
    ],
)
def test_ordinals_have_their_ending(book, slip, printed, meant):
    made = book(("term", "WABE", "Der erste Imker füllt das achte Glas."), ("term", "GLAS", slip))
    found = list(find_misspellings(made, ()))
    assert [f.printed for f in found] == printed
    assert [f.meant for f in found] == meant


PLOTS = "Ogni trama vale. La trama avanza. Una trama resta. Nessuna trama conta."


@pytest.mark.parametrize(
    ("slip", "printed", "meant"),
    [
        ("Un nemico attacca o tramis.", ["tramis"], ["trami"]),
        ("Un nemico attacca o trami.", [], []),
        ("Vedi Agente Doppio-giochista.", ["Doppio-giochista"], ["Doppiogiochista"]),
        ("Un attacco pre-tramato resta.", [], []),
    ],
)
def test_slips_in_forms_that_stand_nowhere_else_are_found(book, slip, printed, meant):
    made = book(
        *(("term", f"FAVO{n}", PLOTS) for n in "ABC"), ("term", "VETRO", slip), language="it"
    )
    found = list(find_misspellings(made, ()))
    assert [f.printed for f in found] == printed
    assert [f.meant for f in found] == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Das gilt für Anna Bienenmutter.", []),
        ("Das gilt für Anna Bienenmuter.", ["Anna - Bienenmutter"]),
        ("Anna Bienenmuter trifft Anna Bienenmuter.", ["Anna - Bienenmutter"]),
        ("Das gilt für Anna – Bienenmuter.", ["Anna - Bienenmutter"]),
        ("Das gilt für Anna Bienenmutters Stock.", []),
        ("Das gilt für Anna. Bienenmuter sind selten.", []),
        ("Das gilt für Anna bienenmuter.", []),
        ("Es gilt Roter Schwaren.", ["Roter Schwarm"]),
    ],
)
def test_names_of_cards_are_spelled_as_in_the_database(book, text, meant):
    made = book(("term", "WABE", text))
    names = ["Anna", "Anna - Bienenmutter", "Roter Schwarm"]
    assert [f.meant for f in find_misspelled_cards(made, names)] == meant
