"""Reads the text of DOCX paragraphs: runs, links, fields, notes and text boxes."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from corpus.formats.docx.word_styles import WordStyle, WordStyles, overlaid
from corpus.formats.docx.word_xml import R, W, child, value
from corpus.formats.shared.numerals import roman
from corpus.formats.shared.text_assembler import BlockDraft

_WRAPPERS = frozenset(
    {
        "ins",
        "moveTo",
        "smartTag",
        "customXml",
        "sdt",
        "sdtContent",
        "dir",
        "bdo",
        "oMathPara",
        "oMath",
        "ruby",
        "rubyBase",
    }
)
_CONTENTS_FIELD = re.compile(r"\s*TOC\b")
_LINK_FIELD = re.compile(
    r"\s*HYPERLINK\b(?P<local>[^\"]*\\l)?\s*\"?(?P<target>[^\"\s]+)\"?(?:\s*\\l\s*\"(?P<anchor>[^\"]+)\")?"
)
_REFERENCE_FIELD = re.compile(r"\s*(?:REF|PAGEREF|NOTEREF)\s+\"?(?P<target>[^\"\s\\]+)")
_OWN_BOOKMARK = "_GoBack"  # where the author stopped


class NoteReference(NamedTuple):
    """A reference to a note: its ``kind`` ("footnote", "endnote"), the id, and the number that is
    printed for it.
    """

    kind: str
    id: str
    mark: str


class _Field:
    """A field that is being read. Only its result is text."""

    def __init__(self) -> None:
        self.instruction = ""
        self.has_result = False
        self.start = 0
        self.draft: BlockDraft | None = None


class RunReader:
    """Reads paragraphs into drafts. Fields may go over several paragraphs. ``targets`` are those of
    links by the ids of relations.
    """

    def __init__(self, styles: WordStyles, targets: dict[str, str]):
        self._styles = styles
        self._targets = targets
        self._fields: list[_Field] = []
        self._noted = {"footnote": 0, "endnote": 0}
        self._boxes: list[Any] = []
        self._notes: list[NoteReference] = []
        self.contents = False  # the last paragraph belongs to a table of contents

    @property
    def _in_contents(self) -> bool:
        """Whether a table of contents is being read."""
        return any(_CONTENTS_FIELD.match(field.instruction) for field in self._fields)

    def read(
        self, paragraph: Any, draft: BlockDraft, style: WordStyle
    ) -> tuple[list[Any], list[NoteReference]]:
        """Add the text of ``paragraph`` to ``draft``. Returns its text boxes and its references to
        notes.
        """
        self._boxes, self._notes, self.contents = [], [], self._in_contents
        self._inline(paragraph, draft, style)
        return self._boxes, self._notes

    def _inline(self, container: Any, draft: BlockDraft, style: WordStyle) -> None:
        for each in container:
            if not isinstance(each.tag, str):
                continue
            name = each.tag.rpartition("}")[2]
            start = draft.length
            if name == "r":
                self._run(each, draft, style)
            elif name == "hyperlink":
                self._inline(each, draft, style)
                anchor = each.get(f"{W}anchor")
                address = self._targets.get(each.get(f"{R}id", ""), "")
                draft.link(start, f"{address}#{anchor}" if anchor else address)
            elif name == "fldSimple":
                self._inline(each, draft, style)
                draft.link(start, _target(each.get(f"{W}instr", "")))
            elif name == "bookmarkStart" and each.get(f"{W}name", _OWN_BOOKMARK) != _OWN_BOOKMARK:
                draft.anchors.append(each.get(f"{W}name"))
            elif name in _WRAPPERS:
                self._inline(each, draft, style)
            elif name == "AlternateContent" and len(each):
                self._inline(each[0], draft, style)

    def _run(self, run: Any, draft: BlockDraft, style: WordStyle) -> None:
        properties = child(run, "rPr")
        if (id := value(properties, "rStyle")) is not None:
            own = self._styles.style(id)
            style = style._replace(
                **{
                    field: getattr(own, field)
                    for field in ("bold", "italic", "hidden")
                    if getattr(own, field) is not None
                }
            )
            style = style._replace(size=own.size) if own.size != self._styles.base.size else style
        style = overlaid(style, None, properties)
        if not style.hidden:
            self._run_content(run, draft, style)

    def _run_content(self, run: Any, draft: BlockDraft, style: WordStyle) -> None:
        for each in run:
            if not isinstance(each.tag, str):
                continue
            name = each.tag.rpartition("}")[2]
            if name == "fldChar":
                self._field_sign(each.get(f"{W}fldCharType"), draft)
            elif name == "instrText":
                if self._fields:
                    self._fields[-1].instruction += (each.text or "")[:1000]
            elif name in ("drawing", "pict", "object"):
                self._boxes += _text_boxes(each)
            elif name == "AlternateContent":
                if len(each):
                    self._run_content(each[0], draft, style)
            elif name in ("footnoteReference", "endnoteReference"):
                self._note(name.removesuffix("Reference"), each.get(f"{W}id", ""), draft)
            elif all(field.has_result for field in self._fields):
                self._sign(name, each, draft, style)

    def _sign(self, name: str, element: Any, draft: BlockDraft, style: WordStyle) -> None:
        text = {
            "t": element.text,
            "tab": " ",
            "ptab": " ",
            "noBreakHyphen": "\u2011",
            "softHyphen": "\u00ad",
        }.get(name)
        if name in ("br", "cr"):
            if element.get(f"{W}type") in ("page", "column"):
                text = " "
            else:
                draft.line_break()
        elif name == "sym" and re.fullmatch("[0-9A-Fa-f]{4}", element.get(f"{W}char", "")):
            text = chr(int(element.get(f"{W}char"), 16))
            text = "" if "\ud800" <= text <= "\udfff" else text
        if text:
            draft.add(text, bold=bool(style.bold), italic=bool(style.italic), size=style.size)

    def _field_sign(self, sign: str | None, draft: BlockDraft) -> None:
        if sign == "begin":
            self._fields.append(_Field())
        elif sign == "separate" and self._fields:
            field = self._fields[-1]
            field.has_result, field.start, field.draft = True, draft.length, draft
            self.contents = self.contents or self._in_contents
        elif sign == "end" and self._fields:
            field = self._fields.pop()
            if field.draft is draft:
                draft.link(field.start, _target(field.instruction))

    def _note(self, kind: str, id: str, draft: BlockDraft) -> None:
        self._noted[kind] += 1
        number = self._noted[kind]
        mark = str(number) if kind == "footnote" else roman(number)
        draft.add(f"[{mark}]", aside=True)
        self._notes.append(NoteReference(kind, id, mark))


def _target(instruction: str) -> str:
    """Where the field with ``instruction`` leads; "" for none."""
    if match := _LINK_FIELD.match(instruction):
        target, anchor = match["target"], match["anchor"]
        return f"#{target}" if match["local"] else f"{target}#{anchor}" if anchor else target
    match = _REFERENCE_FIELD.match(instruction)
    return f"#{match['target']}" if match else ""


def _text_boxes(drawing: Any) -> list[Any]:
    """The contents of the text boxes in ``drawing``, each once, the outermost only."""
    found = []
    for box in drawing.iterdescendants(f"{W}txbxContent"):
        inside = any(
            up.tag == f"{W}txbxContent" or up.tag.endswith("}Fallback")
            for up in _up_to(box, drawing)
        )
        if not inside:
            found.append(box)
    return found


def _up_to(element: Any, top: Any) -> list[Any]:
    found = []
    for up in element.iterancestors():
        if up is top:
            break
        found.append(up)
    return found
