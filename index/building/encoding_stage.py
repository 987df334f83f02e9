"""The stages of a build that need an encoder: choose or train it, and encode the texts of the passages."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from corpus.workspace import game_as_new
from index.building.fingerprints import build_program_hash
from index.building.left_out import learn_edition_confidence
from index.building.reuse import TRAINED_TEXTS, PreviousIndex, training_text_hashes
from index.building.snapshots import Snapshots, file_digest
from index.building.vector_cache import GENERAL_CACHE, CachingEncoder
from index.encoding.encoder import Encoder, HubEncoder, SubwordEncoder
from index.encoding.general import GeneralEncoding, encoder_version, open_general_encoder
from index.encoding.starting_weights import StartingWeights, load_starting_weights
from index.encoding.training_pairs import training_pairs
from index.library.indexed_texts import IndexedText, prepared_editions
from index.library.library import Library
from index.ranking.answerability import AnswerabilityModel, answerable_questions, nearest_passages, unanswerable_questions
from index.ranking.edition_confidence import DRAFTS
from index.ranking.general_similarity import GENERAL, GeneralSimilarity
from index.ranking.highlights import Highlighter
from index.ranking.wording_model import WordingModel
from index.store.vectors import PassageVectors

_GENERAL_CHUNK = 500  # texts between two reports of progress: some seconds
REUSE_SHARE = 0.9  # share of the training texts that the previous encoder must have been trained on to be used again

Progress = Callable[[str], None]


def built_in_encoder(
    library: Library, texts: Sequence[IndexedText], place: Path, previous: PreviousIndex | None, progress: Progress
) -> SubwordEncoder:
    """The built-in encoder for ``texts``, written to ``place``: that of the ``previous`` index where it fits, else trained now."""
    pairs = training_pairs(library, texts)
    hashes = training_text_hashes(texts, pairs)
    share = previous.trained_share(hashes) if previous else 0.0
    if previous and share >= REUSE_SHARE and previous.copy_folder("encoder", place):
        progress(f"the encoder is kept: it was trained on {100 * share:.0f} % of the texts")
    else:
        from index.encoding.training import train  # imports torch, which nothing else needs

        start = starting_weights(progress)
        progress(f"training the encoder on {len(pairs)} pairs")

        def report(step: int, steps: int) -> None:
            progress(f"training the encoder: {100 * step // steps} %")

        (place / "encoder").mkdir()
        train(texts, pairs, start, report=report).save(str(place / "encoder"))
        np.save(place / TRAINED_TEXTS, hashes)
    return SubwordEncoder.load(place / "encoder")  # in half precision, as it will be when it serves


def starting_weights(progress: Progress) -> StartingWeights:
    """The weights that training starts from: those of the package, or others that know nothing of a game that is taken for a new one."""
    if not (game := game_as_new()):
        return load_starting_weights()
    from index.encoding.pretraining import pretrain, variant_groups  # imports torch, which nothing else needs

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
    """Write to ``place`` how sure answers from ``editions`` are, whose phrasings are drafts; where the encoder is kept, so is that."""
    if previous and previous.is_same("encoder/model.safetensors", place) and previous.copy_folder(DRAFTS, place):
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


def caching_encoder(encoder: Encoder, name: str, snapshots: Snapshots, place: Path, fresh: bool, progress: Progress) -> CachingEncoder:
    """``encoder`` with the vectors that the build before computed by it, unless ``fresh``; ``name`` is empty for the built-in one."""
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
    """Write to ``place`` the vectors by the general encoder: of all passages, or of those of editions without phrasings.

    Raises `EncoderNotFound`.
    """
    chosen = np.ones(len(library.editions), dtype=np.bool_) if encoding.everywhere else ~prepared_editions(texts, library.bounds)
    numbers = np.flatnonzero(np.repeat(chosen, np.diff(library.bounds)))
    if not encoding.model or not len(numbers):
        return
    encoder = open_general_encoder(encoding.model)

    def report(done: int, total: int) -> None:
        progress(f"encoding with {encoding.model}: {done} of {total} texts")

    version = encoder_version(encoding.model)
    identity = hashlib.sha256(f"{encoding.model} {version}".encode()).hexdigest()[:16]
    cached = CachingEncoder(encoder, snapshots.folder, identity, place / "encoded-general", fresh, report, GENERAL_CACHE, _GENERAL_CHUNK)
    progress(f"encoding {len(numbers)} passages with {encoding.model}")
    GeneralSimilarity.build(cached, encoding, texts, numbers, unanswerable_questions()).save(place / GENERAL)
    cached.publish()


def encode_texts(library: Library, texts: Sequence[IndexedText], encoder: Encoder, place: Path) -> PassageVectors:
    """The vectors of ``texts`` and of their phrasings by ``encoder``; the models of ranking made by it are written to ``place``."""
    own = encoder.passages([text.text for text in texts])
    phrased = [(number, phrasing.text) for number, text in enumerate(texts) for phrasing in text.phrasings]
    phrasings = encoder.questions([text for _, text in phrased]) if phrased else np.empty((0, own.shape[1]), dtype=np.float32)
    answerable = phrasings if len(phrasings) else own
    outside = unanswerable_questions()
    wording = WordingModel.fit(answerable_questions([text for _, text in phrased]), outside)
    unsettled = encoder.questions(outside)
    nearness = nearest_passages(own, library.bounds, unsettled)
    AnswerabilityModel.fit(answerable, unsettled, wording, nearness).save(place / "scope")
    Highlighter.build(library.searchable_texts(), encoder).save(place / "sentences")
    return PassageVectors.build(own, phrasings, np.array([number for number, _ in phrased], dtype=np.int32))
