"""`rollwise bound`: what perfect play of a sheet with several columns cannot exceed."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from cli.shared import json_option, progress_bars, say_waiting, show_json, tables_option, variant_argument


@click.command("bound")
@variant_argument
@click.option("--minutes", type=float, default=10.0, show_default=True, help="How long to make the bound lower.")
@click.option("--threads", type=click.IntRange(min=1), help="Threads to use.  [default: all cores]")
@click.option("--force", is_flag=True, help="Begin anew instead of going on from the bound that is stored.")
@tables_option
@json_option
def command(variant: str, minutes: float, threads: int | None, force: bool, tables: Path | None, as_json: bool) -> None:
    """Prove a bound on the expected score of perfect play of VARIANT, a game with several columns.

    The columns are priced one by one (solver/prices.py has the argument). The bound is stored, and given again the
    command makes it lower.

    Example: rollwise bound dicegame --minutes 30
    """
    from solver import InputError, TableMissingError, TableRefusedError, TableStore, find_game, method_for

    game = find_game(variant)
    if not 0.0 <= minutes <= 10_000.0:
        raise InputError(f"minutes is {minutes:g}: from 0 to 10,000 are allowed.")
    store = TableStore(tables)
    with progress_bars() as progress:
        bound = store.tighten_bound(
            game, seconds=60.0 * minutes, force=force, threads=threads, progress=progress, waiting=say_waiting
        )
    mean: float | None = None
    with suppress(TableMissingError, TableRefusedError):
        mean = getattr(store.load(game), "mean", None)
    seconds = bound.curve[-1][0]
    if as_json:
        show_json(
            {
                "variant": game.name,
                "bound": bound.value,
                "steps": len(bound.curve),
                "seconds": seconds,
                "curve": [{"seconds": at, "bound": value} for at, value in bound.curve],
                "mean": mean,
            }
        )
        return
    click.echo(f"{game.title}: perfect play is proven to score at most {bound.shown:.2f} on average")
    click.echo(f"After {len(bound.curve)} steps in {seconds / 60.0:.1f} min, from {bound.curve[0][1]:.2f}.")
    if mean is not None and method_for(game) == "learned":
        click.echo(
            f"Learned play scores {mean:.2f}: the bound is {100.0 * (bound.value / mean - 1.0):.1f} percent above."
        )
