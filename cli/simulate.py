"""`rollwise simulate`: many games of one strategy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from solver import Figures


@click.command("simulate")
@variant_argument
@click.option("--strategy", default="optimal", show_default=True, help="Who plays; 'rollwise strategies' lists them.")
@batch_options(games=None)
@click.option("--out", type=click.Path(path_type=Path), help="Write every sheet to a .parquet, .csv or .jsonl file.")
@click.option("--no-exact", is_flag=True, help="Leave out the exact figures, which take some seconds.")
@json_option
def command(variant: str, strategy: str, out: Path | None, no_exact: bool, as_json: bool, **options: Any) -> None:
    """Play many games of VARIANT with one strategy: mean, deviation, percentiles, boxes and bonuses.

    Where exact figures can be computed they stand beside the sampled ones. With --rounds a game is that many sheets,
    and the score is their sum.

    Sixis has a form of its own: 'rollwise simulate sixis --help'.

    Example: rollwise simulate yahtzee --games 1000000 --strategy greedy --seed 1
    """
    from sim import check_records_file, exact_for, known_moments, simulate
    from solver import find_game

    game = find_game(variant)
    if out is not None:
        check_records_file(out)
    with progress_bars() as progress, open_batch(game, **options) as batch:
        summary = simulate(batch, strategy, out=out, progress=progress)
        exact = None if no_exact else exact_for(batch, strategy, progress=progress)
        known = None if no_exact else known_moments(batch, strategy)
    if exact is not None:
        known = exact.distribution.mean, exact.distribution.sd
    figures, scores = summary.figures, summary.scores
    if as_json:
        show_json(
            {
                "variant": game.name,
                "strategy": summary.strategy,
                "games": summary.games,
                "rounds": summary.rounds,
                "seed": summary.seed,
                "seconds": summary.seconds,
                "method": figures.distribution.method,
                **figure_facts(figures),
                "mean": scores.mean,
                "sd": scores.sd,
                "se": scores.se,
                "exact": _exact_facts(exact, known),
                "out": None if out is None else str(out),
            }
        )
        return
    games = f"{summary.games:,} {'game' if summary.games == 1 else 'games'}"
    rounds = f" of {summary.rounds} rounds" if summary.rounds > 1 else ""
    click.echo(f"{game.title}, {summary.strategy}: {games}{rounds}, seed {summary.seed}, in {summary.seconds:.2f} s\n")
    spread = f"standard error {scores.se:.4f}, standard deviation {scores.sd:.4f}"
    click.echo(f"mean {scores.mean:.4f}, {spread if summary.games > 1 else 'too few games for a deviation'}")
    named = {"sampled": figures}
    if exact is not None:
        named["exact"] = exact
    if known is not None:
        mean, sd = known
        apart = f" ({(scores.mean - mean) / scores.se:+.2f} standard errors apart)" if scores.se > 0 else ""
        click.echo(f"exact mean {mean:.4f}{apart}, standard deviation {sd:.4f}")
    click.echo()
    show_figures(game, named)
    if out is not None:
        click.echo(f"\nWrote '{out}'.")


def _exact_facts(exact: Figures | None, known: tuple[float, float] | None) -> dict[str, Any] | None:
    if exact is not None:
        return figure_facts(exact)
    unknown = dict.fromkeys(("percentiles", "bonuses", "repeats", "boxes"))
    return None if known is None else {"mean": known[0], "sd": known[1], **unknown}
