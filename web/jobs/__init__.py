"""Jobs that people make on the page or by the API.

``making`` makes one of what a request asks for, ``watching`` looks at it for all who watch.
"""
