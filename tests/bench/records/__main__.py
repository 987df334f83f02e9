"""`python -m tests.bench.records`: see `tests.bench.records.run`."""

import sys

from tests.bench.records.run import main

if __name__ == "__main__":
    sys.exit(main())
