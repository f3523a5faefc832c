"""`rollwise strategies`: who can play."""

from __future__ import annotations

import click

from cli.shared import json_option, show_json, show_table


@click.command("strategies")
@json_option
def command(as_json: bool) -> None:
    """List the strategies that simulate, compare, distribution and chart take.

    Example: rollwise strategies
    """
    from sim import STRATEGIES
    from sim.sixis.matches import STRATEGIES as OF_SIXIS

    if as_json:
        kinds = (("sheet", STRATEGIES), ("sixis", OF_SIXIS))
        show_json(
            [
                {"strategy": name, "summary": summary, "game": game}
                for game, named in kinds
                for name, summary in named.items()
            ]
        )
        return
    show_table(["strategy", "plays"], [[name, summary] for name, summary in STRATEGIES.items()])
    click.echo("\nYour own: a class in a module of yours, as in examples/my_strategy.py, named my_strategy:Sixes.\n")
    show_table(["in Sixis", "plays"], [[name, summary] for name, summary in OF_SIXIS.items()])
