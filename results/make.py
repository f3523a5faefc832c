"""All tables and charts of this folder, from 10 million games of each strategy: `make results`, some half an hour.

`matches-*.csv` are matches with dice of their own, `same-dice-*.csv` the same players on the same dice.

`python results/make.py yahtzee` makes those of one game. The same seed gives the same files.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd

from cli.shared import progress_bars
from sim import (
    BOLD,
    SAFE,
    Batch,
    Comparison,
    Summary,
    boxes_chart,
    compare,
    comparison_chart,
    distribution_chart,
    exact_for,
    frontier,
    frontier_chart,
    known_moments,
    opening_chart,
    rate_interval,
    save,
    simulate,
    timeline_chart,
    write_scores,
)
from solver import Advisor, Figures, find_game, is_exact

HERE = Path(__file__).parent
GAMES = 10_000_000
MATCHES = 1_000_000
SEED = 1
STRATEGIES = ("optimal", "heuristic", "greedy", "safe", "bold", "sloppy:0.05", "random")
PLAYERS = STRATEGIES[:6]
DRAWN = ("optimal", "heuristic", "greedy", "random")


def make(name: str) -> None:
    """Everything for one game."""
    game = find_game(name)
    batch = Batch(game=game, games=GAMES, seed=SEED)
    with progress_bars() as progress:
        summaries = {strategy: simulate(batch, strategy, progress=progress) for strategy in STRATEGIES}
        exact = {strategy: exact_for(batch, strategy, progress=progress) for strategy in STRATEGIES}
        moments = {strategy: known_moments(batch, strategy) for strategy in STRATEGIES}
        matches = replace(batch, games=MATCHES)
        comparison = compare(matches, PLAYERS, progress=progress)
        same_dice = compare(matches, PLAYERS, same_dice=True, progress=progress)
        advisor = Advisor.load(name)
        shown = {strategy: exact[strategy] or summary.figures for strategy, summary in summaries.items()}
        best = shown["optimal"]
        save(opening_chart(advisor), HERE / f"opening-{name}.png")
        save(distribution_chart({"optimal": best}), HERE / f"distribution-{name}.png")
        save(distribution_chart({strategy: shown[strategy] for strategy in DRAWN}), HERE / f"strategies-{name}.png")
        save(boxes_chart(best, strategy="optimal", advisor=advisor), HERE / f"boxes-{name}.png")
        save(timeline_chart(best, strategy="optimal"), HERE / f"timeline-{name}.png")
        save(comparison_chart(comparison), HERE / f"comparison-{name}.png")
        write_scores(best.distribution, HERE / f"distribution-{name}.csv")
        rows = [_strategy_row(summaries[strategy], exact[strategy], moments[strategy]) for strategy in STRATEGIES]
        _write(rows, f"strategies-{name}.csv")
        _write([row for name_ in STRATEGIES for row in _box_rows(summaries[name_], exact[name_])], f"boxes-{name}.csv")
        _write(_match_rows(comparison), f"matches-{name}.csv")
        _write(_match_rows(same_dice), f"same-dice-{name}.csv")
        if is_exact(game):
            points = list(frontier(batch, progress=progress))
            named = {"safe": SAFE, "optimal": 0.0, "bold": BOLD}
            save(frontier_chart(game, points, named=named), HERE / f"frontier-{name}.png")
            _write([{"theta": risk.theta, "mean": risk.mean, "sd": risk.sd} for risk in points], f"frontier-{name}.csv")


def _strategy_row(summary: Summary, exact: Figures | None, moments: tuple[float, float] | None) -> dict[str, object]:
    scores, figures = summary.scores, summary.figures
    known = (exact.distribution.mean, exact.distribution.sd) if exact else moments or (None, None)
    return {
        "strategy": summary.strategy,
        "games": summary.games,
        "seed": summary.seed,
        "mean": scores.mean,
        "se": scores.se,
        "sd": scores.sd,
        "exact_mean": known[0],
        "exact_sd": known[1],
        **{f"p{percent}": scores.percentile(percent) for percent in (1, 5, 25, 50, 75, 95, 99)},
        **{f"bonus:{bonus}": chance for bonus, chance in figures.bonus_chances.items()},
        "repeats": figures.repeats,
    }


def _box_rows(summary: Summary, exact: Figures | None) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for place, box in enumerate(summary.figures.boxes):
        known = exact.boxes[place] if exact else None
        rows.append(
            {
                "strategy": summary.strategy,
                "box": box.box,
                "mean": box.mean,
                "exact_mean": known.mean if known else None,
                "zero": box.zero,
                "exact_zero": known.zero if known else None,
                "mean_turn": float((box.turns * range(1, len(box.turns) + 1)).sum()),
            }
        )
    return rows


def _match_rows(comparison: Comparison) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    size = comparison.batch.games
    for pair in comparison.pairs:
        low, high = rate_interval(pair.wins, size)
        rows.append(
            {
                "one": pair.one,
                "other": pair.other,
                "matches": size,
                "win": pair.wins / size,
                "win_low": low,
                "win_high": high,
                "tie": pair.ties / size,
                "loss": pair.losses / size,
                "margin": pair.margins.mean,
                "margin_se": pair.margins.se,
                "margin_sd": pair.margins.sd,
                "variance_saved": pair.saved,
            }
        )
    return rows


def _write(rows: list[dict[str, object]], name: str) -> None:
    pd.DataFrame(rows).to_csv(HERE / name, index=False, float_format="%.6g", lineterminator="\n")


if __name__ == "__main__":
    for game_name in sys.argv[1:] or ("yahtzee", "sixzee"):
        make(game_name)
        print(f"Made the tables and charts of {game_name} in '{HERE}'.")
