"""Ties rulebooks together: references, terms, concepts, comparisons, and what is wrong in print.

With the rulebooks of a folder, as `corpus.read_folder` reads them::

    import glossary

    rulebooks = corpus.read_folder(path).rulebooks
    references = glossary.find_references(rulebooks[0], rulebooks)
    findings = glossary.check_rulebook(rulebooks[0], rulebooks, references)
    ties = glossary.tie_entries(glossary.load_concepts("lorcana"), rulebooks)  # concepts by entry
    terms = glossary.build_term_list("lorcana", rulebooks, ties.by_entry)

Each name is imported when it is first used, so that answering loads nothing that it does not need.
Modules stand on each other in the order that the contract "glossary" in pyproject.toml gives.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from glossary.check import Finding, check_rulebook
    from glossary.comparison import EditionComparison, compare_editions
    from glossary.concepts import Concept, ConceptTies, load_concepts, tie_entries
    from glossary.model import Reference, RulebookView
    from glossary.references import find as find_references
    from glossary.terms.term_list import TermList, build_term_list

__all__ = [
    "Concept",
    "ConceptTies",
    "EditionComparison",
    "Finding",
    "Reference",
    "RulebookView",
    "TermList",
    "build_term_list",
    "check_rulebook",
    "compare_editions",
    "find_references",
    "load_concepts",
    "tie_entries",
]

_PLACES = {
    "Concept": ("glossary.concepts", "Concept"),
    "ConceptTies": ("glossary.concepts", "ConceptTies"),
    "EditionComparison": ("glossary.comparison", "EditionComparison"),
    "Finding": ("glossary.check", "Finding"),
    "Reference": ("glossary.model", "Reference"),
    "RulebookView": ("glossary.model", "RulebookView"),
    "TermList": ("glossary.terms.term_list", "TermList"),
    "build_term_list": ("glossary.terms.term_list", "build_term_list"),
    "check_rulebook": ("glossary.check", "check_rulebook"),
    "compare_editions": ("glossary.comparison", "compare_editions"),
    "find_references": ("glossary.references", "find"),
    "load_concepts": ("glossary.concepts", "load_concepts"),
    "tie_entries": ("glossary.concepts", "tie_entries"),
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _PLACES[name]
    return getattr(import_module(module), attribute)
