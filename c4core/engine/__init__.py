"""The search engine: one translation unit for each kernel; docs/engine.md explains it."""
