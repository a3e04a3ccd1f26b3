"""What docstrings say of functions and their parameters, in each style."""

from __future__ import annotations

import inspect

import pytest

from maskwright.tools.docstrings import docstring_of

BOTH = {"a": "The first number, which may be long.", "b": "The other."}
# Each: the style, a docstring, its description, and what it says of parameters.
CASES: list[tuple[str, str, str, dict[str, str]]] = [
    ("nothing", "", "", {}),
    ("one line", "Adds.", "Adds.", {}),
    ("a summary of two lines", "Adds a thing that is\n    a number.", "Adds a thing that is a number.", {}),
    (
        "paragraphs and a list",
        """Adds numbers of
        any kind.

        It takes

        - integers, of which
          there are many
        - others
        """,
        "Adds numbers of any kind.\n\nIt takes\n\n- integers, of which\n  there are many\n- others",
        {},
    ),
    (
        "Google",
        """Adds two
        numbers.

        More of it.

        Args:
            a: The first number,
                which may be long.
            b (dict[str, (int)], optional): The other.
            **c:

        Returns:
            result: The sum.
        """,
        "Adds two numbers.\n\nMore of it.",
        BOTH,
    ),
    (
        "Google, with empty lines and another section first",
        """Adds.

        Example:
            add(a: 1)

        Arguments:

            a: The first number,

                which may be long.

            a line that is nothing
            b : The other.
        """,
        "Adds.",
        BOTH,
    ),
    (
        "NumPy",
        """Adds.

        Parameters
        ----------
        a : int, optional
            The first number,
            which may be long.
        b
            The other.
        c : int

        Returns
        -------
        result : int
            The sum.
        """,
        "Adds.",
        BOTH,
    ),
    (
        "NumPy, several at once",
        "Adds.\n\nParameters\n---\na, *b : int\n    One.",
        "Adds.",
        {"a": "One.", "b": "One."},
    ),
    (
        "Sphinx",
        """Adds.

        :param int a: The first number,
            which may be long.
        :type a: int
        :param b: The other.
        :returns: The sum.
        :raises ValueError: Never.
        """,
        "Adds.",
        BOTH,
    ),
    ("only sections", "\nArgs:\n    a: One.", "", {"a": "One."}),
    (
        "a header within a line",
        "Args: none.\n\nParameters of many kinds.",
        "Args: none.\n\nParameters of many kinds.",
        {},
    ),
    ("a header without its entries", "Adds.\n\nArgs:\nReturns:", "Adds.", {}),
    (
        "hyphens that underline something else",
        "Adds.\n\nDetails\n-------\nMany.",
        "Adds.\n\nDetails\n-------\nMany.",
        {},
    ),
]


@pytest.mark.parametrize(
    ("text", "description", "parameters"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_docstring_is_read_in_each_style(text: str, description: str, parameters: dict[str, str]) -> None:
    assert docstring_of(inspect.cleandoc(text)) == (description, parameters)
