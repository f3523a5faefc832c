"""Charts of sheets with several columns: which box goes to which column when, and what final rolls are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sim.look import FAINT, INK, LINE, PAPER, SERIES, WIDTH, head, player, style
from solver import Bound, Figures, Game, InputError, Roll, make_dice
from solver.rules import longest_run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]

_MARKS = ("o", "s", "^", "D", "v", "P")


def columns_chart(figures: Figures, *, strategy: str) -> Figure:
    """Which box is filled when, column by column: the middle eighty percent of games and the median."""
    from matplotlib.figure import Figure

    game = figures.distribution.game
    if len(game.columns) < 2:
        raise InputError(
            f"the chart 'columns' is for sheets with several columns, {game.name} has one: use 'timeline'."
        )
    boxes, columns = len(game.boxes), len(game.columns)
    with style():
        figure = Figure(figsize=(WIDTH, 1.6 + 0.5 * boxes), layout="constrained")
        head(figure, f"{game.title}: which column a box is filled in, and when ({figures.distribution.source})")
        axes = figure.add_subplot()
        axes.set_title(f"By {player(strategy)}. Line: the middle 80 percent of games; mark: the median.")
        for c, times in enumerate(game.columns):
            colour, place = SERIES[c], (c - (columns - 1) / 2.0) * 0.62 / columns
            label = f"column {c + 1}, counts {'once' if times == 1 else f'{times} times'}"
            for b in range(boxes):
                share = np.cumsum(figures.boxes[c * boxes + b].turns)
                low, middle, high = (int(np.searchsorted(share, part - 1e-9)) + 1 for part in (0.1, 0.5, 0.9))
                axes.plot([low, high], [b + place] * 2, color=colour, linewidth=2.5, alpha=0.55)
                axes.plot(middle, b + place, _MARKS[c], color=colour, markersize=6, label=label if b == 0 else None)
        for b in range(1, boxes):
            axes.axhline(b - 0.5, color=LINE, linewidth=0.5)
        axes.set_yticks(range(boxes), [box.name for box in game.boxes])
        axes.set_ylim(boxes - 0.5, -0.5)
        axes.set_xlim(0.5, game.turns + 0.5)
        axes.set_xlabel("turn on which the box is filled")
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
        figure.legend(loc="outside lower center", ncols=columns, frameon=False)
    return figure


def prices_chart(game: Game, worths: Floats, *, strategy: str, games: int) -> Figure:
    """What a final roll is worth by turn, for kinds of rolls: points above or below an average turn."""
    from matplotlib.figure import Figure

    dice = make_dice(game.dice, game.faces)
    kinds: dict[str, list[int]] = {}
    for place, roll in enumerate(dice.rolls):
        kinds.setdefault(_kind(roll), []).append(place)
    weight = dice.chance
    table = {kind: worths[:, places] @ weight[places] / weight[places].sum() for kind, places in kinds.items()}
    order = sorted(table, key=lambda kind: -table[kind].mean())
    shown = np.array([table[kind] for kind in order])
    most = 2.0 * float(np.abs(shown.min()))
    turns = range(1, game.turns + 1)
    with style():
        figure = Figure(figsize=(WIDTH, 1.9 + 0.24 * len(order)), layout="constrained")
        head(figure, f"{game.title}: what a final roll is worth, turn by turn")
        axes = figure.add_subplot()
        axes.set_title(
            f"Points above (violet) or below (orange) what the turn is worth on average, by {player(strategy)}\n"
            f"(means over {games:,} games). Rolls are grouped by what they show, the best kinds first."
        )
        image = axes.imshow(shown, aspect="auto", cmap="PuOr", vmin=-most, vmax=most)
        every = [turn for turn in turns if turn == 1 or turn % 3 == 0]
        for row, line in enumerate(shown):
            for turn in every:
                value = line[turn - 1]
                colour = PAPER if abs(value) > 0.6 * most else INK
                axes.text(turn - 1, row, str(round(value)), ha="center", va="center", fontsize=6.5, color=colour)
        axes.set_xticks([turn - 1 for turn in every], [str(turn) for turn in every], fontsize=8)
        axes.set_yticks(range(len(order)), order, fontsize=8)
        axes.set_xlabel("turn")
        axes.tick_params(length=0)
        bar = figure.colorbar(image, ax=axes, shrink=0.6, pad=0.01, extend="max")
        bar.set_label("points", color=FAINT)
        bar.outline.set_visible(False)
    return figure


def _kind(roll: Roll) -> str:
    """What a roll shows, in words: a straight, or the largest number of equal dice."""
    counts = [roll.count(face) for face in range(1, max(roll) + 1)]
    run = longest_run(counts)
    groups = sorted(((count, face) for face, count in enumerate(counts, start=1) if count), reverse=True)
    (most, face), second = groups[0], groups[1][0] if len(groups) > 1 else 0
    if run >= 4:
        return f"straight of {run}"
    if most >= 3 and second >= 2:
        return f"full house, {most} x {face}"
    return f"{most} x {face}" if most > 1 else "all different"


def bound_chart(bounds: dict[str, Bound], means: dict[str, float]) -> Figure:
    """How proven bounds come down with time, and the measured means they stay above."""
    from matplotlib.figure import Figure

    with style():
        figure = Figure(figsize=(WIDTH, 4.6), layout="constrained")
        head(figure, "What perfect play cannot exceed: the proven bound as it comes down")
        axes = figure.add_subplot()
        axes.set_title("Line: the lowest bound so far. Dashed: the measured mean of learned play.")
        for (name, bound), colour in zip(bounds.items(), SERIES, strict=False):
            minutes = [seconds / 60.0 for seconds, _ in bound.curve]
            lowest = np.minimum.accumulate([value for _, value in bound.curve])
            axes.plot(minutes, lowest, color=colour, linewidth=2.0, label=f"{name}: bound {bound.shown:,.2f}")
            if name in means:
                axes.axhline(means[name], color=colour, linestyle="--", label=f"{name}: learned {means[name]:,.1f}")
        axes.set_xlabel("minutes on two cores")
        axes.set_ylabel("points")
        axes.grid()
        axes.legend(frameon=False)
    return figure
