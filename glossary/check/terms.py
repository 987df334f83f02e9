"""Check terminology: terms with several names, names of several terms, undefined terms, headings
that references spell differently.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from corpus.languages import LANGUAGES, capitals, get_language, letters
from corpus.layouts import LAYOUTS
from corpus.model import Entry, Kind, Role
from corpus.titles import key
from glossary import normalization
from glossary.aliases import strip_qualifier
from glossary.check.model import (
    Certainty,
    Finding,
    FindingKind,
    Reason,
    Why,
    because,
    reference_lines,
    report,
    shorten,
)
from glossary.check.renderings import EditionRenderings, Rendering, RenderingKind, line_at, terms_of
from glossary.concepts import Concept, load_concepts, tie_entries
from glossary.model import Reference, ReferenceKind, RulebookView
from glossary.references.heading_lookup import HeadingLookup, bare, plain, stems, without_parameter

_TERMS = (Kind.TERM, Kind.REDIRECT)
_CARDS = (Kind.RULING, Kind.ERRATUM)
_ABBREVIATED = 3  # letters of an abbreviation, at most
_BETWEEN = 2  # small words in its long form, at most
_LISTED = (ReferenceKind.SEE, ReferenceKind.SEE_ALSO)
_FEW = 3  # times that another name is used, at most: more frequent ones mean something else
_SHARED = 4  # letters at the beginning of words that are forms of each other
_COMMON = 5  # letters in a row that two words share if one is made of the other
_USED = 3  # times that a word must be used to count as a term
_ROMAN = re.compile(r"[IVXLC]+")
_UPPER = capitals()
_ABBREVIATION = re.compile(
    rf"(?<![\w.&/-])(?:[{_UPPER}]{{2,3}}|[{_UPPER}][{letters()}]{{1,2}}[{_UPPER}])(?![\w&/-]|\.\w)"
)
_PLACES = 6  # lines named in one finding


def find_terminology_faults(
    rulebook: RulebookView,
    rulebooks: Sequence[RulebookView],
    references: Sequence[Reference],
    found: EditionRenderings,
    with_corrected: bool = False,
) -> Iterator[Finding]:
    """Yield every terminology fault in ``rulebook``; ``references`` are its own, ``rulebooks`` are
    all that are loaded.

    ``found`` are its renderings. Misprints that the edition's corrections report are left out
    unless ``with_corrected``, since a report of all findings has them already.
    """
    known, tied = terms_of(rulebook)
    yield from _several_renderings(rulebook, found, known, with_corrected)
    yield from _one_word(rulebook, references, tied)
    yield from _false_friends(rulebook)
    yield from _undefined(rulebook, rulebooks, found, known, tied)
    yield from _abbreviations(rulebook, found, known)
    yield from _headings(rulebook, references)


def _also_at(lines: Sequence[int]) -> tuple[Reason, ...]:
    """Return a reason that names further lines, if there are any."""
    rest = sorted(set(lines))[1:]
    further = ", ".join(map(str, rest[:_PLACES])) + (" …" if len(rest) > _PLACES else "")
    return because(Why.ALSO_AT, count=len(rest), lines=further) if rest else ()


# (a) one concept, several renderings


def _several_renderings(
    rulebook: RulebookView, found: EditionRenderings, known: Sequence[Concept], with_corrected: bool
) -> Iterator[Finding]:
    reported: set[tuple[str, int]] = set()
    titles = {
        key(part)
        for e in rulebook.entries
        for part in (e.title, strip_qualifier(e.title), *re.split(r"[,/]", e.title))
    }
    by_id = {c.id: c for c in known}
    for concept, renderings in found.by_concept.items():
        called = found.names[concept]
        usual = sum(r.count for r in renderings if r.kind is RenderingKind.NAME)
        for rendering in renderings:
            lines = [
                line
                for line in rendering.lines
                if with_corrected or line not in rendering.corrected_lines
            ]
            line = min(lines, default=0)
            if (
                rendering.kind in (RenderingKind.NAME, RenderingKind.REFERENCE)
                or not lines
                or (rendering.form, line) in reported
            ):
                continue
            if rendering.kind is RenderingKind.OTHER and not _is_another(
                rendering, called, titles, by_id[concept], rulebook.edition.language, usual
            ):
                continue
            reported.add((rendering.form, line))
            certainty = (
                Certainty.LIKELY if rendering.kind is RenderingKind.SLIP else Certainty.POSSIBLE
            )
            forms = ", ".join(f"{form!r}" for form, _ in rendering.forms.most_common(4))
            why = because(
                Why.SEVERAL_NAMES, quoted=called, times=usual, others=forms, often=rendering.count
            ) + _also_at(lines)
            meant = rendering.meant or called
            yield report(
                rulebook,
                line,
                FindingKind.SEVERAL_RENDERINGS,
                why,
                rendering.form,
                meant=meant,
                certainty=certainty,
            )


def _is_another(
    rendering: Rendering, called: str, titles: set[str], concept: Concept, language: str, usual: int
) -> bool:
    """Return whether a concept's name shares no words with its heading, and names nothing else."""
    if (
        rendering.shared
        or rendering.count > _FEW
        or not usual
        or concept.ordinary
        or normalization.tokenize(called)[0].text.isupper()
    ):
        return False
    if any(key(form) in titles or form.isupper() for form in rendering.forms):
        return False
    names = [
        normalization.fold_umlauts(w.text)
        for name in (called, *concept.names[language][:1])
        for w in normalization.tokenize(name)
    ]
    parts = [normalization.fold_umlauts(w.text) for w in normalization.tokenize(rendering.form)]
    if any(_related(part, name) for part in parts for name in names):
        return False
    # In German a name is a noun: the participle "gezogen" is no other name of "ziehen".
    return not get_language(language).capitalised_nouns or all(
        form[0].isupper() for form in rendering.forms
    )


def _related(one: str, other: str) -> bool:
    """Return whether two words have the same beginning, or a large part in common."""
    if max(len(one), len(other)) <= _COMMON and one[: _SHARED - 1] == other[: _SHARED - 1]:
        return True  # "Bonus", "Boni"
    in_common = SequenceMatcher(None, one, other, autojunk=False).find_longest_match().size
    return one[:_SHARED] == other[:_SHARED] or in_common >= min(_COMMON, len(one), len(other))


# (b) one word, several concepts


def _one_word(
    rulebook: RulebookView, references: Sequence[Reference], tied: Mapping[str, str]
) -> Iterator[Finding]:
    """Yield terms that differ only in a qualifier, and references that leave the qualifier out."""
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in rulebook.entries:
        if entry.kind is Kind.TERM and bare(entry.title):
            groups[key(bare(entry.title))].append(entry)
    for group in groups.values():
        meanings = {tied.get(entry.id, entry.id) for entry in group}
        if len(meanings) < 2 or len({key(entry.title) for entry in group}) < 2:
            continue
        first, *others = group
        lines = ", ".join(str(e.lines.first) for e in others)
        why = because(Why.SAME_NAME, names=tuple(shorten(e.title) for e in others), lines=lines)
        name = bare(first.title)
        yield report(
            rulebook,
            first.lines.first,
            FindingKind.ONE_WORD_SEVERAL_CONCEPTS,
            why,
            name,
            certainty=Certainty.POSSIBLE,
        )
        entries = {entry.id: entry for entry in group}
        for reference in references:
            if (
                reference.target in entries
                and reference.problem is None
                and key(plain(reference.raw)) == key(name)
            ):
                target = entries[reference.target]
                if key(plain(target.title)) != key(name) and key(target.title) != key(
                    reference.raw
                ):
                    yield report(
                        rulebook,
                        reference,
                        FindingKind.ONE_WORD_SEVERAL_CONCEPTS,
                        Why.NO_QUALIFIER,
                        meant=target.title,
                        count=len(group),
                    )


def _false_friends(rulebook: RulebookView) -> Iterator[Finding]:
    """Yield headings that are the name of a different concept in another language."""
    known = load_concepts(rulebook.edition.game)
    tied = tie_entries(known, [rulebook]).by_entry
    mine = rulebook.edition.language
    by_id = {concept.id: concept for concept in known}
    elsewhere: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for concept in known:
        for language in LANGUAGES:
            if language != mine and (name := concept.name(language)):
                elsewhere[key(strip_qualifier(name))].append((concept.id, language))
    for entry in rulebook.entries:
        owner = by_id.get(tied.get(entry.id, ""))
        if owner is None or entry.kind is Kind.REDIRECT:
            continue
        name = key(strip_qualifier(entry.title))
        found = [(id, language) for id, language in elsewhere.get(name, ()) if id != owner.id]
        if not found or any(id == owner.id for id, _ in elsewhere.get(name, ())):
            continue
        other, language = found[0]
        why = because(Why.NAME_IN_LANGUAGE, language=get_language(language).name)
        if called := by_id[other].name(mine):
            why = because(
                Why.NAME_IN_LANGUAGE_OF, language=get_language(language).name, quoted=called
            )
        yield report(
            rulebook,
            entry,
            FindingKind.ONE_WORD_SEVERAL_CONCEPTS,
            why,
            certainty=Certainty.POSSIBLE,
        )


# (c) terms nowhere defined


def _undefined(
    rulebook: RulebookView,
    rulebooks: Sequence[RulebookView],
    found: EditionRenderings,
    known: Sequence[Concept],
    tied: Mapping[str, str],
) -> Iterator[Finding]:
    """Yield terms that a sister edition defines and this one only uses."""
    if LAYOUTS[rulebook.edition.layout].excerpt:
        return
    here = set(tied.values())
    sisters = [
        b
        for b in rulebooks
        if b.edition.game == rulebook.edition.game and b.edition.id != rulebook.edition.id
    ]
    there = tie_entries(load_concepts(rulebook.edition.game), sisters).by_entry
    defined = {
        there[e.id]: (b, e)
        for b in sisters
        for e in b.entries
        if e.id in there and e.kind is Kind.TERM
    }
    if len(here & defined.keys()) < len(defined) / 2:
        return  # another sort of book: it need not define what the other does
    titles = HeadingLookup(rulebook)
    for concept in known:
        if concept.id in here or concept.id not in defined or concept.ordinary:
            continue
        uses = [
            r
            for r in found.by_concept.get(concept.id, ())
            if r.kind is not RenderingKind.REFERENCE
            and not r.shared
            and titles.strict(r.form) is None
        ]
        count = sum(r.count for r in uses)
        if count >= _USED:
            sister, entry = defined[concept.id]
            lines = [line for r in uses for line in r.lines]
            defined_in = because(Why.DEFINED_IN, edition=sister.edition.id, line=entry.lines.first)
            yield report(
                rulebook,
                min(lines),
                FindingKind.UNDEFINED_TERM,
                because(Why.USED, times=count) + _also_at(lines) + defined_in,
                uses[0].form,
                certainty=Certainty.POSSIBLE,
            )


def _abbreviations(
    rulebook: RulebookView, found: EditionRenderings, known: Sequence[Concept]
) -> Iterator[Finding]:
    """Yield abbreviations that have no heading and are not spelled out before their first use."""
    explained = dict.fromkeys(
        (
            w.text
            for e in rulebook.entries
            if e.kind not in _CARDS
            for w in normalization.tokenize(e.heading)
        ),
        0,
    )
    explained |= dict.fromkeys(
        (w.text for e in rulebook.entries for w in normalization.tokenize(f"{e.product} {e.card}")),
        0,
    )
    for concept in known:
        forms = {
            form for rendering in found.by_concept.get(concept.id, ()) for form in rendering.forms
        }
        if any(len(form) > _ABBREVIATED for form in forms):  # its long name is used too
            explained |= dict.fromkeys(forms, 0)
    title = {word.text for word in normalization.tokenize(rulebook.edition.title)}
    lines: dict[str, list[int]] = defaultdict(list)
    small: set[str] = set()
    for passage in rulebook.passages:
        if passage.role not in (Role.TEXT, Role.VOID):
            continue
        small.update(w.text for w in normalization.tokenize(passage.text) if w.text.islower())
        if sum(c.isupper() for c in passage.text) > len(passage.text) / 3:
            continue
        for match in _ABBREVIATION.finditer(passage.text):
            name, line = match.group(), line_at(passage, match.start())
            before = [
                w.text
                for w in normalization.tokenize(
                    passage.text[max(0, match.start() - 60) : match.start()]
                )
            ]
            if before and before[-1] in title:
                continue  # "Wiesenspiel LCG": part of the name of the game
            in_brackets = passage.text[match.start() - 1 : match.start()] == "("
            if (in_brackets and _spelled_out(before, name)) or re.match(
                r"\s*[=:(]", passage.text[match.end() :]
            ):
                explained.setdefault(name, line)
            lines[name].append(line)
    for name, places in lines.items():
        at = explained.get(name)
        if (
            (at is not None and at <= min(places))
            or _ROMAN.fullmatch(name)
            or name.casefold() in small
        ):
            continue
        times = len(places)
        why = (
            because(Why.NOT_SPELLED_OUT, times=times)
            if at is None
            else because(Why.SPELLED_OUT_LATER, line=at, times=times)
        )
        yield report(
            rulebook,
            min(places),
            FindingKind.UNDEFINED_TERM,
            why + _also_at(places),
            name,
            certainty=Certainty.POSSIBLE,
        )


def _spelled_out(before: Sequence[str], abbreviation: str) -> bool:
    """Return whether the words right before an abbreviation in brackets have its letters: as
    initials, or in order within one word.
    """
    letters = abbreviation.casefold()
    initials = iter(word[0].casefold() for word in before[-len(letters) - _BETWEEN :])
    last = before[-1].casefold() if before else ""
    return _in_order(letters, initials) or (
        last[:1] == letters[0] and _in_order(letters, iter(last))
    )


def _in_order(letters: str, among: Iterator[str]) -> bool:
    return all(letter in among for letter in letters)


# (d) headings that references spell differently


def _headings(rulebook: RulebookView, references: Sequence[Reference]) -> Iterator[Finding]:
    """Yield names in reference lists whose number, gender, tense or word order differs from the
    heading they lead to.
    """
    entries = {e.id: e for e in rulebook.entries if e.kind in _TERMS}
    language = rulebook.edition.language
    lists = reference_lines(rulebook)
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    right: Counter[str] = Counter()
    for reference in references:
        entry = entries.get(reference.target or "")
        if entry is None or reference.problem is not None or reference.kind not in _LISTED:
            continue
        if _differs(reference.raw, entry, language):
            found[entry.id, reference.raw].append(reference.line)
        else:
            right[entry.id] += 1
    for (id, raw), lines in found.items():
        entry = entries[id]
        why = because(Why.ALWAYS_REFERRED_TO_SO, times=len(lines), line=entry.lines.first)
        if right[id]:
            why = because(
                Why.REFERRED_TO_SO, times=len(lines), often=right[id], line=entry.lines.first
            )
        certainty = (
            Certainty.LIKELY if lists.issuperset(lines) else Certainty.POSSIBLE
        )  # in a sentence, grammar may ask for it
        printed, meant = raw, entry.title
        yield report(
            rulebook,
            min(lines),
            FindingKind.HEADING_SPELLING,
            why + _also_at(lines),
            printed,
            meant=meant,
            certainty=certainty,
        )


def _differs(raw: str, entry: Entry, language: str) -> bool:
    """Return whether a reference uses other forms of the words of a heading, not only fewer of its
    names or no qualifier.
    """
    names = {
        key(form)
        for title in (entry.title, entry.heading, plain(entry.heading))
        for name in (title, *re.split(r"[,/]", title), *re.split(r"[,/]", bare(title)))
        for form in (name, bare(name), without_parameter(bare(name)))
    }
    spellings = {key(raw), key(bare(raw)), key(plain(raw)), key(without_parameter(bare(raw)))}
    if spellings & names or key(raw).replace(" ", "") in {name.replace(" ", "") for name in names}:
        return False
    mine, its = (set(stems(text, language).split()) for text in (raw, entry.title))
    return bool(mine & its) or any(_related(a, b) for a in mine for b in its)
