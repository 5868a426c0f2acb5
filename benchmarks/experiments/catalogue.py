"""All experiments, by name."""

from __future__ import annotations

from typing import Final

from benchmarks.experiments import algorithms, corpus, heuristics, levels, threats

EXPERIMENTS: Final = {
    experiment.name: experiment
    for source in (heuristics, algorithms, levels, threats, corpus)
    for experiment in source.EXPERIMENTS
}
"""In the order of the page."""
