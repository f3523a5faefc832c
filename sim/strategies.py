"""Strategies: whatever decides for a player in `sim.match`."""

from __future__ import annotations

from solver import Advisor, Roll, Sheet


class Optimal:
    """Plays for the highest expected score, by the solved table."""

    def __init__(self, advisor: Advisor) -> None:
        self._advisor = advisor

    def keep(self, sheet: Sheet, roll: Roll, rolls_left: int) -> Roll:
        keep = self._advisor.advise(sheet, roll, rolls_left=rolls_left).best.keep
        assert keep is not None
        return keep

    def place(self, sheet: Sheet, roll: Roll) -> tuple[int, str]:
        box = self._advisor.advise(sheet, roll, rolls_left=0).best.box
        assert box is not None
        return 0, box
