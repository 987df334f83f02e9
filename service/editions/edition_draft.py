"""The draft of a YAML file that describes a new version of an edition."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import PurePath
from typing import Any

import yaml

from corpus.anchors import anchors
from corpus.editions import recognition_lines
from corpus.languages import LANGUAGES
from corpus.layouts import LAYOUTS
from corpus.model import Correction, DocumentKind, Rulebook
from corpus.similarity import compared_text, sketch
from index.building.version_lookup import applied_corrections

_WIDTH = 140
_HEAD = """\
# What 'regula add' recognised in {file}. Every value can be corrected here; the next command reads it.
#   game       editions of one game are compared and searched together
#   language   {languages}
#   version    as printed; of two versions in one language, the higher one is the newer
#   effective  the day from which it holds; questions as of a day are answered from what held then
#   kind       rules, policy for rules of tournaments and penalties, or formats for what is legal in them
#   layout     how it is read: {layouts}
#   document   SHA-256 of the file, by which it is known; sketch: hashes of its text, by which newer versions of it are
"""
_TAIL = """\
# More that can be said, here for example:
# fallback: The Iron Rule       # heading of the rule for what no other rule settles
# names: {Device card: DEVICE}  # names that references use, with the headings they mean
# corrections:
#   - {line: 12, fault: furniture, printed: Page 3, why: a page number}
#   - {line: 40, fault: reference, printed: Ancor, meant: ANCHOR, why: misprint}
"""


def edition_draft(rulebook: Rulebook, exact: bool = False) -> str:
    """Return a YAML file that describes the edition of ``rulebook``, with what fits of the edition that it succeeds.

    It is recognised by the lines by which that one is; where there are none, or if ``exact``, by the hash of its document.
    """
    edition, document = rulebook.edition, rulebook.document
    recognise = list(recognition_lines(document, edition.succeeds or edition.id))
    fields: dict[str, Any] = {
        "id": edition.id,
        "game": edition.game,
        "language": edition.language,
        "version": edition.version,
        "title": edition.title,
    }
    if edition.effective:
        fields["effective"] = date.fromisoformat(edition.effective)
    if edition.kind is not DocumentKind.RULES:
        fields["kind"] = edition.kind.value
    fields["layout"] = edition.layout
    if recognise:
        fields["recognise"] = recognise
    if exact or not recognise:
        fields["document"] = document.sha256
    if edition.fallback:
        fields["fallback"] = edition.fallback
    if edition.names:
        fields["names"] = dict(edition.names)
    if edition.lost_signs:
        fields["lost_signs"] = {sign: list(places) for sign, places in edition.lost_signs.items()}
    lines = [yaml.safe_dump(fields, allow_unicode=True, sort_keys=False, width=_WIDTH).rstrip()]
    if hashes := " ".join(sketch(compared_text(document))):  # a text of a few words has none
        lines += ["sketch: >-", textwrap.fill(hashes, _WIDTH, initial_indent="  ", subsequent_indent="  ")]
    return "\n".join([*lines, *_correction_lines(rulebook)]) + "\n"


def commented_draft(rulebook: Rulebook) -> str:
    """Return `edition_draft` for an owner: recognised by the hash of the file, with comments that say what can be changed."""
    head = _HEAD.format(file=PurePath(rulebook.document.file).name, languages=", ".join(LANGUAGES), layouts=", ".join(LAYOUTS))
    return head + edition_draft(rulebook, exact=True) + ("" if rulebook.edition.corrections else _TAIL)


def corrected_fields(text: str, values: Mapping[str, str]) -> str:
    """Return ``text``, a file that describes an edition, with other ``values`` of its fields; everything else stays as it is."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    edits = [(node.start_mark.index, node.end_mark.index, values[name.value]) for name, node in root.value if name.value in values]
    for start, end, value in sorted(edits, reverse=True):
        written = yaml.safe_dump([value], allow_unicode=True, default_flow_style=True, width=10_000).strip()[1:-1]
        text = text[:start] + written + text[end:]
    return text


def _correction_lines(rulebook: Rulebook) -> Iterator[str]:
    """Yield the lines of the corrections that apply to ``rulebook``, by line, then comments on those that do not."""
    corrections = applied_corrections(rulebook)
    if carried := [correction for correction in corrections.carried if not correction.settled]:
        yield "corrections:"
        with_anchors = zip(carried, anchors(rulebook.document, carried), strict=True)
        for correction, anchor in sorted(with_anchors, key=lambda pair: pair[0].line):
            yield f"  - {_correction_yaml(correction, anchor)}"
    for correction in corrections.unfit:
        yield f"  # not found again: line {correction.line}, {correction.fault.value}: {correction.why}"


def _correction_yaml(correction: Correction, anchor: str) -> str:
    """Return one correction as YAML in one line."""
    fields: dict[str, Any] = {"line": correction.line}
    if correction.through != correction.line:
        fields["through"] = correction.through
    fields |= {"fault": correction.fault.value, "printed": correction.printed}
    if correction.meant is not None:
        fields["meant"] = correction.meant
    fields["why"] = correction.why
    if anchor:
        fields["anchor"] = anchor
    return yaml.safe_dump(fields, allow_unicode=True, sort_keys=False, default_flow_style=True, width=10_000).strip()
