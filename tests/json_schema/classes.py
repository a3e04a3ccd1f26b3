"""Classes and functions that the tests make schemas of."""

from __future__ import annotations

import enum
from dataclasses import InitVar, dataclass, field
from typing import (
    Annotated,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    NotRequired,
    Required,
    TypedDict,
    TypeVar,
    TypeVarTuple,
    Unpack,
)

import pydantic

T = TypeVar("T")
Types = TypeVarTuple("Types")


class Colour(enum.Enum):
    """An enumeration with an alias."""

    RED = "red"
    GREEN = "green"
    ROUGE = "red"  # noqa: PIE796 - an alias


class Level(enum.IntEnum):
    """An enumeration of integers."""

    LOW = 1
    HIGH = 2


class Nothing(enum.Enum):
    """An enumeration without members."""


class Permission(enum.Flag):
    """A flag."""

    READ = 1
    WRITE = 2


@dataclass
class Point:
    """A dataclass."""

    x: int
    y: float = 0.0


class Place(Point):
    """Inherits being a dataclass."""


@dataclass(init=False)
class Square:
    """A dataclass that takes something else than its fields."""

    area: float

    def __init__(self, side: int, place: Point | None = None) -> None:
        self.area = side * side


@dataclass
class Tree:
    """Refers to itself, and to a class that is defined later."""

    name: str
    children: list[Tree] = field(default_factory=list)
    forest: Forest | None = None


@dataclass
class Forest:
    """Refers back to what refers to it."""

    trees: list[Tree]


@dataclass
class Settings:
    """A dataclass with fields that are not what they seem."""

    kind: ClassVar[str] = "settings"
    level: Level
    seed: InitVar[int]
    total: int = field(init=False, default=0)


@dataclass
class Box(Generic[T]):
    """A generic dataclass."""

    content: T


class Movie(TypedDict):
    """A TypedDict."""

    title: str
    year: NotRequired[int]


class Crate(TypedDict, Generic[T]):
    """A generic TypedDict."""

    content: T


class Parts(TypedDict, total=False):
    """A TypedDict whose keys are optional unless marked."""

    head: Required[str]
    tail: str


class Remarked(TypedDict, total=False):
    """A TypedDict whose marks stand inside other things."""

    head: Annotated[Required[str], "a remark"]
    middle: Required[Annotated[Annotated[int, pydantic.Field(ge=3)], "a remark"]]
    tail: Annotated[NotRequired[str], "a remark"]


class Failing:
    """Tells pydantic nothing but an error."""

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: object) -> object:
        raise LookupError("no schema today\nfor nobody")


class Silent:
    """Tells pydantic an error without a word."""

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: object) -> object:
        raise LookupError


class Pair(NamedTuple):
    """A named tuple."""

    left: int
    right: str = ""


class User(pydantic.BaseModel):
    """A model that refers to itself."""

    model_config = pydantic.ConfigDict(extra="forbid")

    name: str = pydantic.Field(alias="userName", max_length=5)
    age: Annotated[int, pydantic.Field(ge=0)] = 0
    friends: list[User] = []


class Other:
    """Has no schema, and another class of the same name as above inside."""

    @dataclass
    class Point:
        """A dataclass of the same name."""

        z: bool

    class User(pydantic.BaseModel):
        """A model of the same name."""

        model_config = pydantic.ConfigDict(extra="forbid")

        number: int


@dataclass
class Team:
    """A dataclass with models of pydantic in it, two of which have one name."""

    lead: User
    guest: Annotated[Other.User, pydantic.Field(description="not one of us")] | None = None


def search(query: str, /, limit: int = 10, *, mode: Literal["fast", "full"], extra=None):  # type: ignore[no-untyped-def]
    """Is documented, which plays no part."""


def tagged(name: str, **labels: int) -> Unknown:  # type: ignore[name-defined]  # noqa: F821 - never looked up
    """Takes further keywords."""


def filmed(place: str, **movie: Unpack[Movie]) -> None:
    """A function whose keyword arguments are those of a TypedDict."""


def variadic(*names: str) -> None:
    """Takes arguments without names."""


def unresolved(name: Missing) -> None:  # type: ignore[name-defined]  # noqa: F821
    """Has an annotation that names nothing."""


def constrained_default(limit: int = pydantic.Field(default=3, gt=0)) -> None:
    """Has a constraint where only pydantic reads it."""


class Tool:
    """Has a method."""

    def call(self, place: Point, unit: Colour = Colour.RED) -> str:
        """Is a method."""
        return ""
