"""What every command shares: its common options, plain tables, JSON and the progress of long work."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from sim import Batch
    from solver import Figures, Game

Command = TypeVar("Command", bound=Callable[..., Any])

_STAGES = {
    "compile": "Loading the compiled solver (the first run on a machine compiles it, some ten seconds)",
    "solve": "Solving",
    "deviation": "Deviation",
    "boxes": "Boxes",
    "distribution": "Scores",
    "play": "Playing",
    "endgames": "Endgames",
    "prices": "Prices",
    "train": "Training",
    "check": "Measuring",
    "bound": "Bound",
}
_STEPS = 1000
_MANY, _FEWER = 1_000_000, 50_000
"""Games unless a number is given: with several columns every position is another one, and takes its own time."""
_NUMBER = re.compile(r"[-+]?[\d.,]+($| [%/(]| to | a )")


def variant_argument(command: Command) -> Command:
    """The game: a variant's name or a TOML file."""
    return click.argument("variant")(command)


def json_option(command: Command) -> Command:
    """Print one JSON object instead of a table."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")(command)


def tables_option(command: Command) -> Command:
    """Where the solved tables are."""
    return click.option(
        "--tables",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder of the solved tables.  [default: $ROLLWISE_TABLES, else the user's cache folder]",
    )(command)


def batch_options(*, games: int | None) -> Callable[[Command], Command]:
    """How many games to play, from which seed, and where. Without a number it depends on the game."""

    def decorate(command: Command) -> Command:
        options = [
            click.option(
                "--games",
                type=int,
                default=games,
                show_default=games is not None,
                help="Games (or matches) to play."
                + ("" if games else f"  [default: {_MANY:,}; {_FEWER:,} with several columns]"),
            ),
            click.option("--rounds", type=int, default=1, show_default=True, help="Rounds of a game."),
            click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same games."),
            click.option("--threads", type=int, help="Threads to use.  [default: all cores]"),
            click.option("--workers", type=int, help="Play on a local Dask cluster of so many processes."),
            click.option("--scheduler", metavar="ADDRESS", help="Play on a running Dask cluster, tcp://host:8786."),
            tables_option,
        ]
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@contextmanager
def open_batch(
    game: Game,
    *,
    games: int | None,
    seed: int,
    threads: int | None,
    workers: int | None,
    scheduler: str | None,
    tables: Path | None,
    rounds: int = 1,
) -> Iterator[Batch]:
    """The batch that the options describe, with its cluster if there is one."""
    from sim import Batch

    if games is None:
        games = _MANY if len(game.columns) == 1 else _FEWER
    batch = Batch(game=game, games=games, seed=seed, rounds=rounds, tables=tables, threads=threads)
    if workers is None and scheduler is None:
        yield batch
        return
    from sim.cluster import Cluster

    with Cluster(scheduler=scheduler, workers=workers) as runner:
        yield replace(batch, runner=runner)


def split_strategies(text: str) -> list[str]:
    """`optimal,greedy` as a list."""
    return [name.strip() for name in text.split(",") if name.strip()]


def show_json(facts: Any) -> None:
    """Print facts as JSON; what is not known (nan) is null."""
    click.echo(json.dumps(_known(facts), indent=2))


def _known(facts: Any) -> Any:
    if isinstance(facts, dict):
        return {name: _known(fact) for name, fact in facts.items()}
    if isinstance(facts, (list, tuple)):
        return [_known(fact) for fact in facts]
    return None if isinstance(facts, float) and isnan(facts) else facts


def show_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns: numbers flush right, words flush left."""
    cells = [list(column) for column in zip(header, *rows, strict=True)]
    for column in cells:
        width = max(map(len, column))
        numbers = all(_NUMBER.match(cell) or not cell for cell in column[1:])
        column[:] = [cell.rjust(width) if numbers else cell.ljust(width) for cell in column]
        column.insert(1, "-" * width)
    for line in zip(*cells, strict=True):
        click.echo("  ".join(line).rstrip())


def byte_size(count: int) -> str:
    """A number of bytes for people."""
    return f"{count / 2**20:,.1f} MiB"


@contextmanager
def progress_bars() -> Iterator[Callable[..., None]]:
    """A progress callback with a bar and an estimate for each stage, on a terminal only."""
    bar: Any = None
    current = ""

    def finish() -> None:
        if bar is not None:
            bar.__exit__(None, None, None)

    def report(stage: str, share: float, note: str = "") -> None:
        nonlocal bar, current
        if stage != current:
            finish()
            current, bar = stage, None
            if stage == "compile":
                click.echo(f"{_STAGES[stage]} ...", err=True)
                return
            bar = click.progressbar(length=_STEPS, label=_STAGES[stage].ljust(10), file=sys.stderr)
            bar.__enter__()
        if bar is not None:
            if note:
                bar.label = f"{_STAGES[stage]}: {note}"
            bar.update(round(share * _STEPS) - bar.pos)

    if not sys.stderr.isatty():
        yield lambda stage, share, note="": None
        return
    try:
        yield report
    finally:
        finish()


def say_waiting() -> None:
    """Told once when another process holds the lock."""
    click.echo("Another process is solving this game; waiting for it ...", err=True)


PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)


def figure_facts(figures: Figures) -> dict[str, Any]:
    """Exact or sampled figures for JSON."""
    distribution = figures.distribution
    return {
        "mean": distribution.mean,
        "sd": distribution.sd,
        "percentiles": {percent: distribution.percentile(percent) for percent in PERCENTILES},
        "bonuses": figures.bonus_chances,
        "repeats": figures.repeats,
        "boxes": [
            {"box": box.box, "mean": box.mean, "zero": box.zero, "turns": box.turns.tolist()} for box in figures.boxes
        ],
    }


def show_figures(game: Game, named: dict[str, Figures]) -> None:
    """Percentiles, boxes and bonuses of some figures side by side, each under its name."""
    heads = list(named)
    only = len(named) == 1

    def label(what: str, name: str) -> str:
        return what if only else f"{what}, {name}"

    show_table(
        ["percent of games", *map(str, PERCENTILES)],
        [
            ["end at or below" if only else f"{name}: end at or below"]
            + [str(figures.distribution.percentile(percent)) for percent in PERCENTILES]
            for name, figures in named.items()
        ],
    )
    click.echo()
    first = next(iter(named.values()))
    show_table(
        ["box", *(label("mean points", name) for name in heads), *(label("zero", name) for name in heads)],
        [
            [box.box]
            + [f"{figures.boxes[place].mean:.4f}" for figures in named.values()]
            + [f"{100 * figures.boxes[place].zero:.2f} %" for figures in named.values()]
            for place, box in enumerate(first.boxes)
        ],
    )
    rows = [
        [f"{bonus} bonus"] + [f"{100 * figures.bonus_chances[bonus]:.3f} % of sheets" for figures in named.values()]
        for bonus in first.bonus_chances
    ]
    if game.wild is not None and game.wild.repeat_bonus:
        rows.append(["repeat bonuses"] + [f"{figures.repeats:.6f} a sheet" for figures in named.values()])
    if rows:
        click.echo()
        show_table(["bonus", *(label("earned", name) for name in heads)], rows)
