"""`python -m capacity.cli`: the command, where the script is not on the path."""

from __future__ import annotations

import sys

from capacity.cli import main

sys.exit(main())
