"""A way to play, as data: tables of what the rest of a sheet is worth.

Whoever plays by tables takes, after every roll, the keep or the placement with the most points now and to come, exact
within the turn. Optimal play has the solved values, other ways to play have other tables; everything that plays
or measures (`solver.distribution`, `sim.batch`) sees nothing but a `Policy`.

A position is the state of each column (see `solver.space`, the column counting once). What is left is worth the sum
over columns of `tables[column, state]`, which holds the number bonus once it is reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.rules import Game
from solver.sheet import Sheet
from solver.space import Space, compile_space

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Shorts = npt.NDArray[np.int16]

REPEAT, COMPLETES = 1, 2
"""Bits of an event: the placement earned a repeat bonus; it completed a set."""

PIECE = 256
"""Positions to decide in one go, so that the decisions stay in the cache while they are used."""


@dataclass(frozen=True, eq=False)
class Policy:
    """Play by tables, one row for each column; with a `theta` for exponential utility instead of the mean."""

    game: Game
    tables: Floats
    theta: float = 0.0

    @cached_property
    def space(self) -> Space:
        """The states of one column."""
        return compile_space(self.game.column)

    def position(self, sheet: Sheet) -> tuple[int, ...]:
        """The state of each column of a sheet."""
        return tuple(self.space.index(*self.space.describe(column)) for column in sheet.columns)


class Decisions(NamedTuple):
    """What is done in some positions, a row each; `solver._kernels.decide_positions` explains the fields."""

    keep_of: Shorts  # [row, rolls left - 1, roll]
    choice_of: Shorts  # [row, roll], column * outcomes + outcome
    after: Ints  # [row, column, outcome], -1 where the box is filled
    gain: Ints  # [row, column, outcome]
    event: npt.NDArray[np.uint8]  # [row, column, outcome]
    kind_rows: Ints  # [row, face - 1]


class Decider:
    """Asks a policy what it does. Holds workspace, so each thread needs its own."""

    def __init__(self, policy: Policy) -> None:
        from solver import _kernels  # Imported late, like all that needs numba.

        self._kernels = _kernels
        self._policy = policy
        self._plan = plan = policy.space.plan
        keeps, outcomes, columns = len(policy.space.dice.keeps), len(plan.outcome_points), len(policy.game.columns)
        self._times = np.array(policy.game.columns, dtype=np.float64)
        self._work = tuple(_kernels.workspace(rows) for rows in (columns * outcomes, outcomes, outcomes, keeps, keeps))

    def decide(self, states: Ints) -> Decisions:
        """What is done in the positions `states[row, column]`, all with the same number of boxes filled."""
        plan = self._plan
        rows, columns = states.shape
        rolls, outcomes = len(plan.chance), len(plan.outcome_points)
        made = Decisions(
            keep_of=np.empty((rows, plan.rolls - 1, rolls), dtype=np.int16),
            choice_of=np.empty((rows, rolls), dtype=np.int16),
            after=np.empty((rows, columns, outcomes), dtype=np.int32),
            gain=np.empty((rows, columns, outcomes), dtype=np.int32),
            event=np.empty((rows, columns, outcomes), dtype=np.uint8),
            kind_rows=np.empty((rows, plan.faces), dtype=np.int32),
        )
        policy = self._policy
        facts = (made.after, made.gain, made.event, made.kind_rows)
        self._kernels.decide_positions(
            plan, self._times, policy.tables, policy.theta, states, made.keep_of, made.choice_of, facts, self._work
        )
        return made
