"""`rollwise chart`: a picture to play by."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.shared import json_option, say_waiting, show_json, solving_progress, tables_option, variant_argument

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from solver import Figures

_KINDS = {
    "opening": "what to keep for each first roll of the game",
    "decision": "the best decision for every roll on a given sheet",
    "distribution": "how likely each final score is",
    "boxes": "what each box brings, how often it is a zero, what a zero costs",
    "timeline": "on which turn each box is filled",
}


@click.command("chart", epilog="Kinds: " + "; ".join(f"{kind}, {what}" for kind, what in _KINDS.items()) + ".")
@click.argument("kind")
@variant_argument
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The picture to write: .png, .svg or .pdf.")
@click.option("--sheet", help="decision: what is filled, as in 'ones=3 yahtzee=50'.  [default: nothing]")
@click.option("--rolls-left", type=int, help="decision: rolls still to come this turn.  [default: all but the first]")
@tables_option
@json_option
def command(
    kind: str,
    variant: str,
    out: Path,
    sheet: str | None,
    rolls_left: int | None,
    tables: Path | None,
    as_json: bool,
) -> None:
    """Draw a chart of KIND for VARIANT. Solves the game first if there is no table yet.

    Example: rollwise chart opening yahtzee --out opening.png
    """
    from sim import boxes_chart, check_out, decision_chart, distribution_chart, save, timeline_chart
    from solver import (
        Advisor,
        InputError,
        TableStore,
        exact_figures,
        find_game,
        make_dice,
        read_question,
        require_exact,
    )
    from solver.errors import unknown

    if kind not in _KINDS:
        raise unknown("chart", kind, _KINDS)
    if kind != "decision" and not (sheet is None and rolls_left is None):
        raise InputError(f"--sheet and --rolls-left belong to the chart 'decision', '{kind}' has none.")
    game = find_game(variant)
    check_out(out)
    left = game.rolls - 1 if rolls_left is None else rolls_left
    any_roll = make_dice(game.dice, game.faces).rolls[0]
    position, _ = read_question(game, sheet or "", any_roll, left)
    if kind not in ("opening", "decision"):
        require_exact(game)
    with solving_progress() as progress:
        solution = TableStore(tables).solve(game, progress=progress, waiting=say_waiting)
        if kind in ("opening", "decision"):
            figure = decision_chart(Advisor(solution), position, rolls_left=left)
        else:
            draw: dict[str, Callable[[Figures], Figure]] = {
                "distribution": distribution_chart,
                "boxes": partial(boxes_chart, Advisor(solution)),
                "timeline": timeline_chart,
            }
            figure = draw[kind](exact_figures(solution.policy, progress=progress))
    save(figure, out)
    if as_json:
        show_json({"variant": game.name, "chart": kind, "out": str(out), "bytes": out.stat().st_size})
    else:
        click.echo(f"Drew '{out}': {_KINDS[kind]}.")
