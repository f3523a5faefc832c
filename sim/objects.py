"""Playing sheets with a strategy in plain Python: slower, but the same dice and the same records as in `sim.batch`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np

from sim.match import Strategy
from sim.played import Played
from sim.strategies import told
from solver import Game, InputError, Placement, Roll, Sheet
from solver.policy import COMPLETES, REPEAT
from solver.scoring import Regime
from solver.space import Space, compile_space


def play_object(
    strategy: Strategy,
    name: str,
    game: Game,
    key: int,
    first: int,
    sheets: int,
    *,
    tick: Callable[[int], None] | None = None,
) -> Played:
    """Play sheets one after the other; a move against the rules or an error is told in one sentence with the name.

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
            asked = _Asked(strategy, name, sheet)
            roll = _roll_dice(asked, key, first + number, turn)
            placement = asked.place(roll)
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


def _roll_dice(asked: _Asked, key: int, number: int, turn: int) -> Roll:
    """The rolling part of a turn, with the dice that the compiled player would see."""
    game = asked.sheet.game
    roll = _throw(key, number, turn * 2 * game.rolls, game.dice, game.faces)
    for again in range(1, game.rolls):
        keep = asked.keep(roll, game.rolls - again)
        if len(keep) == game.dice:
            break
        thrown = _throw(key, number, turn * 2 * game.rolls + again, game.dice - len(keep), game.faces)
        roll = tuple(sorted(keep + thrown))
    return roll


@dataclass(frozen=True)
class _Asked:
    """Questions to a user's strategy about one sheet; answers that make no sense are refused."""

    strategy: Strategy
    name: str
    sheet: Sheet

    def keep(self, roll: Roll, rolls_left: int) -> Roll:
        where = f"{rolls_left} {'roll' if rolls_left == 1 else 'rolls'} left"
        answer = self._ask(lambda: self.strategy.keep(self.sheet, roll, rolls_left), roll, where)
        try:
            keep = tuple(sorted(index(face) for face in answer))
        except Exception:
            keep = (0,)
        if not Counter(keep) <= Counter(roll):
            raise self._refused(roll, where, f"keep returned {_shown(answer)}, only dice of the roll can be kept")
        return keep

    def place(self, roll: Roll) -> Placement:
        where = "no rolls left"
        answer = self._ask(lambda: self.strategy.place(self.sheet, roll), roll, where)
        placements = self.sheet.placements(roll)
        try:
            column, box = answer
            for placement in placements:
                if placement.column == index(column) and placement.box == str(box):
                    return placement
        except Exception:
            pass  # Refused below, whatever kind of answer it is.
        allowed = ", ".join(f"({place.column}, '{place.box}')" for place in placements)
        raise self._refused(roll, where, f"place returned {_shown(answer)}, allowed are {allowed}")

    def _ask(self, question: Callable[[], Any], roll: Roll, where: str) -> Any:
        """The answer of a user's code; whatever it raises becomes one sentence."""
        try:
            return question()
        except (Exception, SystemExit) as error:
            raise self._refused(roll, where, f"it raised {told(error)}") from None

    def _refused(self, roll: Roll, where: str, what: str) -> InputError:
        position = f"'{self.sheet}'" if self.sheet.turn else "empty"
        what = " ".join(what.split())
        return InputError(f"strategy {self.name}, roll {'-'.join(map(str, roll))}, {where}, sheet {position}: {what}.")


def _shown(answer: object) -> str:
    try:
        return repr(answer)
    except Exception:
        return f"a {type(answer).__name__}"


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
