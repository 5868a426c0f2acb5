"""Mutation tests: which small faults in the product do the tests catch?

A sample of mutants is drawn from the sources of ``--tree``; the same sources give the same mutants.
The tests run on each mutant until one fails, in copies of the tree below ``--work``. The results
are JSON Lines. A second run with the same results file continues where the first one ended.

A Python mutant is written into its copy, and the tests that cover its line run. All Cython mutants
are in one build: each changed expression checks a C variable, which is read from C4_MUTANT when the
module is loaded. Needs pytest-cov and pytest-xdist.
"""

import argparse
import ast
import copy
import hashlib
import importlib
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import tokenize
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tokenize import NAME, NUMBER, OP, STRING, TokenInfo

import pytest
from coverage import CoverageData

# Target: its sources, numbers of Python and Cython mutants, and the tests that run first.
SAMPLE = {
    "db/jobs": (["db/jobs/**/*.py"], 120, 0, ""),
    "workers/core": (["workers/core/**/*.py"], 80, 0, ""),
    "cli": (["cli/**/*.py"], 80, 0, ""),
    "web": (["web/**/*.py"], 80, 0, ""),
    "board": (["c4core/engine/board.p*"], 0, 40, ""),
    "bounds": (["c4core/engine/bounds.p*"], 0, 40, "bound"),
    "book": (["c4core/book/**/*.p*"], 25, 35, "book"),
}
PYTHON_TESTS = [f"tests/unit/{name}" for name in ("db", "workers", "cli", "web", "c4core/book")]
PYTHON_TESTS += ["tests/property"]
PYTHON_TESTS += [f"tests/integration/{name}" for name in ("cli", "db", "web", "workers")]
ENGINE_TESTS = ["tests/unit/c4core/test_*.py", "tests/unit/c4core/book"]
ENGINE_TESTS += [f"tests/property/*{subject}*" for subject in ("book", "position", "solver")]
MARKERS = "not servers and not postgres"
OPTIONS = ["-p", "no:randomly", "-p", "no:cacheprovider", "-m", MARKERS]
OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # for modules imported before pytest
PLUGIN = """
import os

def pytest_runtest_setup(item):
    item.user_properties += [("test", item.nodeid), ("seconds", -sum(os.times()[:4]))]

def pytest_runtest_teardown(item):
    item.user_properties[1] = ("seconds", item.user_properties[1][1] + sum(os.times()[:4]))
"""
HEADER = """
#include <stdlib.h>
static int c4_mutant_id;
__attribute__((constructor)) static void c4_read_mutant(void) {
    const char* text = getenv("C4_MUTANT");
    c4_mutant_id = text ? atoi(text) : 0;
}
"""
CIMPORT = "from c4core.c4_mutants cimport c4_mutant_id\n"
MEMORY = 12 << 30  # bytes of address space for a test process

NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
NEGATED |= {"and": "or", "or": "and"}
BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
SWAPPED = {"True": "False", "False": "True", "+": "-", "-": "+", "*": "+", "<<": ">>", ">>": "<<"}
CYTHON = NEGATED | SWAPPED | {"//": "*", "&": "|", "|": "&", "^": "|", "not": ""}
COMPARISONS = {
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}
OTHER_NAMES = {"and_": "or_", "or_": "and_", "min": "max", "max": "min", "is_": "is_not"}
OTHER_NAMES |= {"is_not": "is_", "any": "all", "all": "any", "desc": "asc"}
AUGMENTED = {"+=", "-=", "*=", "|=", "&=", "^=", "<<=", ">>=", "//="}


@dataclass(frozen=True)
class Mutant:
    """One fault: a new text from ``start`` to ``end``; None skips the statement."""

    target: str
    file: str
    line: int
    change: str
    start: int
    end: int
    text: str
    lines: tuple[int, ...] = ()  # of a Python mutant, to find the tests that cover it

    @property
    def is_cython(self) -> bool:
        return not self.file.endswith(".py")

    @property
    def id(self) -> str:
        name = f"{self.file}:{self.line}:{self.start}:{self.change}"
        return hashlib.sha256(name.encode()).hexdigest()[:8]


def sample(tree: Path) -> list[Mutant]:
    """Draw the mutants in an order whose every prefix is a sample of all targets."""
    drawn = []
    for target, (patterns, of_python, of_cython, _) in SAMPLE.items():
        chance = random.Random(target)
        files = sorted({file for pattern in patterns for file in tree.glob(pattern)})
        for suffixes, find, number in (
            ({".py"}, python_mutants, of_python),
            ({".pyx", ".pxd", ".pxi"}, cython_mutants, of_cython),
        ):
            found = [
                mutant
                for file in files
                if file.suffix in suffixes
                for mutant in find(target, str(file.relative_to(tree)), file.read_text())
            ]
            chosen = chance.sample(found, min(number, len(found)))
            drawn += [((k + 0.5) / len(chosen), mutant) for k, mutant in enumerate(chosen)]
    return [mutant for _, mutant in sorted(drawn, key=lambda pair: (pair[0], pair[1].id))]


def line_starts(source: str) -> list[int]:
    lines = source.splitlines(keepends=True)
    return [sum(map(len, lines[:row])) for row in range(len(lines) + 1)]


def python_mutants(target: str, file: str, source: str) -> Iterator[Mutant]:
    """All faults in the bodies of a module's functions."""
    begins = line_starts(source)
    for node, new, statement in _sites(ast.parse(source), None):
        last = node.end_lineno or node.lineno
        places = [(node.lineno, node.col_offset), (last, node.end_col_offset or 0)]
        start, end = (begins[row - 1] + column for row, column in places)  # the sources are ASCII
        text = ast.unparse(new)
        change = f"{ast.unparse(node)} -> {text}"
        text = f"({text})" if isinstance(new, ast.expr) else text
        lines = tuple(range(statement.lineno, last + 1))
        yield Mutant(target, file, node.lineno, change, start, end, text, lines)


def _sites(node: ast.AST, statement: ast.stmt | None) -> Iterator[tuple]:
    """Yield each possible change and its statement (None outside functions)."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        for child in node.body:
            yield from _sites(child, child)
        return
    if isinstance(node, (ast.JoinedStr, ast.Assert)):
        return
    if statement is not None:
        statement = node if isinstance(node, ast.stmt) else statement
        yield from ((node, new, statement) for new in _changes(node))
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            yield node.test, ast.UnaryOp(ast.Not(), node.test), statement
    for child in ast.iter_child_nodes(node):
        if child is not getattr(node, "annotation", None):
            yield from _sites(child, statement)


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(left, [op], right):
            yield from (ast.Compare(left, [other()], right) for other in COMPARISONS[type(op)])
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value)):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
            yield ast.BinOp(left, ast.Sub() if isinstance(op, ast.Add) else ast.Add(), right)
        case ast.Return(value) if value is not None and ast.unparse(value) != "None":
            yield ast.Return(ast.Constant(None))
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Raise():
            yield ast.Pass()
        case ast.Call(func, args, keywords):
            yield from _other_calls(func, args, keywords)


def _other_calls(func: ast.expr, args: list, keywords: list) -> Iterator[ast.Call]:
    field = "id" if isinstance(func, ast.Name) else "attr"
    name = getattr(func, field, "")
    if name in OTHER_NAMES:
        other = copy.copy(func)
        setattr(other, field, OTHER_NAMES[name])
        yield ast.Call(other, args, keywords)
    if name in {"where", "and_", "or_", "order_by"} and len(args) > 1:
        yield from (ast.Call(func, args[:k] + args[k + 1 :], keywords) for k in range(len(args)))
    if name in {"values", "replace", "where"} and len(keywords) > 1:
        yield from (
            ast.Call(func, args, keywords[:k] + keywords[k + 1 :]) for k in range(len(keywords))
        )


def cython_mutants(target: str, file: str, source: str) -> Iterator[Mutant]:
    """All faults in the bodies of a Cython module's functions."""
    begins = line_starts(source)
    outside: int | None = None  # column of the enclosing function's head
    for tokens in _logical_lines(source):
        line, column = tokens[0].start
        if outside is not None and column <= outside:
            outside = None
        if _is_function(tokens):
            outside = column if outside is None else outside
            continue
        if outside is None or (tokens[0].type == STRING and len(tokens) == 1):
            continue
        if _can_be_skipped(tokens):
            text = " ".join(token.string for token in tokens)
            start = begins[line - 1] + column
            yield Mutant(target, file, line, f"{text} -> pass", start, start, "")
        for part in _expressions(tokens):
            places = part[0].start, part[-1].end
            start, end = (begins[row - 1] + column for row, column in places)
            words = [token.string for token in part]
            for k, other in _other_tokens(part):
                new = " ".join([*words[:k], other, *words[k + 1 :]])
                row, column = part[k].start
                change = f"{' '.join(words)} -> {new} [{column}]"
                yield Mutant(target, file, row, change, start, end, new)


def _logical_lines(source: str) -> Iterator[list[TokenInfo]]:
    tokens: list[TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NEWLINE:
            yield tokens
            tokens = []
        elif token.type in {NAME, NUMBER, OP, STRING, tokenize.ERRORTOKEN} and token.string.strip():
            tokens.append(token)


def _is_function(tokens: list[TokenInfo]) -> bool:
    words = {token.string for token in tokens}
    starts = tokens[0].string in {"def", "cdef", "cpdef"} and tokens[-1].string == ":"
    return starts and "(" in words and not words & {"class", "struct", "enum", "extern"}


def _can_be_skipped(tokens: list[TokenInfo]) -> bool:
    """Whether the statement is a call, an augmented assignment, or a jump out of a loop."""
    parts = _split(tokens, AUGMENTED | {"="})
    is_call = len(parts) == 1 and tokens[0].type == NAME and tokens[-1].string == ")"
    is_augmented = len(parts) > 1 and any(token.string in AUGMENTED for token in tokens)
    is_step = tokens[0].string in {"break", "continue", "raise"}
    kept = {"cdef", "return", "if", "for", "while", "with", "del", "yield", "import", "from"}
    return tokens[0].string not in kept and (is_call or is_augmented or is_step)


def _split(tokens: list[TokenInfo], separators: set[str]) -> list[list[TokenInfo]]:
    """Split at separators that are not in brackets; no part is empty."""
    parts: list[list[TokenInfo]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.string in {"(", "[", "{"}) - (token.string in {")", "]", "}"})
        if depth == 0 and token.string in separators:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def _expressions(tokens: list[TokenInfo]) -> list[list[TokenInfo]]:
    """The expressions of a logical line that can be replaced as a whole."""
    words = [token.string for token in tokens]
    if words[0] in {"if", "elif", "while"}:
        found = [tokens[1:-1]]
    elif words[0] == "return":
        found = _split(tokens[1:], {","})
    elif words[0] == "for" and "range" in words and words[-2] == ")":
        found = _split(tokens[words.index("range") + 2 : -2], {","})[:2]
    elif words[0] == "cdef":
        pieces = [_split(piece, {"="}) for piece in _split(tokens, {","})]
        found = [piece[1] for piece in pieces if len(piece) > 1]
    elif words[0] not in {"for", "with", "try", "except", "else", "finally", "yield", "import"}:
        pieces = _split(tokens, AUGMENTED | {"="})
        found = _split(pieces[-1], {","}) if len(pieces) > 1 else []
    else:
        found = []
    return [part for part in found if part and part[0].string != "["]


def _other_tokens(part: list[TokenInfo]) -> Iterator[tuple[int, str]]:
    """The possible replacements of one token of an expression."""
    words = ["", *(token.string for token in part), ""]
    no_operand = {"and", "or", "not", "in", "is", "if", "else", "return", "lambda"}
    k = 0
    while k < len(part):
        token, before, after = part[k], words[k], words[k + 2]
        follows = before in {")", "]"} or (
            k > 0 and part[k - 1].type in {NAME, NUMBER, STRING} and before not in no_operand
        )
        if token.string == "<" and not follows:  # a cast
            k = words.index(">", k + 1)
            continue
        if token.type == NUMBER and token.string.isdecimal() and (before, after) != ("[", "]"):
            yield k, str(int(token.string) + 1)
            yield k, f"({int(token.string) - 1})"
        elif (token.type == NAME or (follows and after != "&")) and token.string in CYTHON:
            yield k, CYTHON[token.string]
            if token.string in BOUNDARY:
                yield k, BOUNDARY[token.string]
        k += 1


def with_mutants(source: str, numbered: dict[int, Mutant]) -> str:
    """Build a module in which C4_MUTANT selects one mutant or none."""
    by_place = defaultdict(list)
    for number, mutant in numbered.items():
        by_place[mutant.start, mutant.end].append((number, mutant.text))
    for (start, end), choices in sorted(by_place.items(), reverse=True):
        text = f"if c4_mutant_id != {choices[0][0]}: "
        if start != end:
            original = source[start:end]
            if source[:start].endswith(("if ", "while ")):  # its parts may have several C types
                parts = [f"(c4_mutant_id == {k} and ({text}))" for k, text in choices]
                none = " and ".join(f"c4_mutant_id != {k}" for k, _ in choices)
                text = " or ".join([*parts, f"({none} and ({original}))"])
            else:
                others = "".join(f"({text}) if c4_mutant_id == {k} else " for k, text in choices)
                text = f"({others}({original}))"
        source = source[:start] + text + source[end:]
    if source.startswith('"""'):
        code = source.index('"""', 3) + 4
    else:  # an included file begins with comments
        code = next(re.finditer(r"^(?!#)", source, re.MULTILINE)).start()
    return source[:code] + CIMPORT + source[code:]


def copy_tree(tree: Path, place: Path) -> Path:
    """Copy the sources and the compiled modules, once."""
    if not place.exists():
        unwanted = shutil.ignore_patterns(
            ".git", ".venv", "build", "dist", "__pycache__", ".[hmpr]*_cache"
        )
        shutil.copytree(tree, place.with_suffix(".part"), ignore=unwanted)
        place.with_suffix(".part").rename(place)
    return place


def build_engine(tree: Path, mutants: list[Mutant]) -> None:
    """Compile a copy with all Cython mutants in it, once."""
    if (tree / "built").exists():
        return
    declaration = 'cdef extern from "c4_mutants.h" nogil:\n    int c4_mutant_id\n'
    (tree / "c4core/c4_mutants.h").write_text(HEADER)
    (tree / "c4core/c4_mutants.pxd").write_text(declaration)
    by_file = defaultdict(dict)
    for number, mutant in enumerate(mutants, 1):
        if mutant.is_cython:
            by_file[mutant.file][number] = mutant
    for file, numbered in by_file.items():
        (tree / file).write_text(with_mutants((tree / file).read_text(), numbered))
    setup = tree / "setup.py"
    setup.write_text(setup.read_text().replace('"-O3"', '"-O1"'))  # halves the compile time
    build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace", "--force"]
    subprocess.run(build, cwd=tree, env=environment(tree), check=True)
    (tree / "built").touch()


def environment(tree: Path, mutant: int = 0) -> dict[str, str]:
    """The environment of the tests. With CI set, Hypothesis always tries the same examples."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("C4_")}
    return kept | {"PYTHONPATH": str(tree), "CI": "true", "C4_MUTANT": str(mutant)}


def measure(tree: Path, tests: list[str], *options: str) -> dict[str, float]:
    """Run the tests without a mutant; return the processor seconds of each test that passed."""
    seconds = tree / "seconds.json"
    if not seconds.exists():
        (tree / "c4_seconds.py").write_text(PLUGIN)
        report = tree / "report.xml"
        command = [sys.executable, "-m", "pytest", "-n2", "-q", *OPTIONS, "-p", "c4_seconds"]
        command += [f"--junitxml={report}", "-o", "junit_family=xunit1", *options]
        command += [
            str(path.relative_to(tree)) for test in tests for path in sorted(tree.glob(test))
        ]
        subprocess.run(command, cwd=tree, env=environment(tree), check=False)
        found = {}
        for case in ET.parse(report).iter("testcase"):  # noqa: S314 (our own)
            if not {"failure", "error", "skipped"} & {child.tag for child in case}:
                given = {it.get("name"): it.get("value", "") for it in case.iter("property")}
                found[given["test"]] = round(float(given["seconds"]), 3)
        seconds.write_text(json.dumps(found))
    return json.loads(seconds.read_text())


def covering(tree: Path) -> dict[str, dict[int, set[str]]]:
    """The tests that run each line, by file and line."""
    data = CoverageData(str(tree / ".coverage"))
    data.read()
    return {
        str(Path(file).relative_to(tree)): {
            line: {name.rpartition("|")[0] for name in names}
            for line, names in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }


def choose(
    tests: set[str], seconds: dict[str, float], budget: float, first: str
) -> dict[str, float]:
    """The quickest tests within the budget; tests with ``first`` in their name come first."""
    chosen, total = {}, 0.0
    for test in sorted(tests & seconds.keys(), key=lambda it: (first not in it, seconds[it], it)):
        if total + seconds[test] <= budget or not chosen:
            total += seconds[test]
            chosen[test] = seconds[test]
    return chosen


def find_tests(
    engine: Path, plain: Path, given: argparse.Namespace
) -> Callable[[Mutant], dict[str, float]]:
    """Measure the tests; return a function that chooses the tests for a mutant."""
    packages = [
        f"--cov={name}" for name in ("db/jobs", "workers/core", "cli", "web", "c4core/book")
    ]
    options = [*packages, "--cov-context=test", "--cov-report="]
    seconds = measure(plain, given.python_tests, *options)
    lines = covering(plain)
    engine_seconds = measure(engine, given.engine_tests)

    def tests_of(mutant: Mutant) -> dict[str, float]:
        first = SAMPLE[mutant.target][3]
        if mutant.is_cython:
            return choose(set(engine_seconds), engine_seconds, given.budget, first)
        covers = (lines.get(mutant.file, {}).get(line, set()) for line in mutant.lines)
        return choose(set().union(*covers), seconds, given.budget, first)

    return tests_of


def read_results(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


class Chosen:
    """A pytest plugin that runs the chosen tests in order and reports a failing one."""

    def __init__(self, tests: list[str]) -> None:
        self.places = {test: place for place, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self.places]
        items.sort(key=lambda item: self.places[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            sys.stdout.write(f"\nCAUGHT BY {report.nodeid}\n")


class Trial:
    """The tests of one mutant, in a fork of this process."""

    def __init__(self, tree: Path, number: int, mutant: Mutant, tests: dict[str, float]) -> None:
        self.tree, self.mutant, self.tests = tree, mutant, tests
        self.output, self.source = tree / f"output-{mutant.id}", tree / mutant.file
        self.start = time.monotonic()
        seconds = sum(tests.values())
        self.end = self.start + 60 + 30 * seconds  # other programs may use most of the machine
        self.original = self.source.read_text()
        if not mutant.is_cython:
            changed = self.original[: mutant.start] + mutant.text + self.original[mutant.end :]
            self.source.write_text(changed)
            for compiled in self.source.parent.glob(f"__pycache__/{self.source.stem}.*"):
                compiled.unlink()  # another mutant's, perhaps of the same second and size
        sys.stdout.flush()
        self.process = os.fork()
        if self.process == 0:
            try:
                os._exit(self._run(number, int(max(15, 4 * seconds))))
            finally:
                os._exit(99)

    def _run(self, number: int, limit: int) -> int:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(self.output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        os.dup2(1, 2)
        sys.stdout = sys.stderr = os.fdopen(1, "w", buffering=1, closefd=False)
        os.chdir(self.tree)
        os.environ.clear()
        os.environ.update(environment(self.tree, number if self.mutant.is_cython else 0))
        for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
            del sys.modules[name]  # use the module in the copy
        sys.path.insert(0, str(self.tree))
        if not self.tests:
            return 0  # no test runs the line
        files = dict.fromkeys(test.partition("::")[0] for test in self.tests)
        return pytest.main(["-qx", "--tb=no", *OPTIONS, *files], plugins=[Chosen(list(self.tests))])

    def result(self) -> dict | None:
        """The result line, if the tests have ended."""
        late = time.monotonic() > self.end
        if late:
            os.killpg(self.process, signal.SIGKILL)
        ended, status = os.waitpid(self.process, 0 if late else os.WNOHANG)
        if not ended:
            return None
        if not self.mutant.is_cython:
            self.source.write_text(self.original)
        output = self.output.read_text(errors="replace")
        self.output.unlink()
        code = os.waitstatus_to_exitcode(status)
        by = re.search("^CAUGHT BY (.*)$", output, re.MULTILINE)
        is_over = -code in {signal.SIGKILL, signal.SIGXCPU}
        reason = "" if code == 0 else "time limit" if is_over else f"status {code}"
        return {
            "outcome": "survived" if code == 0 else "caught",
            "by": by[1] if by else reason,
            "seconds": round(time.monotonic() - self.start, 1),
        }


def table(results: list[dict]) -> str:
    """The number of mutants caught, by target."""
    lines = [f"{'target':14}{'mutants':>8}{'caught':>8}{'survived':>10}{'seconds':>9}"]
    for target in [*SAMPLE, "all"]:
        of_it = [result for result in results if target in {result["target"], "all"}]
        caught = sum(result["outcome"] == "caught" for result in of_it)
        seconds = sum(result["seconds"] for result in of_it)
        rest = len(of_it) - caught
        lines.append(f"{target:14}{len(of_it):8}{caught:8}{rest:10}{seconds:9.0f}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--tree", type=Path, default=Path(), help="the checkout, with compiled modules")
    add("--work", type=Path, default=Path("build/mutants"), help="where its copies are made")
    add("--results", type=Path, default=Path("build/mutants.jsonl"))
    add("--same-as", type=Path, help="only the mutants in these results")
    add("--python-tests", nargs="+", default=PYTHON_TESTS, help="patterns of paths in the tree")
    add("--engine-tests", nargs="+", default=ENGINE_TESTS, help="the same, for Cython mutants")
    add("--budget", type=float, default=20, help="processor seconds of tests for a mutant")
    add("--minutes", type=float, default=1e9, help="start no more mutants after this time")
    add("--processes", type=int, default=2)
    run(parser.parse_args())


def run(given: argparse.Namespace) -> None:
    """Try the mutants that have no result yet, several in parallel."""
    end = time.monotonic() + 60 * given.minutes
    mutants = sample(given.tree)
    numbers = {mutant.id: number for number, mutant in enumerate(mutants, 1)}
    given.work.mkdir(parents=True, exist_ok=True)
    work = given.work.resolve()
    engine = copy_tree(given.tree, work / "engine")
    copies = [copy_tree(given.tree, work / f"python-{k}") for k in range(given.processes)]
    for file in {mutant.file for mutant in mutants if not mutant.is_cython}:
        for place in copies:  # an interrupted run leaves its mutants
            shutil.copyfile(given.tree / file, place / file)
    build_engine(engine, mutants)
    tests_of = find_tests(engine, copies[0], given)
    if given.same_as:
        wanted = {result["id"] for result in read_results(given.same_as)}
        mutants = [mutant for mutant in mutants if mutant.id in wanted]
    known = {result["id"] for result in read_results(given.results)}
    waiting = [mutant for mutant in mutants if mutant.id not in known]
    os.environ["CI"] = "true"  # Hypothesis reads it when it is imported
    for name in ("hypothesis.stateful", "sqlalchemy.orm", "alembic", "celery", "numpy", "click"):
        importlib.import_module(name)  # modules without mutants, imported once for all forks
    trials: list[Trial] = []
    while trials or (waiting and time.monotonic() < end):
        if waiting and len(trials) < given.processes and time.monotonic() < end:
            mutant = waiting.pop(0)
            place = next(it for it in copies if it not in {trial.tree for trial in trials})
            tree = engine if mutant.is_cython else place
            trials.append(Trial(tree, numbers[mutant.id], mutant, tests_of(mutant)))
        time.sleep(0.1)
        for trial in list(trials):
            ending = trial.result()
            if ending is not None:
                trials.remove(trial)
                names = ("id", "target", "file", "line", "change")
                result = {name: getattr(trial.mutant, name) for name in names}
                with given.results.open("a") as file:
                    file.write(json.dumps(result | {"tests": len(trial.tests)} | ending) + "\n")
    ids = {mutant.id for mutant in mutants}
    sys.stdout.write(table([it for it in read_results(given.results) if it["id"] in ids]))


if __name__ == "__main__":
    main()
