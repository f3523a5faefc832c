"""Figures for a player of Sixis: what acting on a card is worth, and which dice to save for which cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sim.sixis.play import count_rounds, round_key
from sim.sixis.table import Seat, Table
from solver.dice import Roll
from solver.sixis.advice import DealAdvisor, ModelAdvisor, SixisAdvisor
from solver.sixis.deal import BLUE, GONE, RED, SIDES, Deal, sides_of
from solver.sixis.model import match_chances
from solver.sixis.round import Round
from solver.sixis.ways import View

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]

ACTS = ("take blue", "flip", "take red")
_ROUNDS = 20_000
_RARE = 1e-4
"""Statuses that fewer turns begin in are left out."""


def seats_of(advisor: SixisAdvisor) -> tuple[Seat, ...]:
    """The advisor's player in every seat."""
    if isinstance(advisor, DealAdvisor):
        return (Seat(None), Seat(None))
    assert isinstance(advisor, ModelAdvisor)
    return tuple(Seat(model.way, model=model) for model in advisor.models)


def count_visits(deal: Deal, advisor: SixisAdvisor, *, seed: int = 0) -> npt.NDArray[np.int64]:
    """How often a turn of each seat began in each status of the cards in its reach, when all play as advised."""
    solved = advisor.solved if isinstance(advisor, DealAdvisor) else None
    return count_rounds(Table(deal, seats_of(advisor), solved), _ROUNDS, key=round_key(seed, 99)).visits


def act_worths(deal: Deal, advisor: SixisAdvisor, *, seed: int = 0) -> pd.DataFrame:
    """What an act brings over leaving all cards, its points included, if the dice allow it.

    A row for each card, act and number of cards left in reach of the first seat: the mean over the turns in which such
    a card lies there and over the rolls that satisfy it, nobody else having saved any dice.
    """
    import pandas as pd

    view, chance = View(deal, 0), deal.deck.mathematics.chance
    visits = count_visits(deal, advisor, seed=seed)[0]
    ended: dict[int, Floats] = {}

    def worth(number: int) -> Floats:
        if number not in ended:
            sides = np.full(len(deal.cards), BLUE)
            sides[list(view.places)] = sides_of(number, view.cards)
            position = Round(deal, tuple(map(int, sides)), ((),) * deal.players, (0,) * deal.players)
            ended[number] = advisor.ended(position, position.sides)
        return ended[number]

    sums: dict[tuple[str, str, int], list[float]] = {}
    for number in np.flatnonzero(visits > _RARE * visits.sum()):
        left = int(view.stages[number])
        for card, place in enumerate(view.places):
            side = sides_of(int(number), view.cards)[card]
            if side == GONE:
                continue
            weights = chance * view.matches[card, side]
            weights /= weights.sum()
            acts = [(ACTS[0], GONE, True), (ACTS[1], RED, False)] if side == BLUE else [(ACTS[2], GONE, True)]
            for act, to, takes in acts:
                after = worth(int(number) + (to - side) * 3**card)
                gain = weights @ (after - worth(int(number))) + (view.points[card, side] if takes else 0.0)
                found = sums.setdefault((deal.cards[place].name, act, left), [0.0, 0.0])
                found[0] += visits[number] * gain
                found[1] += visits[number]
    rows = [(*key, total / weight, int(weight)) for key, (total, weight) in sums.items()]
    return pd.DataFrame(rows, columns=["card", "act", "left", "worth", "turns"])


def pool_worths(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """The mean over several deals, weighted by turns."""
    import pandas as pd

    every = pd.concat(frames)
    every["sum"] = every["worth"] * every["turns"]
    pooled = every.groupby(["card", "act", "left"], sort=False)[["sum", "turns"]].sum().reset_index()
    pooled["worth"] = pooled["sum"] / pooled["turns"]
    return pooled[["card", "act", "left", "worth", "turns"]]


@dataclass(frozen=True)
class SavedDice:
    """Dice that are worth saving."""

    dice: Roll
    chance: float
    """How often they are the best save, over all rolls of all dice."""
    value: float
    """What saving them is worth."""
    cards: tuple[float, ...]
    """The chance that each card on the table can be acted on next turn."""


def best_saves(position: Round, advisor: SixisAdvisor, *, most: int = 20) -> tuple[tuple[str, ...], list[SavedDice]]:
    """The cards as they lie, with their sides, and the saves that are best most often after any roll."""
    deal, dice = position.deal, position.deal.deck.mathematics
    view = View(deal, position.mover)
    saves = np.arange(len(dice.keeps))
    worth = advisor.saves(position, position.sides, saves)
    best: dict[int, float] = {}
    for row, roll in enumerate(dice.rolls):
        parts = advisor.saves_of(roll)
        chosen = int(parts[np.argmax(worth[parts] - 1e-9 * np.array([len(dice.keeps[part]) for part in parts]))])
        best[chosen] = best.get(chosen, 0.0) + float(dice.chance[row])
    chances = match_chances(view.matches, dice)
    there = [(card, position.sides[place]) for card, place in enumerate(view.places) if position.sides[place] != GONE]
    names = tuple(f"{deal.cards[view.places[card]].name}, {SIDES[side]}" for card, side in there)
    rows = [
        SavedDice(
            dice.keeps[save], chance, float(worth[save]), tuple(chances[card, side, save] for card, side in there)
        )
        for save, chance in sorted(best.items(), key=lambda item: -item[1])[:most]
    ]
    return names, rows
