"""Experiments of the sources besides their matches, made again.

``python -m benchmarks.experiments NAME`` runs one and keeps it in benchmarks/results/experiments.json; ``report``
fills docs/experiments.md.

- ``experiment``: what an experiment is, and what it finds;
- ``playing``: games for experiments, and positions;
- ``heuristics``, ``algorithms``, ``levels``, ``threats``, ``corpus``: the experiments, by source;
- ``catalogue``: all of them, by name;
- ``results``: the file; ``pages``: the page.
"""
