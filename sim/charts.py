"""Charts to play by. Each function draws one figure; `sim.look` holds how they look and how they are saved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from sim.look import FAINT, INK, LINE, MAIN, PAPER, SECOND, style
from solver import Advisor, Figures, InputError, Roll, Sheet, make_dice

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH = 8.0
"""Inches, to fit a printed page."""
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
        figure = Figure(figsize=(_WIDTH, _WIDTH * height / width))
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0.0, width), ylim=(height, 0.0))
        axes.axis("off")
        die = _WIDTH * 72.0 / width  # the size of a die in points
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


def distribution_chart(figures: Figures) -> Figure:
    """How likely each final score is, with the percentiles that matter."""
    from matplotlib.figure import Figure

    distribution = figures.distribution
    low, high = distribution.percentile(0.05), distribution.percentile(99.9)
    scores = np.arange(low, high + 1)
    percent = 100.0 * distribution.chances[low : high + 1]
    with style():
        figure = Figure(figsize=(_WIDTH, 4.8), layout="constrained")
        _head(figure, f"{distribution.game.title}: final scores of optimal play")
        axes = figure.add_subplot()
        axes.bar(scores, percent, width=1.0, color=MAIN, linewidth=0.0)
        told = f"Mean {distribution.mean:.2f}, standard deviation {distribution.sd:.2f} ({distribution.method}). "
        axes.set_title(told + "Orange: this share of games ends with so many points or fewer.")
        axes.set_xlabel("final score in points")
        axes.set_ylabel("chance of exactly this score in percent")
        axes.set_xlim(low - 2, high + 2)
        axes.set_ylim(0.0, 1.3 * percent.max())
        for number, marked in enumerate((5, 25, 50, 75, 95, 99)):
            score = distribution.percentile(marked)
            height = (1.1 + 0.07 * (number % 3)) * percent.max()
            side, gap = ("right", -2) if marked < 50 else ("left", 2)
            axes.plot([score, score], [0.0, height], color=SECOND, linewidth=1.0)
            label = axes.text(score + gap, height, f"{marked} %: {score}", color=SECOND, va="center", ha=side)
            label.set(fontsize=9, bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.0}, zorder=3)
    return figure


def boxes_chart(advisor: Advisor, figures: Figures) -> Figure:
    """Box by box: mean points, how often it ends as a zero, and what it costs to fill it with a zero first."""
    from matplotlib.figure import Figure

    game = advisor.game
    names = [box.box for box in figures.boxes]
    panels: dict[str, list[float | None]] = {
        "mean points\n": [box.mean for box in figures.boxes],
        "ends as a zero,\npercent of games": [100.0 * box.zero for box in figures.boxes],
        "cost of a zero on the\nfirst turn, points": [_cost_of_zero(advisor, name) for name in names],
    }
    with style():
        figure = Figure(figsize=(_WIDTH, 0.9 + 0.34 * len(names)), layout="constrained")
        _head(figure, f"{game.title}: the boxes under optimal play ({figures.distribution.method})")
        axes: Sequence[Axes] = figure.subplots(1, len(panels), sharey=True)
        for panel, (title, values) in zip(axes, panels.items(), strict=True):
            shown = [0.0 if value is None else value for value in values]
            bars = panel.barh(names, shown, color=MAIN, height=0.65)
            panel.bar_label(bars, ["never zero" if value is None else f"{value:.1f}" for value in values], padding=3)
            panel.set_title(title)
            panel.set_xlim(0.0, 1.3 * max(shown) or 1.0)
            panel.set_xticks([])
            panel.spines["bottom"].set_visible(False)
            panel.tick_params(length=0)
        axes[0].invert_yaxis()
    return figure


def timeline_chart(figures: Figures) -> Figure:
    """On which turn each box is filled, in percent of games."""
    from matplotlib.figure import Figure

    game = figures.distribution.game
    percent = 100.0 * np.array([box.turns for box in figures.boxes])
    turns = np.arange(1, percent.shape[1] + 1)
    with style():
        figure = Figure(figsize=(_WIDTH, 1.2 + 0.36 * len(percent)), layout="constrained")
        axes = figure.add_subplot()
        axes.imshow(percent, aspect="auto", cmap="Blues", vmin=0.0)
        _head(figure, f"{game.title}: when optimal play fills each box ({figures.distribution.method})")
        axes.set_title("In percent of games; each row adds up to 100.")
        axes.set_xlabel("turn")
        axes.set_xticks(turns - 1, [str(turn) for turn in turns])
        axes.set_yticks(range(len(percent)), [box.box for box in figures.boxes])
        axes.tick_params(length=0)
        for row, line in enumerate(percent):
            for column, value in enumerate(line):
                colour = PAPER if value > 0.55 * percent.max() else INK
                axes.text(column, row, f"{value:.0f}", ha="center", va="center", color=colour, fontsize=9)
    return figure


def _head(figure: Figure, text: str) -> None:
    figure.suptitle(text, x=0.01, ha="left", weight="bold", fontsize=14)


def _cost_of_zero(advisor: Advisor, box: str) -> float | None:
    """How much less the game is worth once the box holds a zero; None if it never can."""
    try:
        sheet = Sheet.parse(advisor.game, f"{box}=0")
    except InputError:
        return None
    return advisor.expect() - advisor.expect(sheet)


def _rows(rolls: list[Roll], *, per_row: int) -> list[list[Roll]]:
    """Rolls cut into rows; another lowest die starts a new row."""
    rows = []
    for _, group in groupby(rolls, key=lambda roll: roll[0]):
        same = list(group)
        rows += [same[start : start + per_row] for start in range(0, len(same), per_row)]
    return rows


def _title(axes: Axes, advisor: Advisor, sheet: Sheet, rolls_left: int, die: float) -> None:
    game = advisor.game
    if not sheet.turn and rolls_left == game.rolls - 1:
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
