"""`rollwise advise`: the best decision in a position."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.shared import (
    json_option,
    progress_bars,
    say_waiting,
    show_json,
    show_table,
    tables_option,
    variant_argument,
)

if TYPE_CHECKING:
    from solver import Advice, Option


@click.command("advise")
@variant_argument
@click.option("--dice", required=True, help="The dice as they lie, 33356 or 3,3,3,5,6.")
@click.option("--rolls-left", type=int, required=True, help="Rolls still to come this turn: 2, 1 or 0.")
@click.option("--sheet", default="", help="What is filled, as in 'ones=3 full-house=25 yahtzee=50 bonus=100'.")
@click.option("--top", type=click.IntRange(min=1), help="Show only the best options.  [default: 10; all with --json]")
@tables_option
@json_option
def command(
    variant: str, dice: str, rolls_left: int, sheet: str, top: int | None, tables: Path | None, as_json: bool
) -> None:
    """Rank every keep (or every box, with no rolls left) of a position of VARIANT by expected final score.

    Solves the game first if there is no table yet. With several columns the advice is by learned tables, and exact
    once few boxes are open; it says which.

    Sixis has a form of its own: 'rollwise advise sixis --help'.

    Example: rollwise advise yahtzee --dice 33356 --rolls-left 2 --sheet "ones=3 yahtzee=50"
    """
    from solver import Advisor, TableStore, find_game, read_question

    game = find_game(variant)
    position, roll = read_question(game, sheet, dice, rolls_left)
    with progress_bars() as progress:
        solution = TableStore(tables).solve(game, progress=progress, waiting=say_waiting)
    advice = Advisor(solution).advise(position, roll, rolls_left=rolls_left)
    options = advice.options[: top if top or as_json else 10]
    if as_json:
        show_json(
            {
                "variant": game.name,
                "dice": "".join(map(str, advice.dice)),
                "rolls_left": rolls_left,
                "sheet": str(position),
                "value": advice.value,
                "total": advice.total,
                "method": advice.method,
                "options": [_facts(option) for option in options],
            }
        )
    else:
        _show(advice, options)


def _facts(option: Option) -> dict[str, object]:
    facts: dict[str, object]
    if option.keep is not None:
        facts = {"keep": "".join(map(str, option.keep)), "improve": option.improve}
    else:
        facts = {"box": option.box, "points": option.points, "bonus": option.bonus}
    return facts | {"value": option.value, "total": option.total, "loss": option.loss}


def _show(advice: Advice, options: tuple[Option, ...]) -> None:
    game, sheet = advice.game, advice.sheet
    dice = " ".join(map(str, advice.dice))
    rolls = {0: "no rolls left", 1: "1 roll left"}.get(advice.rolls_left, f"{advice.rolls_left} rolls left")
    filled = f"{sheet.turn} of {game.turns} boxes filled" if sheet.turn else "an empty sheet"
    known = "" if advice.method == "exact" and len(game.columns) == 1 else f" ({advice.method})"
    click.echo(f"{game.title}: {dice}, {rolls}, {filled}, {sheet.total} points so far{known}\n")
    if advice.rolls_left:
        click.echo(f"Best: {_advice_text(advice)}\n")
        show_table(
            ["option", "expected final score", "loss", "chance to improve"],
            [
                [
                    _keep_text(option),
                    f"{option.total:.3f}",
                    f"{option.loss:.3f}",
                    f"{100 * (option.improve or 0.0):.1f} %",
                ]
                for option in options
            ],
        )
    else:
        click.echo(f"Best: score {advice.best.box}.\n")
        show_table(
            ["box", "points", "bonus", "expected final score", "loss"],
            [
                [
                    str(option.box),
                    str(option.points),
                    str(option.bonus or ""),
                    f"{option.total:.3f}",
                    f"{option.loss:.3f}",
                ]
                for option in options
            ],
        )
    hidden = len(advice.options) - len(options)
    if hidden:
        click.echo(f"... and {hidden} more (--top {len(advice.options)} shows all)")


def _keep_text(option: Option) -> str:
    return f"keep {' '.join(map(str, option.keep))}" if option.keep else "keep nothing"


def _advice_text(advice: Advice) -> str:
    keep = advice.best.keep or ()
    if len(keep) == len(advice.dice):
        return "keep all dice and score."
    if not keep:
        return "roll all dice again."
    rolled = len(advice.dice) - len(keep)
    return f"keep {' '.join(map(str, keep))}, roll {rolled} {'die' if rolled == 1 else 'dice'}."
