"""A player who asks the advisor: optimal play that shares no kernel with the batch engine."""

from __future__ import annotations

from solver import Advisor, Roll, Sheet


class Advised:
    """Plays for the highest expected score, as `Advisor.advise` says."""

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
