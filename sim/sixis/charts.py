"""Charts of Sixis: what acting on a card is worth, which dice to save, and what the start is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.look import FAINT, INK, LINE, MAIN, PAPER, SECOND, SERIES, WIDTH, head, style
from sim.sixis.figures import ACTS, SavedDice
from sim.sixis.matches import Outcome
from solver.sixis.cards import Deck
from solver.sixis.round import Round

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_ACT_MARKS = {"take blue": "o", "flip": "s", "take red": "^"}
_ACT_COLOURS = {"take blue": MAIN, "flip": FAINT, "take red": SECOND}
_FEW = 30
"""Means over fewer turns are not drawn."""
_COLUMNS = 4
_BELOW: dict[str, Any] = {"loc": "outside lower center", "frameon": False, "title_fontsize": 8.5}


def worth_chart(worths: pd.DataFrame, deck: Deck, *, source: str) -> Figure:
    """What acting on each card brings over leaving all cards, by how many cards are left."""
    from matplotlib.figure import Figure

    names = [card.name for card in deck.cards if (worths["card"] == card.name).any()]
    rows = -(-len(names) // _COLUMNS)
    most = int(worths["left"].max())
    with style():
        figure = Figure(figsize=(WIDTH, 1.7 + 1.75 * rows), layout="constrained")
        head(figure, "Sixis: what acting on a card is worth, blue and red, as the round goes on")
        grid = figure.subplots(rows, _COLUMNS, sharex=True, sharey=True, squeeze=False)
        for axes in grid.flat[len(names) :]:
            axes.set_visible(False)
        for axes, name in zip(grid.flat, names, strict=False):
            card = deck.card(name)
            axes.set_title(f"{name} ({card.blue.points} / {card.red.points})", fontsize=8.5)
            axes.axhline(0.0, color=LINE, linewidth=0.8)
            for act in ACTS:
                chosen = worths[(worths["card"] == name) & (worths["act"] == act) & (worths["turns"] >= _FEW)]
                chosen = chosen.sort_values("left")
                style_of = {"color": _ACT_COLOURS[act], "marker": _ACT_MARKS[act], "markersize": 3.5, "linewidth": 1.4}
                axes.plot(chosen["left"], chosen["worth"], label=act, **style_of)
            axes.set_xlim(most + 0.4, 0.6)
            axes.set_xticks(range(1, most + 1))
            axes.tick_params(labelsize=7.5, labelbottom=True)
            axes.grid(axis="y")
        figure.supylabel("points of margin, against leaving all cards", fontsize=9)
        labels = {"take blue": "take it blue", "flip": "flip it to red", "take red": "take it red"}
        handles = grid[0, 0].get_legend_handles_labels()[0]
        below = "Behind a card's name: its points. Across: cards left in reach, the round goes on to the right.\n"
        below += f"If the dice allow it, and nobody else has saved dice.\nBy {source}."
        figure.legend(handles, [labels[act] for act in ACTS], title=below, **_BELOW, ncols=3)
    return figure


def saves_chart(position: Round, names: Sequence[str], saves: Sequence[SavedDice], *, method: str) -> Figure:
    """The saves that are best most often, and the chance of each card that they bring."""
    from matplotlib.figure import Figure

    chances = np.array([save.cards for save in saves]).reshape(len(saves), len(names))
    players, mover = position.deal.players, position.mover
    clockwise = [position.saved[(mover + turn) % players] for turn in range(1, players)]
    hands = " / ".join(" ".join(map(str, dice)) or "nothing" for dice in clockwise)
    others = f"saved by the others, clockwise: {hands}" if any(clockwise) else "nobody else has saved dice"
    shown = 100.0 * sum(save.chance for save in saves)
    with style():
        figure = Figure(figsize=(WIDTH, 2.6 + 0.26 * len(saves)), layout="constrained")
        head(figure, "Sixis: which dice to save for which cards")
        axes, bars = figure.subplots(1, 2, width_ratios=(3.2, 1.0), sharey=True)
        axes.set_title(
            "Squares: the chance in percent that a card can be acted on next turn. Bars: how often this is\n"
            f"the best save after a roll of all dice that leaves the cards as they are (all shown: {shown:.0f} %).\n"
            f"{method.capitalize()}; {others}."
        )
        image = axes.imshow(chances, aspect="auto", cmap="Blues", vmin=0.0, vmax=1.0)
        for (row, column), chance in np.ndenumerate(chances):
            colour = PAPER if chance > 0.6 else INK
            axes.text(column, row, f"{100 * chance:.0f}", ha="center", va="center", fontsize=7.5, color=colour)
        axes.set_xticks(range(len(names)), names, rotation=35, ha="right", fontsize=8)
        labels = [" ".join(map(str, save.dice)) or "nothing" for save in saves]
        axes.set_yticks(range(len(saves)), labels, fontsize=8)
        axes.set_ylabel("dice saved")
        axes.tick_params(length=0)
        image.set_rasterized(True)
        shares = [100.0 * save.chance for save in saves]
        bars.barh(range(len(saves)), shares, color=MAIN, height=0.7)
        for row, share in enumerate(shares):
            bars.text(share, row, f" {share:.1f}", va="center", fontsize=7.5)
        bars.set_xlim(0.0, 1.25 * max(shares))
        bars.set_xlabel("best, % of rolls")
        bars.tick_params(axis="y", length=0)
        bars.grid(axis="x")
    return figure


def start_chart(outcomes: Sequence[Outcome]) -> Figure:
    """Matches won by seat, without and with the advanced start: two outcomes for each number of players."""
    from matplotlib.figure import Figure

    pairs: dict[int, dict[bool, Outcome]] = {}
    for outcome in outcomes:
        pairs.setdefault(outcome.contest.players, {})[outcome.contest.advanced] = outcome
    with style():
        figure = Figure(figsize=(WIDTH, 4.4), layout="constrained")
        head(figure, "Sixis: what the start is worth, seat by seat")
        grid = figure.subplots(1, len(pairs), squeeze=False, sharey=True)[0]
        for axes, (players, pair) in zip(grid, pairs.items(), strict=True):
            contest = pair[False].contest
            for place, (one, colour, label) in enumerate(
                ((pair[False], MAIN, "plain start"), (pair[True], SECOND, "advanced start"))
            ):
                rates = [one.win_rate(seat) for seat in range(players)]
                middle = [100.0 * rate for rate, _, _ in rates]
                below, above = (
                    [100.0 * (rate - low) for rate, low, _ in rates],
                    [100.0 * (high - rate) for rate, _, high in rates],
                )
                spots = np.arange(1, players + 1) + (place - 0.5) * 0.38
                axes.bar(spots, middle, width=0.36, color=colour, label=label, hatch="//" * place, edgecolor=PAPER)
                axes.errorbar(spots, middle, yerr=[below, above], fmt="none", ecolor=INK, elinewidth=1.0, capsize=2)
                for spot, rate, reach in zip(spots, middle, above, strict=True):
                    size = 7.5 if players < 4 else 6.5
                    axes.text(spot, rate + reach + 0.8, f"{rate:.1f}", ha="center", fontsize=size)
            axes.axhline(50.0 if contest.teams else 100.0 / players, color=FAINT, linestyle="--", linewidth=1.0)
            axes.set_title(f"{players} players{', teams' * contest.teams}, {contest.names[0]}")
            axes.set_xticks(range(1, players + 1))
            axes.set_xlabel("seat, 1 begins")
        grid[0].set_ylabel("rounds won, percent, ties shared")
        handles, labels = grid[0].get_legend_handles_labels()
        below_text = "Dashed: equal shares. Whiskers: 95 percent intervals."
        figure.legend(handles, labels, title=below_text, **_BELOW, ncols=2)
    return figure


def advantage_chart(deals: pd.DataFrame) -> Figure:
    """Solved deals of two: the first player's margin, without and with the advanced start."""
    from matplotlib.figure import Figure

    ordered = deals.sort_values("value", ascending=False).reset_index(drop=True)
    with style():
        figure = Figure(figsize=(WIDTH, 4.6), layout="constrained")
        head(figure, "Sixis for two: how much the first player wins by")
        axes = figure.add_subplot()
        axes.set_title(
            "Expected margin under optimal play by both, exact; one column for each random deal of eight cards."
        )
        spots = np.arange(1, len(ordered) + 1)
        for column, colour, mark, label in (
            ("value", SERIES[0], "o", "plain start"),
            ("advanced", SERIES[1], "s", "advanced start"),
        ):
            axes.plot(spots, ordered[column], mark, color=colour, label=f"{label}, mean {ordered[column].mean():.2f}")
            axes.axhline(ordered[column].mean(), color=colour, linewidth=1.0, linestyle="--")
        axes.vlines(spots, ordered["advanced"], ordered["value"], color=LINE, zorder=0)
        axes.set_xticks(spots, [str(seed) for seed in ordered["deal"]], fontsize=8)
        axes.set_xlabel("deal (its seed), the largest margin first; dashed: means")
        axes.set_ylabel("points")
        axes.set_ylim(bottom=min(0.0, float(ordered["advanced"].min()) - 1.0))
        axes.grid(axis="y")
        axes.legend(frameon=False)
    return figure
