from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.layouts import LAYOUTS, ReferenceStyle
from corpus.model import Kind, Rulebook
from glossary.references.heading_lookup import HeadingLookup, MatchKind

Make = Callable[..., Rulebook]


def heading(rulebook, entry):
    return next(e.heading for e in rulebook.entries if e.id == entry)


GERMAN = [
    "WÜRFEL, "
    "WÜRFELWURF", "ZONEN", "MARSCH UND "
                           "RAST", "BANN (RITUAL)", "BANN (KREATUR)", "STÄRKE-PFEIL (→)", "GLÜCK X",
    "DIE SILBERNEN "
    "REGELN", "„SOFORT“-EFFEKTE", "VERBANNT", "LEERER BEUTEL (KEINE "
                                              "STEINE)", "ANHANG II: AUFBAU", "TAUSCHEN/HANDELN",
    "LEUCHTTURM (ALS WERT)", "DRACHENZÄHMER",
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "expected", "how"),
    [
        ("Zonen", "ZONEN", MatchKind.EXACT),
        ("Würfel", "WÜRFEL, WÜRFELWURF", MatchKind.PART),
        ("Würfel, Würfelwurf", "WÜRFEL, WÜRFELWURF", MatchKind.EXACT),
        ("Handeln", "TAUSCHEN/HANDELN", MatchKind.PART),
        ("Zone", "ZONEN", MatchKind.INFLECTED),
        ("verbannen", "VERBANNT", MatchKind.INFLECTED),
        ("Bann (Kreatur)", "BANN (KREATUR)", MatchKind.EXACT),
        ("Bann (Krea-tur)", "BANN (KREATUR)", MatchKind.INFLECTED),
        ("Stärkepfeil", "STÄRKE-PFEIL (→)", MatchKind.INFLECTED),
        ("Stärke-Pfeil (♣)", "STÄRKE-PFEIL (→)", MatchKind.EXACT),
        ("Glück", "GLÜCK X", MatchKind.SHORT),
        ("Leuchtturm", "LEUCHTTURM (ALS WERT)", MatchKind.SHORT),
        ("Leuchtturm (Seite 12)", "LEUCHTTURM (ALS WERT)", MatchKind.SHORT),
        ("Silberne Regeln", "DIE SILBERNEN REGELN", MatchKind.INFLECTED),
        ('"Sofort"-Effekte', "„SOFORT“-EFFEKTE", MatchKind.EXACT),
        ("Marsch", "MARSCH UND RAST", MatchKind.SHORT),
        ("Keine Steine", "LEERER BEUTEL (KEINE STEINE)", MatchKind.SHORT),
        ("Anhang II", "ANHANG II: AUFBAU", MatchKind.BEGINNING),
        ("Aufbau: Zonen", "ZONEN", MatchKind.EXACT),
        ("Bann (Kreatur des Waldes)", "BANN (KREATUR)", MatchKind.NEAREST),
        ("Zonen/Felder", "ZONEN", MatchKind.NEAREST),
        ("Drachenzähner", "DRACHENZÄHMER", MatchKind.SPELLING),
        ("Drachenfutter", None, None),
        ("Zorn", None, None),
        ("", None, None),
        ("Zonen " * 50, None, None),
    ],
)
def test_a_german_name_finds_its_entry(book, name, expected, how):
    rulebook = book(*(("term", h, "Text.") for h in GERMAN))
    match = HeadingLookup(rulebook).find(name)
    assert (match and heading(rulebook, match.entry), match and match.how) == (expected, how)


ITALIAN = [
    "MAZZO DEL MAGO",
    "DADO (ICONA – 2)",
    "DADO (CARTA)",
    "TESORO/BOTTINO",
    "PAROLA MAGICA",
    "USO (X “TIPO”)",
    "LE REGOLE D'ARGENTO",
]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Mazzo del Mago", "MAZZO DEL MAGO"),
        ("Dado (Icona)", "DADO (ICONA – 2)"),
        ("Tesoro e Bottino", "TESORO/BOTTINO"),
        ("Tesoro/ Bottino", "TESORO/BOTTINO"),
        ("Parole Magiche", "PAROLA MAGICA"),
        ("Uso (X Tipo)", "USO (X “TIPO”)"),
        ("Uso", "USO (X “TIPO”)"),
        ("Regole d’Argento", "LE REGOLE D'ARGENTO"),
        ("Tesoro/Bottimo", "TESORO/BOTTINO"),
    ],
)
def test_an_italian_name_finds_its_entry(book, name, expected):
    rulebook = book(*(("term", h, "Testo.") for h in ITALIAN), language="it")
    match = HeadingLookup(rulebook).find(name)
    assert match is not None
    assert heading(rulebook, match.entry) == expected


def test_the_entry_with_the_text_comes_before_the_one_that_points_to_it(book):
    rulebook = book(
        ("redirect", "WURF", "Siehe: Würfel"),
        ("term", "WÜRFEL, WURF", "Text."),
        ("section", "WÜRFEL", "Text."),
    )
    titles = HeadingLookup(rulebook)
    for name in ("Wurf", "Würfel"):
        match = titles.find(name)
        assert match is not None
        assert heading(rulebook, match.entry) == ("WÜRFEL, WURF" if name == "Wurf" else "WÜRFEL")
    assert titles.candidates("Wurf") == ["spiel-1/0", "spiel-1/1"]


def test_a_name_that_fits_several_entries_is_reported(book):
    match = HeadingLookup(
        book(("term", "BANN (RITUAL)", "Text."), ("term", "BANN (KREATUR)", "Text."))
    ).find("Bann")
    assert match is not None
    assert match.others == ("spiel-1/1",)


def test_cards_are_no_targets_of_names(book):
    assert (
        HeadingLookup(
            book(("ruling", "DRACHE (12)", "Text."), ("erratum", "DRACHE (12)", "Text."))
        ).find("Drache")
        is None
    )


def test_the_names_of_an_edition_come_before_what_only_looks_alike(book):
    rulebook = book(
        ("term", "ZAUBERER", "Text."),
        ("term", "MAGIER", "Text."),
        names={"Zaubererin": "MAGIER", "Hexer": "Magier", "Nix": "NICHTS"},
    )
    titles = HeadingLookup(rulebook)
    assert titles.find("Hexer") == ("spiel-1/1", MatchKind.NAMED, ())
    assert titles.find("Zaubererin") == ("spiel-1/1", MatchKind.NAMED, ())
    assert titles.find("Nix") is None


@given(st.text(max_size=150))
def test_no_name_stops_the_matcher(book, name):
    found = HeadingLookup(book(("term", "A (B", "x"), ("term", "/,/", "x"))).find(name)
    assert found is None or found[0] in ("spiel-1/0", "spiel-1/1")


def test_every_heading_of_a_glossary_finds_itself(any_rulebooks):
    for rulebook in any_rulebooks.rulebooks:
        layout = LAYOUTS[rulebook.edition.layout]
        if layout.references is not ReferenceStyle.SEE_LISTS or layout.excerpt:
            continue
        titles = HeadingLookup(rulebook)
        for entry in rulebook.entries:
            if entry.kind in (Kind.TERM, Kind.SECTION):
                assert entry.id in titles.candidates(entry.heading), entry.heading
