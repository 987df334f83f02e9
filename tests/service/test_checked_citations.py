"""Citations of rules and entries without a quotation: they exist, and the sentence beside them speaks
of the same.
"""

from collections.abc import Mapping

import pytest

from service.answers.sources import marker_table
from service.answers.verify import verification_out
from service.core.snapshot import Snapshot

DUEL: Mapping[str, str] = {"game": "pegelduell"}
WATCH: Mapping[str, str] = {"game": "pegelwacht"}
WET = "Ein durchnässter Lotse oder Matrose kann nicht angreifen."


@pytest.fixture(scope="module")
def snapshot(sample_index) -> Snapshot:
    return Snapshot(sample_index)


def cited(snapshot, text, where):
    body = verification_out(snapshot, text, **where)
    wrong = any(each.status != "found" for each in body.citations)
    assert body.verdict == ("misattributed" if wrong else "nothing-quoted")
    for each in body.citations:
        assert text[slice(*each.span)] == each.text
    return body.citations


@pytest.mark.parametrize(
    ("text", "where", "numbers"),
    [
        ("Laut 4.2 verölt man eine Karte, die das Ölsymbol hat.", DUEL, ["4.2"]),
        ("Eine Karte kann verölt werden, wenn sie das Symbol hat (5.2.2).", DUEL, ["5.2.2"]),
        ("Der Strudel ist kein Ort auf dem Tisch. (Regel 6.5.1)", DUEL, ["6.5.1"]),
        ("6.5.1: Im Strudel warten Fähigkeiten, die eingetreten sind.", DUEL, ["6.5.1"]),
        ("Was sinkt oder bricht, treibt ins Wrackfeld; siehe Abschnitt 6.4.", DUEL, ["6.4"]),
        ("Manöver haben Effekte, aber keine Fähigkeiten: 5.4.1", DUEL, ["5.4.1"]),
        ("Ein durchnässter Lotse greift nicht an (siehe Durchnässt).", WATCH, ["Durchnässt"]),
        ("Laut Eintrag „Kaikante“ ist die Stadt verloren.", WATCH, ["Kaikante"]),
        (
            "Ist er durchnässt, kann kein Lotse angreifen. — Pegelwacht Regelbuch 1.1 (de), "
            "Durchnässt, Durchnässen, Z. 181",
            {},
            ["Pegelwacht Regelbuch 1.1 (de), Durchnässt, Durchnässen, Z. 181"],
        ),
        ("Das Spiel kostet 24.90 Euro, dauert 1.5 Stunden und begann am 1.3.2025.", DUEL, []),
        ("Patch 1.4.1 der App ist da, siehe www.example.org/6.5.1.", DUEL, []),
        ("Version 2.0 gilt seit heute, siehe Seite 5 und siehe oben.", DUEL, []),
    ],
)
def test_rules_and_entries_that_say_so_are_found(snapshot, text, where, numbers):
    found = cited(snapshot, text, where)
    assert [(each.text, each.status) for each in found] == [(each, "found") for each in numbers]
    assert all(each.citations and not each.nearest for each in found)


@pytest.mark.parametrize(
    ("text", "where", "number", "nearest"),
    [
        ("Laut Regel 4.2.9 verölt man eine Karte.", DUEL, "4.2.9", "4.2"),
        ("Das steht in 6.5.9.1.", DUEL, "6.5.9.1", "6.5"),
        ("Per CR 310.8d you may choose.", {}, "310.8d", ""),
        ("Sie ist dann verloren (siehe Kaikannte).", WATCH, "Kaikannte", "kaikante"),
        ("Secondo la regola 99.3 l'eroe attacca.", DUEL, "99.3", ""),
        (
            "So steht es da. — Pegelwacht Regelbuch 7.7 (de), Kaikante, Z. 5",
            {},
            "Pegelwacht Regelbuch 7.7 (de)",
            "kaikante",
        ),
    ],
)
def test_what_does_not_exist_is_listed_with_the_nearest(snapshot, text, where, number, nearest):
    (found,) = cited(snapshot, text, where)
    assert (found.text, found.status, found.citations) == (number, "unknown", [])
    assert any(nearest in each.entry for each in found.nearest)


@pytest.mark.parametrize(
    ("text", "where", "meant"),
    [
        ("Laut 6.4 wird eine Karte verölt, wenn sie das Ölsymbol hat.", DUEL, "5.2.2"),
        ("Im Strudel warten eingetretene Fähigkeiten (siehe 1.4.1).", DUEL, "6.5.1"),
        (
            "Ein durchnässter Lotse kann nicht angreifen (siehe Handlimit).",
            WATCH,
            "durchnaesst-durchnaessen",
        ),
    ],
)
def test_a_rule_that_says_something_else_is_named_with_what_may_be_meant(
    snapshot, text, where, meant
):
    (found,) = cited(snapshot, text, where)
    assert found.status == "unrelated"
    assert meant in [each.entry.partition("/")[2] for each in found.nearest]


@pytest.mark.parametrize(
    ("text", "where", "right"),
    [
        ("Laut 2.1.1.3 zieht jeder {} Karten als Starthand.", DUEL, ("6", "sechs")),
        ("Eine Ladung hat mindestens {} Karten (6.2.2).", DUEL, ("45",)),
        ("Each player draws {} cards for the opening hand (rule 2.1.1.3).", DUEL, ("6", "six")),
        ("Höchstens {} Geräte hängen an einer Karte (siehe Gerät).", WATCH, ("drei", "3")),
        (
            "Man darf den Lotsen {} im eigenen Zug auf die andere Seite drehen (siehe Seitenwechsel).",
            WATCH,
            ("einmal", "ein Mal"),
        ),
    ],
)
def test_a_number_that_the_cited_rule_has_otherwise_is_no_number_of_it(
    snapshot, text, where, right
):
    wrong = "zweimal" if "einmal" in right else "7"
    for number in (*right, wrong):
        (found,) = cited(snapshot, text.format(number), where)
        assert found.status == ("different-number" if number == wrong else "found"), number


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("Hat ein Lotse 5 Kähne, darf er trotzdem nur in Phase 2 fahren (4.1.2).", DUEL),
        ("Wer 12 Laternen hat, gewinnt auch, denn 9 oder mehr genügen (1.6.1.1).", DUEL),
        ("Ein Kahn mit 3 Leckmarken ist leck (5.1.1.3).", DUEL),
    ],
)
def test_a_number_of_a_case_is_held_against_no_rule(snapshot, text, where):
    assert [each.status for each in cited(snapshot, text, where)] == ["found"]


def test_a_quotation_is_held_to_the_rule_that_is_cited_beside_it(snapshot):
    for text, verdict in [
        (f"„{WET}“ (siehe Durchnässt)", "exact"),
        (f"> {WET}\n> — Pegelwacht Regelbuch 1.1 (de), Durchnässt, Durchnässen, Z. 181", "exact"),
        (f"Siehe Kaikante: „{WET}“", "misattributed"),
        (f"> {WET}\n> — Pegelwacht Regelbuch 1.1 (de), Kaikante, Z. 181", "misattributed"),
    ]:
        assert verification_out(snapshot, text).verdict == verdict, text


def test_a_claim_is_compared_with_the_passage_of_its_marker(snapshot):
    table, of = marker_table(snapshot), snapshot.library.passages_of
    right = table.marker_of(of["pegelwacht-de-1.1/durchnaesst-durchnaessen"][0])
    wrong = table.marker_of(of["pegelwacht-de-1.1/kaikante"][0])
    for marker, status in ((right, "found"), (wrong, "unrelated")):
        text = f"Ein durchnässter Lotse darf nicht angreifen [{marker}]."
        (found,) = cited(snapshot, text, WATCH)
        assert (found.text, found.status) == (f"[{marker}]", status)


def test_only_the_edition_asked_for_or_named_counts(snapshot):
    text = "Im Strudel warten eingetretene Fähigkeiten, so 6.5.1."
    assert cited(snapshot, text, {"edition": "pegelduell-de-2.0"})[0].status == "found"
    assert cited(snapshot, text, WATCH)[0].status == "unknown"
    (title,) = {each.title for each in snapshot.library.editions if each.id == "pegelwacht-de-1.1"}
    assert cited(snapshot, f"{title}: {text}", {})[0].status == "unknown"


def test_see_also_says_nothing_of_the_entries_it_names(snapshot):
    found = cited(snapshot, f"{WET}\n\nSiehe auch: Kaikante, Handlimit", WATCH)
    assert [(each.text, each.status) for each in found] == [
        ("Kaikante", "found"),
        ("Handlimit", "found"),
    ]
