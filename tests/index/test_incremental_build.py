import hashlib
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import index.building.build
import index.building.encoding_stage
import index.building.reuse
import index.search
import index.training.encoder
from corpus import read_folder
from corpus.formats import isolated
from glossary.check import check_rulebook
from index.building import check_stage
from index.building.build import BuildOptions, build
from index.building.reuse import TRAINED_TEXTS, KeptTexts
from index.building.snapshots import Snapshots, file_digest
from index.building.subprocess_task import run_in_subprocess
from index.building.version_lookup import documents_of_snapshot
from index.model import Query
from index.search import Index
from index.training.encoder import SubwordEmbedding
from tests.conftest import SAMPLE
from tests.corpus.pdf_maker import PrintedRulebook
from tests.index.small_indexes import QUESTIONS, books

pytestmark = pytest.mark.acceptance


@pytest.fixture
def trainings(monkeypatch) -> list[int]:
    """How many pairs each training had; it only draws weights, others each time."""
    made: list[int] = []

    def train(texts, examples, start, report=None):
        made.append(len(examples))
        return SubwordEmbedding(seed=len(made))

    monkeypatch.setattr(index.training.encoder, "train", train)
    return made


@pytest.fixture(scope="module")
def twins(tmp_path_factory) -> tuple[Path, Path]:
    return books(tmp_path_factory.mktemp("books"))


@pytest.fixture(scope="module")
def published(twins, tmp_path_factory) -> Path:
    """An index of the first of the twins."""
    folder = tmp_path_factory.mktemp("published")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            index.training.encoder,
            "train",
            lambda texts, examples, start, report: SubwordEmbedding(seed=1),
        )
        build(twins[0], Snapshots(folder))
    return folder


@pytest.fixture
def snapshots(published, tmp_path) -> Snapshots:
    return Snapshots(Path(shutil.copytree(published, tmp_path / "index")))


def kept(snapshots, id, name="encoder/model.safetensors"):
    assert id is not None
    return (snapshots.path(id) / name).read_bytes()


def answers(snapshots, id):
    loaded = Index.load(snapshots.path(id))
    found = [loaded.search(Query(question)) for question in QUESTIONS]
    return [(f.hits, f.confidence, f.answered, f.language, f.parsed) for f in found]


def encoded(lines):
    """How many texts a build says to have encoded anew, and of how many."""
    found = next(
        match
        for line in lines
        if (match := re.fullmatch(r"encoded: (\d+) new ones of (\d+) texts", line))
    )
    return int(found[1]), int(found[2])


def test_after_a_small_change_the_encoder_is_kept_and_answers_are_those_of_a_whole_build(
    twins, snapshots, trainings, tmp_path
):
    first = snapshots.current()
    lines: list[str] = []
    again = build(twins[1], snapshots, progress=lines.append)
    assert trainings == []
    assert kept(snapshots, again.id) == kept(snapshots, first)
    # So that many small changes are not taken for none:
    assert kept(snapshots, again.id, TRAINED_TEXTS) == kept(snapshots, first, TRAINED_TEXTS)
    assert all(f"{stage} {seconds:.1f}" in lines[-1] for stage, seconds in again.seconds.items())
    assert sum(again.seconds.values()) > 0
    elsewhere = Snapshots(tmp_path / "elsewhere")
    whole = build(twins[1], elsewhere)
    assert len(trainings) == 1
    assert kept(elsewhere, whole.id) == kept(snapshots, again.id)
    new, of = encoded(lines)
    assert 0 < new < of / 20
    for file in ("vectors/passages.npy", "scope/weights.npy", "encoder/words.npy"):
        assert kept(elsewhere, whole.id, file) == kept(snapshots, again.id, file)
    assert answers(elsewhere, whole.id) == answers(snapshots, again.id)


def test_the_encoder_is_trained_anew_when_asked_to(twins, snapshots, trainings):
    build(twins[1], snapshots, BuildOptions(fresh=True))
    assert len(trainings) == 1


def printed():
    """An invented rulebook as a PDF."""
    book = PrintedRulebook()
    for heading, text in (
        ("Boote", "Ein Boot trägt zwei Lotsen. "),
        ("Leuchttürme", "Ein Leuchtturm weist den Weg in den Hafen. "),
    ):
        book.heading(heading)
        book.paragraph(text * 9)
    return book.printed()


def test_of_a_file_that_stayed_the_same_no_text_is_extracted_again(
    twins, snapshots, trainings, tmp_path, monkeypatch
):
    extracted: list[str] = []
    extract = isolated.extract

    def count(name, raw):
        extracted.append(name)
        return extract(name, raw)

    monkeypatch.setattr(isolated, "extract", count)
    folder = Path(shutil.copytree(twins[0], tmp_path / "books"))
    (folder / "boote.pdf").write_bytes(printed())
    first = build(folder, snapshots).id
    assert extracted == ["pdf"]
    (folder / "book.txt").write_bytes((twins[1] / "book.txt").read_bytes())
    second = build(folder, snapshots).id
    assert extracted == ["pdf"]
    for name in snapshots.files(first):
        if name.startswith(("extracted/", "texts/")):
            assert kept(snapshots, first, name) == kept(snapshots, second, name)
    (paper,) = (d for d in documents_of_snapshot(snapshots, second) if d.pages)
    texts = KeptTexts(snapshots)
    assert (found := texts.get(paper.sha256))
    assert found.text == paper.text
    with (snapshots.path(second) / f"extracted/{paper.sha256}.jsonl").open("a") as file:
        file.write("[]\n")
    assert texts.get(paper.sha256) is None
    monkeypatch.setattr(
        index.building.reuse, "extraction_hash", lambda: "of another version of a library"
    )
    assert KeptTexts(snapshots).get(paper.sha256) is None


def test_a_model_from_a_hub_encodes_again_only_what_is_new(twins, tmp_path, monkeypatch):
    """Each text takes such a model milliseconds, a rulebook's phrasings minutes."""
    texts: list[str] = []

    class Model:
        dimensions = 8

        def __init__(self, name):
            self.name = name

        def passages(self, some):
            texts.extend(some)
            vectors = (
                np.array(
                    [[*hashlib.sha256(text.encode()).digest()[:8]] for text in some],
                    dtype=np.float32,
                )
                - 127.5
            )
            lengths: NDArray[np.float32] = np.linalg.norm(vectors, axis=1, keepdims=True)
            return np.asarray(vectors / lengths, dtype=np.float32)

        questions = passages

    monkeypatch.setattr(index.building.encoding_stage, "HubEncoder", Model)
    monkeypatch.setattr(index.search, "HubEncoder", Model)
    monkeypatch.setattr(
        index.building.build, "choose_probes", lambda _: []
    )  # it finds nothing by such vectors
    snapshots = Snapshots(tmp_path)
    build(twins[0], snapshots, BuildOptions("a/model"))
    first = len(texts)
    lines: list[str] = []
    build(twins[1], snapshots, BuildOptions("a/model"), lines.append)
    new, of = encoded(lines)
    assert 0 < new < of / 20
    assert len(texts) - first <= new + 4 * 16  # and some to see that it is the same model still
    build(twins[0], snapshots, BuildOptions("another/model"), lines.append)
    assert len(texts) > 1.9 * first


def test_the_encoder_is_trained_anew_for_too_many_new_texts(
    twins, snapshots, trainings, monkeypatch
):
    monkeypatch.setattr(index.building.encoding_stage, "REUSE_SHARE", 1.0)
    build(twins[1], snapshots)
    assert len(trainings) == 1


def test_the_encoder_is_trained_anew_by_another_program(twins, snapshots, trainings, monkeypatch):
    monkeypatch.setattr(index.building.reuse, "build_program_hash", lambda: "another")
    build(twins[1], snapshots)
    assert len(trainings) == 1


def test_a_damaged_encoder_is_not_kept(twins, snapshots, trainings):
    (snapshots.path(str(snapshots.current())) / "encoder" / "model.safetensors").write_bytes(
        b"\0" * 99
    )
    again = build(twins[1], snapshots)
    assert len(trainings) == 1
    assert Index.load(snapshots.path(again.id)).search(Query(QUESTIONS[0])).hits


LANTERNS = (
    "LATERNENSPIEL REGELBUCH\n\nDOCHT\n\nEin Docht brennt zwei Runden. Danach wird er ersetzt, "
    "wenn noch einer im Vorrat liegt.\n"
)


@pytest.fixture
def checked(monkeypatch) -> list[str]:
    """The editions that builds check, also in small rulebooks, in this process."""
    editions: list[str] = []
    check = check_rulebook

    def checking(book, *others):
        editions.append(book.edition.id)
        return check(book, *others)

    monkeypatch.setattr(check_stage, "check_rulebook", checking)
    monkeypatch.setattr(check_stage, "CHECKED_PASSAGES", 1)
    monkeypatch.setattr(check_stage, "_NICE", 0)
    monkeypatch.setattr(
        check_stage, "run_in_subprocess", lambda _, *work: run_in_subprocess(False, *work)
    )
    return editions


def other_files(left, one, right, other):
    """The names of the files that are not the same in two indexes."""
    hashes = [
        {(name, file_digest(snapshots.path(id) / name)) for name in snapshots.files(id)}
        for snapshots, id in ((left, one), (right, other))
    ]
    return {name for name, _ in hashes[0] ^ hashes[1]}


@pytest.mark.parametrize("change", ["added", "added to a game", "changed", "removed"])
def test_of_many_rulebooks_only_what_changed_is_worked_out_and_the_index_is_that_of_a_whole_build(
    tmp_path, monkeypatch, checked, change
):
    monkeypatch.setattr(
        index.training.encoder,
        "train",
        lambda texts, examples, start, report: SubwordEmbedding(seed=1),
    )
    monkeypatch.setattr(index.building.encoding_stage, "REUSE_SHARE", 0.5)
    folder = tmp_path / "books"
    folder.mkdir()
    for name in ("pegelduell-de-2.0.txt", "pegelduell-faq-de-3.txt", "pegelwacht-it-1.1.txt"):
        shutil.copy(SAMPLE / name, folder)
    one, sister = folder / "pegelduell-de-2.0.txt", folder / "pegelduell-faq-de-3.txt"
    if change == "added to a game":
        sister.rename(tmp_path / sister.name)
    snapshots, elsewhere = Snapshots(tmp_path / "index"), Snapshots(tmp_path / "elsewhere")
    before = build(folder, snapshots)
    assert len(checked) == len(read_folder(folder).rulebooks)
    checked.clear()
    if change == "added":
        (folder / "laternenspiel.txt").write_text(LANTERNS)
    elif change == "added to a game":
        (tmp_path / sister.name).rename(sister)
    elif change == "changed":
        one.write_text(one.read_text().replace("bei 15 oder höher", "bei 16 oder höher"))
    else:
        one.unlink()
    lines: list[str] = []
    after = build(folder, snapshots, progress=lines.append)
    games = {
        rulebook.edition.id: rulebook.edition.game for rulebook in read_folder(folder).rulebooks
    }
    alone = [id for id, game in games.items() if id.startswith("unknown-")]
    assert checked == (
        alone if change == "added" else [id for id, game in games.items() if game == "pegelduell"]
    )
    assert any("the encoder is kept" in line for line in lines)
    whole = build(folder, elsewhere)
    assert other_files(elsewhere, whole.id, snapshots, after.id) == {TRAINED_TEXTS}
    assert other_files(snapshots, before.id, snapshots, after.id)
