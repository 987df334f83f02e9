"""The file of a game's concepts in the workspace, with what is proposed put in beside what its
owner wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import yaml

from corpus.model import Rulebook
from glossary.comparison.concept_proposals import ConceptProposal, propose_concepts
from glossary.references import find
from service.editions.drafting.files import CONCEPTS_HEADER, inline, inserted_pairs

_Edit = tuple[int, str]  # where in the file, and what is put there


def game_proposals(
    rulebooks: Sequence[Rulebook], game: str, report: Callable[[str], None]
) -> list[ConceptProposal]:
    """Return what rulebooks of ``game`` in several languages seem to share and no file says;
    ``report`` gets a line a stage.
    """
    here = [rulebook for rulebook in rulebooks if rulebook.edition.game == game]
    return propose_concepts(here, {book.edition.id: find(book, here) for book in here}, report)


def proposal_line(proposal: ConceptProposal, languages: Mapping[str, str]) -> str:
    """Return one line on ``proposal``; ``languages`` are those of the editions by their ids."""
    entries = " | ".join(
        f"{languages[edition]}: {heading}" for edition, heading in proposal.entries.items()
    )
    return f"{proposal.score:4.2f}  {proposal.id}  {entries}"


def with_proposals(text: str, proposals: Iterable[ConceptProposal]) -> str:
    """Return ``text``, the content of a file of concepts, with ``proposals``; comments and what the
    owner wrote stay as they are.
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    there: dict[str, yaml.MappingNode] = {}
    if isinstance(root, yaml.MappingNode):
        there = {
            name.value: fields
            for name, fields in root.value
            if isinstance(fields, yaml.MappingNode)
        }
    edits: list[_Edit] = []
    added = []
    for proposal in proposals:
        if proposal.id in there:
            edits += _edits(there[proposal.id], proposal)
        else:
            added.append(_block(proposal))
    for place, inserted in sorted(edits, reverse=True):
        text = text[:place] + inserted + text[place:]
    text = text or CONCEPTS_HEADER
    return (text if text.endswith("\n") else f"{text}\n") + "".join(added)


def _block(proposal: ConceptProposal) -> str:
    """Return a concept of its own as YAML."""
    lines = [f"{proposal.id}:"]
    lines += [f"  {language}: {inline([name])}" for language, name in proposal.names.items()]
    if proposal.ordinary:
        lines.append("  ordinary: true")
    lines += [
        "  entries:",
        *(f"    {edition}: {inline(heading)}" for edition, heading in proposal.entries.items()),
    ]
    lines.append(f"  proposed: {inline(dict(proposal.scores))}")
    return "\n".join(lines) + "\n"


def _edits(concept: yaml.MappingNode, proposal: ConceptProposal) -> Iterator[_Edit]:
    """Yield what is put into the ``concept`` of a file: only names of languages and entries of
    editions that it has none of.
    """
    fields = {name.value: value for name, value in concept.value}
    new = {
        language: inline([name])
        for language, name in proposal.names.items()
        if language not in fields
    }
    inner: dict[str, dict[str, str]] = {
        "entries": {edition: inline(heading) for edition, heading in proposal.entries.items()},
        "proposed": {edition: str(score) for edition, score in proposal.scores.items()},
    }
    for name, values in inner.items():
        if isinstance(there := fields.get(name), yaml.MappingNode):
            taken = {edition.value for edition, _ in there.value}
            yield from inserted_pairs(
                there,
                [
                    f"{edition}: {value}"
                    for edition, value in values.items()
                    if edition not in taken
                ],
            )
        else:
            new[name] = (
                "{" + ", ".join(f"{edition}: {value}" for edition, value in values.items()) + "}"
            )
    yield from inserted_pairs(concept, [f"{name}: {value}" for name, value in new.items()])
