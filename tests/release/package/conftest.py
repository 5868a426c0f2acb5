"""The wheel in its own environment."""

from pathlib import Path

import pytest

from tests.support.running.environments import Environment, named_wheel


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel and its dependencies, which tests do not change."""
    directory = tmp_path_factory.mktemp("plain")
    return Environment.make(directory / "environment", directory, named_wheel())


@pytest.fixture
def installed(plain: Environment, tmp_path: Path) -> Environment:
    """The same, to work in."""
    return Environment(plain.path, tmp_path)


@pytest.fixture
def fresh(plain: Environment, tmp_path: Path) -> Environment:
    """The same, to install into."""
    return plain.copy(tmp_path / "environment", tmp_path)
