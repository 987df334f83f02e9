import pytest

from corpus.document import Document
from corpus.layouts import LAYOUTS
from corpus.model import Role
from glossary.comparison.new_version import NewVersion, ReviewReason
from glossary.comparison.passage_matches import word_similarity
from glossary.comparison.rewording import SubstanceChange
from glossary.comparison.version_changes import ChangeKind
from glossary.concepts import load_concepts, tie_entries
from glossary.longest_increasing import out_of_order
from index.building.version_lookup import compare_versions, read_document
from tests.altering import Altered
from tests.conftest import rulebook_of, seeds

OLD, NEW = "pegelwacht-de-1.0", "pegelwacht-de-1.1"
ASIDE = {ChangeKind.SAME, ChangeKind.REFERENCES}  # a heading that is gone changes where others lead

# What differs between the two documents, by the lines at which the entries begin.
GOLDEN = {
    (27, 27): {"reworded", "references"},
    (56, 56): {"reworded", "references"},
    (81, 82): {"renamed", "reworded", "references"},
    (None, 92): {"new"},
    (100, 121): {"references"},
    (119, 140): {"renamed"},
    (175, 196): {"references"},
    (None, 202): {"new"},
    (236, 263): {"reworded", "references"},
    (259, 286): {"references"},
    (286, None): {"gone"},
    (298, 319): {"references"},
    (302, 323): {"reworded"},
    (308, 329): {"rearranged"},
    (382, 404): {"references"},
    (468, 490): {"rearranged"},
    (None, 527): {"new"},
    (520, 547): {"reworded", "references"},
    (557, 585): {"references"},
    (606, 634): {"reworded"},
    (651, 680): {"reworded"},
    (782, 811): {"reworded"},
    (None, 835): {"new"},
    (None, 867): {"new"},
    (None, 869): {"new"},
    (None, 891): {"new"},
    (None, 909): {"new"},
    (None, 911): {"new"},
}


@pytest.fixture(scope="module")
def sample_renewal(sample) -> NewVersion:
    return compare_versions(
        rulebook_of(sample, OLD), rulebook_of(sample, NEW), sample.rulebooks, checked=True
    )


def test_the_sample_changed_exactly_so_from_1_0_to_1_1(sample_renewal):
    found = {
        (c.left[0].lines.first if c.left else None, c.right[0].lines.first if c.right else None): {
            b.value for b in c.kinds
        }
        for c in sample_renewal.changes.entries
        if c.kinds != (ChangeKind.SAME,)
    }
    assert found == GOLDEN


def test_a_term_renamed_throughout_is_one_change_with_all_its_places(sample):
    book = rulebook_of(sample, NEW)
    text = book.document.text.replace("STRUDEL", "WIRBEL").replace("Strudel", "Wirbel")
    assert text != book.document.text
    new = read_document(Document.from_bytes("neu.txt", text.encode()))
    assert new is not None
    changes = compare_versions(book, new, sample.rulebooks).changes
    (renaming,) = changes.renamed
    assert (renaming.left, renaming.right) == ("Strudel", "Wirbel")
    places = {match.right[0].id for match in renaming.places}
    assert places == {p.id for p in new.passages if "Wirbel" in p.text and p.role is Role.TEXT}
    assert all(match.renamed and not match.substance for match in renaming.places)
    changed = [each for each in changes.entries if each.kinds != (ChangeKind.SAME,)]
    assert all(each.only_renamed for each in changed)


def test_a_rule_that_lost_two_words_is_changed_in_substance(sample):
    book = rulebook_of(sample, NEW)
    passage = next(p for p in book.passages if " oder " in p.text and p.role is Role.TEXT)
    before, _, behind = passage.text.partition(" oder ")
    lost = f"oder {behind.split()[0]}"
    text = book.document.text.replace(passage.text, f"{before} {behind.partition(' ')[2]}")
    new = read_document(Document.from_bytes("neu.txt", text.encode()))
    assert new is not None
    renewal = compare_versions(book, new, sample.rulebooks)
    (match,) = (m for m in renewal.changes.passages if not m.same_words)
    assert [" ".join(old) for old, _ in match.rewordings] == [lost]
    assert SubstanceChange.REMOVED in match.substance
    items = [i for i in renewal.review_items if i.reason is ReviewReason.SUBSTANCE]
    assert [(i.left, i.right) for i in items] == [(passage.lines.first, passage.lines.first)]


@pytest.mark.parametrize("swapped", [False, True], ids=["newer excerpt", "older excerpt"])
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_what_an_excerpt_does_not_have_is_neither_new_nor_gone(sample, version, swapped):
    whole, excerpt = (rulebook_of(sample, f"pegelwacht-de-{each}") for each in (version, "online"))
    assert LAYOUTS[excerpt.edition.layout].excerpt
    sides = (excerpt, whole) if swapped else (whole, excerpt)
    found = compare_versions(*sides, sample.rulebooks)
    of_whole = [e for c in found.changes.entries for e in (c.left, c.right)[swapped]]
    assert 0 < len(of_whole) < len(whole.entries) / 10
    of_excerpt = {e.id for c in found.changes.entries for e in (c.right, c.left)[swapped]}
    assert of_excerpt == {e.id for e in excerpt.entries}
    ids = {e.id for e in of_whole}
    assert all(orphan.passage.entry in ids for orphan in found.orphaned) or swapped


def test_every_entry_and_passage_of_both_versions_is_accounted_for_once(sample, sample_renewal):
    changes = sample_renewal.changes
    for side, edition in (("left", OLD), ("right", NEW)):
        entries = [e.id for c in changes.entries for e in getattr(c, side)]
        assert sorted(entries) == sorted(e.id for e in rulebook_of(sample, edition).entries)
        passages = [p.id for m in changes.passages for p in getattr(m, side)]
        assert len(passages) == len(set(passages))


def test_what_needs_a_human_eye_in_the_sample(sample_renewal):
    eyes = [
        (e.reason, e.left, e.right)
        for e in sample_renewal.review_items
        if e.reason not in (ReviewReason.FINDING, ReviewReason.SUBSTANCE)
    ]
    substance = [e for e in sample_renewal.review_items if e.reason is ReviewReason.SUBSTANCE]
    assert {(e.left, e.right) for e in substance} == {
        (None, 62),
        (35, 35),
        (85, 84),
        (None, 86),
        (None, 87),
        (83, None),
        (86, None),
        (238, 265),
        (None, 325),
        (304, None),
        (None, 558),
        (608, 636),
        (657, 686),
        (784, 813),
    }
    assert eyes == [
        (ReviewReason.RULING_OUTDATED, 236, 263),
        (ReviewReason.RULING_OUTDATED, 286, None),
        (ReviewReason.RULING_OUTDATED, 302, 323),
        (ReviewReason.ENTRY_RENAMED, 81, 82),
        (ReviewReason.ENTRY_RENAMED, 119, 140),
        (ReviewReason.DOUBTFUL, 85, 84),
        (ReviewReason.DOUBTFUL, 236 + 2, 263 + 2),
        (ReviewReason.REFERENCE_LOST, None, 297),
    ]
    assert sample_renewal.findings
    assert {f.edition for f in sample_renewal.findings} == {NEW}


def check(book, rulebook_folder, steps, seed):
    """Alter a copy of ``book``, compare, and hold the report against what was done."""
    altered = Altered(book, seed)
    for step in steps:
        getattr(altered, step)()
    altered.bump("9.9")
    new = read_document(altered.document(top=seed))
    assert new is not None
    renewal = compare_versions(book, new, rulebook_folder.rulebooks)
    found = {
        (c.left or c.right)[0].id.partition("/")[2]: {b.value for b in c.kinds if b not in ASIDE}
        for c in renewal.changes.entries
    }
    wanted = {id.partition("/")[2]: became for id, became in altered.became.items()}
    assert {id: became for id, became in found.items() if became} == wanted
    return altered, renewal


ONE_EACH = ("rename", "delete", "move", "split", "merge", "reword", "reword")
STEPS = [("rename",), ("delete",), ("move",), ("split",), ("merge",), ("reword",), (), ONE_EACH]


@pytest.mark.parametrize("seed", seeds(4))
@pytest.mark.parametrize("steps", STEPS, ids=lambda steps: "+".join(steps) or "nothing")
@pytest.mark.parametrize("edition", [NEW, "pegelwacht-it-1.1"])
def test_the_report_says_what_was_done_to_a_copy_and_nothing_else(sample, edition, steps, seed):
    check(rulebook_of(sample, edition), sample, steps, seed)


@pytest.mark.parametrize("seed", seeds(4))
def test_concepts_phrasings_and_corrections_are_carried_over(sample, seed):
    book = rulebook_of(sample, NEW)
    altered, renewal = check(book, sample, ONE_EACH, seed)
    tied = tie_entries(load_concepts("pegelwacht"), [book]).by_entry
    assert renewal.concepts == {
        concept for id, concept in tied.items() if id not in altered.headless
    }
    assert len(renewal.inferred) == 1
    assert renewal.corrected is not None
    assert renewal.corrected.unfit == ()
    assert len(renewal.corrected.carried) == 17
    at_home = [o for o in renewal.orphaned if o.candidates]
    assert {o.passage.id for o in at_home} <= {p.id for p in altered.reworded}
    assert all(o.likeness > 0.6 for o in at_home), "one word in a passage"
    assert all(
        o.passage.lines.first in altered.deleted for o in renewal.orphaned if not o.candidates
    )


def real_copies(real):
    whole = [b for b in real.rulebooks if len(b.entries) > 20]
    short = (
        "rename",
        "delete",
        "move",
        "merge",
        "reword",
    )  # the terms of numbered rules are too short to be split
    return [(b, short if LAYOUTS[b.edition.layout].numbered else ONE_EACH) for b in whole]


@pytest.mark.parametrize("seed", [1])
def test_altered_copies_of_the_real_rulebooks(real, seed):
    for book, steps in real_copies(real):
        altered, renewal = check(book, real, steps, seed)
        assert renewal.changes.right.game == book.edition.game
        assert renewal.corrected is not None
        assert not renewal.corrected.unfit
        assert (
            len(renewal.phrased)
            > 0.9 * sum(len(m.left) for m in renewal.changes.passages if m.same_words) - 50
        )
        homes = [o for o in renewal.orphaned if o.candidates]
        assert len(homes) <= len(altered.reworded)
        assert all(o.likeness > 0.6 for o in homes)
        assert len(renewal.lost) <= 1, "of two merged entries one loses its concept"


def test_a_rulebook_beside_itself_has_not_changed(any_rulebooks):
    for book in any_rulebooks.rulebooks:
        new = read_document(book.document)
        assert new is not None
        renewal = compare_versions(book, new, any_rulebooks.rulebooks)
        assert {b for c in renewal.changes.entries for b in c.kinds} == {ChangeKind.SAME}
        assert renewal.review_items == ()


@pytest.mark.parametrize(
    ("places", "moved"),
    [
        ([], set()),
        ([1, 2, 3], set()),
        ([3, 1, 2], {0}),
        ([1, 2, 0, 3], {2}),
        ([2, 1], {0}),
        ([5, 0, 1, 2, 3, 4], {0}),
    ],
)
def test_the_fewest_that_have_to_move_are_out_of_order(places, moved):
    found = out_of_order(places)
    assert len(found) == len(moved)
    kept = [p for i, p in enumerate(places) if i not in found]
    assert kept == sorted(kept)


def test_likeness_is_the_share_of_words_in_common_and_order():
    assert word_similarity("Ein Kahn sinkt.", "ein Kahn\nsinkt") == 1.0
    assert word_similarity("Ein Kahn sinkt", "Der Hafen schläft") == 0.0
    assert word_similarity("Ein Kahn sinkt langsam", "Ein Kahn sinkt sofort") == pytest.approx(0.75)
