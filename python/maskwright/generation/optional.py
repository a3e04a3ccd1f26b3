"""Imports of packages that only the extra ``generate`` installs.

Takes a module name and gives the module, or a :class:`~maskwright.errors.ModelError` that says which
extra brings it. Every heavy import of this package goes through here, inside the function that needs
it, so that ``import maskwright`` costs NumPy and nothing more.
"""

from __future__ import annotations

import importlib
from typing import Any

from maskwright.errors import ModelError

__all__ = ["require"]


def require(module: str) -> Any:
    """Imports an optional module.

    Args:
        module: the dotted name, such as ``"gguf.quants"``.

    Returns:
        The module; untyped, since it may not be installed where types are checked.

    Raises:
        ModelError: it is not installed.

    Example:
        >>> require("json").dumps([1])
        '[1]'
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ModelError(
            f"the package {package!r} is needed to run a model and cannot be imported ({error}); "
            "install it with: pip install 'maskwright[generate]'",
            source=package,
        ) from error
