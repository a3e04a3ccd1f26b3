"""Schemas of texts of which pydantic's own say less than its validation asks for."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta, timezone
from functools import cache
from typing import Any

__all__ = ["check_no_bounds", "date_bounds", "format_schema", "local_time", "url_pattern"]

_UUID = re.compile("uuid([1-8])")
_BASE64 = {"base64": "+/", "base64url": "_-"}

_DAY = (
    "((?!0000)[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    "|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([2468][048]|[13579][26]|0[48])00)-02-29)"
)
_TIME = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6})?"


_OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = f"{_OCTET}([.]{_OCTET}){{3}}"
_GROUP = "[0-9A-Fa-f]{1,4}"
_IPV6 = "|".join(
    [
        f"({_GROUP}:){{7}}({_GROUP}|:)",
        *(f"({_GROUP}:){{1,{7 - behind}}}(:{_GROUP}){{1,{behind}}}" for behind in range(1, 7)),
        f"({_GROUP}:){{1,6}}:",
        f":((:{_GROUP}){{1,7}}|:)",
    ]
)
_UP_TO_128 = "(12[0-8]|1[01][0-9]|[1-9]?[0-9])"
_INTERFACES = {"ipv4": f"{_IPV4}(/(3[0-2]|[12]?[0-9]))?", "ipv6": f"({_IPV6})(/{_UP_TO_128})?"}

_LETTERS = "[A-Za-z0-9_-]*"
_NO_CODE = (
    f"[Xx]([A-MO-Za-mo-z0-9_-]{_LETTERS}|[Nn]([A-Za-z0-9_]{_LETTERS}|-([A-Za-z0-9_]{_LETTERS})?)?)?"
    f"|[A-WYZa-wyz_-]{_LETTERS}"
)
"""A part of a name without a digit first, and no code of another script (``xn--``), that may mean nothing."""
_NAME = f"(({_NO_CODE}|[0-9]{_LETTERS})[.])*({_NO_CODE}|[1-9][0-9]*[A-Za-z_-]{_LETTERS})[.]?"
"""Its last part is no number, which would have it be an address."""
_USER = "([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})"
_PORT = "([0-9]{0,4}|[1-5][0-9]{4}|6([0-4][0-9]{3}|5([0-4][0-9]{2}|5([0-2][0-9]|3[0-5]))))"
_AUTHORITY = f"({_USER}+(:{_USER}*)?@)?({_NAME}|{_IPV4})(:{_PORT})?"
"""Who is asked: a user, a host that is a name or four numbers, and a port."""
_BEHIND_AUTHORITY = "([/?#]([A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?"


def format_schema(name: str) -> dict[str, Any] | None:
    """What a format of pydantic's asks for that JSON Schema does not know; None for any other.

    Example:
        >>> format_schema("uuid4")
        {'format': 'uuid', 'pattern': '^.{14}4.{4}[89abAB]'}
    """
    if version := _UUID.fullmatch(name):
        return {"format": "uuid", "pattern": f"^.{{14}}{version[1]}.{{4}}[89abAB]"}
    if name in _BASE64:
        letter = f"[A-Za-z0-9{_BASE64[name]}]"
        return {"pattern": f"^({letter}{{4}})*({letter}{{2}}==|{letter}{{3}}=)?$"}
    if name == "ipvanyaddress":
        return {"anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}
    if name == "fraction":
        return {"pattern": "^-?[0-9]+(/[1-9][0-9]*|[.][0-9]+)?$"}
    return _of_addresses(name)


@cache
def _of_addresses(name: str) -> dict[str, Any] | None:
    """What is asked of a network, or of an address with the length of its network's prefix."""
    for kind, ways in (("network", _networks()), ("interface", _INTERFACES)):
        for version, way in ways.items():
            if name == f"{version}{kind}":
                return {"pattern": f"^({way})$"}
        if name == f"ipvany{kind}":
            return {"pattern": f"^({'|'.join(ways.values())})$"}
    return None


@cache
def _networks() -> dict[str, str]:
    """Networks by the version of their addresses; behind the prefix of its length, all bits of one are 0."""
    return {"ipv4": "|".join(_ipv4_networks()), "ipv6": "|".join(_ipv6_networks())}


def _ipv4_networks() -> Iterator[str]:
    """By the last number that is not 0, and how many of its bits at the end are."""
    yield f"{_IPV4}(/32)?"
    yield f"0[.]0[.]0[.]0/{_lengths(0, 31)}"
    following = ""
    for place in range(3, -1, -1):
        ways = [f"{_OCTET}[.]({following})"] if following else []
        for zeros in range(8):
            numbers = "|".join(map(str, range(1 << zeros, 256, 2 << zeros)))
            if (least := 8 * place + 8 - zeros) < 32:
                ways.append(f"({numbers}){'[.]0' * (3 - place)}/{_lengths(least, 31)}")
        following = "|".join(ways)
    yield following


def _ipv6_networks() -> Iterator[str]:
    """Whole addresses, and prefixes that end with two colons.

    Where the last group before these has four digits, it may end with some that are not in the prefix; where
    it is the only one, with bits that are not.
    """
    yield f"({_IPV6})(/128)?"
    yield f"::/{_lengths(0, 127)}"
    for digits, (bits, last) in itertools.product(range(4), {1: "8", 2: "[48c]", 3: "[2468ace]"}.items()):
        yield f"[0-9a-f]{{{digits}}}{last}{'0' * (3 - digits)}::/{4 * digits + bits}"
    following = ""
    for groups in range(7, 0, -1):
        behind = f"::/{_lengths(16 * groups, 127)}"
        ways = [f"{_GROUP}({behind}|:({following}))" if following else f"{_GROUP}{behind}"]
        for zeros in range(1, 4):
            most = 16 * groups - 4 * zeros
            ways.append(f"[0-9a-f]{{{4 - zeros}}}{'0' * zeros}::/{_lengths(most, most + 3)}")
        following = "|".join(ways)
    yield following


def _lengths(least: int, most: int) -> str:
    return f"({'|'.join(map(str, range(least, most + 1)))})"


def date_bounds(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The bounds of a date, of which the past and the future begin today.

    Args:
        asked: the schema of pydantic's core.

    Example:
        >>> date_bounds({"type": "date", "lt": date(3000, 1, 1)})
        {'allOf': [{'pattern': '^([0-2]|3000-0[0-0]|3000-01-0[0-0])'}]}
    """
    bounds = {name: asked[name] for name in ("lt", "le", "gt", "ge") if asked.get(name) is not None}
    patterns = [_dates(bound, name) for name, bound in bounds.items()]
    if when := asked.get("now_op"):
        offset = asked.get("now_utc_offset")
        zone = None if offset is None else timezone(timedelta(seconds=offset))
        patterns.append(_dates(datetime.now(zone).date(), "lt" if when == "past" else "gt"))
    return {"allOf": patterns} if patterns else {}


def _dates(bound: date, name: str) -> dict[str, Any]:
    """The dates before or behind one, by the first digit that differs."""
    text = bound.isoformat()
    ways = []
    for at, digit in enumerate(text):
        if name[0] == "g" and "0" <= digit < "9":
            ways.append(f"{text[:at]}[{int(digit) + 1}-9]")
        if name[0] == "l" and digit > "0":
            ways.append(f"{text[:at]}[0-{int(digit) - 1}]")
    if name[1] == "e":
        ways.append(text)
    return {"pattern": f"^({'|'.join(ways)})"} if ways else {"not": {}}


def check_no_bounds(asked: Mapping[str, Any]) -> None:
    """Refuses bounds of what is written in many ways, so that no pattern tells them.

    Args:
        asked: the schema of pydantic's core.

    Raises:
        TypeError: there is one.
    """
    for name in ("lt", "le", "gt", "ge", "now_op"):
        if asked.get(name) is not None:
            kind, bound = asked.get("type"), asked[name]
            raise TypeError(
                f"of a {kind} no bound can be asked, such as {name}={str(bound)!r}; leave it out, and look "
                "at it when the text is there"
            )


def url_pattern(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The scheme of a URL, where only some will do; it is followed by two slashes and who is asked.

    Of a URL with many hosts, of which JSON Schema has no format, one is asked for, and all that comes behind.

    Args:
        asked: the schema of pydantic's core.

    Example:
        >>> url_pattern({"type": "url", "allowed_schemes": ["file"]})
        {'pattern': '^(file):///'}
    """
    schemes = asked.get("allowed_schemes")
    if not schemes:
        return {}
    beginning = f"^({'|'.join(map(re.escape, schemes))})://"
    # A URL of a file has no host; some of databases need none, and are no worse for one.
    if schemes == ["file"]:
        return {"pattern": f"{beginning}/"}
    if asked.get("type") == "multi-host-url":
        return {"pattern": f"{beginning}{_AUTHORITY}{_BEHIND_AUTHORITY}$"}
    return {"pattern": f"{beginning}{_AUTHORITY}([/?#]|$)"}


def local_time() -> dict[str, Any]:
    """A date and a time without its distance from universal time, for which JSON Schema has no format."""
    return {"type": "string", "pattern": f"^{_DAY}T{_TIME}$"}
