"""A way to play, as data: tables of what the rest of a sheet is worth.

Whoever plays by tables takes, after every roll, the keep or the placement with the most points now and to come, exact
within the turn. Optimal play has the solved values, other ways to play have other tables; everything that plays
or measures (`solver.distribution`, `sim.batch`) sees nothing but a `Policy`.

A position is the state of each column (see `solver.space`, the column counting once). What is left is worth the sum
over columns of `tables[stage, column, state]`, which holds the number bonus once it is reached. With one stage the
tables are the same on every turn, with several there is one for each turn. Sheets with several columns can have joint
tables on top (`solver.joint`), and a book of exact values for positions with few open boxes (`solver.endgame`), which
counts instead of all others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.joint import Joint, make_joint
from solver.rules import Game
from solver.sheet import Sheet
from solver.space import Space, compile_space

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Shorts = npt.NDArray[np.int16]
Table = npt.NDArray[np.floating[Any]]

REPEAT, COMPLETES = 1, 2
"""Bits of an event: the placement earned a repeat bonus; it completed a set."""

PIECE = 256
"""Positions to decide in one go, so that the decisions stay in the cache while they are used."""


class Book(NamedTuple):
    """Exact values of all positions with at most `boxes` open boxes (`solver.endgame`); none with -1."""

    values: Floats
    start: Longs  # [rank of the set of open boxes]
    choose: Longs  # [n, k], binomial coefficients
    boxes: int


class Nest(NamedTuple):
    """Exact values of every position that can follow a certain one (`solver.endgame`).

    Position (s, t, ...) is at the sum over columns of stride[c] * local[c, state].
    """

    values: Floats
    local: Ints  # [column, state], -1 for states that do not follow
    stride: Longs


NO_BOOK = Book(np.empty(0), np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.int64), -1)
NO_NEST = Nest(np.empty(0), np.empty((0, 0), dtype=np.int32), np.empty(0, dtype=np.int64))


class Source(NamedTuple):
    """What positions are worth after a turn, as `solver._positions` takes it."""

    later: Table  # [column, state]
    joint: Joint
    book: Book = NO_BOOK
    nest: Nest = NO_NEST


@dataclass(frozen=True, eq=False)
class Policy:
    """Play by tables; with a `theta` for exponential utility instead of the mean (one column, no joint tables)."""

    game: Game
    tables: Table
    theta: float = 0.0
    joint: Joint | None = None
    book: Book = field(default=NO_BOOK)

    @cached_property
    def space(self) -> Space:
        """The states of one column."""
        return compile_space(self.game.column)

    def position(self, sheet: Sheet) -> tuple[int, ...]:
        """The state of each column of a sheet."""
        return tuple(self.space.index(*self.space.describe(column)) for column in sheet.columns)

    def worth(self, positions: npt.ArrayLike) -> Floats:
        """What positions [row, column] are worth after a turn, as the kernels see it: number bonuses that are reached
        included. All of them have as many boxes open."""
        states, plan = np.asarray(positions), self.space.plan
        masks, words, _ = self.space.describe_states(states)
        is_open = (masks[:, :, None] >> np.arange(plan.boxes) & 1 == 0).reshape(len(states), -1)
        opened = int(is_open[0].sum())
        if opened <= self.book.boxes:
            cells = np.nonzero(is_open)[1].reshape(len(states), opened)
            rank = self.book.choose[self.game.turns, :opened].sum() + self.book.choose[
                cells, np.arange(1, opened + 1)
            ].sum(axis=1)
            ends, local = np.append(plan.offset, plan.states), np.zeros(len(states), dtype=np.int64)
            for column in range(states.shape[1]):
                first, end = ends[masks[:, column]], ends[masks[:, column] + 1]
                local = local * (end - first) + states[:, column] - first
            booked: Floats = np.asarray(self.book.values[self.book.start[rank] + local])
            return booked
        later = self.tables[self._stage(self.game.turns - opened - 1)]
        worth: Floats = later[np.arange(states.shape[1]), states].astype(np.float64).sum(axis=1)
        if self.joint is not None:
            joint = self.joint
            alive = ((masks & plan.wild_mask == 0) | (words & plan.wild_bit != 0)).all(axis=1)
            for g, rows in enumerate(joint.rows.tolist()):
                shifts = rows * np.arange(states.shape[1])
                bits = (joint.bits[g, masks] << shifts).sum(axis=1)
                no_zero = alive if joint.alive[g] > 1 else 0
                place = (bits * joint.alive[g] + no_zero) * joint.outside[g] + joint.open_outside[g, masks].sum(axis=1)
                worth += joint.table[joint.start[g] + place]
        return worth

    def source(self, turn: int) -> Source:
        """What positions are worth after that turn (counted from 0), for the kernels."""
        return Source(self.tables[self._stage(turn)], self._joint, self.book)

    def _stage(self, turn: int) -> int:
        return min(turn + 1, len(self.tables) - 1)

    @cached_property
    def _joint(self) -> Joint:
        """The joint tables in the precision that the kernels take."""
        joint = self.joint if self.joint is not None else make_joint(self.game, [])
        return joint._replace(table=np.asarray(joint.table, dtype=np.float32))


class Decisions(NamedTuple):
    """What is done in some positions, a row each; `solver._positions.decide_positions` explains the fields."""

    keep_of: Shorts  # [row, rolls left - 1, roll]
    choice_of: Shorts  # [row, roll], column * outcomes + outcome
    after: Ints  # [row, column, outcome], -1 where the box is filled
    gain: Ints  # [row, column, outcome]
    event: npt.NDArray[np.uint8]  # [row, column, outcome]
    kind_rows: Ints  # [row, face - 1]


class Decider:
    """Asks a policy what it does. Holds workspace, so each thread needs its own."""

    def __init__(self, policy: Policy) -> None:
        from solver import _positions  # Imported late, like all that needs numba.

        self._kernels = _positions
        self._policy = policy
        self._plan = policy.space.plan
        self._times = np.array(policy.game.columns, dtype=np.float64)
        self._work = _positions.make_work(self._plan, len(policy.game.columns))

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
        masks = np.searchsorted(plan.offset, states[0], side="right") - 1
        source = policy.source(int(np.bitwise_count(masks).sum()))
        self._kernels.decide_positions(
            plan, self._times, source, policy.theta, states, made.keep_of, made.choice_of, facts, self._work
        )
        return made
