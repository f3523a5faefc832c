"""An independent oracle for cut-down Sixis of two players: slow, and written from the rule sheet.

It shares nothing with the production solver. A game is plain facts: how many dice and faces, two groups of cards (what
each side asks for is a Python predicate), and the points of the Sixis card for all dice alike. Dice are enumerated one
by one, saves are all subsets of the dice on the table, and the turn is played step by step:

    (1) the mover may end the round, if no card is blue or one side of the Sixis card is bare
    (2) the mover keeps all saved dice or none
    (3) and throws the others
    (4) takes or flips one card, takes the Sixis card (which ends the round), or leaves all cards
    (5) and saves any dice for the next turn

A value is the expected margin of the player to move, from here to the end, when both play for it.

**Play without end.** Nobody has to act, so a round may go on for ever; then nobody scores again, and what is to come is
worth 0. A horizon (so many turns left, then 0) is no good substitute: who may wait waits for the last turn, when no
answer can come any more, and the values of an even and an odd number of turns never meet (`after_turns`; the tests
show it). Instead the round is *called off* with a small chance after every turn. That makes one turn more a
contraction: exactly one set of values agrees with itself, however it was found, and values that change by e in one more
turn are off by e / chance at the most. The chance then goes to 0: as soon as it is small, the best plans stay the same
and values are smooth in it, so twice those of a chance minus those of twice the chance leave an error of its square.

To find the values, some turns are played backwards first; then plans are improved: both players follow a plan, linear
equations say what each position is worth, every position gets the choice that is best by these values, until nothing
changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Faces = tuple[int, ...]
Sides = tuple[str, ...]
"""The side of each card, those of the first group first: 'blue', 'red' or 'gone'."""
Predicate = Callable[[Faces], bool]
Table = npt.NDArray[np.float64]

CALLED_OFF = 1e-6
SETTLED = 1e-12
_SWEEPS = 30
_IMPROVEMENTS = 100


class PlainCard(NamedTuple):
    """What the two sides of a card ask for, and their points."""

    blue: Predicate
    blue_points: float
    red: Predicate
    red_points: float


@dataclass(frozen=True)
class PlainGame:
    """The facts of a cut-down game."""

    dice: int
    faces: int
    groups: tuple[tuple[PlainCard, ...], ...]
    sixis_points: float

    @cached_property
    def cards(self) -> tuple[PlainCard, ...]:
        return tuple(card for group in self.groups for card in group)

    @cached_property
    def rolls(self) -> tuple[Faces, ...]:
        """All rolls, as sorted dice."""
        return tuple(sorted({tuple(sorted(dice)) for dice in product(range(1, self.faces + 1), repeat=self.dice)}))

    @cached_property
    def saves(self) -> tuple[Faces, ...]:
        """Everything that can be saved from any roll."""
        found = {save for roll in self.rolls for save in subsets(roll)}
        return tuple(sorted(found, key=lambda save: (len(save), save)))

    def may_end(self, sides: Sides) -> bool:
        """Step (1): whether the mover may end the round."""
        first = len(self.groups[0])
        bare = ("gone",) * len(sides)
        return "blue" not in sides or sides[:first] == bare[:first] or sides[first:] == bare[first:]

    def throws(self, kept: Faces) -> dict[Faces, float]:
        """Step (3): the rolls that kept dice become, with their chances."""
        outcomes = Counter(
            tuple(sorted(kept + thrown)) for thrown in product(range(1, self.faces + 1), repeat=self.dice - len(kept))
        )
        return {roll: count / outcomes.total() for roll, count in outcomes.items()}

    def card_actions(self, sides: Sides, roll: Faces) -> Iterator[tuple[str, int, float, Sides]]:
        """Step (4): (`take` or `flip`, the card, its points, the sides after it) for all that the dice allow."""
        for place, (card, side) in enumerate(zip(self.cards, sides, strict=True)):
            before, after = sides[:place], sides[place + 1 :]
            if side == "blue" and card.blue(roll):
                yield "take", place, card.blue_points, (*before, "gone", *after)
                yield "flip", place, 0.0, (*before, "red", *after)
            elif side == "red" and card.red(roll):
                yield "take", place, card.red_points, (*before, "gone", *after)


def subsets(roll: Faces) -> set[Faces]:
    """Step (5): everything that can be saved."""
    return {save for size in range(len(roll) + 1) for save in combinations(roll, size)}


def all_alike(roll: Faces) -> bool:
    """What the Sixis card asks for."""
    return len(set(roll)) == 1


class CalledOff:
    """A game that is called off with some chance after every turn: what every choice is worth.

    Tables are indexed by places in `game.saves` (the mover's, the other's) and `game.rolls`.
    """

    def __init__(self, game: PlainGame, chance: float) -> None:
        self.game, self.chance = game, chance
        self.place = {save: place for place, save in enumerate(game.saves)}
        self.parts = [sorted(self.place[part] for part in subsets(roll)) for roll in game.rolls]
        throws = [game.throws(kept) for kept in game.saves]
        self.thrown = np.array([[chances.get(roll, 0.0) for roll in game.rolls] for chances in throws])
        self.improvements: dict[Sides, int] = {}
        """How often plans had to be improved."""
        self._values: dict[Sides, Table] = {}

    def values(self, sides: Sides) -> Table:
        """What a turn is worth at its start: [mover's saved dice, other's saved dice]."""
        if sides not in self._values:
            self._values[sides] = self._improve_plans(sides)
        return self._values[sides]

    def saving(self, values: Table) -> Table:
        """Step (5), saving some dice and passing the turn, given what turns are worth: [saved dice, other's]."""
        return -(1.0 - self.chance) * values.T

    def ending(self, values: Table) -> Table:
        """Step (5) with the best save: [roll, other's saved dice]."""
        saving = self.saving(values)
        return np.array([saving[parts].max(axis=0) for parts in self.parts])

    def acting(self, sides: Sides, ending: Callable[[Sides], Table]) -> Table:
        """Step (4), the best that can be done to a card: [roll, other's saved dice], -inf where nothing can."""
        best = np.full((len(self.game.rolls), len(self.game.saves)), -np.inf)
        for row, roll in enumerate(self.game.rolls):
            if all_alike(roll):
                best[row] = self.game.sixis_points
            for _, _, points, after in self.game.card_actions(sides, roll):
                best[row] = np.maximum(best[row], points + ending(after)[row])
        return best

    def turn(self, sides: Sides, acting: Table, ending: Table) -> Table:
        """A whole turn, steps (1) to (5)."""
        throwing = self.thrown @ np.maximum(acting, ending)
        values: Table = np.maximum(throwing, throwing[self.place[()]])
        return np.maximum(values, 0.0) if self.game.may_end(sides) else values

    def after_turns(self, turns: int) -> Callable[[Sides], Table]:
        """The values if the round is stopped after so many turns; for comparison only."""
        shape = (len(self.game.saves),) * 2
        every = list(product(("blue", "red", "gone"), repeat=len(self.game.cards)))
        values = {sides: np.zeros(shape) for sides in every}
        for _ in range(turns):
            endings = {sides: self.ending(table) for sides, table in values.items()}
            values = {
                sides: self.turn(sides, self.acting(sides, endings.__getitem__), endings[sides]) for sides in every
            }
        return values.__getitem__

    def _improve_plans(self, sides: Sides) -> Table:
        """Improve plans until one turn more changes nothing."""
        endings: dict[Sides, Table] = {}

        def ending(after: Sides) -> Table:
            if after not in endings:
                endings[after] = self.ending(self.values(after))
            return endings[after]

        acting = self.acting(sides, ending)
        values = np.zeros((len(self.game.saves),) * 2)
        for improvement in range(_IMPROVEMENTS):
            after = self.turn(sides, acting, self.ending(values))
            if np.abs(after - values).max() <= SETTLED:
                self.improvements[sides] = improvement
                return values
            values = after if improvement < _SWEEPS else self._follow_plans(sides, acting, values)
        raise RuntimeError(f"{sides}: plans keep changing")

    def _follow_plans(self, sides: Sides, acting: Table, values: Table) -> Table:
        """What positions are worth if both players for ever choose what looks best by these values."""
        saves, rolls = len(self.game.saves), range(len(self.game.rolls))
        saving, ending = self.saving(values), self.ending(values)
        throwing = self.thrown @ np.maximum(acting, ending)
        matrix, constant = np.eye(saves * saves), np.zeros(saves * saves)
        for mine, other in product(range(saves), repeat=2):
            position = mine * saves + other
            kept = mine if throwing[mine, other] > throwing[0, other] else 0
            if self.game.may_end(sides) and throwing[kept, other] <= 0.0:
                continue
            for roll in rolls:
                chance = self.thrown[kept, roll]
                if chance == 0.0:
                    continue
                if acting[roll, other] >= ending[roll, other]:
                    constant[position] += chance * acting[roll, other]
                else:
                    save = max(self.parts[roll], key=lambda part: saving[part, other])
                    matrix[position, other * saves + save] += chance * (1.0 - self.chance)
        return np.linalg.solve(matrix, constant).reshape(saves, saves)
