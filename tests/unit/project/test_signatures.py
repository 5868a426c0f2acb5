"""Signatures of compiled modules agree with their stubs: names, kinds and defaults."""

import ast
import importlib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import c4core

ROOT = Path(c4core.__file__).parents[1]
STUBS = sorted((ROOT / "c4core").rglob("*.pyi"))

Parameters = list[tuple[str, str, object]]
Function = ast.FunctionDef | ast.AsyncFunctionDef


def stubbed(function: Function, *, bound: bool) -> Parameters:
    """The parameters of a function in a stub, without ``self`` or ``cls``."""
    arguments = function.args
    ordered = [*arguments.posonlyargs, *arguments.args]
    missing = [inspect.Parameter.empty] * (len(ordered) - len(arguments.defaults))
    defaults = [*missing, *map(ast.literal_eval, arguments.defaults)]
    found = [
        (argument.arg, "POSITIONAL_OR_KEYWORD", default)
        for argument, default in zip(ordered, defaults, strict=True)
    ]
    if bound:
        del found[0]
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        value = inspect.Parameter.empty if default is None else ast.literal_eval(default)
        found.append((argument.arg, "KEYWORD_ONLY", value))
    return found


def shown(call: Callable[..., Any], *, bound: bool) -> Parameters:
    """The parameters that :func:`inspect.signature` shows."""
    parameters = list(inspect.signature(call).parameters.values())
    return [
        (parameter.name, parameter.kind.name, parameter.default)
        for parameter in parameters[1 if bound else 0 :]
    ]


def calls(stub: Path) -> Iterator[tuple[str, Parameters, Parameters]]:
    """Every public call of a module: its name, its parameters in the stub and at run time."""
    name = ".".join(stub.relative_to(ROOT).with_suffix("").parts)
    module = importlib.import_module(name)
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, Function):
            yield (
                node.name,
                stubbed(node, bound=False),
                shown(getattr(module, node.name), bound=False),
            )
        if not isinstance(node, ast.ClassDef):
            continue
        kind = getattr(module, node.name)
        for member in node.body:
            if not isinstance(member, Function):
                continue
            decorators = {ast.unparse(decorator) for decorator in member.decorator_list}
            where = f"{node.name}.{member.name}"
            if member.name in ("__init__", "__new__"):
                yield where, stubbed(member, bound=True), shown(kind, bound=False)
            elif not member.name.startswith("_") and "property" not in decorators:
                call = getattr(kind, member.name)
                is_bound = "staticmethod" not in decorators
                hides = is_bound and "classmethod" not in decorators
                yield where, stubbed(member, bound=is_bound), shown(call, bound=hides)


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.stem)
def test_signatures_agree_with_the_stubs(stub: Path) -> None:
    for name, expected, found in calls(stub):
        assert found == expected, name


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.stem)
def test_public_names_agree_with_the_stubs(stub: Path) -> None:
    name = ".".join(stub.relative_to(ROOT).with_suffix("").parts)
    module = importlib.import_module(name)
    tree = ast.parse(stub.read_text())
    stubs = {node.name for node in tree.body if isinstance(node, Function | ast.ClassDef)}
    made_here = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and callable(value) and value.__module__ == module.__name__
    }
    assert made_here <= stubs <= set(vars(module))


@pytest.mark.parametrize("name", sorted({*c4core.__all__} - {"C4Error"}))  # users do not raise it
def test_exported_callables_have_signatures(name: str) -> None:
    value = getattr(c4core, name)
    if callable(value):
        assert inspect.signature(value) is not None
        assert inspect.getdoc(value)


def test_help_starts_with_the_signature() -> None:
    assert str(inspect.signature(c4core.Position)) == "(moves='', *, width=7, height=6)"
    assert str(inspect.signature(c4core.Solver)) == "(*, table_mb=8, threads=1, book=None)"
    assert (inspect.getdoc(c4core.Position) or "").startswith("A Connect Four position.")
