"""Fuzzers: whatever a stranger may hand in ends in a documented error, soon, and in little memory.

``python -m tests.release.fuzz`` tries every target (``make fuzz``). ``python -m tests.release.fuzz
replay FILE`` runs a case that has failed again. A target is a file in ``targets/``.

The cases come from a seed alone. They are valid samples with some things changed, at the level of
bytes and of what the bytes mean, with checksums made right again: of bytes by chance nearly all
would be refused at the door. Two libraries were considered. Hypothesis shrinks what fails and is
used for the properties of ``tests/property``, but takes some milliseconds a case for its
bookkeeping, more than most targets themselves. Atheris follows what code is reached, but of
libraries in C (numpy, SQLite, Arrow, PyTorch) sees nothing, and is built for some versions of
Python only.
"""
