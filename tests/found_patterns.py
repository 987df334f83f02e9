"""Find every regular expression of the program, how it is used, and its worst run time.

Run this as a program, because patterns are recorded while modules are imported: ``python -m
tests.found_patterns`` prints a JSON object with the number of ``patterns``, the ``slow`` ones, and
the ``unseen`` calls, whose patterns are not known. With ``--all`` it also lists all of them, the
slowest first.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.pumped_patterns import LIMIT, SIZE, slowest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("corpus", "glossary", "index", "service")
# Functions of `re` and methods of patterns, with the one of `tests.pumped_patterns.USES` that takes
# as long.
_USES = {"match": "match", "fullmatch": "fullmatch", "search": "search"} | dict.fromkeys(
    ["finditer", "findall", "split", "sub", "subn"], "finditer"
)
_CALLS = {*_USES, "compile"}
_PLAIN = {"pattern", "flags", "groupindex"}  # attributes that do not tell how a pattern is used
_WORST = "finditer"  # assumed for a pattern that is passed on

Place = tuple[str, int]  # file and line of a call


@dataclass(frozen=True)
class _Call:
    """A call of a function of `re` in the code."""

    place: Place
    node: ast.Call
    within: tuple[str, ...]  # the names of the enclosing class and functions
    uses: frozenset[str]


class _Recorder:
    """Records the patterns compiled from now on, by the file and line of the call."""

    def __init__(self) -> None:
        self.found: dict[Place, set[re.Pattern[Any]]] = defaultdict(set)
        self._compile = re._compile  # type: ignore[attr-defined]
        re._compile = self._noted  # type: ignore[attr-defined]

    def _noted(self, pattern: Any, flags: int) -> re.Pattern[Any]:
        frame = sys._getframe(1)
        while frame.f_code.co_filename == re.__file__:
            frame = frame.f_back  # type: ignore[assignment]
        compiled: re.Pattern[Any] = self._compile(pattern, flags)
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ROOT):
            self.found[str(path.relative_to(ROOT)), frame.f_lineno].add(compiled)
        return compiled


def _modules() -> Iterator[ModuleType]:
    for package in PACKAGES:
        whole = importlib.import_module(package)
        yield whole
        for each in pkgutil.walk_packages(whole.__path__, f"{package}."):
            if not each.name.endswith("__main__"):
                yield importlib.import_module(each.name)


def _trees() -> dict[str, ast.Module]:
    return {
        str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8"))
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    }


class _Uses:
    """Uses of names of patterns: the methods called, and whether the name is passed on."""

    def __init__(self, trees: Iterable[ast.AST]):
        self._methods: dict[str, set[str]] = defaultdict(set)
        self._handed_on: set[str] = set()
        used = set()
        for node in (node for tree in trees for node in ast.walk(tree)):
            if isinstance(node, ast.Attribute) and node.attr in {*_USES, *_PLAIN}:
                used |= {
                    node.value,
                    node.value.func if isinstance(node.value, ast.Call) else node.value,
                }
                if node.attr in _USES:
                    self._methods[_name(node.value)].add(_USES[node.attr])
            elif (
                isinstance(node, (ast.Name, ast.Attribute))
                and isinstance(node.ctx, ast.Load)
                and node not in used
            ):
                self._handed_on.add(_name(node))

    def of(self, target: ast.expr) -> frozenset[str]:
        """Return the uses of a pattern with the name ``target``; attributes of other objects with
        the same name are ignored.
        """
        methods = self._methods[_name(target)]
        if not methods or (isinstance(target, ast.Name) and _name(target) in self._handed_on):
            return frozenset([_WORST])
        return frozenset(methods)


def _name(node: ast.AST) -> str:
    """Return the last name in an expression: of a variable, an attribute, or a called function."""
    if isinstance(node, ast.Call):
        return _name(node.func)
    return (
        node.id
        if isinstance(node, ast.Name)
        else node.attr
        if isinstance(node, ast.Attribute)
        else ""
    )


def _importers(trees: Mapping[str, ast.Module]) -> dict[str, set[str]]:
    """Return the files that may import each module."""
    found = defaultdict(set)
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for module in (node.module, *(f"{node.module}.{each.name}" for each in node.names)):
                    found[module].add(file)
    return found


def _calls(
    file: str, trees: Mapping[str, ast.Module], importers: Mapping[str, set[str]]
) -> Iterator[_Call]:
    """Yield the calls in ``file``. Names without an underscore may also be used where it is
    imported.
    """
    tree = trees[file]
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    here = _Uses([tree])
    everywhere = _Uses([tree, *(trees[each] for each in importers.get(module, ()))])
    parents = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
    for node in ast.walk(tree):
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and _name(node.func.value) == "re"
        ):
            continue
        if node.func.attr not in _CALLS:
            continue
        around = [parents[node]]
        while around[-1] in parents:
            around.append(parents[around[-1]])
        functions = [
            each for each in reversed(around) if isinstance(each, (ast.FunctionDef, ast.ClassDef))
        ]
        parent, function = around[0], node.func.attr
        target: ast.expr | None = None
        if isinstance(parent, (ast.Assign, ast.AnnAssign)):
            target = parent.targets[0] if isinstance(parent, ast.Assign) else parent.target
        elif isinstance(parent, ast.keyword):
            target = ast.Attribute(ast.Name(""), parent.arg or "")
        elif isinstance(parent, ast.Return):
            target = ast.Name(functions[-1].name)
        if function != "compile":
            uses = frozenset([_USES[function]])
        elif isinstance(parent, ast.Attribute):
            uses = frozenset([_USES[parent.attr]])
        elif isinstance(parent, ast.Expr):
            uses = frozenset()
        elif target is None or not _name(target):
            uses = frozenset([_WORST])
        elif isinstance(target, ast.Name) and functions and not isinstance(parent, ast.Return):
            uses = _Uses(functions[-1:]).of(target)
        else:
            uses = (here if _name(target).startswith("_") else everywhere).of(target)
        yield _Call((file, node.lineno), node, tuple(each.name for each in functions), uses)


def _tell(recorder: _Recorder, call: _Call, module: ModuleType) -> None:
    """Have ``recorder`` record the patterns of a call inside a function, if its argument or
    function tells them.
    """
    function = call.node.func.attr  # type: ignore[attr-defined]
    try:
        flags = [each.value for each in call.node.keywords if each.arg == "flags"] or (
            call.node.args[1:2] if function == "compile" else []
        )
        values = [
            eval(compile(ast.Expression(each), "", "eval"), vars(module))
            for each in (call.node.args[0], *flags)
        ]
    except NameError:
        pass
    else:
        recorder.found[call.place].add(re.compile(*values))
        return
    from corpus.languages import LANGUAGES

    made: Any = module
    for name in call.within:
        if not hasattr(made, name) or name == "__init__":
            break
        made = (
            inspect.unwrap(getattr(made, name))
            if not isinstance(getattr(made, name), type)
            else getattr(made, name)
        )
    if callable(made) and list(inspect.signature(made).parameters) == ["language"]:
        for language in LANGUAGES:
            made(language)


def main(everything: bool) -> None:
    """Print the findings as JSON, or everything as lines."""
    recorder = _Recorder()
    modules = {str(Path(each.__file__ or "").relative_to(ROOT)): each for each in _modules()}
    # The program must not be imported before the recorder exists.
    from glossary.tokenizer import LONGEST_CHUNK
    from tests.composed_patterns import compose

    # Files whose patterns get short texts only: spaCy's patterns are slow, but get no text longer
    # than a word.
    longest_of = {"glossary/tokenizer.py": LONGEST_CHUNK}
    trees = _trees()
    importers = _importers(trees)
    calls = [call for file in trees if file in modules for call in _calls(file, trees, importers)]
    for call in calls:
        if call.place not in recorder.found:
            _tell(recorder, call, modules[call.place[0]])
    compose()
    unseen = [
        f"{call.place[0]}:{call.place[1]}"
        for call in calls
        if call.uses and call.place not in recorder.found
    ]
    wanted: dict[re.Pattern[Any], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for call in calls:
        for pattern, use in product(recorder.found.get(call.place, ()), call.uses):
            wanted[pattern][use].add(":".join(map(str, call.place)))
    found = []
    for pattern, by_use in wanted.items():
        for use, places in by_use.items():
            if use == "search" and _WORST in by_use:
                continue
            longest = min(longest_of.get(place.partition(":")[0], SIZE) for place in places)
            seconds, text = slowest(pattern, use, longest)
            found.append(
                f"{seconds:.3f} s: {use} of {str(pattern.pattern)[:300]!r} "
                f"({', '.join(sorted(places))}) on {text}"
            )
    found.sort(reverse=True)
    if everything:
        print(*found, sep="\n")
    slow = [each for each in found if float(each.partition(" ")[0]) > LIMIT]
    print(json.dumps({"patterns": len(wanted), "unseen": unseen, "slow": slow}, indent=1))


if __name__ == "__main__":
    main("--all" in sys.argv[1:])
