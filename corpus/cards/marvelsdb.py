"""Reads the card databases of MarvelCDB's kind: packs.json, pack/*.json in English,
translations/<language>/ of the same names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from corpus.cards.faults import FaultList
from corpus.cards.files import CardFiles
from corpus.cards.folder import CardFolder, CardMaker, CardTerm, Record, languages_of
from corpus.cards.json_values import parse_json
from corpus.cards.marvelsdb_records import MarvelCard, MarvelName, MarvelTexts
from corpus.cards.marvelsdb_stats import printed_values
from corpus.cards.model import Card, CardErratum, CardFace, CardText, Printing, TextKind
from corpus.cards.symbols import with_symbols_shown

FORM = "marvelsdb-json-data"
_TRANSLATIONS = "translations"
_ENGLISH = "en"
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_NUMBERED = re.compile(r"\d([a-z])$")
_RULES = ("text", "scheme text")
_MOST_BACKS = 10


class _MarvelOriginal(NamedTuple):
    """A card's record in English, with its data as it stands and as checked."""

    record: Record
    card: MarvelCard


class _MarvelVersion(NamedTuple):
    """The texts of a record in one language."""

    language: str
    record: Record
    texts: MarvelTexts


def is_marvelsdb(files: CardFiles) -> bool:
    """Whether ``files`` are a database of this kind."""
    return "packs.json" in files.names and bool(files.in_folder("pack"))


def read_marvelsdb(files: CardFiles, game: str, faults: FaultList) -> CardFolder:
    """The cards of ``files``; a record that cannot be read is left out."""
    return _MarvelDatabase(files, CardMaker(game, faults)).read()


class _MarvelDatabase:
    def __init__(self, files: CardFiles, make: CardMaker):
        self._files, self._make, self._faults = files, make, make.faults
        found = {
            PurePosixPath(name).parts[1]
            for name in files.names
            if name.startswith(f"{_TRANSLATIONS}/") and name.count("/") > 1
        }
        self._languages = sorted(language for language in found if _LANGUAGE.fullmatch(language))
        self._packs = self._named("packs")
        self._pack_names = self._names("packs")

    def read(self) -> CardFolder:
        originals = self._originals()
        versions = {
            code: [_MarvelVersion(_ENGLISH, each.record, each.card)]
            for code, each in originals.items()
        }
        for language in self._languages:
            self._translate(language, originals, versions)
        own = {code: each for code, each in originals.items() if each.card.duplicate_of is None}
        backs = self._backs(own)
        behind = set(backs.values())
        fronts = [each for code, each in own.items() if code not in behind]
        printed = self._printings(originals, own)
        cards = tuple(
            self._card(front, own, backs, versions, printed[front.card.code])
            for front in sorted(fronts, key=self._order)
        )
        return CardFolder(cards, self._faults.all(), self._terms(cards), languages_of(cards), FORM)

    def _order(self, each: _MarvelOriginal) -> tuple[int, str]:
        pack = self._packs.get(each.card.pack_code)
        return (pack.position or 0 if pack else 0, each.card.code)

    def _records(self, name: str) -> list[Record]:
        file = self._files.read(name)
        return self._make.records(file, parse_json(file.text)) if file else []

    def _named(self, name: str, folder: str = "") -> dict[str, MarvelName]:
        """The records of a file of names by code; none where there is no such file."""
        path = f"{folder}{name}.json"
        found = (
            self._make.valid(record, MarvelName)
            for record in (self._records(path) if path in self._files.names else ())
        )
        return {each.code: each for each in found if each}

    def _names(self, name: str) -> dict[str, dict[str, str]]:
        """What is named in the files ``name``, by code and language."""
        found: dict[str, dict[str, str]] = {}
        original = self._packs if name == "packs" else self._named(name)
        for language, named in (
            (_ENGLISH, original),
            *((lang, self._named(name, f"{_TRANSLATIONS}/{lang}/")) for lang in self._languages),
        ):
            for code, each in named.items():
                found.setdefault(code, {})[language] = each.name
        return found

    def _originals(self) -> dict[str, _MarvelOriginal]:
        """The records in English by code."""
        found: dict[str, _MarvelOriginal] = {}
        for name in self._files.in_folder("pack"):
            for record in self._records(name):
                card = self._make.valid(record, MarvelCard)
                if card is None:
                    continue
                if card.code in found:
                    self._faults.add(
                        name,
                        record.pointer(),
                        f"card {card.code} again, after {found[card.code].record.file.name}; left out",
                    )
                elif not card.duplicate_of and not (card.name and card.name.strip()):
                    self._faults.add(
                        name, record.pointer(), f"card {card.code} has no name; left out"
                    )
                else:
                    found[card.code] = _MarvelOriginal(record, card)
        for code, each in list(found.items()):
            first = found.get(each.card.duplicate_of) if each.card.duplicate_of else each
            if first is None or (first is not each and first.card.duplicate_of):
                place = each.record.pointer("duplicate_of")
                self._faults.add(
                    each.record.file.name,
                    place,
                    f"no card {each.card.duplicate_of} to be printed again; left out",
                )
                del found[code]
        return found

    def _translate(
        self,
        language: str,
        originals: dict[str, _MarvelOriginal],
        versions: dict[str, list[_MarvelVersion]],
    ) -> None:
        """Add to ``versions`` those in ``language``; of two of a record, that in the file of the
        same name as the original's counts.
        """
        found: dict[str, _MarvelVersion] = {}
        for name in self._files.in_folder(f"{_TRANSLATIONS}/{language}/pack"):
            for record in self._records(name):
                texts = self._make.valid(record, MarvelTexts)
                if texts is None:
                    continue
                original, before = originals.get(texts.code), found.get(texts.code)
                if original is None:
                    self._faults.add(
                        name, record.pointer(), f"no card {texts.code} to be translated; left out"
                    )
                    continue
                if before is not None:
                    kept = _same_file(before.record, original.record) or not _same_file(
                        record, original.record
                    )
                    other = record if kept else before.record
                    self._faults.add(
                        other.file.name,
                        other.pointer(),
                        f"card {texts.code} is translated twice; left out",
                    )
                    if kept:
                        continue
                found[texts.code] = _MarvelVersion(language, record, texts)
        for code, version in found.items():
            versions[code].append(version)

    def _backs(self, own: dict[str, _MarvelOriginal]) -> dict[str, str]:
        """The codes of backs by those of the cards that they belong to; a back belongs to one
        card.
        """
        backs: dict[str, str] = {}
        taken: set[str] = set()
        linked = [each for each in own.values() if each.card.back_link]
        for each in sorted(
            linked, key=lambda one: one.card.code[:-1] != (one.card.back_link or "")[:-1]
        ):  # "1a" and "1b" first
            code, back = each.card.code, each.card.back_link or ""
            place = each.record.pointer("back_link")
            if back not in own or back == code:
                self._faults.add(
                    each.record.file.name, place, f"no card {back} to be the back of {code}"
                )
            elif back in taken or _leads_to(backs, back, code):
                self._faults.add(
                    each.record.file.name,
                    place,
                    f"card {back} is a back already; not taken for that of {code} too",
                )
            else:
                backs[code] = back
                taken.add(back)
        return backs

    def _printings(
        self, originals: dict[str, _MarvelOriginal], own: dict[str, _MarvelOriginal]
    ) -> dict[str, list[_MarvelOriginal]]:
        """The records of the printings of each card by its code, its own first."""
        found = {code: [each] for code, each in own.items()}
        for each in originals.values():
            if each.card.duplicate_of in found:
                found[each.card.duplicate_of].append(each)
        return found

    def _card(
        self,
        front: _MarvelOriginal,
        own: dict[str, _MarvelOriginal],
        backs: dict[str, str],
        versions: dict[str, list[_MarvelVersion]],
        printed: list[_MarvelOriginal],
    ) -> Card:
        faces: list[CardFace] = []
        notes: list[CardText] = []
        code: str | None = front.card.code
        while code is not None:
            each = own[code]
            faces += self._faces(each, versions[code])
            notes += self._make.text(
                each.record, "errata", each.card.errata, _ENGLISH, TextKind.RULES
            )
            code = backs.get(code)
            if code is not None and len(faces) > _MOST_BACKS:
                self._faults.add(
                    each.record.file.name,
                    each.record.pointer("back_link"),
                    f"more than {_MOST_BACKS} backs; left out",
                )
                break
        again = [
            text
            for each in printed[1:]
            for version in versions[each.card.code]
            for text in self._flavour(version, "flavor")
        ]
        known = {text.display for text in faces[0].texts}
        faces[0] = faces[0]._replace(
            texts=(*faces[0].texts, *(text for text in again if text.display not in known))
        )
        slug = self._make.slug(faces[0].names, faces[0].subtitles, front.card.code)
        errata = tuple(CardErratum(None, None, "", note) for note in notes)
        printings = tuple(map(self._printing, printed))
        return Card(
            front.card.code,
            self._make.game,
            slug,
            tuple(faces),
            printings,
            errata,
            {},
            bool(front.card.is_unique),
        )

    def _printing(self, each: _MarvelOriginal) -> Printing:
        code, pack = each.card.code, each.card.pack_code
        letter = _NUMBERED.search(code)
        number = (
            f"{each.card.position}{letter.group(1) if letter else ''}"
            if each.card.position is not None
            else ""
        )
        date = self._packs[pack].date_release if pack in self._packs else None
        return Printing(
            code, dict(self._pack_names.get(pack, {_ENGLISH: pack})), number, date or ""
        )

    def _faces(self, each: _MarvelOriginal, versions: list[_MarvelVersion]) -> Iterator[CardFace]:
        """The face of a record, and its back where it has that too."""
        try:
            stats = self._make.stats(printed_values(each.record.data))
        except ValueError as fault:
            self._faults.add(
                each.record.file.name, each.record.pointer(), f"{fault}; its values are left out"
            )
            stats = {}
        translated = [
            version for version in versions if version.language == _ENGLISH or version.texts.name
        ]
        yield CardFace(
            self._by_language(translated, "name"),
            self._by_language(versions, "subname"),
            each.card.type_code,
            self._by_language(versions, "traits"),
            stats,
            tuple(self._texts(versions, (*_RULES, "flavor"))),
            each.card.code,
        )
        if each.card.double_sided or each.card.back_text:
            names = self._by_language(versions, "back_name") or self._by_language(
                translated, "name"
            )
            yield CardFace(
                names,
                {},
                each.card.type_code,
                {},
                {},
                tuple(self._texts(versions, ("back_text", "back_flavor"))),
                each.card.code,
            )

    def _texts(self, versions: list[_MarvelVersion], fields: Iterable[str]) -> Iterator[CardText]:
        for version in versions:
            for field in fields:
                kind = TextKind.FLAVOUR if field.endswith("flavor") else TextKind.RULES
                yield from self._text(version, field, kind, versions[0])

    def _flavour(self, version: _MarvelVersion, field: str) -> Iterator[CardText]:
        yield from self._text(version, field, TextKind.FLAVOUR, None)

    def _text(
        self, version: _MarvelVersion, field: str, kind: TextKind, original: _MarvelVersion | None
    ) -> Iterator[CardText]:
        """A text of a record; one that stands in a translation as it does in English waits for its
        translation.
        """
        text = getattr(version.texts, field.replace(" ", "_"))
        if (
            original is not None
            and version.language != _ENGLISH
            and text == getattr(original.texts, field.replace(" ", "_"))
        ):
            return
        yield from self._make.text(version.record, field, text, version.language, kind)

    def _by_language(self, versions: list[_MarvelVersion], field: str) -> dict[str, str]:
        """A name of a record by language, with its symbols shown."""
        found = ((version.language, getattr(version.texts, field)) for version in versions)
        return {
            language: with_symbols_shown(value.strip(), self._make.game, language)
            for language, value in found
            if value and value.strip()
        }

    def _terms(self, cards: tuple[Card, ...]) -> tuple[CardTerm, ...]:
        found = [CardTerm("type", code, names) for code, names in self._names("types").items()]
        found += [CardTerm("product", code, names) for code, names in self._pack_names.items()]
        traits: dict[str, dict[str, str]] = {}
        for face in (face for card in cards for face in card.faces):
            english = _traits(face.traits.get(_ENGLISH, ""))
            for language, line in face.traits.items():
                parts = _traits(line)
                if len(parts) == len(english):
                    for code, name in zip(english, parts, strict=True):
                        traits.setdefault(code, {}).setdefault(language, name)
        return (*found, *(CardTerm("trait", code, names) for code, names in sorted(traits.items())))


def _traits(line: str) -> list[str]:
    """The traits of a ``line`` such as "Avenger. S.H.I.E.L.D."."""
    return [
        trait.strip() for trait in re.split(r"(?<!\.\w)\.\s+|\.$(?<!\.\w\.)", line) if trait.strip()
    ]


def _same_file(one: Record, other: Record) -> bool:
    return PurePosixPath(one.file.name).name == PurePosixPath(other.file.name).name


def _leads_to(backs: dict[str, str], start: str, end: str) -> bool:
    """Whether the backs of ``start`` lead to ``end``, or are more than a card can have."""
    for _ in range(_MOST_BACKS):
        if start not in backs:
            return False
        start = backs[start]
        if start == end:
            return True
    return True
