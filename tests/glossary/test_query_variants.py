import re
from dataclasses import replace

import pytest

from corpus import Document, identify, read
from corpus.data_files import DataFileError
from corpus.model import Lines, Passage, Role, Span
from glossary.concepts import load_concepts, tie_entries
from glossary.query_variants import (
    FOLDER,
    PassageVariants,
    attach_query_variants,
    fingerprint,
    load_query_variants,
    load_with_sister_editions,
)
from glossary.query_variants.model import AlignmentEvidence
from glossary.query_variants.update_wordings import updated
from glossary.query_variants.wording import wording
from tests.conftest import rulebook_of
from tests.corpus.printed import printed

LEAK = "Ein Kahn mit einem Leck sinkt am Ende der Runde, wenn ihn niemand vorher geflickt hat."
COST = "Der Lotse bezahlt im Hafen zwei Fässer Öl, sobald das Boot am Steg festgemacht ist."


def passage(id, text):
    return Passage(
        f"x/{id}",
        f"x/{id.split('#')[0]}",
        0,
        Role.TEXT,
        0,
        (Span(0, len(text)),),
        Lines(1, 1),
        text,
        text,
    )


def variants(at, text):
    mark = fingerprint(text)
    return PassageVariants(mark, at, (f"Frage zu {at}",), (), "", (), wording=wording(text))


def test_variants_are_attached_missing_or_orphaned(tmp_path):
    kept, gone = fingerprint("Ein Kahn sinkt."), fingerprint("Der Hafen ist zu.")
    (tmp_path / "x.yaml").write_text(
        f"{kept}: {{at: kahn, players: [Wann geht mein Boot unter?], gist: A leaking barge "
        "sinks.}\n"
        f"{gone}: {{at: hafen}}\n"
    )
    passages = [passage("kahn#0", "Ein\nKahn  sinkt."), passage("neu#0", "Neu.")]
    see = replace(passage("s#0", "Siehe"), role=Role.SEE)
    attached = attach_query_variants(load_query_variants("x", tmp_path), [*passages, see])
    assert list(attached.by_passage["x/kahn#0"].all("de")) == [
        ("Wann geht mein Boot unter?", "de"),
        ("A leaking barge sinks.", "en"),
    ]
    assert [p.id for p in attached.missing] == ["x/neu#0"]
    assert [p.at for p in attached.orphaned] == ["hafen"]
    assert load_query_variants("unknown-de-1", tmp_path) == ()


def test_a_faulty_file_is_named_with_line_and_field(tmp_path):
    (tmp_path / "x.yaml").write_text("abc:\n  at: kahn\n  players: nur einer\n")
    with pytest.raises(DataFileError, match=r"x\.yaml:3: abc\.players"):
        load_query_variants("x", tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        LEAK.replace("geflickt", "ge-\nflickt"),
        LEAK.replace("Ein Kahn", "7. Ein Kahn"),
        LEAK.replace("Leck sinkt", "Lecksinkt"),
    ],
)
def test_hyphens_numbers_and_lost_blanks_do_not_matter(text):
    found = attach_query_variants(
        [variants("kahn#0", LEAK)], [passage("kahn#0", text), passage("hafen#0", COST)]
    )
    assert list(found.by_passage) == ["x/kahn#0"]
    assert not found.orphaned


def test_a_divided_passage_keeps_them_in_both_parts():
    halves = [passage("kahn#0", LEAK[: len(LEAK) // 2]), passage("kahn#1", LEAK[len(LEAK) // 2 :])]
    assert set(attach_query_variants([variants("kahn#0", LEAK)], halves).by_passage) == {
        "x/kahn#0",
        "x/kahn#1",
    }


def test_joined_passages_have_those_of_both():
    found = attach_query_variants(
        [variants("kahn#0", LEAK), variants("kahn#1", COST)],
        [passage("kahn#0", f"{LEAK}\n{COST}")],
    )
    assert found.by_passage["x/kahn#0"].players == ("Frage zu kahn#0", "Frage zu kahn#1")
    assert not found.missing


def test_a_passage_that_has_its_own_gets_no_others():
    other = LEAK.replace("Kahn", "Nachen")
    found = attach_query_variants(
        [variants("kahn#0", LEAK), variants("nachen#0", other)], [passage("kahn#0", LEAK)]
    )
    assert found.by_passage["x/kahn#0"].players == ("Frage zu kahn#0",)
    assert [p.at for p in found.orphaned] == ["nachen#0"]


def test_another_version_keeps_those_of_what_it_reworded(sample):
    editions = {rulebook.edition.id: rulebook for rulebook in sample.rulebooks}
    older = editions["pegelwacht-de-1.0"]
    found = attach_query_variants(load_query_variants("pegelwacht-de-1.1"), older.passages)
    followed = {
        id.partition("/")[2]: tie.variants.at
        for id, ties in found.alignments.items()
        for tie in ties
        if tie.evidence is not AlignmentEvidence.WORDS
    }
    assert followed == {
        "rundenuebersicht#5": "rundenuebersicht#5",
        "angriff#1": "angriff-lotse#0",
        "flink#0": "flink#0",
        "wasserdicht#0": "wasserdicht#0",
        "spielerdecks#3": "spielerdecks#3",
        "ruling-der-schlund-52a-52c#0": "ruling-der-schlund-52a-52c#0",
    }


def test_an_older_edition_has_those_of_a_newer_one_for_the_same_words_alone(sample):
    editions = {rulebook.edition.id: rulebook for rulebook in sample.rulebooks}
    older, newer = editions["pegelwacht-de-1.0"], editions["pegelwacht-de-1.1"]
    found = attach_query_variants(load_with_sister_editions(older.edition), older.passages)
    assert {tie.evidence for ties in found.alignments.values() for tie in ties} == {
        AlignmentEvidence.WORDS
    }
    unknown = replace(newer.edition, id="pegelwacht-de-1.2", version="1.2", known=False)
    assert all(each.wording for each in load_with_sister_editions(unknown))


def test_variants_have_the_wording_of_their_passages(any_rulebooks):
    for rulebook in any_rulebooks.rulebooks:
        texts = {fingerprint(passage.text): passage.text for passage in rulebook.passages}
        for each in load_query_variants(rulebook.edition.id):
            wanted = wording(texts[each.fingerprint]) if each.fingerprint in texts else each.wording
            assert each.wording == wanted, (
                f"run python -m glossary.query_variants.update_wordings: {each.at} of "
                f"{rulebook.edition.id}"
            )


def test_wordings_are_added_to_variants_without_them_and_replace_sketches(sample):
    rulebook = rulebook_of(sample, "pegelwacht-de-1.1")
    text = (FOLDER / "pegelwacht-de-1.1.yaml").read_text(encoding="utf-8")
    bare = "".join(
        line for line in text.splitlines(keepends=True) if not line.startswith("  wording:")
    )
    assert bare != text
    assert updated(bare, rulebook) == text
    assert updated(re.sub(r'wording: "[^"]*"', 'sketch: "0a1b2c"', text), rulebook) == text


def test_what_is_known_of_an_edition_is_attached_to_its_printed_form(sample):
    rulebook = rulebook_of(sample, "pegelwacht-de-1.1")
    document = Document.from_bytes("druck.pdf", printed(rulebook, "two-busy"))
    found = read(document, identify(document))
    known, concepts = load_query_variants(rulebook.edition.id), load_concepts(rulebook.edition.game)
    headings = sum(len(concept.entries.get(rulebook.edition.id, ())) for concept in concepts)
    assert found.edition.id == rulebook.edition.id
    assert len(attach_query_variants(known, found.passages).orphaned) <= 0.03 * len(known)
    assert len(tie_entries(concepts, [found]).unmatched) <= 0.03 * headings
    assert len(found.unfit) <= 0.03 * len(rulebook.edition.corrections)
