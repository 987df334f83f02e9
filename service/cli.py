"""The command line: build, serve, ask, read, check, compare, measure, and the settings and keys of the service."""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from service.settings import Places, SettingFault, Settings, load
from service.settings import places as find_places

if TYPE_CHECKING:
    from corpus import Shelf
    from corpus.model import Rulebook
    from index.library import Library
    from service.keys import KeyRing

Function = TypeVar("Function", bound=Callable[..., Any])


def say(line: str) -> None:
    """One line of progress or warning, on standard error."""
    click.echo(line, err=True)


def places(function: Function) -> Function:
    """The options that every command has: where rulebooks and index are."""
    function = click.option("--index", metavar="DIR", help="folder of the index (REGULA_INDEX)")(function)
    return click.option("--rulebooks", metavar="DIR", help="folder of the rulebooks (REGULA_RULEBOOKS)")(function)


def _places(rulebooks: str | None, index: str | None) -> Places:
    return _found(load({"rulebooks": rulebooks, "index": index}))


def _found(settings: Settings) -> Places:
    found = find_places(settings)
    if found.is_sample:
        say("no rulebooks found: using the sample rulebooks; put your own into corpus/rulebooks or name their folder with --rulebooks")
    return found


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="regula")
def cli() -> None:
    """Find the ruling in German and Italian card game rulebooks: every answer is a quotation."""


def waiting(function: Function) -> Function:
    """The option of commands that only one process at a time may carry out."""
    wait = click.FloatRange(min=0)
    return click.option(
        "--wait", metavar="[SECONDS]", type=wait, is_flag=False, flag_value=math.inf, default=0.0, help="wait for a build that is under way"
    )(function)


@cli.command()
@places
@waiting
def build(rulebooks: str | None, index: str | None, wait: float) -> None:
    """Read the rulebooks, build the index, publish it in one step."""
    from service.indexes import Indexes

    click.echo(Indexes(_places(rulebooks, index), say).build(wait).id)


@cli.command()
@places
@click.option("--verify", is_flag=True, help="load each and compare every file with its hash; exit status 1 where one is damaged")
@click.option("--json", "as_json", is_flag=True, help="print a JSON list")
def indexes(rulebooks: str | None, index: str | None, verify: bool, as_json: bool) -> int:
    """List the kept indexes, newest first, and which of them is published."""
    from service.indexes import Indexes
    from service.inventory import as_table, inventory

    here = Indexes(_places(rulebooks, index), say)
    found = inventory(here.snapshots, here.open if verify else None)
    click.echo(json.dumps([row.json() for row in found], indent=1) if as_json else as_table(found))
    return 1 if any(row.fault for row in found) else 0


@cli.command()
@places
@waiting
@click.argument("id", required=False)
def rollback(rulebooks: str | None, index: str | None, wait: float, id: str | None) -> None:
    """Publish the index ID, or the one before the published one, until the next 'regula build'."""
    from service.indexes import Indexes

    click.echo(Indexes(_places(rulebooks, index), say).rollback(id, wait))


@cli.command()
@places
@click.option("--host", metavar="H", help="address to listen at  [default: 127.0.0.1]")
@click.option("--port", metavar="P", type=click.IntRange(1, 65535), help="port to listen at  [default: 8080]")
@click.option("--production", is_flag=True, help="with several processes, limits and a log for machines; see docs/operating.md")
def serve(rulebooks: str | None, index: str | None, host: str | None, port: int | None, production: bool) -> None:
    """Serve pages and API; build first where no index fits the rulebooks."""
    from service.indexes import Indexes

    settings = load({"rulebooks": rulebooks, "index": index, "host": host, "port": port})
    indexes = Indexes(_found(settings), say)
    loaded = indexes.ready()
    for edition in loaded.library.editions:
        say(f"  {edition.id}: {len(loaded.library.entries_of(edition.id))} entries")
    if settings.watch and not production:  # threads do not live on in forked processes; each worker has its own
        indexes.watch(settings.watch)
    say(f"Regula serves at http://{settings.host}:{settings.port} (index {loaded.id}); stop with Ctrl-C")
    if production:
        with tempfile.TemporaryDirectory(prefix="regula-metrics-") as counts:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = counts  # prometheus_client looks at it when it is imported, and only then
            from service.production import run

            run(settings, indexes)
        return
    import waitress

    from service.app import create_app

    waitress.serve(create_app(indexes, settings), host=settings.host, port=settings.port, threads=settings.threads, ident=None)


@cli.command("settings")
@click.option("--json", "as_json", is_flag=True, help="print a JSON list")
@click.option("--toml", "as_toml", is_flag=True, help="print a settings file with every setting as it is by default")
def list_settings(as_json: bool, as_toml: bool) -> None:
    """List every setting: its value, where it was said, what it means."""
    from service.configuring import as_lines, as_list, as_template

    click.echo(as_template() if as_toml else json.dumps(as_list(), indent=1) if as_json else as_lines())


@cli.group()
def keys() -> None:
    """API keys: make, list and revoke them; running services notice."""


@keys.command("new")
@click.argument("name")
@click.option("--limit", default="", metavar="L", help="its own rate limit, for example 600/minute")
@click.option("--admin", is_flag=True, help="may manage indexes and see metrics")
def new_key(name: str, limit: str, admin: bool) -> None:
    """Make a key called NAME and print it: the only time it is told."""
    click.echo(_key_ring().make(name, limit, admin))


@keys.command("list")
def list_keys() -> None:
    """List the keys by name; the keys themselves are not known any more."""
    for key in _key_ring().all():
        click.echo(f"{key.name:24} made {key.made}  {'admin' if key.admin else '':6} {key.limit}".rstrip())


@keys.command()
@click.argument("name")
def revoke(name: str) -> None:
    """Take the key called NAME away."""
    _key_ring().revoke(name)


def _key_ring() -> KeyRing:
    from service.keys import KeyRing

    file = load().keys
    if file is None:
        raise SettingFault("no file for keys is set; name one with REGULA_KEYS or as 'keys' in the settings file")
    return KeyRing(file)


@cli.command()
@places
@click.option("--http", is_flag=True, help="serve streamable HTTP at /mcp instead of standard input")
@click.option("--host", default="127.0.0.1", show_default=True, help="with --http")
@click.option("--port", default=8081, show_default=True, type=click.IntRange(1, 65535), help="with --http")
def mcp(rulebooks: str | None, index: str | None, http: bool, host: str, port: int) -> None:
    """Serve assistants that speak the Model Context Protocol; build first where no index fits the rulebooks."""
    from service.indexes import Indexes
    from service.mcp import Opening, create_server

    indexes = Indexes(_places(rulebooks, index), say)
    server = create_server(Opening(indexes, indexes.ready).snapshot)
    if http:
        say(f"Regula serves assistants at http://{host}:{port}/mcp; stop with Ctrl-C")
        # Every call is answered by itself: a restart, or a second process behind the same address, loses nobody's session.
        server.run("streamable-http", host=host, port=port, stateless_http=True)
    else:
        server.run("stdio")


@cli.command()
@places
@click.argument("question", required=False)
@click.option("--batch", metavar="FILE", help="questions, one JSON object a line; - for standard input")
@click.option("--edition", metavar="E")
@click.option("--game", metavar="G")
@click.option("--language", type=click.Choice(["de", "it", "en"]), help="of the question; detected where not given")
@click.option("-k", default=5, show_default=True, type=click.IntRange(1, 50), help="number of passages")
@click.option("--json", "as_json", is_flag=True, help="print the body of POST /v1/ask")
def ask(
    rulebooks: str | None,
    index: str | None,
    question: str | None,
    batch: str | None,
    edition: str | None,
    game: str | None,
    language: str | None,
    k: int,
    as_json: bool,
) -> None:
    """Answer QUESTION with the passages that settle it, each with its citation."""
    from index.model import Query
    from service.indexes import Indexes

    if (question is None) == (batch is None):
        raise click.UsageError("give either a QUESTION or --batch FILE")
    if question is not None and not question.strip():
        raise click.UsageError("the QUESTION is empty")
    rows = _rows(batch) if batch else []
    answering = Indexes(_places(rulebooks, index), say).ready()
    if question is not None:
        from service.answer import answer, as_text

        found = answering.search(Query(question, edition, game, None, language, k))
        click.echo(json.dumps(answer(answering, found), ensure_ascii=False) if as_json else as_text(answering, found))
        return
    from service.batch import responses

    for row in responses(answering, rows):
        click.echo(json.dumps(row, ensure_ascii=False))


def _rows(file: str) -> list[dict[str, Any]]:
    """The JSON objects of ``file``, one a line. Raises `click.UsageError` naming the line that is none."""
    rows = []
    try:
        with click.open_file(file, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    row = json.loads(line)
                    if not isinstance(row, dict) or not isinstance(row.get("question"), str) or "id" not in row:
                        raise click.UsageError(f"{file}:{number}: not an object with id and question")
                    rows.append(row)
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file}: cannot be read ({error})") from error
    except json.JSONDecodeError as error:
        raise click.UsageError(f"{file}:{number}: not JSON ({error.msg})") from error
    return rows


@cli.command()
@places
@click.option("--json", "as_json", is_flag=True, help="print a JSON list")
def editions(rulebooks: str | None, index: str | None, as_json: bool) -> None:
    """List the editions that the rulebooks are."""
    from service.answer import edition_json

    library = _library(rulebooks, index)
    bodies = [edition_json(library, e) for e in library.editions]
    if as_json:
        click.echo(json.dumps(bodies, ensure_ascii=False, indent=1))
        return
    for body in bodies:
        click.echo(f"{body['id']:32} {body['title']} {body['version']} ({body['language']}): "
                   f"{body['entries']} entries, {body['passages']} passages, from {body['source']['file']}")  # fmt: skip


@cli.command()
@places
@click.option("--edition", metavar="E")
@click.option("--json", "as_json", is_flag=True, help="print one JSON object a line")
def entries(rulebooks: str | None, index: str | None, edition: str | None, as_json: bool) -> None:
    """List every entry in document order."""
    from service.answer import entry_json

    library = _library(rulebooks, index)
    _check_edition(edition, list(library.edition))
    for entry in library.entries:
        if edition in (None, entry.edition):
            if as_json:
                click.echo(json.dumps(entry_json(library, entry), ensure_ascii=False))
            else:
                indent = "  " * (len(library.path(entry)) - 1)
                click.echo(f"{entry.lines.first:6}-{entry.lines.last:<6} {entry.kind:11} {indent}{entry.title}")


@cli.command()
@places
@click.option("--edition", metavar="E")
@click.option("--json", "as_json", is_flag=True, help="print one JSON list")
def check(rulebooks: str | None, index: str | None, edition: str | None, as_json: bool) -> None:
    """Report what is wrong in the rulebooks themselves."""
    from service.report import as_text, finding_json, findings

    shelf = _shelf(rulebooks, index)
    _check_edition(edition, [r.edition.id for r in shelf.rulebooks])
    found = findings(shelf.rulebooks, edition)
    if as_json:
        click.echo(json.dumps([finding_json(f) for _, each in found for f in each], ensure_ascii=False, indent=1))
    else:
        click.echo("\n\n".join(as_text(rulebook, each) for rulebook, each in found))


@cli.command()
@places
@click.option("--game", metavar="G", required=True)
@click.option(
    "--format", "form", default="csv", show_default=True, metavar="F", help="json, csv, xlsx, tbx (ISO 30042:2008) or tbx3 (ISO 30042:2019)"
)
@click.option("--output", type=click.Path(dir_okay=False, writable=True, path_type=Path), metavar="FILE", help="write to FILE")
@click.option("--check", "checked", is_flag=True, help="report what each edition calls every term, and what is wrong, instead of the list")
@click.option("--json", "as_json", is_flag=True, help="with --check: print one JSON object")
def terms(rulebooks: str | None, index: str | None, game: str, form: str, output: Path | None, checked: bool, as_json: bool) -> None:
    """Write the term list of a game for people and translation tools, or check how its terms are used."""
    from service.terms import FORMATS, terms_in

    if form not in FORMATS:
        raise click.UsageError(f"no format {form!r}; there are: {', '.join(FORMATS)}")
    _check_output(output, FORMATS[form].binary)
    shelf = _shelf(rulebooks, index)
    games = sorted({r.edition.game for r in shelf.rulebooks})
    if game not in games:
        raise click.UsageError(f"no game {game!r} here; there are: {', '.join(games)}")
    if as_json and not checked:
        raise click.UsageError("--json goes with --check; for the list as JSON, use --format json")
    if checked:
        from service.terminology import as_table, terminology_json, usage_in

        usages = usage_in(shelf.rulebooks, game)
        report = json.dumps(terminology_json(game, usages), ensure_ascii=False, indent=1) if as_json else as_table(usages)
        _hand_over(f"{report}\n".encode(), output)
        return
    _hand_over(FORMATS[form].write(terms_in(shelf.rulebooks, game)), output)


@cli.command("compare")
@places
@click.argument("left")
@click.argument("right")
@click.option(
    "--format", "form", default="table", show_default=True, metavar="F", help="table, json, csv, html, xlsx, tmx, tbx (2008) or tbx3 (2019)"
)
@click.option("--entry", metavar="HEADING", help="with the table: only the entry headed so, with the texts of both sides")
@click.option("--output", type=click.Path(dir_okay=False, writable=True, path_type=Path), metavar="FILE", help="write to FILE")
def compare_editions(
    rulebooks: str | None, index: str | None, left: str, right: str, form: str, entry: str | None, output: Path | None
) -> None:
    """Put the editions LEFT and RIGHT side by side: what only one has, what differs."""
    from service.comparing import as_table, compared
    from service.exports import NothingToExport
    from service.exports.comparisons import FORMATS

    if form != "table" and form not in FORMATS:
        raise click.UsageError(f"no format {form!r}; there are: table, {', '.join(FORMATS)}")
    if entry is not None and form != "table":
        raise click.UsageError("--entry goes with the table; other formats hold everything")
    _check_output(output, binary=form != "table" and FORMATS[form].binary)
    library = _library(rulebooks, index, left, right)
    comparison = compared(library, left, right)
    try:
        written = f"{as_table(comparison, entry)}\n".encode() if form == "table" else FORMATS[form].write(comparison, library)
    except NothingToExport as fault:
        raise click.UsageError(str(fault)) from fault
    _hand_over(written, output)


def _check_output(output: Path | None, binary: bool) -> None:
    """Raises `click.UsageError` where ``binary`` would go to a terminal."""
    if binary and output is None and sys.stdout.isatty():
        raise click.UsageError("a terminal cannot show this format; name a file with --output FILE")


def _hand_over(written: bytes, output: Path | None) -> None:
    """Write to the file ``output``, else to standard output."""
    if output is None:
        click.echo(written, nl=False)
        return
    output.write_bytes(written)
    say(f"{output}: {len(written):,} bytes")


@cli.command("changes")
@places
@click.argument("name", required=False, metavar="[EDITION|FILE]")
@click.option("--against", metavar="EDITION|FILE", help="the older version; the last one where not given")
@click.option("--check", "checked", is_flag=True, help="with what 'regula check' finds in the new version and not in the old; takes longer")
@click.option("--json", "as_json", is_flag=True, help="print a JSON object, a list of them where nothing is named")
@click.option("--draft", is_flag=True, help="print the YAML that describes the new edition instead")
def changes_since(
    rulebooks: str | None, index: str | None, name: str | None, against: str | None, checked: bool, as_json: bool, draft: bool
) -> None:
    """Report what changed in a new version: entries, passages, and what needs a human eye."""
    from index.snapshots import Snapshots
    from index.versions import compared, published
    from service import renewing
    from service.changes import as_text, changes_json

    if name is None and (against or draft):
        raise click.UsageError("name the new version: an edition or a file")
    here = _places(rulebooks, index)
    shelf = _shelved(here)
    others = published(Snapshots(here.index), shelf.rulebooks)
    if draft:
        click.echo(renewing.draft(renewing.rulebook(str(name), shelf.rulebooks, others)), nl=False)
        return
    found = [compared(left, right, shelf.rulebooks, checked) for left, right in renewing.pairs(name, against, shelf.rulebooks, others)]
    if as_json:
        bodies = [changes_json(each) for each in found]
        click.echo(json.dumps(bodies if name is None else bodies[0], ensure_ascii=False, indent=1))
    else:
        click.echo("\n\n".join(map(as_text, found)))


@cli.group()
def phrasings() -> None:
    """What players type for each passage: where it is missing, where it has lost its passage."""


@phrasings.command()
@places
@click.option("--edition", metavar="E")
@click.option("--json", "as_json", is_flag=True, help="print one JSON object a line, with the text to phrase")
def missing(rulebooks: str | None, index: str | None, edition: str | None, as_json: bool) -> None:
    """List the passages that nobody has phrased yet, with the fingerprint to write them under."""
    from service.phrased import missing as found
    from service.phrased import missing_json, missing_line

    for passage in found(_books(rulebooks, index, edition)):
        click.echo(json.dumps(missing_json(passage), ensure_ascii=False) if as_json else missing_line(passage))


@phrasings.command()
@places
@click.option("--edition", metavar="E")
@click.option("--json", "as_json", is_flag=True, help="print one JSON object a line, with the phrasings")
def orphaned(rulebooks: str | None, index: str | None, edition: str | None, as_json: bool) -> None:
    """List the phrasings whose passage is no longer there, and where it stood."""
    from service.phrased import orphaned as found
    from service.phrased import orphaned_json, orphaned_line

    for edition_id, kept in found(_books(rulebooks, index, edition)):
        click.echo(json.dumps(orphaned_json(edition_id, kept), ensure_ascii=False) if as_json else orphaned_line(edition_id, kept))


def _books(rulebooks: str | None, index: str | None, edition: str | None) -> list[Rulebook]:
    """The rulebooks, or the one of ``edition``."""
    shelf = _shelf(rulebooks, index)
    _check_edition(edition, [r.edition.id for r in shelf.rulebooks])
    return [r for r in shelf.rulebooks if edition in (None, r.edition.id)]


def _check_edition(edition: str | None, known: list[str]) -> None:
    if edition is not None and edition not in known:
        raise click.UsageError(f"no edition {edition!r} here; there are: {', '.join(known)}")


def _shelf(rulebooks: str | None, index: str | None) -> Shelf:
    return _shelved(_places(rulebooks, index))


def _shelved(here: Places) -> Shelf:
    from corpus import shelve

    shelf = shelve(here.rulebooks)
    for line in (*shelf.left_out, *shelf.notes):
        say(line)
    return shelf


def _library(rulebooks: str | None, index: str | None, *editions: str) -> Library:
    """The library of the rulebooks; where ``editions`` of one game are named, of those of that game, which takes less time."""
    from index.tying import tie

    read = _shelf(rulebooks, index).rulebooks
    games = {r.edition.id: r.edition.game for r in read}
    for edition in editions:
        _check_edition(edition, list(games))
    wanted = {games[edition] for edition in editions}
    return tie([r for r in read if len(wanted) != 1 or r.edition.game in wanted])


@cli.command()
@places
@click.argument("questions")
@click.option("--json", "as_json", is_flag=True, help="print one JSON object instead of the table")
def evaluate(rulebooks: str | None, index: str | None, questions: str, as_json: bool) -> None:
    """Ask every question of the file QUESTIONS and print how well they are answered."""
    from service.batch import responses
    from service.evaluate import figures, table
    from service.indexes import Indexes

    rows = _rows(questions)
    answering = Indexes(_places(rulebooks, index), say).ready()
    result = figures(answering.library, rows, responses(answering, rows))
    click.echo(json.dumps(result, ensure_ascii=False) if as_json else table(result))


def main(arguments: Iterable[str] | None = None) -> None:
    """Run the command line; errors are one line on standard error, exit status 2 for wrong use and 1 for a failure."""
    try:
        status = cli.main(list(arguments) if arguments is not None else None, prog_name="regula", standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.ClickException as fault:
        say(f"regula: {fault.format_message()}; see 'regula --help'")
        sys.exit(2)
    except (SettingFault, LookupError) as fault:
        say(f"regula: {fault.args[0] if fault.args else fault}")
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (OSError, ValueError, RuntimeError) as fault:
        say(f"regula: {str(fault).splitlines()[0] if str(fault) else type(fault).__name__}")
        sys.exit(1)
