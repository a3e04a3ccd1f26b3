"""Objects that are large, never change outside, and belong to one process: copies of them are themselves."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, Self

__all__ = ["Shared"]


class Shared:
    """What a copy of its holder shares, as a copy of a request's options does.

    Subclasses say in ``_elsewhere`` what to do where it is wanted in another process.
    """

    __slots__ = ("__weakref__",)

    _elsewhere: ClassVar[str]

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        # A second one would take the same memory and compute everything again.
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be pickled; {self._elsewhere}")
