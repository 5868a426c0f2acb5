"""``c4 config``: what the configuration file says, and what goes before it.

``command`` has the commands, ``sources`` finds where each setting's value comes from, ``editing``
changes the file.
"""
