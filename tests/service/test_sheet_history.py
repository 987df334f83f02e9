from dataclasses import replace

import pytest

from corpus.model import Role
from corpus.rulings.model import Authority, Ruling
from corpus.sourced_text import SourcedText, StringSource
from index.building.former_stage import former_passage
from index.building.snapshots import Snapshots
from index.library.former_file import FILE
from index.library.former_words import FormerWords, quotation_hash
from index.library.library import load_library
from service.editions.sheet_history import (
    PassageKey,
    changed_spans,
    trace_passage,
)
from service.schemas.sheets import SheetChange
from service.web.app import create_app
from tests.conftest import SAMPLE
from tests.index.small_indexes import indexes, publish_copy
from tests.revised import MORE, revised
from tests.service.harbour import Harbour, Indexes
from tests.service.shelf import Shelf, rulebook

DUEL = (SAMPLE / "pegelduell-de-2.0.txt").read_text(encoding="utf-8")
DUEL_ID = "pegelduell-de-2.0"


def key(served, id):
    passage = next(p for p in served.library.passages if p.id == id)
    return PassageKey(id, quotation_hash(passage.display))


def containing(served, words):
    return next(p for p in served.library.passages if words in p.display)


def quoted(history):
    return history.now.passage.display if history.now else ""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory) -> Shelf:
    return Shelf(tmp_path_factory.mktemp("indexes"))


@pytest.fixture(scope="module")
def first(shelf) -> Harbour:
    """An index of the rulebook as it was."""
    return shelf.publish([rulebook("duell.txt", DUEL)])


@pytest.fixture(scope="module")
def later(shelf, first) -> Harbour:
    """An index of the same edition, edited: a rule reworded, one removed, others renumbered, one
    under another heading.
    """
    text = DUEL
    for old, new in {
        "Würfel, Knöpfe oder ein Blatt Papier "
        "genügen.": "Würfel oder Knöpfe genügen, Papier nicht mehr.",
        "- 1.1.3. Für Turniere in Sielmünde gilt zusätzlich die Hafenordnung, die ihr [hier](#) "
        "findet.\n": "",
        "- 1.1.4. Spielt ihr zu dritt": "- 1.1.3. Spielt ihr zu dritt",
    }.items():
        assert old in text
        text = text.replace(old, new)
    return shelf.publish([rulebook("duell.txt", text)])


def test_reworded_words_are_shown_beside_those_of_then_with_exactly_what_differs(first, later):
    cited = containing(first, "Knöpfe oder ein Blatt Papier")
    history = trace_passage(later, key(first, cited.id))
    assert history.change is SheetChange.REWORDED
    assert history.former is not None
    assert history.former.display == cited.display
    assert history.former.index == first.id
    assert history.former.lines == cited.lines
    assert "Papier nicht mehr" in quoted(history)
    removed, added = changed_spans(history.former.display, quoted(history))
    assert (
        " … ".join(history.former.display[a:b] for a, b in removed)
        == "Würfel, … oder ein Blatt … genügen."
    )
    assert (
        " … ".join(quoted(history)[a:b] for a, b in added) == "Würfel oder … genügen, … nicht mehr."
    )


def test_a_renumbered_rule_is_found_under_its_new_number(first, later):
    history = trace_passage(later, key(first, f"{DUEL_ID}/1.1.4#0"))
    assert history.change is SheetChange.RENUMBERED
    assert history.now is not None
    assert history.now.passage.id == f"{DUEL_ID}/1.1.3#0"
    assert history.former is not None
    assert history.former.number == "1.1.4"


def test_a_removed_rule_is_gone_and_its_words_are_still_shown(first, later):
    cited = containing(first, "gilt zusätzlich die Hafenordnung")
    history = trace_passage(later, key(first, cited.id))
    assert history.change is SheetChange.GONE
    assert history.now is None
    assert history.former is not None
    assert history.former.display == cited.display


def test_words_that_no_index_had_are_never_shown(first, later):
    history = trace_passage(later, PassageKey(f"{DUEL_ID}/1.1.1#0", "0123456789ab"))
    assert history.change is SheetChange.UNKNOWN
    assert history.former is None
    assert history.now is not None
    assert history.now.passage.id == f"{DUEL_ID}/1.1.1#0"  # what stands there, as such
    nowhere = trace_passage(later, PassageKey("no-such-edition/entry#0", "0123456789ab"))
    assert (nowhere.change, nowhere.now) == (SheetChange.UNKNOWN, None)


def test_a_sign_more_is_no_less_than_a_word_more(tmp_path):
    shelf = Shelf(tmp_path)
    old = "Wer ankert, erhält +1 Ruder."
    texts = [
        DUEL.replace("Würfel, Knöpfe oder ein Blatt Papier genügen.", words)
        for words in (old, old.replace("+", "-"))
    ]
    before, after = (shelf.publish([rulebook("duell.txt", text)]) for text in texts)
    history = trace_passage(after, key(before, containing(before, old).id))
    assert history.change is SheetChange.REWORDED
    assert history.former is not None
    assert [
        history.former.display[a:b]
        for a, b in changed_spans(history.former.display, quoted(history))[0]
    ] == ["+1"]


@pytest.fixture(scope="module")
def versions() -> tuple[str, str]:
    one, other = (
        (SAMPLE / f"pegelwacht-de-{version}.txt").read_text(encoding="utf-8")
        for version in ("1.0", "1.1")
    )
    return one, other


@pytest.fixture(scope="module")
def replaced(versions, tmp_path_factory) -> tuple[Harbour, Harbour]:
    """The sample's glossary in version 1.0, and the index in which 1.1 has taken its place."""
    shelf = Shelf(tmp_path_factory.mktemp("replaced"))
    one, other = (rulebook(f"wacht-{n}.txt", text) for n, text in enumerate(versions))
    return shelf.publish([one]), shelf.publish([other])


def test_every_passage_of_the_old_version_opens_on_the_new_one(replaced):
    """With the same words, or with those of then: nothing that was cited is lost."""
    before, after = replaced
    said = []
    for passage in before.library.passages:
        if passage.role is Role.TEXT:
            cited = PassageKey(passage.id, quotation_hash(passage.display))
            history = trace_passage(after, cited)
            said.append(history.change)
            assert history.change is not SheetChange.UNKNOWN
            assert history.changed  # the edition is another one, which is said
            assert history.former is not None
            assert history.former.display == passage.display
            if history.change in (SheetChange.UNCHANGED, SheetChange.MOVED):
                assert quotation_hash(quoted(history)) == cited.hash
            if history.now:
                assert history.replaced is not None
                assert history.replaced.id == "pegelwacht-de-1.1"
    assert {SheetChange.UNCHANGED, SheetChange.REWORDED, SheetChange.GONE} <= set(said)
    assert said.count(SheetChange.UNCHANGED) > len(said) / 2


def test_beside_a_newer_version_the_old_words_stand_and_the_newer_one_is_named(versions, tmp_path):
    both = Shelf(tmp_path).publish(
        [rulebook(f"wacht-{n}.txt", text) for n, text in enumerate(versions)]
    )
    changes = {}
    for passage in both.library.passages_in("pegelwacht-de-1.0"):
        if passage.role is Role.TEXT:
            history = trace_passage(both, PassageKey(passage.id, quotation_hash(passage.display)))
            assert history.change is SheetChange.UNCHANGED
            assert history.newer is not None
            assert history.newer.edition.id == "pegelwacht-de-1.1"
            changes[history.newer.change] = passage
    assert {SheetChange.UNCHANGED, SheetChange.REWORDED} <= changes.keys()
    unknown = trace_passage(both, PassageKey(changes[SheetChange.UNCHANGED].id, "0123456789ab"))
    assert (unknown.change, unknown.newer is not None) == (SheetChange.UNKNOWN, True)
    newest = next(p for p in both.library.passages_in("pegelwacht-de-1.1") if p.role is Role.TEXT)
    assert trace_passage(both, PassageKey(newest.id, quotation_hash(newest.display))).newer is None


def test_a_rulebook_rewritten_throughout_is_traced_to_where_its_words_went(tmp_path):
    """Every rule renumbered, a tenth of the sentences reworded, passages moved, divided, joined,
    removed, added.
    """
    book = rulebook("duell.txt", DUEL)
    copy = revised(book, replace(MORE, version=False), seed=1)
    shelf = Shelf(tmp_path)
    before, after = shelf.publish([book]), shelf.publish([rulebook("neu.txt", copy.text)])
    right = wrong = lost = 0
    for passage in before.library.passages:
        if passage.role is not Role.TEXT:
            continue
        history = trace_passage(after, PassageKey(passage.id, quotation_hash(passage.display)))
        assert history.change is not SheetChange.UNKNOWN
        origins = [copy.origins[a:b] for a, b in (history.now.passage.spans if history.now else ())]
        stems = any(
            ((span >= start) & (span < end)).any()
            for span in origins
            for start, end in passage.spans
        )
        survives = (
            sum(
                ((copy.origins >= start) & (copy.origins < end)).sum()
                for start, end in passage.spans
            )
            > len(passage.text) / 2
        )
        right, wrong, lost = (
            right + stems,
            wrong + bool(origins and not stems),
            lost + (not origins and bool(survives)),
        )
    assert right > 200
    assert wrong <= 2  # where a sentence is printed twice
    assert lost <= right / 25


def ruling(answer):
    text = SourcedText(answer, "de", StringSource("haus.yaml", "0" * 64, "/rulings/0/answer"))
    question = SourcedText(
        "Wer zahlt?", "de", StringSource("haus.yaml", "0" * 64, "/rulings/0/question")
    )
    return Ruling(
        "pegelduell/zahlung",
        "pegelduell",
        Authority.HOUSE,
        "2026-01-05",
        (),
        question,
        text,
        "Stammtisch",
        "",
        (),
        "",
    )


def test_a_ruling_that_is_ruled_otherwise_or_withdrawn_is_told_too(tmp_path):
    shelf, book = Shelf(tmp_path), rulebook("duell.txt", DUEL)
    shelf.publish([book], [ruling("Wer ablegt.")])
    cited = PassageKey("rulings/pegelduell/zahlung#1", quotation_hash("Wer ablegt."))
    again = trace_passage(shelf.publish([book], [ruling("Wer anlegt.")]), cited)
    assert (again.change, quoted(again)) == (SheetChange.REWORDED, "Wer anlegt.")
    assert again.former is not None
    assert (again.former.display, again.former.effective, again.former.authority) == (
        "Wer ablegt.",
        "2026-01-05",
        "house",
    )
    gone = trace_passage(shelf.publish([book]), cited)
    assert (gone.change, gone.now) == (SheetChange.GONE, None)
    assert gone.former == again.former


def test_after_a_rollback_links_to_the_newer_index_show_its_words(twins, tmp_path):
    snapshots = Snapshots(tmp_path / "index")
    old, new = (publish_copy(snapshots, folder) for folder in twins.built)
    manager = indexes(twins.books[0], snapshots.folder)
    assert manager.rollback() == old
    passage = "8 oder mehr Laternen"
    cited = next(p for p in load_library(snapshots.path(new)).passages if passage in p.display)
    found = FormerWords(snapshots.folder).find(cited.id, quotation_hash(cited.display))
    assert found is not None
    assert passage in found.text


def test_where_words_cannot_be_kept_publishing_goes_on_and_says_so(tmp_path, first):
    shelf, book = Shelf(tmp_path), rulebook("duell.txt", DUEL)
    before = shelf.publish([book])
    cited = key(before, containing(before, "Blatt Papier").id)
    (tmp_path / FILE).mkdir()  # nothing can be written there, or read
    after = shelf.publish([rulebook("duell.txt", DUEL.replace("ein Blatt Papier", "Papier"))])
    entries, words = shelf.said
    assert "became could not be kept" in entries
    assert "that are gone now could not be kept" in words
    assert trace_passage(after, cited).change is SheetChange.UNKNOWN
    client = create_app(Indexes(after)).test_client()
    assert client.get("/sheet", query_string={"passage": cited.written()}).status_code == 200


def test_a_link_without_words_to_a_passage_that_is_gone_shows_its_last_ones(tmp_path):
    shelf = Shelf(tmp_path)
    before = shelf.publish([rulebook("duell.txt", DUEL)])
    cited = key(before, containing(before, "Blatt Papier").id)
    after = shelf.publish([rulebook("duell.txt", DUEL.replace("Version 2.0", "Version 9.0"))])
    assert cited.id not in {passage.id for passage in after.library.passages}
    client = create_app(Indexes(after)).test_client()
    led = client.get("/sheet", query_string={"passage": cited.id})
    assert led.status_code == 303
    assert cited.hash in led.location
    assert "Blatt Papier" in client.get(led.location).text


def test_the_oldest_words_go_where_there_are_too_many(tmp_path):
    shelf = Shelf(tmp_path)
    before = shelf.publish([rulebook("duell.txt", DUEL)])
    passages = [p for p in before.library.passages if p.role is Role.TEXT][:40]
    words = FormerWords(tmp_path, most_bytes=20_000)
    for passage in passages:
        words.keep([former_passage(before.library, passage, before.id)])
    kept = [words.find(p.id, quotation_hash(p.display)) is not None for p in passages]
    assert kept[-1]
    assert not kept[0]
    assert kept == sorted(kept)
