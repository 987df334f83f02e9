"""Offline packs, with which a browser answers questions without a network: the passages of a game
with a MiniSearch index, as gzipped JSON.
"""

from __future__ import annotations

import gzip
import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from corpus.model import Passage
from glossary.aliases import aliases_of
from index.library.indexed_texts import PHRASINGS, load_query_variants
from index.model import Hit
from index.search import Index
from service.answers.answer import format_out
from service.answers.citations import edition_name, effective_label, quoted_citation
from service.browse.entry_view import LINES, anchor, excerpt, quoted_passage
from service.core.displayed import repaired_display
from service.core.i18n import LANGUAGES, N_, TranslatableText
from service.core.jobs.stored_works import Preparing, Work, stored
from service.core.problems import Problem
from service.core.snapshot import Snapshot, SnapshotContents

FORMAT = 2  # of a pack; service/web/static/offline-packs.js refuses others
FIELDS = (
    "title",
    "text",
    "names",
    "mentions",
    "variants",
)  # the searched fields of a passage; their boosts are in offline-search.js
_WORD = re.compile(r"[^\W_]+(?:\.[0-9]+)*")
# Words with the same first letters match; offline-search.js cuts words in the same way.
_STEM = 5
_PATIENCE = 0.2  # seconds that a request waits for a pack that is being made
_PAGE = (
    N_("This request cannot be answered"),
    N_("The rulebook is being prepared for asking offline. Please try again in a few seconds."),
)


class NoPack(ValueError):
    """The index cannot be searched in a browser; the message says why."""


def pack_work(snapshot: SnapshotContents, game: str) -> Work[bytes]:
    """Return the job that builds the pack of ``game``."""
    return Work(("pack", str(FORMAT), snapshot.id, game), _stored_pack, (game,), slow=True)


def pack_file(snapshot: Snapshot, game: str) -> bytes:
    """Return the pack of ``game`` as gzipped JSON; the first call starts building it.

    Raises `Problem` 503 while it is not ready, 404 if there is none.
    """
    if game not in snapshot.library.games:
        raise Problem.unknown(
            N_("There is no such game here; GET /v1/editions lists those there are."), "game"
        )
    if not can_be_packed(snapshot):
        raise Problem.unknown(N_("This index is not one that can be asked without a network."))
    try:
        return stored(snapshot, pack_work(snapshot, game), patience=_PATIENCE)
    except NoPack as fault:
        raise Problem.unknown(
            TranslatableText(
                N_("This index is not one that can be asked without a network (%(reason)s)."),
                {"reason": str(fault)},
            )
        ) from fault
    except Preparing as fault:
        raise Problem(
            503, N_("The pack is being made. Ask again in a few seconds."), page=_PAGE
        ) from fault
    except (OSError, Problem) as fault:
        raise Problem(
            503,
            N_("The pack could not be made; the log says why. Ask again in a minute."),
            page=_PAGE,
        ) from fault


def can_be_packed(snapshot: Snapshot) -> bool:
    """Return whether ``snapshot`` is searched from local files, not on another machine."""
    return snapshot.folder is not None and not snapshot.waits


def _stored_pack(contents: SnapshotContents, game: str) -> bytes:
    """Build the gzipped pack of ``game``; this runs in a helper process."""
    assert contents.folder is not None
    pack = build_pack(Snapshot(Index.load(contents.folder), contents.folder), game)
    return gzip.compress(
        json.dumps(pack, ensure_ascii=False, separators=(",", ":")).encode(
            "utf-8", "surrogatepass"
        ),
        9,
        mtime=0,
    )


def build_pack(snapshot: Snapshot, game: str) -> dict[str, Any]:
    """Return the pack of ``game``: its editions, its passages as pages quote them, and an index.

    Raises `NoPack` if the index lacks the data for a pack.
    """
    index, library = snapshot.index, snapshot.library
    if (
        not isinstance(index, Index)
        or snapshot.folder is None
        or not (snapshot.folder / PHRASINGS).is_dir()
    ):
        raise NoPack(
            "this index has not what a pack is made of; build it anew with 'regula build --fresh'"
        )
    variants = load_query_variants(snapshot.folder / PHRASINGS)
    editions = [edition for edition in library.editions if edition.game == game]
    numbers = [
        n
        for n, passage in enumerate(library.searchable)
        if library.edition[library.entry[passage.entry].edition].game == game
    ]
    passages = [library.searchable[n] for n in numbers]
    names = _Names(index, game)
    documents = [
        (
            library.entry[passage.entry].title,
            " ".join((*([passage.lead_in] if passage.context else []), passage.display)),
            names.of(passage),
            names.mentioned_in(passage),
            " ".join(variant.text for variant in variants[number]),
        )
        for number, passage in zip(numbers, passages, strict=True)
    ]
    return {
        "format": FORMAT,
        "index": snapshot.id,
        "game": game,
        "editions": [
            {
                "id": edition.id,
                "name": edition_name(edition),
                "language": edition.language,
                "effective": {
                    language: effective_label(language, edition)
                    for language in LANGUAGES
                    if edition.effective
                },
            }
            for edition in editions
        ],
        "passages": [_shown(snapshot, passage) for passage in passages],
        "search": search_index(documents),
    }


def _shown(snapshot: Snapshot, passage: Passage) -> dict[str, Any]:
    """Return ``passage`` as a page quotes it, without empty fields."""
    library = snapshot.library
    quoted = quoted_passage(library, Hit(passage, 0.0, ()))
    special = format_out(library, passage)
    repaired = repaired_display(library, passage)
    cut = excerpt(repaired or passage.display, (), LINES)
    shown = {
        "id": passage.id,
        "edition": quoted.citation.edition.id,
        "url": quoted.url,
        "link": f"/e/{passage.entry}#{anchor(passage)}",
        "path": [[entry.id, entry.title] for entry in quoted.path],
        "heading": quoted.heading,
        "special": special.title if special else None,
        "lead_in": quoted.lead_in,
        "words": passage.display,
        "role": passage.role if passage.role != "text" else None,
        "repaired": repaired,
        "cut": cut[-1].end if cut else None,
        "kind": quoted.entry.kind,
        "label": quoted.citation.label,
        "position": quoted.citation.position,
        "page": quoted.citation.page_reference if not quoted.citation.paged else None,
        "cited": quoted_citation(library, passage),
    }
    return {name: value for name, value in shown.items() if value}


class _Names:
    """Names, in all languages, of the terms and cards of ``game``."""

    def __init__(self, index: Index, game: str):
        self._library = index.library
        aliases = {
            concept.id: [alias.text for alias in aliases_of(concept)]
            for concept in index.parser.concepts[game]
        }
        self._names = {
            concept: " ".join(dict.fromkeys(those)) for concept, those in aliases.items()
        }
        self._sought = {
            concept: sorted({f" {_stems(alias)} " for alias in those} - {"  "})
            for concept, those in aliases.items()
        }
        recogniser = index.parser.card_recognisers[game]
        self._cards: dict[str, list[str]] = defaultdict(list)
        for words, cards in recogniser.names.items():
            for entry in {
                entry for card in cards if card.whole for entry in recogniser.entries[card.card]
            }:
                self._cards[entry].append(" ".join(words))

    def of(self, passage: Passage) -> str:
        """Return the names of what the entry of ``passage`` is about, and the number of a rule."""
        entry, concepts = self._library.entry[passage.entry], self._library.concepts
        about = [
            concepts[each.id].partition("/")[2]
            for each in self._library.path(entry)
            if each.id in concepts
        ]
        return " ".join(
            [
                *(self._names.get(concept, "") for concept in about[-2:]),
                *self._cards.get(entry.id, ()),
                entry.number or "",
            ]
        )

    def mentioned_in(self, passage: Passage) -> str:
        """Return the names of all terms that ``passage`` or its title mentions."""
        text = f" {_stems(f'{self._library.entry[passage.entry].title} {passage.display}')} "
        return " ".join(
            self._names[concept]
            for concept, sought in self._sought.items()
            if any(name in text for name in sought)
        )


def _words(text: str) -> list[str]:
    """Return the words of ``text`` without case and accents, as offline-search.js does."""
    plain = unicodedata.normalize("NFKD", text.lower().replace("ß", "ss"))
    return _WORD.findall(
        "".join(sign for sign in plain if not unicodedata.category(sign).startswith("M"))
    )


def _stems(text: str) -> str:
    return " ".join(word[:_STEM] for word in _words(text))


def search_index(documents: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return a serialized MiniSearch 7 index of ``documents``, each with a text for each of
    `FIELDS`; a browser loads it in a sixth of the time that indexing takes.
    """
    found: dict[str, dict[str, dict[str, int]]] = {}
    lengths: dict[str, list[int]] = {}
    for number, texts in enumerate(documents):
        lengths[str(number)] = []
        for field, text in enumerate(texts):
            counts = Counter(_words(text))
            lengths[str(number)].append(len(counts))
            for term, times in _terms(counts).items():
                found.setdefault(term, {}).setdefault(str(field), {})[str(number)] = times
    count = len(documents)
    return {
        "documentCount": count,
        "nextId": count,
        "documentIds": {str(n): n for n in range(count)},
        "fieldIds": {name: n for n, name in enumerate(FIELDS)},
        "fieldLength": lengths,
        "averageFieldLength": [
            sum(each) / max(count, 1) for each in zip(*lengths.values(), strict=True)
        ],
        "storedFields": {},
        "dirtCount": 0,
        "index": list(found.items()),
        "serializationVersion": 2,
    }


def _terms(counts: Mapping[str, int]) -> Mapping[str, int]:
    """Return ``counts`` with the beginnings of long words added: "character" → "chara*"."""
    found: Counter[str] = Counter(counts)
    for word, times in counts.items():
        if len(word) > _STEM:
            found[f"{word[:_STEM]}*"] += times
    return found
