"""The package as such: its interface, its stubs and its examples."""

from __future__ import annotations

import ast
import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import maskwright as mw
from maskwright import _native, errors

STUB = Path(mw.__file__).with_name("_native.pyi")


def test_everything_public_is_documented() -> None:
    for name in mw.__all__:
        thing = getattr(mw, name)
        assert name == "__version__" or inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert inspect.getdoc(value), f"{name}.{member}"


def test_every_error_derives_from_the_base() -> None:
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), mw.MaskwrightError)
        assert getattr(mw, name) is getattr(errors, name)


def stub_members(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def test_the_stub_names_exactly_what_the_native_module_has() -> None:
    declared = stub_members(ast.parse(STUB.read_text(encoding="utf-8")).body)
    public = {name for name in vars(_native) if not name.startswith("_")}
    assert set(declared) == public
    for name, node in declared.items():
        if isinstance(node, ast.ClassDef):
            members = {member for member in stub_members(node.body) if not member.startswith("__")}
            actual = {member for member in vars(getattr(_native, name)) if not member.startswith("__")}
            assert members == actual, name


def test_the_stub_has_the_parameters_that_the_native_module_has() -> None:
    for name, node in stub_members(ast.parse(STUB.read_text(encoding="utf-8")).body).items():
        owner = getattr(_native, name)
        members = stub_members(node.body) if isinstance(node, ast.ClassDef) else {"": node}
        for member, function in members.items():
            actual = getattr(owner, member) if member else owner
            if not isinstance(function, ast.FunctionDef) or not callable(actual) or member == "__new__":
                continue
            arguments = function.args
            declared = [a.arg for a in arguments.args + arguments.kwonlyargs if a.arg != "self"]
            signature = [p for p in inspect.signature(actual).parameters if p != "self"]
            assert declared == signature, f"{name}.{member}"


def test_the_examples_of_the_native_classes_run() -> None:
    for thing in (mw.Matcher,):
        for example in doctest.DocTestFinder().find(thing, thing.__name__):
            result = doctest.DocTestRunner().run(example)
            assert result.failed == 0, example.name


@pytest.mark.parametrize("heavy", ["typer", "rich", "gguf", "tokenizers", "jinja2", "torch", "transformers"])
def test_importing_the_package_imports_nothing_heavy(heavy: str) -> None:
    command = f"import maskwright, sys; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", command], check=False).returncode == 0


def test_budgets_are_checked() -> None:
    with pytest.raises(ValueError, match=r"Budget\(states="):
        mw.Budget(states=0)
    assert mw.Budget() == mw.Budget()


def test_a_grammar_is_not_made_by_its_class() -> None:
    with pytest.raises(TypeError, match=r"Grammar\.regex"):
        mw.Grammar()
