"""A round of Sixis by the sheet, in plain Python: the five steps of a turn, one after the other.

This is the game itself. The compiled players and the exact solution are tested against it.

    (1) `begin`  the round ends if it must, or if the mover says so where that is allowed
    (2) (3)      `roll` with the saved dice or with all
    (4) `act`    take or flip one card, take the Sixis card, or nothing
    (5) `save`   any dice for the next turn; the next player moves
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from solver.dice import Roll
from solver.errors import InputError
from solver.sixis.deal import BLUE, GONE, RED, Deal

STEPS = ("begin", "roll", "act", "save")
ADVANCED_SAVES = (0, 2, 3, 4)
"""Dice that the first, second, ... player may save before the first turn of an advanced start."""
MATCH_ROUNDS = (1, 3, 5)


@dataclass(frozen=True)
class Action:
    """What step (4) did: take or flip the card at a place, or take the Sixis card."""

    kind: str
    """`take`, `flip` or `sixis`."""
    place: int = -1
    points: int = 0


@dataclass(frozen=True)
class Round:
    """A round between two steps; seats count from 0 and seat 0 begins."""

    deal: Deal
    sides: tuple[int, ...]
    saved: tuple[Roll, ...]
    scores: tuple[int, ...]
    mover: int = 0
    step: str = "begin"
    dice: Roll = ()
    """The dice of the mover, from step (3) on."""
    over: bool = False

    @classmethod
    def start(cls, deal: Deal, saved: tuple[Roll, ...] | None = None) -> Round:
        """All cards blue, nothing saved (or what the advanced start allows)."""
        players = deal.players
        if saved is not None:
            _require_start(deal, saved)
        return cls(deal, (BLUE,) * len(deal.cards), saved or ((),) * players, (0,) * players)

    @property
    def may_end(self) -> bool:
        """Step (1) for two players: whether the mover may end the round."""
        return self.deal.players == 2 and self.deal.may_end(self.sides)

    def begin(self, *, end: bool = False) -> Round:
        """Step (1): the round ends if it must; with `end` the mover ends it."""
        self._require_step("begin")
        over = self.deal.must_end(self.sides, self.mover)
        if end and not over and not self.may_end:
            two = self.deal.players == 2
            reason = "a blue card is left, and cards of both groups" if two else "only two players may choose to"
            raise InputError(f"the round cannot be ended here: {reason}.")
        over = over or end
        return replace(self, over=over, step="begin" if over else "roll")

    def roll(self, rng: np.random.Generator, *, keep: bool) -> Round:
        """Steps (2) and (3): roll the dice that are not saved, or all of them."""
        saved = self.saved[self.mover] if keep else ()
        deck = self.deal.deck
        thrown = rng.integers(1, deck.faces, size=deck.dice - len(saved), endpoint=True)
        return self.rolled(tuple(sorted((*saved, *map(int, thrown)))))

    def rolled(self, dice: Roll) -> Round:
        """Steps (2) and (3) with these dice."""
        self._require_step("roll")
        deck = self.deal.deck
        if len(dice) != deck.dice or not all(1 <= face <= deck.faces for face in dice):
            shown = "".join(map(str, dice))
            raise InputError(f"a roll of {shown}: {deck.dice} dice are needed, a die shows 1 to {deck.faces}.")
        return replace(self, dice=tuple(sorted(dice)), step="act")

    def actions(self) -> tuple[Action, ...]:
        """Step (4): what the dice allow."""
        self._require_step("act")
        found = []
        for place in self.deal.reach(self.mover):
            side, card = self.sides[place], self.deal.cards[place]
            if side != GONE and card.sides[side].matches(self.dice):
                found.append(Action("take", place, card.sides[side].points))
                if side == BLUE:
                    found.append(Action("flip", place))
        sixis = self.deal.deck.sixis
        if sixis.matches(self.dice):
            found.append(Action("sixis", points=sixis.points))
        return tuple(found)

    def act(self, action: Action | None) -> Round:
        """Step (4): do it, or nothing with None."""
        if action is None:
            self._require_step("act")
            return replace(self, step="save")
        if action not in self.actions():
            raise InputError(f"the dice {''.join(map(str, self.dice))} do not allow to {action.kind} that card.")
        scores = tuple(score + action.points * (seat == self.mover) for seat, score in enumerate(self.scores))
        if action.kind == "sixis":
            return replace(self, scores=scores, over=True)
        side = RED if action.kind == "flip" else GONE
        sides = tuple(side if place == action.place else old for place, old in enumerate(self.sides))
        return replace(self, sides=sides, scores=scores, step="save")

    def save(self, keep: Roll) -> Round:
        """Step (5): set dice aside; the next player moves."""
        self._require_step("save")
        if not Counter(keep) <= Counter(self.dice):
            dice, kept = ("".join(map(str, roll)) for roll in (self.dice, keep))
            raise InputError(f"cannot save {kept}: only dice of the roll {dice} can be saved.")
        saved = tuple(tuple(sorted(keep)) if seat == self.mover else old for seat, old in enumerate(self.saved))
        return replace(self, saved=saved, mover=(self.mover + 1) % self.deal.players, step="begin", dice=())

    def _require_step(self, step: str) -> None:
        if self.over or self.step != step:
            now = "the round is over" if self.over else f"the turn is at step '{self.step}'"
            raise InputError(f"step '{step}' is not next: {now}.")


def _require_start(deal: Deal, saved: tuple[Roll, ...]) -> None:
    if len(saved) != deal.players:
        raise InputError(f"saved dice of {len(saved)} players given, {deal.players} play.")
    for seat, dice in enumerate(saved):
        if len(dice) > advanced_saves(seat):
            shown = "".join(map(str, dice))
            raise InputError(f"player {seat + 1} saves {shown}: at the start at most {advanced_saves(seat)} dice.")


def advanced_saves(seat: int) -> int:
    """How many dice a seat may save before the first turn."""
    return ADVANCED_SAVES[seat]
