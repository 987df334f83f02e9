"""Build an index from a folder of rulebooks: read, assemble, encode, write, check, publish."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpus import RulebookFolder, read_folder
from corpus.document import Kept
from corpus.errors import NotFound, RegulaError
from corpus.model import Rulebook
from corpus.workspace import AS_NEW, CARDS, RULINGS, game_as_new
from glossary.comparison.passage_similarity import gather_phrasings
from glossary.concepts import load_concepts
from glossary.matching.printed_ties import tie_topics
from glossary.normalization import fold
from glossary.query_variants import load_query_variants, mostly_drafted
from glossary.word_tables import WordTables
from index.analysis import Analyzer
from index.building.check_stage import checking
from index.building.collection_ledger import CollectionLedger
from index.building.encoding_note import FILE as ENCODING
from index.building.encoding_note import note_unencoded
from index.building.encoding_stage import (
    Progress,
    caching_encoder,
    choose_encoder,
    encode_generally,
    encode_left,
    encode_texts,
    forget_general_vectors,
    learn_from_drafts,
)
from index.building.fingerprints import (
    DEPENDS,
    build_program_hash,
    combined,
    dependencies,
    extraction_hash,
    fits,
)
from index.building.former_stage import former_kept
from index.building.layer_stages import save_card_stage, save_ruling_stage
from index.building.opening import choose_probes, confirm_index, library_counts
from index.building.reuse import KeptReadings, KeptTexts, PreviousIndex, UnchangedEditions
from index.building.snapshots import CARDS as CARD_MARK
from index.building.snapshots import FORMAT, MANIFEST, RULEBOOKS, UNENCODED, Damaged, Snapshots
from index.building.subprocess_task import run_in_subprocess
from index.encoding.encoder import Encoder, SubwordEncoder
from index.encoding.general import ONLY_BUILT_IN, GeneralEncoding
from index.files.durable import file_digest, full_disk_refused, locked
from index.layers.texts import RULES_TEXTS, RULING_TEXTS
from index.library.indexed_texts import (
    PHRASINGS,
    IndexedText,
    all_terms,
    all_words,
    frequent_words,
    indexed_texts,
    passage_texts,
    prepared_editions,
    save_query_variants,
)
from index.library.library import Library, assemble_library, load_library, save_library
from index.library.passage_lookup import PassageLookup
from index.questions.question_parser import QuestionParser
from index.questions.spelling import spelled_words
from index.ranking.general_similarity import GENERAL
from index.ranking.passage_features import PassageFeatures
from index.search import Index
from index.store.bm25 import save_words
from index.store.milvus import ALIAS, MilvusConnection, save_milvus_part
from index.store.store import save_vectors
from index.store.vectors import PassageVectors

SUBPROCESS_TEXTS = 20_000  # size from which indexing takes longer than starting a process
LAYERS = (CARDS, RULINGS, RULES_TEXTS, RULING_TEXTS)  # folders that no other folder depends on

Fill = Callable[[MilvusConnection, str], None]


class NothingToRead(RegulaError, ValueError):
    """A folder without a single readable rulebook."""


@dataclass(frozen=True)
class BuildOptions:
    """How an index is built.

    Attributes:
        encoder: The name or folder of a sentence-transformers model, empty for the built-in one.
        general: The general encoder to use beside it.
        store: The address of a database for the passages, as `index.store.protocol.MilvusAddress`
            reads it; empty for files.
        token: Authenticates at the database.
        fresh: Whether to extract and encode all texts and train the encoder anew, whatever the
            published index has.
        wait: The number of seconds to wait for another build.
        kept: Texts extracted from files, by the SHA-256 of the files, to reuse even in a ``fresh``
            build.
        later: Whether to leave slow work of the general encoder (minutes) to `add_general_vectors`.
    """

    encoder: str = ""
    store: str = ""
    token: str = ""
    fresh: bool = False
    wait: float = 0.0
    kept: Kept | None = None
    general: GeneralEncoding = ONLY_BUILT_IN
    later: bool = False


@dataclass(frozen=True)
class BuildResult:
    """The outcome of a build: the id of the snapshot, a line for each file that was left out, and
    the seconds of each stage.
    """

    id: str
    left_out: tuple[str, ...]
    seconds: Mapping[str, float] = field(default_factory=dict)


_DEFAULTS = BuildOptions()


def build(
    folder: Path,
    snapshots: Snapshots,
    options: BuildOptions = _DEFAULTS,
    progress: Progress = lambda _: None,
) -> BuildResult:
    """Read the rulebooks in ``folder`` and publish an index of them; the old one serves until then.

    The built-in encoder of the published index is reused if training would hardly change it (see
    `index.building.reuse`). If another build has meanwhile published an index that fits, that index
    is the result. Raises `NothingToRead`, `CheckFailed`, `Busy`, `NotWritable` if the folder or the
    disk refuses, and `StoreUnreachable` if the store does not answer.
    """
    before = snapshots.current()
    with snapshots.building(
        options.wait, lambda: progress("another build is under way; waiting for it")
    ) as place:
        current = snapshots.current()
        if (
            current
            and current != before
            and fits(snapshots, folder, options.encoder, options.store, options.general)
        ):
            progress(f"the other build has published {current} of these rulebooks")
            return BuildResult(current, ())
        return _Builder(folder, snapshots, place, options, progress).run()


def add_general_vectors(
    folder: Path,
    snapshots: Snapshots,
    options: BuildOptions,
    progress: Progress = lambda _: None,
) -> str | None:
    """Compute the general encoder's vectors that the published index lacks, and publish the index
    with them. Return its id, or None if nothing was lacking.

    Only one process encodes at a time. Another one may build and publish meanwhile; its missing
    vectors are computed next. An interruption keeps the vectors computed so far. Raises what
    `build` raises.
    """
    done = None

    def waiting() -> None:
        progress("another process encodes; waiting for it")

    while lacks_vectors(folder, snapshots, options):
        with locked(snapshots.folder / ENCODING, math.inf, waiting):
            if not (id := lacks_vectors(folder, snapshots, options)):
                break
            with full_disk_refused(snapshots.folder):
                noted = partial(note_unencoded, snapshots.folder, id)
                encode_left(snapshots.path(id), options.general, snapshots, progress, noted)
            with snapshots.building(math.inf) as place:
                if id == lacks_vectors(folder, snapshots, options):
                    done = _Builder(folder, snapshots, place, options, progress).complete(id)
    return done


def lacks_vectors(folder: Path, snapshots: Snapshots, options: BuildOptions) -> str | None:
    """Return the id of the published index if it fits but lacks general vectors, else None."""
    pointer = snapshots.pointer()
    if pointer is None or pointer.stays or not PreviousIndex(snapshots).said(UNENCODED):
        return None
    fit = fits(snapshots, folder, options.encoder, options.store, options.general)
    return pointer.id if fit else None


def unencoded_texts(snapshots: Snapshots, id: str) -> int:
    """Return how many texts of snapshot ``id`` the general encoder has still to encode."""
    try:
        found = snapshots.manifest(id).get(UNENCODED)
    except Damaged:
        return 0
    return found if isinstance(found, int) else 0


class _Builder:
    """One build of an index in the folder ``place``; `run` goes through its stages in order."""

    def __init__(
        self,
        folder: Path,
        snapshots: Snapshots,
        place: Path,
        options: BuildOptions,
        progress: Progress,
    ):
        self._folder, self._snapshots, self._place = folder, snapshots, place
        self._options, self._progress = options, progress
        self._ledger = CollectionLedger(snapshots, options.token)
        self._readings: KeptReadings | None = None  # unless the rulebooks are copied
        self._seconds: dict[str, float] = {}
        self._last = time.monotonic()

    def run(self) -> BuildResult:
        """Build and publish."""
        # Otherwise collections of killed builders would pile up.
        self._ledger.reconcile(self._progress)
        options, place = self._options, self._place
        if options.store:  # find out whether it answers before anything else takes time
            # Milvus Lite ends a connection that is idle for a minute, and the next one with it:
            # this one is not reused.
            with closing(MilvusConnection(options.store, options.token)) as connection:
                connection.has(ALIAS)
        depends = dependencies(self._folder, options.encoder, options.store, options.general)
        marks: dict[str, Any] = {
            "fingerprint": combined(depends),
            RULEBOOKS: combined(depends, layers=False),
            DEPENDS: depends,
        }
        previous = PreviousIndex(self._snapshots)
        kept = None if options.fresh else previous
        left_out, fill, marks[UNENCODED] = self._rulebooks(previous, marks)
        library = load_library(place)
        concepts = {game: load_concepts(game) for game in library.games}
        marks[CARD_MARK], faults = save_card_stage(place, concepts, kept, self._progress)
        self._finish("cards")
        faults += save_ruling_stage(place, library.games, options.encoder, self._progress)
        self._finish("rulings")
        manifest = self._manifest({**marks, "left_out": left_out}, library)
        if fill:
            manifest["store"] = self._fill_store(fill, str(manifest["id"]))
        self._check(manifest)
        return self._publish(str(manifest["id"]), (*left_out, *faults))

    def complete(self, id: str) -> str:
        """Publish snapshot ``id`` again, with the vectors by the general encoder that it lacks."""
        previous = PreviousIndex(self._snapshots)
        if not previous.copy_without((GENERAL,), self._place):
            raise Damaged(f"snapshot {id}: a file is not the one that was built")
        library = load_library(self._place)
        prepared = PassageFeatures.load(self._place / "features").prepared
        self._encode_generally(library, passage_texts(library), prepared, later=False)
        names = ("fingerprint", RULEBOOKS, DEPENDS, CARD_MARK, "left_out")
        manifest = self._manifest({name: previous.said(name) for name in names}, library)
        self._check(manifest)
        self._snapshots.publish(self._place, str(manifest["id"]), completes=True)
        self._progress(f"published {manifest['id']}, which has all vectors")
        return str(manifest["id"])

    def _encode_generally(
        self, library: Library, texts: Sequence[str], prepared: NDArray[np.bool_], later: bool
    ) -> int:
        return encode_generally(
            library,
            texts,
            prepared,
            self._options.general,
            self._snapshots,
            self._place,
            later,
            self._progress,
        )

    def _finish(self, stage: str) -> None:
        """Add the time since the last call to the time of ``stage``."""
        now = time.monotonic()
        self._seconds[stage] = self._seconds.get(stage, 0.0) + now - self._last
        self._last = now

    def _rulebooks(
        self, previous: PreviousIndex, marks: Mapping[str, Any]
    ) -> tuple[tuple[str, ...], Fill | None, int]:
        """Index the rulebooks, or copy them from the previous index if only cards and rulings
        changed.

        Returns a line for each file left out, a function that fills the database (None without
        one), and the number of texts that the general encoder has still to encode.
        """
        same = previous.said(RULEBOOKS) == marks[RULEBOOKS]
        only_layers = same and previous.said("fingerprint") != marks["fingerprint"]
        fitting = only_layers and not self._options.store and not self._options.fresh
        if fitting and previous.copy_without(LAYERS, self._place):
            self._progress("the rulebooks are those of the published index, which is taken over")
            self._finish("reading")
            left_out, left = previous.said("left_out"), previous.said(UNENCODED)
            lines = tuple(map(str, left_out)) if isinstance(left_out, list) else ()
            return lines, None, left if isinstance(left, int) else 0
        found = self._read()
        return tuple(found.left_out), *self._index_rulebooks(found.rulebooks, previous)

    def _index_rulebooks(
        self, rulebooks: Sequence[Rulebook], previous: PreviousIndex
    ) -> tuple[Fill | None, int]:
        """Index ``rulebooks``; return a function that fills the database (None without one), and
        the number of texts that the general encoder has still to encode.
        """
        place, options = self._place, self._options
        kept = None if options.fresh else previous
        unchanged = UnchangedEditions(rulebooks, kept)
        unchanged.save(place)
        library = assemble_library(rulebooks, unchanged.references)
        self._progress(
            f"{len(rulebooks)} rulebooks, {len(library.entries)} entries, "
            f"{len(library.passages)} passages, {len(library.references)} references"
        )
        save_library(library, place, [r.document for r in rulebooks])
        self._finish("tying")
        topics = {**tie_topics(rulebooks), **library.concepts}
        texts = indexed_texts(library, gather_phrasings(rulebooks, topics))
        save_query_variants((text.phrasings for text in texts), place / PHRASINGS)
        self._finish("phrasings")
        words = frequent_words(texts)
        with (
            checking(place, rulebooks, library, unchanged) as wait_for_findings,
            self._indexing_words(previous, texts) as wait_for_words,
        ):
            encoder, vectors = self._encode(library, texts, words, unchanged)
            self._learn_from_drafts(library, texts, encoder, kept)
            prepared = prepared_editions(texts, library.bounds)
            if options.fresh:
                forget_general_vectors(self._snapshots)
            own = [text.text for text in texts]
            left = self._encode_generally(library, own, prepared, options.later)
            self._finish("general")
            wait_for_words()
            tables = WordTables.load(place / "forms")
            tables.save_analyses(words, place / "stems")
            self._finish("words")
            self._progress("indexing words and characters")
            analyzer = Analyzer(tables)
            spelled = spelled_words(texts, tables)
            QuestionParser(library, tables, words=spelled).save(place / "questions")
            PassageFeatures.build(library, analyzer, prepared).save(place / "features")
            PassageLookup.build(library).save(place / "lookup")
            self._finish("features")
            fill = None
            if options.store:
                terms, spelt = all_terms(texts, analyzer), all_words(texts)
                fill = save_milvus_part(
                    place, terms, spelt, library.editions, library.bounds, vectors
                )
            else:
                save_vectors(place, vectors)
            self._finish("vectors")
            wait_for_findings()
            self._finish("check")
        return fill, left

    def _read(self) -> RulebookFolder:
        """Read the rulebooks."""
        self._progress(f"reading {self._folder}")
        fresh = self._options.fresh
        kept = self._options.kept or (None if fresh else KeptTexts(self._snapshots).get)
        self._readings = KeptReadings(self._snapshots.folder, self._place / "read", fresh)
        found = read_folder(self._folder, kept=kept, readings=self._readings)
        for note in found.notes:
            self._progress(note)
        if not found.rulebooks:
            left_out = "".join(f"; {line}" for line in found.left_out)
            raise NothingToRead(f"{self._folder}: no rulebook in it that can be read{left_out}")
        if new := game_as_new():
            games = sorted({rulebook.edition.game for rulebook in found.rulebooks})
            if new not in games:
                raise NotFound(
                    f"no game {new!r} to take for a new one ({AS_NEW}); there are: "
                    f"{', '.join(games)}"
                )
            self._progress(f"of {new}, only its rulebooks are known, and what the workspace has")
        self._finish("reading")
        return found

    @contextmanager
    def _indexing_words(
        self, previous: PreviousIndex, texts: Sequence[IndexedText]
    ) -> Iterator[Callable[[], None]]:
        """Write the word forms of the languages, kept from the ``previous`` index if possible,
        and the words that a store in files needs.

        Yields a function that waits until this is done: a large amount is written by another
        process.
        """
        kept = previous.copy_folder("forms", self._place)
        much = not kept or sum(1 + len(text.phrasings) for text in texts) > SUBPROCESS_TEXTS
        in_files = not self._options.store
        with run_in_subprocess(much, _index_words, self._place, texts, in_files) as wait:
            self._finish("words")
            yield wait

    def _encode(
        self,
        library: Library,
        texts: Sequence[IndexedText],
        words: Sequence[str],
        unchanged: UnchangedEditions,
    ) -> tuple[Encoder, PassageVectors]:
        """Choose the encoder; encode the texts, and the frequent ``words`` of questions."""
        name, place, progress = self._options.encoder, self._place, self._progress
        encoder = choose_encoder(name, library, texts, place, unchanged.previous, progress)
        self._finish("encoder")
        progress("encoding texts")
        cached = caching_encoder(
            encoder, name, self._snapshots, place, self._options.fresh, progress
        )
        vectors = encode_texts(library, texts, cached, place, unchanged)
        cached.publish()
        progress(f"encoded: {cached.new} new ones of {cached.asked} texts")
        if isinstance(encoder, SubwordEncoder):
            encoder.save_word_sums(map(fold, words), place / "encoder")
        self._finish("vectors")
        return encoder, vectors

    def _learn_from_drafts(
        self,
        library: Library,
        texts: Sequence[IndexedText],
        encoder: Encoder,
        previous: PreviousIndex | None,
    ) -> None:
        """Learn how sure answers are from rulebooks whose query variants a model drafted."""
        drafted = [id for id in library.edition if mostly_drafted(load_query_variants(id))]
        if drafted:
            learn_from_drafts(
                library, texts, drafted, encoder, self._place, previous, self._progress
            )
        self._finish("drafts")

    def _manifest(self, marks: Mapping[str, Any], library: Library) -> dict[str, Any]:
        """Return the manifest of the index, including ``marks``; smoke queries are added later."""
        built = datetime.now(UTC)
        files = {
            str(path.relative_to(self._place)): file_digest(path)
            for path in sorted(self._place.rglob("*"))
            if path.is_file()
        }
        content = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
        return {
            "id": f"{built:%Y%m%dT%H%M%S}{built.microsecond // 1000:03}-{content[:8]}",
            "built": built.isoformat(timespec="seconds"),
            "format": FORMAT,
            **marks,
            "program": build_program_hash(),
            "extraction": extraction_hash(),
            "encoder": self._options.encoder,
            "general": self._options.general._asdict(),
            "counts": library_counts(library),
            "files": files,
        }

    def _fill_store(self, fill: Fill, id: str) -> dict[str, str]:
        """Fill a new collection in the database; return its address and name."""
        self._progress(f"filling {self._options.store}")
        made = self._ledger.register(self._options.store, id)
        with closing(MilvusConnection(self._options.store, self._options.token)) as connection:
            fill(connection, made.collection)
        self._finish("store")
        return made._asdict()

    def _check(self, manifest: Mapping[str, Any]) -> None:
        """Load the index, ask it for its own headings, and write the manifest with the smoke
        queries for later loads.
        """
        self._progress("checking")
        path = self._place / MANIFEST
        path.write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        index = Index.load(self._place, self._options.token)
        confirm_index(index, manifest)
        probed = {**manifest, "probes": choose_probes(index)}
        path.write_text(json.dumps(probed, indent=1, ensure_ascii=False), encoding="utf-8")

    def _publish(self, id: str, left_out: tuple[str, ...]) -> BuildResult:
        """Publish the snapshot in one step, and keep its readings for the next build."""
        if self._readings:
            self._readings.publish()
        current = self._snapshots.current()
        with former_kept(self._snapshots, current, self._place, self._progress):
            self._finish("former")
            self._snapshots.publish(self._place, id)
        self._ledger.reconcile(self._progress)
        self._finish("checking")
        stages = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in self._seconds.items())
        total = sum(self._seconds.values())
        self._progress(f"published {id} after {total:.1f} seconds: {stages}")
        return BuildResult(id, left_out, self._seconds)


def _index_words(place: Path, texts: Sequence[IndexedText], in_files: bool) -> None:
    """Write the word forms to ``place``, unless they are there, and the words of ``texts`` that a
    store ``in_files`` needs.
    """
    if not (place / "forms").exists():
        WordTables.compile().save(place / "forms")
    if in_files:
        analyzer = Analyzer(WordTables.load(place / "forms"))
        save_words(place, all_terms(texts, analyzer), all_words(texts))
