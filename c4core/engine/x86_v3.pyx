"""The search of search.pyx, compiled for x86-64 with AVX2, BMI2 and POPCNT (setup.py has the flags)."""

include "search.pyx"
