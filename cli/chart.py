"""`rollwise chart`: pictures to play by, of scores, and of strategies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.shared import (
    batch_options,
    json_option,
    open_batch,
    progress_bars,
    say_waiting,
    show_json,
    split_strategies,
    variant_argument,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sim import Batch
    from solver.solve import Progress

_KINDS = {
    "opening": "what to keep for each first roll of the game",
    "decision": "the best decision for every roll on a given sheet",
    "distribution": "how likely each final score is, for one strategy or several",
    "boxes": "what each box brings, how often it is a zero, what it is worth when filled first",
    "timeline": "on which turn each box is filled",
    "comparison": "strategies side by side: scores and matches won",
    "frontier": "mean against deviation, from safe to bold",
    "columns": "several columns: which box goes to which column when",
    "prices": "several columns: what each final roll is worth, turn by turn",
}
_PRICED_GAMES = 10_000
"""More games make no visible difference to the chart of prices."""
_SEVERAL = ("distribution", "comparison")
_DEFAULT = {"comparison": "optimal,heuristic,greedy,random", "frontier": ""}


@click.command("chart", epilog="Kinds: " + "; ".join(f"{kind}, {what}" for kind, what in _KINDS.items()) + ".")
@click.argument("kind")
@variant_argument
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The picture to write: .png, .svg or .pdf.")
@click.option("--strategies", help="Who plays; several for distribution and comparison.")
@click.option("--same-dice", is_flag=True, help="comparison: all strategies meet the same throws.")
@click.option("--sheet", help="decision: what is filled, as in 'ones=3 yahtzee=50'.  [default: nothing]")
@click.option("--rolls-left", type=int, help="decision: rolls still to come this turn.  [default: all but the first]")
@batch_options(games=None)
@json_option
def command(
    kind: str,
    variant: str,
    out: Path,
    strategies: str | None,
    same_dice: bool,
    sheet: str | None,
    rolls_left: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Draw a chart of KIND for VARIANT. Solves the game first if there is no table yet.

    Scores and boxes are exact where they can be (see 'rollwise distribution --help'), else sampled from --games games.

    Sixis has kinds of its own, worth, saves and start: 'rollwise chart saves sixis --help'.

    Example: rollwise chart distribution yahtzee --strategies optimal,greedy --out scores.png
    """
    from sim import check_out, save, strategy_name
    from solver import InputError, find_game
    from solver.errors import unknown

    if kind not in _KINDS:
        raise unknown("chart", kind, _KINDS)
    if kind != "decision" and not (sheet is None and rolls_left is None):
        raise InputError(f"--sheet and --rolls-left belong to the chart 'decision', '{kind}' has none.")
    if kind != "comparison" and same_dice:
        raise InputError(f"--same-dice belongs to the chart 'comparison', '{kind}' has none.")
    if kind in ("opening", "decision", "frontier") and strategies is not None:
        raise InputError(f"the chart '{kind}' is about optimal play: leave --strategies out.")
    if kind in ("opening", "decision", "frontier", "prices") and options["rounds"] != 1:
        raise InputError(f"the chart '{kind}' is about one sheet: leave --rounds out.")
    names = split_strategies(strategies or _DEFAULT.get(kind, "optimal"))
    if kind not in _SEVERAL and len(names) > 1:
        raise InputError(f"--strategies: {len(names)} given, the chart '{kind}' shows one.")
    if strategies is not None and not names:
        raise InputError("--strategies names none: at least one is needed, 'rollwise strategies' lists them.")
    game = find_game(variant)
    if kind in ("columns", "prices") and len(game.columns) == 1:
        raise InputError(f"the chart '{kind}' is for sheets with several columns, {game.name} has one.")
    names = [strategy_name(game, name) for name in names]
    check_out(out)
    with progress_bars() as progress, open_batch(game, **options) as batch:
        draw: dict[str, Callable[[], Figure]] = {
            "opening": lambda: _decision(batch, None, None, progress),
            "decision": lambda: _decision(batch, sheet, rolls_left, progress),
            "distribution": lambda: _distribution(batch, names, progress),
            "boxes": lambda: _boxes(batch, names[0], progress),
            "timeline": lambda: _timeline(batch, names[0], progress),
            "comparison": lambda: _comparison(batch, names, same_dice, progress),
            "frontier": lambda: _frontier(batch, progress),
            "columns": lambda: _columns(batch, names[0], progress),
            "prices": lambda: _prices(batch, names[0], progress),
        }
        figure = draw[kind]()
    save(figure, out)
    if as_json:
        show_json({"variant": game.name, "chart": kind, "out": str(out), "bytes": out.stat().st_size})
    else:
        click.echo(f"Drew '{out}': {_KINDS[kind]}.")


def _decision(batch: Batch, sheet: str | None, rolls_left: int | None, progress: Progress) -> Figure:
    from sim import decision_chart
    from solver import Advisor, TableStore, make_dice, read_question

    game = batch.game
    left = game.rolls - 1 if rolls_left is None else rolls_left
    any_roll = make_dice(game.dice, game.faces).rolls[0]
    position, _ = read_question(game, sheet or "", any_roll, left)
    solution = TableStore(batch.tables).solve(game, threads=batch.threads, progress=progress, waiting=say_waiting)
    return decision_chart(Advisor(solution), position, rolls_left=left)


def _distribution(batch: Batch, names: list[str], progress: Progress) -> Figure:
    from sim import distribution_chart, measure

    return distribution_chart({name: measure(batch, name, progress=progress) for name in names})


def _boxes(batch: Batch, name: str, progress: Progress) -> Figure:
    from sim import boxes_chart, measure
    from solver import Advisor, TableStore

    figures = measure(batch, name, progress=progress)
    if name not in ("optimal", "learned"):
        return boxes_chart(figures, strategy=name, advisor=None)
    solution = TableStore(batch.tables).solve(batch.game, progress=progress, waiting=say_waiting)
    return boxes_chart(figures, strategy=name, advisor=Advisor(solution))


def _timeline(batch: Batch, name: str, progress: Progress) -> Figure:
    from sim import measure, timeline_chart

    return timeline_chart(measure(batch, name, progress=progress), strategy=name)


def _comparison(batch: Batch, names: list[str], same_dice: bool, progress: Progress) -> Figure:
    from sim import compare, comparison_chart

    return comparison_chart(compare(batch, names, same_dice=same_dice, progress=progress))


def _frontier(batch: Batch, progress: Progress) -> Figure:
    from sim import BOLD, SAFE, frontier, frontier_chart

    named = {"safe": SAFE, "optimal": 0.0, "bold": BOLD}
    return frontier_chart(batch.game, list(frontier(batch, progress=progress)), named=named)


def _columns(batch: Batch, name: str, progress: Progress) -> Figure:
    from sim import columns_chart, measure

    return columns_chart(measure(batch, name, progress=progress), strategy=name)


def _prices(batch: Batch, name: str, progress: Progress) -> Figure:
    from sim import Tabled, prices_chart, roll_worths
    from solver import InputError

    (strategy,) = batch.prepare((name,), progress=progress)
    if not isinstance(strategy, Tabled) or strategy.noise:
        raise InputError(f"the chart 'prices' needs a strategy that plays by tables, '{name}' does not.")
    games = min(batch.games, _PRICED_GAMES)
    worths = roll_worths(strategy.policy, games, seed=batch.seed, threads=batch.threads, progress=progress)
    return prices_chart(batch.game, worths, strategy=name, games=games)
