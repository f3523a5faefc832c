"""What every command shares: its common options, plain tables, JSON and the progress of long work."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

_STAGES = {
    "compile": "Loading the compiled solver (the first run on a machine compiles it, some ten seconds)",
    "solve": "Solving",
    "deviation": "Deviation",
    "boxes": "Boxes",
    "distribution": "Scores",
}
_STEPS = 1000


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


def show_json(facts: Any) -> None:
    """Print facts as JSON."""
    click.echo(json.dumps(facts, indent=2))


def show_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns: numbers flush right, words flush left."""
    cells = [list(column) for column in zip(header, *rows, strict=True)]
    for column in cells:
        width = max(map(len, column))
        numbers = all(cell[:1].isdigit() or not cell for cell in column[1:])
        column[:] = [cell.rjust(width) if numbers else cell.ljust(width) for cell in column]
        column.insert(1, "-" * width)
    for line in zip(*cells, strict=True):
        click.echo("  ".join(line).rstrip())


def byte_size(count: int) -> str:
    """A number of bytes for people."""
    return f"{count / 2**20:,.1f} MiB"


@contextmanager
def solving_progress() -> Iterator[Callable[[str, float], None]]:
    """A progress callback with a bar and an estimate for each stage, on a terminal only."""
    bar: Any = None
    current = ""

    def finish() -> None:
        if bar is not None:
            bar.__exit__(None, None, None)

    def report(stage: str, share: float) -> None:
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
            bar.update(round(share * _STEPS) - bar.pos)

    if not sys.stderr.isatty():
        yield lambda stage, share: None
        return
    try:
        yield report
    finally:
        finish()


def say_waiting() -> None:
    """Told once when another process holds the lock."""
    click.echo("Another process is solving this game; waiting for it ...", err=True)
