"""Reads card databases in the MarvelCDB format: packs.json, pack/*.json in English, and
translations in translations/<language>/ with the same file names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from pydantic import Field
from rapidfuzz import fuzz

from corpus.cards.files import CardFiles, FaultList, parse_json
from corpus.cards.folder import (
    CardFolder,
    CardMaker,
    CardTerm,
    Code,
    Day,
    FullName,
    Name,
    Record,
    RecordFields,
    Text,
    stat_value,
    trait_terms,
)
from corpus.cards.model import Card, CardErratum, CardFace, CardText, Printing, TextKind
from corpus.cards.symbols import with_symbols_shown

FORM = "marvelsdb-json-data"
_TRANSLATIONS = "translations"
_UNTRANSLATED = 88  # likeness to the English text, in percent, of a text that is English, too
_ENGLISH = "en"
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_NUMBERED = re.compile(r"\d([a-z])$")
_TRAIT_ENDS = re.compile(r"(?<!\.\w)\.\s+|\.$(?<!\.\w\.)")  # "Avenger. S.H.I.E.L.D."
_MOST_BACKS = 10
_PLAIN = (
    "attack_cost", "boost", "deck_limit", "faction_code", "hand_size", "quantity", "recover",
    "scheme_acceleration", "scheme_amplify", "scheme_crisis", "scheme_hazard", "set_code", "stage",
    "thwart_cost",
)  # fmt: skip
_CHARACTER = ("attack", "cost", "defense", "health", "scheme", "thwart")
_THREAT = ("base_threat", "escalation_threat", "threat")  # by default for each player
_RESOURCES = ("energy", "mental", "physical", "wild")
_X = "-1"  # how "X" is written


class _Named(RecordFields):
    """A named record, such as a pack or a type."""

    code: Code
    name: FullName
    date_release: Day | None = None
    position: int | None = None


class _Texts(RecordFields):
    """The fields of a record that exist in every language."""

    code: Code
    name: Name | None = None
    subname: Name | None = None
    traits: Name | None = None
    text: Text | None = None
    scheme_text: Text | None = Field(None, alias="scheme text")
    flavor: Text | None = None
    back_name: Name | None = None
    back_text: Text | None = None
    back_flavor: Text | None = None


class _Card(_Texts):
    pack_code: Code
    position: int | None = None
    type_code: Name = ""
    duplicate_of: Code | None = None
    back_link: Code | None = None
    double_sided: bool | None = None
    is_unique: bool | None = None
    errata: Text | None = None


class _Original(NamedTuple):
    """The English record of a card, raw and as validated ``card``."""

    record: Record
    card: _Card


class _Version(NamedTuple):
    """The texts of a record in one language."""

    language: str
    record: Record
    texts: _Texts


def is_marvelsdb(files: CardFiles) -> bool:
    """Return whether ``files`` are a MarvelCDB database."""
    return "packs.json" in files.names and bool(files.in_folder("pack"))


def read_marvelsdb(files: CardFiles, game: str, faults: FaultList) -> CardFolder:
    """Return the cards of ``files`` without unreadable records."""
    return _MarvelDatabase(files, CardMaker(game, faults)).read()


class _MarvelDatabase:
    def __init__(self, files: CardFiles, make: CardMaker):
        self._files, self._make = files, make
        found = {
            PurePosixPath(name).parts[1]
            for name in files.names
            if name.startswith(f"{_TRANSLATIONS}/") and name.count("/") > 1
        }
        self._languages = sorted(language for language in found if _LANGUAGE.fullmatch(language))
        self._packs = self._named("packs.json")
        self._pack_names = self._names("packs", self._packs)
        self._originals = self._read_originals()
        self._versions = {
            code: [_Version(_ENGLISH, each.record, each.card)]
            for code, each in self._originals.items()
        }
        for language in self._languages:
            self._translate(language)

    def read(self) -> CardFolder:
        own = {code: each for code, each in self._originals.items() if not each.card.duplicate_of}
        backs = self._backs(own)
        printed = {code: [each] for code, each in own.items()}
        for each in self._originals.values():
            if each.card.duplicate_of in printed:
                printed[each.card.duplicate_of].append(each)

        def order(each: _Original) -> tuple[int, str]:
            pack = self._packs.get(each.card.pack_code)
            return (pack.position or 0 if pack else 0, each.card.code)

        behind = set(backs.values())
        fronts = sorted((each for code, each in own.items() if code not in behind), key=order)
        cards = [self._card(each, own, backs, printed[each.card.code]) for each in fronts]
        types = self._names("types", self._named("types.json"))
        terms = [CardTerm("type", code, names) for code, names in types.items()]
        terms += [CardTerm("product", code, names) for code, names in self._pack_names.items()]
        return self._make.folder(FORM, cards, (*terms, *trait_terms(_traits(cards))))

    def _records(self, name: str) -> list[Record]:
        file = self._files.read(name)
        return self._make.records(file, parse_json(file.text)) if file else []

    def _named(self, path: str) -> dict[str, _Named]:
        """Return the named records of the file ``path`` by code; {} if it does not exist."""
        records = self._records(path) if path in self._files.names else ()
        found = (self._make.valid(record, _Named) for record in records)
        return {each.code: each for each in found if each}

    def _names(self, name: str, english: dict[str, _Named]) -> dict[str, dict[str, str]]:
        """Return the names in ``english`` and in translated files ``name``, by code and
        language.
        """
        found = {code: {_ENGLISH: each.name} for code, each in english.items()}
        for language in self._languages:
            for code, each in self._named(f"{_TRANSLATIONS}/{language}/{name}.json").items():
                found.setdefault(code, {})[language] = each.name
        return found

    def _read_originals(self) -> dict[str, _Original]:
        """Return the English records by code."""
        make = self._make
        found: dict[str, _Original] = {}
        for record in (r for name in self._files.in_folder("pack") for r in self._records(name)):
            card = make.valid(record, _Card)
            if card is None:
                continue
            if card.code in found:
                first = found[card.code].record.file.name
                make.fault(record, f"card {card.code} again, after {first}; left out")
            elif not card.duplicate_of and not (card.name and card.name.strip()):
                make.fault(record, f"card {card.code} has no name; left out")
            else:
                found[card.code] = _Original(record, card)
        for code, (record, card) in list(found.items()):
            if card.duplicate_of:
                original = found.get(card.duplicate_of)
                if original is None or (
                    original.record is not record and original.card.duplicate_of
                ):
                    why = f"no card {card.duplicate_of} to be printed again; left out"
                    make.fault(record, why, "duplicate_of")
                    del found[code]
        return found

    def _translate(self, language: str) -> None:
        """Add the texts in ``language``. If a card is translated twice, the file with the same name
        as the English one wins.
        """
        found: dict[str, _Version] = {}
        names = self._files.in_folder(f"{_TRANSLATIONS}/{language}/pack")
        for record in (record for name in names for record in self._records(name)):
            texts = self._make.valid(record, _Texts)
            if texts is None:
                continue
            original = self._originals.get(texts.code)
            if original is None:
                self._make.fault(record, f"no card {texts.code} to be translated; left out")
                continue
            if before := found.get(texts.code):
                place = PurePosixPath(original.record.file.name).name
                before_fits, fits = (
                    PurePosixPath(each.file.name).name == place for each in (before.record, record)
                )
                kept = before_fits or not fits
                other = record if kept else before.record
                self._make.fault(other, f"card {texts.code} is translated twice; left out")
                if kept:
                    continue
            found[texts.code] = _Version(language, record, texts)
        for code, version in found.items():
            self._versions[code].append(version)

    def _backs(self, own: dict[str, _Original]) -> dict[str, str]:
        """Return the code of the back of each card with two records, keyed by the code of its
        front; two fronts cannot share a back.
        """
        backs: dict[str, str] = {}
        taken: set[str] = set()

        def leads_to(start: str, end: str) -> bool:
            for _ in range(_MOST_BACKS):
                if start not in backs:
                    return False
                start = backs[start]
                if start == end:
                    return True
            return True  # more than a card can have

        linked = [(each.card.code, each.card.back_link or "", each.record) for each in own.values()]
        for code, back, record in sorted(linked, key=lambda link: link[0][:-1] != link[1][:-1]):
            if not back:
                continue
            if back not in own or back == code:
                self._make.fault(record, f"no card {back} to be the back of {code}", "back_link")
            elif back in taken or leads_to(back, code):
                why = f"card {back} is a back already; not taken for that of {code} too"
                self._make.fault(record, why, "back_link")
            else:
                backs[code] = back
                taken.add(back)
        return backs

    def _card(
        self,
        front: _Original,
        own: dict[str, _Original],
        backs: dict[str, str],
        printed: list[_Original],
    ) -> Card:
        make = self._make
        faces: list[CardFace] = []
        notes: list[CardText] = []
        code: str | None = front.card.code
        while code is not None:
            each = own[code]
            faces += self._faces(each)
            notes += make.text(each.record, "errata", each.card.errata, _ENGLISH, TextKind.RULES)
            code = backs.get(code)
            if code is not None and len(faces) > _MOST_BACKS:
                make.fault(each.record, f"more than {_MOST_BACKS} backs; left out", "back_link")
                break
        known = {text.display for text in faces[0].texts}
        again = (
            text
            for each in printed[1:]
            for version in self._versions[each.card.code]
            for text in self._texts([version], ("flavor",))
            if text.display not in known
        )
        faces[0] = faces[0]._replace(texts=(*faces[0].texts, *again))
        return Card(
            front.card.code,
            make.game,
            make.slug(faces[0].names, faces[0].subtitles, front.card.code),
            tuple(faces),
            tuple(self._printing(each.card) for each in printed),
            tuple(CardErratum(None, None, "", note) for note in notes),
            {},
            bool(front.card.is_unique),
        )

    def _printing(self, card: _Card) -> Printing:
        letter = _NUMBERED.search(card.code)
        number = f"{card.position}{letter.group(1) if letter else ''}"
        pack = self._packs.get(card.pack_code)
        return Printing(
            card.code,
            dict(self._pack_names.get(card.pack_code, {_ENGLISH: card.pack_code})),
            number if card.position is not None else "",
            (pack.date_release if pack else None) or "",
        )

    def _faces(self, original: _Original) -> Iterator[CardFace]:
        """Yield the face in a record, and the back face if the same record describes it."""
        record, card = original
        try:
            stats = self._make.stats(printed_values(record.data))
        except ValueError as fault:
            self._make.fault(record, f"{fault}; its values are left out")
            stats = {}
        versions = self._versions[card.code]
        names = self._by_language(versions, "name")
        yield CardFace(
            names,
            self._by_language(versions, "subname"),
            card.type_code,
            self._by_language(versions, "traits"),
            stats,
            tuple(self._texts(versions, ("text", "scheme text", "flavor"))),
            card.code,
        )
        if card.double_sided or card.back_text:
            back_names = self._by_language(versions, "back_name") or names
            texts = tuple(self._texts(versions, ("back_text", "back_flavor")))
            yield CardFace(back_names, {}, card.type_code, {}, {}, texts, card.code)

    def _texts(self, versions: list[_Version], fields: Iterable[str]) -> Iterator[CardText]:
        """Yield the texts of a record in all languages, except translations that are still in
        English (but for a colon or a quotation mark).
        """
        for version in versions:
            for field in fields:
                name = field.replace(" ", "_")
                text = getattr(version.texts, name)
                original = getattr(versions[0].texts, name)
                if version is versions[0] or fuzz.ratio(text, original) < _UNTRANSLATED:
                    kind = TextKind.FLAVOUR if field.endswith("flavor") else TextKind.RULES
                    yield from self._make.text(version.record, field, text, version.language, kind)

    def _by_language(self, versions: list[_Version], field: str) -> dict[str, str]:
        """Return the ``field`` of a record (a name or traits) by language, with symbols shown."""
        found = ((version.language, getattr(version.texts, field)) for version in versions)
        return {
            language: with_symbols_shown(value.strip(), self._make.game, language)
            for language, value in found
            if value and value.strip()
        }


def _traits(cards: Iterable[Card]) -> Iterator[tuple[str, str, str]]:
    """Yield (English name, language, name) for each trait on ``cards``."""
    for face in (face for card in cards for face in card.faces):
        english, *others = (
            [trait.strip() for trait in _TRAIT_ENDS.split(line) if trait.strip()]
            for line in (face.traits.get(_ENGLISH, ""), *face.traits.values())
        )
        for language, parts in zip(face.traits, others, strict=True):
            if len(parts) == len(english):
                for code, name in zip(english, parts, strict=True):
                    yield code, language, name


def printed_values(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the values printed on a card, such as cost and health, by name.

    "X" and "-" are returned as printed, symbols as in card texts. Raises `ValueError` for a value
    of a wrong type.
    """
    found = {name.removesuffix("_code"): stat_value(record.get(name)) for name in _PLAIN}
    for name in (*_CHARACTER, *_THREAT):
        found[name] = _with_signs(record, name)
    resources = ""
    for kind in _RESOURCES:
        count = record.get(f"resource_{kind}")
        count = 0 if count is None else count
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= 20:
            raise ValueError("a number of resources that cannot be")
        resources += f"[{kind}]" * count
    permanent = "yes" if record.get("permanent") is True else ""
    return {**found, "resources": resources, "permanent": permanent}


def _with_signs(record: Mapping[str, Any], name: str) -> str:
    star = "[star]" if record.get(f"{name}_star") is True else ""
    value = stat_value(record.get(name))
    if not value:
        return star or ("-" if name in record else "")
    shown = "X" if value == _X else value
    if record.get(f"{name}_per_group") is True:
        shown += " [per_group]"
    elif record.get(f"{name}_per_hero") is True or (
        name in _THREAT and record.get(f"{name}_fixed") is not True and value != "0"
    ):
        shown += " [per_hero]"
    return shown + star
