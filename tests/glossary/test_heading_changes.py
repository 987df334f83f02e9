import re

import pytest

from corpus.document import Document
from glossary.concepts import entry_ties, load_concepts, tie_entries
from index.building.version_lookup import read_document
from tests.altering import Altered
from tests.conftest import rulebook_of, seeds


def renamed(rulebook_folder, edition, version, seed):
    """The old and the new rulebook, the slug of the old entry and the heading of the new one."""
    book = rulebook_of(rulebook_folder, edition)
    altered = Altered(book, seed)
    altered.rename()
    (id,) = altered.became
    if version:
        altered.bump(version)
    new = read_document(altered.document())
    assert new is not None
    (heading,) = {e.heading for e in new.entries} - {e.heading for e in book.entries}
    return book, new, id, heading


def concept_of(found, book, heading):
    return next(found.by_entry.get(e.id) for e in book.entries if e.heading == heading)


@pytest.mark.parametrize("seed", seeds(5))
@pytest.mark.parametrize("version", [None, "7.1"], ids=["same edition", "newer edition"])
def test_where_the_old_file_is_gone_the_phrasings_know_the_passages(sample, version, seed):
    book, new, id, heading = renamed(sample, "pegelwacht-de-1.1", version, seed)
    known = load_concepts("pegelwacht")
    before, now = tie_entries(known, [book]), tie_entries(known, [new])
    assert concept_of(now, new, heading) == before.by_entry[id]
    assert [e.heading for e in new.entries if e.id in now.inferred] == [heading]


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_where_the_old_file_is_beside_the_new_it_needs_no_phrasings(sample, seed, monkeypatch):
    monkeypatch.setattr(entry_ties, "load_query_variants", lambda edition: ())
    book, new, id, heading = renamed(sample, "pegelduell-de-2.0", "2.5", seed)
    known = load_concepts("pegelduell")
    old = tie_entries(known, [book]).by_entry[id]
    assert concept_of(tie_entries(known, [book, new]), new, heading) == old
    assert concept_of(tie_entries(known, [new]), new, heading) is None, "nobody knows the passages"


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside the old one"])
def test_a_term_that_is_renamed_in_its_own_text_too_keeps_its_concept(sample, beside):
    book = rulebook_of(sample, "pegelwacht-de-1.1")
    text = book.document.text.replace("WASSERDICHt", "ÖLFEST")
    text = re.sub("wasserdicht", "Ölfest", text, flags=re.IGNORECASE)
    text = text.replace("1.1", "1.2") if beside else text
    new = read_document(Document.from_bytes("neu.txt", text.encode()))
    assert new is not None
    found = tie_entries(load_concepts("pegelwacht"), [book, new] if beside else [new])
    assert concept_of(found, new, "ÖLFEST") == found_before(book, "WASSERDICHt")


def test_one_of_several_names_in_a_heading_tells_the_concept(sample):
    book = rulebook_of(sample, "pegelwacht-de-1.1")
    lines = book.document.text.split("\n")
    at = lines.index("WASSERDICHt")
    lines[at : at + 3] = ["ÖLFEST, WASSERDICHT", "", "Hier steht nun etwas ganz anderes."]
    new = read_document(Document.from_bytes("neu.txt", "\n".join(lines).encode()))
    assert new is not None
    found = tie_entries(load_concepts("pegelwacht"), [new])
    assert concept_of(found, new, "ÖLFEST, WASSERDICHT") == found_before(book, "WASSERDICHt")


def found_before(book, heading):
    return concept_of(tie_entries(load_concepts("pegelwacht"), [book]), book, heading)


def test_nothing_follows_in_the_rulebooks_as_they_are(any_rulebooks):
    for game in {b.edition.game for b in any_rulebooks.rulebooks}:
        assert (
            tie_entries(
                load_concepts(game), [b for b in any_rulebooks.rulebooks if b.edition.game == game]
            ).inferred
            == frozenset()
        )


def test_what_is_split_off_is_tied_to_nothing_while_the_old_heading_fits(sample):
    book = rulebook_of(sample, "pegelwacht-de-1.1")
    altered = Altered(book, 3)
    altered.split()
    (id,) = altered.became
    new = read_document(altered.document())
    assert new is not None
    found = tie_entries(load_concepts("pegelwacht"), [new])
    assert found.by_entry[id] == tie_entries(load_concepts("pegelwacht"), [book]).by_entry[id]
    (part,) = {e.heading for e in new.entries} - {e.heading for e in book.entries}
    assert concept_of(found, new, part) is None
