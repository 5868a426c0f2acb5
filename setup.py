"""Builds the Cython extensions; everything else about the project is in pyproject.toml.

Build flags, read from the environment:

``C4_DEBUG_BUILD=1``
    bounds checks, assertions and the undefined-behaviour sanitizer, for tests; slow.
``C4_ANNOTATE=1``
    write Cython's annotated C report beside the generated C (``build/cython``).
"""

from __future__ import annotations

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

PACKAGES = ["c4core", "cli", "db", "db.migrations", "db.migrations.versions", "workers"]
DEBUG = os.environ.get("C4_DEBUG_BUILD") == "1"
ANNOTATE = os.environ.get("C4_ANNOTATE") == "1"

SANITIZE = ["-fsanitize=undefined", "-fno-sanitize-recover=undefined"]
COMPILE_ARGS = ["-O1", "-g", "-UNDEBUG", *SANITIZE] if DEBUG else ["-O3", "-DNDEBUG"]
LINK_ARGS = SANITIZE if DEBUG else []


class BuildExt(build_ext):
    """``build_ext`` that leaves the built modules in the source tree as well.

    The checkout is importable in every way of installing (its packages lie at the top level), so
    a normal build that kept the modules in ``build/`` only would be shadowed by sources without
    them.
    """

    def run(self) -> None:
        """Build, then copy the modules beside their sources, in a checkout only."""
        super().run()
        if not self.inplace and Path(".git").exists():
            self.copy_extensions_to_source()


def extensions() -> list[Extension]:
    """One extension module for each ``.pyx`` file of the engine."""
    return [
        Extension(
            f"c4core.{source.stem}",
            [str(source)],
            depends=[str(path) for path in sorted(Path("c4core").glob("*.pxd"))]
            + [str(path) for path in sorted(Path("c4core").glob("*.h"))],
            include_dirs=["c4core"],
            extra_compile_args=COMPILE_ARGS,
            extra_link_args=LINK_ARGS,
        )
        for source in sorted(Path("c4core").glob("*.pyx"))
    ]


setup(
    packages=PACKAGES,
    ext_modules=cythonize(
        extensions(),
        build_dir="build/cython",
        annotate=ANNOTATE,
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "wraparound": False,
            "initializedcheck": DEBUG,
            "cdivision": True,
            "embedsignature": True,
        },
    ),
    cmdclass={"build_ext": BuildExt},
)
