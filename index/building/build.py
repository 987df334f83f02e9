"""From a folder of rulebooks to a published index: read, tie, train, encode, write, check, publish."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from corpus import read_folder
from corpus.document import Document, documents
from corpus.errors import RegulaError
from corpus.languages import LANGUAGES, get_language
from glossary.comparison.shared_phrasings import gather_phrasings
from glossary.matching.card_ties import tie_topics
from glossary.normalization import fold
from glossary.word_tables import WordTables
from index.analysis import Analyzer
from index.building.collection_ledger import CollectionLedger
from index.building.probes import choose_probes, confirm_index, library_counts
from index.building.reuse import ENOUGH, TRAINED, PreviousIndex, program_hash, training_text_hashes
from index.building.snapshots import Snapshots, file_digest
from index.building.subprocess_task import MANY, run_in_subprocess
from index.building.vector_cache import CachingEncoder
from index.encoding.encoder import Encoder, HubEncoder, SubwordEncoder
from index.encoding.training_pairs import training_pairs
from index.library import library as libraries
from index.library.assembly import assemble_library
from index.library.indexed_texts import IndexedText, all_terms, all_words, frequent_words, indexed_texts
from index.library.library import Library
from index.library.passage_lookup import PassageLookup
from index.questions.question_parser import QuestionParser
from index.ranking.answerability import AnswerabilityModel, unanswerable_questions
from index.ranking.highlights import Highlighter
from index.ranking.passage_features import PassageFeatures
from index.search import Index
from index.store import milvus_store
from index.store.file_store import save_vectors, save_words
from index.store.milvus_connection import ALIAS, MilvusConnection
from index.store.vectors import PassageVectors

ROOT = Path(__file__).resolve().parents[2]

Progress = Callable[[str], None]


class NothingToRead(RegulaError, ValueError):
    """A folder without a single readable rulebook."""


@dataclass(frozen=True)
class BuildResult:
    """The outcome of a build: the snapshot's id, a line for each file that was left out, and the seconds of each stage."""

    id: str
    left_out: tuple[str, ...]
    seconds: Mapping[str, float] = field(default_factory=dict)


def fingerprint(folder: Path, encoder: str = "", store: str = "") -> str:
    """What an index of ``folder`` depends on, in one hash: the documents, the facts and code of the project, the encoder, the store.

    Files that are no documents do not count, as they are left out of the index.
    """
    digest = hashlib.sha256(f"{encoder}\n{store}".encode())
    for code in LANGUAGES:  # some may be described outside the project
        digest.update(get_language(code).model_dump_json().encode())
    for document in documents(folder):
        if isinstance(document, Document):
            digest.update(f"{document.sha256} {document.file}\n".encode())
    for package in ("corpus", "glossary", "index"):
        for path in sorted(p for kind in ("*.py", "*.yaml", "*.json") for p in (ROOT / package).rglob(kind)):
            digest.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return digest.hexdigest()


class _Clock:
    """Measures the stages of a build, which follow one another."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self.seconds: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        """What was done since the last call was ``stage``."""
        now = time.monotonic()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now

    def __str__(self) -> str:
        told = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in self.seconds.items())
        return f"{sum(self.seconds.values()):.1f} seconds: {told}"


def build(
    folder: Path,
    snapshots: Snapshots,
    encoder: str = "",
    progress: Progress = lambda _: None,
    wait: float = 0.0,
    fresh: bool = False,
    store: str = "",
    token: str = "",
) -> BuildResult:
    """Read the rulebooks in ``folder`` and publish an index of them; the old one serves until then.

    ``encoder`` is the name or folder of a sentence-transformers model, empty for the built-in one. That one is taken over
    from the published index where it would hardly be another (see `index.building.reuse`), trained anew where not, and where
    ``fresh``. Texts that the build before encoded are encoded again only by another encoder, and where ``fresh``. Another build is
    waited for ``wait`` seconds; where that one has published an index that fits, it is the outcome.
    ``store`` is where passages are searched, as `address.Address` reads it, empty for the folder of the index; ``token`` lets in.
    Raises `NothingToRead`, `probes.CheckFailed`, `snapshots.Busy`, `snapshots.Refused` where the disk refuses, and
    `store.Unreachable` where the store does not answer.
    """
    before = snapshots.current()
    with snapshots.building(wait, lambda: progress("another build is under way; waiting for it")) as place:
        current = snapshots.current()
        if current and current != before and fits(snapshots, folder, encoder, store):
            progress(f"the other build has published {current} of these rulebooks")
            return BuildResult(current, ())
        clock = _Clock()
        ledger = CollectionLedger(snapshots, token)
        ledger.reconcile(progress)  # else collections of builders that are killed would become more
        if store:
            # Milvus Lite ends a connection over which nothing is asked for a minute, and the next one with it: it is not kept.
            with closing(MilvusConnection(store, token)) as reached:
                reached.has(ALIAS)  # raises where nobody answers, before anything else takes its time
        mark = fingerprint(folder, encoder, store)
        before_this = PreviousIndex(snapshots)
        progress(f"reading {folder}")
        found = read_folder(folder)
        for note in found.notes:
            progress(note)
        if not found.rulebooks:
            raise NothingToRead(f"{folder}: no rulebook in it that can be read" + "".join(f"; {line}" for line in found.left_out))
        clock.lap("reading")
        library = assemble_library(found.rulebooks)
        progress(f"{len(found.rulebooks)} rulebooks, {len(library.entries)} entries, {len(library.passages)} passages, "
                 f"{len(library.references)} references")  # fmt: skip
        libraries.save_library(library, place, [r.document for r in found.rulebooks])
        clock.lap("tying")
        texts = indexed_texts(library, gather_phrasings(found.rulebooks, {**tie_topics(found.rulebooks), **library.concepts}))
        clock.lap("phrasings")
        if before_this.copy_folder("forms", place):
            tables = WordTables.load(place / "forms")
        else:
            tables = WordTables.compile()
            tables.save(place / "forms")
        spoken = frequent_words(texts)
        tables.save_analyses(spoken, place / "stems")
        clock.lap("forms")
        many = sum(len(text.phrasings) for text in texts) > MANY
        with nullcontext() if store else run_in_subprocess(many, _index_words, place, texts, library.bounds) as words_indexed:
            model = _encoder(library, texts, encoder, place, progress, None if fresh else before_this)
            clock.lap("encoder")
            progress("encoding texts")
            cached = _cached(model, encoder, snapshots, place, fresh, progress)
            vectors = _encode(library, texts, cached, place)
            cached.publish()
            progress(f"encoded: {cached.new} new ones of {cached.asked} texts")
            if isinstance(model, SubwordEncoder):
                model.save_word_sums(map(fold, spoken), place / "encoder")
            clock.lap("vectors")
            progress("indexing words and characters")
            QuestionParser(library, tables).save(place / "reading")
            PassageFeatures.build(library, Analyzer(tables)).save(place / "prints")
            PassageLookup.build(library).save(place / "places")
            clock.lap("prints")
            if words_indexed:
                words_indexed()
        fill = None
        if store:
            fill = milvus_store.save_milvus_part(
                place, all_terms(texts, Analyzer(tables)), all_words(texts), library.editions, library.bounds, vectors
            )
        else:
            save_vectors(place, vectors)
        clock.lap("words")
        path, manifest = place / "manifest.json", _manifest(place, mark, encoder, library)
        id = str(manifest["id"])
        if fill:
            progress(f"filling {store}")
            made = ledger.register(store, id)
            with closing(MilvusConnection(store, token)) as database:
                fill(database, made.collection)
            manifest["store"] = made._asdict()
            clock.lap("store")
        progress("checking")
        path.write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        built = Index.load(place, token)
        confirm_index(built, manifest)
        path.write_text(json.dumps({**manifest, "probes": choose_probes(built)}, indent=1, ensure_ascii=False), encoding="utf-8")
        snapshots.publish(place, id)
        ledger.reconcile(progress)
        clock.lap("checking")
        progress(f"published {id} after {clock}")
        return BuildResult(id, found.left_out, clock.seconds)


def _index_words(place: Path, texts: Sequence[IndexedText], bounds: Sequence[int]) -> None:
    """Keep in ``place`` what a store in files needs of the words of ``texts``; in whatever process."""
    analyzer = Analyzer(WordTables.load(place / "forms"))
    save_words(place, all_terms(texts, analyzer), all_words(texts), bounds)


def _encode(library: Library, texts: Sequence[IndexedText], model: Encoder, place: Path) -> PassageVectors:
    """The vectors of ``texts`` and their phrasings by ``model``; what else is made with it is kept in ``place``."""
    own = model.passages([text.text for text in texts])
    phrased = [(number, phrasing.text) for number, text in enumerate(texts) for phrasing in text.phrasings]
    asked = model.questions([text for _, text in phrased]) if phrased else np.empty((0, own.shape[1]), dtype=np.float32)
    AnswerabilityModel.fit(asked if len(asked) else own, model.questions(unanswerable_questions())).save(place / "scope")
    Highlighter.build(library.searchable, model).save(place / "sentences")
    return PassageVectors.build(own, asked, np.array([number for number, _ in phrased], dtype=np.int32))


def _encoder(
    library: Library, texts: Sequence[IndexedText], name: str, place: Path, progress: Progress, before: PreviousIndex | None
) -> Encoder:
    """The encoder called ``name``; the built-in one is written into ``place``, taken over from ``before`` where that will do."""
    if name:
        progress(f"loading {name}")
        return HubEncoder(name)
    examples = training_pairs(library, texts)
    learned = training_text_hashes(texts, examples)
    share = before.trained_share(learned) if before else 0.0
    if before and share >= ENOUGH and before.copy_folder("encoder", place):
        progress(f"the encoder is kept: it was trained on {100 * share:.0f} % of the texts")
    else:
        from index.encoding.training import train  # brings torch, which is not needed for anything else

        progress(f"training the encoder on {len(examples)} pairs")

        def report(step: int, steps: int) -> None:
            progress(f"training the encoder: {100 * step // steps} %")

        (place / "encoder").mkdir()
        train(texts, examples, report=report).save(str(place / "encoder"))
        np.save(place / TRAINED, learned)
    return SubwordEncoder.load(place / "encoder")  # as it will be when it serves, in half precision


def _cached(model: Encoder, name: str, snapshots: Snapshots, place: Path, fresh: bool, progress: Progress) -> CachingEncoder:
    """``model``, the encoder called ``name`` or the built-in one in ``place``, as far as the build before has not done its work."""
    weights = name or file_digest(place / "encoder" / "model.safetensors")
    identity = hashlib.sha256(f"{program_hash()}\n{weights}".encode()).hexdigest()[:16]

    def report(done: int, of: int) -> None:
        progress(f"encoding: {done} of {of} texts")

    return CachingEncoder(model, snapshots.folder, identity, place / "encoded", fresh, report)


def _manifest(place: Path, mark: str, encoder: str, library: Library) -> dict[str, Any]:
    """What the index in ``place`` says of itself, its id above all; its probes are found when it is checked."""
    built = datetime.now(UTC)
    files = {str(p.relative_to(place)): file_digest(p) for p in sorted(place.rglob("*")) if p.is_file()}
    content = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
    return {
        "id": f"{built:%Y%m%dT%H%M%S}{built.microsecond // 1000:03}-{content[:8]}",
        "built": built.isoformat(timespec="seconds"),
        "fingerprint": mark,
        "program": program_hash(),
        "encoder": encoder,
        "counts": library_counts(library),
        "files": files,
    }


def fits(snapshots: Snapshots, folder: Path, encoder: str = "", store: str = "") -> bool:
    """Whether the published snapshot was built from just these rulebooks by just this program."""
    current = snapshots.current()
    return current is not None and snapshots.manifest(current).get("fingerprint") == fingerprint(folder, encoder, store)
