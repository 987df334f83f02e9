"""A game as new: an index beside the published one that knows nothing of it but its text, and
`regula evaluate --as-new`.
"""

import hashlib
import json
from pathlib import Path

import pytest

from corpus.edition_files import described_editions
from corpus.errors import NotFound
from corpus.workspace import AS_NEW, VARIABLE, as_new, game_as_new, use_workspace
from glossary.concepts import load_concepts
from glossary.concepts.product_names import load_products
from glossary.query_variants import fingerprint, load_query_variants
from index.building.build import build
from index.building.fingerprints import fits
from index.building.snapshots import Snapshots
from index.model import Query
from index.ranking.answerability import unanswerable_questions
from index.search import Index
from service.cli import main
from service.core.snapshot import Snapshot
from service.ops.as_new import FOLDER, snapshot_as_new
from service.ops.indexes import inventory
from service.ops.settings import Locations
from service.ops.workspace import make_workspace
from tests.conftest import SAMPLE

pytestmark = pytest.mark.acceptance

GAME = "pegelwacht"
EDITION = "pegelwacht-de-1.1"
ONLINE = (
    SAMPLE / "pegelwacht-de-online.txt"
)  # one entry, so that an index of it is built in seconds


@pytest.fixture
def here(tmp_path) -> Locations:
    """A folder with one small rulebook, and one for its index."""
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / ONLINE.name).write_bytes(ONLINE.read_bytes())
    return Locations(tmp_path / "books", tmp_path / "index", is_sample=False)


@pytest.fixture(scope="module")
def new(tmp_path_factory) -> Snapshot:
    """A rulebook with many phrasings, its game as new."""
    books = tmp_path_factory.mktemp("books")
    (books / f"{EDITION}.txt").write_bytes((SAMPLE / f"{EDITION}.txt").read_bytes())
    return snapshot_as_new(
        Locations(books, tmp_path_factory.mktemp("index"), is_sample=False), GAME
    )


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A workspace that every loader of the test uses."""
    monkeypatch.setenv(VARIABLE, "")
    made = tmp_path / "mine"
    make_workspace(made)
    use_workspace(made)
    return made


def found_share(index, phrasings):
    """Which share of phrasings, each given with the entry that it is about, finds that among the
    first three.
    """
    hits = [
        [hit.passage.entry for hit in index.search(Query(text, edition=EDITION, k=3)).hits]
        for text, _ in phrasings
    ]
    return sum(entry in found for (_, entry), found in zip(phrasings, hits, strict=True)) / len(
        phrasings
    )


def contents(folder):
    """Every file of ``folder`` with a hash of its content."""
    return {
        str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and FOLDER not in p.relative_to(folder).parts
    }


def progress_of(here):
    lines: list[str] = []
    snapshot_as_new(here, GAME, lines.append)
    return lines


def test_the_package_knows_nothing_of_a_new_game_but_its_editions():
    known = (load_concepts(GAME), load_query_variants(EDITION), load_products(GAME))
    others, editions = load_concepts("pegelduell"), described_editions()
    assert all(known)
    with as_new(GAME):
        assert not any((load_concepts(GAME), load_query_variants(EDITION), load_products(GAME)))
        assert (load_concepts("pegelduell"), described_editions()) == (others, editions)
    assert (load_concepts(GAME), load_query_variants(EDITION), load_products(GAME)) == known
    assert not game_as_new()


def test_questions_outside_of_the_rules_that_have_the_new_game_in_mind_are_not_known_either():
    every = unanswerable_questions()
    for game, name in (
        ("lorcana", "lorcana"),
        ("marvel-champions", "marvel champions"),
        ("behind", "BEHIND"),
    ):
        with as_new(game):
            left = unanswerable_questions()
        assert not [text for text in left if name in text]
        assert [text for text in every if name in text]
        assert len(left) > len(every) / 2
    with as_new("quite-another"):
        assert unanswerable_questions() == every


def test_what_the_workspace_has_of_a_new_game_counts(home):
    (home / "concepts" / f"{GAME}.yaml").write_text(
        "light:\n  de: [Licht]\n  slang: {de: [funzel]}\n", encoding="utf-8"
    )
    (home / "phrasings" / f"{EDITION}.yaml").write_text(
        '"3f9a0c12d4e5":\n  at: "x#0"\n  players: [eigene worte]\n', encoding="utf-8"
    )
    (home / "phrasings" / "outside.yaml").write_text(
        f"de:\n- {GAME}: wo gibt es gummistiefel\n", encoding="utf-8"
    )
    with as_new(GAME):
        assert [concept.id for concept in load_concepts(GAME)] == ["light"]
        assert [each.players for each in load_query_variants(EDITION)] == [("eigene worte",)]
        assert "wo gibt es gummistiefel" in unanswerable_questions()


def test_slang_that_is_understood_today_is_not_in_a_new_game(sample_index, new):
    assert isinstance(new.index, Index)
    slang = [word for concept in load_concepts(GAME) for word in concept.slang.get("de", ())]
    understood = [word for word in slang if sample_index.parser.parse(word, "de").mentions[GAME]]
    assert len(understood) > 20
    assert not [word for word in slang if new.index.parser.parse(word, "de").mentions[GAME]]


def test_phrasings_that_lead_to_their_passage_today_do_not_in_a_new_game(sample_index, new):
    assert isinstance(new.index, Index)
    entries = {passage.id: passage.entry for passage in sample_index.library.searchable}
    phrasings = [
        (each.players[0], entries[f"{EDITION}/{each.at}"])
        for each in load_query_variants(EDITION)[::8]
        if each.players and f"{EDITION}/{each.at}" in entries
    ]
    assert len(phrasings) > 25
    assert found_share(sample_index, phrasings) > 0.9
    assert found_share(new.index, phrasings) < 0.7


def test_a_second_time_nothing_is_built_and_the_published_index_stays_as_it_is(here):
    build(here.rulebooks, Snapshots(here.index))
    before, listed = contents(here.index), inventory(Snapshots(here.index))
    assert [line for line in progress_of(here) if line.startswith("published")]
    assert sorted(path.name[0] for path in (here.index / FOLDER / GAME).iterdir()) == [
        ".",
        "2",
        "c",
    ]  # lock, one index, current
    assert progress_of(here) == []
    Snapshots(here.index).tidy()
    assert contents(here.index) == before
    assert inventory(Snapshots(here.index)) == listed
    assert fits(Snapshots(here.index), here.rulebooks)
    assert progress_of(here) == []


def test_drafts_in_the_workspace_lead_to_their_passage_and_are_forgotten_with_it(here, home):
    question = "quabbelfisch zwackt bollerwagen"
    new = snapshot_as_new(here, GAME)
    assert isinstance(new.index, Index)
    passage = new.index.library.searchable[-1]
    wanted = Query(question, k=1)
    file = home / "phrasings" / f"{passage.id.partition('/')[0]}.yaml"
    entry = {
        "at": passage.id.partition("/")[2],
        "players": [question, "zwackt ein quabbelfisch"],
        "drafted": "a model",
    }
    file.write_text(json.dumps({fingerprint(passage.text): entry}), encoding="utf-8")
    drafted = snapshot_as_new(here, GAME)
    assert drafted.id != new.id
    assert isinstance(drafted.index, Index)
    assert [hit.passage.id for hit in drafted.index.search(wanted).hits] == [passage.id]
    file.unlink()
    again = snapshot_as_new(here, GAME)
    assert isinstance(again.index, Index)
    assert not (
        again.index.encoder.questions([question]) != new.index.encoder.questions([question])
    ).any()
    assert len(list((here.index / FOLDER / GAME).glob("*/manifest.json"))) == 1


def test_a_damaged_index_is_built_again(here):
    progress_of(here)
    (manifest,) = (here.index / FOLDER / GAME).glob("*/manifest.json")
    (manifest.parent / "library.json").write_text("{}")
    assert [line for line in progress_of(here) if line.startswith("published")]


@pytest.mark.parametrize("game", ["nie-gehoert", "../..", "", "Pegelwacht"])
def test_an_unknown_game_is_told_with_those_there_are(here, game):
    with pytest.raises(NotFound, match=f"no game {game!r} here; there are: {GAME}"):
        snapshot_as_new(here, game)
    assert not here.index.exists()


def test_a_variable_that_names_no_game_here_ends_the_build(here, monkeypatch):
    monkeypatch.setenv(AS_NEW, "nie-gehoert")
    with pytest.raises(NotFound, match="nie-gehoert"):
        build(here.rulebooks, Snapshots(here.index))


@pytest.fixture
def questions(tmp_path, monkeypatch) -> Path:
    """A file of questions: two to the game, one of which its document leaves open, one to another
    game.
    """
    for name in (VARIABLE, "REGULA_RULEBOOKS", "REGULA_INDEX"):
        monkeypatch.setenv(name, "")
    row = {"id": 1, "document": ONLINE.name, "language": "de", "kind": "lookup", "question": "Wer "
                                                                                             "hat "
                                                                                             "bei "
                                                                                             "einem Wrack den Vortritt?",
           "answers": [{"lines": [1, 1], "heading": "Wrack", "quote": "der hat den "
                                                                      "Vortritt"}]}  # fmt: skip
    rows = [
        row,
        {**row, "id": 2, "question": "Was kostet ein Kilo Kartoffeln?", "answers": []},
        {**row, "id": 3, "document": "fremd.txt"},
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


def run(capsys, *arguments):
    """How a command ends, and what it prints and says."""
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    done = capsys.readouterr()
    return end.value.code, done.out, done.err


def test_the_command_asks_only_what_is_put_to_the_game(here, questions, capsys):
    places = ("--rulebooks", str(here.rulebooks), "--index", str(here.index))
    status, out, err = run(capsys, "evaluate", str(questions), "--as-new", GAME, *places)
    assert status in (0, None), err
    assert "2 of 3 questions are put to documents of pegelwacht" in err
    assert "building an index beside the published one" in err
    lines = out.splitlines()
    assert lines[1].split()[:2] == ["all", "1"]
    assert "among the first two: 1.000" in lines
    assert [
        line
        for line in lines
        if line.startswith("open questions called open: ") and line.endswith(" of 1")
    ]
    assert not game_as_new()
    _, out, err = run(capsys, "evaluate", str(questions), "--as-new", GAME, "--json", *places)
    assert "building" not in err
    assert json.loads(out)["groups"]["all"]["R@2"] == 1.0


def test_the_command_names_the_games_there_are_and_says_where_nothing_is_asked(
    here, questions, capsys
):
    places = ("--rulebooks", str(here.rulebooks), "--index", str(here.index))
    status, _, err = run(capsys, "evaluate", str(questions), "--as-new", "nie-gehoert", *places)
    assert status == 2
    assert err.splitlines()[-1].endswith("there are: pegelwacht")
    questions.write_text("")
    status, _, err = run(capsys, "evaluate", str(questions), "--as-new", GAME, *places)
    assert status == 2
    assert "none of its questions" in err
