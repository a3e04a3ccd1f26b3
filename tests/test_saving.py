"""Pools and constraints in files, and grammars that are pickled."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import json
import os
import pickle
import stat
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

import maskwright as mw
from maskwright import saving
from replaying import masks_along

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
    "required": ["city"],
}
TEXT = b'{"city": "Oslo, \\u00e9", "days": 12, "more": [1, {"a": null}]}'

GRAMMARS: list[tuple[Callable[[], mw.Grammar], bytes]] = [
    (lambda: mw.Grammar.regex("(?!no)[a-z]+", case_insensitive=True, forbidden=["tt"]), b"Night"),
    (lambda: mw.Grammar.gbnf('top ::= "[" (top ("," top)*)? "]"', root="top"), b"[[],[[]]]"),
    (lambda: mw.Grammar.choice(["red", "green", "\N{SNOWMAN}"]), b"green"),
    (lambda: mw.Grammar.json_schema(SCHEMA), TEXT),
    (
        lambda: mw.Grammar.json_schema(
            {"$ref": "urn:x", "type": "object"},
            order="any",
            whitespace=mw.Whitespace.indented(2),
            ascii_only=True,
            formats={"short": "[a-z]{1,3}"},
            approximate={"uniqueItems"},
            documents={"urn:x": {"properties": {"a": {"format": "short", "type": "string"}}}},
            default_draft="7",
            budget=mw.Budget(nesting=77),
        ),
        b'{\n  "a": "xyz"\n}',
    ),
]


@pytest.mark.parametrize(("make", "text"), GRAMMARS)
def test_a_loaded_constraint_is_what_was_compiled(
    make: Callable[[], mw.Grammar], text: bytes, byte_vocabulary: mw.Vocabulary, tmp_path: Path
) -> None:
    settings = mw.Settings(signatures=False)
    constraint = mw.Compiler(byte_vocabulary).compile(make(), settings=settings)
    expected = masks_along(constraint.matcher(), text, byte_vocabulary.size)
    constraint.save(tmp_path / "saved")
    loaded = mw.Compiler(byte_vocabulary).load(tmp_path / "saved")
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "saved").read_bytes()
    assert masks_along(loaded.matcher(), text, byte_vocabulary.size) == expected
    assert loaded.settings == settings
    assert repr(loaded.grammar) == repr(constraint.grammar)
    assert loaded.statistics().walks <= constraint.statistics().walks
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["again", "saved"]


@pytest.mark.parametrize(("make", "text"), GRAMMARS)
def test_grammars_are_pickled_and_copied(
    make: Callable[[], mw.Grammar], text: bytes, byte_vocabulary: mw.Vocabulary
) -> None:
    grammar = make()
    compiler = mw.Compiler(byte_vocabulary)
    expected = masks_along(compiler.compile(grammar).matcher(), text, byte_vocabulary.size)
    for other in (pickle.loads(pickle.dumps(grammar)), copy.deepcopy(grammar)):
        assert repr(other) == repr(grammar)
        assert other._budget == grammar._budget
        assert masks_along(compiler.compile(other).matcher(), text, byte_vocabulary.size) == expected


@pytest.mark.parametrize(
    "whitespace",
    [mw.Whitespace.free(3), mw.Whitespace.compact(), mw.Whitespace.spaced(), mw.Whitespace.indented(2)],
    ids=repr,
)
def test_white_space_is_pickled(whitespace: mw.Whitespace) -> None:
    assert pickle.loads(pickle.dumps(whitespace)) == whitespace


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_vocabularies_compilers_constraints_and_warmings_are_shared_by_copies(
    duplicate: Callable[[Any], Any], byte_vocabulary: mw.Vocabulary
) -> None:
    """Whoever copies what holds them, such as the options of a request, needs no second one."""
    compiler = mw.Compiler(byte_vocabulary)
    constraint = compiler.compile(mw.Grammar.regex("[a-z]+"), warm=2)
    held = {"constraints": [constraint], "warming": constraint.warming}
    copied = duplicate({"compiler": compiler, "vocabulary": byte_vocabulary, **held})
    assert copied["compiler"] is compiler
    assert copied["vocabulary"] is byte_vocabulary
    assert copied["constraints"][0] is constraint
    assert copied["warming"] is constraint.warming


def test_what_cannot_be_pickled_says_what_to_do(byte_vocabulary: mw.Vocabulary) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    with pytest.raises(TypeError, match=r"^a Vocabulary cannot be pickled; make it there from the file"):
        pickle.dumps(byte_vocabulary)
    with pytest.raises(TypeError, match=r"by save_pool and load_pool$"):
        pickle.dumps(compiler)
    with pytest.raises(TypeError, match=r"save it by Constraint\.save for Compiler\.load$"):
        pickle.dumps(compiler.compile(mw.Grammar.regex("a")))
    with pytest.raises(TypeError, match=r"^a Warming cannot be pickled; .* hand over its result\(\)"):
        pickle.dumps(compiler.compile(mw.Grammar.regex("a"), warm=1).warming)
    with pytest.raises(TypeError, match=r"^a Matcher cannot be pickled; .* accept the same tokens$"):
        pickle.dumps(compiler.compile(mw.Grammar.regex("a")).matcher())


def test_a_loaded_pool_spares_the_walks(byte_vocabulary: mw.Vocabulary, tmp_path: Path) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    constraint = compiler.compile(mw.Grammar.json_schema(SCHEMA))
    expected = masks_along(constraint.matcher(), TEXT, byte_vocabulary.size)
    compiler.save_pool(tmp_path / "pool")
    held = compiler.pool_statistics().transitions
    fresh = mw.Compiler(byte_vocabulary)
    assert fresh.load_pool(tmp_path / "pool") == held > 0
    assert fresh.load_pool(tmp_path / "pool") == 0
    fresh.save_pool(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "pool").read_bytes()
    loaded = fresh.compile(mw.Grammar.json_schema(SCHEMA))
    assert masks_along(loaded.matcher(), TEXT, byte_vocabulary.size) == expected
    assert fresh.pool_statistics().partial_hits > 0
    # What depends on a text that was captured is never pooled; but nothing else is walked again.
    shared = compiler.compile(mw.Grammar.json_schema(SCHEMA))
    assert masks_along(shared.matcher(), TEXT, byte_vocabulary.size) == expected
    assert loaded.statistics().walks == shared.statistics().walks < constraint.statistics().walks


@pytest.fixture
def saved(byte_vocabulary: mw.Vocabulary, tmp_path: Path) -> bytes:
    """A small saved constraint."""
    constraint = mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex("[a-z]+"))
    masks_along(constraint.matcher(), b"ab", constraint.vocabulary.size)
    constraint.save(tmp_path / "small")
    return (tmp_path / "small").read_bytes()


def test_what_is_saved_is_what_is_known_of_the_grammar_and_not_what_all_know_of_json(saved: bytes) -> None:
    assert len(saved) < 1000


def test_damage_is_refused_wherever_it_is(
    saved: bytes, byte_vocabulary: mw.Vocabulary, tmp_path: Path
) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    path = tmp_path / "damaged"
    damaged = [saved[:length] for length in range(len(saved))]
    damaged += [saved[:at] + bytes([saved[at] ^ 1]) + saved[at + 1 :] for at in range(len(saved))]
    damaged += [saved + b"\0", b"\xff" * 100, bytes(range(256))]
    for content in damaged:
        path.write_bytes(content)
        for load in (compiler.load, compiler.load_pool):
            with pytest.raises(mw.ArtifactError) as caught:
                load(path)
            assert caught.value.source == str(path)
            assert str(path) in str(caught.value)
            assert 0 <= caught.value.offset <= len(content)
    assert compiler.pool_statistics().transitions == 0


def test_what_is_no_pool_says_what_makes_one(byte_vocabulary: mw.Vocabulary, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no pool")
    with pytest.raises(mw.ArtifactError, match=r"give a file that Compiler\.save_pool made"):
        mw.Compiler(byte_vocabulary).load_pool(tmp_path / "text")


@pytest.mark.parametrize("path", ["a\0b", "\ud800"], ids=ascii)
def test_a_path_that_no_file_can_have_is_an_error_of_the_system(
    byte_vocabulary: mw.Vocabulary, path: str
) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    constraint = compiler.compile(mw.Grammar.text("a"))
    for use in (constraint.save, compiler.load, compiler.save_pool, compiler.load_pool):
        with pytest.raises(OSError, match="no file can be called so") as caught:
            use(path)
        assert caught.value.filename == path


def one_byte(value: int) -> bytes:
    return bytes([value])


def forged(header: bytes, pool: bytes, version: int = saving._VERSION) -> bytes:
    """A file with a checksum that fits."""
    content = saving._PREFIX.pack(b"mw-mask\n", version, len(header)) + header + pool
    return content + blake2b(content, digest_size=16).digest()


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"null",
        b"[" * 100_000,
        b"1" * 10_000,
        b'{"grammar": 1, "settings": {}}',
        b'{"grammar": {"kind": "regex", "arguments": {"pattern": "a"}}, "settings": {}}',
        b'{"grammar": {"kind": "regex", "arguments": {"pattern": "a"}, "shown": 3}, "settings": {}}',
    ],
    ids=len,
)
def test_forged_headers_are_refused(header: bytes, byte_vocabulary: mw.Vocabulary, tmp_path: Path) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    compiler.save_pool(tmp_path / "pool")
    (tmp_path / "forged").write_bytes(forged(header, (tmp_path / "pool").read_bytes()))
    with pytest.raises(mw.ArtifactError):
        compiler.load(tmp_path / "forged")


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        ("__init__", {}),
        ("regex", []),
        (["regex"], {}),
        ("regex", {}),
        ("regex", {"pattern": 1}),
        ("regex", {"pattern": "\ud800"}),
        ("regex", {"pattern": "a", "search": "yes"}),
        ("regex", {"pattern": "a", "budget": None}),
        ("choice", {"choices": "ab"}),
        ("choice", {"choices": [1]}),
        ("json_schema", {"schema": "{}"}),
        ("json_schema", {"schema": "{}", "whitespace": [1]}),
        ("json_schema", {"schema": "{}", "whitespace": [None, 1, ":", None]}),
        ("json_schema", {"schema": "{}", "whitespace": [None, ",", ":", None], "formats": 3}),
        ("json_schema", {"schema": "{}", "whitespace": [None, ",", ":", None], "documents": {"a": 3}}),
    ],
    ids=str,
)
def test_forged_recipes_are_refused(kind: object, arguments: object) -> None:
    with pytest.raises(mw.MaskwrightError):
        mw.Grammar._from_recipe(kind, arguments, "forged", itertools.repeat(mw.Budget()))


@pytest.mark.parametrize(
    "forged",
    [
        3,
        {},
        {"grammar": 0},
        {"schema": 3},
        {"documents": {"a": 3}},
        {"default_draft": "1"},
        {"formats": {"a": 1}},
        {"whitespace": [1]},
        {"enforce_formats": 1},
    ],
    ids=str,
)
def test_forged_schemas_of_grammars_made_part_by_part_are_refused(forged: Any) -> None:
    kept = mw.Grammar.json_schema({"type": "string"})._recipe[1]
    recipe = {**kept, **forged} if forged and isinstance(forged, dict) and "grammar" not in forged else forged
    arguments: Any = {"grammar": {"grammar": 0}, "schema": recipe, "format": "", "tokens": []}
    steps = [["text", {"value": "a"}], ["described", arguments]]
    with pytest.raises(mw.ArtifactError if forged in (3, {}, {"grammar": 0}) else mw.MaskwrightError):
        mw.Grammar._from_recipe("composition", {"grammars": steps}, "forged", itertools.repeat(mw.Budget()))


def test_what_is_remarked_of_tools_is_kept() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "maxLenght": 3}}}
    grammar = mw.ToolCalls([mw.Tool("now", parameters=schema)], "qwen3-coder").grammar()
    again = pickle.loads(pickle.dumps(grammar))
    assert [remark.suggestion for remark in again.remarks()] == ["maxLength"]


@pytest.mark.parametrize("shown", [None, 3, ["regex"]])
def test_a_forged_name_is_refused(shown: object) -> None:
    with pytest.raises(mw.ArtifactError, match="no text that describes it"):
        mw.Grammar._from_recipe("regex", {"pattern": "a"}, shown, itertools.repeat(mw.Budget()))


def test_errors_of_the_grammar_are_its_own(byte_vocabulary: mw.Vocabulary, tmp_path: Path) -> None:
    constraint = mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex("((((a))))"))
    constraint.save(tmp_path / "saved")
    with pytest.raises(mw.BudgetExceededError, match="nesting"):
        mw.Compiler(byte_vocabulary, budget=mw.Budget(nesting=2)).load(tmp_path / "saved")


def test_other_versions_and_vocabularies_are_refused(saved: bytes, tmp_path: Path) -> None:
    (tmp_path / "saved").write_bytes(saved)
    other = mw.Compiler(mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2]))
    with pytest.raises(mw.ArtifactError, match="another vocabulary"):
        other.load(tmp_path / "saved")
    (tmp_path / "newer").write_bytes(forged(b"{}", b"", version=saving._VERSION + 1))
    with pytest.raises(mw.ArtifactError, match=f"version {saving._VERSION + 1}, not {saving._VERSION}"):
        other.load(tmp_path / "newer")


def test_what_is_wrong_with_the_pool_of_a_constraint_is_placed_in_its_file(
    saved: bytes, tmp_path: Path
) -> None:
    start = saved.index(b"mw-pool\n")
    path = tmp_path / "saved"
    path.write_bytes(saved)
    other = mw.Compiler(mw.Vocabulary.from_tokens([*map(one_byte, range(128)), None], stop_ids=[128]))
    with pytest.raises(mw.ArtifactError, match=rf"saved: byte {start + 16}: the pool was saved") as caught:
        other.load(path)
    assert caught.value.offset == start + 16
    damaged = bytearray(saved)
    damaged[start] ^= 1
    path.write_bytes(forged(saved[saving._PREFIX.size : start], bytes(damaged[start:-16])))
    with pytest.raises(mw.ArtifactError, match=rf"saved: byte {start}: this is no saved pool") as caught:
        other.load(path)
    assert caught.value.offset == start


@pytest.mark.parametrize(
    "grammar",
    [mw.Grammar.token("<end>"), mw.Grammar.text("z"), mw.Grammar.json_schema({"type": "string"})],
    ids=["a token that it lacks", "no text at all", "JSON"],
)
def test_a_vocabulary_that_lacks_what_a_saved_grammar_needs_is_another_one(
    grammar: mw.Grammar, tmp_path: Path
) -> None:
    tokens = [*map(one_byte, range(128)), None, None]
    vocabulary = mw.Vocabulary.from_tokens(tokens, special_tokens={"<end>": 128}, stop_ids=[129])
    mw.Compiler(vocabulary).compile(grammar).save(tmp_path / "saved")
    other = mw.Compiler(mw.Vocabulary.from_tokens([b"a", None], stop_ids=[1]))
    with pytest.raises(mw.ArtifactError, match="saved: the constraint was saved for another vocabulary"):
        other.load(tmp_path / "saved")
    assert other.pool_statistics().transitions == 0


def test_a_pool_that_is_too_small_says_so(byte_vocabulary: mw.Vocabulary, tmp_path: Path) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    masks_along(compiler.compile(mw.Grammar.json_schema(SCHEMA)).matcher(), TEXT, byte_vocabulary.size)
    compiler.save_pool(tmp_path / "pool")
    small = mw.Compiler(byte_vocabulary, budget=mw.Budget(pool_bytes=100))
    with pytest.raises(mw.BudgetExceededError, match="pool_bytes"):
        small.load_pool(tmp_path / "pool")


def test_a_file_that_cannot_be_written_leaves_nothing_behind(
    byte_vocabulary: mw.Vocabulary, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        mw.Compiler(byte_vocabulary).save_pool(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_link_stays_a_link_to_what_is_saved(byte_vocabulary: mw.Vocabulary, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "pool")
    compiler = mw.Compiler(byte_vocabulary)
    for _ in range(2):
        compiler.save_pool(tmp_path / "link")
        assert (tmp_path / "link").is_symlink()
        assert compiler.load_pool(tmp_path / "folder" / "pool") == 0
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["pool"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no such pipes")
def test_what_is_no_file_is_not_replaced(byte_vocabulary: mw.Vocabulary, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    compiler = mw.Compiler(byte_vocabulary)
    for write in (compiler.save_pool, compiler.compile(mw.Grammar.regex("a")).save):
        for name in ("pipe", "link"):
            with pytest.raises(OSError, match=f"a device or pipe was given.*{name}"):
                write(tmp_path / name)
    for read in (compiler.load_pool, compiler.load):
        with pytest.raises(OSError, match="a device or pipe was given, but a file is read"):
            read(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]


@pytest.mark.skipif(os.name != "posix", reason="files have other permissions there")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755, 0o444])
def test_a_file_that_is_replaced_keeps_its_permissions(
    mode: int, byte_vocabulary: mw.Vocabulary, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "file").chmod(mode)
    (tmp_path / "link").symlink_to("file")
    compiler = mw.Compiler(byte_vocabulary)
    for write in (compiler.save_pool, compiler.compile(mw.Grammar.regex("a")).save):
        for name in ("file", "link"):
            write(tmp_path / name)
            assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == mode
    assert (tmp_path / "link").is_symlink()
    assert compiler.load(tmp_path / "link").matcher().allowed_bytes() == b"a"


@pytest.mark.skipif(os.name != "posix", reason="there is no umask")
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_usual_permissions(
    umask: int, byte_vocabulary: mw.Vocabulary, tmp_path: Path
) -> None:
    before = os.umask(umask)
    try:
        mw.Compiler(byte_vocabulary).save_pool(tmp_path / "file")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o666 & ~umask


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root may give files away")
def test_a_file_that_is_replaced_keeps_its_owner(byte_vocabulary: mw.Vocabulary, tmp_path: Path) -> None:
    (tmp_path / "file").touch(mode=0o600)
    os.chown(tmp_path / "file", 1234, 4321)
    mw.Compiler(byte_vocabulary).save_pool(tmp_path / "file")
    found = (tmp_path / "file").stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (1234, 4321, 0o600)


UNWRITABLE: list[tuple[str, type[OSError], str]] = [
    ("", FileNotFoundError, "the path is empty; give that of a file"),
    ("no/folder", FileNotFoundError, "No such file"),
    ("file/within", NotADirectoryError, "Not a directory"),
    ("new/", IsADirectoryError, "a folder was given"),
    ("x" * 300, OSError, "too long"),
    ("itself", OSError, "a link that leads back to itself was given"),
    ("one", OSError, "a link that leads back to itself was given"),
    ("itself/within", OSError, "symbolic links"),
    ("to-no-folder", FileNotFoundError, "No such file"),
]


@pytest.mark.skipif(os.name != "posix", reason="the system words it otherwise")
@pytest.mark.parametrize(
    ("name", "error", "message"), UNWRITABLE, ids=[name[:20] for name, _, _ in UNWRITABLE]
)
def test_what_cannot_be_written_is_told_by_the_path_that_was_given(
    name: str,
    error: type[OSError],
    message: str,
    byte_vocabulary: mw.Vocabulary,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    links = {"itself": "itself", "one": "other", "other": "one", "to-no-folder": "no/folder"}
    for link, target in links.items():
        Path(link).symlink_to(target)
    compiler = mw.Compiler(byte_vocabulary)
    for write in (compiler.save_pool, compiler.compile(mw.Grammar.regex("a")).save):
        with pytest.raises(error, match=message) as caught:
            write(name)
        assert (caught.value.filename, caught.value.filename2) == (name, None)
    assert {path.name for path in tmp_path.iterdir()} == {"file", *links}
    assert {link: os.readlink(link) for link in links} == links


@pytest.mark.parametrize("path", [".", "..", "/"])
def test_a_path_of_a_folder_is_no_file(
    path: str, byte_vocabulary: mw.Vocabulary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    compiler = mw.Compiler(byte_vocabulary)
    for write in (compiler.save_pool, compiler.compile(mw.Grammar.regex("a")).save):
        with pytest.raises(OSError, match=r"folder|directory|busy"):
            write(path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a" * 255, "\u00e9" * 127, "\u8a9e" * 85, "\U0001f600" * 63], ids=len)
def test_names_may_be_as_long_as_files_have_them(
    name: str, byte_vocabulary: mw.Vocabulary, tmp_path: Path
) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    compiler.save_pool(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_an_empty_path_is_not_the_folder_that_the_process_is_in(byte_vocabulary: mw.Vocabulary) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    for read in (compiler.load, compiler.load_pool):
        with pytest.raises(FileNotFoundError, match="the path is empty; give that of a file"):
            read("")


def test_what_cannot_be_loaded_leaves_the_pool_as_it_was(
    byte_vocabulary: mw.Vocabulary, tmp_path: Path
) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    masks_along(compiler.compile(mw.Grammar.json_schema(SCHEMA)).matcher(), TEXT, byte_vocabulary.size)
    compiler.save_pool(tmp_path / "pool")
    header = b'{"grammar": {"kind": "regex", "arguments": {"pattern": "("}}, "settings": %s}'
    settings = json.dumps(dataclasses.asdict(mw.Settings())).encode()
    fresh = mw.Compiler(byte_vocabulary)
    for fields in (b"{}", settings):
        (tmp_path / "forged").write_bytes(forged(header % fields, (tmp_path / "pool").read_bytes()))
        with pytest.raises(mw.MaskwrightError):
            fresh.load(tmp_path / "forged")
    assert fresh.pool_statistics().transitions == 0


def test_what_takes_too_much_to_compile_leaves_the_pool_as_it_was(
    byte_vocabulary: mw.Vocabulary, tmp_path: Path
) -> None:
    grammar = mw.Grammar.regex("[a-z]+x") + "y"
    mw.Compiler(byte_vocabulary).compile(grammar, warm="all").save(tmp_path / "saved")
    refused = 0
    for expressions in range(1, 40):
        compiler = mw.Compiler(byte_vocabulary, budget=mw.Budget(expressions=expressions))
        try:
            compiler.load(tmp_path / "saved")
        except mw.BudgetExceededError:
            refused += 1
            assert compiler.pool_statistics().transitions == 0
        else:
            assert compiler.pool_statistics().transitions > 0
    assert 0 < refused < 39
