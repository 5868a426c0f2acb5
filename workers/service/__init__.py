"""The process behind ``c4 worker``."""
