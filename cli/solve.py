"""`rollwise solve`: make the table of a game."""

from __future__ import annotations

from pathlib import Path

import click

from cli.shared import (
    byte_size,
    json_option,
    progress_bars,
    say_waiting,
    show_json,
    tables_option,
    variant_argument,
)


@click.command("solve")
@variant_argument
@click.option("--threads", type=click.IntRange(min=1), help="Threads to use.  [default: all cores]")
@click.option("--force", is_flag=True, help="Solve again even if there is a good table.")
@tables_option
@json_option
def command(variant: str, threads: int | None, force: bool, tables: Path | None, as_json: bool) -> None:
    """Solve VARIANT (a name or a TOML file of house rules) exactly and store the table.

    Example: rollwise solve sixzee --threads 2
    """
    from solver import TableStore, find_game

    game = find_game(variant)
    store = TableStore(tables)
    solved_now = False

    with progress_bars() as show:

        def progress(stage: str, share: float) -> None:
            nonlocal solved_now
            solved_now = True
            show(stage, share)

        solution = store.solve(game, force=force, rebuild=True, threads=threads, progress=progress, waiting=say_waiting)
    if as_json:
        show_json(
            {
                "variant": game.name,
                "value": solution.value,
                "total": solution.value,
                "sd": solution.sd,
                "states": solution.states,
                "seconds": solution.seconds,
                "method": solution.method,
                "solved_now": solved_now,
                "table": str(store.path(game)),
                "bytes": store.size(game),
            }
        )
        return
    click.echo(f"{game.title}: {solution.value:.6f} expected points, standard deviation {solution.sd:.4f}")
    click.echo(f"Exact over {solution.states:,} states, solved in {solution.seconds:.2f} s.")
    where = f"table ({byte_size(store.size(game))}) in '{store.path(game)}'"
    click.echo(f"Stored the {where}." if solved_now else f"Solved before; {where}. --force solves it again.")
