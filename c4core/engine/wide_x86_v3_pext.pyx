"""The kernel for wide boards that also uses the instruction pext (setup.py has the flags)."""

include "portable.pyx"
