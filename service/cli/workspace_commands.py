"""Commands for a workspace: create one, add rulebooks, propose concepts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.cli.common import (
    check_known,
    cli,
    confirm,
    counted_seconds,
    flag,
    game_option,
    home_option,
    location_options,
    locations_from_options,
    read_rulebooks,
    say,
    settings_from_options,
    text_option,
    workspace_from_options,
)

if TYPE_CHECKING:
    from corpus.document import Document
    from corpus.model import Rulebook
    from glossary.comparison.concept_proposals import ConceptProposal
    from service.editions.recognised_rulebook import GivenFields


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
    path = Path(folder).expanduser()
    made = make_workspace(path)
    click.echo(f"{folder}: {'made ' + ', '.join(made) if made else 'is a workspace already'}")
    click.echo(
        f"Add a rulebook with: regula add FILE --home {folder}   "
        f"(or set REGULA_HOME={path.absolute()})"
    )


@cli.command()
@home_option
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@text_option(
    "game",
    "G",
    "the game; editions of one game are compared  [default: as the file's name says]",
    default="",
)
@text_option(
    "language",
    "L",
    "of the rulebook: de, en, es, fr or it; detected where not given",
    default="",
)
@text_option("version", "V", "as printed; looked for where not given", default="")
@text_option("title", "T", "of the rulebook; its first heading where not given", default="")
@flag("yes", "add it without asking")
def add(file: Path, game: str, language: str, version: str, title: str, yes: bool) -> None:
    """Read the rulebook FILE, show what was recognised, and add it to the workspace with a file
    that describes its edition.

    Of a file that is there already, what is given with --game, --language, --version or --title is
    corrected.
    """
    from corpus.document import LARGEST, documents
    from corpus.document import Document as Read
    from corpus.formats import recognise_file
    from corpus.languages import LANGUAGES
    from corpus.workspace import RULEBOOKS
    from service.editions.concept_edits import game_proposals
    from service.editions.recognised_rulebook import GivenFields, recognise_rulebook
    from service.editions.recognition_screen import summary
    from service.ops.workspace import add_rulebook, rulebook_path

    _, home = workspace_from_options()
    if file.is_dir():
        raise click.UsageError(
            f"{file}: a folder; add its rulebooks one by one, "
            f"or copy it into {home / RULEBOOKS}, where it is a game"
        )
    if language:
        check_known(language, LANGUAGES, "language")
    given = GivenFields(game.strip(), language, version.strip(), title.strip())
    with file.open("rb") as opened:
        raw = opened.read(LARGEST + 1)  # one byte more tells that a file is too large
    if recognise_file(raw):
        with counted_seconds(
            f"{file}: getting its text, which takes up to a minute where it has hundreds of pages"
        ):
            document = _readable(file.name, raw)
    else:
        document = _readable(file.name, raw)
    here = {
        each.sha256: home / RULEBOOKS / each.file
        for each in documents(home / RULEBOOKS, extract=False)
        if isinstance(each, Read)
    }
    there = here.get(document.sha256)
    if there is not None and _is_settled(home, there, document, given):
        return
    found = recognise_rulebook(document, given, say, here)
    edition = found.rulebook.edition
    path = there or rulebook_path(home, edition.game, file.name, raw)
    sisters = _sisters(home, found.rulebook, path, raw)
    taken = {sister.edition.id for sister in sisters}
    if edition.id in taken and not edition.known:
        found = recognise_rulebook(document, given, say, here, taken)
        edition = found.rulebook.edition
    click.echo("\n".join(summary(found, str(file), raw)))
    for sister in sisters:
        if sister.edition.id == edition.id:  # only one text of an edition is read
            raise click.UsageError(
                f"nothing was added: {edition.id} is there already, from {sister.document.file}; "
                "take that file out of rulebooks/ to read this one instead, "
                "or give this one another --version"
            )
    confirm(yes, f"Add it to {home}?", "nothing was added: there is no terminal to ask at")
    translated = any(book.edition.language != edition.language for book in sisters)
    proposals = game_proposals([found.rulebook, *sisters], edition.game, say) if translated else []
    description = add_rulebook(home, found, path, raw, proposals)
    click.echo(f"Added as {edition.id}: {path}")
    if description:
        click.echo(f"What was recognised can be corrected in {description}")
    if translated:
        _tell_proposals(home, edition.game, proposals)
    click.echo(f'Ask with: regula ask "…" --home {home}')


def _readable(name: str, raw: bytes) -> Document:
    """Return the document. Raises `UnreadableDocument` with a message for the user."""
    from corpus.document import Document, UnreadableDocument

    try:
        return Document.from_bytes(name, raw)
    except UnreadableDocument as fault:
        raise UnreadableDocument(
            f"{str(fault).removesuffix('; left out')}; nothing was added"
        ) from fault


def _is_settled(home: Path, there: Path, document: Document, given: GivenFields) -> bool:
    """Return whether the rulebook ``there`` needs no recognition because its edition is described;
    correct the ``given`` fields in that description.
    """
    from corpus.editions import identify
    from corpus.workspace import EDITIONS
    from service.editions.recognised_rulebook import corrected_fields
    from service.ops.workspace import WorkspaceDataFile

    edition = identify(document)
    path = home / EDITIONS / f"{edition.id}.yaml"
    # Fields given for an edition that the package describes create the user's own edition.
    if not edition.known or (given and not path.exists()):
        return False
    if changed := given.different_from(edition):
        file = WorkspaceDataFile.of_edition(home, edition.id)
        file.change(lambda text: corrected_fields(text, changed))
        now = ", ".join(f"{name} is now {value!r}" for name, value in changed.items())
        click.echo(f"{there}: is this file already; {now}")
    else:
        click.echo(f"{there}: is this file already; nothing was changed")
        click.echo(
            f"  {edition.id}: {edition.full_title} ({edition.language}), "
            f"layout {edition.layout}, game {edition.game}"
        )
    if path.exists():
        click.echo(f"  correct what is wrong in {path}")
    return True


def _sisters(home: Path, added: Rulebook, path: Path, raw: bytes) -> list[Rulebook]:
    """Return the other rulebooks in the game folder of the ``added`` one, without an interrupted
    copy of it at ``path``; ``raw`` is its content.
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


@cli.group()
def concepts() -> None:
    """Show and propose what editions in several languages call the same thing, by which they are
    compared, searched and exported together.
    """


@concepts.command()
@location_options
@game_option
@flag("write", "write them into the workspace, concepts/<game>.yaml, where they can be corrected")
def propose(game: str | None, write: bool) -> None:
    """Find entries of different languages that are the same thing and that no file aligns yet, each
    with how sure that is (0 to 1).
    """
    from corpus.workspace import workspace
    from service.editions.concept_edits import game_proposals, proposal_line

    here = locations_from_options()
    home = workspace()
    if write and home is None:
        raise click.UsageError(
            "--write needs a workspace: make one with 'regula init DIR' and name it "
            "with --home DIR or REGULA_HOME"
        )
    read = read_rulebooks(here).rulebooks
    games = sorted({book.edition.game for book in read})
    check_known(game, games, "game")
    languages = {book.edition.id: book.edition.language for book in read}
    for each in games if game is None else [game]:
        if write and home is not None:
            write_proposals(home, each, read)
            continue
        found = game_proposals(read, each, say)
        click.echo(f"{each}: {len(found)} concepts proposed")
        for proposal in found:
            click.echo(f"  {proposal_line(proposal, languages)}")


def write_proposals(home: Path, game: str, rulebooks: Sequence[Rulebook]) -> None:
    """Find concepts that the editions of ``game`` share, write them into the workspace ``home`` as
    proposals, and report their number.
    """
    from service.editions.concept_edits import game_proposals, with_proposals
    from service.ops.workspace import WorkspaceDataFile

    found = game_proposals(rulebooks, game, say)
    if found:
        file = WorkspaceDataFile.of_concepts(home, game)
        file.change(lambda text: with_proposals(text, found))
    _tell_proposals(home, game, found)


def _tell_proposals(home: Path, game: str, proposals: Sequence[ConceptProposal]) -> None:
    from service.ops.workspace import WorkspaceDataFile

    file = WorkspaceDataFile.of_concepts(home, game).path
    count = f"{len(proposals)} concepts proposed; correct what is wrong in {file}"
    click.echo(f"{game}: {count if proposals else 'nothing to propose'}")
