"""The kernel for x86-64 processors that also have a fast ``pext`` (setup.py has the flags)."""

include "portable.pyx"
