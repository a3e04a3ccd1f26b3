"""The package as such: its interface, its stubs and its examples."""

from __future__ import annotations

import ast
import doctest
import gc
import inspect
import re
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import maskwright as mw
from maskwright import _native, errors

STUB = Path(mw.__file__).with_name("_native.pyi")


def public_things() -> Iterator[tuple[str, object, object]]:
    """What the index lists, by name, each with the class that it is a member of, if any."""
    page = Path(__file__).parents[1].joinpath("docs/api.md").read_text(encoding="utf-8")
    for name in re.findall(r"^\| `([\w.]+)` \|", page, re.MULTILINE):
        owner, _, member = name.rpartition(".")
        holder: object = getattr(mw, owner, None) if owner else mw
        if holder is None:
            holder = import_module(f"maskwright.{owner}")
        yield name, getattr(holder, member), holder if inspect.isclass(holder) else None


def test_everything_public_is_documented() -> None:
    looked_at = set()
    for name, thing, owner in public_things():
        if inspect.ismemberdescriptor(thing):  # a slot has no docstring but in its class
            assert f"\n    {name.rpartition('.')[2]}: " in str(inspect.getdoc(owner)), name
        elif inspect.isclass(thing) or inspect.isroutine(thing) or inspect.isdatadescriptor(thing):
            assert inspect.getdoc(thing), name
        else:
            continue
        looked_at.add(name)
    assert looked_at >= {"Grammar.regex", "Vocabulary.size", "Matcher.mask_id", "Whitespace.indent"}


def test_everything_public_has_an_example() -> None:
    looked_at = set()
    for name, thing, _ in public_things():
        if inspect.isclass(thing) or inspect.isroutine(thing):
            assert ">>> " in str(inspect.getdoc(thing)), name
            looked_at.add(name)
    assert looked_at >= {"Grammar.regex", "Matcher.accept", "tool_calls.Text", "generation.generate"}


def test_every_error_derives_from_the_base() -> None:
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), mw.MaskwrightError)
        assert getattr(mw, name) is getattr(errors, name)


def test_what_is_given_out_of_range_is_a_value_error_whatever_raises_it() -> None:
    no_values = {"MaskwrightError", "BudgetExceededError", "MatcherStateError", "MatcherBusyError"}
    for name in set(errors.__all__) - no_values:
        assert issubclass(getattr(errors, name), ValueError), name


def stub_members(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def stub_constants(body: list[ast.stmt]) -> set[str]:
    targets = {node.target for node in body if isinstance(node, ast.AnnAssign)}
    return {target.id for target in targets if isinstance(target, ast.Name) and target.id != "__version__"}


def test_the_stub_names_exactly_what_the_native_module_has() -> None:
    body = ast.parse(STUB.read_text(encoding="utf-8")).body
    declared = stub_members(body)
    public = {name for name in vars(_native) if not name.startswith("_")}
    assert set(declared) | stub_constants(body) == public
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
    with pytest.raises(mw.ArgumentError, match=r"Budget\(states=") as caught:
        mw.Budget(states=0)
    assert caught.value.argument == "states"
    with pytest.raises(
        mw.ArgumentError, match=r"Budget\(nesting=\.\.\.\) must be from 1 to 1000, not 1001: .*with rules"
    ):
        mw.Budget(nesting=1001)
    assert mw.Budget(nesting=_native.DEEPEST_NESTING).nesting == _native.DEEPEST_NESTING
    number = mw.Budget(states=cast("int", np.int64(9))).states
    assert (number, type(number)) == (9, int)
    with pytest.raises(mw.ArgumentError, match=r"Budget\(step_time=") as caught:
        mw.Budget(step_time=timedelta(0))
    assert caught.value.argument == "step_time"
    wrong: list[dict[str, Any]] = [
        {"step_time": 1},
        {"compile_time": 1.5},
        {"states": timedelta(seconds=1)},
        {"nesting": 10.0},
        {"items": True},
        {"items": None},
    ]
    for fields in wrong:
        with pytest.raises(TypeError, match=rf"Budget\({next(iter(fields))}=\.\.\.\) is an? "):
            mw.Budget(**fields)
    assert mw.Budget() == mw.Budget()


BYTES = mw.Vocabulary.from_tokens([b"a", None], stop_ids=[1])
ANY: Any = mw


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ANY.Compiler(BYTES).compile({"type": "object"}),
            r"Grammar\.json_schema\(schema\).* not dict",
        ),
        (lambda: ANY.Compiler(BYTES).compile(None), r"grammar is a maskwright\.Grammar.* not NoneType"),
        (lambda: ANY.Compiler("gpt2"), r"Vocabulary\.from_file.* not str"),
        (lambda: ANY.Compiler(BYTES, budget=5), r"budget is a maskwright\.Budget.* not int"),
        (lambda: ANY.Compiler(BYTES, budget=0), r"budget is a maskwright\.Budget.* not int"),
        (lambda: ANY.Grammar.regex("a", budget=5), r"budget is a maskwright\.Budget.* not int"),
        (lambda: ANY.Grammar.text("a", budget={}), r"budget is a maskwright\.Budget.* not dict"),
        (lambda: ANY.Grammar.json_schema({}, budget=5), r"budget is a maskwright\.Budget.* not int"),
        (
            lambda: ANY.Compiler(BYTES).compile(mw.Grammar.text("a"), settings=5),
            r"settings is a maskwright\.Settings, not int",
        ),
    ],
)
def test_arguments_of_another_type_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (mw.Grammar, r"a Grammar is made by a class method, such as Grammar\.regex"),
        (lambda: ANY.Grammar("a+"), "a Grammar is made by a class method"),
        (lambda: ANY.Grammar(text="a+"), "a Grammar is made by a class method"),
        (ANY.Constraint, r"a Constraint is made by Compiler\.compile\(grammar\), or by Compiler\.load"),
        (lambda: ANY.Constraint("a+"), r"a Constraint is made by Compiler\.compile"),
        (ANY.Warming, r"a Warming is made by Compiler\.compile with warm=\.\.\., and is Constraint\.warming"),
        (ANY.Matcher, r"a Matcher is made by Constraint\.matcher\(\)"),
        (ANY.Whitespace, r"a Whitespace is made by Whitespace\.free"),
        (lambda: ANY.Whitespace("free"), "a Whitespace is made by"),
        (ANY.Vocabulary, "a Vocabulary is made by a method from_"),
        (lambda: ANY.Vocabulary(None), r"a Vocabulary is made by a method from_"),
    ],
)
def test_what_others_make_is_not_made_by_its_class(make: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize("name", ["grammar", "vocabulary", "settings", "warming"])
def test_a_constraint_keeps_what_it_was_made_with(name: str) -> None:
    constraint = mw.Compiler(BYTES).compile(mw.Grammar.text("a"), warm=1)
    before = getattr(constraint, name)
    with pytest.raises(AttributeError):
        setattr(constraint, name, "other")
    with pytest.raises(AttributeError):
        delattr(constraint, name)
    assert getattr(constraint, name) is before


def test_objects_can_be_kept_for_as_long_as_others_keep_them() -> None:
    """As a server may do, which has the constraints of all running requests."""
    compiler = mw.Compiler(BYTES)
    kept: weakref.WeakValueDictionary[str, mw.Constraint] = weakref.WeakValueDictionary()
    constraint = kept["a"] = compiler.compile(mw.Grammar.text("a"), warm=1)
    assert kept["a"] is constraint
    things: list[object] = [
        constraint.vocabulary,
        compiler,
        constraint,
        constraint.grammar,
        constraint.warming,
    ]
    assert [weakref.ref(thing)() for thing in things] == things
    del constraint, things
    gc.collect()
    assert "a" not in kept


def test_types_say_what_matchers_take() -> None:
    """Lints fail where one of the calls that are ignored would pass, or the last would not."""
    matcher = mw.Compiler(BYTES).compile(mw.Grammar.text("a")).matcher()
    with pytest.raises(TypeError):
        matcher.accept_tokens("ab")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        matcher.accept_tokens(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        matcher.validate(5)  # type: ignore[arg-type]
    with pytest.raises(mw.MaskBufferError):
        matcher.fill_mask(5)  # type: ignore[arg-type]
    matchers = [matcher]
    mw.fill_masks((each for each in matchers), mw.allocate_mask(1, 2))


def test_a_grammar_equals_itself_alone() -> None:
    grammar = mw.Grammar.text("a")
    assert grammar == grammar  # noqa: PLR0124 - that is what is tested
    assert grammar != mw.Grammar.text("a")
    assert {grammar: 1}[grammar] == 1


LET_GO_AT_LAST = """
import gc
import maskwright as mw

class LetGoAtLast:
    def __init__(self):
        vocabulary = mw.Vocabulary.from_tokens([b"a", None], stop_ids=[1])
        self.matcher = mw.Compiler(vocabulary).compile(mw.Grammar.regex("a")).matcher()
        self.mask = mw.allocate_mask(1, 2)
        # Found by the last collection, when nothing can be imported any more.
        self.itself, self.print = self, print

    def __del__(self):
        try:
            self.matcher.accept(7)
        except Exception as error:
            self.matcher.fill_mask(self.mask)
            self.print(type(error).__name__, self.mask, self.matcher.accept(0))

gc.disable()
kept = LetGoAtLast()
"""


def test_what_is_let_go_when_the_interpreter_ends_can_still_be_asked() -> None:
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", LET_GO_AT_LAST], capture_output=True, text=True, check=True
    )
    assert (ended.stdout, ended.stderr) == ("TokenIdError [[1]] True\n", "")


BEGUN_AT_LAST = """
import gc
import maskwright as mw

class BegunAtLast:
    def __init__(self):
        self.compiler = mw.Compiler(mw.Vocabulary.from_tokens([b"a", None], stop_ids=[1]))
        self.itself, self.print, self.text = self, print, mw.Grammar.text

    def __del__(self):
        self.print(self.compiler.compile(self.text("a")).matcher().allowed_tokens())

gc.disable()
kept = BegunAtLast()
"""


def test_a_first_grammar_can_be_made_when_the_interpreter_ends() -> None:
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", BEGUN_AT_LAST], capture_output=True, text=True, check=True
    )
    assert (ended.stdout, ended.stderr) == ("[0]\n", "")
