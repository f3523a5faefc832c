"""Solving a game: a sweep over the masks, layer by layer from the full sheet back to the empty one.

The states of a layer (masks with the same number of filled boxes) need only the layer above it, so its masks are
cut into pieces that threads take from a queue. Every state is computed on its own, so the result is the same to
the last bit whatever the number of threads.

The objective is the mean of the final score or, with a theta other than zero, its exponential utility: the mean of
exp(theta * score), as high as possible for theta > 0 (bold) and as low as possible for theta < 0 (safe). Points now and
points to come multiply there, so it is a dynamic program too. Values are then *sure points*, log(mean) / theta: the
score that would be worth as much if it were certain. For theta near zero they come near the mean.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from math import nan, sqrt
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.errors import InputError
from solver.policy import Policy
from solver.rules import Box, Game
from solver.space import Space, compile_space

Progress = Callable[..., None]
"""Called with what is being done and the share of it that is done, 0 to 1; and perhaps a note on how it goes."""

Masks = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

METHOD = "exact"

MAX_THETA = 0.2

_PIECES = 400
_PIECE_STATES = 1 << 11


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved game: the value of every state (see `solver.space`) and what holds for the empty sheet.

    With a `theta` the values are sure points, and `sd` is not known (nan).
    """

    game: Game
    values: Floats
    value: float
    sd: float
    seconds: float
    method: str = METHOD
    theta: float = 0.0

    @property
    def policy(self) -> Policy:
        """Play by these values."""
        return Policy(self.game, self.values[None, None, :], self.theta)

    @property
    def states(self) -> int:
        return len(self.values)


def thread_count(threads: int | None) -> int:
    """Threads asked for, or as many as this process may use cores."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not isinstance(threads, int):
        raise InputError(f"threads is {threads!r}: a whole number is needed.")
    if threads < 1:
        raise InputError(f"threads is {threads}: at least 1 is needed.")
    return threads


def require_theta(theta: float) -> None:
    """Refuse a theta for which utilities would leave the range of float64."""
    if not -MAX_THETA <= theta <= MAX_THETA:
        raise InputError(f"theta is {theta:g}: from -{MAX_THETA:g} to {MAX_THETA:g} are allowed.")


def solve_game(
    game: Game, *, theta: float = 0.0, threads: int | None = None, progress: Progress | None = None
) -> Solution:
    """The exact values of a single-column game, and the deviation of its final score under optimal play."""
    report = progress or (lambda stage, share: None)
    require_theta(theta)
    space = compile_space(game)
    count = thread_count(threads)
    report("compile", 0.0)
    kernels = load_kernels()
    began = time.perf_counter()
    values = _solve_values(space, kernels, theta, count, report)
    value = float(values[space.start])
    sd = nan if theta else sqrt(_variance(space, kernels, values, count, report))
    return Solution(game, values, value, sd, time.perf_counter() - began, theta=theta)


def solve_values(game: Game, *, threads: int | None = None) -> Floats:
    """Only the values, without the deviation."""
    space = compile_space(game)
    return _solve_values(space, load_kernels(), 0.0, thread_count(threads), lambda stage, share: None)


def load_kernels() -> ModuleType:
    """Import the kernels and solve a one-box game with them, so that all compilation is over."""
    from solver import _kernels

    tiny = compile_space(Game(name="tiny", title="Tiny", dice=1, faces=2, rolls=2, boxes=(Box(name="chance"),)))
    values = _solve_values(tiny, _kernels, 0.0, 1, lambda stage, share: None)
    _variance(tiny, _kernels, values, 1, lambda stage, share: None)
    return _kernels


def _solve_values(space: Space, kernels: ModuleType, theta: float, threads: int, report: Progress) -> Floats:
    """Values are poisoned first: a state that is read before it was solved would turn everything into NaN."""
    values = np.full(space.states, np.nan)
    values[space.plan.offset[-1] :] = space.final_values()

    def solve(masks: Masks) -> None:
        kernels.solve_masks(space.plan, masks, theta, values, *workspaces(space))

    _sweep(space, solve, threads, lambda share: report("solve", share))
    return values


def _variance(space: Space, kernels: ModuleType, values: Floats, threads: int, report: Progress) -> float:
    """The variance of the final score under the optimal policy."""
    variances = np.full(space.states, np.nan)
    variances[space.plan.offset[-1] :] = 0.0

    def measure(masks: Masks) -> None:
        pairs = zip(workspaces(space), workspaces(space), strict=True)
        kernels.measure_masks(space.plan, masks, values, variances, *pairs)

    _sweep(space, measure, threads, lambda share: report("deviation", share))
    return float(variances[space.start])


def workspaces(space: Space) -> tuple[Any, Any, Any]:
    """What the kernels of `solver._kernels` work in: rows for keeps, for outcomes and for successors."""
    from solver._lanes import workspace

    plan = space.plan
    sizes = (len(space.dice.keeps), len(plan.outcome_points) + 1, len(plan.successor_box))
    rows, outcomes, successors = (workspace(size) for size in sizes)
    return rows, outcomes, successors


def _sweep(space: Space, work: Callable[[Masks], None], threads: int, report: Callable[[float], None]) -> None:
    """Give every mask but the full one to `work`, larger masks first, in pieces of about the same size."""
    plan = space.plan
    sizes = np.diff(np.append(plan.offset, space.states))
    piece = max(_PIECE_STATES, space.states // _PIECES)
    done = 0
    report(0.0)
    with ThreadPoolExecutor(threads) as pool:
        for layer in reversed(space.masks_by_layer()[:-1]):
            before = np.cumsum(sizes[layer]) - sizes[layer]
            cuts = np.flatnonzero(np.diff(before // piece)) + 1
            jobs = {pool.submit(work, masks): int(sizes[masks].sum()) for masks in np.split(layer, cuts)}
            try:
                while jobs:
                    finished, _ = wait(jobs, timeout=1.0, return_when=FIRST_EXCEPTION)
                    for job in finished:
                        job.result()
                        done += jobs.pop(job)
                    report(done / space.states)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
    report(1.0)
