"""Reads card databases in the LorcanaJSON format: a file for each language with a record for each
printing, and files with card names in further languages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from corpus.cards.files import BrokenValue, CardFile, CardFiles, FaultList, parse_json, pointer
from corpus.cards.folder import (
    BANNED,
    LEGAL,
    UNTIL,
    CardFolder,
    CardMaker,
    CardTerm,
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

FORM = "LorcanaJSON"
_ENGLISH = "en"
_BETWEEN = " - "  # name and version
_PROMO = "Special"  # rarity
_LINKS = (
    "baseId",
    "reprintOfId",
    "enchantedId",
    "epicId",
    "iconicId",
    "promoIds",
    "reprintedAsIds",
    "variantIds",
)
_STATS = ("color", "cost", "strength", "willpower", "lore", "moveCost")
_QUOTES = str.maketrans("’‘`", "'''")
_NAMES: TypeAdapter[dict[str, str]] = TypeAdapter(dict[Name, Name])


class Allowed(RecordFields):
    """The fields that say whether a printing is allowed in a format."""

    allowed: bool
    until: Day = Field("", alias="allowedUntilDate")
    banned_since: Day = Field("", alias="bannedSinceDate")


class _Historic(RecordFields):
    """A former wording of a card, and the last day on which it was valid."""

    full_text: Text = Field("", alias="fullText")
    used_until: Day = Field("", alias="usedUntil")


class _Printing(RecordFields):
    id: int = Field(ge=0, le=10**9)
    name: FullName
    version: Name | None = None
    full_text: Text = Field("", alias="fullText")
    sections: list[Text] = Field([], alias="fullTextSections", max_length=100)
    flavour: Text | None = Field(None, alias="flavorText")
    full_identifier: Name = Field("", alias="fullIdentifier")
    set_code: Name = Field("", alias="setCode")
    type: Name = ""
    traits: Name = Field("", alias="subtypesText")
    rarity: Name = ""
    inkwell: bool = False
    errata: list[Text] = Field([], max_length=100)
    historic: list[_Historic] = Field([], alias="historicData", max_length=100)
    formats: dict[Name, Allowed] = Field({}, alias="allowedInFormats", max_length=50)
    tournaments_from: Day | None = Field(None, alias="allowedInTournamentsFromDate")


class _Set(RecordFields):
    name: FullName
    release: Day | None = Field(None, alias="releaseDate")


class _Version(NamedTuple):
    """A printing in one language: the raw ``record``, and its validated fields as ``card``."""

    language: str
    record: Record
    card: _Printing


class _Database(NamedTuple):
    """The content of one file: its language, the day it was made, sets by code, printings by id."""

    language: str
    made: str
    sets: dict[str, _Set]
    printings: dict[int, _Version]

    def release(self, version: _Version) -> str:
        found = self.sets.get(version.card.set_code)
        return found.release or "" if found else ""


def read_lorcanajson(files: CardFiles, game: str, faults: FaultList) -> CardFolder | None:
    """Return the cards of ``files`` without unreadable records, or None if no file is a LorcanaJSON
    database.
    """
    make = CardMaker(game, faults)
    databases: list[_Database] = []
    names: dict[str, dict[str, str]] = {}
    for name in files.in_folder(""):
        file = files.read(name) if name.lower().endswith(".json") else None
        if file is None:
            continue
        data = parse_json(file.text)
        if isinstance(data, dict) and "cards" in data:
            found = _database(file, data, make)
            if any(found.language == other.language for other in databases):
                faults.add(name, "", f"a second file of the language {found.language}; left out")
            else:
                databases.append(found)
        elif isinstance(data, dict) and data and all(isinstance(v, dict) for v in data.values()):
            names |= _named(file, data, faults)
        else:
            why = "no card file: neither cards nor names; left out"
            faults.add(name, "", data.why if isinstance(data, BrokenValue) else why)
    if not databases:
        return None
    databases.sort(key=lambda each: (each.language != _ENGLISH, each.language))
    printings: dict[int, list[_Version]] = defaultdict(list)
    for database in databases:
        for id, version in database.printings.items():
            printings[id].append(version)
    products = [
        CardTerm(
            "product",
            code,
            {each.language: each.sets[code].name for each in databases if code in each.sets},
        )
        for code in sorted({code for each in databases for code in each.sets})
    ]
    groups = _groups(printings)
    cards = [_card([printings[id] for id in group], databases, names, make) for group in groups]
    return make.folder(FORM, cards, (*products, *_types(printings.values())))


def _database(file: CardFile, data: dict[str, Any], make: CardMaker) -> _Database:
    metadata = data.get("metadata")
    about: dict[str, Any] = metadata if isinstance(metadata, dict) else {}
    language = about.get("language")
    if not isinstance(language, str) or not language.isalpha() or len(language) > 8:
        make.faults.add(file.name, "/metadata/language", "no language is named; taken for English")
        language = _ENGLISH
    made = about.get("generatedOn")
    sets = {}
    listed = data.get("sets")
    for code, each in listed.items() if isinstance(listed, dict) else ():
        if found := make.valid(Record(file, ("sets", code), each), _Set):
            sets[code] = found
    printings: dict[int, _Version] = {}
    for record in make.records(file, data["cards"], ("cards",)):
        card = make.valid(record, _Printing)
        if card is None:
            continue
        if card.id in printings:
            make.fault(record, f"card {card.id} again; left out", "id")
        else:
            printings[card.id] = _Version(language, record, card)
    return _Database(language, made[:10] if isinstance(made, str) else "", sets, printings)


def _named(file: CardFile, data: dict[str, Any], faults: FaultList) -> dict[str, dict[str, str]]:
    """Return the card names in a file of names: English name → language → name."""
    found = {}
    for name, each in data.items():
        try:
            found[_key(name)] = _NAMES.validate_python(each, strict=True)
        except ValidationError as fault:
            what = fault.errors(include_url=False, include_input=False)[0]["msg"]
            faults.add(file.name, pointer(name), f"{what}; left out")
    return found


def _key(name: str) -> str:
    return " ".join(name.translate(_QUOTES).casefold().split())


def _types(printings: Iterable[list[_Version]]) -> Iterator[CardTerm]:
    """Yield all traits and types; their codes are their names in the first language."""
    traits: list[tuple[str, str, str]] = []
    types: dict[str, dict[str, str]] = {}
    for versions in printings:
        first = versions[0].card
        for version in versions:
            types.setdefault(first.type, {}).setdefault(version.language, version.card.type)
            own, other = (
                card.traits.split(" • ") if card.traits else [] for card in (first, version.card)
            )
            if len(own) == len(other):
                pairs = zip(own, other, strict=True)
                traits += [(code, version.language, name) for code, name in pairs if code]
    yield from trait_terms(traits)
    yield from (CardTerm("type", code, names) for code, names in sorted(types.items()) if code)


def _groups(printings: dict[int, list[_Version]]) -> list[list[int]]:
    """Group the ids of printings by card; printings of one card refer to each other."""
    leader = {id: id for id in printings}

    def lead(id: int) -> int:
        while leader[id] != id:
            leader[id] = id = leader[leader[id]]
        return id

    for id, versions in printings.items():
        for name in _LINKS:
            value = versions[0].record.data.get(name)
            for other in value[:1_000] if isinstance(value, list) else (value,):
                if isinstance(other, int) and other in leader:
                    first, second = sorted((lead(id), lead(other)))
                    leader[second] = first
    groups: dict[int, list[int]] = defaultdict(list)
    for id in sorted(printings):
        groups[lead(id)].append(id)
    return list(groups.values())


def _card(
    printings: list[list[_Version]],
    databases: list[_Database],
    names: dict[str, dict[str, str]],
    make: CardMaker,
) -> Card:
    by_language: dict[str, list[_Version]] = defaultdict(list)
    for version in (version for versions in printings for version in versions):
        by_language[version.language].append(version)

    def newness(version: _Version) -> tuple[bool, str, int]:
        promo = version.card.rarity == _PROMO
        return not promo, databases[0].release(version), -version.card.id

    current = {language: max(versions, key=newness) for language, versions in by_language.items()}
    leading = next(iter(current.values()))
    card = leading.card
    own_names = {language: each.card.name for language, each in current.items()}
    subtitles = {lang: each.card.version for lang, each in current.items() if each.card.version}
    if leading.language == _ENGLISH:
        full = f"{card.name}{_BETWEEN}{card.version}" if card.version else card.name
        for language, name in names.get(_key(full), {}).items():
            if language not in own_names and name.strip():
                head, between, tail = name.partition(_BETWEEN) if subtitles else (name, "", "")
                own_names[language] = head.strip()
                if between:
                    subtitles[language] = tail.strip()
    firsts = [versions[0].card for versions in printings]
    code = str(next((each.id for each in firsts if each.rarity != _PROMO), firsts[0].id))
    texts = tuple(text for version in current.values() for text in _texts(version, make))
    face = CardFace(
        own_names,
        subtitles,
        card.type,
        {language: each.card.traits for language, each in current.items() if each.card.traits},
        _stats(leading, make),
        texts,
        str(card.id),
    )
    return Card(
        code,
        make.game,
        make.slug(own_names, subtitles, code),
        (face,),
        tuple(_printing(versions[0], databases) for versions in printings),
        tuple(e for versions in by_language.values() for e in _errata(versions, texts, make)),
        formats_of(
            [(each.formats, each.tournaments_from or "") for each in firsts], databases[0].made
        ),
    )


def _texts(version: _Version, make: CardMaker) -> Iterator[CardText]:
    card, record, language = version.card, version.record, version.language
    for text in make.text(record, "fullText", card.full_text, language, TextKind.RULES):
        # Line breaks within a section come from the printed card.
        lines = [section.replace("-\n", "-").replace("\n", " ") for section in card.sections]
        if "\n".join(card.sections) == card.full_text:
            joined = make.display("\n".join(lines), language)
            yield text._replace(display=joined)
        else:
            yield text
    yield from make.text(record, "flavorText", card.flavour, language, TextKind.FLAVOUR)


def _stats(version: _Version, make: CardMaker) -> dict[str, str]:
    found = {}
    for name in _STATS:
        try:
            found[name] = stat_value(version.record.data.get(name))
        except ValueError as fault:
            make.fault(version.record, f"{fault}; left out", name)
    return make.stats({**found, "inkwell": "yes" if version.card.inkwell else "no"})


def _printing(version: _Version, databases: list[_Database]) -> Printing:
    card = version.card
    found = [(each.language, each.sets.get(card.set_code)) for each in databases]
    products = {language: each.name for language, each in found if each}
    number = card.full_identifier.split(" • ")[0]
    if "/" not in card.full_identifier:
        counted = version.record.data.get("number")
        is_number = isinstance(counted, int) and not isinstance(counted, bool)
        number = str(counted) if is_number else ""
    return Printing(str(card.id), products, number, databases[0].release(version))


def _errata(
    versions: list[_Version], texts: Sequence[CardText], make: CardMaker
) -> Iterator[CardErratum]:
    """Yield each erratum of printings in one language once, with the old text if known."""
    rules, language = TextKind.RULES, versions[0].language
    new = next((t for t in texts if (t.kind, t.quoted.language) == (rules, language)), None)
    seen: set[tuple[str, str]] = set()
    for version in versions:
        card, record = version.card, version.record
        notes = [
            note
            for number, text in enumerate(card.errata)
            for note in make.text(record, ("errata", number), text, language, rules)
        ]
        found: list[tuple[CardText | None, str, CardText | None]] = []
        for number, historic in enumerate(card.historic):
            field = ("historicData", number, "fullText")
            for old in make.text(record, field, historic.full_text, language, rules):
                found.append((old, historic.used_until, notes.pop(0) if notes else None))
        for old_text, date, note in (*found, *((None, "", note) for note in notes)):
            words = " ".join(old_text.quoted.text.split()) if old_text else ""
            key = (words, note.display if note else "")
            if key not in seen:
                seen.add(key)
                yield CardErratum(old_text, new, date, note)


def formats_of(
    printings: Sequence[tuple[Mapping[str, Allowed], str]], today: str
) -> dict[str, str]:
    """Return the state of a card in each format, as in `Card.formats`.

    ``printings`` are pairs of a printing's formats and the date from which it is allowed in
    tournaments; one allowed printing is enough. ``today`` is the day the database was made. Formats
    in which the card was never allowed are left out.
    """
    found: dict[str, str] = {}
    for name in sorted({name for formats, _ in printings for name in formats}):
        of_format = [(formats[name], start) for formats, start in printings if name in formats]
        lasting = [start for allowed, start in of_format if allowed.allowed and not allowed.until]
        untils = [allowed.until for allowed, _ in of_format if allowed.until]
        if any(allowed.banned_since for allowed, _ in of_format):
            found[name] = BANNED
        elif lasting:
            found[name] = min(lasting) if min(lasting) > today else LEGAL
        elif untils:
            found[name] = f"{UNTIL} {max(untils)}"
    return found
