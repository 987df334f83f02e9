"""Train the starting weights of the built-in encoder on the package's query variants (`make tune`);
this takes a minute.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from index.training.encoder import write_starting_weights
from index.training.material import FILE, variant_groups


def main() -> None:
    """Train, report, and write the weights if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {FILE.name}")
    args = parser.parse_args()
    groups = variant_groups()
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / FILE.name
        write_starting_weights(made, groups)
        content = made.read_bytes()
    same = FILE.exists() and FILE.read_bytes() == content
    texts = sum(len(group.phrasings) for group in groups)
    print(
        f"{texts} query variants of {len(groups)} passages, {len(content) / 1e6:.1f} MB, "
        f"{'the same as' if same else 'other than'} before"
    )
    if args.write and not same:
        FILE.write_bytes(content)


if __name__ == "__main__":
    main()
