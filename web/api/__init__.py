"""The resources of the API, one module each.

Every module has ``ROUTES``, and its part of the OpenAPI document in ``PATHS``. ``web.app`` lists
the modules.
"""
