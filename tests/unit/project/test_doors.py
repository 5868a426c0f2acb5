"""Nothing in the packages but what is named here could start something.

What strangers hand in starts nothing: ``tests/integration/test_trust.py`` tries that.
"""

import ast
import re

from tests.support.running.command_line import ROOT

DOORS = {
    "c4core/players/host.py": {"importlib", "runpy"},  # the code that the person has named
    "c4core/players/program.py": {"subprocess"},  # likewise; with consent
    "c4core/players/registry.py": {"importlib"},  # files of the roster
    "cli/shell/commands.py": {"importlib", "import_module"},  # commands, by a table in the code
    "cli/shell/signals.py": {"exec"},  # a constant
    "cli/worker/command.py": {"execv"},  # the same command line again
    "workers/core/kinds.py": {"importlib", "import_module"},  # kinds, by a table in the code
}

DANGEROUS = re.compile(
    r"subprocess|runpy|importlib|import_module|__import__|eval|exec|compile|execv\w*|spawn\w*|"
    r"system|popen|pickle|cPickle|marshal|shelve|dill|joblib|yaml|echo_via_pager|edit|launch|"
    r"webbrowser|load_extension|enable_load_extension|create_function"
)


def test_nothing_else_in_the_code_could_start_something() -> None:
    found: dict[str, set[str]] = {}
    for package in ("c4core", "db", "workers", "cli"):
        for path in sorted((ROOT / package).rglob("*.py")):
            names = dangerous_names(ast.parse(path.read_text()))
            if names:
                found[str(path.relative_to(ROOT))] = names
    assert found == DOORS


def dangerous_names(tree: ast.Module) -> set[str]:
    """What a module imports and calls that can run code which is not its own."""
    found: set[str] = set()
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(alias.name for alias in node.names)]
            if names[0].startswith("importlib.") or names == ["importlib", "resources"]:
                names = []  # data of a package
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                names = [node.func.id]
            elif isinstance(node.func, ast.Attribute):
                of = node.func.value
                # re.compile and table.compile are others; network.eval() is PyTorch's.
                if isinstance(of, ast.Name) and of.id in ("os", "click", "builtins", "connection"):
                    names = [node.func.attr]
        found |= {name.partition(".")[0] for name in names if DANGEROUS.fullmatch(name)}
    return found
