"""From a folder of rulebooks to a published index: read, assemble, encode, write, check,
publish.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

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
from index.building.card_stage import save_card_stage
from index.building.check_stage import checking
from index.building.collection_ledger import CollectionLedger
from index.building.encoding_stage import (
    Progress,
    built_in_encoder,
    caching_encoder,
    encode_generally,
    encode_texts,
    hub_encoder,
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
from index.building.former_stage import keep_former_words
from index.building.kept_readings import KeptReadings
from index.building.kept_texts import KeptTexts
from index.building.probes import choose_probes, confirm_index, library_counts
from index.building.reuse import PreviousIndex
from index.building.ruling_stage import save_ruling_stage
from index.building.snapshots import CARDS as CARD_MARK
from index.building.snapshots import FORMAT, MANIFEST, RULEBOOKS, Snapshots, file_digest
from index.building.stage_clock import StageClock
from index.building.subprocess_task import run_in_subprocess
from index.building.unchanged_editions import UnchangedEditions
from index.encoding.encoder import Encoder, SubwordEncoder
from index.encoding.general import ONLY_BUILT_IN, GeneralEncoding
from index.layers.texts import RULES_TEXTS, RULING_TEXTS
from index.library.assembly import assemble_library
from index.library.indexed_texts import (
    IndexedText,
    all_terms,
    all_words,
    frequent_words,
    indexed_texts,
    prepared_editions,
)
from index.library.library import Library, load_library, save_library
from index.library.passage_lookup import PassageLookup
from index.library.phrasing_records import PHRASINGS, save_phrasings
from index.questions.question_parser import QuestionParser
from index.ranking.passage_features import PassageFeatures
from index.search import Index
from index.store.file_store import save_vectors, save_words
from index.store.milvus_connection import ALIAS, MilvusConnection
from index.store.milvus_store import save_milvus_part
from index.store.vectors import PassageVectors

SUBPROCESS_TEXTS = 20_000  # passages and phrasings whose indexing takes longer than to start a process and to send them there

LAYERS = (
    CARDS,
    RULINGS,
    RULES_TEXTS,
    RULING_TEXTS,
)  # folders of an index that nothing in the others is made of

Fill = Callable[[MilvusConnection, str], None]


class NothingToRead(RegulaError, ValueError):
    """A folder without a single readable rulebook."""


@dataclass(frozen=True)
class BuildOptions:
    """How an index is built.

    ``encoder`` is the name or folder of a sentence-transformers model, empty for the built-in one;
    ``general`` is the encoder beside it. ``store`` is the address of a database for the passages,
    as `index.store.milvus_address.MilvusAddress` reads it, empty for files; ``token`` authenticates
    there. ``fresh``: extract and encode all texts and train the encoder anew, whatever the
    published index has. ``wait`` is the number of seconds to wait for another build. ``kept`` has
    texts that were extracted from files, by the SHA-256 of these, to take over all the same.
    """

    encoder: str = ""
    store: str = ""
    token: str = ""
    fresh: bool = False
    wait: float = 0.0
    kept: Kept | None = None
    general: GeneralEncoding = ONLY_BUILT_IN


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

    The built-in encoder is taken over from the published index where training would hardly change
    it (see `index.building.reuse`). Where another build has meanwhile published an index that fits,
    that is the outcome. Raises `NothingToRead`, `CheckFailed`, `Busy`, `NotWritable` where the
    folder or the disk refuses, and `StoreUnreachable` where the store does not answer.
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


class _Builder:
    """One build of an index in the folder ``place``; each stage is a method, and `run` calls them
    in order.
    """

    def __init__(
        self,
        folder: Path,
        snapshots: Snapshots,
        place: Path,
        options: BuildOptions,
        progress: Progress,
    ):
        self._folder = folder
        self._snapshots = snapshots
        self._place = place
        self._options = options
        self._progress = progress
        self._clock = StageClock()
        self._ledger = CollectionLedger(snapshots, options.token)
        self._readings: KeptReadings | None = (
            None  # of this build, unless it takes the rulebooks over as they are
        )

    def run(self) -> BuildResult:
        """Build and publish."""
        self._ledger.reconcile(
            self._progress
        )  # else collections of builders that were killed would pile up
        self._check_store()
        options = self._options
        depends = dependencies(self._folder, options.encoder, options.store, options.general)
        marks: dict[str, Any] = {
            "fingerprint": combined(depends),
            RULEBOOKS: combined(depends, layers=False),
            DEPENDS: depends,
        }
        previous = PreviousIndex(self._snapshots)
        left_out, fill = self._rulebooks(previous, marks)
        library = load_library(self._place)
        marks[CARD_MARK], faults = self._cards(library, previous)
        faults = (*faults, *self._rulings(library))
        manifest = self._manifest({**marks, "left_out": left_out}, library)
        if fill:
            manifest["store"] = self._fill_store(fill, str(manifest["id"]))
        self._check(manifest)
        return self._publish(str(manifest["id"]), (*left_out, *faults))

    def _rulebooks(
        self, previous: PreviousIndex, marks: Mapping[str, Any]
    ) -> tuple[tuple[str, ...], Fill | None]:
        """Index the rulebooks, or take them over where nothing but cards and rulings changed; a
        line for each file left out.
        """
        only_layers = (
            previous.said(RULEBOOKS) == marks[RULEBOOKS]
            and previous.said("fingerprint") != marks["fingerprint"]
        )
        if (
            only_layers
            and not self._options.store
            and not self._options.fresh
            and previous.copy_without(LAYERS, self._place)
        ):
            self._progress("the rulebooks are those of the published index, which is taken over")
            self._clock.finish("reading")
            left_out = previous.said("left_out")
            return tuple(map(str, left_out)) if isinstance(left_out, list) else (), None
        found = self._read()
        return tuple(found.left_out), self._index_rulebooks(found, previous)

    def _index_rulebooks(self, found: RulebookFolder, previous: PreviousIndex) -> Fill | None:
        """Index the rulebooks that were read; what fills the store, where it is not in files."""
        kept = None if self._options.fresh else previous
        unchanged = UnchangedEditions(found.rulebooks, kept)
        unchanged.save(self._place)
        library = self._assemble(found.rulebooks, unchanged)
        texts = self._texts(found.rulebooks, library)
        words = frequent_words(texts)
        with (
            checking(self._place, found.rulebooks, library, unchanged, kept) as wait_for_findings,
            self._indexing_words(previous, texts, library) as wait_for_words,
        ):
            encoder = self._encoder(library, texts, kept)
            vectors = self._encode(library, texts, encoder, words, unchanged)
            self._learn_from_drafts(found.rulebooks, library, texts, encoder, previous)
            self._encode_generally(library, texts)
            wait_for_words()
            tables = WordTables.load(self._place / "forms")
            tables.save_analyses(words, self._place / "stems")
            self._clock.finish("words")
            self._save_question_tables(library, texts, tables)
            fill = self._save_store(library, texts, vectors, tables, kept)
            wait_for_findings()
            self._clock.finish("check")
        return fill

    def _cards(self, library: Library, previous: PreviousIndex) -> tuple[str, tuple[str, ...]]:
        """Put the cards of the games of ``library`` in; what they were made of, and a line for each
        fault in them.
        """
        concepts = {game: load_concepts(game) for game in library.games}
        made = save_card_stage(
            self._place, concepts, None if self._options.fresh else previous, self._progress
        )
        self._clock.finish("cards")
        return made

    def _rulings(self, library: Library) -> tuple[str, ...]:
        """Put the rulings on the games of ``library`` in, and what they and the cards are found by;
        a line for each fault in them.
        """
        faults = save_ruling_stage(
            self._place, library.games, self._options.encoder, self._progress
        )
        self._clock.finish("rulings")
        return faults

    def _check_store(self) -> None:
        """Raise `StoreUnreachable` where the store does not answer, before anything else takes its
        time.
        """
        if self._options.store:
            # Milvus Lite ends a connection that is idle for a minute, and the next one with it:
            # this one is not used again.
            with closing(MilvusConnection(self._options.store, self._options.token)) as connection:
                connection.has(ALIAS)

    def _read(self) -> RulebookFolder:
        """Read the rulebooks."""
        self._progress(f"reading {self._folder}")
        kept = self._options.kept or (
            None if self._options.fresh else KeptTexts(self._snapshots).get
        )
        self._readings = KeptReadings(
            self._snapshots.folder, self._place / "read", self._options.fresh
        )
        found = read_folder(self._folder, kept=kept, readings=self._readings)
        for note in found.notes:
            self._progress(note)
        if not found.rulebooks:
            raise NothingToRead(
                f"{self._folder}: no rulebook in it that can be read"
                + "".join(f"; {line}" for line in found.left_out)
            )
        if new := game_as_new():
            games = sorted({rulebook.edition.game for rulebook in found.rulebooks})
            if new not in games:
                raise NotFound(
                    f"no game {new!r} to take for a new one ({AS_NEW}); there are: {', '.join(games)}"
                )
            self._progress(f"of {new}, only its rulebooks are known, and what the workspace has")
        self._clock.finish("reading")
        return found

    def _assemble(self, rulebooks: Sequence[Rulebook], unchanged: UnchangedEditions) -> Library:
        """Resolve references and concepts, and write the library."""
        library = assemble_library(rulebooks, unchanged.references)
        self._progress(
            f"{len(rulebooks)} rulebooks, {len(library.entries)} entries, {len(library.passages)} passages, "
            f"{len(library.references)} references"
        )
        save_library(library, self._place, [r.document for r in rulebooks])
        self._clock.finish("tying")
        return library

    def _texts(self, rulebooks: Sequence[Rulebook], library: Library) -> list[IndexedText]:
        """Gather what is indexed of each passage: its own words and its phrasings."""
        texts = indexed_texts(
            library, gather_phrasings(rulebooks, {**tie_topics(rulebooks), **library.concepts})
        )
        save_phrasings((text.phrasings for text in texts), self._place / PHRASINGS)
        self._clock.finish("phrasings")
        return texts

    @contextmanager
    def _indexing_words(
        self, previous: PreviousIndex, texts: Sequence[IndexedText], library: Library
    ) -> Iterator[Callable[[], None]]:
        """Write the word forms of the languages, kept from the ``previous`` index where possible,
        and what a store in files has of words.

        Yields a function that waits for its end: where there is much to do, another process does it
        meanwhile.
        """
        much = (
            not previous.copy_folder("forms", self._place)
            or sum(1 + len(text.phrasings) for text in texts) > SUBPROCESS_TEXTS
        )
        with run_in_subprocess(
            much, _index_words, self._place, texts, library.bounds, not self._options.store
        ) as wait:
            self._clock.finish("words")
            yield wait

    def _encoder(
        self, library: Library, texts: Sequence[IndexedText], previous: PreviousIndex | None
    ) -> Encoder:
        """Choose, load or train the encoder."""
        name = self._options.encoder
        encoder = (
            hub_encoder(name, self._progress)
            if name
            else built_in_encoder(library, texts, self._place, previous, self._progress)
        )
        self._clock.finish("encoder")
        return encoder

    def _encode(
        self,
        library: Library,
        texts: Sequence[IndexedText],
        encoder: Encoder,
        words: Sequence[str],
        unchanged: UnchangedEditions,
    ) -> PassageVectors:
        """Encode the texts, and the frequent ``words`` of questions."""
        self._progress("encoding texts")
        cached = caching_encoder(
            encoder,
            self._options.encoder,
            self._snapshots,
            self._place,
            self._options.fresh,
            self._progress,
        )
        vectors = encode_texts(library, texts, cached, self._place, unchanged)
        cached.publish()
        self._progress(f"encoded: {cached.new} new ones of {cached.asked} texts")
        if isinstance(encoder, SubwordEncoder):
            encoder.save_word_sums(map(fold, words), self._place / "encoder")
        self._clock.finish("vectors")
        return vectors

    def _learn_from_drafts(
        self,
        rulebooks: Sequence[Rulebook],
        library: Library,
        texts: Sequence[IndexedText],
        encoder: Encoder,
        previous: PreviousIndex,
    ) -> None:
        """Learn how sure answers are from rulebooks whose phrasings a model drafted."""
        drafted = [
            rulebook.edition.id
            for rulebook in rulebooks
            if mostly_drafted(load_query_variants(rulebook.edition.id))
        ]
        if drafted:
            known = None if self._options.fresh else previous
            learn_from_drafts(library, texts, drafted, encoder, self._place, known, self._progress)
        self._clock.finish("drafts")

    def _encode_generally(self, library: Library, texts: Sequence[IndexedText]) -> None:
        """Encode with the general encoder too, where there is one."""
        options = self._options
        encode_generally(
            library,
            texts,
            options.general,
            self._snapshots,
            self._place,
            options.fresh,
            self._progress,
        )
        self._clock.finish("general")

    def _save_question_tables(
        self, library: Library, texts: Sequence[IndexedText], tables: WordTables
    ) -> None:
        """Write what reading questions and ranking look up of the library."""
        self._progress("indexing words and characters")
        QuestionParser(library, tables).save(self._place / "questions")
        prepared = prepared_editions(texts, library.bounds)
        PassageFeatures.build(library, Analyzer(tables), prepared).save(self._place / "features")
        PassageLookup.build(library).save(self._place / "lookup")
        self._clock.finish("features")

    def _save_store(
        self,
        library: Library,
        texts: Sequence[IndexedText],
        vectors: PassageVectors,
        tables: WordTables,
        previous: PreviousIndex | None,
    ) -> Fill | None:
        """Write the vectors for a store in files or, for one elsewhere, what it has here; then a
        function that fills it is returned.
        """
        fill = None
        if self._options.store:
            terms = all_terms(texts, Analyzer(tables))
            fill = save_milvus_part(
                self._place, terms, all_words(texts), library.editions, library.bounds, vectors
            )
        else:
            save_vectors(
                self._place,
                vectors,
                before=previous.whole_folder("vectors", "nearest") if previous else None,
            )
        self._clock.finish("vectors")
        return fill

    def _manifest(self, marks: Mapping[str, Any], library: Library) -> dict[str, Any]:
        """What the index says about itself, ``marks`` among it; its probes are chosen when it is
        checked.
        """
        built = datetime.now(UTC)
        files = {
            str(p.relative_to(self._place)): file_digest(p)
            for p in sorted(self._place.rglob("*"))
            if p.is_file()
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
        """Fill a new collection in the database; its address and name."""
        self._progress(f"filling {self._options.store}")
        made = self._ledger.register(self._options.store, id)
        with closing(MilvusConnection(self._options.store, self._options.token)) as connection:
            fill(connection, made.collection)
        self._clock.finish("store")
        return made._asdict()

    def _check(self, manifest: Mapping[str, Any]) -> None:
        """Load the index, ask it for its own headings, and write the manifest with the probes for
        later loads.
        """
        self._progress("checking")
        path = self._place / MANIFEST
        path.write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        index = Index.load(self._place, self._options.token)
        confirm_index(index, manifest)
        path.write_text(
            json.dumps({**manifest, "probes": choose_probes(index)}, indent=1, ensure_ascii=False),
            encoding="utf-8",
        )

    def _publish(self, id: str, left_out: tuple[str, ...]) -> BuildResult:
        """Publish the snapshot in one step, and leave to the next build how its documents were
        read.
        """
        if self._readings:
            self._readings.publish()
        keep_former_words(self._snapshots, self._snapshots.current(), self._place, self._progress)
        self._clock.finish("former")
        self._snapshots.publish(self._place, id)
        self._ledger.reconcile(self._progress)
        self._clock.finish("checking")
        self._progress(f"published {id} after {self._clock}")
        return BuildResult(id, left_out, self._clock.seconds)


def _index_words(
    place: Path, texts: Sequence[IndexedText], bounds: Sequence[int], in_files: bool
) -> None:
    """Write to ``place`` the word forms, unless they are there, and what a store ``in_files`` needs
    of the words of ``texts``.
    """
    if not (place / "forms").exists():
        WordTables.compile().save(place / "forms")
    if in_files:
        save_words(
            place,
            all_terms(texts, Analyzer(WordTables.load(place / "forms"))),
            all_words(texts),
            bounds,
        )
