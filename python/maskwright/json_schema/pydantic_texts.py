"""Schemas of texts of which pydantic's own say less than its validation asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["format_schema", "local_time", "url_pattern"]

_UUID = re.compile("uuid([1-8])")
_BASE64 = {"base64": "+/", "base64url": "_-"}

_DAY = (
    "((?!0000)[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    "|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([2468][048]|[13579][26]|0[48])00)-02-29)"
)
_TIME = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6})?"


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
    return None


def url_pattern(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The scheme of a URL, where only some will do; it is followed by two slashes and a host.

    Args:
        asked: the schema of pydantic's core.

    Example:
        >>> url_pattern({"allowed_schemes": ["http", "https"]})
        {'pattern': '^(http|https)://[A-Za-z0-9]'}
    """
    schemes = asked.get("allowed_schemes")
    if not schemes:
        return {}
    # A URL of a file has no host; some of databases need none, and are no worse for one.
    host = "/" if schemes == ["file"] else "[A-Za-z0-9]"
    return {"pattern": f"^({'|'.join(map(re.escape, schemes))})://{host}"}


def local_time() -> dict[str, Any]:
    """A date and a time without its distance from universal time, for which JSON Schema has no format."""
    return {"type": "string", "pattern": f"^{_DAY}T{_TIME}$"}
