"""`rollwise solve`: make the table of a game."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from solver import Bound, ColumnSolution, Solution, TableStore


@click.command("solve")
@variant_argument
@click.option("--games", type=int, help="Several columns: games to learn from.  [default: 4,000,000]")
@click.option("--minutes", type=float, help="Several columns: learn for so long instead.")
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Several columns: same seed and games from the start, same table.",
)
@click.option("--threads", type=click.IntRange(min=1), help="Threads to use.  [default: all cores]")
@click.option("--force", is_flag=True, help="Solve again even if there is a good table.")
@tables_option
@json_option
def command(
    variant: str,
    games: int | None,
    minutes: float | None,
    seed: int,
    threads: int | None,
    force: bool,
    tables: Path | None,
    as_json: bool,
) -> None:
    """Solve VARIANT (a name or a TOML file of house rules) and store the table.

    A game with one column is solved exactly. One with several columns is learned by self-play, in 5 to 15 minutes;
    with --games or --minutes a table that is there is trained further. An interrupted training goes on where it was
    when the command is given again.

    Sixis has a form of its own: 'rollwise solve sixis --help'.

    Example: rollwise solve triple-yahtzee --minutes 30
    """
    from solver import ColumnSolution, TableStore, Training, find_game

    game = find_game(variant)
    store = TableStore(tables)
    training = None
    if games is not None or minutes is not None or seed:
        training = Training(games=games, minutes=minutes, seed=seed)
    solved_now = False

    with progress_bars() as show:

        def progress(stage: str, share: float, note: str = "") -> None:
            nonlocal solved_now
            if stage == "checkpoint":
                click.echo(f"Note: {note}; the one before it is used.", err=True)
                return
            solved_now = True
            show(stage, share, note)

        try:
            solution = store.solve(
                game,
                force=force,
                rebuild=True,
                training=training,
                threads=threads,
                progress=progress,
                waiting=say_waiting,
            )
        except KeyboardInterrupt:
            if len(game.columns) > 1 and solved_now:
                click.echo("\nThe training so far is kept: the same command goes on with it.", err=True)
            raise
    if as_json:
        facts: dict[str, object] = {
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
        if isinstance(solution, ColumnSolution):
            bound = _bound(store, solution)
            facts |= {"games": solution.games, "seed": solution.seed, "mean": solution.mean, "se": solution.se}
            facts |= {"checked": solution.checked, "bound": bound.value if bound else None}
        show_json(facts)
        return
    if isinstance(solution, ColumnSolution):
        _show_columns(solution, store)
    else:
        _show_exact(solution)
    where = f"table ({byte_size(store.size(game))}) in '{store.path(game)}'"
    again = "--force solves it again" if solution.method == "exact" else "--games or --minutes trains it further"
    click.echo(f"Stored the {where}." if solved_now else f"Solved before; {where}. {again}.")


def _bound(store: TableStore, solution: ColumnSolution) -> Bound | None:
    """The bound that was proven before, None if there is none that can be used."""
    from solver import TableRefusedError

    with suppress(TableRefusedError):
        return store.load_bound(solution.game)
    return None


def _show_exact(solution: Solution) -> None:
    game = solution.game
    click.echo(f"{game.title}: {solution.value:.6f} expected points, standard deviation {solution.sd:.4f}")
    click.echo(f"Exact over {solution.states:,} states, solved in {solution.seconds:.2f} s.")


def _show_columns(solution: ColumnSolution, store: TableStore) -> None:
    game = solution.game
    measured = f"mean {solution.mean:.2f}, standard error {solution.se:.2f}, standard deviation {solution.sd:.1f}"
    if solution.method == "exact":
        click.echo(f"{game.title}: {solution.value:.6f} expected points, exact over {solution.states:,} states")
        click.echo(f"Measured over {solution.checked:,} games: {measured}.")
        return
    click.echo(f"{game.title}: {measured} (learned, measured over {solution.checked:,} fresh games)")
    minutes = solution.seconds / 60.0
    click.echo(f"Learned from {solution.games:,} games in {minutes:.1f} min; the tables expect {solution.value:.2f}.")
    bound = _bound(store, solution)
    if bound is not None:
        over = 100.0 * (bound.value / solution.mean - 1.0)
        click.echo(f"Perfect play is proven to score at most {bound.shown:.2f}, {over:.1f} percent above the mean.")
    else:
        click.echo(f"How far from perfect that can be: rollwise bound {game.name}")
