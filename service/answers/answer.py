"""What was found, as the JSON that programs get: answers, citations, entries, editions of the contract, version 1."""

from __future__ import annotations

from typing import Any

from corpus.model import Edition, Entry, Passage
from glossary.model import Reference
from index.library.library import Library
from index.model import Found, Hit
from index.questions.question_parser import Question
from service.core.snapshot import Snapshot

Json = dict[str, Any]

_LINE = {"de": "Z.", "it": "r.", "en": "l."}


def answer(index: Snapshot, found: Found) -> Json:
    """The body of an answer to what was asked of ``index``."""
    library = index.library
    return {
        **judgement_json(index, found),
        "passages": [hit_json(library, hit, rank) for rank, hit in enumerate(found.hits, 1)],
        "fallback": passage_json(library, found.fallback) if found.fallback and not found.answered else None,
        "reading": reading_json(library, found.reading) if found.reading else None,
    }


def judgement_json(index: Snapshot, found: Found) -> Json:
    """What every form of an answer begins with: what was asked of which ``index``, and whether it is settled."""
    return {
        "question": found.query.question,
        "language": found.language,
        "answered": found.answered,
        "confidence": round(min(max(float(found.confidence), 0.0), 1.0), 4),
        "index": index.id,
    }


def reading_json(library: Library, question: Question) -> Json:
    """How a question was read: what it asks, the concepts and cards of the games at hand that it names, its asking sentences."""
    terms = {f"{game}/{m.concept}": None for game in library.games for m in question.mentions.get(game, ())}
    cards = {named.card: None for game in library.games for named in question.cards.get(game, ())}
    return {"asks": question.asks.value, "concepts": list(terms), "cards": list(cards), "questions": list(question.asking)}


def hit_json(library: Library, hit: Hit, rank: int) -> Json:
    """A passage found, with the other places where the same words are printed under ``also``."""
    body = passage_json(library, hit.passage, rank, round(float(hit.score), 6), hit.highlights)
    return {**body, "also": [citation_json(library, passage) for passage in hit.also]}


def passage_json(
    library: Library, passage: Passage, rank: int | None = None, score: float | None = None, highlights: tuple[tuple[int, int], ...] = ()
) -> Json:
    """A passage with its citation. One that was not searched for has no rank, score and highlights."""
    return {
        "rank": rank,
        "score": score,
        "text": passage.text,
        "display": passage.display,
        "highlights": [[a, b] for a, b in highlights],
        "role": passage.role.value,
        "depth": passage.depth,
        "citation": citation_json(library, passage),
        "see_also": [link_json(entry) for entry in see_also(library, library.entry[passage.entry])],
        "also": [],
    }


def citation_json(library: Library, passage: Passage) -> Json:
    """Where ``passage`` stands, to the character."""
    entry = library.entry[passage.entry]
    edition = library.edition[entry.edition]
    return {
        "label": label(library, passage),
        "edition": edition.id,
        "game": edition.game,
        "language": edition.language,
        "version": edition.version,
        "entry": entry.id,
        "heading": entry.heading,
        "kind": entry.kind.value,
        "number": entry.number,
        "page": library.page(entry),
        "url": url(entry),
        "source": _source(library, edition.id) | _place(passage),
    }


def label(library: Library, passage: Passage) -> str:
    """A citation for readers: "Marvel Champions Referenzhandbuch 1.5 (de), Aktivierung, Z. 103"."""
    entry = library.entry[passage.entry]
    edition = library.edition[entry.edition]
    return f"{edition_name(edition)}, {name(library, entry)}, {lines_name(edition.language, *passage.lines)}"


def edition_name(edition: Edition) -> str:
    """Title, version and language of an edition in one line."""
    return " ".join(filter(None, (edition.title, edition.version, f"({edition.language})")))


def name(library: Library, entry: Entry) -> str:
    """The title of ``entry``; that of a subsection, which many entries have alike, behind the title of its entry."""
    if entry.kind == "subsection" and entry.parent and entry.parent in library.entry:
        return f"{name(library, library.entry[entry.parent])}, {entry.title}"
    return entry.title


def lines_name(language: str, first: int, last: int) -> str:
    """Lines as citations of that language name them: "Z. 103–105", "r. 103"."""
    return f"{_LINE.get(language, _LINE['en'])} {first}" + (f"–{last}" if last > first else "")


def url(entry: Entry) -> str:
    """The address of the page of ``entry``."""
    return f"/e/{entry.id}"


def see_also(library: Library, entry: Entry) -> list[Entry]:
    """The entries of the same edition that ``entry`` refers to, each once, in the order of print."""
    targets = (library.entry.get(r.target or "") for r in library.references_of.get(entry.id, ()))
    return list({t.id: t for t in targets if t and t.edition == entry.edition and t.id != entry.id}.values())


def link_json(entry: Entry) -> Json:
    """An entry named, not told."""
    return {"entry": entry.id, "title": entry.title}


def edition_json(library: Library, edition: Edition) -> Json:
    """An edition, its document, and how much is in it."""
    return {
        "id": edition.id,
        "game": edition.game,
        "language": edition.language,
        "version": edition.version,
        "title": edition.title,
        "source": _source(library, edition.id),
        "entries": len(library.entries_of(edition.id)),
        "passages": len(library.passages_in(edition.id)),
    }


def entry_json(library: Library, entry: Entry) -> Json:
    """An entry with its references, without its text."""
    return {
        "id": entry.id,
        "edition": entry.edition,
        "kind": entry.kind.value,
        "heading": entry.heading,
        "title": entry.title,
        "number": entry.number,
        "product": entry.product,
        "parent": entry.parent,
        "source": _source(library, entry.edition) | _place(entry),
        "references": [reference_json(r) for r in library.references_of.get(entry.id, ())],
        "concept": library.concepts.get(entry.id),
    }


def reference_json(reference: Reference) -> Json:
    """A reference as printed, where it leads, and what is wrong with it."""
    return {
        "line": reference.line,
        "raw": reference.raw,
        "target": reference.target,
        "kind": reference.kind.value,
        "problem": reference.problem.value if reference.problem else None,
        "meant": reference.meant,
    }


def entry_with_text_json(library: Library, entry: Entry) -> Json:
    """An entry with its passages: what a card look-up lists."""
    passages = library.passages_of.get(entry.id, ())
    return entry_json(library, entry) | {"url": url(entry), "passages": [passage_json(library, p) for p in passages]}


def whole_entry_json(library: Library, entry: Entry) -> Json:
    """An entry with its passages, the entries in it, and those that refer to it."""
    return entry_with_text_json(library, entry) | {
        "page": library.page(entry),
        "path": [link_json(e) for e in library.path(entry)[:-1]],
        "children": [link_json(e) for e in library.children_of.get(entry.id, ())],
        "referred_to_by": [link_json(e) for e in library.referring_to.get(entry.id, ())],
    }


def _source(library: Library, edition: str) -> Json:
    source = library.sources[edition]
    return {"file": source.file, "sha256": source.sha256}


def _place(thing: Entry | Passage) -> Json:
    return {"spans": [[a, b] for a, b in thing.spans], "lines": list(thing.lines)}


def as_text(index: Snapshot, found: Found) -> str:
    """What was found for someone at a terminal: each passage in its official wording under its citation."""
    says = {
        "de": ("Das Regelwerk klärt das nicht.", "Was dann gilt:", "Nächstliegende Stellen:"),
        "it": ("Il regolamento non lo chiarisce.", "Che cosa vale allora:", "Passi più vicini:"),
    }.get(found.language, ("The rulebook does not settle this.", "What holds then:", "Nearest passages:"))
    parts = [] if found.answered else [says[0]]
    if found.fallback and not found.answered:
        parts.append(f"{says[1]}\n\n{_quotation(index.library, found.fallback)}")
    if found.hits and not found.answered:
        parts.append(says[2])
    for rank, hit in enumerate(found.hits, 1):
        same = {"de": "auch", "it": "anche"}.get(found.language, "also")
        also = [f"   ({same}: {label(index.library, passage)})" for passage in hit.also]
        parts.append("\n".join([f"{rank}. {_quotation(index.library, hit.passage)}", *also]))
    return "\n\n".join(parts)


def _quotation(library: Library, passage: Passage) -> str:
    page = library.page(library.entry[passage.entry])
    lines = [f"   {line}" for line in passage.display.splitlines()]
    return "\n".join([label(library, passage) + (f" (S. {page})" if page else ""), *lines])
