"""The integrity check: are the tables of a database, its rows and their meaning sound?"""
