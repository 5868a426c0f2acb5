"""Code that tests share; see the packages ``running`` and ``boards``."""
