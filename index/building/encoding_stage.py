"""The stages of a build with encoders: choose or train one, and encode the passages."""

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
from index.building.reuse import (
    CHECKED,
    GENERALLY_ENCODED,
    CachingEncoder,
    PreviousIndex,
    TrainingTexts,
    UnchangedEditions,
)
from index.building.snapshots import Snapshots
from index.encoding.encoder import Encoder, HubEncoder, SubwordEncoder
from index.encoding.general import (
    PACKAGED,
    GeneralEncoding,
    PackagedEncoder,
    encoder_version,
    open_general_encoder,
)
from index.encoding.word_vectors import WORDS, PassageEncoder
from index.files.durable import file_digest
from index.library.indexed_texts import (
    EncodedTexts,
    IndexedText,
    encoded_texts,
    passage_texts,
)
from index.library.library import Library, load_library
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
from index.ranking.passage_features import PassageFeatures
from index.store.vectors import PassageVectors
from index.training.drafted_editions import learn_edition_confidence
from index.training.material import (
    StartingWeights,
    load_starting_weights,
    training_pairs,
    variant_groups,
)

SCOPE = "scope"  # folder of an index: the model of whether rulebooks settle a question
HIGHLIGHTS = "sentences"  # folder of an index: the sentences that can be highlighted
REUSE_SHARE = 0.9  # of passages and of variants that a reused encoder was trained on, at least

_GENERAL_CHUNK = 128  # texts between two reports of progress: some seconds
_AT_ONCE = 64  # missing texts, at most, to encode before an index is published
_WORDING_MARK = f"{SCOPE}/wording.sha256"  # hash of what the model of words was learned from

Progress = Callable[[str], None]


def choose_encoder(
    name: str,
    library: Library,
    texts: Sequence[IndexedText],
    place: Path,
    previous: PreviousIndex | None,
    progress: Progress,
) -> Encoder:
    """Load the sentence-transformers model called ``name``. If ``name`` is empty, write the
    built-in encoder for ``texts`` to ``place``: the ``previous`` index's if it fits, else a newly
    trained one.

    Raises `EncoderNotFound` if there is no such model.
    """
    if name:
        progress(f"loading {name}")
        return HubEncoder(name)
    trained = TrainingTexts.of(texts)
    share = previous.trained_share(trained) if previous else 0.0
    if previous and share >= REUSE_SHARE and previous.copy_folder("encoder", place):
        progress(f"the encoder is kept: it was trained on {100 * share:.0f} % of the texts")
    else:
        from index.training.encoder import train  # imports torch, which nothing else needs

        start, pairs = starting_weights(progress), training_pairs(library, texts)
        progress(f"training the encoder on {len(pairs)} pairs")

        def report(step: int, steps: int) -> None:
            progress(f"training the encoder: {100 * step // steps} %")

        (place / "encoder").mkdir()
        train(texts, pairs, start, report=report).save(str(place / "encoder"))
        trained.save(place)
    return SubwordEncoder.load(place / "encoder")  # in half precision, as it will be when it serves


def starting_weights(progress: Progress) -> StartingWeights:
    """Load the weights that training starts from. If a game is to be treated as new, train weights
    without any knowledge of it.
    """
    if not (game := game_as_new()):
        return load_starting_weights()
    from index.training.encoder import pretrain  # imports torch, which nothing else needs

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
    """Learn how sure answers from ``editions`` with drafted variants are, and write the model to
    ``place``. It is copied from the previous index if the encoder is unchanged.
    """
    kept = previous and previous.is_same("encoder/model.safetensors", place)
    if kept and previous and previous.copy_folder(DRAFTS, place):
        return

    def encoder_of(some: Sequence[IndexedText]) -> Encoder:
        if not isinstance(encoder, SubwordEncoder):
            return encoder  # it was trained on none of them
        from index.training.encoder import train

        with TemporaryDirectory(dir=place) as folder:
            train(some, training_pairs(library, some), starting_weights(progress)).save(folder)
            return SubwordEncoder.load(Path(folder))

    progress(f"learning from drafts that are left out how sure answers are: {', '.join(editions)}")
    learn_edition_confidence(library, texts, editions, encoder_of).save(place / DRAFTS)


def caching_encoder(
    encoder: Encoder, name: str, snapshots: Snapshots, place: Path, fresh: bool, progress: Progress
) -> CachingEncoder:
    """Return ``encoder`` with the vectors that it computed in the previous build, unless ``fresh``.

    ``name`` is empty for the built-in encoder.
    """
    weights = name or file_digest(place / "encoder" / "model.safetensors")
    identity = hashlib.sha256(f"{build_program_hash()}\n{weights}".encode()).hexdigest()[:16]

    def report(kind: str, done: int, total: int) -> None:
        progress(f"encoding: {done} of {total} {kind}s")

    return CachingEncoder(encoder, snapshots.folder, identity, place / "encoded", fresh, report)


def encode_generally(
    library: Library,
    texts: Sequence[str],
    prepared: NDArray[np.bool_],
    encoding: GeneralEncoding,
    snapshots: Snapshots,
    place: Path,
    later: bool,
    progress: Progress,
) -> int:
    """Write the general encoder's vectors of passages, without query variants, to ``place``: of all
    editions, or of those that are not ``prepared``. ``texts`` are the texts of all passages.

    With ``later``, if many texts are not encoded yet, editions with such texts are left out.
    Returns the number of texts left to encode. Raises `EncoderNotFound`.
    """
    chosen = np.flatnonzero(~prepared | encoding.everywhere).tolist()
    bounds = library.bounds
    if encoding.lacking and chosen:
        progress(
            f"rulebooks without query variants are searched without the general encoder: "
            f"{encoding.lacking}"
        )
    if not encoding.model or not chosen:
        return 0
    cached = general_encoder(encoding, snapshots, place / "encoded-general", progress)
    outside = unanswerable_questions()
    new = {n: cached.count_new("passage", texts[bounds[n] : bounds[n + 1]]) for n in chosen}
    more = cached.count_new("question", outside)
    left = sum(new.values()) + more
    if not later or left <= _AT_ONCE:
        left = 0
    else:
        chosen = [] if more else [n for n in chosen if not new[n]]
        encoding = encoding._replace(everywhere=False)
        progress(f"{left} texts are left to encode with {encoding.model}")
    if chosen:
        numbers = np.concatenate([np.arange(bounds[n], bounds[n + 1]) for n in chosen])
        GeneralSimilarity.build(cached, encoding, texts, numbers, outside).save(place / GENERAL)
    if not left:
        cached.publish()
    return left


def encode_left(
    folder: Path,
    encoding: GeneralEncoding,
    snapshots: Snapshots,
    progress: Progress,
    noted: Callable[[int], None] = lambda count: None,
) -> None:
    """Compute the general encoder's vectors that the index in ``folder`` lacks, for the next build.
    ``noted`` is called with the number of remaining texts. Raises `EncoderNotFound`.
    """
    library = load_library(folder)
    texts = passage_texts(library)
    prepared = PassageFeatures.load(folder / "features").prepared
    chosen = np.repeat(~prepared | encoding.everywhere, np.diff(library.bounds))
    passages = [texts[number] for number in np.flatnonzero(chosen)]
    left: dict[str, int] = {}

    def note(kind: str, done: int, total: int) -> None:
        left[kind] = total - done
        noted(sum(left.values()))

    cached = general_encoder(encoding, snapshots, None, progress, note)
    outside = unanswerable_questions()
    left["question"] = cached.count_new("question", outside)
    note("passage", 0, cached.count_new("passage", passages))
    cached.questions(outside)
    note("question", 0, 0)
    cached.passages(passages)
    note("passage", 0, 0)


def forget_general_vectors(snapshots: Snapshots) -> None:
    """Remove the vectors that the general encoder computed in earlier builds."""
    for path in snapshots.folder.glob(f"{GENERALLY_ENCODED}-*"):
        path.unlink()


def general_encoder(
    encoding: GeneralEncoding,
    snapshots: Snapshots,
    writing: Path | None,
    progress: Progress,
    note: Callable[[str, int, int], None] = lambda kind, done, total: None,
) -> CachingEncoder:
    """Return the general encoder with the vectors that it computed in earlier builds; ``note`` is
    called as `CachingEncoder` calls its ``report``. Raises `EncoderNotFound`.
    """

    def report(kind: str, done: int, total: int) -> None:
        progress(f"encoding with {encoding.model}: {done} of {total} {kind}s")
        note(kind, done, total)

    told = f"{encoding.model} {encoder_version(encoding.model)}"
    encoder = open_general_encoder(encoding.model)
    if isinstance(encoder, PackagedEncoder):
        encoder, told = (
            PassageEncoder(encoder.words, encoder.dimensions),
            f"{told}, {WORDS} words",
        )
    return CachingEncoder(
        encoder,
        snapshots.folder,
        hashlib.sha256(told.encode()).hexdigest()[:16],
        writing,
        False,
        report,
        GENERALLY_ENCODED,
        _GENERAL_CHUNK,
        slow=True,
        checked=0 if encoding.model == PACKAGED else CHECKED,
    )


def encode_texts(
    library: Library,
    texts: Sequence[IndexedText],
    encoder: Encoder,
    place: Path,
    unchanged: UnchangedEditions,
) -> PassageVectors:
    """Encode ``texts`` and their variants; write the ranking models learned from the vectors to
    ``place``.

    The sentences of passages of ``unchanged`` editions, used for highlights, are copied.
    """
    encoded = encoded_texts(texts, encoder)
    vectors = PassageVectors.build(encoded.own, encoded.phrasings, encoded.owners)
    _learn_answerability(library, encoded, encoder, place, unchanged)
    before = unchanged.load(Highlighter.load, HIGHLIGHTS)
    runs = unchanged.runs(library) if before else ()
    highlighter = Highlighter.build(library.searchable_texts(), encoder, before, runs)
    highlighter.save(place / HIGHLIGHTS)
    return vectors


def _learn_answerability(
    library: Library,
    encoded: EncodedTexts,
    encoder: Encoder,
    place: Path,
    unchanged: UnchangedEditions,
) -> None:
    """Learn to tell whether rulebooks settle a question, and write the model to ``place``.

    It is copied from the previous index if it would be learned from the same data.
    """
    own, phrasings = encoded.own, encoded.phrasings
    texts, outside = [text for _, text in encoded.phrased], unanswerable_questions()
    unsettled = encoder.questions(outside)
    # Learned from the variants of the index, those of all editions, and questions outside.
    digest = hashlib.sha256("\n".join((*texts, "", *outside)).encode("utf-8", "surrogatepass"))
    for edition in (described.edition for described in described_editions()):
        digest.update(f"{edition.id} {edition.game} {edition.language}\n".encode())
        for folder in data_folders(PHRASINGS, FOLDER, edition.game):
            if (path := folder / f"{edition.id}.yaml").exists():
                digest.update(path.read_bytes())
    mark = digest.hexdigest().encode()
    known = unchanged.load(AnswerabilityModel.load, SCOPE)
    if known is not None and unchanged.read(_WORDING_MARK) == mark:
        wording = known.wording
    else:
        wording = WordingModel.fit(answerable_questions(texts), outside)
    near: dict[int, tuple[float, float]] = {}
    if known is not None and np.array_equal(known.outside, unsettled):  # else it is another encoder
        near = {now: known.nearness_of(then) for now, then in unchanged.numbers(library).items()}
    nearness = nearest_passages(own, library.bounds, unsettled, near)
    inside: NDArray[np.float32] = phrasings if len(phrasings) else own
    AnswerabilityModel.fit(inside, unsettled, wording, nearness).save(place / SCOPE)
    (place / _WORDING_MARK).write_bytes(mark)
