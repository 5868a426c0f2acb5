"""The resources of the API, a module each.

Every module has ``ROUTES`` and ``PATHS``, its part of the OpenAPI document; ``web.app`` names the
modules.
"""
