"""The OpenAPI document: what every path takes and answers.

``openapi`` puts it together from the modules in ``web.api``; ``words`` are what these describe
themselves with, ``job_paths`` and ``job_schemas`` the part about jobs.
"""
