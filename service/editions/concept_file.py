"""The file of a game's concepts in the workspace, with what is proposed put in beside what its owner wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import yaml

from corpus.model import Rulebook
from glossary.comparison.concept_proposals import ConceptProposal, propose_concepts
from glossary.references import find

HEADER = """\
# What the editions of this game call the same thing: names by language, and under 'entries' the headings by edition.
# 'proposed' says how sure the program was, from 0 to 1, of an entry that it found by itself. Delete that line where it is right; correct
# the heading where it is wrong. Entries that are not the same thing: give each a concept of its own, without 'proposed'.
# 'drafted' names the model that proposed other names, 'abbreviations' or 'slang': take out what nobody says.
"""
_ENDLESS = 1_000_000  # characters of a line

_Edit = tuple[int, str]  # where in the file, and what is put there


def game_proposals(rulebooks: Sequence[Rulebook], game: str, report: Callable[[str], None]) -> list[ConceptProposal]:
    """What ``rulebooks`` of ``game`` in several languages seem to have in common and no file says; ``report`` gets a line a stage."""
    here = [rulebook for rulebook in rulebooks if rulebook.edition.game == game]
    return propose_concepts(here, {book.edition.id: find(book, here) for book in here}, report)


def proposal_line(proposal: ConceptProposal, languages: Mapping[str, str]) -> str:
    """One line on ``proposal``; ``languages`` are those of the editions by their ids."""
    entries = " | ".join(f"{languages[edition]}: {heading}" for edition, heading in proposal.entries.items())
    return f"{proposal.score:4.2f}  {proposal.id}  {entries}"


def with_proposals(text: str, proposals: Iterable[ConceptProposal]) -> str:
    """``text``, the content of a file of concepts, with ``proposals``; comments and what the owner wrote stay as they are."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    there: dict[str, yaml.MappingNode] = {}
    if isinstance(root, yaml.MappingNode):
        there = {name.value: fields for name, fields in root.value if isinstance(fields, yaml.MappingNode)}
    edits: list[_Edit] = []
    added = []
    for proposal in proposals:
        if proposal.id in there:
            edits += _edits(there[proposal.id], proposal)
        else:
            added.append(_block(proposal))
    for place, inserted in sorted(edits, reverse=True):
        text = text[:place] + inserted + text[place:]
    text = text or HEADER
    return (text if text.endswith("\n") else f"{text}\n") + "".join(added)


def _block(proposal: ConceptProposal) -> str:
    """A concept of its own as YAML."""
    lines = [f"{proposal.id}:"]
    lines += [f"  {language}: {_inline([name])}" for language, name in proposal.names.items()]
    if proposal.ordinary:
        lines.append("  ordinary: true")
    lines += ["  entries:", *(f"    {edition}: {_scalar(heading)}" for edition, heading in proposal.entries.items())]
    lines.append(f"  proposed: {_inline(dict(proposal.scores))}")
    return "\n".join(lines) + "\n"


def _edits(concept: yaml.MappingNode, proposal: ConceptProposal) -> Iterator[_Edit]:
    """What is put into the ``concept`` of a file: only names of languages and entries of editions that it has none of."""
    fields = {name.value: value for name, value in concept.value}
    new = {language: _inline([name]) for language, name in proposal.names.items() if language not in fields}
    inner: dict[str, dict[str, str]] = {
        "entries": {edition: _scalar(heading) for edition, heading in proposal.entries.items()},
        "proposed": {edition: str(score) for edition, score in proposal.scores.items()},
    }
    for name, values in inner.items():
        if isinstance(there := fields.get(name), yaml.MappingNode):
            taken = {edition.value for edition, _ in there.value}
            yield from _insertion(there, {edition: value for edition, value in values.items() if edition not in taken})
        else:
            new[name] = "{" + ", ".join(f"{edition}: {value}" for edition, value in values.items()) + "}"
    yield from _insertion(concept, new)


def _insertion(mapping: yaml.MappingNode, values: Mapping[str, str]) -> Iterator[_Edit]:
    """What is put before the first field of ``mapping``; an empty one must be written in braces."""
    if not values:
        return
    pairs = [f"{name}: {value}" for name, value in values.items()]
    if mapping.flow_style:
        yield mapping.start_mark.index + 1, ", ".join(pairs) + (", " if mapping.value else "")
    else:
        first = mapping.value[0][0].start_mark
        yield first.index, "".join(f"{pair}\n{' ' * first.column}" for pair in pairs)


def _scalar(value: str) -> str:
    """A text as YAML in one line, that may stand in braces too."""
    return _inline([value])[1:-1]


def _inline(value: Any) -> str:
    return str(yaml.safe_dump(value, allow_unicode=True, default_flow_style=True, width=_ENDLESS, sort_keys=False)).strip()
