"""Random damage to untrusted input that compiled or our own code reads: ``make fuzz``.

The cases depend on a seed only. They are valid samples with some changes to the bytes or to their
meaning, and with corrected checksums: random bytes would nearly all be refused at once. Hypothesis
takes several milliseconds a case, more than most targets, so it is used for the properties in
``tests/property`` only.
"""
