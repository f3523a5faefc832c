"""Ways to play Sixis that look at the cards in reach and the own dice only, for any number of players.

Such a way is one table: `later[s, k]`, what saved dice k are worth when a turn is over and the cards in reach have
status s. Everything else follows, exact within the turn, as in `solver.sixis.exact` but without the other's dice:

    W_s(r) = max over k within r of later[s, k]
    U_s(r) = max( W_s(r), points + W_s'(r) for each card action r allows, 60 for six of a kind )
    V_s(m) = max( T[U_s | keep m], T[U_s | roll all] )

`greedy` looks at the points of this turn, and between equal ones at the mean points of the next. `patient` adds the
points of the next turn to those of this one, so that it flips cards and waits for better ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from solver.sixis.deal import GONE, Deal
from solver.sixis.exact import lattice

Floats = npt.NDArray[np.float64]

_SLIGHTLY = 1e-3


@dataclass(frozen=True, eq=False)
class View:
    """The cards in a seat's reach as arrays over rolls; a status counts the sides of these cards, the first lowest."""

    deal: Deal
    seat: int

    @cached_property
    def places(self) -> tuple[int, ...]:
        return self.deal.reach(self.seat)

    @property
    def cards(self) -> int:
        return len(self.places)

    @property
    def statuses(self) -> int:
        return int(3**self.cards)

    @cached_property
    def points(self) -> Floats:
        """Points of [card, side]."""
        return np.array([[side.points for side in self.deal.cards[place].sides] for place in self.places], dtype=float)

    @cached_property
    def matches(self) -> npt.NDArray[np.bool_]:
        """Whether [card, side] is satisfied by each roll."""
        sides = [self.deal.cards[place].sides for place in self.places]
        return np.array([[self.deal.deck.matching(side) for side in pair] for pair in sides])

    @cached_property
    def sixis(self) -> npt.NDArray[np.bool_]:
        return self.deal.deck.matching(self.deal.deck.sixis)

    @cached_property
    def stages(self) -> npt.NDArray[np.int64]:
        """How many cards are left in reach, by status."""
        numbers = np.arange(self.statuses)
        return sum(
            ((numbers // 3**card % 3 != GONE).astype(np.int64) for card in range(self.cards)), np.zeros_like(numbers)
        )

    def expect_points(self) -> Floats:
        """[s, k]: the mean points that the best card brings next turn."""
        from solver.sixis import _ways

        dice = self.deal.deck.mathematics
        found = np.empty((self.statuses, len(dice.keeps)))
        points = float(self.deal.deck.sixis.points)
        _ways.expect_points(lattice(dice), self.cards, self.points, self.matches, self.sixis, points, found)
        return found


@dataclass(frozen=True, eq=False)
class Way:
    """Decisions of a seat for every status and roll (`solver.sixis._ways.decide` explains the arrays)."""

    view: View
    first: Floats
    """What saved dice are worth before the first turn, which an advanced start asks for."""
    throws: npt.NDArray[np.uint8]
    acts: npt.NDArray[np.uint8]
    saves: npt.NDArray[np.uint16]

    @classmethod
    def by(cls, view: View, later: Floats) -> Way:
        """The decisions that follow from what saved dice are worth."""
        from solver.sixis import _ways

        dice = view.deal.deck.mathematics
        shape, rolls = later.shape, len(dice.rolls)
        throws, acts = np.empty(shape, np.uint8), np.empty((shape[0], rolls), np.uint8)
        saves = np.empty((shape[0], rolls), np.uint16)
        cards = (view.cards, view.points, view.matches, view.sixis, float(view.deal.deck.sixis.points))
        _ways.decide(lattice(dice), *cards, later, throws, acts, saves)
        return cls(view, later[0].copy(), throws, acts, saves)


def greedy(view: View) -> Way:
    """The most points this turn."""
    return Way.by(view, _SLIGHTLY * view.expect_points())


def patient(view: View) -> Way:
    """The most points of this turn and the next."""
    return Way.by(view, view.expect_points())
