"""``python -m maskwright``: the command ``maskwright``, where its script is not on the path."""

from __future__ import annotations

from maskwright.cli import main

if __name__ == "__main__":
    main()
