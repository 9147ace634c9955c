"""`python -m scoring report`: scores on exported files, without a database and without settings."""

import sys

from scoring.offline.command import main

if __name__ == "__main__":
    sys.exit(main())
