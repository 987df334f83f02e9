"""``python -m tests.bench``: measure and print tables; ``--write FILE`` also writes them as a
page.
"""

import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = (
    "1"  # read when numpy and FAISS are loaded; torch is told in measure.py
)

from tests.bench.run import main

if __name__ == "__main__":
    sys.exit(main())
