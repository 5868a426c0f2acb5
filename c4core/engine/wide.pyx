"""The kernel for wide boards that runs on every processor (setup.py has the flags)."""

include "portable.pyx"
