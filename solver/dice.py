"""Dice mathematics: rolls and keeps as sorted multisets, and the lattice that one die at a time walks.

Keeps are numbered by size, so the complete rolls are the last rows. Within a size they are ordered by how many
different faces they show, which makes the loops over `fewer` predictable for the processor.

    more[k, f]                               the keep k with a die of face f + 1 added     (k not complete)
    fewer[fewer_start[k] : fewer_start[k+1]] k with one die removed, lowest face first
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np
import numpy.typing as npt

from solver.errors import InputError

Roll = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Dice:
    """All keeps and rolls of a number of dice. Faces count from 1; a roll is a sorted tuple of faces."""

    dice: int
    faces: int
    keeps: tuple[Roll, ...]
    index: dict[Roll, int]
    first_roll: int
    level_start: npt.NDArray[np.int32]
    more: npt.NDArray[np.int32]
    fewer: npt.NDArray[np.int32]
    fewer_start: npt.NDArray[np.int32]
    chance: npt.NDArray[np.float64]

    @property
    def rolls(self) -> tuple[Roll, ...]:
        """The complete rolls, in the order of every array over rolls."""
        return self.keeps[self.first_roll :]

    def counts(self, roll: Roll) -> tuple[int, ...]:
        """How many dice show each face."""
        return tuple(roll.count(face) for face in range(1, self.faces + 1))

    def kind_roll(self, face: int) -> int:
        """The index among the rolls of all dice showing `face`."""
        return self.index[(face,) * self.dice] - self.first_roll

    def parse(self, text: str) -> Roll:
        """Read `33356`, `3,3,3,5,6` or `3 3 3 5 6` into a sorted roll."""
        apart = re.split(r"[\s,]+", text.strip())
        words = apart if len(apart) > 1 else list(apart[0])
        faces = []
        for word in words:
            if not (re.fullmatch("[0-9]", word) and 1 <= int(word) <= self.faces):
                raise InputError(f"dice '{text}': '{word}' is not a face, a die shows 1 to {self.faces}.")
            faces.append(int(word))
        if len(faces) != self.dice:
            raise InputError(f"dice '{text}': {len(faces)} dice given, the game is played with {self.dice}.")
        return tuple(sorted(faces))


@cache
def make_dice(dice: int, faces: int) -> Dice:
    """The tables for `dice` dice with `faces` faces, made once."""
    keeps: list[Roll] = []
    level_start = [0]
    for size in range(dice + 1):
        level = combinations_with_replacement(range(1, faces + 1), size)
        keeps += sorted(level, key=lambda keep: (len(set(keep)), keep))
        level_start.append(len(keeps))
    index = {keep: row for row, keep in enumerate(keeps)}
    first_roll = level_start[dice]
    more = [[index[tuple(sorted((*keep, face)))] for face in range(1, faces + 1)] for keep in keeps[:first_roll]]
    fewer: list[int] = []
    fewer_start = [0]
    for keep in keeps:
        fewer += [index[_without(keep, face)] for face in sorted(set(keep))]
        fewer_start.append(len(fewer))
    ways = [factorial(dice) // prod(factorial(roll.count(face)) for face in set(roll)) for roll in keeps[first_roll:]]
    return Dice(
        dice=dice,
        faces=faces,
        keeps=tuple(keeps),
        index=index,
        first_roll=first_roll,
        level_start=np.array(level_start, dtype=np.int32),
        more=np.array(more, dtype=np.int32).reshape(first_roll, faces),
        fewer=np.array(fewer, dtype=np.int32),
        fewer_start=np.array(fewer_start, dtype=np.int32),
        chance=np.array(ways, dtype=np.float64) / faces**dice,
    )


@cache
def parts_of_rolls(dice: Dice) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """All keeps within each roll, the roll itself first: those of roll r are `parts[start[r] : start[r + 1]]`."""
    within: list[set[int]] = []
    for keep in range(len(dice.keeps)):
        smaller = dice.fewer[dice.fewer_start[keep] : dice.fewer_start[keep + 1]]
        within.append({keep}.union(*(within[part] for part in smaller)))
    parts = [sorted(within[roll], reverse=True) for roll in range(dice.first_roll, len(dice.keeps))]
    return np.concatenate(parts).astype(np.int32), np.cumsum([0, *map(len, parts)])


def _without(keep: Roll, face: int) -> Roll:
    position = keep.index(face)
    return keep[:position] + keep[position + 1 :]
