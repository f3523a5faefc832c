"""Charts of scores: how they are distributed, where they come from, and how strategies compare.

Each function draws one figure from figures that were computed before; `sim.look` holds how they look.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sim.compare import Comparison
from sim.frontier import Risk
from sim.histogram import Z95, rate_interval
from sim.look import DASHES, FAINT, INK, LINE, MAIN, PAPER, SECOND, SERIES, WIDTH, head, player, style
from solver import Advisor, Distribution, Figures, Game, InputError, Sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_SERIES = len(SERIES)


def distribution_chart(named: dict[str, Figures], *, title: str | None = None) -> Figure:
    """How likely each final score is. One strategy gets percentiles, several are laid over each other."""
    from matplotlib.figure import Figure

    if len(named) > MAX_SERIES:
        raise InputError(f"strategies: {len(named)} given, at most {MAX_SERIES} can be told apart in one chart.")
    distributions = {name: figures.distribution for name, figures in named.items()}
    first = next(iter(distributions.values()))
    low = min(distribution.percentile(0.05) for distribution in distributions.values())
    high = max(distribution.percentile(99.9) for distribution in distributions.values())
    with style():
        below = 0.22 * len(named) if len(named) > 4 else 0.0  # Room for a legend that would lie over the lines.
        figure = Figure(figsize=(WIDTH, 4.8 + below), layout="constrained")
        axes = figure.add_subplot()
        if len(named) == 1:
            _draw_scores(axes, first, low, high)
            what = player(next(iter(named)))
        else:
            _draw_lines(axes, distributions, low, high)
            what = f"{len(named)} strategies"
        what += f", {first.rounds} rounds" if first.rounds > 1 else ""
        head(figure, title or f"{first.game.title}: final scores of {what}")
        axes.set_xlabel("final score in points")
        axes.set_xlim(low - 2, high + 2)
    return figure


def _draw_scores(axes: Axes, distribution: Distribution, low: int, high: int) -> None:
    chances = np.zeros(high + 1)
    chances[: len(distribution.chances)] = distribution.chances[: high + 1]
    percent = 100.0 * chances[low:]
    axes.bar(np.arange(low, high + 1), percent, width=1.0, color=MAIN, linewidth=0.0)
    told = f"Mean {_mean(distribution, 2)}, standard deviation {distribution.sd:.2f} ({distribution.source})."
    axes.set_title(told + "\nOrange: this share of games ends with so many points or fewer.")
    axes.set_ylabel("chance of exactly this score in percent")
    axes.set_ylim(0.0, 1.3 * percent.max())
    gap = 0.006 * (high - low)
    for number, marked in enumerate((5, 25, 50, 75, 95, 99)):
        score = distribution.percentile(marked)
        height = (1.1 + 0.07 * (number % 3)) * percent.max()
        side, shift = ("left", gap) if marked in (50, 75) else ("right", -gap)
        axes.plot([score, score], [0.0, height], color=SECOND, linewidth=1.0)
        label = axes.text(score + shift, height, f"{marked} %: {score}", color=SECOND, va="center", ha=side)
        label.set(fontsize=9, bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.0}, zorder=3)


def _draw_lines(axes: Axes, distributions: dict[str, Distribution], low: int, high: int) -> None:
    """Smoothed over some points, because single scores jump from one to the next."""
    width = max(5, round((high - low) / 60) | 1)
    for (name, distribution), colour, dash in zip(distributions.items(), SERIES, DASHES, strict=False):
        chances = np.zeros(high + width)
        chances[: min(len(distribution.chances), high + width)] = distribution.chances[: high + width]
        smooth = 100.0 * np.convolve(chances, np.ones(width) / width, mode="same")[low : high + 1]
        told = f"{name}: mean {_mean(distribution, 1)}, deviation {distribution.sd:.1f} ({distribution.method})"
        axes.plot(np.arange(low, high + 1), smooth, color=colour, linestyle=dash, linewidth=2.0, label=told)
    axes.set_ylabel("chance of a score in percent")
    axes.set_title(f"Each point is the average over {width} neighbouring scores.")
    axes.set_ylim(bottom=0.0)
    if len(distributions) <= 4:
        axes.legend(frameon=False, loc="upper right", handlelength=3.0)
    else:
        axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(0.0, -0.12), handlelength=3.0)


def boxes_chart(figures: Figures, *, strategy: str, advisor: Advisor | None) -> Figure:
    """Box by box: mean points, how often it ends as a zero, and, where an advisor knows, what the open box is worth
    on the first turn: the cost of filling it with a zero then."""
    from matplotlib.figure import Figure

    game = figures.distribution.game
    names = [box.box for box in figures.boxes]
    panels: dict[str, list[float | None]] = {
        "mean points\n": [box.mean for box in figures.boxes],
        "ends as a zero,\npercent of games": [100.0 * box.zero for box in figures.boxes],
    }
    if advisor is not None:
        panels["worth when filled first: cost of\na zero on the first turn, points"] = [
            _cost_of_zero(advisor, name) for name in names
        ]
    with style():
        figure = Figure(figsize=(WIDTH, 0.9 + (0.34 if len(names) < 30 else 0.24) * len(names)), layout="constrained")
        head(figure, f"{game.title}: the boxes under {player(strategy)} ({figures.distribution.source})")
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
        axes[0].set_ylim(len(names) - 0.4, -0.6)
    return figure


def timeline_chart(figures: Figures, *, strategy: str) -> Figure:
    """On which turn each box is filled, in percent of games."""
    from matplotlib.figure import Figure

    game = figures.distribution.game
    percent = 100.0 * np.array([box.turns for box in figures.boxes])
    turns = np.arange(1, percent.shape[1] + 1)
    many = len(turns) > 20
    with style():
        figure = Figure(figsize=(WIDTH, 1.2 + (0.24 if many else 0.36) * len(percent)), layout="constrained")
        axes = figure.add_subplot()
        axes.imshow(percent, aspect="auto", cmap="Blues", vmin=0.0)
        head(figure, f"{game.title}: when {player(strategy)} fills each box ({figures.distribution.source})")
        axes.set_title(
            "In percent of games; each row adds up to 100" + (", empty cells are below 0.5." if many else ".")
        )
        axes.set_xlabel("turn")
        axes.set_xticks(turns - 1, [str(turn) for turn in turns], fontsize=7 if many else 10)
        axes.set_yticks(range(len(percent)), [box.box for box in figures.boxes], fontsize=8 if many else 10)
        axes.tick_params(length=0)
        for row, line in enumerate(percent):
            for column, value in enumerate(line):
                colour = PAPER if value > 0.55 * percent.max() else INK
                shown = f"{value:.0f}" if value >= 0.5 or not many else ""
                axes.text(column, row, shown, ha="center", va="center", color=colour, fontsize=6 if many else 9)
    return figure


def comparison_chart(comparison: Comparison) -> Figure:
    """Strategies side by side: the range of their scores, and how often each has most points, with intervals."""
    from matplotlib.figure import Figure

    batch, players = comparison.batch, comparison.players
    places = np.arange(len(players))
    with style():
        figure = Figure(figsize=(WIDTH, 1.9 + 0.55 * len(players)), layout="constrained")
        how = "the same dice for all" if comparison.same_dice else "dice of their own"
        matches = f"{batch.games:,} {'match' if batch.games == 1 else 'matches'}"
        head(figure, f"{batch.game.title}: {matches}, {how} (sampled)")
        scores, wins = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
        for place, player in zip(places, players, strict=True):
            found = player.scores
            scores.plot([found.percentile(5), found.percentile(95)], [place] * 2, color=MAIN, linewidth=2, alpha=0.45)
            scores.plot([found.percentile(25), found.percentile(75)], [place] * 2, color=MAIN, linewidth=8, alpha=0.45)
            scores.errorbar(found.mean, place, xerr=Z95 * found.se, fmt="o", color=SECOND, markersize=5, capsize=3)
            told = f"{found.mean:.1f} ± {Z95 * found.se:.2g}" if found.size > 1 else f"{found.mean:.1f}"
            scores.text(found.mean, place - 0.28, told, ha="center", va="center", fontsize=9, color=SECOND)
        scores.set_title(
            "Final score. Thick: the middle half of games, thin: 5 to\n95 percent; orange: mean, 95 percent interval"
        )
        scores.set_xlabel("points" if batch.rounds == 1 else f"points in {batch.rounds} rounds")
        scores.set_yticks(places, [player.strategy for player in players])
        scores.set_ylim(len(players) - 0.5, -0.6)
        scores.margins(x=0.1)
        scores.grid(axis="x")
        figure.get_layout_engine().set(wspace=0.06)  # type: ignore[union-attr, call-arg]
        _draw_wins(wins, comparison)
    return figure


def _draw_wins(axes: Axes, comparison: Comparison) -> None:
    """How often each player has most points; where they cannot sit at one table, against the first one."""
    size = comparison.batch.games
    if comparison.table:
        counts = {place: (player.wins, player.ties) for place, player in enumerate(comparison.players)}
        title = "Matches won, all at one table, with\n95 % interval; pale: tied for first"
    else:
        with_first = comparison.pairs[: len(comparison.players) - 1]
        counts = {place: (pair.losses, pair.ties) for place, pair in enumerate(with_first, start=1)}
        title = f"Matches won head to head against\n{comparison.players[0].strategy}, with 95 % interval; pale: tied"
    for place, (wins, ties) in counts.items():
        low, high = rate_interval(wins, size)
        rate, tied = wins / size, ties / size
        axes.barh(place, 100 * rate, height=0.5, color=MAIN)
        axes.barh(place, 100 * tied, left=100 * rate, height=0.5, color=MAIN, alpha=0.3)
        axes.errorbar(100 * rate, place, xerr=[[100 * (rate - low)], [100 * (high - rate)]], color=INK, capsize=3)
        axes.text(100 * (rate + tied) + 2, place, f"{100 * rate:.1f}", va="center", fontsize=9)
    axes.set_title(title)
    axes.set_xlabel("percent of matches")
    axes.set_xlim(0, 110)
    axes.set_xticks([0, 25, 50, 75, 100])
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)


def frontier_chart(game: Game, points: Sequence[Risk], *, named: dict[str, float]) -> Figure:
    """Mean against deviation over theta; `named` thetas stand out with their names."""
    from matplotlib.figure import Figure

    exact = all(point.se == 0.0 for point in points)
    with style():
        figure = Figure(figsize=(WIDTH, 5.6), layout="constrained")
        head(figure, f"{game.title}: safe or bold, what each costs ({'exact' if exact else 'sampled'})")
        axes = figure.add_subplot()
        axes.set_title(
            "Each point is the best play for exponential utility with theta; below 0 avoids risk, above 0 seeks it."
        )
        axes.plot([point.sd for point in points], [point.mean for point in points], color=LINE, linewidth=1.5, zorder=1)
        for point in points:
            names = [name for name, theta in named.items() if theta == point.theta]
            colour = SECOND if names else MAIN
            axes.errorbar(
                point.sd, point.mean, yerr=Z95 * point.se or None, fmt="o", color=colour, markersize=6, capsize=3
            )
            label = f"{names[0]} ({point.theta:g})" if names else f"{point.theta:g}"
            side, shift = ("right", (-7, 0)) if point.theta < 0 else ("left", (7, 0))
            if point.theta == 0.0:
                side, shift = "center", (0, 9)
            axes.annotate(
                label,
                (point.sd, point.mean),
                xytext=shift,
                textcoords="offset points",
                ha=side,
                va="center",
                fontsize=9,
                color=SECOND if names else FAINT,
                weight="bold" if names else "normal",
            )
        axes.set_xlabel("standard deviation of the final score in points")
        axes.set_ylabel("mean final score in points")
        axes.margins(x=0.19, y=0.08)
        axes.grid()
    return figure


def _mean(distribution: Distribution, digits: int) -> str:
    """The mean, with its 95 percent interval if it is sampled."""
    mean = f"{distribution.mean:.{digits}f}"
    return f"{mean} ± {Z95 * distribution.se:.2g}" if (distribution.games or 0) > 1 else mean


def _cost_of_zero(advisor: Advisor, box: str) -> float | None:
    """How much less the game is worth once the box holds a zero; None if it never can."""
    try:
        sheet = Sheet.parse(advisor.game, f"{box}=0")
    except InputError:
        return None
    return advisor.expect() - advisor.expect(sheet)
