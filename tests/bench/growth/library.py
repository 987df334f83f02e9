"""Made-up rulebooks as a library that is kept in mapped files: passages and entries become objects only when they are asked for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, overload

import numpy as np

from corpus.model import Edition, Entry, Kind, Lines, Passage, Role, Span
from index.compact import mapped
from index.library import Library, Source
from index.places import Places, lengths
from tests.bench.growth.rulebooks import MadeBook

_LINES = Lines(1, 1)


def write(folder: Path, books: Iterable[MadeBook]) -> None:
    """Keep ``books`` in ``folder``."""
    folder.mkdir(parents=True)
    editions, titles, entries, sizes, bounds, begun = [], [], [], [], [0], []
    with (folder / "texts.bin").open("wb") as file:
        for book in books:
            begun.append(len(titles))
            editions.append({**asdict(book.edition), "corrections": []})
            for entry in book.entries:
                texts = [text.encode() for text in entry.passages]
                entries += [len(titles)] * len(texts)
                sizes += map(len, texts)
                file.writelines(texts)
                titles.append(entry.title)
            bounds.append(len(sizes))
    (folder / "made.json").write_text(json.dumps({"editions": editions}), encoding="utf-8")
    kept = {"entries": entries, "begin": np.cumsum([0, *sizes]), "bounds": bounds, "begun": begun}
    for name, values in kept.items():
        np.save(folder / f"{name}.npy", np.array(values, dtype=np.int64))
    (folder / "titles.bin").write_bytes("".join(titles).encode())
    np.save(folder / "titled.npy", np.cumsum([0, *(len(title.encode()) for title in titles)]))


class MadeLibrary(Library):
    """The library kept in a folder by `write`: no references, no cards, no concepts, no fallbacks."""

    def __init__(self, folder: Path):
        data = json.loads((folder / "made.json").read_text(encoding="utf-8"))
        editions = tuple(Edition(**{**e, "corrections": ()}) for e in data["editions"])
        super().__init__(editions, {e.id: Source(f"{e.id}.txt", "0" * 64) for e in editions}, (), (), (), {})
        arrays = ("entries", "begin", "bounds", "begun", "titled")
        self.__dict__["made"] = {name: mapped(folder / f"{name}.npy") for name in arrays}
        self.__dict__["texts"] = {name: np.memmap(folder / f"{name}.bin", np.uint8, "r") for name in ("texts", "titles")}

    @property
    def bounds(self) -> tuple[int, ...]:  # type: ignore[override]
        """See `Library`."""
        return tuple(self.__dict__["made"]["bounds"].tolist())

    @property
    def searchable(self) -> Sequence[Passage]:  # type: ignore[override]
        """See `Library`."""
        return _Passages(self)

    @property
    def entry(self) -> Mapping[str, Entry]:  # type: ignore[override]
        """See `Library`."""
        return _Entries(self)

    def passage_at(self, number: int) -> Passage:
        """The passage with that number."""
        made = self.__dict__["made"]
        entry, ordinal = int(made["entries"][number]), 0
        while number > ordinal and made["entries"][number - ordinal - 1] == entry:
            ordinal += 1
        text = self._text("texts", made["begin"], number)
        id = self._id(entry)
        return Passage(f"{id}#{number}", id, ordinal, Role.TEXT, 0, (Span(0, len(text)),), _LINES, text, text)

    def entry_at(self, number: int) -> Entry:
        """The entry with that number."""
        title = self._text("titles", self.__dict__["made"]["titled"], number)
        id = self._id(number)
        return Entry(id, id.partition("/")[0], Kind.TERM, title, title, None, None, None, None, (), (), _LINES)

    def _id(self, entry: int) -> str:
        return f"{self.editions[int(np.searchsorted(self.__dict__['made']['begun'], entry, side='right')) - 1].id}/{entry}"

    def _text(self, name: str, begin: Any, number: int) -> str:
        return bytes(self.__dict__["texts"][name][begin[number] : begin[number + 1]]).decode()

    def places(self) -> Places:
        """Where its passages stand."""
        made = self.__dict__["made"]
        begins = np.r_[True, np.diff(made["entries"]) > 0]
        return Places(self.editions, made["bounds"], made["entries"], begins, lengths(np.diff(made["begin"])), {}, {}, {}, {})


class _Passages(Sequence[Passage]):
    def __init__(self, library: MadeLibrary):
        self._library = library
        self._count = library.bounds[-1]

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, number: int) -> Passage: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Passage]: ...

    def __getitem__(self, number: int | slice) -> Passage | Sequence[Passage]:
        if isinstance(number, slice):
            return [self._library.passage_at(n) for n in range(*number.indices(self._count))]
        if not 0 <= number < self._count:
            raise IndexError(number)
        return self._library.passage_at(number)


class _Entries(Mapping[str, Entry]):
    def __init__(self, library: MadeLibrary):
        self._library = library

    def __getitem__(self, id: str) -> Entry:
        return self._library.entry_at(int(id.rpartition("/")[2]))

    def __len__(self) -> int:
        return len(self._library.__dict__["made"]["titled"]) - 1

    def __iter__(self) -> Iterator[str]:
        return (self._library.entry_at(n).id for n in range(len(self)))
