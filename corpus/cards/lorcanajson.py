"""Reads card databases in the format of LorcanaJSON: a file for each language, a record for each
printing, names beside them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from corpus.cards.faults import FaultList
from corpus.cards.files import CardFile, CardFiles
from corpus.cards.folder import (
    CardFolder,
    CardMaker,
    CardTerm,
    Name,
    Record,
    languages_of,
    stat_value,
)
from corpus.cards.json_values import BrokenValue, parse_json, pointer
from corpus.cards.lorcanajson_formats import formats_of
from corpus.cards.lorcanajson_records import LorcanaPrinting, LorcanaSet
from corpus.cards.model import Card, CardErratum, CardFace, CardText, Printing, TextKind

FORM = "LorcanaJSON"
_ENGLISH = "en"
_BETWEEN = " - "  # name and version
_PROMO = "Special"  # rarity
_OF_FIRST = ("baseId", "reprintOfId")
_OF_OTHERS = ("enchantedId", "epicId", "iconicId", "promoIds", "reprintedAsIds", "variantIds")
_STATS = ("color", "cost", "strength", "willpower", "lore", "moveCost")
_QUOTES = str.maketrans("’‘`", "'''")


class _LorcanaVersion(NamedTuple):
    """A printing in one language, with its data as it stands and as checked."""

    language: str
    record: Record
    card: LorcanaPrinting


class _LorcanaDatabase(NamedTuple):
    """A file: its language, the day it was made, its sets by code, its printings by id."""

    language: str
    made: str
    sets: dict[str, LorcanaSet]
    printings: dict[int, _LorcanaVersion]


_NAMES: TypeAdapter[dict[str, str]] = TypeAdapter(dict[Name, Name])


def read_lorcanajson(files: CardFiles, game: str, faults: FaultList) -> CardFolder | None:
    """The cards of ``files``; None where they are no database of this format. A record that cannot
    be read is left out.
    """
    make = CardMaker(game, faults)
    databases: list[_LorcanaDatabase] = []
    names: dict[str, dict[str, str]] = {}
    for name in files.in_folder(""):
        file = files.read(name) if name.lower().endswith(".json") else None
        data = parse_json(file.text) if file is not None else None
        if file is None or data is None:
            continue
        if isinstance(data, dict) and "cards" in data:
            found = _database(file, data, make)
            if any(found.language == other.language for other in databases):
                faults.add(name, "", f"a second file of the language {found.language}; left out")
            else:
                databases.append(found)
        elif (
            isinstance(data, dict)
            and data
            and all(isinstance(each, dict) for each in data.values())
        ):
            names |= _named(file, data, faults)
        else:
            faults.add(
                name,
                "",
                data.why
                if isinstance(data, BrokenValue)
                else "no card file: neither cards nor names; left out",
            )
    if not databases:
        return None
    databases.sort(key=lambda each: (each.language != _ENGLISH, each.language))
    return _cards(databases, names, make)


def _database(file: CardFile, data: dict[str, Any], make: CardMaker) -> _LorcanaDatabase:
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
        if found := make.valid(Record(file, ("sets", code), each), LorcanaSet):
            sets[code] = found
    printings: dict[int, _LorcanaVersion] = {}
    for record in make.records(file, data["cards"], ("cards",)):
        card = make.valid(record, LorcanaPrinting)
        if card is None:
            continue
        if card.id in printings:
            make.faults.add(file.name, record.pointer("id"), f"card {card.id} again; left out")
        else:
            printings[card.id] = _LorcanaVersion(language, record, card)
    return _LorcanaDatabase(language, made[:10] if isinstance(made, str) else "", sets, printings)


def _named(file: CardFile, data: dict[str, Any], faults: FaultList) -> dict[str, dict[str, str]]:
    """The names by language of a file of names, by English ones."""
    found = {}
    for name, each in data.items():
        try:
            found[_key(name)] = _NAMES.validate_python(each, strict=True)
        except ValidationError as fault:
            faults.add(
                file.name,
                pointer(name),
                f"{fault.errors(include_url=False, include_input=False)[0]['msg']}; left out",
            )
    return found


def _key(name: str) -> str:
    return " ".join(name.translate(_QUOTES).casefold().split())


def _cards(
    databases: list[_LorcanaDatabase], names: dict[str, dict[str, str]], make: CardMaker
) -> CardFolder:
    printings: dict[int, list[_LorcanaVersion]] = defaultdict(list)
    for database in databases:
        for id, version in database.printings.items():
            printings[id].append(version)
    cards = tuple(_card(group, printings, databases, names, make) for group in _groups(printings))
    terms = [
        CardTerm(
            "product",
            code,
            {each.language: each.sets[code].name for each in databases if code in each.sets},
        )
        for code in sorted({code for each in databases for code in each.sets})
    ]
    terms += _types(printings.values())
    return CardFolder(cards, make.faults.all(), tuple(terms), languages_of(cards), FORM)


def _types(printings: Iterable[list[_LorcanaVersion]]) -> list[CardTerm]:
    """The types and traits, by what they are called in the first language."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for versions in printings:
        first = versions[0].card
        for version in versions:
            found.setdefault(("type", first.type), {}).setdefault(
                version.language, version.card.type
            )
            own, other = (
                card.traits.split(" • ") if card.traits else [] for card in (first, version.card)
            )
            for code, name in zip(own, other, strict=False) if len(own) == len(other) else ():
                found.setdefault(("trait", code), {}).setdefault(version.language, name)
    return [CardTerm(kind, code, names) for (kind, code), names in sorted(found.items()) if code]


def _groups(printings: dict[int, list[_LorcanaVersion]]) -> list[list[int]]:
    """The ids of printings of one card together, in order: those that refer to each other."""
    leader = {id: id for id in printings}

    def lead(id: int) -> int:
        while leader[id] != id:
            leader[id] = id = leader[leader[id]]
        return id

    for id, versions in printings.items():
        for other in _linked(versions[0].record.data):
            if other in leader:
                first, second = sorted((lead(id), lead(other)))
                leader[second] = first
    groups: dict[int, list[int]] = defaultdict(list)
    for id in sorted(printings):
        groups[lead(id)].append(id)
    return list(groups.values())


def _linked(data: dict[str, Any]) -> Iterator[int]:
    for name in (*_OF_FIRST, *_OF_OTHERS):
        value = data.get(name)
        for each in value[:1_000] if isinstance(value, list) else (value,):
            if isinstance(each, int):
                yield each


def _card(
    group: list[int],
    printings: dict[int, list[_LorcanaVersion]],
    databases: list[_LorcanaDatabase],
    names: dict[str, dict[str, str]],
    make: CardMaker,
) -> Card:
    sets = databases[0].sets
    by_language: dict[str, list[_LorcanaVersion]] = defaultdict(list)
    for id in group:
        for version in printings[id]:
            by_language[version.language].append(version)

    def newness(version: _LorcanaVersion) -> tuple[bool, str, int]:
        return version.card.rarity != _PROMO, _release(sets, version), -version.card.id

    current = {language: max(versions, key=newness) for language, versions in by_language.items()}
    leading = next(iter(current.values()))
    card = leading.card
    own_names = {language: version.card.name for language, version in current.items()}
    subtitles = {
        language: version.card.version
        for language, version in current.items()
        if version.card.version
    }
    if leading.language == _ENGLISH:
        _add_names(
            own_names,
            subtitles,
            names.get(
                _key(f"{card.name}{_BETWEEN}{card.version}" if card.version else card.name), {}
            ),
        )
    texts = tuple(text for version in current.values() for text in _texts(version, make))
    traits = {
        language: version.card.traits
        for language, version in current.items()
        if version.card.traits
    }
    code = str(next((id for id in group if printings[id][0].card.rarity != _PROMO), group[0]))
    return Card(
        code,
        make.game,
        make.slug(own_names, subtitles, code),
        (
            CardFace(
                own_names, subtitles, card.type, traits, _stats(leading, make), texts, str(card.id)
            ),
        ),
        tuple(_printing(printings[id], databases) for id in group),
        tuple(
            erratum
            for versions in by_language.values()
            for erratum in _errata(versions, texts, make)
        ),
        formats_of(
            [
                (printings[id][0].card.formats, printings[id][0].card.tournaments_from or "")
                for id in group
            ],
            databases[0].made,
        ),
    )


def _add_names(names: dict[str, str], subtitles: dict[str, str], further: dict[str, str]) -> None:
    """Add what a file of names has in languages that there is no database of."""
    for language, name in further.items():
        if language not in names and name.strip():
            head, between, tail = name.partition(_BETWEEN) if subtitles else (name, "", "")
            names[language] = head.strip()
            if between:
                subtitles[language] = tail.strip()


def _release(sets: dict[str, LorcanaSet], version: _LorcanaVersion) -> str:
    found = sets.get(version.card.set_code)
    return found.release or "" if found else ""


def _texts(version: _LorcanaVersion, make: CardMaker) -> Iterator[CardText]:
    card = version.card
    for text in make.text(
        version.record, "fullText", card.full_text, version.language, TextKind.RULES
    ):
        yield _unwrapped(text, card.sections, make, version)
    yield from make.text(
        version.record, "flavorText", card.flavour, version.language, TextKind.FLAVOUR
    )


def _unwrapped(
    text: CardText, sections: list[str], make: CardMaker, version: _LorcanaVersion
) -> CardText:
    """``text`` with a line for each section in what is displayed, as line breaks within one are
    those of the print.
    """
    if "\n".join(sections) != text.quoted.text:
        return text
    joined = make.display(
        "\n".join(section.replace("-\n", "-").replace("\n", " ") for section in sections),
        version.language,
    )
    return text._replace(display=joined)


def _stats(version: _LorcanaVersion, make: CardMaker) -> dict[str, str]:
    found = {}
    for name in _STATS:
        try:
            found[name] = stat_value(version.record.data.get(name))
        except ValueError as fault:
            make.faults.add(
                version.record.file.name, version.record.pointer(name), f"{fault}; left out"
            )
    found["inkwell"] = "yes" if version.card.inkwell else "no"
    return make.stats(found)


def _printing(versions: list[_LorcanaVersion], databases: list[_LorcanaDatabase]) -> Printing:
    card = versions[0].card
    products = {
        each.language: each.sets[card.set_code].name
        for each in databases
        if card.set_code in each.sets
    }
    number = (
        card.full_identifier.split(" • ")[0]
        if "/" in card.full_identifier
        else _collector_number(versions[0].record.data)
    )
    return Printing(str(card.id), products, number, _release(databases[0].sets, versions[0]))


def _collector_number(data: dict[str, Any]) -> str:
    """The collector's number of a record without a printed one."""
    number = data.get("number")
    return str(number) if isinstance(number, int) and not isinstance(number, bool) else ""


def _errata(
    versions: list[_LorcanaVersion], texts: tuple[CardText, ...], make: CardMaker
) -> Iterator[CardErratum]:
    """The errata of the printings in one language, each once: with the text before where the
    database has it.
    """
    seen: set[tuple[str, str]] = set()
    for version in versions:
        card, record, language = version.card, version.record, version.language
        new = next(
            (
                text
                for text in texts
                if text.quoted.language == language and text.kind is TextKind.RULES
            ),
            None,
        )
        notes = [
            note
            for number, text in enumerate(card.errata)
            for note in make.text(record, ("errata", number), text, language, TextKind.RULES)
        ]
        for number, historic in enumerate(card.historic):
            for old in make.text(
                record,
                ("historicData", number, "fullText"),
                historic.full_text,
                language,
                TextKind.RULES,
            ):
                note = notes.pop(0) if notes else None
                key = (" ".join(old.quoted.text.split()), note.display if note else "")
                if key not in seen:
                    seen.add(key)
                    yield CardErratum(old, new, historic.used_until, note)
        for note in notes:
            if ("", note.display) not in seen:
                seen.add(("", note.display))
                yield CardErratum(None, new, "", note)
