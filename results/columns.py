"""The tables and charts behind results/columns.md, for Triple Yahtzee and Dicegame: `make results-columns`.

Needs the tables of `rollwise solve` and `rollwise bound`; about an hour, most of it endgames. Single parts:
`python results/columns.py dicegame strategies` (or prices, endgames; `reduced` and `bounds` without a game). The points
of a column are those of its boxes and its number bonus, without +100.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

from cli.shared import progress_bars
from sim import (
    Batch,
    Tabled,
    bound_chart,
    columns_chart,
    compare,
    comparison_chart,
    distribution_chart,
    find_strategy,
    prices_chart,
    rate_interval,
    roll_worths,
    save,
    simulate,
    visited_positions,
)
from solver import ColumnSolution, TableStore, Training, find_game, solve_endgame
from solver.endgame import policy_value
from solver.learn import learn_game
from solver.prices import tighten_bound
from solver.space import compile_space

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples" / "columns"
GAMES = ("triple-yahtzee", "dicegame")
SEED = 1
FRESH = 200_000
OTHERS = 100_000
MATCHES = 50_000
STRATEGIES = ("learned", "heuristic", "sheet-advice", "greedy", "column-by-column")
POSITIONS = 1000
ENDGAMES = {6: 60.0, 8: 60.0, 10: 6.0, 12: 9.0}
"""Minutes that the positions of each kind may take together, by open boxes."""


def strategies(name: str) -> None:
    """Scores, boxes and columns of every strategy, and for two players their matches."""
    game = find_game(name)
    rows: list[dict[str, object]] = []
    boxes: list[dict[str, object]] = []
    shown = {}
    with progress_bars() as progress:
        for strategy in STRATEGIES:
            batch = Batch(game=game, games=FRESH if strategy == "learned" else OTHERS, seed=SEED)
            summary = simulate(batch, strategy, progress=progress)
            figures, scores = summary.figures, summary.scores
            shown[strategy] = figures
            count = len(game.boxes)
            by_column = {
                f"column_{c + 1}": sum(box.mean for box in figures.boxes[c * count : (c + 1) * count])
                + times
                * figures.bonus_chances[f"{c + 1}:numbers"]
                * (game.number_bonus.points if game.number_bonus else 0)
                for c, times in enumerate(game.columns)
            }
            rows.append(
                {
                    "strategy": strategy,
                    "games": summary.games,
                    "mean": scores.mean,
                    "se": scores.se,
                    "sd": scores.sd,
                    **{f"p{percent}": scores.percentile(percent) for percent in (5, 25, 50, 75, 95)},
                    **by_column,
                    **{f"bonus:{bonus}": chance for bonus, chance in figures.bonus_chances.items()},
                    "repeats": figures.repeats,
                    "games_a_second": summary.games / summary.seconds,
                }
            )
            for box in figures.boxes:
                turn = float(box.turns @ np.arange(1, len(box.turns) + 1))
                facts = {"strategy": strategy, "box": box.box, "mean": box.mean, "zero": box.zero, "mean_turn": turn}
                boxes.append(facts)
        _write(rows, f"strategies-{name}.csv")
        _write(boxes, f"boxes-{name}.csv")
        save(distribution_chart(shown), HERE / f"strategies-{name}.png")
        save(distribution_chart({"learned": shown["learned"]}), HERE / f"distribution-{name}.png")
        save(columns_chart(shown["learned"], strategy="learned"), HERE / f"columns-{name}.png")
        comparison = compare(Batch(game=game, games=MATCHES, seed=SEED), STRATEGIES, progress=progress)
        save(comparison_chart(comparison), HERE / f"comparison-{name}.png")
        matches: list[dict[str, object]] = []
        for pair in comparison.pairs:
            low, high = rate_interval(pair.wins, MATCHES)
            facts = {"one": pair.one, "other": pair.other, "matches": MATCHES, "win": pair.wins / MATCHES}
            facts |= {"win_low": low, "win_high": high, "tie": pair.ties / MATCHES, "loss": pair.losses / MATCHES}
            matches.append({**facts, "margin": pair.margins.mean, "margin_se": pair.margins.se})
        _write(matches, f"matches-{name}.csv")


def prices(name: str) -> None:
    """What final rolls are worth, turn by turn."""
    strategy = find_strategy("learned", find_game(name))
    assert isinstance(strategy, Tabled)
    worths = roll_worths(strategy.policy, 10_000, seed=SEED)
    save(prices_chart(strategy.policy.game, worths, strategy="learned", games=10_000), HERE / f"prices-{name}.png")


def endgames(name: str) -> None:
    """What learned play loses from positions of its own games, exactly."""
    game = find_game(name)
    strategy = find_strategy("learned", game)
    assert isinstance(strategy, Tabled)
    policy = strategy.policy
    by_turn = list(visited_positions(policy, POSITIONS, seed=SEED + 1))
    rows: list[dict[str, object]] = []
    for opened, minutes in ENDGAMES.items():
        positions = by_turn[game.turns - opened]
        ends = time.monotonic() + 60.0 * minutes

        def measure(position: np.ndarray, ends: float = ends) -> tuple[float, float, int] | None:
            if time.monotonic() > ends:
                return None
            solved = solve_endgame(game, position.tolist(), threads=1)
            best = solved.value(position.tolist())
            return best, best - policy_value(solved, policy), solved.positions

        with ThreadPoolExecutor(2) as pool:
            found = np.array([one for one in pool.map(measure, positions) if one is not None])
        losses = found[:, 1]
        rows.append(
            {
                "open_boxes": opened,
                "positions": len(found),
                "mean_value": found[:, 0].mean(),
                "mean_loss": losses.mean(),
                "se": losses.std(ddof=1) / np.sqrt(len(losses)),
                "largest_loss": losses.max(),
                "mean_nest": found[:, 2].mean(),
            }
        )
        print(name, rows[-1], flush=True)
        _write(rows, f"endgames-{name}.csv")


def reduced() -> None:
    """Games small enough to be solved exactly, learned and bounded like the large ones."""
    rows: list[dict[str, object]] = []
    for path in sorted(EXAMPLES.glob("*.toml")):
        game = find_game(str(path))
        nest = solve_endgame(game)
        start = [compile_space(game.column).start] * len(game.columns)
        exact = nest.value(start)
        solution = learn_game(game, Training(games=400_000), book_positions=1)
        played = policy_value(nest, solution.policy)
        bound = tighten_bound(game, seconds=60.0).shown
        rows.append(
            {
                "game": path.stem,
                "positions": nest.positions,
                "exact": exact,
                "bound": bound,
                "bound_percent": 100.0 * (bound / exact - 1.0),
                "learned_value": solution.value,
                "policy_mean": played,
                "gap_percent": 100.0 * (1.0 - played / exact),
            }
        )
        print(rows[-1], flush=True)
        _write(rows, "reduced-columns.csv")


def bounds() -> None:
    """The curves of the proven bounds, and learned play against them."""
    store = TableStore()
    found, means, rows, curve = {}, {}, [], []
    for name in GAMES:
        game = find_game(name)
        bound, solution = store.load_bound(game), store.load(game)
        assert bound is not None and isinstance(solution, ColumnSolution)
        found[game.title], means[game.title] = bound, solution.mean
        facts = {"variant": name, "bound": bound.shown, "steps": len(bound.curve), "seconds": bound.curve[-1][0]}
        facts |= {"mean": solution.mean, "se": solution.se, "value": solution.value, "games": solution.games}
        rows.append({**facts, "percent_above": 100.0 * (bound.value / solution.mean - 1.0)})
        curve += [{"variant": name, "seconds": seconds, "bound": value} for seconds, value in bound.curve]
    save(bound_chart(found, means), HERE / "bounds.png")
    _write(rows, "bounds.csv")
    _write(curve, "bound-curves.csv")


def _write(rows: list[dict[str, object]], name: str) -> None:
    pd.DataFrame(rows).to_csv(HERE / name, index=False, float_format="%.6g", lineterminator="\n")


if __name__ == "__main__":
    words = sys.argv[1:]
    names = [word for word in words if word in GAMES] or list(GAMES)
    wanted = [word for word in words if word not in GAMES] or ["strategies", "prices", "endgames", "reduced", "bounds"]
    for part in (strategies, prices, endgames):
        for game_name in names if part.__name__ in wanted else []:
            part(game_name)
            print(f"Made the {part.__name__} of {game_name} in '{HERE}'.", flush=True)
    for whole in (reduced, bounds):
        if whole.__name__ in wanted:
            whole()
            print(f"Made the {whole.__name__} in '{HERE}'.", flush=True)
