"""The house checks itself: layers, exports, stubs, documentation examples, words and sizes."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import scrubjay
from scrubjay import _core, kernels
from scrubjay.errors import MissingExtraError

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path(scrubjay.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
NATIVE = sorted((ROOT / "cpp").rglob("*.[ch]pp"))

RANKS: tuple[tuple[str, ...], ...] = (
    ("errors", "wordlist", "sets", "remembered", "shipped"),
    ("memory", "calendar", "files"),
    ("events", "_core"),
    ("matrix",),
    ("codes", "links", "passages", "terminal"),
    ("protocols", "columns", "isa"),
    ("kernels",),
    ("dynamics", "graph", "slots"),
    ("fold", "encode", "recall"),
    ("upkeep",),
    ("control", "importers", "migrate"),
    ("verbs",),
    ("facets",),
    ("memorystore",),
    ("aio",),
    ("__init__",),
    ("evaluate", "mcp", "render"),
    ("demo", "training"),
    ("commands",),
    ("commands_help", "commands_upkeep"),
    ("commands_learning",),
    ("cli",),
    ("__main__",),
)
"""From the lowest layer to the highest; a module imports only lower ones."""
ADAPTERS = ("store", "llm")
"""They see protocols and below, and only the facade and above see them."""
RANK = {name: rank for rank, names in enumerate(RANKS) for name in names}


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Layers of scrubjay that a module imports anywhere in it, by line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = (node.module or "").split(".")
            if node.level:
                yield node.lineno, "(relative)"
            elif module == ["scrubjay"]:
                yield from ((node.lineno, alias.name if alias.name in KNOWN else "__init__") for alias in node.names)
            elif module[0] == "scrubjay":
                yield node.lineno, module[1]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                if parts[0] == "scrubjay":
                    yield node.lineno, parts[1] if len(parts) > 1 else "__init__"


KNOWN = {layer(path) for path in SOURCES} | {"_core"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_module_imports_only_lower_layers(path: Path) -> None:
    own = layer(path)
    assert own in RANK or own in ADAPTERS, f"{own} has no rank: give it one in RANKS"
    for line, other in imported(ast.parse(path.read_text())):
        where = f"{path.relative_to(PACKAGE)}:{line} imports {other}"
        if other == own:
            continue
        assert other in RANK or other in ADAPTERS, where
        if own in ADAPTERS:
            assert RANK.get(other, len(RANKS)) <= RANK["protocols"], where
        elif other in ADAPTERS:
            assert RANK[own] >= RANK["verbs"], where
        else:
            assert RANK[other] < RANK[own] or own == "__init__", where


def names_bound(tree: ast.Module) -> set[str]:
    """Public names that a package binds by importing them, TYPE_CHECKING blocks included."""
    names: set[str] = set()
    blocks = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.If))]
    for node in (node for block in blocks for node in block):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "scrubjay":
            names |= {alias.asname or alias.name for alias in node.names}
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("path", [p for p in SOURCES if p.name == "__init__.py"], ids=lambda p: p.parent.name)
def test_exports_are_what_a_package_imports(path: Path) -> None:
    tree = ast.parse(path.read_text())
    bound = names_bound(tree)
    name = ".".join(("scrubjay", *path.parent.relative_to(PACKAGE).parts))
    module = importlib.import_module(name)
    exports = getattr(module, "__all__", [])
    assert {n for n in exports if not n.startswith("__")} >= bound, "imported but not exported"
    assert len(set(exports)) == len(exports)
    for export in exports:
        assert hasattr(module, export), export


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_every_name_of_all_is_there_and_every_module_says_what_it_is(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree), "a module without a docstring"
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            private = path.name in ("commands.py", "commands_learning.py", "commands_upkeep.py", "__main__.py")
            assert private or ast.get_docstring(node), f"{node.name} has no docstring"


def signature(doc: str) -> tuple[list[tuple[str, bool, bool]], bool]:
    """Of a native docstring: (name, keyword only, has default) of each parameter, and whether it takes any other."""
    text = doc.strip().splitlines()[0]
    tree = ast.parse(f"def {text[: text.rindex('->')].strip()}: ...")
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    return parameters(function), function.args.kwarg is not None


def parameters(function: ast.FunctionDef) -> list[tuple[str, bool, bool]]:
    given = function.args
    optional = len(given.args) - len(given.defaults)
    plain = [(a.arg, False, i >= optional) for i, a in enumerate(given.args)]
    named = [(a.arg, True, d is not None) for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    return [p for p in plain + named if p[0] != "self"]


STUBS = ast.parse((PACKAGE / "_core.pyi").read_text())


def stubbed(body: list[ast.stmt]) -> dict[str, list[ast.FunctionDef]]:
    functions: dict[str, list[ast.FunctionDef]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            functions.setdefault(node.name, []).append(node)
    return functions


def public(thing: object) -> set[str]:
    return {name for name in vars(thing) if not name.startswith("_")}


def check_function(native: object, stubs: list[ast.FunctionDef], name: str) -> None:
    got, others = signature(str(native.__doc__).replace("Optional[", "("))
    for stub in stubs:
        wanted = parameters(stub)
        missing = [p for p in got if p[0] not in {q[0] for q in wanted}]
        assert all(p[2] for p in missing), f"{name}: the stub lacks {missing}"
        extra = [p[0] for p in wanted if p[0] not in {q[0] for q in got}]
        assert others or not extra, f"{name}: the stub invents {extra}"
        order = [p[:2] for p in wanted if p[0] in {q[0] for q in got}]
        assert order == [p[:2] for p in got if p not in missing], name
    if len(stubs) == 1:
        assert [p for p in parameters(stubs[0]) if p in got] == got, f"{name}: defaults differ"


def test_stubs_match_the_native_module() -> None:
    functions = stubbed(STUBS.body)
    classes = {node.name: node for node in STUBS.body if isinstance(node, ast.ClassDef)}
    assert public(_core) == set(functions) | set(classes)
    for name, stubs in functions.items():
        check_function(getattr(_core, name), stubs, name)
    for name, node in classes.items():
        native = getattr(_core, name)
        methods = stubbed(node.body)
        assert public(native) == set(methods) - {"__init__"}, name
        for method, stubs in methods.items():
            if not isinstance(inspect.getattr_static(native, method), property):
                check_function(getattr(native, method), stubs, f"{name}.{method}")


INNER = ("isa_available", "isa_active", "isa_use", "probe_read", "probe_peak", "Region", "arm", "nearest")
"""What scrubjay.isa, scrubjay.matrix, scrubjay.recall.lists and the benchmarks use; every other one is public in
scrubjay.kernels."""


def test_every_native_kernel_is_public_and_documented() -> None:
    assert public(_core) - set(INNER) <= set(kernels.__all__)
    for name in kernels.__all__:
        thing = getattr(kernels, name)
        if not inspect.isfunction(thing):
            continue
        doc = thing.__doc__ or ""
        parts = ["Args:", "Returns:", "Raises:", ">>> "] + (["Source:"] if name not in ("view", "record_batch") else [])
        assert [part for part in parts if part not in doc] == [], name
        for parameter in inspect.signature(thing).parameters:
            told = re.search(rf"\b{parameter}\b", doc) or "...: as in" in doc or parameter == "threads"
            assert told, f"{name} does not speak of {parameter}"


def modules() -> list[str]:
    names = []
    for path in SOURCES:
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if parts[-1:] != ("__main__",):
            names.append(".".join(("scrubjay", *parts)))
    return names


@pytest.mark.parametrize("name", modules())
def test_documentation_examples_run(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except MissingExtraError as error:
        pytest.skip(str(error))
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).failed == 0


@pytest.mark.parametrize("path", sorted(ROOT.glob("*.md")), ids=lambda p: p.name)
def test_examples_of_the_readme_run(path: Path) -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testfile(str(path), module_relative=False, optionflags=flags).failed == 0


FORBIDDEN = {
    "unfinished work": r"\b(TODO|FIXME|XXX|HACK)\b|future work",
    "a path of one machine": r"(?<![\w.])/(tmp|home|root|work)/",
    "fast mathematics": r"-ffast-math|-Ofast|-march=native",
    "unsafe loading": r"pickle\.(load|Unpickler)|allow_pickle=True|\bmarshal\.|yaml\.load\(",
}
TEXT = {".py", ".pyi", ".hpp", ".cpp", ".toml", ".md", ".txt", ".cfg"}


def tracked() -> list[Path]:
    """Files that belong to the project: those in version control, or all where there is none."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return [ROOT / line for line in listed.stdout.splitlines()]
    folders = [ROOT / name for name in ("cpp", "python", "tests", "bench")]
    return [path for folder in folders for path in folder.rglob("*") if "__pycache__" not in path.parts]


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_forbidden_words(what: str) -> None:
    found = []
    for path in tracked():
        if path.suffix in TEXT and path.is_file() and path != Path(__file__).resolve():
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if re.search(FORBIDDEN[what], line) and not (what == "unsafe loading" and "tests" in path.parts):
                    found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}")
    assert found == []


ABOUT_ARGUMENTS = ("ArgumentError", "ArgumentTypeError", "DimensionError", "MemoryNotFoundError")


def plain_reprs(tree: ast.AST) -> list[tuple[int, str]]:
    """Line and words of each value that a message about an argument shows by its own repr."""
    raised = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") in ABOUT_ARGUMENTS]
    held = [n for call in raised for n in ast.walk(call) if isinstance(n, ast.FormattedValue)]
    return [(n.lineno, ast.unparse(n.value)) for n in held if n.conversion == ord("r")]


def test_messages_about_arguments_cut_the_values_that_they_show() -> None:
    """`{value!r}` walks whatever it is given: `errors.shown` does not."""
    assert plain_reprs(ast.parse("raise ArgumentError(f'{k!r:.40}')")) == [(1, "k")]
    found = [(path.name, *one) for path in SOURCES for one in plain_reprs(ast.parse(path.read_text()))]
    assert [f for f in found if not re.fullmatch(r"FORMAT|self\._labels|to_text\(bytes\(16\)\)", f[2])] == []


@pytest.mark.parametrize("path", SOURCES + NATIVE, ids=lambda p: p.name)
def test_a_file_stays_small(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 500


CLOCKS = re.compile(r"\btime\.(time|time_ns|monotonic|perf_counter)\(|\bdatetime\.(now|utcnow|today)\(|\bdate\.today\(")


@pytest.mark.parametrize(
    "path", [p for p in SOURCES if RANK.get(layer(p), 0) < RANK["verbs"]], ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_no_wall_clock_below_the_facade(path: Path) -> None:
    """`now` is an argument; store/ may wait for a lock by a clock, but dates nothing by it."""
    if layer(path) not in ADAPTERS:
        assert CLOCKS.findall(path.read_text()) == []


KERNELS = [p for p in NATIVE if p.relative_to(ROOT / "cpp").parts[0] in ("kernels", "lanes", "isa")]
STD = re.compile(r"\bstd::(?!u?int\d+_t\b|uintptr_t\b|size_t\b|ptrdiff_t\b)\w+")


@pytest.mark.parametrize("path", KERNELS, ids=lambda p: str(p.relative_to(ROOT / "cpp")))
def test_kernels_call_nothing_that_the_linker_could_share(path: Path) -> None:
    """A std function compiled for a wide instruction set could be kept for code that runs everywhere."""
    code = re.sub(r"//[^\n]*", "", path.read_text())
    assert STD.findall(code) == []
    assert re.findall(r"\b(new|throw|try|malloc|free|thread|pybind11)\b", code) == []


@pytest.mark.parametrize("path", [p for p in KERNELS if p.parts[-3] == "kernels"], ids=lambda p: p.name)
def test_a_kernel_says_what_it_computes(path: Path) -> None:
    assert path.read_text().startswith("// ")
    assert "#pragma once" in path.read_text()


def test_subnormal_numbers_survive_our_import() -> None:
    code = "import scrubjay._core, numpy as np; x = np.float32(1e-40); print(x * np.float32(0.5) > 0, 5e-324 > 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    assert done.stdout.split() == ["True", "True"]
