"""Fuzzers: any untrusted input ends in a documented error, quickly and in little memory.

``python -m tests.release.fuzz`` tries every target (``make fuzz``). ``python -m tests.release.fuzz
replay FILE`` runs a failed case again. The targets are in ``targets/``.

The cases depend on a seed only. They are valid samples with some changes to the bytes or to their
meaning, and with corrected checksums. Random bytes would nearly all be refused at once. Two
libraries were considered. Hypothesis shrinks failures and is used for the properties in
``tests/property``, but its bookkeeping takes several milliseconds a case, more than most targets
themselves. Atheris follows the code that is reached, but sees nothing of C libraries (numpy,
SQLite, Arrow, PyTorch), and is built for some versions of Python only.
"""
