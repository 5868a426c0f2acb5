"""Build the Cython extensions; everything else about the project is in pyproject.toml.

These environment variables set build flags:

``C4_DEBUG_BUILD=1``
    bounds checks, assertions, and the address and undefined-behaviour sanitizers, for tests; slow.
    Start Python with the address sanitizer's library in ``LD_PRELOAD``, as ``make sanitize`` does.
``C4_ANNOTATE=1``
    write Cython's annotated C report next to the generated C (``build/cython``).
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

# Other packages in the checkout (tests, benchmarks) are not installed.
NAMES = ("c4core", "cli", "db", "web", "workers")
PACKAGES = find_packages(include=[pattern for name in NAMES for pattern in (name, f"{name}.*")])

DEBUG = os.environ.get("C4_DEBUG_BUILD") == "1"
ANNOTATE = os.environ.get("C4_ANNOTATE") == "1"

SANITIZE = [
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=undefined",
    "-fno-omit-frame-pointer",
]
COMPILE_ARGS = ["-O1", "-g", "-UNDEBUG", *SANITIZE] if DEBUG else ["-DNDEBUG", "-g0"]
COMPILE_ARGS += ["-Wno-unused-function"]  # kernels need only parts of the files that they include
LINK_ARGS = SANITIZE if DEBUG else []

# Cython's code for typed memoryviews. Compiling it once, not in every module, cuts the build time
# to a third.
SHARED = Extension(
    name="c4core._cyutility",
    sources=["c4core/_cyutility.c"],  # written by Cython, below build/cython
    extra_compile_args=[*COMPILE_ARGS, *([] if DEBUG else ["-O1"])],
    extra_link_args=LINK_ARGS,
    depends=["setup.py"],
)

# Kernels for newer processors, chosen at run time (c4core/engine/kernel.pyx).
ON_X86_64 = sysconfig.get_platform().endswith(("x86_64", "amd64"))
X86_V3 = ["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"]
VARIANT_ARGS = {
    "x86_v3": X86_V3,
    "x86_v3_pext": [*X86_V3, "-DC4_PEXT"],
    "wide_x86_v3": X86_V3,
    "wide_x86_v3_pext": [*X86_V3, "-DC4_PEXT"],
}

# Modules whose bitboards have 128 bits (c4core/engine/word.h); others are for narrow boards.
WIDE = (
    "c4core.engine.kernel",
    "c4core.engine.wide",
    "c4core.engine.wide_x86_v3",
    "c4core.engine.wide_x86_v3_pext",
    "c4core.players.wide.blog",
    "c4core.players.wide.heuristics",
    "c4core.players.wide.minimax",
    "c4core.players.wide.playouts",
    "c4core.position",
    "c4core.solver",
)

# These loop over a position's few moves; vectorization costs more than it saves.
SHORT_LOOPS = ("portable", "wide", *VARIANT_ARGS)

# The results of this model must be equal to the last bit on every processor: no fused multiply-add.
EXACT_FLOATS = ("residual",)

# Compiling takes most of the build time. -O3 pays off in the search and in loops of players.
# With -O2, the modules that Python programs call were measured to be as fast.
# -O1 is enough for code that runs once per command, or that waits for searches.
O3_FOLDERS = ("counting", "engine", "players")
O1_MODULES = ["kernel", "widths"]

# A network's sums stay in registers only if short loops are unrolled completely. With these two
# options of -O3, -O2 was measured to be as fast, and it compiles in two thirds of the time.
MODEL_ARGS = ["-O2", "-fpeel-loops", "-funswitch-loops"]


BUILT = f"build/lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
"""The folder of the last build; modules with newer sources are compiled again."""


class BuildExt(build_ext):
    """``build_ext`` that also copies the built modules into the source tree.

    The packages at the top level of the checkout are always importable. If the modules were only in
    ``build/``, the sources without modules would shadow them.
    """

    def finalize_options(self) -> None:
        """Compile with all processors by default."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()
        if self.editable_mode:  # setuptools would compile everything in a temporary folder
            self.build_lib = BUILT
            self.build_temp = BUILT.replace("lib", "temp", 1)

    def build_extension(self, ext: Extension) -> None:
        """Build a module if its sources are newer, and show it."""
        if newer_group([*ext.sources, *ext.depends], self.get_ext_fullpath(ext.name), "newer"):
            print(f"Compiling {ext.name}", flush=True)  # noqa: T201 (pip hides it, make shows it)
        super().build_extension(ext)

    def run(self) -> None:
        """Build; in a checkout, also copy the modules next to their sources."""
        super().run()
        if not self.inplace and Path(".git").exists():
            self.copy_extensions_to_source()


def extensions() -> list[Extension]:
    """One extension module for each ``.pyx`` file, the slowest to compile first."""
    sources = [
        source
        for source in sorted(Path("c4core").rglob("*.pyx"))
        if ON_X86_64 or source.stem not in VARIANT_ARGS
    ]
    sources.sort(key=lambda source: source.stat().st_size, reverse=True)
    return [
        Extension(
            module_name(source),
            [str(source)],
            include_dirs=["c4core", "c4core/engine"],
            extra_compile_args=COMPILE_ARGS
            + optimization(source)
            + VARIANT_ARGS.get(source.stem, [])
            + ["-DC4_WIDE"] * (module_name(source) in WIDE)
            + ["-ffp-contract=off"] * (source.stem in EXACT_FLOATS)
            + ["-fno-tree-vectorize"] * (source.stem in SHORT_LOOPS),
            extra_link_args=LINK_ARGS,
            depends=["setup.py"],
        )
        for source in sources
    ]


def module_name(source: Path) -> str:
    """The dotted name of a source's module."""
    return ".".join(source.with_suffix("").parts)


def optimization(source: Path) -> list[str]:
    """The C compiler's optimization options for a module."""
    if DEBUG:
        return []
    if source.stem in O1_MODULES:
        return ["-O1"]
    if source.parent.name == "models":
        return MODEL_ARGS
    return ["-O3"] if set(source.parts) & set(O3_FOLDERS) else ["-O2"]


def only_describes() -> bool:
    """Whether setup.py only provides metadata or packs the sources, so that nothing is built."""
    words = set(sys.argv[1:])
    building = {"bdist_wheel", "build", "build_ext", "develop", "editable_wheel", "install"}
    return bool(words & {"dist_info", "egg_info", "sdist"}) and not words & building


def translate(modules: list[Extension]) -> list[Extension]:
    """Translate extension modules to C; this takes a third of a build's time."""
    translated: list[Extension] = cythonize(
        modules,
        build_dir="build/cython",
        nthreads=os.cpu_count() or 1,
        shared_utility_qualified_name=SHARED.name,
        annotate=ANNOTATE,
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "wraparound": False,
            "initializedcheck": DEBUG,
            "cdivision": True,
            "embedsignature": False,  # functions have one; docstrings of classes include theirs
        },
    )
    return translated


if __name__ == "__main__":  # benchmarks/order/build.py imports the options
    setup(
        packages=PACKAGES,
        ext_modules=[] if only_describes() else translate([SHARED, *extensions()]),
        cmdclass={"build_ext": BuildExt},
    )
