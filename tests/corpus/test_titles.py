import pytest

from corpus.titles import spellings, title
from tests.timing import assert_in_proportion

KNOWN = spellings(
    [
        "Siehe auch: Honig ernten, Wabe (Merkmal), Sobald erwacht, Klee, Rote Wiese",
        "**Vedi anche:** Ape** **Regina, *Miele*, Trattino** **(Valore), Fiore (Rosso, Blu)",
    ]
)


@pytest.mark.parametrize(
    ("heading", "readable"),
    [
        ("HONIG ERNTEN", "Honig ernten"),  # the verb as the references have it
        ("STOCK, HONIG ERNTEN", "Stock, Honig ernten"),
        ("BLUME (KLEE)", "Blume (Klee)"),  # a bracket of which a part is known keeps both ends
        ("WABE (MERKMAL)", "Wabe (Merkmal)"),
        ('"SOBALD ERWACHT"', '"Sobald erwacht"'),  # and a name its quotation marks
        ('BLUME (X "KLEE")', 'Blume (X "Klee")'),
        ("APE REGINA", "Ape Regina"),  # bold signs inside a reference are no part of its name
        ("TRATTINO (VALORE)", "Trattino (Valore)"),
        ("FIORE (ROSSO, BLU)", "Fiore (Rosso, Blu)"),
        ("S.U.M.M.", "S.U.M.M."),
        ("VICE DELLO S.C.I.A.M.E. (I FIORI, 3)", "Vice dello S.C.I.A.M.E. (I Fiori, 3)"),
        ("TUTA SU//MM (SU//MM, 1B)", "Tuta SU//MM (SU//MM, 1B)"),
        ("BRUMM I/II/III (BRUMM, 1A/1B)", "Brumm I/II/III (Brumm, 1A/1B)"),
        ("APPENDICE I: FIORI E API", "Appendice I: Fiori e Api"),
        ("ANHANG IV: DIE BIENE", "Anhang IV: Die Biene"),
        ("FIORI O API O I PRATI", "Fiori o Api o i Prati"),
        ("L'ARNIA DELL'APE", "L'Arnia dell'Ape"),
        ("HONIG (♥)", "Honig"),  # a garbled icon
        ("Die Biene:", "Die Biene"),
        ("Biene und BLÜTE", "Biene und BLÜTE"),  # not in capitals: as printed
    ],
)
def test_a_heading_reads_as_the_rulebook_spells_it(heading, readable):
    assert title(heading, KNOWN) == readable


def test_a_bracket_that_is_never_closed_does_not_swallow_the_names_behind_it():
    assert set(spellings(["Siehe: Honig (süß, Biene, Wabe (leer, voll)"]).values()) == {
        "Honig (süß",
        "Biene",
        "Wabe (leer, voll)",
    }


def test_long_lists_and_long_headings_take_no_longer_than_they_are():
    def prepare(size):
        lists = [
            "Siehe: " + "Honig, " * 10 * size,
            "Siehe: " + "(a, " * 5 * size,
            "a," * 5 * size + ")" * 5 * size,
        ]
        headings = ["A/" * 2 * size, " " * 4 * size + "A", "(" * 4 * size, "A, " * 2 * size]
        return lambda: [spellings(lists), *(title(heading, {}) for heading in headings)]

    assert_in_proportion(prepare, 10_000)


def test_titles_keep_both_brackets_of_their_headings(any_rulebooks):
    whole = [
        e
        for b in any_rulebooks.rulebooks
        for e in b.entries
        if e.heading.count("(") == e.heading.count(")")
    ]
    assert whole
    assert [e.id for e in whole if e.title.count("(") != e.title.count(")")] == []
