"""The kernel for wide boards and x86-64 processors with AVX2, BMI2 and POPCNT (setup.py has the flags)."""

include "portable.pyx"
