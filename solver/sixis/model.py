"""A player for any number of seats: the other players as chances.

From one seat's side the others are chances that, on a turn of theirs, a card in reach is flipped or taken, points are
taken elsewhere, or the round ends; by opponent and by the number of cards left in reach. Then the value of a position
is a small dynamic program over the cards in reach and the own saved dice:

    V_s(m)       the own turn, exactly (`solver.sixis.ways`), given later[s, k]
    later[s, k]  the mean of V_s'(k) over what the opponents do until the next own turn, less `weight` times the points
                 they take, each opponent with a weight of its own (a partner's is negative)

That is what turns far away are worth. The next turn of an opponent is foreseen better, because the dice it has saved
are known: it acts on a card if its dice allow that, which is a chance that dice mathematics knows, and if it then likes
to, which is a rate. Actions and saves are chosen by one such turn of every opponent followed by V; whether to keep the
saved dice, by V alone.

`sim.sixis.learn` estimates the chances by playing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from solver.dice import Dice
from solver.sixis.deal import sides_of
from solver.sixis.exact import lattice
from solver.sixis.ways import View, Way

Floats = npt.NDArray[np.float64]

FORESEEN = 512
"""Room for statuses that can come about until the own next turn; 49 are the most with the sheet's layouts."""


@dataclass(frozen=True, eq=False)
class Chances:
    """What opponents do on a turn, [turns after the own one, cards left in reach, ...]."""

    rates: Floats
    """Chances of [..., card, flip blue / take blue / take red]."""
    acts: Floats
    """The same if the opponent's dice allow it."""
    sixis: Floats
    """The chance that the Sixis card is taken."""
    ends: Floats
    """Three and four players: the chance that the round ends because the opponent has no card in reach."""
    elsewhere: Floats
    """Mean points from cards out of reach."""


@dataclass(frozen=True, eq=False)
class Model:
    """A seat's view of the game, solved: V_s(m) in `values`, and the decisions that follow from later[s, k]."""

    view: View
    chances: Chances
    weights: Floats
    values: npt.NDArray[np.float32]
    later: npt.NDArray[np.float32]

    @cached_property
    def way(self) -> Way:
        """The decisions that know nothing of the others' dice."""
        way = Way.by(self.view, self.later.astype(np.float64))
        way.throws[self.may_end[:, None] & (self.values <= 0.0)] = 2
        return way

    @cached_property
    def may_end(self) -> npt.NDArray[np.bool_]:
        """By status: whether the mover may end the round."""
        return _may_end(self.view)

    @cached_property
    def chance(self) -> Floats:
        """The chance that a side of a card in reach is satisfied next, [card, side, saved dice]."""
        return match_chances(self.view.matches, self.view.deal.deck.mathematics)

    @cached_property
    def sixis_chance(self) -> Floats:
        """The same for the Sixis card, [saved dice]."""
        chance: Floats = match_chances(self.view.sixis[None, None], self.view.deal.deck.mathematics)[0, 0]
        return chance

    def foresee(self, number: int, saved: npt.NDArray[np.int64]) -> Floats:
        """What each k is worth when the turn is over, the others (the next one first) holding `saved`."""
        from solver.sixis import _ways

        view, chances = self.view, self.chances
        found, odds = np.empty(FORESEEN, np.int64), np.empty(FORESEEN)
        spare = (np.empty(FORESEEN, np.int64), np.empty(FORESEEN))
        facts = (view.cards, view.points, float(view.deal.deck.sixis.points), self.chance, self.sixis_chance)
        rates = (chances.acts, chances.ends, chances.elsewhere, self.weights)
        count, loss = _ways.foresee(*facts, *rates, view.stages, saved, number, found, odds, spare)
        worth: Floats = odds[:count] @ self.values[found[:count]] - loss
        return np.minimum(worth, 0.0) if self.may_end[number] else worth


def match_chances(matches: npt.NDArray[np.bool_], dice: Dice) -> Floats:
    """From [card, side, roll] to the chance of it, [card, side, saved dice]."""
    found = np.zeros((*matches.shape[:2], len(dice.keeps)))
    found[..., dice.first_roll :] = matches
    for keep in range(dice.first_roll - 1, -1, -1):
        found[..., keep] = found[..., dice.more[keep]].mean(axis=-1)
    return found


def solve_model(view: View, chances: Chances, weights: npt.ArrayLike) -> Model:
    """The best play against these chances."""
    from solver.sixis import _ways

    dice = view.deal.deck.mathematics
    weighed = np.asarray(weights, dtype=np.float64)
    over = view.stages == 0 if view.deal.players > 2 else np.zeros(view.statuses, np.bool_)
    mids = np.empty((len(weighed) + 1, view.statuses, len(dice.keeps) + 1))
    points = float(view.deal.deck.sixis.points)
    _ways.solve_view(
        lattice(dice),
        view.cards,
        view.points,
        view.matches,
        view.sixis,
        points,
        chances.rates,
        chances.sixis,
        chances.ends,
        chances.elsewhere,
        weighed,
        view.stages,
        over,
        _may_end(view),
        mids,
    )
    later, values = (mids[turn, :, :-1].astype(np.float32) for turn in (0, -1))
    return Model(view, chances, weighed, values, later)


def _may_end(view: View) -> npt.NDArray[np.bool_]:
    deal = view.deal
    return np.array([deal.players == 2 and deal.may_end(sides_of(s, view.cards)) for s in range(view.statuses)])
