"""The resources of the API, a module each.

Every module has ``ROUTES``, ``PATHS`` (its part of the OpenAPI document) and perhaps ``SCHEMAS``;
``web.app`` names the modules.
"""
