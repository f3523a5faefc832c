"""Two players of Sixis, exactly: the mover's expected margin for all cards and all pairs of saved dice.

With s the status of the cards (a DAG: blue to red or gone, red to gone), m the mover's and o the other's saved dice, r
a roll, and T the mean over dice that are thrown:

    W_s(r, o) = max over k within r of -V_s(o, k)                              end the turn, saving k
    U_s(r, o) = max( W_s(r, o), points + W_s'(r, o) for each card action r allows, 60 for six of a kind )
    V_s(m, o) = max( T[U_s(., o) | keep m], T[U_s(., o) | roll all], 0 if the mover may end the round )

V_s stands on both sides, because a turn can pass without a card, so each status is iterated, the later ones first.

**Bounds from both sides.** One sweep turns every value that is too high into one that is too low, and back: V_s only
enters with a minus. We begin with more than anybody can win, so the iterates lie above and below the value by turns,
and come closer with every sweep. Two in a row that are closer than the tolerance enclose every solution of the
equations; their middle is taken, and the largest distance left is reported.

**Waiting.** The equations alone do not always have one solution. If both players have saved all their dice, the mover
may save them all again, and so may the other, for ever. When whoever touches a card loses by it (both hold
5-5-6-6-6-6, say, and the card one takes or flips helps the other more), every number between the two losses solves the
equations, and iteration swings between two of them. But nobody scores again in such a position, so it is worth 0. In
general, to wait while the other holds six dice too is worth at most 0: what brings more than 0 is a move of one's own,
and it is there now. With X the best of everything but waiting, for m and o both complete rolls,

    V_s(m, o) = max( X_s(m, o), min(0, -V_s(o, m)) )

which is what the sweep computes. Whenever any die is thrown, chance moves the game on and the bounds meet.

What a later status is worth is passed on in 32-bit fixed point, a unit being less than a millionth of a point.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dice import Dice
from solver.errors import InputError
from solver.sixis.deal import BLUE, GONE, RED, Deal, sides_of, status
from solver.sixis.round import advanced_saves
from solver.solve import Progress, thread_count

TOLERANCE = 1e-4
SAVE_TIE = 1e-4
"""A smaller save that is worse by no more than this is taken for a larger one, to store fewer."""
_LIMIT = 5_000
"""Sweeps of a status at the most; the hardest ones need some hundred."""
_LANES = 16

Floats = npt.NDArray[np.float64]


class Lattice(NamedTuple):
    """The lattice of saved dice, as the kernels take it."""

    faces: int
    first_roll: int
    more: npt.NDArray[np.int32]
    fewer: npt.NDArray[np.int32]
    fewer_start: npt.NDArray[np.int32]


def lattice(dice: Dice) -> Lattice:
    """Dice as arrays."""
    return Lattice(dice.faces, dice.first_roll, dice.more.ravel().copy(), dice.fewer, dice.fewer_start)


@dataclass(frozen=True, eq=False)
class PackedStatus:
    """What is worth storing of a status: V(m, k) for all m, and for the saves k that are ever needed."""

    number: int
    saves: npt.NDArray[np.uint16]
    values: npt.NDArray[np.uint16]
    low: float
    unit: float


@dataclass(frozen=True, eq=False)
class Opening:
    """The solved start of a deal, and how it was solved."""

    deal: Deal
    values: Floats
    """V(nothing, o) at the start, for all o of the second player."""
    statuses: int
    sweeps: int
    residual: float
    """The most that two enclosing iterates were apart in any status."""

    @property
    def value(self) -> float:
        """The first player's expected margin, nothing saved."""
        return float(self.values[0])

    @property
    def advanced(self) -> float:
        """The same with the advanced start: the second player may save two dice of a roll."""
        return advanced_value(self.deal.deck.mathematics, self.values, advanced_saves(1))


def advanced_value(dice: Dice, values: Floats, saves: int) -> float:
    """The mean over a roll of the lowest value among the allowed saves."""
    sizes = np.array([len(keep) for keep in dice.keeps])
    best = np.where(sizes <= saves, values, np.inf)
    for keep in range(1, len(best)):
        parts = dice.fewer[dice.fewer_start[keep] : dice.fewer_start[keep + 1]]
        best[keep] = min(best[keep], best[parts].min())
    return float(dice.chance @ best[dice.first_roll :])


def solve_deal(
    deal: Deal,
    *,
    tolerance: float = TOLERANCE,
    threads: int | None = None,
    progress: Progress | None = None,
    keep: Callable[[PackedStatus], None] | None = None,
) -> Opening:
    """Solve all statuses of a deal for two; `keep` gets each of them, the last ones of a round first."""
    if deal.players != 2:
        raise InputError(f"{deal.players} groups of cards: only games of two players are solved exactly.")
    if progress is not None:
        progress("compile", 0.0)
    solver = _Solver(deal, tolerance)
    report = progress or (lambda stage, share: None)
    done, sweeps, residual = 0, 0, 0.0
    with ThreadPoolExecutor(thread_count(threads)) as pool:
        solver.make_rooms(thread_count(threads))
        try:
            for level in solver.levels():
                for packed, count, apart in pool.map(solver.solve, level):
                    done += 1
                    sweeps += count
                    residual = max(residual, apart)
                    if keep is not None:
                        keep(packed)
                    report("solve", done / solver.statuses)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    assert solver.opening is not None
    return Opening(deal, solver.opening, solver.statuses, sweeps, residual)


class _Solver:
    """One deal being solved: what is known of later statuses, and the rooms that threads work in."""

    def __init__(self, deal: Deal, tolerance: float) -> None:
        self.deal, self.tolerance = deal, tolerance
        self.dice = deal.deck.mathematics
        self.plan = lattice(self.dice)
        self.cards = len(deal.cards)
        self.statuses = 3**self.cards
        self.blocks = -(-len(self.dice.keeps) // _LANES)
        rolls = self.dice.rolls
        self.sixis = deal.deck.matching(deal.deck.sixis)
        self.allowed = np.array([[deal.deck.matching(side) for side in card.sides] for card in deal.cards])
        most = sum(max(side.points for side in card.sides) for card in deal.cards) + deal.deck.sixis.points
        self.most = float(max(most, 1))
        self.step = 1.01 * self.most / 2**31
        self.opening: Floats | None = None
        self._by_level: list[list[int]] = [[] for _ in range(2 * self.cards + 1)]
        for sides in product(range(3), repeat=self.cards):
            self._by_level[sum(sides)].append(status(sides))
        sizes = [0, 0, *map(len, self._by_level), 0, 0]
        live = max(sum(sizes[first : first + 3]) for first in range(len(sizes) - 2))
        self._pool = np.empty((live, self.blocks, len(rolls), _LANES), dtype=np.int32)
        self._free = list(range(live))
        self._slot: dict[int, int] = {}
        self._rooms: queue.SimpleQueue[_Room] = queue.SimpleQueue()

    def make_rooms(self, count: int) -> None:
        """A workspace for each thread."""
        for _ in range(count):
            self._rooms.put(_Room(self.blocks, len(self.dice.keeps), len(self.dice.rolls)))

    def levels(self) -> Iterator[list[int]]:
        """The statuses by how far the round has gone, the end first; those of a level do not need each other."""
        for level in range(2 * self.cards, -1, -1):
            for number in self._by_level[level]:
                self._slot[number] = self._free.pop()
            yield self._by_level[level]
            if level + 2 < len(self._by_level):
                self._free += [self._slot.pop(number) for number in self._by_level[level + 2]]

    def solve(self, number: int) -> tuple[PackedStatus, int, float]:
        """Solve a status; the later ones must be solved."""
        from solver.sixis import _exact

        sides = sides_of(number, self.cards)
        actions = list(self._actions(number, sides))
        slots = np.array([self._slot[after] for after, _, _ in actions], dtype=np.int64)
        points = np.array([gain for _, gain, _ in actions], dtype=np.float64)
        allowed = np.array([match for _, _, match in actions], dtype=np.bool_).reshape(len(actions), len(self.sixis))
        room = self._rooms.get()
        try:
            best, values = room.best, room.values
            sixis_points = float(self.deal.deck.sixis.points)
            _exact.list_best_actions(self.sixis, sixis_points, slots, points, allowed, self._pool, self.step, best)
            most = max(float(best.max()), 0.0)
            sweeps, apart = _exact.solve_status(
                self.plan,
                best,
                self.deal.may_end(sides),
                most,
                self.tolerance,
                _LIMIT,
                values,
                room.other,
                room.waited,
                room.floor,
                room.same,
            )
            used = np.zeros(len(self.dice.keeps), dtype=np.bool_)
            ended = self._pool[self._slot[number]]
            _exact.end_turns(self.plan, values, self.step, SAVE_TIE, ended, used, room.rows, room.chosen)
            saves = np.flatnonzero(used).astype(np.uint16)
            packed = np.empty((len(self.dice.keeps), len(saves)), dtype=np.uint16)
            low, unit = _exact.pack_status(values, saves, packed)
            if number == 0:
                self.opening = values[:, 0].ravel()[: len(self.dice.keeps)].copy()
        finally:
            self._rooms.put(room)
        return PackedStatus(number, saves, packed, low, unit), sweeps, apart

    def _actions(self, number: int, sides: tuple[int, ...]) -> Iterator[tuple[int, int, npt.NDArray[np.bool_]]]:
        for place, side in enumerate(sides):
            if side == GONE:
                continue
            points = self.deal.cards[place].sides[side].points
            yield number + (GONE - side) * 3**place, points, self.allowed[place, side]
            if side == BLUE:
                yield number + (RED - BLUE) * 3**place, 0, self.allowed[place, side]


class _Room:
    """What a thread works in."""

    def __init__(self, blocks: int, keeps: int, rolls: int) -> None:
        from solver._lanes import workspace

        self.values = np.zeros((blocks, blocks * _LANES, _LANES))
        self.other = np.zeros_like(self.values)
        self.best = np.empty((blocks, rolls, _LANES))
        self.rows, self.waited, self.floor = workspace(blocks * _LANES), workspace(rolls), workspace(1)
        self.chosen = np.empty((keeps, _LANES), dtype=np.int32)
        self.same = np.arange(rolls, dtype=np.int32)
