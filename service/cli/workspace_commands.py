"""Commands of a workspace: make one, and add rulebooks to it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.cli.common import cli, home_option, say, settings_from_options
from service.cli.concept_commands import proposals_line

if TYPE_CHECKING:
    from corpus.document import Document
    from corpus.model import Rulebook
    from service.editions.recognised_rulebook import GivenFields, RecognisedRulebook


@cli.command()
@home_option
@click.argument("folder", metavar="DIR", required=False)
def init(folder: str | None) -> None:
    """Make a workspace in DIR, or where --home says: folders for your rulebooks and for what you
    know of them.
    """
    from service.ops.workspace import make_workspace

    folder = folder or str(settings_from_options().home or "")
    if not folder:
        raise click.UsageError("name the folder: regula init DIR")
    made = make_workspace(Path(folder).expanduser())
    click.echo(f"{folder}: {'made ' + ', '.join(made) if made else 'is a workspace already'}")
    click.echo(
        f"Add a rulebook with: regula add FILE --home {folder}   (or set REGULA_HOME={Path(folder).expanduser().absolute()})"
    )


@cli.command()
@home_option
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--game",
    default="",
    metavar="G",
    help="the game; editions of one game are compared  [default: as the file's name says]",
)
@click.option(
    "--language",
    default="",
    metavar="L",
    help="of the rulebook: de, en, es, fr or it; detected where not given",
)
@click.option("--version", default="", metavar="V", help="as printed; looked for where not given")
@click.option(
    "--title", default="", metavar="T", help="of the rulebook; its first heading where not given"
)
@click.option("--yes", is_flag=True, help="add it without asking")
def add(file: Path, game: str, language: str, version: str, title: str, yes: bool) -> None:
    """Read the rulebook FILE, show what was recognised, and add it to the workspace with a file
    that describes its edition.

    Of a file that is there already, what is given with --game, --language, --version or --title is
    corrected.
    """
    from corpus.document import LARGEST
    from corpus.formats import recognise_file
    from corpus.languages import LANGUAGES
    from corpus.workspace import RULEBOOKS, use_workspace
    from service.cli.common import counted_seconds
    from service.editions.recognised_rulebook import GivenFields, recognise_rulebook, summary
    from service.ops.workspace import opened_workspace, rulebook_path

    home = opened_workspace(settings_from_options().home)
    use_workspace(home)
    if file.is_dir():
        raise click.UsageError(
            f"{file}: a folder; add its rulebooks one by one, or copy it into {home / RULEBOOKS}, where it is a game"
        )
    if language and language not in LANGUAGES:
        raise click.UsageError(f"no language {language!r}; there are: {', '.join(LANGUAGES)}")
    given = GivenFields(game.strip(), language, version.strip(), title.strip())
    with file.open("rb") as opened:
        raw = opened.read(
            LARGEST + 1
        )  # of a larger one, no more is needed to say that it is too large
    if recognise_file(raw):
        with counted_seconds(
            f"{file}: getting its text, which takes up to a minute where it has hundreds of pages"
        ):
            document = _readable(file.name, raw)
    else:
        document = _readable(file.name, raw)
    there = _path_of(home, document)
    if there is not None and _is_settled(home, there, document, given):
        return
    found = recognise_rulebook(document, given, say)
    path = there or rulebook_path(home, found.rulebook.edition.game, file.name, raw)
    sisters = _sisters(home, found.rulebook, path, raw)
    click.echo("\n".join(summary(found, str(file), raw)))
    _check_new(found.rulebook, sisters)
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("nothing was added: there is no terminal to ask at; say --yes")
        click.confirm(f"Add it to {home}?", abort=True)
    _add(home, found, path, raw, sisters)
    click.echo(f'Ask with: regula ask "…" --home {home}')


def _readable(name: str, raw: bytes) -> Document:
    """The document. Raises `UnreadableDocument` with a message for somebody who adds it."""
    from corpus.document import Document, UnreadableDocument

    try:
        return Document.from_bytes(name, raw)
    except UnreadableDocument as fault:
        raise UnreadableDocument(
            f"{str(fault).removesuffix('; left out')}; nothing was added"
        ) from fault


def _path_of(home: Path, document: Document) -> Path | None:
    """Where the workspace has the file of the ``document`` already; None where it has not."""
    from corpus.document import Document as Read
    from corpus.document import documents
    from corpus.workspace import RULEBOOKS

    folder = home / RULEBOOKS
    same = (
        d.file
        for d in documents(folder, extract=False)
        if isinstance(d, Read) and d.sha256 == document.sha256
    )
    return next((folder / file for file in same), None)


def _is_settled(home: Path, there: Path, document: Document, given: GivenFields) -> bool:
    """Whether nothing is left to recognise of a file that is ``there``: its edition has a file, in
    which what is ``given`` is corrected.
    """
    from corpus.editions import identify
    from corpus.workspace import EDITIONS
    from service.editions.recognised_rulebook import corrected_fields
    from service.ops.workspace import WorkspaceDataFile

    edition = identify(document)
    if not edition.known:
        return False
    path = home / EDITIONS / f"{edition.id}.yaml"
    if (
        given and not path.exists()
    ):  # described by the package; what is given makes an edition of one's own
        return False
    changed = given.different_from(edition)
    if changed:
        WorkspaceDataFile.of_edition(home, edition.id).change(
            lambda text: corrected_fields(text, changed)
        )
        click.echo(
            f"{there}: is this file already; {', '.join(f'{name} is now {value!r}' for name, value in changed.items())}"
        )
    else:
        click.echo(f"{there}: is this file already; nothing was changed")
        click.echo(
            f"  {edition.id}: {edition.full_title} ({edition.language}), layout {edition.layout}, game {edition.game}"
        )
    if path.exists():
        click.echo(f"  correct what is wrong in {path}")
    return True


def _add(
    home: Path, found: RecognisedRulebook, path: Path, raw: bytes, sisters: Sequence[Rulebook]
) -> None:
    """Write the rulebook, the file that describes its edition unless one does, and what it has in
    common with its ``sisters``.
    """
    from service.editions.concept_edits import game_proposals
    from service.ops.workspace import WorkspaceDataFile, add_rulebook

    edition = found.rulebook.edition
    translated = any(book.edition.language != edition.language for book in sisters)
    proposals = game_proposals([found.rulebook, *sisters], edition.game, say) if translated else []
    description = add_rulebook(home, found, path, raw, proposals)
    click.echo(f"Added as {edition.id}: {path}")
    if description:
        click.echo(f"What was recognised can be corrected in {description}")
    if translated:
        click.echo(
            proposals_line(
                edition.game, proposals, WorkspaceDataFile.of_concepts(home, edition.game).path
            )
        )


def _sisters(home: Path, added: Rulebook, path: Path, raw: bytes) -> list[Rulebook]:
    """The rulebooks of the workspace that lie in the folder of the game of the one that is
    ``added``, without that one.

    That goes to ``path`` with the content ``raw``, in the place of what an interrupted copy left
    there.
    """
    from corpus.workspace import INDEX, RULEBOOKS
    from index.building.reuse import KeptTexts
    from index.building.snapshots import Snapshots
    from service.editions.recognised_rulebook import rulebooks_of_game
    from service.ops.workspace import interrupted_copy

    game = added.edition.game
    folder = home / RULEBOOKS / game
    if not folder.is_dir():
        return []
    say(f"reading the other rulebooks of {game}")
    here = {added.document.sha256, interrupted_copy(path, raw)}
    return list(rulebooks_of_game(folder, game, here, KeptTexts(Snapshots(home / INDEX)).get))


def _check_new(added: Rulebook, sisters: Sequence[Rulebook]) -> None:
    """Raise `click.UsageError` where one of the ``sisters`` is the edition that is ``added``: only
    one text of an edition is read.
    """
    edition = added.edition
    for sister in sisters:
        if sister.edition.id == edition.id:
            raise click.UsageError(
                f"nothing was added: {edition.id} is there already, from {sister.document.file}; "
                "take that file out of rulebooks/ to read this one instead, or give this one another --version"
            )
