"""`rollwise score`: add up a sheet, and what a roll would score on it."""

from __future__ import annotations

import click

from cli.shared import json_option, show_json, show_table, variant_argument


@click.command("score")
@variant_argument
@click.option(
    "--sheet", default="", help="What is filled, as in '2:ones=3 3:chance=22' (points before the multiplier)."
)
@click.option("--dice", help="A roll, to see what it scores in each open box.")
@json_option
def command(variant: str, sheet: str, dice: str | None, as_json: bool) -> None:
    """Add up a sheet of VARIANT with all its bonuses, and list where a roll may go and for how much.

    Example: rollwise score triple-yahtzee --sheet "3:ones=3 1:yahtzee=50" --dice 66626
    """
    from solver import Sheet, find_game, make_dice

    game = find_game(variant)
    position = Sheet.parse(game, sheet)
    roll = make_dice(game.dice, game.faces).parse(dice) if dice is not None else None
    placements = sorted(position.placements(roll), key=lambda place: -place.gain) if roll is not None else []
    columns = range(len(game.columns))
    if as_json:
        show_json(
            {
                "variant": game.name,
                "sheet": str(position),
                "total": position.total,
                "repeat_bonus": position.repeat_bonus,
                "columns": [
                    {
                        "multiplier": game.columns[c],
                        "numbers": position.number_total(c),
                        "bonuses": position.bonuses(c),
                        "total": position.column_total(c),
                    }
                    for c in columns
                ],
                "options": [
                    {
                        "column": place.column + 1,
                        "box": place.box,
                        "points": place.points,
                        "bonus": place.bonus,
                        "gain": place.gain,
                    }
                    for place in placements
                ],
            }
        )
        return
    click.echo(f"{game.title}: {position.turn} of {game.turns} boxes filled, {position.total} points\n")
    show_table(
        ["column", "counts", "numbers", "bonuses", "total"],
        [
            [
                str(c + 1),
                f"x{game.columns[c]}",
                str(position.number_total(c)),
                str(position.bonuses(c)),
                str(position.column_total(c)),
            ]
            for c in columns
        ],
    )
    if position.repeat_bonus:
        click.echo(f"and {position.repeat_bonus} points of repeat bonuses")
    if roll is not None:
        click.echo(f"\n{' '.join(map(str, roll))} scores")
        show_table(
            ["box", "column", "points", "repeat bonus", "gain"],
            [
                [place.box, str(place.column + 1), str(place.points), str(place.bonus or ""), str(place.gain)]
                for place in placements
            ],
        )
