"""Build the compiled modules of the benchmarks, which look inside the searches of the engine.

::

    python -m benchmarks.order.build
"""

from __future__ import annotations

import sys

from setuptools import Extension, setup

from setup import COMPILE_ARGS, LINK_ARGS, SHARED, translate

MODULES = [
    Extension(
        f"benchmarks.{name}",
        [f"benchmarks/{name.replace('.', '/')}.pyx"],
        include_dirs=["c4core", "c4core/engine"],
        extra_compile_args=[*COMPILE_ARGS, "-DC4_WIDE", "-O1"],
        extra_link_args=LINK_ARGS,
        depends=["setup.py", "benchmarks/order/build.py"],
    )
    for name in ("deep.simulation", "order.samples")
]

if __name__ == "__main__":
    setup(
        packages=[],
        ext_modules=translate([SHARED, *MODULES])[1:],
        script_args=["--quiet", "build_ext", "--inplace", *sys.argv[1:]],
    )
