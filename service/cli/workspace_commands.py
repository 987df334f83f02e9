"""Commands of a workspace: make one, and add rulebooks to it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.cli.common import cli, home_option, say, settings_from_options

if TYPE_CHECKING:
    from corpus.document import Document
    from service.editions.recognised_rulebook import RecognisedRulebook

_NOTE = "# What 'regula add' recognised. Every value can be corrected; the next command reads it.\n"


@cli.command()
@click.argument("folder", metavar="DIR")
def init(folder: str) -> None:
    """Make a workspace in DIR: folders for your rulebooks and for what you know of them."""
    from service.ops.workspace_files import make_workspace

    made = make_workspace(Path(folder).expanduser())
    click.echo(f"{folder}: {'made ' + ', '.join(made) if made else 'is a workspace already'}")
    click.echo(f"Add a rulebook with: regula add FILE --home {folder}   (or set REGULA_HOME={Path(folder).expanduser().absolute()})")


@cli.command()
@home_option
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--game", default="", metavar="G", help="the game; editions of one game are compared  [default: as the file's name says]")
@click.option("--language", default="", metavar="L", help="of the rulebook, such as de or it; detected where not given")
@click.option("--version", default="", metavar="V", help="as printed; looked for where not given")
@click.option("--title", default="", metavar="T", help="of the rulebook; its first heading where not given")
@click.option("--yes", is_flag=True, help="add it without asking")
def add(file: Path, game: str, language: str, version: str, title: str, yes: bool) -> None:
    """Read the rulebook FILE, show what was recognised, and add it to the workspace with a file that describes its edition."""
    from corpus.document import LARGEST
    from corpus.formats import recognise_file
    from corpus.languages import LANGUAGES
    from corpus.workspace import use_workspace
    from service.editions.recognised_rulebook import GivenFields, recognise_rulebook, summary
    from service.ops.workspace_files import opened_workspace

    home = opened_workspace(settings_from_options().home)
    use_workspace(home)
    if language and language not in LANGUAGES:
        raise click.UsageError(f"no language {language!r}; there are: {', '.join(LANGUAGES)}")
    with file.open("rb") as opened:
        raw = opened.read(LARGEST + 1)  # of a larger one, no more is needed to say that it is too large
    if recognise_file(raw):
        say(f"{file}: getting its text, which takes up to a minute where it has hundreds of pages")
    document = _readable(file.name, raw)
    if _is_there(home, document):
        return
    found = recognise_rulebook(document, GivenFields(game.strip(), language, version.strip(), title.strip()), say)
    click.echo("\n".join(summary(found, str(file), raw)))
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("nothing was added: there is no terminal to ask at; say --yes")
        click.confirm(f"Add it to {home}?", abort=True)
    _add(home, found, file.name, raw)


def _readable(name: str, raw: bytes) -> Document:
    """The document. Raises `UnreadableDocument` with a message for somebody who adds it."""
    from corpus.document import Document, UnreadableDocument

    try:
        return Document.from_bytes(name, raw)
    except UnreadableDocument as fault:
        raise UnreadableDocument(f"{str(fault).removesuffix('; left out')}; nothing was added") from fault


def _is_there(home: Path, document: Document) -> bool:
    """Whether the workspace has the ``document`` already; then a line says where."""
    from corpus.document import Document as Read
    from corpus.document import documents
    from corpus.editions import recognised
    from corpus.workspace import EDITIONS, RULEBOOKS

    there = next((d for d in documents(home / RULEBOOKS, extract=False) if isinstance(d, Read) and d.sha256 == document.sha256), None)
    if there is None:
        return False
    described = recognised(document)
    click.echo(f"{home / RULEBOOKS / there.file}: is this file already; nothing was changed")
    if described is not None:
        edition = described.edition
        title = f"{edition.title} {edition.version}".strip()
        click.echo(f"  {edition.id}: {title} ({edition.language}), layout {edition.layout}, game {edition.game}")
        path = home / EDITIONS / f"{edition.id}.yaml"
        if path.exists():
            click.echo(f"  correct what is wrong in {path}")
    return True


def _add(home: Path, found: RecognisedRulebook, name: str, raw: bytes) -> None:
    """Write the rulebook and, unless its edition is described already, the file that describes it."""
    from service.editions.edition_draft import edition_draft
    from service.ops.workspace_files import edition_addition, keep, rulebook_addition

    edition = found.rulebook.edition
    additions = [rulebook_addition(home, edition.game, name, raw)]
    if not found.described:
        additions.append(edition_addition(home, edition.id, _NOTE + edition_draft(found.rulebook, exact=True)))
    keep(home, additions)
    click.echo(f"Added as {edition.id}: {additions[0].path}")
    if not found.described:
        click.echo(f"What was recognised can be corrected in {additions[1].path}")
    click.echo(f'Ask with: regula ask "…" --home {home}')
