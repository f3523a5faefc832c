"""What a roll scores in a box, joker and repeat bonus included: the one place that decides it.

Most rolls are `ORDINARY`. A roll of all dice alike, once every wild box is filled, is in one of the other
regimes; which one depends only on the boxes that are filled, never on what they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from solver.rules import Box, Game


class Regime(IntEnum):
    """How a roll may be placed."""

    ORDINARY = 0
    NUMBER_OPEN = 1
    """All dice alike, the wild boxes are filled, a box of its number is still open."""
    JOKER = 2
    """The boxes of its number are filled too, and a box without a number is open."""
    NUMBERS_ONLY = 3
    """As JOKER, but only number boxes are left."""


class Outcome(NamedTuple):
    """Points written into a box, and whether the repeat bonus is due if the wild boxes hold points."""

    points: int
    repeat: bool


def outcome(game: Game, box: Box, counts: Sequence[int], regime: Regime) -> Outcome | None:
    """The outcome of placing a roll in an open box, or None where the forced joker forbids it."""
    wild = game.wild
    if wild is None or regime is Regime.ORDINARY:
        return Outcome(box.score(counts), repeat=False)
    is_number = box.number is not None
    if wild.joker == "forced":
        number_box_open = regime is Regime.NUMBER_OPEN
        if number_box_open and not (is_number and box.score(counts) > 0):
            return None
        if regime is Regime.JOKER and is_number:
            return None
    joker = wild.joker != "none" and regime is not Regime.NUMBER_OPEN and box.joker
    points = box.joker_score(counts) if joker else box.score(counts)
    repeat = wild.repeat_bonus > 0 and (points > 0 or not wild.repeat_needs_points)
    return Outcome(points, repeat)
