"""`python -m service.cli` is the command `regula` of this checkout."""

from service.cli import main

main()
