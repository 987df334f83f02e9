"""The stages of a build that need an encoder: choose or train it, and encode the texts of the
passages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from corpus.edition_files import described_editions
from corpus.workspace import PHRASINGS, data_folders, game_as_new
from glossary.query_variants import FOLDER
from index.building.fingerprints import build_program_hash
from index.building.left_out import learn_edition_confidence
from index.building.reuse import PreviousIndex, TrainingTexts
from index.building.snapshots import Snapshots, file_digest
from index.building.unchanged_editions import UnchangedEditions
from index.building.vector_cache import GENERAL_CACHE, CachingEncoder
from index.encoding.encoder import Encoder, HubEncoder, SubwordEncoder
from index.encoding.general import GeneralEncoding, encoder_version, open_general_encoder
from index.encoding.starting_weights import StartingWeights, load_starting_weights
from index.encoding.training_pairs import training_pairs
from index.library.indexed_texts import IndexedText, prepared_editions
from index.library.library import Library
from index.ranking.answerability import (
    AnswerabilityModel,
    WordingModel,
    answerable_questions,
    nearest_passages,
    unanswerable_questions,
)
from index.ranking.confidence import DRAFTS
from index.ranking.general_similarity import GENERAL, GeneralSimilarity
from index.ranking.highlights import Highlighter
from index.store.vectors import PassageVectors

_GENERAL_CHUNK = 500  # texts between two reports of progress: some seconds
SCOPE = "scope"  # the folder of an index with what tells whether rulebooks settle a question
HIGHLIGHTS = "sentences"  # that with what highlights are chosen from
_WORDING_MARK = f"{SCOPE}/wording.sha256"  # of what its model of words was learned from
REUSE_SHARE = 0.9  # share of the passages, and of their phrasings, that the previous encoder must have been trained on to be used again

Progress = Callable[[str], None]


def built_in_encoder(
    library: Library,
    texts: Sequence[IndexedText],
    place: Path,
    previous: PreviousIndex | None,
    progress: Progress,
) -> SubwordEncoder:
    """The built-in encoder for ``texts``, written to ``place``: that of the ``previous`` index
    where it fits, else trained now.
    """
    trained = TrainingTexts.of(texts)
    share = previous.trained_share(trained) if previous else 0.0
    if previous and share >= REUSE_SHARE and previous.copy_folder("encoder", place):
        progress(f"the encoder is kept: it was trained on {100 * share:.0f} % of the texts")
    else:
        from index.encoding.training import train  # imports torch, which nothing else needs

        start, pairs = starting_weights(progress), training_pairs(library, texts)
        progress(f"training the encoder on {len(pairs)} pairs")

        def report(step: int, steps: int) -> None:
            progress(f"training the encoder: {100 * step // steps} %")

        (place / "encoder").mkdir()
        train(texts, pairs, start, report=report).save(str(place / "encoder"))
        trained.save(place)
    return SubwordEncoder.load(place / "encoder")  # in half precision, as it will be when it serves


def starting_weights(progress: Progress) -> StartingWeights:
    """The weights that training starts from: those of the package, or others that know nothing of a
    game that is taken for a new one.
    """
    if not (game := game_as_new()):
        return load_starting_weights()
    from index.encoding.pretraining import (
        pretrain,
        variant_groups,
    )  # imports torch, which nothing else needs

    progress(f"training weights to start from that know nothing of {game}")
    return pretrain(variant_groups())


def learn_from_drafts(
    library: Library,
    texts: Sequence[IndexedText],
    editions: Sequence[str],
    encoder: Encoder,
    place: Path,
    previous: PreviousIndex | None,
    progress: Progress,
) -> None:
    """Write to ``place`` how sure answers from ``editions`` are, whose phrasings are drafts; where
    the encoder is kept, so is that.
    """
    if (
        previous
        and previous.is_same("encoder/model.safetensors", place)
        and previous.copy_folder(DRAFTS, place)
    ):
        return

    def encoder_of(some: Sequence[IndexedText]) -> Encoder:
        if not isinstance(encoder, SubwordEncoder):
            return encoder  # it was trained on none of them
        from index.encoding.training import train

        with TemporaryDirectory(dir=place) as folder:
            train(some, training_pairs(library, some), starting_weights(progress)).save(folder)
            return SubwordEncoder.load(Path(folder))

    progress(f"learning from drafts that are left out how sure answers are: {', '.join(editions)}")
    learn_edition_confidence(library, texts, editions, encoder_of).save(place / DRAFTS)


def hub_encoder(name: str, progress: Progress) -> HubEncoder:
    """The sentence-transformers model called ``name``. Raises `EncoderNotFound`."""
    progress(f"loading {name}")
    return HubEncoder(name)


def caching_encoder(
    encoder: Encoder, name: str, snapshots: Snapshots, place: Path, fresh: bool, progress: Progress
) -> CachingEncoder:
    """``encoder`` with the vectors that the build before computed by it, unless ``fresh``; ``name``
    is empty for the built-in one.
    """
    weights = name or file_digest(place / "encoder" / "model.safetensors")
    identity = hashlib.sha256(f"{build_program_hash()}\n{weights}".encode()).hexdigest()[:16]

    def report(done: int, total: int) -> None:
        progress(f"encoding: {done} of {total} texts")

    return CachingEncoder(encoder, snapshots.folder, identity, place / "encoded", fresh, report)


def encode_generally(
    library: Library,
    texts: Sequence[IndexedText],
    encoding: GeneralEncoding,
    snapshots: Snapshots,
    place: Path,
    fresh: bool,
    progress: Progress,
) -> None:
    """Write to ``place`` the vectors by the general encoder: of all passages, or of those of
    editions without phrasings.

    Raises `EncoderNotFound`.
    """
    chosen = (
        np.ones(len(library.editions), dtype=np.bool_)
        if encoding.everywhere
        else ~prepared_editions(texts, library.bounds)
    )
    numbers = np.flatnonzero(np.repeat(chosen, np.diff(library.bounds)))
    if not encoding.model or not len(numbers):
        return
    encoder = open_general_encoder(encoding.model)

    def report(done: int, total: int) -> None:
        progress(f"encoding with {encoding.model}: {done} of {total} texts")

    version = encoder_version(encoding.model)
    identity = hashlib.sha256(f"{encoding.model} {version}".encode()).hexdigest()[:16]
    cached = CachingEncoder(
        encoder,
        snapshots.folder,
        identity,
        place / "encoded-general",
        fresh,
        report,
        GENERAL_CACHE,
        _GENERAL_CHUNK,
    )
    progress(f"encoding {len(numbers)} passages with {encoding.model}")
    GeneralSimilarity.build(cached, encoding, texts, numbers, unanswerable_questions()).save(
        place / GENERAL
    )
    cached.publish()


def encode_texts(
    library: Library,
    texts: Sequence[IndexedText],
    encoder: Encoder,
    place: Path,
    unchanged: UnchangedEditions,
) -> PassageVectors:
    """The vectors of ``texts`` and of their phrasings by ``encoder``; the models of ranking made by
    it are written to ``place``.

    How passages of ``unchanged`` editions are divided for highlights is taken over.
    """
    own = encoder.passages([text.text for text in texts])
    phrased = [
        (number, phrasing.text) for number, text in enumerate(texts) for phrasing in text.phrasings
    ]
    phrasings = (
        encoder.questions([text for _, text in phrased])
        if phrased
        else np.empty((0, own.shape[1]), dtype=np.float32)
    )
    vectors = PassageVectors.build(
        own, phrasings, np.array([number for number, _ in phrased], dtype=np.int32)
    )
    _learn_answerability(
        library, own, [text for _, text in phrased], phrasings, encoder, place, unchanged
    )
    before = unchanged.load(HIGHLIGHTS, Highlighter.load)
    Highlighter.build(
        library.searchable_texts(), encoder, before, unchanged.runs(library) if before else ()
    ).save(place / HIGHLIGHTS)
    return vectors


def _learn_answerability(
    library: Library,
    own: NDArray[np.float32],
    phrased: Sequence[str],
    phrasings: NDArray[np.float32],
    encoder: Encoder,
    place: Path,
    unchanged: UnchangedEditions,
) -> None:
    """Write to ``place`` what tells whether rulebooks settle a question.

    It is learned from the vectors of passages, ``own``, and of their ``phrasings``, whose texts are
    ``phrased``. What would be learned from just the same as in the previous index is taken over.
    """
    outside = unanswerable_questions()
    unsettled = encoder.questions(outside)
    mark = _wording_mark(phrased, outside)
    known = unchanged.load(SCOPE, AnswerabilityModel.load)
    if known is not None and unchanged.read(_WORDING_MARK) == mark:
        wording = known.wording
    else:
        wording = WordingModel.fit(answerable_questions(phrased), outside)
    near: dict[int, tuple[float, float]] = {}
    if known is not None and np.array_equal(known.outside, unsettled):  # else it is another encoder
        near = {now: known.nearness_of(then) for now, then in unchanged.numbers(library).items()}
    nearness = nearest_passages(own, library.bounds, unsettled, near)
    AnswerabilityModel.fit(phrasings if len(phrasings) else own, unsettled, wording, nearness).save(
        place / SCOPE
    )
    (place / _WORDING_MARK).write_bytes(mark)


def _wording_mark(phrasings: Sequence[str], outside: Sequence[str]) -> bytes:
    """What the wording model is learned from, in one hash: the ``phrasings`` of the index, those of
    all editions, questions ``outside``.
    """
    digest = hashlib.sha256("\n".join((*phrasings, "", *outside)).encode("utf-8", "surrogatepass"))
    for described in described_editions():
        edition = described.edition
        digest.update(f"{edition.id} {edition.game} {edition.language}\n".encode())
        for folder in data_folders(PHRASINGS, FOLDER, edition.game):
            if (path := folder / f"{edition.id}.yaml").exists():
                digest.update(path.read_bytes())
    return digest.hexdigest().encode()
