"""The frontier between mean and deviation: utility play for a range of thetas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sim.batch import Batch
from sim.simulate import simulate
from sim.strategies import BOLD, SAFE, Tabled, find_strategy
from solver import exact_moments, is_exact
from solver.solve import Progress

THETAS = (-0.1, -0.07, -0.05, SAFE, -0.02, -0.01, 0.0, 0.004, 0.008, 0.012, BOLD, 0.018)


@dataclass(frozen=True)
class Risk:
    """A point of the frontier: mean and deviation of play with a theta; `se` is the mean's, 0 if it is exact."""

    theta: float
    mean: float
    sd: float
    se: float


def frontier(batch: Batch, *, thetas: tuple[float, ...] = THETAS, progress: Progress | None = None) -> Iterator[Risk]:
    """Mean and deviation for each theta: exact where they can be, else sampled by the batch."""
    for theta in thetas:
        strategy = find_strategy(f"utility:{theta!r}", batch.game, tables=batch.tables, progress=progress)
        assert isinstance(strategy, Tabled)
        if is_exact(batch.game):
            mean, sd = exact_moments(strategy.policy, threads=batch.threads, progress=progress)
            yield Risk(theta, mean, sd, 0.0)
        else:
            scores = simulate(replace(batch, rounds=1), strategy, progress=progress).scores
            yield Risk(theta, scores.mean, scores.sd, scores.se)
