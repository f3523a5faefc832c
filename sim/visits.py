"""What play by tables passes through: the positions of its games, and what final rolls are worth on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from solver.policy import Policy
from solver.solve import Progress, thread_count

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def visited_positions(policy: Policy, games: int, *, seed: int = 0, threads: int | None = None) -> Iterator[Ints]:
    """The positions [game, column] of so many games before each turn."""
    from solver import _positions  # Imported late, like all that needs numba.

    game, plan = policy.game, policy.space.plan
    times, rng = np.array(game.columns, dtype=np.float64), np.random.default_rng(seed)
    states = np.full((games, len(times)), policy.space.start, dtype=np.int32)
    values, gains, events = np.empty(games), np.empty(games), np.empty(games, dtype=np.uint8)
    rolls, choices = np.empty(games, dtype=np.int64), np.empty(games, dtype=np.int64)
    for turn in range(game.turns):
        yield states.copy()
        throws = rng.integers(0, plan.faces, size=(games, plan.rolls, game.dice), dtype=np.uint8)
        source, no_price = policy.source(turn), np.empty(0)

        def play(p: slice, source=source, throws=throws, no_price=no_price) -> None:  # type: ignore[no-untyped-def]
            work = _positions.make_work(plan, len(times))
            outputs = (values[p], rolls[p], choices[p], gains[p], events[p])
            _positions.play_positions(plan, times, source, no_price, states[p], throws[p], *outputs, work)

        _in_threads(play, games, threads)


def roll_worths(
    policy: Policy, games: int, *, seed: int = 0, threads: int | None = None, progress: Progress | None = None
) -> Floats:
    """What each final roll is worth on each turn [turn, roll]: points above what the turn is worth on average."""
    from solver import _positions

    report = progress or (lambda stage, share: None)
    game, plan = policy.game, policy.space.plan
    times = np.array(game.columns, dtype=np.float64)
    worths = np.empty((game.turns, len(plan.chance)))
    for turn, states in enumerate(visited_positions(policy, games, seed=seed, threads=threads)):
        values, finals = np.empty(games), np.empty((games, len(plan.chance)))
        source = policy.source(turn)

        def value(p: slice, states=states, values=values, finals=finals, source=source) -> None:  # type: ignore[no-untyped-def]
            work = _positions.make_work(plan, len(times))
            _positions.value_positions(plan, times, source, states[p], values[p], finals[p], work)

        _in_threads(value, games, threads)
        worths[turn] = (finals - values[:, None]).mean(axis=0)
        report("play", (turn + 1) / game.turns)
    return worths


def _in_threads(work: Callable[[slice], None], count: int, threads: int | None) -> None:
    workers = thread_count(threads)
    size = -(-count // workers)
    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(work, [slice(first, first + size) for first in range(0, count, size)]):
            pass
