"""The integrity check: are a database's tables and rows sound, and are their values possible?"""
