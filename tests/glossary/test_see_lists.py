import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.model import Correction, Fault, Role, Rulebook
from glossary.model import ReferenceProblem
from glossary.references import find

Make = Callable[..., Rulebook]
Found = dict[str, list[tuple[int, str, int | None, str | None]]]
TERMS = [
    ("term", "WÜRFEL", "Text."), ("term", "ZONE, "
                                          "FELD", "Text."), ("term", "BANN "
                                                                     "(RITUAL)", "Text."), ("term", "BANN (KREATUR)", "Text."),
    ("section", "ANHANG II: "
                "AUFBAU", "Text."), ("term", "DRACHENZÄHMER", "Text."), ("term", "GLÜCK, "
                                                                                 "PECH", "Text."),
]  # fmt: skip


def raws(rulebook, *others):
    return [r.raw for r in find(rulebook, others)]


@pytest.mark.parametrize(
    ("text", "kind", "names"),
    [
        ("Siehe auch: Würfel, Zone", "see-also", ["Würfel", "Zone"]),
        ("Siehe: Würfel", "see", ["Würfel"]),
        ("**Siehe auch:** Würfel, **Zone**.", "see-also", ["Würfel", "Zone"]),
        (
            "**Siehe**: Bann (Ritual), Anhang II: Aufbau,",
            "see",
            ["Bann (Ritual)", "Anhang II: Aufbau"],
        ),
        ("Siehe auch: Drachenzähmer. Würfel", "see-also", ["Drachenzähmer", "Würfel"]),
        ("Siehe auch: Würfel Bann (Ritual)", "see-also", ["Würfel", "Bann (Ritual)"]),
        ("Siehe auch: Glück, Pech, Zone", "see-also", ["Glück, Pech", "Zone"]),
        ("Siehe auch: Würfel,\nZone", "see-also", ["Würfel", "Zone"]),
        ("Siehe auch: Drachen-\nzähmer", "see-also", ["Drachen- zähmer"]),
        ("Siehe auch: Würfel (Seite 2), ", "see-also", ["Würfel (Seite 2)"]),
        ("- 1. Einer würfelt. Siehe: Würfel", "inline", ["Würfel"]),
        (
            "Einer würfelt. (Siehe: Würfel, Zone) Und weiter (Siehe: Pech)",
            "inline",
            ["Würfel", "Zone", "Pech"],
        ),
        ("Einer zaubert (**Siehe:** Bann (Ritual)).", "inline", ["Bann (Ritual)"]),
        ("Einer zaubert (Siehe: Bann (Ritual)", "inline", ["Bann (Ritual)"]),
        ('Einer würfelt (siehe "Würfel").', "inline", ['"Würfel"']),
        ("Mehr dazu im Abschnitt „Drachenzähmer“.", "inline", ["„Drachenzähmer“"]),
        ("Beispiele stehen im Anhang II.", "inline", ["Anhang II"]),
        ("Das gilt auch hier (siehe unten).", "inline", ["siehe unten"]),
        ("Das gilt (siehe das Heft des Spiels).", "inline", []),
        ("Im Abschnitt „Nirgends“ steht nichts, und wer es sieht: Würfel.", "inline", []),
        ("Ein Satz. (Würfel, 30)", "inline", []),
    ],
)
def test_names_are_found_as_printed(book, text, kind, names):
    found = find(book(*TERMS, ("term", "HIER", "Ein Satz.", text)))
    assert [(r.raw, r.kind.value) for r in found] == [(name, kind) for name in names]


def one(rulebook, *others):
    (reference,) = find(rulebook, others)
    return reference


def test_a_reference_knows_its_line_its_place_and_its_entry(book):
    rulebook = book(*TERMS, ("term", "HIER", "Ein Satz.", "Siehe auch: **Zone**"))
    reference = one(rulebook)
    assert (reference.line, reference.entry) == (17, "spiel-1/7")
    assert rulebook.document.text[slice(*reference.span)] == "Zone"
    assert (reference.target, reference.problem) == ("spiel-1/1", None)


@pytest.mark.parametrize(
    ("name", "target", "problem"),
    [
        ("Würfel", 0, None),
        ("Zonen", 1, None),
        ("Zähmer", None, ReferenceProblem.MISSING),
        ("Drachenzähner", 5, ReferenceProblem.TITLE_DIFFERS),
        ("Bann (Ritual der Nacht)", 2, ReferenceProblem.TITLE_DIFFERS),
        ("Bann", 2, ReferenceProblem.AMBIGUOUS),
        ("Los", 6, ReferenceProblem.TITLE_DIFFERS),
    ],
)
def test_what_is_wrong_in_print_is_said_and_what_is_meant(book, name, target, problem):
    reference = one(
        book(*TERMS, ("term", "HIER", "Siehe auch: " + name), names={"Los": "GLÜCK, PECH"})
    )
    wanted = None if target is None else f"spiel-1/{target}"
    assert (reference.target, reference.problem) == (wanted, problem)
    assert reference.meant == (wanted if problem else None)


def test_the_entry_that_refers_tells_which_of_two_is_meant(book):
    reference = one(book(*TERMS, ("term", "KREATUR", "- Einer zaubert. (Siehe: Bann)")))
    assert (reference.target, reference.problem) == ("spiel-1/3", None)


@pytest.mark.parametrize(
    ("printed", "meant", "target", "problem"),
    [
        ("Bann", "BANN (KREATUR)", "spiel-1/3", ReferenceProblem.AMBIGUOUS),
        ("Pferd", "DRACHENZÄHMER", "spiel-1/5", ReferenceProblem.TITLE_DIFFERS),
        ("Spielregel", None, None, ReferenceProblem.OUTSIDE),
        ("Pferd", "NIRGENDS", None, ReferenceProblem.MISSING),
    ],
)
def test_a_correction_says_what_one_misprint_means(book, printed, meant, target, problem):
    correction = Correction(17, Fault.REFERENCE, printed, meant, "test", 17)
    reference = one(
        book(
            *TERMS,
            ("term", "HIER", "Ein Satz.", "Siehe auch: " + printed),
            corrections=(correction,),
        )
    )
    assert (reference.target, reference.problem, reference.meant) == (target, problem, target)


@pytest.mark.parametrize("role", [Role.VOID, Role.LISTING])
def test_text_that_no_longer_holds_and_lists_of_pages_refer_to_nothing(book, role):
    rulebook = book(*TERMS, ("erratum", "ADLER (3)", "Einer würfelt. (Siehe: Würfel)"))
    assert raws(rulebook) == ["Würfel"]
    *others, last = rulebook.passages
    assert raws(replace(rulebook, passages=(*others, replace(last, role=role)))) == []


@pytest.fixture
def page(book) -> Rulebook:
    rulebook: Rulebook = book(
        ("term", "Wurf", "Ein starker Wurf zählt doppelt (siehe unten)."),
        ("subsection", "Schwacher Wurf", "Text."),
        (
            "subsection",
            "Starker Wurf",
            "Text.",
            "Siehe auch: Würfel, Starker Wurf, Glück, Pech, Nirgends",
        ),
        layout="single",
        edition="spiel-online",
        version="online",
    )
    return rulebook


def test_a_single_page_refers_to_its_parts_and_to_the_latest_rulebook_of_its_game(book, page):
    old, new = (
        book(("term", "WÜRFEL", "Text."), edition="spiel-1"),
        book(*TERMS, edition="spiel-2", version="2.1"),
    )
    other = book(*TERMS, edition="gioco-3", version="3", language="it")
    found = [(r.raw, r.target, r.problem) for r in find(page, [old, new, other, page])]
    assert found == [
        ("siehe unten", "spiel-online/2", None),
        ("Würfel", "spiel-2/0", ReferenceProblem.OUTSIDE),
        ("Starker Wurf", "spiel-online/2", None),
        ("Glück, Pech", "spiel-2/6", ReferenceProblem.OUTSIDE),
        ("Nirgends", None, ReferenceProblem.OUTSIDE),
    ]


def test_a_single_page_alone_refers_outside(page):
    assert [r.target for r in find(page) if r.problem is ReferenceProblem.OUTSIDE] == [None] * 4


SIGNS = [
    "Siehe "
    "auch:", "(Siehe:", "**Vedi:**", "siehe "
                                     "", "(", ")", ",", ";", ".", "\n", "Würfel", "Zone, "
                                                                                  "Feld", "Anhang "
                                                                                          "II", '"', "*",
    "Abschnitt ",
]  # fmt: skip


@given(st.lists(st.sampled_from(SIGNS), max_size=40), st.booleans())
def test_no_text_stops_the_finder(book, signs, listed):
    text = ("Siehe: " if listed else "Text ") + " ".join(signs)
    rulebook = book(*TERMS, ("term", "HIER", text))
    spans = []
    for reference in find(rulebook):
        printed = rulebook.document.text[slice(*reference.span)]
        assert reference.raw == " ".join(printed.replace("**", "").split())
        spans.append(reference.span)
    assert all(a.end <= b.start for a, b in pairwise(spans))


# What the real rulebooks print, as facts: how many references, what is wrong with them, and a
# digest of all.
GOLDEN = {
    "marvel-champions-de-1.5": (1117, {"title-differs": 2, "ambiguous": 1}, "e5b3e3dbfbbf"),
    "marvel-champions-it-1.7": (1161, {"title-differs": 31, "ambiguous": 1}, "90f6a46e0b32"),
    "marvel-champions-de-online": (26, {"outside": 23}, "44dd22b3ae5e"),
}


@pytest.fixture(scope="module")
def references(real) -> Found:
    """Line, name, first line of the target and problem of every reference of the real rulebooks."""
    first = {e.id: e.lines.first for b in real.rulebooks for e in b.entries}
    return {
        b.edition.id: [
            (r.line, r.raw, first.get(r.target or ""), r.problem and r.problem.value)
            for r in find(b, real.rulebooks)
        ]
        for b in real.rulebooks
        if b.edition.id in GOLDEN
    }


@pytest.mark.parametrize("edition", GOLDEN)
def test_every_real_reference_leads_somewhere(references, edition):
    found = references[edition]
    problems = Counter(problem for *_, problem in found if problem)
    digest = hashlib.sha256(repr([r[:3] for r in found]).encode()).hexdigest()[:12]
    assert (len(found), dict(problems), digest) == GOLDEN[edition]
    assert [r[1] for r in found if r[2] is None] == (
        ["Gekennzeichnete Fähigkeit"] if edition.endswith("online") else []
    )


@pytest.mark.parametrize(
    ("edition", "line", "raw", "line_of_target"),
    [
        ("marvel-champions-de-1.5", 42, "Plan vorantreiben (Gegner-Aktivierung)", 1449),
        ("marvel-champions-de-1.5", 347, "Zuteilen", 2426),
        ("marvel-champions-de-1.5", 389, "Materialbeschränkung (Seite 2)", 26),
        ("marvel-champions-de-1.5", 419, "Anhang I: Deckbau", 2436),
        ("marvel-champions-de-1.5", 419, "Anhang", 205),
        ("marvel-champions-de-1.5", 832, "Anhang III", 2484),
        ("marvel-champions-de-1.5", 839, "siehe unten", 830),
        ("marvel-champions-de-1.5", 1027, "Scherge", 1547),
        ("marvel-champions-de-1.5", 1027, "Schurke", 1597),
        ("marvel-champions-de-1.5", 1066, "Erzfeind-Set", 790),
        ("marvel-champions-de-1.5", 1105, "Ins Spiel bringen", 1753),
        ("marvel-champions-de-1.5", 1180, "Kampagnenmodus", 1168),
        ("marvel-champions-de-1.5", 1439, "Basiskraft", 359),
        ("marvel-champions-de-1.5", 1571, 'Anwendungen (X "Art")', 249),
        ("marvel-champions-de-1.5", 1956, "Betäubt, Betäuben", 499),
        ("marvel-champions-de-1.5", 2140, "Wählen", 2324),
        ("marvel-champions-de-1.5", 2364, "Nicht-numerischer Wert", 1397),
        ("marvel-champions-it-1.7", 51, "Schema (Attivazione Nemica)", 2502),
        ("marvel-champions-it-1.7", 104, "Trattino (–)", 2573),
        ("marvel-champions-it-1.7", 560, "Campagna", 1527),
        ("marvel-champions-it-1.7", 852, "Attacco (Attivazione del Giocatore)", 294),
        ("marvel-champions-it-1.7", 1087, "Limite ai Componenti", 36),
        ("marvel-champions-it-1.7", 1177, "Accelerazione", 59),
        ("marvel-champions-it-1.7", 1343, "Robusto/Irrubustire", 2184),
        ("marvel-champions-it-1.7", 1396, "Scegliere", 2228),
        ("marvel-champions-it-1.7", 1598, "Le Regole d'Oro", 26),
        ("marvel-champions-it-1.7", 1681, "Preparazione", 1834),
        ("marvel-champions-it-1.7", 2198, "Panoramica: Panoramica del Round", 42),
        ("marvel-champions-it-1.7", 2554, "Area di Gioco del Giocatore", 204),
        ("marvel-champions-it-1.7", 3252, '"Lanciare Capacità/Giocare Carte"', 1351),
        ("marvel-champions-it-1.7", 3460, '"Attacco (Attivazione Nemica)"', 247),
        ("marvel-champions-de-online", 14, "siehe unten", 42),
        ("marvel-champions-de-online", 71, "Fähigkeiten einleiten, Karten spielen", 872),
        ("marvel-champions-de-online", 71, "Ausgelöste Fähigkeit", 49),
    ],
)
def test_a_real_reference_leads_where_a_reader_would_look(
    references, edition, line, raw, line_of_target
):
    assert {target for at, name, target, _ in references[edition] if (at, name) == (line, raw)} == {
        line_of_target
    }


def test_what_is_printed_twice_is_found_twice(references):
    assert [name for line, name, *_ in references["marvel-champions-it-1.7"] if line == 1679] == [
        "Perforante"
    ] * 2
