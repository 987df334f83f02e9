from collections.abc import Mapping
from dataclasses import replace

import pytest

from corpus.model import Passage
from glossary.comparison import Agreement, DifferenceKind, compare_editions
from glossary.comparison.sentence_alignment import SentenceAligner
from glossary.comparison.word_links import WordOrder
from glossary.concepts import load_concepts
from glossary.matching.printed_ties import tie_topics
from service.editions.comparison import compare_in_library
from tests.conftest import rulebook_of

CHAMPIONS = "marvel-champions-de-1.5", "marvel-champions-it-1.7"
Edit = tuple[int, str, str]
"""A line, words in the passage that it begins, and others instead; a passage that begins at a line
given in figures changes places with it; words for none are added as an item of a list.
"""
# By what they change; each part of a change is planted by itself.
PLANTED: Mapping[str, tuple[Edit, ...]] = {
    "a dropped alternative": ((960, "betäubt oder verwirrt", "betäubt"),),
    "another limit": (
        (2446, "drei", "vier"),
        (2136, "drei", "vier"),
        (2443, "50 Karten", "60 Karten"),
    ),
    "another order": (
        (1631, "1633", ""),
        (2465, "2467", ""),
        (2464, "2469", ""),
    ),
    "a lost exception": (
        (58, ", außer", "."),
        (1025, ", es sei denn", "."),
        (489, ", es sei denn", "."),
    ),
    "a swapped subject": (
        (510, "Schurke oder Scherge", "Held oder Verbündeter"),
        (1634, "Startspielermarker", "Schurke"),
        (2129, "einer Identität oder eines Schurken", "eines Schergen oder eines Verbündeten"),
    ),
    "a swapped actor": (
        (198, "Spieler", "Schurken"),
        (1633, "Der Startspieler deckt", "Der Schurke deckt"),
        (147, "Falls ein Spieler", "Falls ein Schurke"),
    ),
    "a dropped actor": ((1050, " oder ein Alter Ego", ""),),
    "an added step": (
        (885, "", "Jeder Spieler zieht 1 Karte von seinem Deck."),
        (2463, "", "Der Startspieler deckt eine Begegnungskarte auf."),
        (1628, "", "Jeder Spieler nimmt 1 Schaden."),
    ),
}


def planted_in(book, edits):
    """``book`` with ``edits``, and the ids of the passages that each has altered."""
    passages = {p.lines.first: p for p in book.passages}
    altered: dict[str, Passage] = {}
    touched: dict[str, set[str]] = {}
    for kind, (line, words, instead) in edits.items():
        passage = passages[line]
        if words.isdigit():
            other = passages[int(words)]
            for own, taken in ((passage, other), (other, passage)):
                label = own.display.partition(". ")[0]
                altered[own.id] = replace(
                    own, display=f"{label}. {taken.display.partition('. ')[2]}"
                )
            touched[kind] = {passage.id, other.id}
            continue
        if not words:
            said = f"{passage.display}\n• {instead}"
        elif instead == ".":
            before, cut, behind = passage.display.partition(words)
            assert cut
            said = before + behind[behind.index(".") :]
        else:
            assert words in passage.display
            said = passage.display.replace(words, instead)
        altered[passage.id] = replace(passage, display=said)
        touched[kind] = {passage.id}
    changed = book._replace(passages=tuple(altered.get(p.id, p) for p in book.passages))
    return changed, touched


def agreements(comparison, passages):
    return {
        row.agreement
        for pair in comparison.pairs
        for row in pair.rows
        if not passages.isdisjoint(p.id for p in row.left)
    }


def compared(library, left, right):
    game = left.edition.game
    topics = tie_topics((left, right))
    return compare_editions(
        left, right, library.concepts, library.references_of, load_concepts(game), topics
    )


@pytest.mark.parametrize("batch", range(3))
def test_changes_planted_in_a_real_rulebook_differ(real_library, batch):
    german, italian = (rulebook_of(real_library, name) for name in CHAMPIONS)
    edits = {kind: each[batch] for kind, each in PLANTED.items() if len(each) > batch}
    changed, touched = planted_in(german, edits)
    after = compared(real_library, changed, italian)
    same = {
        kind for kind, ids in touched.items() if Agreement.DIFFERS not in agreements(after, ids)
    }
    assert same == set()


@pytest.mark.parametrize(
    ("old", "new"), [("", " Danach zieht jeder Lotse zwei Karten."), ("nachdem", "bevor")]
)
def test_changes_planted_in_the_sample_differ(sample_library, old, new):
    german, italian = (
        rulebook_of(sample_library, name) for name in ("pegelwacht-de-1.1", "pegelwacht-it-1.1")
    )
    before = compare_in_library(sample_library, german.edition.id, italian.edition.id)
    row = next(
        row
        for pair in before.pairs
        for row in pair.rows
        if (old and row.right and row.left and old in row.left[0].display)
        or (row.agreement is Agreement.SAME and len(row.left[0].display) > 80 and not old)
    )
    own = row.left[0]
    text = own.display.replace(old, new) if old else own.display + new
    longer = replace(own, display=text)
    changed = german._replace(
        passages=tuple(longer if p.id == own.id else p for p in german.passages)
    )
    assert agreements(compared(sample_library, changed, italian), {own.id}) == {Agreement.DIFFERS}


SOAKED = "Un pilota o un marinaio fradicio non può attaccare."
INSTEAD = "Se ci prova, si scarta invece la carta stato."


@pytest.mark.parametrize(
    ("old", "new", "kind", "words"),
    [
        (
            "un relitto con la parola chiave Falla X infligge X danni a ogni marinaio",
            "un marinaio con la parola chiave Falla X infligge X danni a ogni relitto",
            DifferenceKind.ORDER,
            "marinaio",
        ),
        (
            "Se il pilota è a bordo, il relitto attacca",
            "Se il relitto è a bordo, il pilota attacca",
            DifferenceKind.ORDER,
            "pilota",
        ),
        (
            "Dopo che un marinaio ha attaccato o scandagliato, subisce 1 danno",
            "Dopo che subisce 1 danno, un marinaio ha attaccato o scandagliato",
            DifferenceKind.ORDER,
            "Dopo che subisce 1 danno",
        ),
        (f"{SOAKED} {INSTEAD}", f"{INSTEAD} {SOAKED}", DifferenceKind.ORDER, SOAKED),
        (
            "Un pilota o un marinaio fradicio non può",
            "Un pilota fradicio non può",
            DifferenceKind.CLAUSES,
            "oder Matrose",
        ),
        ("fradicio non può attaccare", "fradicio può attaccare", DifferenceKind.CONDITIONS, "not"),
        (
            "Un giocatore può spossare",
            "Un giocatore deve spossare",
            DifferenceKind.CONDITIONS,
            "must",
        ),
    ],
)
def test_another_order_a_lost_alternative_and_the_opposite_differ(altered, old, new, kind, words):
    found = {
        (row.agreement, each.kind, *each.left, *each.right)
        for pair in altered((old, new)).pairs
        for row in pair.rows
        for each in row.differences
        if words in (*each.left, *each.right)
    }
    assert [(agreement, its) for agreement, its, *_ in found] == [(Agreement.DIFFERS, kind)]


def test_what_stands_in_another_order_by_a_turn_of_phrase_is_no_difference(altered):
    comparison = altered(
        ("Un pilota o un marinaio fradicio non può", "Un marinaio o un pilota fradicio non può"),
        (
            "Un pilota o un marinaio attacca spossandosi e infligge a un relitto",
            "Spossandosi un pilota o un marinaio attacca e infligge a un relitto",
        ),
        (
            "Se il pilota è a bordo, il relitto attacca",
            "Il relitto attacca (se il pilota è a bordo)",
        ),
    )
    kinds = [
        each.kind for pair in comparison.pairs for row in pair.rows for each in row.differences
    ]
    assert DifferenceKind.ORDER not in kinds


@pytest.mark.parametrize("further", [INSTEAD, "Questo si chiama fradicio.", "Un marinaio pesca."])
def test_what_one_side_says_twice_or_only_names_is_no_likely_clause(altered, further):
    comparison = altered((f"{SOAKED} {INSTEAD}", f"{SOAKED} {INSTEAD} {further}"))
    rows = [row for pair in comparison.pairs for row in pair.rows]
    doubtful, likely = (
        {v for row in rows for each in own(row) for v in each.right}
        for own in (lambda row: row.doubtful, lambda row: row.differences)
    )
    assert further not in likely
    assert (further in doubtful) is (len(further.split()) > 3)


def test_as_many_sentences_on_either_side_may_render_each_other_and_are_doubtful(altered):
    further = "Chi possiede il faro lo gira e ne prende uno nuovo dalla riserva comune."
    kinds = {}
    for name, text in (("further", f"{INSTEAD} {further}"), ("instead", "")):
        changed = f"{further} {SOAKED}" if not text else f"{SOAKED} {text}"
        comparison = altered((f"{SOAKED} {INSTEAD}", changed))
        [row] = [r for pair in comparison.pairs for r in pair.rows if further in r.texts[1]]
        assert row.agreement is Agreement.DIFFERS
        kinds[name] = [
            DifferenceKind.CLAUSES in {each.kind for each in own}
            for own in (row.differences, row.doubtful)
        ]
    assert kinds == {"further": [True, False], "instead": [False, True]}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("abbagliato non avanza nella", "abbagliato non deve avanzare nella"),
        ("nella rotta di quel giocatore.", "nella rotta (nuova) di quel giocatore."),
    ],
)
def test_a_row_with_other_small_words_is_not_called_the_same(altered, old, new):
    assert Agreement.SAME not in {
        row.agreement
        for pair in altered((old, new)).pairs
        for row in pair.rows
        if new in row.texts[1]
    }


def test_a_denial_in_other_words_is_no_difference(altered):
    comparison = altered(
        ("Un relitto non può diventare fradicio", "Nessun relitto può mai diventare fradicio")
    )
    assert [
        row.texts
        for pair in comparison.pairs
        for row in pair.rows
        for each in row.differences
        if "not" in (*each.left, *each.right)
    ] == []


@pytest.mark.parametrize(
    ("german", "italian"),
    [
        ("Der Effekt, der enden müsste, endet.", "L'effetto che sta per terminare termina."),
        ("Löst ihn so, dass es euch schadet.", "Risolverlo nel modo peggiore possibile."),
        ("Handle ihn so weit wie möglich ab.", "Risolverlo del tutto."),
        ("Ist es möglich, endet er.", "Se è possibile, termina."),
    ],
)
def test_a_conditional_is_no_duty_and_as_far_as_possible_no_permission(german, italian):
    aligner = SentenceAligner([([german], [italian])], ("de", "it"))
    assert WordOrder(("de", "it"), (), aligner).is_even((german, italian))


@pytest.mark.parametrize("place", ["(Mazzo del Porto, 12)", "(Mazzo del Porto, Scenario #4)"])
def test_where_a_card_is_printed_is_no_likely_clause(altered, place):
    new = SOAKED.replace("Un pilota", f"In Molo Vecchio {place} un pilota")
    comparison = altered((SOAKED, new))
    [row] = [r for pair in comparison.pairs for r in pair.rows if place in r.texts[1]]
    assert DifferenceKind.CLAUSES not in {each.kind for each in row.differences}


def test_nested_and_flat_bullets_are_aligned_and_moved_ones_found(real_library):
    comparison = compare_in_library(real_library, *CHAMPIONS)
    rows = {p.lines.first: row for pair in comparison.pairs for row in pair.rows for p in row.left}
    for line in (363, 364, 365, 366, 367):
        assert [p.lines.first for p in rows[line].right] == [1825]
    for line in (1015, 1016, 1017):
        assert [p.lines.first for p in rows[line].right] == [2539]
    # The first of these says what is a sentence of line 792, and something of its own.
    assert [p.lines.first for p in rows[792].right] == [2329, 2331]
    assert {p.lines.first for line in (437, 439) for p in rows[line].elsewhere} == {1572}
    alone = [
        row
        for pair in comparison.pairs
        for row in pair.rows
        if pair.left and pair.right and not row.right
    ]
    assert len(alone) <= 16


def test_rows_that_say_the_same_have_no_warning(sample_library):
    comparison = compare_in_library(sample_library, "pegelwacht-de-1.1", "pegelwacht-it-1.1")
    rows = [row for pair in comparison.pairs for row in pair.rows]
    for row in rows:
        if row.agreement is Agreement.SAME:
            assert not row.differences
            assert not row.doubtful
            assert all(segment.aligned for segment in row.segments)
    assert {row.agreement for row in rows} >= set(Agreement)


def test_a_step_that_only_one_edition_has_differs(sample_library):
    comparison = compare_in_library(sample_library, "pegelwacht-de-1.1", "pegelwacht-it-1.1")
    alone = 0
    for pair in comparison.pairs:
        for row in pair.rows:
            if not row.left or not row.right:
                both = pair.left and pair.right and not row.elsewhere
                assert row.agreement is (Agreement.DIFFERS if both else None)
                alone += bool(both)
    assert alone
