"""`rollwise distribution`: every final score with its chance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cli.shared import (
    batch_options,
    figure_facts,
    json_option,
    open_batch,
    progress_bars,
    show_figures,
    show_json,
    variant_argument,
)


@click.command("distribution")
@variant_argument
@click.option("--strategy", default="optimal", show_default=True, help="Who plays; 'rollwise strategies' lists them.")
@batch_options(games=None)
@click.option("--out", type=click.Path(path_type=Path), help="Write all scores and their chances to a .csv file.")
@json_option
def command(variant: str, strategy: str, out: Path | None, as_json: bool, **options: Any) -> None:
    """The distribution of the final score of VARIANT, and what each box contributes.

    Exact for games with one column and at most three million states (those with five dice), if the strategy decides
    by tables and not by chance; else sampled, from --games games. The answer says which.

    Example: rollwise distribution yahtzee --strategy greedy --out scores.csv
    """
    from sim import check_scores_file, measure, strategy_name, write_scores
    from sim.histogram import Z95
    from solver import find_game

    game = find_game(variant)
    strategy = strategy_name(game, strategy)
    if out is not None:
        check_scores_file(out)
    with progress_bars() as progress, open_batch(game, **options) as batch:
        figures = measure(batch, strategy, progress=progress)
    distribution = figures.distribution
    sampled = distribution.games is not None
    se = distribution.se if sampled else None
    if out is not None:
        write_scores(distribution, out)
    if as_json:
        show_json(
            {
                "variant": game.name,
                "strategy": strategy,
                "rounds": batch.rounds,
                "method": distribution.method,
                "games": batch.games if sampled else None,
                "seed": batch.seed if sampled else None,
                **figure_facts(figures),
                "se": se,
                "chances": distribution.chances.tolist(),
                "out": None if out is None else str(out),
            }
        )
        return
    how = f"{distribution.source}, seed {batch.seed}" if sampled else distribution.method
    rounds = f" of {batch.rounds} rounds" if batch.rounds > 1 else ""
    click.echo(f"{game.title}, {strategy}: final score{rounds} ({how})\n")
    error = f" (+- {Z95 * se:.4f}, 95 percent)" if se is not None else ""
    spread = f"{error}, standard deviation {distribution.sd:.4f}"
    click.echo(
        f"mean {distribution.mean:.4f}{', too few games for a deviation' if distribution.games == 1 else spread}\n"
    )
    show_figures(game, {distribution.method: figures})
    if out is not None:
        click.echo(f"\nWrote '{out}'.")
