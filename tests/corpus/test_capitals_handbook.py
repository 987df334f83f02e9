"""The German reference handbook of Marvel Champions, version 1.5: every entry, every torn
paragraph, every lost number in its place.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter

import pytest

from corpus import RulebookFolder
from corpus.model import Kind, Passage, Role, Rulebook


@pytest.fixture(scope="module")
def handbook(real: RulebookFolder) -> Rulebook:
    found = [b for b in real.rulebooks if b.edition.id == "marvel-champions-de-1.5"]
    if not found:
        pytest.skip("this rulebook is not here")
    return found[0]


def at(rulebook: Rulebook, line: int) -> Passage:
    return next(
        p
        for p in rulebook.passages
        if any(
            rulebook.document.line_at(a) <= line <= rulebook.document.line_at(b - 1)
            for a, b in p.spans
        )
    )


def test_every_entry_of_the_handbook_is_found(handbook: Rulebook) -> None:
    assert Counter(e.kind.value for e in handbook.entries) == {
        "section": 61,
        "term": 196,
        "redirect": 42,
        "ruling": 76,
        "erratum": 32,
    }
    assert handbook.strays == ()
    assert handbook.unfit == ()
    printed = "\n".join(
        f"{e.kind.value} {e.heading} {e.lines.first}-{e.lines.last}" for e in handbook.entries
    )
    assert hashlib.sha256(printed.encode()).hexdigest()[:16] == "3a861e6fab0ef092"


@pytest.mark.parametrize(
    ("kind", "heading", "lines", "parent"),
    [
        ("section", "ONLINE-REFERENZHANDBUCH", (5, 5), None),
        ("section", "GLOSSAR", (48, 2434), None),
        ("term", "ANHANG", (205, 216), "GLOSSAR"),
        ("redirect", '"BEREITS"', (444, 446), "GLOSSAR"),
        ("term", "BOOST, BOOST-SYMBOL (→)", (531, 554), "GLOSSAR"),
        ("redirect", "LEERES DECK (KEINE KARTEN MEHR)", (1300, 1302), "GLOSSAR"),
        ("redirect", "PFEILSYMBOL (\\rightarrow)", (1433, 1435), "GLOSSAR"),
        ("term", "STERN-SYMBOL (★)", (1964, 1983), "GLOSSAR"),
        ("term", "..UND'", (2047, 2054), "GLOSSAR"),
        ("section", "BEGEGNUNGSDECKS", (2450, 2456), "ANHANG I: DECKBAU"),
        ("section", "AUFBAU EINER SZENARIOKARTE", (2516, 2532), "ANHANG III: KARTENAUFBAU"),
        ("section", "ALLGEMEINE FRAGEN", (2548, 2561), "ANHANG IV: FAQ"),
        ("ruling", "ALLGEMEINE FRAGEN", (2550, 2552), "ALLGEMEINE FRAGEN"),
        ("ruling", "EINGESPONNEN", (2577, 2579), "GRUNDSPIEL"),
        ("section", "THE ONCE AND FUTURE KANG SZENARIO-PACK", (2843, 2849), "ANHANG IV: FAQ"),
        ("ruling", "SZENARIO #4 - DIE SINISTER SIX", (2971, 2975), "SINISTER MOTIVES ERWEITERUNG"),
        (
            "erratum",
            "REGELHEFT SEITE 10, KAMPAGNEN-ANWEISUNGEN, SPIELAUFBAU, PUNKT 5",
            (3110, 3114),
            "THE GALAXY'S MOST WANTED ERWEITERUNG",
        ),
        ("erratum", "BOOM BOOM", (3236, 3242), "MUTANT GENESIS ERWEITERUNG"),
        ("section", "INDEX", (3287, 3427), None),
    ],
)
def test_entries_of_the_handbook_stand_where_they_are_printed(
    handbook: Rulebook, kind: str, heading: str, lines: tuple[int, int], parent: str | None
) -> None:
    names = {e.id: e.heading for e in handbook.entries}
    assert (kind, lines, parent) in [
        (e.kind.value, tuple(e.lines), names.get(e.parent or ""))
        for e in handbook.entries
        if e.heading == heading
    ]


@pytest.mark.parametrize(
    ("line", "number", "card", "product"),
    [
        (2581, "19B", "JENNIFER WALTERS", "GRUNDSPIEL"),
        (2673, "1A-3A", "NORMAN OSBORN", "THE GREEN GOBLIN SZENARIO-PACK"),
        (2550, None, None, None),
        (2897, None, None, "THE GALAXY'S MOST WANTED ERWEITERUNG"),
        (2963, None, None, "THE MAD TITAN'S SHADOW ERWEITERUNG"),
        (3096, "28", "IM FADENKREUZ", "THE RISE OF THE RED SKULL ERWEITERUNG"),
        (3138, "20", "COSMO", "NEBULA HELDEN-PACK"),
        (3196, "2", "MS. MARVEL", "NOVA HELDEN-PACK"),
    ],
)
def test_a_ruling_is_found_by_card_number_and_product(
    handbook: Rulebook, line: int, number: str | None, card: str | None, product: str | None
) -> None:
    entry = next(
        e
        for e in handbook.entries
        if e.kind in (Kind.RULING, Kind.ERRATUM) and e.lines.first == line
    )
    assert (entry.number, entry.card, entry.product) == (number, card, product)


def test_a_question_stands_with_its_whole_answer(handbook: Rulebook) -> None:
    for entry in handbook.entries:
        if entry.kind in (Kind.RULING, Kind.ERRATUM):
            assert [p.lines.last for p in handbook.passages if p.entry == entry.id] == [
                entry.lines.last
            ], entry.heading


@pytest.mark.parametrize(
    ("first", "last", "spans"),
    [
        (199, 201, 2), (339, 341, 2), (511, 513, 2), (533, 539, 2), (610, 612, 2), (739, 741, 2), (888, 890, 2), (1087, 1089, 2),
        (1191, 1193, 2), (1260, 1262, 2), (1351, 1355, 1), (1514, 1516, 2), (1817, 1818, 1), (1933, 1934, 1), (1966, 1972, 2),
        (1979, 1981, 2), (1993, 1994, 1), (2115, 2117, 2), (2197, 2198, 1), (2307, 2309, 2), (2402, 2405, 1),
    ],
)  # fmt: skip
def test_a_paragraph_torn_in_print_is_one_passage(
    handbook: Rulebook, first: int, last: int, spans: int
) -> None:
    assert (tuple(at(handbook, first).lines), len(at(handbook, first).spans)) == (
        (first, last),
        spans,
    )


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (41, "6"), (334, "1"), (335, "2"), (700, "1"), (705, "5"), (861, "1"), (865, "5"), (876, "1"), (884, "5"), (885, "6"),
        (1012, "1"), (1013, "2"), (1014, "3"), (1453, "1"), (1455, "2"), (1461, "3"), (1627, "1"), (1629, "a"), (1635, "6"), (2160, "1"),
        (2462, "1"), (2465, "4"), (2466, "5"), (2470, "9"), (2476, "c"), (2490, "1"), (2496, "7"), (2519, "2"), (2520, "3"), (2524, "7"),
        (2560, "1"),
    ],
)  # fmt: skip
def test_a_number_lost_in_print_is_shown_again(handbook: Rulebook, line: int, number: str) -> None:
    words = re.split(r"[\\*]", handbook.document.line(line).text.lstrip(" -"))[0][:25]
    assert f"• {number}. {words}" in at(handbook, line).display


def test_bullets_behind_a_numbered_list_get_no_number(handbook: Rulebook) -> None:
    for line in (156, 159, 166, 887, 888, 891):
        assert not at(handbook, line).display.split()[1].rstrip(".").isdigit()


def test_a_letter_that_a_page_break_brought_to_the_margin_stays_in_its_step(
    handbook: Rulebook,
) -> None:
    assert tuple(at(handbook, 154).lines) == (148, 154)
    assert at(handbook, 154).display.splitlines()[-1].startswith(" • e.")


def test_word_cut_by_a_line_break_is_whole_again(handbook: Rulebook) -> None:
    assert "Ersatz für die" in at(handbook, 2198).display


@pytest.mark.parametrize("line", [78, 107, 177, 468, 635, 913, 1314, 1403, 1846, 2170, 2375, 2432])
def test_a_bullet_that_lost_its_sign_is_a_bullet(handbook: Rulebook, line: int) -> None:
    assert at(handbook, line).depth == 1
    assert at(handbook, line).display.startswith("• ")
    assert at(handbook, line).lines.first == line


def test_a_list_of_names_is_read_out_with_the_sentence_before_it(handbook: Rulebook) -> None:
    assert tuple(at(handbook, 862).lines) == (859, 868)
    assert tuple(at(handbook, 1747).lines) == (1740, 1749)
    assert tuple(at(handbook, 278).lines) == (274, 281)


def test_captions_and_labels_of_figures_are_no_text(handbook: Rulebook) -> None:
    lines = {handbook.document.line_at(f.span.start) for f in handbook.furniture}
    assert lines == {6, 537, 890, 1089, 1970, 2510, 2536, 2540}


def test_lists_of_references_are_no_running_text(handbook: Rulebook) -> None:
    see = [p.lines.first for p in handbook.passages if p.role is Role.SEE]
    assert len(see) == 228
    assert {119, 123, 1147, 2434} <= set(see)
    assert not {36, 42, 44, 1219, 1956, 2002} & set(see)


def test_the_printed_index_gives_pages_for_every_name(handbook: Rulebook) -> None:
    pages: dict[str, list[tuple[int, ...]]] = {}
    for item in handbook.index_items:
        pages.setdefault(item.name, []).append(item.pages)
    assert len(handbook.index_items) == 259
    assert {name for name, found in pages.items() if len(found) > 1} == set()
    assert {name: found[0] for name, found in pages.items() if len(found[0]) > 1} == {
        "Ins Spiel bringen": (18, 27),
        "Kartenfähigkeit": (14, 19),
        "Karten spielen": (15, 19),
        "Verbleibende Lebenspunkte": (32, 33),
    }
    assert pages["Körper-Ressource"] == [(20,)]
    assert pages["Kosten"] == [(20,)]
    assert pages["Krisensymbol (14)"] == [(20,)]
    assert pages["Plan vorantreiben (Gegner-Aktivierung)"] == [(22,)]
    assert pages["Du, Dein"] == [(10,)]
    assert pages["Max."] == [(21,)]


def test_nothing_of_the_index_is_searched(handbook: Rulebook) -> None:
    assert {p.role for p in handbook.passages if p.lines.first >= 3287} == {Role.LISTING}


def test_passages_of_the_handbook_are_short(handbook: Rulebook) -> None:
    lengths = sorted(len(p.text) for p in handbook.passages)
    assert lengths[len(lengths) // 2] <= 200
    assert lengths[-1] <= 1500


@pytest.mark.parametrize(
    ("line", "title"),
    [
        (138, "ANG"),
        (249, 'Anwendungen (X "Art")'),
        (872, "Fähigkeiten einleiten, Karten spielen"),
        (2047, '"Und"'),
        (2705, "Vergrößern!"),
    ],
)
def test_titles_are_spelled_as_in_running_text(handbook: Rulebook, line: int, title: str) -> None:
    assert [e.title for e in handbook.entries if e.lines.first == line] == [title]
