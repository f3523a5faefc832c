"""Exact values where a sheet with several columns is nearly full, or small.

Two ways to hold them:

- a *nest* has every position that can follow a certain one. The states that a column can still get into are few, and
  any of them can go with any of the other columns', so the values are a dense array over their product. From the
  empty sheet of a small game that is the exact solution of the game; from a late position of a large one it is what
  advice and the measurement of learned play rest on.
- a *book* has all positions with at most so many open boxes, whatever is filled. Learned play reads it for its last
  turns. Positions are found by the rank of their set of open boxes (in the combinatorial number system) and then by the
  states of the columns.

Both are filled from the full sheet backwards by the same turn as everything else (`solver._positions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import comb

import numpy as np
import numpy.typing as npt

from solver.errors import InputError
from solver.joint import make_joint
from solver.policy import NO_BOOK, NO_NEST, PIECE, Book, Decider, Nest, Policy, Source
from solver.rules import Game
from solver.solve import thread_count
from solver.space import Space, compile_space

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

NEST_POSITIONS = 30_000_000
"""As many as are solved in a minute or two."""
BOOK_POSITIONS = 8_000_000
"""As many as a stored table has room for."""
_PIECE = 1 << 12


@dataclass(frozen=True, eq=False)
class Endgame:
    """Everything that can follow a position, solved exactly; `states[c]` lists the states of a column."""

    game: Game
    nest: Nest
    states: tuple[Ints, ...]

    @property
    def positions(self) -> int:
        return len(self.nest.values)

    def worth(self, positions: npt.ArrayLike) -> Floats:
        """Points to come from positions [row, column], with number bonuses that are reached."""
        found: Floats = self.nest.values[_indices(self.nest, np.asarray(positions))]
        return found

    def value(self, position: Sequence[int]) -> float:
        """The same for one position."""
        return float(self.worth([position])[0])

    @cached_property
    def source(self) -> Source:
        """What positions after a turn are worth, for whoever decides by it."""
        return _source(self.game, nest=self.nest)

    def layers(self) -> Iterator[Ints]:
        """All positions with as many open boxes, from the full sheets up to the position itself."""
        return _layers(self.game, self.states)


def list_states(space: Space, state: int) -> Ints:
    """Every state that a column can get into from one, itself included, in rising order."""
    from solver import _positions

    return np.sort(_positions.following_states(space.plan, state))


def count_positions(game: Game, position: Sequence[int]) -> int:
    """How many positions a nest would have."""
    space = compile_space(game.column)
    return int(np.prod([len(list_states(space, state)) for state in position], dtype=object))


def solve_endgame(
    game: Game,
    position: Sequence[int] | None = None,
    *,
    most: int = NEST_POSITIONS,
    threads: int | None = None,
    report: Callable[[float], None] | None = None,
) -> Endgame:
    """Solve everything that can follow a position (the empty sheet unless one is given) exactly."""
    space = compile_space(game.column)
    roots = [space.start] * len(game.columns) if position is None else list(position)
    states = tuple(list_states(space, root) for root in roots)
    sizes = [len(listed) for listed in states]
    count = int(np.prod(sizes, dtype=object))
    if count > most:
        raise InputError(f"{game.name}: {count:,} positions can follow, at most {most:,} are solved exactly.")
    local = np.full((len(states), space.states), -1, dtype=np.int32)
    for c, listed in enumerate(states):
        local[c, listed] = np.arange(len(listed))
    stride = np.array([int(np.prod(sizes[c + 1 :])) for c in range(len(sizes))], dtype=np.int64)
    nest = Nest(np.full(count, np.nan), local, stride)
    found = Endgame(game, nest, states)
    done = 0
    for layer in found.layers():
        indices = _indices(nest, layer)
        if done == 0:
            nest.values[indices] = _final_worth(game, space, layer)
        else:
            nest.values[indices] = _value(game, space, found.source, layer, thread_count(threads))
        done += len(layer)
        if report is not None:
            report(done / count)
    return found


def policy_value(endgame: Endgame, policy: Policy) -> float:
    """Mean points to come if a policy plays on from the position of an endgame; number bonuses reached are included.

    No sampling: the policy's own values of all positions that can follow, from the full sheets backwards.
    """
    from solver import _flow

    game, nest = endgame.game, endgame.nest
    space = policy.space
    plan, columns = space.plan, np.arange(len(game.columns))
    outcomes = len(plan.outcome_points)
    worth = np.empty(endgame.positions)
    decider = Decider(policy)
    for number, layer in enumerate(endgame.layers()):
        if number == 0:
            worth[_indices(nest, layer)] = _final_worth(game, space, layer)
            continue
        for first in range(0, len(layer), PIECE):
            piece = layer[first : first + PIECE]
            made = decider.decide(piece)
            chances = np.zeros((len(piece), len(columns) * outcomes))
            _flow.choice_chances(plan.chance, plan.more, plan.faces, made.keep_of, made.choice_of, chances)
            rows, choices = np.nonzero(chances)
            column, outcome = np.divmod(choices, outcomes)
            here = _indices(nest, piece)
            moved = nest.local[column, made.after[rows, column, outcome]] - nest.local[column, piece[rows, column]]
            later = worth[here[rows] + nest.stride[column] * moved]
            gained = chances[rows, choices] * (made.gain[rows, column, outcome] + later)
            worth[here] = np.bincount(rows, weights=gained, minlength=len(piece))
    return float(worth[_indices(nest, np.array([[listed[0] for listed in endgame.states]]))][0])


def _indices(nest: Nest, positions: Ints) -> npt.NDArray[np.int64]:
    """Where positions [row, column] stand in a nest."""
    columns = np.arange(positions.shape[1])
    found: npt.NDArray[np.int64] = (nest.local[columns, positions] * nest.stride).sum(axis=1)
    return found


def book_layout(game: Game, *, most: int = BOOK_POSITIONS) -> Book:
    """An empty book, for as many open boxes as `most` positions allow (0 at least: the full sheets)."""
    space, cells = compile_space(game.column), game.turns
    choose = np.array([[comb(n, k) for k in range(cells + 2)] for n in range(cells + 1)], dtype=object)
    states_of = np.diff(_ends(space))
    sizes: list[npt.NDArray[np.int64]] = []
    count, boxes = 0, -1
    while boxes < cells:
        if boxes >= 0 and count + comb(cells, boxes + 1) > most:
            break
        added = states_of[_open_sets(game, boxes + 1)].prod(axis=1)
        if boxes >= 0 and count + int(added.sum()) > most:
            break
        sizes.append(added)
        count += int(added.sum())
        boxes += 1
    start = np.cumsum(np.concatenate(([0], *sizes)))[:-1]
    return Book(np.full(count, np.nan), start, np.minimum(choose, 2**62).astype(np.int64), boxes)


def fill_book(game: Game, book: Book, *, threads: int | None = None) -> Book:
    """Fill in the values, few open boxes first."""
    space = compile_space(game.column)
    ends, place = _ends(space), 0
    for boxes in range(book.boxes + 1):
        states = np.concatenate([_all_states(ends, masks) for masks in _open_sets(game, boxes)])
        if boxes == 0:
            values = _final_worth(game, space, states)
        else:
            source = _source(game, book=book._replace(boxes=boxes - 1))
            values = _value(game, space, source, states, thread_count(threads))
        book.values[place : place + len(states)] = values
        place += len(states)
    return book


def _open_sets(game: Game, boxes: int) -> npt.NDArray[np.int64]:
    """The filled boxes of each column [set, column] for every set of so many open cells, in the order of the book: by
    the sum of C(cell, place), which is the order of the cells read backwards."""
    cells = sorted(combinations(range(game.turns), boxes), key=lambda opened: opened[::-1])
    return np.array([_masks(game, opened) for opened in cells], dtype=np.int64)


def _ends(space: Space) -> npt.NDArray[np.int64]:
    """Where the states of each mask begin, and where the last ones end."""
    return np.append(space.plan.offset, space.states)


def _masks(game: Game, opened: Sequence[int]) -> tuple[int, ...]:
    """The filled boxes of each column, if those cells (column * boxes + box) are open."""
    boxes = len(game.boxes)
    masks = [(1 << boxes) - 1] * len(game.columns)
    for cell in opened:
        masks[cell // boxes] &= ~(1 << cell % boxes)
    return tuple(masks)


def _all_states(ends: npt.NDArray[np.int64], masks: npt.NDArray[np.int64]) -> Ints:
    """All positions with these boxes filled, in the order of the book."""
    ranges = [np.arange(ends[mask], ends[mask + 1], dtype=np.int32) for mask in masks]
    return np.stack([axis.ravel() for axis in np.meshgrid(*ranges, indexing="ij")], axis=1)


def _layers(game: Game, states: tuple[Ints, ...]) -> Iterator[Ints]:
    space = compile_space(game.column)
    boxes = len(game.boxes)
    by_filled: list[list[Ints]] = []
    for listed in states:
        masks = np.searchsorted(space.plan.offset, listed, side="right") - 1
        filled = np.bitwise_count(masks)
        by_filled.append([listed[filled == count] for count in range(boxes + 1)])
    for total in range(game.turns, -1, -1):
        blocks = []
        for counts in product(range(boxes + 1), repeat=len(states)):
            if sum(counts) == total and all(len(by_filled[c][count]) for c, count in enumerate(counts)):
                axes = np.meshgrid(*(by_filled[c][count] for c, count in enumerate(counts)), indexing="ij")
                blocks.append(np.stack([axis.ravel() for axis in axes], axis=1))
        if blocks:
            yield np.concatenate(blocks).astype(np.int32)


def _final_worth(game: Game, space: Space, states: Ints) -> Floats:
    """What full sheets are worth: the number bonuses that were reached."""
    earned = space.final_values()[states - int(space.plan.offset[-1])]
    worth: Floats = earned @ np.array(game.columns, dtype=np.float64)
    return worth


def _source(game: Game, *, book: Book = NO_BOOK, nest: Nest = NO_NEST) -> Source:
    return Source(np.empty((0, 0)), make_joint(game, []), book, nest)


def _value(game: Game, space: Space, source: Source, states: Ints, threads: int) -> Floats:
    """What positions are worth before their turn, in threads."""
    from solver import _positions

    times = np.array(game.columns, dtype=np.float64)
    values, finals = np.empty(len(states)), np.empty((0, 0))

    def work(first: int) -> None:
        part = slice(first, first + _PIECE)
        room = _positions.make_work(space.plan, len(game.columns))
        _positions.value_positions(space.plan, times, source, states[part], values[part], finals, room)

    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, range(0, len(states), _PIECE)):
            pass
    return values
