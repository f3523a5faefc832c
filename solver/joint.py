"""Joint tables: what the filled boxes of all columns together add to what the columns are worth each by itself.

Rows of the sheet (a row is one box in every column) form groups: the number rows and the others, cut further where a
sheet has many columns, and windows of neighbouring rows laid across them. A group's table is indexed by which of its
boxes are filled in which column, by how many boxes are open outside the group (so that a table knows the turn) and,
for a group with the wild box, by whether no wild box holds a zero:

    start[g] + (bits * alive[g] + no zero so far) * outside[g] + open boxes outside the group

with `bits[g, mask]` shifted by `rows[g]` for each further column. Filling a box moves the index by `step[g, box]`, also
shifted, where the box is in the group, and by -1 where it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.rules import Game

Longs = npt.NDArray[np.int64]

MAX_BITS = 21
"""Boxes of all columns that one group holds at most."""
WINDOW_BITS = 18
"""The same for a window, which may have boxes of both kinds."""


class Joint(NamedTuple):
    """The tables one after the other, and how to find a place in them."""

    table: npt.NDArray[np.floating[Any]]
    bits: Longs  # [group, mask]
    open_outside: Longs  # [group, mask]
    step: Longs  # [group, box], -1 outside the group
    rows: Longs  # [group]
    outside: Longs  # [group], one more than boxes outside
    alive: Longs  # [group], 2 with the wild box, else 1
    start: Longs  # [group]


def row_groups(game: Game) -> list[list[int]]:
    """The rows of each group: numbers, others, and windows that overlap by half, going round the sheet."""
    columns, boxes = len(game.columns), len(game.boxes)
    most, width = max(1, MAX_BITS // columns), max(1, WINDOW_BITS // columns)
    groups: list[list[int]] = []
    for numbers in (True, False):
        rows = [b for b, box in enumerate(game.boxes) if (box.number is not None) is numbers]
        if rows:
            groups += [piece.tolist() for piece in np.array_split(rows, -(-len(rows) // most))]
    for first in range(0, boxes, max(1, width // 2)) if width < boxes else ():
        window = sorted({(first + step) % boxes for step in range(width)})
        if not any(set(window) <= set(group) for group in groups):
            groups.append(window)
    return groups


def make_joint(
    game: Game, groups: Sequence[Sequence[int]] | None = None, *, table: npt.NDArray[np.floating[Any]] | None = None
) -> Joint:
    """Joint tables of a game, empty unless a `table` is given; a sheet with one column has none."""
    if groups is None:
        groups = row_groups(game) if len(game.columns) > 1 else []
    boxes, columns = len(game.boxes), len(game.columns)
    masks = np.arange(1 << boxes, dtype=np.int64)
    remembered = game.wild is not None and game.wild.repeat_bonus > 0
    wild = game.box_index[game.wild.box] if game.wild is not None and remembered else -1
    bits = np.zeros((len(groups), 1 << boxes), dtype=np.int64)
    open_outside = np.zeros_like(bits)
    step = np.full((len(groups), boxes), -1, dtype=np.int64)
    rows = np.array([len(group) for group in groups], dtype=np.int64)
    outside = (boxes - rows) * columns + 1
    alive = np.array([2 if wild in group else 1 for group in groups], dtype=np.int64)
    for g, group in enumerate(groups):
        inside = sum(1 << row for row in group)
        open_outside[g] = np.bitwise_count(~masks & ((1 << boxes) - 1) & ~inside)
        for place, row in enumerate(group):
            bits[g] |= (masks >> row & 1) << place
            step[g, row] = (1 << place) * alive[g] * outside[g]
    sizes = (1 << rows * columns) * alive * outside
    start = np.cumsum(sizes) - sizes
    if table is None:
        table = np.zeros(int(sizes.sum()), dtype=np.float32)
    elif len(table) != sizes.sum():
        raise ValueError("these are not the joint tables of the game")
    return Joint(table, bits, open_outside, step, rows, outside, alive, start)
