"""`rollwise solve sixis`: two players of a deal, exactly."""

from __future__ import annotations

from pathlib import Path

import click

from cli.shared import byte_size, json_option, progress_bars, say_waiting, show_json, tables_option
from cli.sixis_shared import cards_options, read_deal


@click.command("solve sixis")
@cards_options
@click.option("--threads", type=click.IntRange(min=1), help="Threads to use.  [default: all cores]")
@click.option("--force", is_flag=True, help="Solve again even if there is a good table.")
@tables_option
@json_option
def command(
    cards: str | None,
    deal: int | None,
    deck: Path | None,
    threads: int | None,
    force: bool,
    tables: Path | None,
    as_json: bool,
) -> None:
    """Solve a deal of Sixis for two players, exactly, and store the table.

    The value is the expected margin of the first player, all cards blue and nothing saved. Eight cards take about two
    minutes and 2 to 4 GiB of disk; fewer cards in a group are allowed.

    Example: rollwise solve sixis --cards "double-ones, low, two-pair / high, run-1-2-3, double-sixes"
    """
    from solver import InputError
    from solver.sixis.tables import DealStore

    dealt, sides = read_deal(cards, deal, deck, players=2)
    if any(sides):
        raise InputError("a round begins with all cards blue: leave ':red' and ':gone' to 'rollwise advise sixis'.")
    store = DealStore(tables)
    solved_now = False
    with progress_bars() as show:

        def progress(stage: str, share: float, note: str = "") -> None:
            nonlocal solved_now
            solved_now = True
            show(stage, share, note)

        solved = store.solve(dealt, force=force, rebuild=True, threads=threads, progress=progress, waiting=say_waiting)
    if as_json:
        show_json(
            {
                "variant": "sixis",
                "cards": str(dealt),
                "value": solved.value,
                "total": solved.value,
                "advanced_start": solved.advanced,
                "states": solved.states,
                "statuses": solved.statuses,
                "sweeps": solved.sweeps,
                "residual": solved.residual,
                "stored_error": solved.error,
                "seconds": solved.seconds,
                "method": "exact",
                "solved_now": solved_now,
                "table": str(store.path(dealt)),
                "bytes": store.size(dealt),
            }
        )
        return
    click.echo(f"Sixis: {dealt}")
    click.echo(
        f"The first player wins by {solved.value:.4f} points on average, with the advanced start {solved.advanced:.4f}."
    )
    click.echo(
        f"Exact over {solved.states:,} positions of {solved.statuses:,} statuses, "
        f"residual below {solved.residual:.1e}; solved in {solved.seconds:.0f} s."
    )
    where = f"table ({byte_size(store.size(dealt))}, values to within {solved.error:.4f}) in '{store.path(dealt)}'"
    click.echo(f"Stored the {where}." if solved_now else f"Solved before; {where}. --force solves it again.")
