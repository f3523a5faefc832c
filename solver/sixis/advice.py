"""What every decision of a turn is worth: from a solved deal for two players, else from learned models.

A solved deal holds V_s(m, k) for the saves k that are ever needed. All else follows from it in one step: what ending
the turn is worth for any dice of the other, and from that what a roll, a save that is never needed, or a turn is worth.
That is numpy only: nothing is compiled to ask.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from solver.dice import Dice, Roll, parts_of_rolls
from solver.sixis.deal import BLUE, GONE, SIDES, status
from solver.sixis.model import Model
from solver.sixis.round import Action, Round
from solver.sixis.tables import SolvedDeal

Floats = npt.NDArray[np.float64]
Sides = tuple[int, ...]


@dataclass(frozen=True)
class Choice:
    """Something to do at a step of the turn, and the expected margin it leads to, from here to the end."""

    kind: str
    """`keep`, `roll` (all dice), `end`, `leave` (all cards), `take`, `flip`, `sixis` or `save`."""
    text: str
    value: float
    loss: float = 0.0
    action: Action | None = None
    save: Roll | None = None


@dataclass(frozen=True)
class TurnAdvice:
    """All that can be done in a position, best first."""

    position: Round
    choices: tuple[Choice, ...]
    method: str
    error: float
    """The most that rounding in the table changes a value; 0 if nothing was rounded."""

    @property
    def value(self) -> float:
        return self.choices[0].value


class SixisAdvisor(ABC):
    """Every option of a step, ranked. What a way to play thinks that things are worth comes from its subclass."""

    method: str
    error = 0.0

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        starts = dice.fewer_start
        self._parts = [dice.fewer[starts[keep] : starts[keep + 1]] for keep in range(len(dice.keeps))]

    @abstractmethod
    def throws(self, position: Round) -> Floats:
        """What throwing is worth to the mover with each keep left on the table, [k]."""

    @abstractmethod
    def saves(self, position: Round, sides: Sides, saves: npt.NDArray[np.int64]) -> Floats:
        """What ending the turn is worth with the cards on these sides and each of these saves."""

    @abstractmethod
    def ended(self, position: Round, sides: Sides) -> Floats:
        """What ending the turn is worth with the cards on these sides and the best save, for every roll."""

    def advise(self, position: Round) -> TurnAdvice:
        """Rank what the mover can do at this step; the position's cards are those of the deal, in any order."""
        if position.step in ("begin", "roll"):
            choices = self._begin(position)
        elif position.step == "act":
            choices = self._act(position)
        else:
            choices = self._save(position)
        choices.sort(key=lambda choice: -choice.value)
        best = choices[0].value
        ranked = tuple(replace(choice, value=choice.value + 0.0, loss=best - choice.value) for choice in choices)
        return TurnAdvice(position, ranked, self.method, self.error)

    def _begin(self, position: Round) -> list[Choice]:
        if position.deal.must_end(position.sides, position.mover):
            return [Choice("end", "end the round, which is over: no card is left in reach", 0.0)]
        worth = self.throws(position)
        saved = position.saved[position.mover]
        choices = [Choice("roll", "roll all dice", float(worth[0]))]
        if saved:
            rest = self.dice.dice - len(saved)
            rolled = f"roll {rest}" if rest else "roll nothing"
            choices.insert(0, Choice("keep", f"keep {_text(saved)}, {rolled}", float(worth[self.dice.index[saved]])))
        if position.step == "begin" and position.may_end:
            choices.append(Choice("end", "end the round", 0.0))
        return choices

    def _act(self, position: Round) -> list[Choice]:
        row = self.dice.index[position.dice] - self.dice.first_roll
        choices = [Choice("leave", "leave all cards", float(self.ended(position, position.sides)[row]))]
        for action in position.actions():
            if action.kind == "sixis":
                text = "take the Sixis card, which ends the round"
                choices.append(Choice("sixis", text, float(action.points), action=action))
                continue
            name = position.deal.cards[action.place].name
            value = action.points + float(self.ended(position, position.act(action).sides)[row])
            side = SIDES[position.sides[action.place]]
            text = f"flip {name}" if action.kind == "flip" else f"take {name} ({side}) for {action.points}"
            choices.append(Choice(action.kind, text, value, action=action))
        return choices

    def _save(self, position: Round) -> list[Choice]:
        saves = self.saves_of(position.dice)
        worth = self.saves(position, position.sides, saves)
        return [
            Choice("save", _save_text(self.dice.keeps[save]), float(value), save=self.dice.keeps[save])
            for save, value in zip(saves, worth, strict=True)
        ]

    def saves_of(self, roll: Roll) -> npt.NDArray[np.int64]:
        """Everything that can be saved from a roll."""
        parts, start = parts_of_rolls(self.dice)
        row = self.dice.index[roll] - self.dice.first_roll
        return parts[start[row] : start[row + 1]].astype(np.int64)

    def _raised(self, rows: Floats) -> Floats:
        """The best part of each keep."""
        rows = rows.copy()
        for keep in range(1, len(rows)):
            rows[keep] = np.maximum(rows[keep], rows[self._parts[keep]].max(axis=0))
        return rows

    def _expected(self, rows: Floats) -> Floats:
        """From what rolls are worth, in their places, to what all keeps are worth."""
        for keep in range(self.dice.first_roll - 1, -1, -1):
            rows[keep] = rows[self.dice.more[keep]].mean(axis=0)
        return rows


class DealAdvisor(SixisAdvisor):
    """Advice for the two players of a solved deal: the expected margin, exact."""

    method = "exact"

    def __init__(self, solved: SolvedDeal) -> None:
        super().__init__(solved.deal.deck.mathematics)
        self.solved = solved
        self.error = solved.error
        self._status = lru_cache(maxsize=64)(solved.status)

    def throws(self, position: Round) -> Floats:
        worth: Floats = self._throws(self._sides(position, position.sides), self._other(position))[:, 0]
        return worth

    def saves(self, position: Round, sides: Sides, saves: npt.NDArray[np.int64]) -> Floats:
        worth: Floats = -self.values(self._sides(position, sides), self._other(position), saves)[0]
        return worth

    def ended(self, position: Round, sides: Sides) -> Floats:
        worth: Floats = self._ended(status(self._sides(position, sides)), self._other(position))[:, 0]
        return worth

    def _sides(self, position: Round, sides: Sides) -> Sides:
        return position.deal.rearrange(sides, self.solved.deal)

    def _other(self, position: Round) -> npt.NDArray[np.int64]:
        return np.array([self.dice.index[position.saved[1 - position.mover]]])

    def values(self, sides: Sides, mine: npt.NDArray[np.int64], others: npt.NDArray[np.int64]) -> Floats:
        """V(m, o) for some m and some o, whether or not the table holds them."""
        number = status(sides)
        saves, held = self._status(number)
        place = {int(save): i for i, save in enumerate(saves)}
        found = np.empty((len(mine), len(others)))
        missing = [i for i, other in enumerate(others) if int(other) not in place]
        for i, other in enumerate(others):
            if int(other) in place:
                found[:, i] = held[mine, place[int(other)]]
        if missing:
            thrown = self._throws(sides, others[missing])
            worth = np.maximum(thrown[mine], thrown[0])
            found[:, missing] = np.maximum(worth, 0.0) if self.solved.deal.may_end(sides) else worth
        return found

    def _throws(self, sides: Sides, others: npt.NDArray[np.int64]) -> Floats:
        """What throwing with each saved m is worth against some o: T[U(., o) | keep m], as [m, o]."""
        number, dice, deal = status(sides), self.dice, self.solved.deal
        rows = np.empty((len(dice.keeps), len(others)))
        waiting = self._saved(number, others)
        ended = self._raised(waiting)
        best = ended[dice.first_roll :].copy()
        acting = np.full_like(best, -np.inf)
        acting[deal.deck.matching(deal.deck.sixis)] = float(deal.deck.sixis.points)
        for place, side in enumerate(sides):
            if side == 2:
                continue
            card = deal.cards[place].sides[side]
            allowed = deal.deck.matching(card)
            after = [(2 - side, card.points)] + ([(1, 0)] if side == 0 else [])
            for step, points in after:
                worth = points + self._ended(number + step * 3**place, others)
                acting[allowed] = np.maximum(acting[allowed], worth[allowed])
        rows[dice.first_roll :] = np.maximum(best, acting)
        self._expected(rows)
        full = others >= dice.first_roll
        for keep in range(dice.first_roll, len(dice.keeps)) if full.any() else ():
            # Both hold all their dice: to wait is worth at most 0 (`solver.sixis.exact`).
            idle = np.where(full, np.minimum(waiting[keep], 0.0), waiting[keep])
            less = ended[self._parts[keep]].max(axis=0)
            rows[keep] = np.maximum(np.maximum(idle, less), acting[keep - dice.first_roll])
        return rows

    def _saved(self, number: int, others: npt.NDArray[np.int64]) -> Floats:
        """-V(o, k) as [k, o] for the needed saves k, -inf for the others."""
        saves, held = self._status(number)
        rows = np.full((len(self.dice.keeps), len(others)), -np.inf)
        rows[saves] = -held[others].T
        return rows

    def _ended(self, number: int, others: npt.NDArray[np.int64]) -> Floats:
        """W(r, o) as [r, o]: what ending the turn with each roll is worth."""
        return self._raised(self._saved(number, others))[self.dice.first_roll :]


class ModelAdvisor(SixisAdvisor):
    """Advice by learned models, one for each seat: the points from here on less the mean of the others', as estimated.

    The estimates are too high by some points, because a model is the best answer to chances that are not quite right:
    their order is what counts.
    """

    method = "learned"

    def __init__(self, models: Sequence[Model]) -> None:
        super().__init__(models[0].view.deal.deck.mathematics)
        self.models = models

    def throws(self, position: Round) -> Floats:
        model = self.models[position.mover]
        view, number = model.view, self._number(position, position.sides)
        rows = self._raised(model.later[number].astype(np.float64))
        best = rows[self.dice.first_roll :]
        if view.sixis.any():
            best[view.sixis] = np.maximum(best[view.sixis], float(view.deal.deck.sixis.points))
        for card, place in enumerate(view.places):
            side = position.sides[place]
            if side == GONE:
                continue
            after = [(GONE - side, float(view.points[card, side]))] + ([(1, 0.0)] if side == BLUE else [])
            for step, points in after:
                ended = points + self._raised(model.later[number + step * 3**card].astype(np.float64))
                allowed = view.matches[card, side]
                best[allowed] = np.maximum(best[allowed], ended[self.dice.first_roll :][allowed])
        return self._expected(rows)

    def saves(self, position: Round, sides: Sides, saves: npt.NDArray[np.int64]) -> Floats:
        worth: Floats = self._foreseen(position, sides)[saves]
        return worth

    def ended(self, position: Round, sides: Sides) -> Floats:
        return self._raised(self._foreseen(position, sides))[self.dice.first_roll :]

    def _foreseen(self, position: Round, sides: Sides) -> Floats:
        players = position.deal.players
        others = (position.saved[(position.mover + turn) % players] for turn in range(1, players))
        saved = np.array([self.dice.index[dice] for dice in others])
        return self.models[position.mover].foresee(self._number(position, sides), saved)

    def _number(self, position: Round, sides: Sides) -> int:
        return status([sides[place] for place in self.models[position.mover].view.places])


def _text(dice: Roll) -> str:
    return " ".join(map(str, dice))


def _save_text(dice: Roll) -> str:
    return f"save {_text(dice)}" if dice else "save nothing"
