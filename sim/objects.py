"""Playing sheets with a strategy in plain Python: slower, but the same dice and the same records as in `sim.batch`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

from sim.match import Strategy
from sim.played import Played
from solver import Game, InputError, Placement, Roll, RollwiseError, Sheet
from solver.policy import COMPLETES, REPEAT
from solver.scoring import Regime
from solver.space import Space, compile_space

Answer = TypeVar("Answer")


def play_object(
    strategy: Strategy, game: Game, key: int, first: int, sheets: int, *, tick: Callable[[int], None] | None = None
) -> Played:
    """Play sheets one after the other; a move against the rules or an error is told in one sentence.

    `tick` is called with the number of turns played.
    """
    space = compile_space(game.column)
    outcomes = len(space.plan.outcome_points)
    tally = np.zeros((game.turns, 3, len(game.columns) * outcomes), dtype=np.int64)
    codes = np.zeros((sheets, game.turns), dtype=np.uint16)
    totals = np.zeros(sheets, dtype=np.int32)
    number_bonuses = np.zeros(len(game.columns), dtype=np.int64)
    for number in range(sheets):
        sheet = Sheet.empty(game)
        for turn in range(game.turns):
            roll = _roll_dice(strategy, sheet, key, first + number, turn)
            placement = _place(strategy, sheet, roll)
            choice = placement.column * outcomes + _outcome(space, sheet, roll, placement)
            after = sheet.after(placement)
            event = REPEAT * (placement.bonus > 0) + COMPLETES * _completes(after, placement)
            tally[turn, 0, choice] += 1
            tally[turn, 1, choice] += event & REPEAT
            tally[turn, 2, choice] += event // COMPLETES
            codes[number, turn] = 2 * choice + (event & REPEAT)
            sheet = after
        if tick is not None:
            tick(game.turns)
        totals[number] = sheet.total
        if game.number_bonus is not None:
            for column in range(len(game.columns)):
                number_bonuses[column] += sheet.number_total(column) >= game.number_bonus.threshold
    return Played(totals, tally, number_bonuses, codes)


def _roll_dice(strategy: Strategy, sheet: Sheet, key: int, number: int, turn: int) -> Roll:
    """The rolling part of a turn, with the dice that the compiled player would see."""
    game = sheet.game
    roll = _throw(key, number, turn * 2 * game.rolls, game.dice, game.faces)
    for again in range(1, game.rolls):
        rolls_left = game.rolls - again
        where = f"{rolls_left} {'roll' if rolls_left == 1 else 'rolls'} left"
        answer = _ask(partial(strategy.keep, sheet, roll, rolls_left), sheet, roll, where)
        keep = tuple(answer) if isinstance(answer, (tuple, list)) else (answer,)
        if not Counter(keep) <= Counter(roll):
            raise _refused(sheet, roll, where, f"keep returned {answer!r}, only dice of the roll can be kept")
        if len(keep) == game.dice:
            break
        thrown = _throw(key, number, turn * 2 * game.rolls + again, game.dice - len(keep), game.faces)
        roll = tuple(sorted(keep + thrown))
    return roll


def _place(strategy: Strategy, sheet: Sheet, roll: Roll) -> Placement:
    where = "no rolls left"
    answer = _ask(partial(strategy.place, sheet, roll), sheet, roll, where)
    placements = sheet.placements(roll)
    for placement in placements:
        if (placement.column, placement.box) == answer:
            return placement
    allowed = ", ".join(f"({place.column}, '{place.box}')" for place in placements)
    raise _refused(sheet, roll, where, f"place returned {answer!r}, allowed are {allowed}")


def _ask(question: Callable[[], Answer], sheet: Sheet, roll: Roll, where: str) -> Answer:
    """The answer of a user's code; whatever it raises becomes one sentence."""
    try:
        return question()
    except RollwiseError:
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise _refused(sheet, roll, where, f"it raised {told}") from None


def _refused(sheet: Sheet, roll: Roll, where: str, what: str) -> InputError:
    position = f"'{sheet}'" if sheet.turn else "empty"
    return InputError(f"your strategy, roll {'-'.join(map(str, roll))}, {where}, sheet {position}: {what}.")


def _throw(key: int, number: int, place: int, dice: int, faces: int) -> Roll:
    from sim import _play  # Imported late, like all that needs numba.

    thrown = np.empty(dice, dtype=np.int64)
    _play.throw(np.uint64(key), number, place, faces, thrown)
    return tuple(sorted(thrown.tolist()))


def _outcome(space: Space, sheet: Sheet, roll: Roll, placement: Placement) -> int:
    """The number of the outcome, as the compiled player counts them."""
    regime, dice = sheet.regime(roll), space.dice
    row = dice.index[roll] - dice.first_roll
    if regime is not Regime.ORDINARY:
        row = len(dice.rolls) + (regime - 1) * dice.faces + roll[0] - 1
    return int(space.plan.outcome_of[row, sheet.game.box_index[placement.box]])


def _completes(after: Sheet, placement: Placement) -> bool:
    """Whether the placement completed a set that pays."""
    game, scores = after.game, after.columns[placement.column]
    return any(
        placement.box in bonus.boxes and all(scores[game.box_index[name]] for name in bonus.boxes)
        for bonus in game.set_bonuses
    )
