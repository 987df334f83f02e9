"""`python -m tests.bench.growth`: see `tests.bench.growth.run`."""

import sys

from tests.bench.growth.run import main

if __name__ == "__main__":
    sys.exit(main())
