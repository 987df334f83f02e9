"""Reuse results of the previous build: parts of the published index, extracted texts, readings of
documents, vectors of texts.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from corpus.blocks import ExtractedText
from corpus.document import Document
from corpus.edition_files import described_editions
from corpus.folder import Reading
from corpus.languages import LANGUAGES, get_language
from corpus.model import Rulebook
from corpus.workspace import EDITIONS, data_files_of, workspace
from glossary.model import Reference
from index.building.fingerprints import build_program_hash, extraction_hash
from index.building.snapshots import Damaged, Snapshots
from index.encoding.encoder import Encoder
from index.files.durable import file_digest, program_hash
from index.library.document_texts import load_document
from index.library.indexed_texts import IndexedText, Run
from index.library.library import Library, load_library

T = TypeVar("T")

TRAINED_TEXTS = "encoder/trained.npz"
MARKS = "marks.json"
READINGS, ENCODED, GENERALLY_ENCODED = "read", "encoded", "generally-encoded"  # names of caches

_READING = TypeAdapter(Reading)
_CHUNK = 20_000  # texts that are encoded between two reports of progress
CHECKED = 16  # texts encoded again, to detect another model with the same name
_TOLERANCE = 1e-3  # between two encodings of a text, which others in the same batch change a little


class PreviousIndex:
    """The published index, parts of which a build by the same program may reuse."""

    def __init__(self, snapshots: Snapshots):
        self._folder: Path | None = None
        self._files: dict[str, object] = {}
        self._manifest: Mapping[str, object] = {}
        try:
            id = snapshots.current()
            manifest = snapshots.manifest(id) if id else {}
        except (Damaged, OSError):
            return
        files = manifest.get("files")
        if id and manifest.get("program") == build_program_hash() and isinstance(files, dict):
            self._folder, self._files, self._manifest = snapshots.path(id), files, manifest

    def said(self, name: str) -> object:
        """Return the value of ``name`` in the manifest of this index; None if there is none."""
        return self._manifest.get(name)

    def copy_folder(self, name: str, place: Path) -> bool:
        """Copy the folder ``name`` into ``place``, where the new index is built. Return False if it
        is missing or damaged.
        """
        return self._copy([file for file in self._files if file.startswith(f"{name}/")], place)

    def copy_without(self, folders: Sequence[str], place: Path) -> bool:
        """Copy all but ``folders`` into ``place``. Return False if a file is missing or damaged."""
        wanted = [file for file in self._files if file.partition("/")[0] not in folders]
        return self._copy(wanted, place)

    def _copy(self, files: Sequence[str], place: Path) -> bool:
        if self._folder is None or not files or not all(map(self._whole, files)):
            return False
        for file in files:
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self._folder / file, place / file)
        return True

    def read(self, file: str) -> bytes | None:
        """Read ``file``; None if it is missing or damaged."""
        whole = self._folder is not None and self._whole(file)
        return (self._folder / file).read_bytes() if self._folder and whole else None

    def load(self, load: Callable[[Path], T], folder: str, *names: str) -> T | None:
        """Load ``folder`` of this index from the files and folders ``names`` that it needs; None if
        any is missing, damaged, or not readable by this program.
        """
        parts = [
            [file for file in self._files if file == name or file.startswith(f"{name}/")]
            for name in names or (folder,)
        ]
        if self._folder is None or not all(
            files and all(map(self._whole, files)) for files in parts
        ):
            return None
        try:
            return load(self._folder / folder)
        except Exception:  # libraries may raise anything at unreadable content
            return None

    def is_same(self, file: str, place: Path) -> bool:
        """Return whether ``file`` is the same in this index and in ``place``."""
        here = place / file
        return file in self._files and here.exists() and self._files[file] == file_digest(here)

    def trained_share(self, texts: TrainingTexts) -> float:
        """Return the share of ``texts`` that the encoder was trained on: of passages or of
        variants, whichever is less; 0.0 without an encoder.
        """
        if self._folder is None or not self._whole(TRAINED_TEXTS):
            return 0.0
        with np.load(self._folder / TRAINED_TEXTS) as trained:
            pairs = [(here, trained[name]) for name, here in texts._asdict().items()]
            return min((float(np.isin(h, t).mean()) for h, t in pairs if len(h)), default=0.0)

    def _whole(self, file: str) -> bool:
        try:
            assert self._folder is not None
            return file_digest(self._folder / file) == self._files.get(file)
        except OSError:
            return False


class TrainingTexts(NamedTuple):
    """Hashes of 8 bytes of the texts that an encoder is trained on, each once, ascending."""

    passages: NDArray[np.uint64]
    phrasings: NDArray[np.uint64]

    @classmethod
    def of(cls, texts: Sequence[IndexedText]) -> TrainingTexts:
        """Return the hashes of ``texts`` and of their query variants."""
        variants = (phrasing.text for text in texts for phrasing in text.phrasings)
        return cls(*(np.unique(_hashes(each)) for each in ((t.text for t in texts), variants)))

    def save(self, folder: Path) -> None:
        """Write the hashes to ``folder``."""
        np.savez(folder / TRAINED_TEXTS, **self._asdict())


def _hashes(texts: Iterable[str]) -> NDArray[np.uint64]:
    """Return a hash of 8 bytes of each of ``texts``."""
    digests = (hashlib.blake2b(t.encode("utf-8", "surrogatepass"), digest_size=8) for t in texts)
    return np.frombuffer(b"".join(each.digest() for each in digests), dtype=">u8").astype(np.uint64)


class EditionMarks(NamedTuple):
    """Hashes of everything that the results for an edition depend on.

    ``own`` is the hash of the document and the edition read from it. ``company`` also covers the
    other rulebooks of the game or in the same folder, and what else the workspace has on the game.
    """

    own: str
    company: str


def edition_marks(rulebooks: Sequence[Rulebook]) -> dict[str, EditionMarks]:
    """Return the marks of ``rulebooks`` by edition id."""
    data = hashlib.sha256(program_hash(("corpus", "glossary"), (".yaml", ".json", ".csv")).encode())
    data.update(f"{build_program_hash()} {_languages()}".encode())
    own = {
        r.edition.id: _hash(
            data.hexdigest(),
            r.document.sha256,
            r.document.text_sha256,
            r.document.file,
            repr(r.edition),
        )
        for r in rulebooks
    }
    if (home := workspace()) is not None:
        for path in data_files_of(home):
            name = path.relative_to(home)
            if name.parts[0] != EDITIONS:  # data of other games do not matter
                data.update(f"{name} {file_digest(path)}\n".encode("utf-8", "surrogateescape"))
    described = defaultdict(list)
    for each in described_editions():
        described[each.edition.game].append(repr(each))
    company: dict[str, list[str]] = defaultdict(list)
    for rulebook in rulebooks:
        for group in _groups(rulebook):
            company[group].append(own[rulebook.edition.id])
    return {
        r.edition.id: EditionMarks(
            own[r.edition.id],
            _hash(
                data.hexdigest(),
                own[r.edition.id],
                *described[r.edition.game],
                *(mark for group in _groups(r) for mark in company[group]),
            ),
        )
        for r in rulebooks
    }


def companions(some: Sequence[Rulebook], rulebooks: Sequence[Rulebook]) -> list[Rulebook]:
    """Return the ``rulebooks`` that share a game or folder with one of ``some``, and these."""
    groups = {group for rulebook in some for group in _groups(rulebook)}
    return [rulebook for rulebook in rulebooks if not groups.isdisjoint(_groups(rulebook))]


def _groups(rulebook: Rulebook) -> list[str]:
    """Return the groups that a rulebook is read together with: its game, and its folder."""
    folder = rulebook.document.folder
    return [f"game {rulebook.edition.game}", *([f"folder {folder}"] if folder else [])]


def _languages() -> str:
    return "".join(get_language(code).model_dump_json() for code in LANGUAGES)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


class UnchangedEditions:
    """The editions of ``rulebooks`` that are unchanged since the ``previous`` index: by themselves
    (``alone``), or with all rulebooks that they are read together with (``in_company``).
    """

    def __init__(self, rulebooks: Sequence[Rulebook], previous: PreviousIndex | None):
        self.marks = edition_marks(rulebooks)
        self.previous = previous
        before: dict[str, EditionMarks] = {}
        with suppress(ValueError, TypeError, AttributeError):  # another program stored others
            stored = json.loads(self.read(MARKS) or "{}")
            before = {id: EditionMarks(*marks) for id, marks in stored.items()}
        both = [id for id in self.marks if id in before]
        self.alone = frozenset(id for id in both if before[id].own == self.marks[id].own)
        self.in_company = frozenset(id for id in both if before[id] == self.marks[id])

    @cached_property
    def _library(self) -> Library | None:
        return self.load(load_library, "", "library", "library.json")

    def references(self, edition: str) -> Sequence[Reference] | None:
        """Return the references in an ``edition``, or None if they still have to be found."""
        if edition not in self.in_company or self._library is None:
            return None
        return self._library.references_in(edition)

    def numbers(self, library: Library) -> dict[int, int]:
        """Return the numbers in ``library`` of the editions that are unchanged by themselves, each
        with its number in the previous index.
        """
        then = self._library
        if then is None:
            return {}
        before = {edition.id: number for number, edition in enumerate(then.editions)}
        pairs = {
            number: before[edition.id]
            for number, edition in enumerate(library.editions)
            if edition.id in self.alone & before.keys()
        }
        return {
            n: b for n, b in pairs.items() if _length(library.bounds, n) == _length(then.bounds, b)
        }

    def runs(self, library: Library) -> list[Run]:
        """Return the searchable passages of the editions that `numbers` returns."""
        then = self._library
        return [
            Run(library.bounds[n], then.bounds[b], _length(library.bounds, n))
            for n, b in self.numbers(library).items()
            if then is not None
        ]

    def load(self, load: Callable[[Path], T], folder: str, *names: str) -> T | None:
        """Load a part of the previous index, if any, as `PreviousIndex.load` does, else None."""
        return self.previous.load(load, folder, *names) if self.previous else None

    def read(self, file: str) -> bytes | None:
        """Read a ``file`` of the previous index; None if it is missing or damaged."""
        return self.previous.read(file) if self.previous else None

    def save(self, folder: Path) -> None:
        """Write the marks to ``folder`` for the next build."""
        (folder / MARKS).write_text(json.dumps(self.marks), encoding="utf-8")


def _length(bounds: Sequence[int], edition: int) -> int:
    return bounds[edition + 1] - bounds[edition]


class KeptTexts:
    """The texts extracted from files for the published index, which took minutes, if the program
    and its libraries would still extract the same.
    """

    def __init__(self, snapshots: Snapshots):
        self._snapshots, self._id = snapshots, ""
        self._texts: dict[str, str] = {}
        # An index of another version may have another form.
        with suppress(Damaged, OSError, ValueError, LookupError, TypeError, AttributeError):
            id = snapshots.current()
            if id and snapshots.manifest(id).get("extraction") == extraction_hash():
                sources = json.loads(snapshots.read(id, "library.json"))["sources"].values()
                self._texts = {source["sha256"]: source["text_sha256"] for source in sources}
                self._id = id

    def get(self, sha256: str) -> ExtractedText | None:
        """Return the text extracted from the file ``sha256``; None if missing or altered."""
        if sha256 not in self._texts:
            return None
        names, read = self._snapshots.files(self._id), partial(self._snapshots.read, self._id)
        try:
            return load_document("", sha256, self._texts[sha256], names, read).extracted
        except Damaged:
            return None


def _cache_files(folder: Path, name: str, identity: str) -> list[Path]:
    """Return the caches called ``name`` whose file name ends with the hash of their content."""
    found = folder.glob(f"{name}-{identity}-*")
    return [path for path in found if path.name.endswith(file_digest(path))]


def _publish_cache(written: Path, folder: Path, name: str, identity: str) -> None:
    cache = folder / f"{name}-{identity}-{file_digest(written)}"
    for other in folder.glob(f"{name}-*"):
        other.unlink()  # first, so that there is never more than one, even if a build is killed
    written.replace(cache)


def _add_to_cache(folder: Path, name: str, identity: str, content: bytes) -> None:
    """Add ``content`` to the cache as a file of its own; a partly written file does not count."""
    digest = hashlib.sha256(content).hexdigest()
    (folder / f"{name}-{identity}-{digest}").write_bytes(content)


class KeptReadings:
    """The readings of documents that the previous build by the same program kept in one file in
    ``folder``; empty if ``fresh``.

    Each reading is two lines of JSON: the key of the document, and the reading. `publish` keeps the
    added readings for the next build. The file name contains the hash of the content, which is
    verified.
    """

    def __init__(self, folder: Path, writing: Path, fresh: bool = False):
        self._folder, self._writing = folder, writing
        program = f"{extraction_hash()} {version('lingua-language-detector')}"
        self._identity = _hash(program, _languages())[:16]
        self._known: dict[bytes, bytes] = {}
        for path in [] if fresh else _cache_files(folder, READINGS, self._identity):
            lines = path.read_bytes().split(b"\n")
            self._known = dict(zip(lines[::2], lines[1::2], strict=False))
        self._used: list[bytes] = []

    def get(self, document: Document) -> Reading | None:
        """Return the reading of ``document``, or None if there is none."""
        with suppress(ValidationError):
            if line := self._known.get(_key(document)):
                return _READING.validate_json(line)
        return None

    def add(self, document: Document, reading: Reading) -> None:
        """Add the ``reading`` of ``document``."""
        # JSON cannot have half a surrogate pair, which a damaged font may yield.
        with suppress(PydanticSerializationError):
            self._used += (_key(document), _READING.dump_json(reading))

    def publish(self) -> None:
        """Save the added readings for the next build; all others are dropped."""
        self._writing.write_bytes(b"\n".join(self._used))
        _publish_cache(self._writing, self._folder, READINGS, self._identity)


def _key(document: Document) -> bytes:
    """Return a key that distinguishes ``document`` from others that may be read differently."""
    return json.dumps([document.sha256, document.text_sha256, document.folder]).encode()


class CachingEncoder:
    """An encoder that looks up what earlier builds encoded, and encodes the rest by ``encoder``.

    Requested vectors are written to the file ``writing``; `publish` makes them the cache of the
    next build: one file in ``folder``, named by ``identity``, which is different for every encoder,
    and by the hash of its content, which is verified. ``report`` is called after each ``chunk``
    with "passage" or "question", the number of encoded texts and the number of all.

    A ``slow`` encoder saves each chunk for the next build at once, in a file of its own: what an
    interrupted build has encoded is not encoded again. ``checked`` texts are encoded again, to
    detect another model with the same name. Without ``writing``, nothing can be published.
    """

    def __init__(
        self,
        encoder: Encoder,
        folder: Path,
        identity: str,
        writing: Path | None,
        fresh: bool = False,
        report: Callable[[str, int, int], None] = lambda kind, done, of: None,
        name: str = ENCODED,
        chunk: int = _CHUNK,
        slow: bool = False,
        checked: int = CHECKED,
    ):
        self._encoder, self._report, self._chunk = encoder, report, chunk
        self._slow, self._checked = slow, checked
        self._publish = partial(_publish_cache, folder=folder, name=name, identity=identity)
        self._leave = partial(_add_to_cache, folder, name, identity)
        self._writing = writing
        self._row = np.dtype([("text", "<u8"), ("vector", "<f4", (encoder.dimensions,))])
        parts = [
            np.memmap(path, self._row, "r")
            for path in ([] if fresh else _cache_files(folder, name, identity))
            if (size := path.stat().st_size) and not size % self._row.itemsize
        ]
        none = np.empty(0, dtype=self._row)
        self._rows = parts[0] if len(parts) == 1 else np.concatenate([none, *parts])
        self._order = np.argsort(self._rows["text"])
        self.asked = self.new = 0
        if writing is not None:
            writing.touch()

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._encoder.dimensions

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Return unit vectors of passages, shape (len(texts), dimensions)."""
        return self._vectors("passage", texts, self._encoder.passages)

    def questions(self, texts: list[str]) -> NDArray[np.float32]:
        """Return unit vectors of questions, shape (len(texts), dimensions)."""
        return self._vectors("question", texts, self._encoder.questions)

    def count_new(self, kind: str, texts: Iterable[str]) -> int:
        """Return how many of ``texts``, of the ``kind`` "passage" or "question", earlier builds
        have not encoded.
        """
        return int((~self._find(_hashes(f"{kind} {text}" for text in texts))[0]).sum())

    def publish(self) -> None:
        """Save the requested vectors for the next build; the rest of the cache is dropped."""
        assert self._writing is not None
        self._publish(self._writing)

    def _find(self, numbers: NDArray[np.uint64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Return which of the texts with these hashes are known, and their rows."""
        if not len(self._rows):
            return np.zeros(len(numbers), dtype=np.bool_), np.zeros(len(numbers), dtype=np.int64)
        known = self._rows["text"][self._order]
        at = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
        return known[at] == numbers, self._order[at]

    def _vectors(
        self, kind: str, texts: list[str], encode: Callable[[list[str]], NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        place = {text: n for n, text in enumerate(dict.fromkeys(texts))}
        every = list(place)
        numbers = _hashes(f"{kind} {text}" for text in every)
        found = np.empty((len(every), self.dimensions), dtype=np.float32)
        there, at = self._find(numbers)
        found[there] = self._rows["vector"][at[there]]
        tried = np.flatnonzero(there)[: self._checked]
        again = encode([every[n] for n in tried]) if len(tried) else found[:0]
        if not np.allclose(again, found[tried], atol=_TOLERANCE):  # another encoder
            self._rows, there = self._rows[:0], np.zeros(len(every), dtype=np.bool_)
        missing = np.flatnonzero(~there)
        for start in range(0, len(missing), self._chunk):
            some = missing[start : start + self._chunk]
            found[some] = encode([every[n] for n in some])
            if self._slow:
                self._leave(self._as_rows(numbers[some], found[some]))
            if len(missing) > self._chunk:
                self._report(kind, start + len(some), len(missing))
        self.asked += len(every)
        self.new += len(missing)
        if self._writing is not None:
            with self._writing.open("ab") as file:
                for start in range(0, len(every), _CHUNK):
                    end = start + _CHUNK
                    # `tofile` does not say why it fails
                    file.write(self._as_rows(numbers[start:end], found[start:end]))
        return found if len(every) == len(texts) else found[[place[text] for text in texts]]

    def _as_rows(self, numbers: NDArray[np.uint64], vectors: NDArray[np.float32]) -> bytes:
        rows = np.empty(len(numbers), dtype=self._row)
        rows["text"], rows["vector"] = numbers, vectors
        return rows.tobytes()
