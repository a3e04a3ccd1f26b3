"""What a grammar of a type of pydantic's accepts, pydantic validates."""

from __future__ import annotations

import datetime
import decimal
import fractions
import ipaddress
import itertools
import json
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pydantic
import pytest

import maskwright as mw
from maskwright.json_schema import schema_text


def accepts(matcher: mw.Matcher, text: str) -> bool:
    return matcher.accept_bytes(text.encode()) and matcher.is_complete


class Cat(pydantic.BaseModel):
    """What tells it apart has a default, so that pydantic's schema does not require it."""

    kind: Literal["cat"] = "cat"
    lives: int


class Dog(pydantic.BaseModel):
    """The same, under another name."""

    kind: Literal["dog", "hound"] = "dog"
    name: Annotated[str, pydantic.Field(max_length=2)] = "a"


Pet = Annotated[Cat | Dog, pydantic.Field(discriminator="kind")]


class Owner(pydantic.BaseModel):
    """A union within a model, and a property that is called as the keyword."""

    pet: Pet
    discriminator: dict[str, Pet] = pydantic.Field(default_factory=dict)


class Numbers(pydantic.BaseModel):
    """Bounds."""

    model_config = pydantic.ConfigDict(extra="forbid")
    a: int = pydantic.Field(gt=0, lt=10, multiple_of=2)
    b: Annotated[list[int], pydantic.Field(max_length=1)] | None = None


class Named(pydantic.BaseModel):
    """Validated by its own names; what is in it, by aliases."""

    model_config = pydantic.ConfigDict(validate_by_alias=False, validate_by_name=True)
    first: int = pydantic.Field(alias="one")
    inner: Aliased | None = pydantic.Field(alias="in", default=None)


class Aliased(pydantic.BaseModel):
    """Validated by aliases, as is usual."""

    second: int = pydantic.Field(alias="two")
    named: list[Named] = pydantic.Field(alias="list", default_factory=list)


class Either(pydantic.BaseModel):
    """Fields that pydantic reads by other names than that of the schema, too."""

    model_config = pydantic.ConfigDict(validate_by_name=True, validate_by_alias=True)
    first: int = pydantic.Field(alias="one", default=0)
    second: int = pydantic.Field(validation_alias=pydantic.AliasChoices("two", "zwei"), default=0)


class Chosen(pydantic.BaseModel):
    """The same by aliases alone, one of which is only the beginning of a path."""

    second: int = pydantic.Field(
        validation_alias=pydantic.AliasChoices("two", "zwei", pydantic.AliasPath("list", 0)), default=0
    )
    third: int = 0


DICT: Any = dict
UUIDS = [uuid.uuid1(), uuid.UUID(int=0), uuid.uuid4(), uuid.uuid5(uuid.NAMESPACE_DNS, "a")]
TEXTS = [
    "",
    "a",
    "YQ==",
    "_-8=",
    "+/8=",
    "YQ=",
    "YW==",
    "2024-02-30",
    "2024-02-29",
    "P1D",
    "http://a.b/",
    "1.2.3.4",
    "::1",
]
SCALARS: list[Any] = [None, True, 0, 1, 2, 2.5, 11, *TEXTS, *map(str, UUIDS), [], [1], [1, 1], {}]
KINDS: list[dict[str, Any]] = [{}, {"kind": "cat"}, {"kind": "dog"}, {"kind": "hound"}]
OBJECTS: list[Any] = [
    {**kind, **lives, **name}
    for kind, lives, name in itertools.product(
        KINDS, ({}, {"lives": 9}), ({}, {"name": "ab"}, {"name": "abc"})
    )
]
PETS: list[dict[str, Any]] = [
    {},
    {"discriminator": {"x": {"kind": "cat", "lives": 1}}},
    {"discriminator": {"x": {}}},
]
OWNERS: list[Any] = [{"pet": pet, **more} for pet in OBJECTS for more in PETS]
MORE: list[dict[str, Any]] = [{}, {"b": None}, {"b": [1]}, {"b": [1, 2]}, {"c": 1}]
NUMBERS: list[Any] = [{"a": a, **more} for a in SCALARS for more in MORE]

NAMED: list[Any] = [
    {**first, **inner}
    for first in ({}, {"first": 1}, {"one": 1})
    for inner in ({}, {"inner": {"two": 2}}, {"inner": {"second": 2}}, {"in": {"two": 2}})
]
ALIASED: list[Any] = [{"two": 2, **more} for named in NAMED for more in ({}, {"list": [named]})]

EITHER: list[Any] = [
    {name: value}
    for name in ("one", "first", "two", "zwei", "second", "list", "third")
    for value in (1, "a", ["a"])
]

DECIMALS: list[Any] = [
    0,
    -1,
    0.1,
    0.11,
    0.101,
    0.0001,
    1.5,
    99.5,
    99,
    100,
    999.5,
    9999,
    9999.5,
    10_000,
    "1",
    "a",
]

KEYED: list[Any] = [
    {key: 1} for key in ("0", "-12", "01", "1.50", "1e3", "1.", "true", "True", "a", "", *map(str, UUIDS))
]

URLS: list[Any] = [
    f"{scheme}:{rest}"
    for scheme in ("http", "https", "ftp", "postgresql", "file", "httpx")
    for rest in (
        *("", "//", "//a", "//a.b/c?d#e", "/a", "///a", "//localhost:5432/x", "//?", "//a:b", "//a:99999"),
        *(
            "//1.2.3.4:80",
            "//1.2.3",
            "//a.5",
            "//u:p%40s@a-b.c?d",
            "//@a",
            "//xn--a",
            "//a|b",
            "//a b",
            "//a^",
        ),
    )
]
TIMES: list[Any] = [
    f"{day}T{time}{zone}"
    for day in ("2023-02-28", "2023-02-29", "2024-02-29", "2000-02-29", "1900-02-29", "2024-04-31")
    for time in ("00:00:00", "23:59:59.5", "24:00:00", "12:60:00")
    for zone in ("", "Z", "+02:00")
]
NETWORKS: list[Any] = [
    f"{address}{length}"
    for address in (
        *("1.2.3.4", "10.0.0.0", "192.168.16.0", "0.0.0.0", "1.2.3", "1.2.3.256", "01.2.3.4", "128.0.0.0"),
        *(
            "::",
            "::1",
            "2001:db8::",
            "2001:0DB8::",
            "fe80::",
            "fc00::",
            "2000::",
            "1:2:3:4:5:6:7::",
            "1::2::3",
        ),
        *("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:9", "a:b::c:d", "12345::", "g::", ":", ""),
    )
    for length in ("", "/0", "/3", "/7", "/8", "/10", "/20", "/32", "/33", "/48", "/112", "/128", "/129", "/")
]
DAYS: list[Any] = [
    f"{year}-{month_and_day}"
    for year in ("0001", "1999", "2019", "2020", "2021", "2999", "9999")
    for month_and_day in ("01-01", "02-28", "02-29", "03-01", "03-09", "03-10", "03-11", "12-31")
]
TODAY = datetime.datetime.now(datetime.UTC).date()
NEAR_DAYS: list[Any] = [str(TODAY + datetime.timedelta(days)) for days in (-9999, -9, -2, 2, 9, 9999)]
DATE_BOUNDS: list[dict[str, Any]] = [
    {"gt": datetime.date(2020, 3, 10)},
    {"ge": datetime.date(2020, 3, 10)},
    {"lt": datetime.date(2020, 3, 10), "ge": datetime.date(1999, 12, 31)},
    {"le": datetime.date(2020, 3, 10)},
    {"le": datetime.date(1, 1, 1)},
]

# Each: a type, values, of which some are valid and some are not.
TYPES: list[tuple[Any, list[Any]]] = [
    (Pet, OBJECTS),
    (list[Pet], [[value] for value in OBJECTS]),
    (Owner, OWNERS),
    (Numbers, NUMBERS),
    (Named, NAMED),
    (Aliased, ALIASED),
    (Either, EITHER),
    (Chosen, EITHER),
    *[(DICT[key, int], KEYED) for key in (int, float, bool, decimal.Decimal, uuid.UUID, pydantic.UUID4)],
    (decimal.Decimal, SCALARS),
    *[
        (Annotated[decimal.Decimal, pydantic.Field(**asked)], DECIMALS)
        for asked in (
            {"max_digits": 4},
            {"decimal_places": 2},
            {"max_digits": 4, "decimal_places": 2, "gt": decimal.Decimal("0.1"), "le": 99},
            {"max_digits": 2, "decimal_places": 4},
            {"max_digits": 2, "decimal_places": 2},
            {"multiple_of": decimal.Decimal("0.5"), "max_digits": 3},
        )
    ],
    (pydantic.UUID1, SCALARS),
    (pydantic.UUID4, SCALARS),
    (pydantic.UUID5, SCALARS),
    (pydantic.Base64Bytes, SCALARS),
    (pydantic.Base64UrlBytes, SCALARS),
    (datetime.date, SCALARS),
    (datetime.timedelta, SCALARS),
    (pydantic.AnyUrl, SCALARS),
    (pydantic.HttpUrl, URLS),
    (pydantic.PostgresDsn, URLS),
    (pydantic.FileUrl, URLS),
    (pydantic.IPvAnyAddress, SCALARS),
    *[
        (kind, NETWORKS)
        for kind in (
            *(ipaddress.IPv4Network, ipaddress.IPv6Network, ipaddress.IPv4Interface, ipaddress.IPv6Interface),
            *(pydantic.IPvAnyNetwork, pydantic.IPvAnyInterface),
        )
    ],
    (fractions.Fraction, [*SCALARS, "1/2", "-3/4", "1/0", "1.5", "1e3", " 1", "1/", "/2", "1/-2", "01/02"]),
    *[(Annotated[datetime.date, pydantic.Field(**asked)], DAYS) for asked in DATE_BOUNDS],
    (pydantic.PastDate, NEAR_DAYS),
    (pydantic.FutureDate, NEAR_DAYS),
    (pydantic.NaiveDatetime, [*TIMES, "0000-01-01T00:00:00", "0004-02-29T00:00:00"]),
    (pydantic.AwareDatetime, TIMES),
    (pydantic.PositiveInt, SCALARS),
    (set[int], SCALARS),
]


@pytest.mark.parametrize(("kind", "values"), TYPES, ids=lambda value: str(value)[:60])
def test_what_is_accepted_is_valid(byte_vocabulary: mw.Vocabulary, kind: Any, values: list[Any]) -> None:
    adapter = pydantic.TypeAdapter(kind)
    matcher = mw.Compiler(byte_vocabulary).compile(mw.Grammar.json_schema(adapter)).matcher()
    accepted = [text for value in values if accepts(matcher.fork(), text := json.dumps(value))]
    for text in accepted:
        adapter.validate_json(text)
    assert accepted


def compare_with_pydantic(
    vocabulary: mw.Vocabulary,
    kind: Any,
    values: list[Any],
    hidden: Callable[[Any], bool] = lambda _: False,
) -> None:
    """The grammar accepts just the values that pydantic finds valid, but for those that are hidden."""
    adapter = pydantic.TypeAdapter(kind)
    matcher = mw.Compiler(vocabulary).compile(mw.Grammar.json_schema(kind)).matcher()
    for value in values:
        try:
            adapter.validate_json(json.dumps(value))
            valid = True
        except pydantic.ValidationError:
            valid = False
        assert accepts(matcher.fork(), json.dumps(value)) == (valid and not hidden(value)), value


@pytest.mark.parametrize(("kind", "values"), [case for case in TYPES if case[1] is DECIMALS], ids=str)
def test_all_numbers_that_are_valid_decimals_are_accepted(
    byte_vocabulary: mw.Vocabulary, kind: Any, values: list[Any]
) -> None:
    compare_with_pydantic(byte_vocabulary, kind, values, hidden=lambda value: isinstance(value, str))


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        *(case for case in TYPES if case[1] is DAYS or case[1] is NEAR_DAYS),
        (ipaddress.IPv4Network, NETWORKS),
        (ipaddress.IPv4Interface, NETWORKS),
        (ipaddress.IPv6Interface, NETWORKS),
        (pydantic.IPvAnyInterface, NETWORKS),
    ],
    ids=str,
)
def test_all_that_is_valid_is_accepted(byte_vocabulary: mw.Vocabulary, kind: Any, values: list[Any]) -> None:
    compare_with_pydantic(byte_vocabulary, kind, values)


@pytest.mark.parametrize(
    "network", ["2001:db8::/32", "fe80::/10", "fc00::/7", "2000::/3", "::/0", "1:2:3:4::/64"]
)
def test_networks_in_their_usual_spelling_are_accepted(byte_vocabulary: mw.Vocabulary, network: str) -> None:
    for kind in (ipaddress.IPv6Network, pydantic.IPvAnyNetwork):
        matcher = mw.Compiler(byte_vocabulary).compile(mw.Grammar.json_schema(kind)).matcher()
        assert accepts(matcher, json.dumps(network))


@pytest.mark.parametrize(
    "url",
    [
        *("https://example.com", "https://example.com.", "http://localhost:8000/x", "http://127.0.0.1:65535"),
        *(
            "https://user:p%40ss@sub.do-main.co.uk/a/b_(c)?d=e&f#g",
            "https://a--b.app",
            "http://3x.1b",
            "http://x",
        ),
        *(
            "http://xn",
            "http://xn-.x",
            "http://a_b.x-",
            "http://-a",
            "http://x.com:",
            "http://x?y",
            "http://x#y",
        ),
    ],
)
def test_urls_in_their_usual_spelling_are_accepted(byte_vocabulary: mw.Vocabulary, url: str) -> None:
    pydantic.TypeAdapter(pydantic.HttpUrl).validate_python(url)
    matcher = mw.Compiler(byte_vocabulary).compile(mw.Grammar.json_schema(pydantic.HttpUrl)).matcher()
    assert accepts(matcher, json.dumps(url))


UNSAYABLE: list[tuple[Any, str]] = [
    (pydantic.PastDatetime, "of a datetime no bound can be asked, such as now_op='past'"),
    (
        Annotated[datetime.datetime, pydantic.Field(ge=datetime.datetime(2020, 1, 1))],
        "such as ge='2020-01-01 00",
    ),
    (Annotated[datetime.time, pydantic.Field(lt=datetime.time(12))], "of a time no bound can be asked"),
    (Annotated[datetime.timedelta, pydantic.Field(gt=datetime.timedelta(1))], "of a timedelta no bound"),
    (pydantic.Json, "no schema says what JSON it is"),
    (pydantic.Json[list[int]], "no schema says what JSON it is"),
]


@pytest.mark.parametrize(("kind", "told"), UNSAYABLE, ids=str)
def test_what_no_schema_can_say_is_refused(kind: Any, told: str) -> None:
    with pytest.raises(mw.SchemaError) as caught:
        mw.Grammar.json_schema(pydantic.create_model("Model", member=(list[kind], ...)))
    assert told in str(caught.value)


def test_what_pydantic_reads_from_elsewhere_has_no_schema() -> None:
    class Read(pydantic.BaseModel):
        first: int = pydantic.Field(validation_alias=pydantic.AliasPath("list", 0))

    with pytest.raises(mw.SchemaError, match="'first' is read by an AliasPath"):
        mw.Grammar.json_schema(list[Read])


def test_a_schema_that_a_field_was_given_stays_as_it_is() -> None:
    given = {"type": "array", "items": {"type": "string", "format": "uuid4"}}
    kind: Any = Annotated[list[str], pydantic.WithJsonSchema(given)]
    assert "pattern" in schema_text(kind)
    assert given == {"type": "array", "items": {"type": "string", "format": "uuid4"}}


def test_keys_have_no_bounds() -> None:
    for key in (Annotated[int, pydantic.Field(gt=3)], Literal[1], tuple[int, int], int | None):
        with pytest.raises(mw.SchemaError, match="keys of JSON objects are strings"):
            mw.Grammar.json_schema(pydantic.TypeAdapter(DICT[key, str]))


def test_a_model_alone_needs_not_what_tells_it_apart(byte_vocabulary: mw.Vocabulary) -> None:
    matcher = mw.Compiler(byte_vocabulary).compile(mw.Grammar.json_schema(Cat)).matcher()
    assert accepts(matcher, '{"lives": 9}')
