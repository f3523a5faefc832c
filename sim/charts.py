"""Charts to play by: what to keep and where to score. `sim.look` holds how they look and how they are saved."""

from __future__ import annotations

from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING

from sim.look import FAINT, INK, LINE, MAIN, PAPER, WIDTH, style
from solver import Advisor, Roll, Sheet, make_dice

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEAD = 5.4
"""Room for the title; like all lengths below it counts dice, a die being the unit of the drawing."""
_MARGIN = 1.0
_NUMBER = 1.6


def opening_chart(advisor: Advisor) -> Figure:
    """What to keep for each first roll of the game."""
    return decision_chart(advisor, Sheet.empty(advisor.game), rolls_left=advisor.game.rolls - 1)


def decision_chart(advisor: Advisor, sheet: Sheet, *, rolls_left: int) -> Figure:
    """The best decision for every roll: the dice to keep filled in, or with no rolls left the box to score."""
    from matplotlib.figure import Figure

    dice = make_dice(advisor.game.dice, advisor.game.faces)
    best = {roll: advisor.advise(sheet, roll, rolls_left=rolls_left).best for roll in dice.rolls}
    per_row, cell, line = (9, dice.dice + 2.0, 1.5) if rolls_left else (7, dice.dice + 4.5, 2.1)
    rows = _rows(sorted(best), per_row=per_row)
    width = 2 * _MARGIN + _NUMBER + max(len(row) for row in rows) * cell - 1.0
    height = _HEAD + len(rows) * line + 0.5
    with style():
        figure = Figure(figsize=(WIDTH, WIDTH * height / width))
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0.0, width), ylim=(height, 0.0))
        axes.axis("off")
        die = WIDTH * 72.0 / width  # the size of a die in points
        _title(axes, advisor, sheet, rolls_left, die)
        lowest = 0
        for number, row in enumerate(rows):
            top = _HEAD + number * line
            if row[0][0] != lowest:
                lowest = row[0][0]
                axes.plot([_MARGIN, width - _MARGIN], [top - 0.22] * 2, color=LINE, linewidth=0.6)
                axes.text(_MARGIN, top + 0.5, str(lowest), fontsize=1.1 * die, color=FAINT, va="center", weight="bold")
            for column, roll in enumerate(row):
                left = _MARGIN + _NUMBER + column * cell
                _dice(axes, left, top, roll, best[roll].keep, die)
                if best[roll].box is not None:
                    axes.text(left + 0.1, top + 1.42, str(best[roll].box), fontsize=0.6 * die, va="center")
    return figure


def _rows(rolls: list[Roll], *, per_row: int) -> list[list[Roll]]:
    """Rolls cut into rows; another lowest die starts a new row."""
    rows = []
    for _, group in groupby(rolls, key=lambda roll: roll[0]):
        same = list(group)
        rows += [same[start : start + per_row] for start in range(0, len(same), per_row)]
    return rows


def _title(axes: Axes, advisor: Advisor, sheet: Sheet, rolls_left: int, die: float) -> None:
    game = advisor.game
    if not sheet.turn and rolls_left and rolls_left == game.rolls - 1:
        head = f"{game.title}: what to keep after the first roll of the game"
    elif rolls_left:
        head = f"{game.title}: what to keep with {rolls_left} {'roll' if rolls_left == 1 else 'rolls'} left"
    else:
        head = f"{game.title}: where to score the final roll"
    how = "Filled dice are kept, the others rolled again." if rolls_left else "The box to fill stands below the dice."
    total = sheet.total + advisor.expect(sheet)
    how += f" Rolls are listed by their lowest die. Average final score {total:.2f} ({advisor.solution.method})."
    axes.text(_MARGIN, 1.5, head, fontsize=1.55 * die, weight="bold", va="center")
    axes.text(_MARGIN, 3.1, how, fontsize=0.95 * die, va="center")
    if sheet.turn:
        filled = "\n".join(wrap(f"On the sheet: {sheet}", width=110))
        axes.text(_MARGIN, 3.9, filled, fontsize=0.72 * die, va="top", color=FAINT)


def _dice(axes: Axes, left: float, top: float, roll: Roll, keep: Roll | None, die: float) -> None:
    """A roll as a row of dice. With a keep its dice are dark and the others pale; without one all are plain."""
    from matplotlib.patches import FancyBboxPatch

    left_to_keep = list(keep or ())
    for place, face in enumerate(roll):
        kept = face in left_to_keep
        if kept:
            left_to_keep.remove(face)
        x, y = left + place + 0.5, top + 0.5
        edge = MAIN if kept else LINE if keep is not None else FAINT
        number = PAPER if kept else FAINT if keep is not None else INK
        axes.add_patch(
            FancyBboxPatch(
                (x - 0.4, y - 0.4),
                0.8,
                0.8,
                boxstyle="round,pad=0,rounding_size=0.18",
                facecolor=MAIN if kept else PAPER,
                edgecolor=edge,
                linewidth=0.5,
            )
        )
        weight = "bold" if kept else "normal"
        axes.text(x, y + 0.03, str(face), fontsize=0.68 * die, ha="center", va="center", color=number, weight=weight)
