"""`rollwise distribution`: every final score of optimal play with its chance."""

from __future__ import annotations

from pathlib import Path

import click

from cli.shared import (
    json_option,
    say_waiting,
    show_json,
    show_table,
    solving_progress,
    tables_option,
    variant_argument,
)

_PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)


@click.command("distribution")
@variant_argument
@click.option("--out", type=click.Path(path_type=Path), help="Write all scores and their chances to a .csv file.")
@tables_option
@json_option
def command(variant: str, out: Path | None, tables: Path | None, as_json: bool) -> None:
    """The exact distribution of the final score of VARIANT under optimal play, and what each box contributes.

    For games with one column and at most three million states, which are those with five dice.

    Example: rollwise distribution yahtzee --out scores.csv
    """
    from sim import check_scores_file, write_scores
    from solver import TableStore, exact_figures, find_game, require_exact

    game = find_game(variant)
    require_exact(game)
    if out is not None:
        check_scores_file(out)
    with solving_progress() as progress:
        solution = TableStore(tables).solve(game, progress=progress, waiting=say_waiting)
        figures = exact_figures(solution.policy, progress=progress)
    distribution = figures.distribution
    if out is not None:
        write_scores(distribution, out)
    percentiles = {percent: distribution.percentile(percent) for percent in _PERCENTILES}
    if as_json:
        show_json(
            {
                "variant": game.name,
                "method": distribution.method,
                "mean": distribution.mean,
                "sd": distribution.sd,
                "percentiles": percentiles,
                "bonuses": figures.bonus_chances,
                "repeats": figures.repeats,
                "boxes": [
                    {"box": box.box, "mean": box.mean, "zero": box.zero, "turns": box.turns.tolist()}
                    for box in figures.boxes
                ],
                "chances": distribution.chances.tolist(),
            }
        )
        return
    click.echo(f"{game.title}: final score of optimal play ({distribution.method})\n")
    click.echo(f"mean {distribution.mean:.4f}, standard deviation {distribution.sd:.4f}\n")
    show_table(["percent of games", *map(str, percentiles)], [["end at or below", *map(str, percentiles.values())]])
    click.echo()
    show_table(
        ["box", "mean points", "zero"],
        [[box.box, f"{box.mean:.4f}", f"{100 * box.zero:.2f} %"] for box in figures.boxes],
    )
    click.echo()
    for name, chance in figures.bonus_chances.items():
        click.echo(f"{name} bonus: {100 * chance:.3f} % of games")
    if game.wild is not None and game.wild.repeat_bonus:
        click.echo(f"repeat bonuses: {figures.repeats:.6f} a game")
    if out is not None:
        click.echo(f"\nWrote '{out}'.")
