"""The search of search.pyx, compiled as search_x86_v3 is, with the instruction pext (setup.py has the flags)."""

include "search.pyx"
