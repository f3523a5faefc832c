"""What was played, as whole numbers, and the same as a table with a row for each game."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from solver import Game
from solver.space import compile_space

if TYPE_CHECKING:
    import pandas as pd

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Codes = npt.NDArray[np.uint16]


class Played(NamedTuple):
    """What one strategy did in some sheets: all whole numbers.

    `tally[turn, 0, choice]` counts placements (choice = column * outcomes + outcome), `tally[turn, 1]` those with a
    repeat bonus, `tally[turn, 2]` those that completed a set; `number_bonuses[column]` counts number bonuses.
    `codes[sheet, turn]` is twice the choice, plus one for a repeat bonus; empty unless it was to be recorded.
    """

    totals: Ints
    tally: Longs
    number_bonuses: Longs
    codes: Codes


def box_labels(game: Game) -> list[str]:
    """The boxes of the sheet, with the column in front where there are several."""
    several = len(game.columns) > 1
    return [f"{c + 1}:{box.name}" if several else box.name for c in range(len(game.columns)) for box in game.boxes]


def bonus_labels(game: Game) -> list[str]:
    """The number bonus and the set bonuses of every column, named like the boxes."""
    names = (["numbers"] if game.number_bonus else []) + [bonus.name for bonus in game.set_bonuses]
    several = len(game.columns) > 1
    return [f"{c + 1}:{name}" if several else name for c in range(len(game.columns)) for name in names]


def record_frame(game: Game, played: Played, *, first: int, rounds: int) -> pd.DataFrame:
    """A row for each sheet: game and round (both from 1), total, points of each box and bonus (before the multiplier
    of the column), number of repeat bonuses (by column too where there are several, as they are multiplied), and the
    turn (from 1) at which each box was filled."""
    import pandas as pd

    plan = compile_space(game.column).plan
    outcomes, boxes = len(plan.outcome_points), len(game.boxes)
    choice = (played.codes >> 1).astype(np.int64)
    column, outcome = np.divmod(choice, outcomes)
    cell = column * boxes + plan.outcome_box[outcome]
    points = np.zeros((len(choice), game.turns), dtype=np.int16)
    np.put_along_axis(points, cell, plan.outcome_points[outcome].astype(np.int16), axis=1)
    turn = np.zeros((len(choice), game.turns), dtype=np.int16)
    np.put_along_axis(turn, cell, np.arange(1, game.turns + 1, dtype=np.int16)[None, :], axis=1)
    sheet = np.arange(len(choice), dtype=np.int64) + first * rounds
    columns: dict[str, npt.NDArray[np.generic]] = {"game": sheet // rounds + 1}
    if rounds > 1:
        columns["round"] = (sheet % rounds + 1).astype(np.int16)
    columns["total"] = played.totals
    labels = box_labels(game)
    columns |= {label: points[:, place] for place, label in enumerate(labels)}
    bonuses = _bonus_points(game, points)
    columns |= {f"bonus:{label}": bonuses[:, place] for place, label in enumerate(bonus_labels(game))}
    if game.wild is not None and game.wild.repeat_bonus:
        paid = (played.codes & 1).astype(np.int16)
        columns["repeats"] = paid.sum(axis=1, dtype=np.int16)
        if len(game.columns) > 1:
            for c in range(len(game.columns)):
                columns[f"{c + 1}:repeats"] = (paid * (column == c)).sum(axis=1, dtype=np.int16)
    columns |= {f"turn:{label}": turn[:, place] for place, label in enumerate(labels)}
    return pd.DataFrame(columns)


def _bonus_points(game: Game, points: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Bonuses as `bonus_labels` lists them, from the points of the boxes."""
    boxes = len(game.boxes)
    found = []
    for c in range(len(game.columns)):
        of_column = points[:, c * boxes : (c + 1) * boxes]
        if game.number_bonus is not None:
            numbers = [b for b, box in enumerate(game.boxes) if box.number is not None]
            reached = of_column[:, numbers].sum(axis=1) >= game.number_bonus.threshold
            found.append(reached * game.number_bonus.points)
        for bonus in game.set_bonuses:
            scored = (of_column[:, [game.box_index[name] for name in bonus.boxes]] > 0).all(axis=1)
            found.append(scored * bonus.points)
    if not found:
        return np.zeros((len(points), 0), dtype=np.int16)
    return np.stack(found, axis=1).astype(np.int16)
