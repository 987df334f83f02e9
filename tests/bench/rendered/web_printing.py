"""Prints a manuscript as PDF with a browser, from HTML."""

from __future__ import annotations

import html
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.bench.rendered.forms import PrintForm
from tests.bench.rendered.manuscript import Element, Run

BROWSER = "chromium"
_SECONDS = 300
_STYLE = """
@page {{ size: A4; margin: 20mm; {margins} }}
body {{ font: {size}pt "DejaVu Serif", serif; line-height: 1.25; }}
main {{ column-count: {columns}; column-gap: 6mm; text-align: {align}; hyphens: {hyphens}; }}
h1, h2, h3 {{ font-family: "DejaVu Sans", sans-serif; break-after: avoid; text-align: left; hyphens: none; margin: 0.8em 0 0.2em 0; }}
h1 {{ font-size: {first}pt; }} h2 {{ font-size: {second}pt; }} h3 {{ font-size: {third}pt; }}
p {{ margin: 0; }} .space {{ margin-top: 0.6em; }}
"""
_MARGINS = (
    '@top-left {{ content: "{title}"; font-size: 8pt; font-style: italic; }} '
    '@bottom-center {{ content: "Seite " counter(page) " von " counter(pages); font-size: 8pt; }}'
)


def available() -> bool:
    """Whether the browser is installed."""
    return shutil.which(BROWSER) is not None


def as_html(elements: Sequence[Element], form: PrintForm, title: str, language: str) -> str:
    """A page with ``elements`` that looks like ``form`` when it is printed."""
    enlarged = form.enlarged
    style = _STYLE.format(
        size=form.size,
        columns=form.columns,
        align="justify" if form.justified else "left",
        hyphens="auto" if form.hyphens else "none",
        margins=_MARGINS.format(title=title),
        first=form.size + enlarged * 3,
        second=form.size + enlarged * 2,
        third=form.size + enlarged,
    )
    body = "\n".join(_element(each, form) for each in elements)
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{style}</style>'
    return f'<!doctype html><html lang="{language}"><head>{head}</head><body><main>{body}</main></body></html>'


def _element(each: Element, form: PrintForm) -> str:
    if each.level:
        return f"<h{each.level}>{html.escape(each.text)}</h{each.level}>"
    mark = form.bullet if each.mark in ("-", "*", "•") and not form.signs else each.mark
    text = "".join(_run(run) for run in each.runs)
    space = ' class="space"' if each.space else ""
    if not mark:
        return f"<p{space}>{text}</p>"
    hang = 0.55 * (len(mark) + 1)
    return f'<p{space} style="margin-left: {1.2 * each.depth + hang:.1f}em; text-indent: -{hang:.1f}em">{html.escape(mark)} {text}</p>'


def _run(run: Run) -> str:
    text = html.escape(run.text)
    return f"<b>{text}</b>" if run.bold else f"<i>{text}</i>" if run.italic else text


def printed(page: str) -> bytes:
    """``page`` (HTML) as the browser prints it. Raises `subprocess.SubprocessError` or `OSError` where it does not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, target = folder / "rulebook.html", folder / "rulebook.pdf"
        source.write_text(page, encoding="utf-8")
        profile = f"--user-data-dir={folder / 'profile'}"
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", profile, f"--print-to-pdf={target}"]
        command = [BROWSER, *options, source.as_uri()]
        subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
        return target.read_bytes()
