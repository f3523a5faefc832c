"""Measure everything, print it as a table with the machine named, and write results/bench*.csv.

`python -m bench one` measures games with one column only, `several` those with several, `sixis` the game with cards.
"""

from __future__ import annotations

import csv
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from cli.shared import show_table

ROOT = Path(__file__).parent.parent
ROLLWISE = [sys.executable, "-c", "from cli.main import main; main()"]


@dataclass(frozen=True)
class Row:
    """One measurement and what it is compared with; `ratio` is how many times better than that it is."""

    what: str
    measured: float
    unit: str
    reference: str
    reference_value: float
    more_is_better: bool = False

    @property
    def ratio(self) -> float:
        ratio = self.reference_value / self.measured
        return 1.0 / ratio if self.more_is_better else ratio


def machine() -> str:
    """Processor, cores and Python."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.split(":")[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"


def seconds(work: Callable[[], object], *, repeat: int) -> float:
    """The median time of some runs."""
    times = []
    for _ in range(repeat):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def rollwise(*words: str, **environment: str) -> None:
    subprocess.run([*ROLLWISE, *words], check=True, cwd=ROOT, env=os.environ | environment, stdout=subprocess.DEVNULL)


def in_own_process(function: str, *arguments: str) -> dict[str, float]:
    """The measurements a function of `bench.measure` prints, taken in a fresh process."""
    words = [sys.executable, "-m", "bench.measure", function, *arguments]
    done = subprocess.run(words, check=True, cwd=ROOT, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def solving() -> Iterator[Row]:
    ours = in_own_process("solve", "verhoeff", "5")
    peer = in_own_process("peer", "american", "3")
    yield Row("Yahtzee (verhoeff), all states", ours["values"], "s", "yatzy-solver 'american'", peer["seconds"])
    yield Row("  with the deviation", ours["both"], "s", "yatzy-solver, without", peer["seconds"])
    ours = in_own_process("solve", "yatzy", "3")
    peer = in_own_process("peer", "yatzy-scandinavian", "1")
    yield Row("Yatzy, all states", ours["values"], "s", "yatzy-solver 'scandinavian'", peer["seconds"])
    ours = in_own_process("solve", "sixzee", "1")
    yield Row("Sixzee, all states", ours["values"], "s", "limit", 120.0)
    yield Row("  with the deviation", ours["both"], "s", "limit", 120.0)
    yield Row("  resident memory", ours["memory"], "GiB", "limit", 2.5)
    yield Row("  table", ours["table"], "GiB", "limit", 1.0)
    rate = in_own_process("row_rate")
    useful = ours["operations"] / ours["values"] / 1e9
    yield Row("  time at full speed of row sums", ours["operations"] / rate["best"], "s", "as solved", ours["values"])
    click.echo(f"Sixzee: {ours['operations']:.3g} useful operations, {useful:.1f} G/s; ", err=True, nl=False)
    click.echo(f"row sums out of the first-level cache reach {rate['best'] / 1e9:.1f} G/s.", err=True)


def asking(tables: Path) -> Iterator[Row]:
    for name, dice in (("yahtzee", "33356"), ("sixzee", "333566")):
        rollwise("solve", name, "--tables", str(tables))
        words = ["advise", name, "--dice", dice, "--rolls-left", "2", "--tables", str(tables)]
        process = seconds(lambda words=words: rollwise(*words), repeat=7)  # type: ignore[misc]
        yield Row(f"advise {name}, new process", process, "s", "limit", 1.5)
        question = in_own_process("questions", name, str(tables))
        yield Row("  a question from Python", question["milliseconds"], "ms", "limit", 2.0)
    yield Row("rollwise --help", seconds(lambda: rollwise("--help"), repeat=7), "s", "limit", 0.3)


def playing(tables: Path) -> Iterator[Row]:
    """Optimal play; growth with the number of games; and beside it the peer, with the same rules in the same run."""
    unit = "games/s"
    rollwise("solve", "verhoeff", "--tables", str(tables))
    peer = in_own_process("peer_games", "american", "20000")
    for games in (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000):
        ours = in_own_process("simulate_games", "verhoeff", str(games), str(tables))
        what = f"Yahtzee (verhoeff), {games:,} games"
        yield Row(what, ours["rate"], unit, "yatzy-solver, 20,000 games", peer["rate"], more_is_better=True)
        yield Row("  resident memory", ours["memory"], "GiB", "limit", 2.5)
    ours = in_own_process("simulate_games", "yahtzee", "10000000", str(tables))
    yield Row("Yahtzee, 10,000,000 games", ours["rate"], unit, "limit", 1e6, more_is_better=True)
    for games in (10_000, 100_000, 1_000_000):
        ours = in_own_process("simulate_games", "sixzee", str(games), str(tables))
        yield Row(f"Sixzee, {games:,} games", ours["rate"], unit, "limit", 1e4, more_is_better=True)
    yield Row("  resident memory", ours["memory"], "GiB", "limit", 2.5)


def first_run() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as empty:
        caches = {"NUMBA_CACHE_DIR": f"{empty}/numba", "ROLLWISE_TABLES": f"{empty}/tables"}
        began = time.perf_counter()
        rollwise("solve", "yahtzee", **caches)
        rollwise("advise", "yahtzee", "--dice", "33356", "--rolls-left", "2", **caches)
        yield Row("first make run, compilation included", time.perf_counter() - began, "s", "limit", 45.0)


def several_columns(tables: Path) -> Iterator[Row]:
    """Learning, playing and asking with several columns; how good the table is does not matter here."""
    for name in ("triple-yahtzee", "dicegame"):
        rollwise("solve", name, "--games", "81920", "--tables", str(tables))
        found = in_own_process("learned_games", name, "40000", str(tables))
        yield Row(f"{name}, 40,000 games", found["rate"], "games/s", "limit", 4000.0, more_is_better=True)
        yield Row("  resident memory", found["memory"], "GiB", "limit", 8.0)
        yield Row(
            "  games learned from", found["trained"], "games/s", "played only", found["rate"], more_is_better=True
        )
        yield Row("  table", found["table"], "MiB", "limit", 400.0)
        words = ["advise", name, "--dice", "33356", "--rolls-left", "2", "--tables", str(tables)]
        process = seconds(lambda words=words: rollwise(*words), repeat=7)  # type: ignore[misc]
        yield Row(f"advise {name}, new process", process, "s", "limit", 2.0)
        question = in_own_process("questions", name, str(tables))
        yield Row("  a question from Python", question["milliseconds"], "ms", "limit", 20.0)
        yield Row("  one solved on the spot, the slowest", question["slowest"], "ms", "limit", 500.0)


def sixis(tables: Path) -> Iterator[Row]:
    """Two players of a deal solved; rounds by the optimum, by hand-written players and by the learned player."""
    found = in_own_process("solve_deal", "1", str(tables))
    yield Row("Sixis, a deal of eight cards for two", found["seconds"], "s", "limit", 150.0)
    yield Row("  resident memory", found["memory"], "GiB", "limit", 8.0)
    yield Row("  table", found["table"], "GiB", "limit", 6.0)
    words = ["advise", "sixis", "--deal", "1", "--dice", "111266", "--tables", str(tables)]
    process = seconds(lambda: rollwise(*words), repeat=7)
    yield Row("advise sixis, two players, new process", process, "s", "limit", 2.0)
    hands = in_own_process("sixis_rounds", "patient", "2", "2000000", str(tables))
    for strategy, games, limit in (("optimal", "200000", 5_000.0), ("patient", "2000000", 100_000.0)):
        played = hands if strategy == "patient" else in_own_process("sixis_rounds", strategy, "2", games, str(tables))
        yield Row(f"two players, {strategy}", played["rate"], "rounds/s", "limit", limit, more_is_better=True)
    for players in ("2", "3", "4"):
        played = in_own_process("sixis_rounds", "learned", players, "50000", str(tables))
        what = f"{players} players, learned"
        yield Row(what, played["rate"], "rounds/s", "two players, patient", hands["rate"], more_is_better=True)
    yield Row("  resident memory", played["memory"], "GiB", "limit", 2.5)


def show(rows: list[Row], path: Path) -> None:
    show_table(
        ["what", "measured", "unit", "compared with", "its value", "ratio"],
        [
            [r.what, f"{r.measured:.3g}", r.unit, r.reference, f"{r.reference_value:.3g}", f"{r.ratio:.1f}"]
            for r in rows
        ],
    )
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["what", "measured", "unit", "compared_with", "its_value", "ratio", "machine"])
        for r in rows:
            values = [f"{r.measured:.4g}", r.unit, r.reference, f"{r.reference_value:.4g}", f"{r.ratio:.3g}"]
            writer.writerow([r.what.strip(), *values, machine()])
    click.echo(f"Written to {path.relative_to(ROOT)}.")


def measured(parts: Iterable[Iterator[Row]]) -> list[Row]:
    rows = []
    for part in parts:
        for row in part:
            click.echo(f"  {row.what.strip()}: {row.measured:.4g} {row.unit}", err=True)
            rows.append(row)
    return rows


def main() -> None:
    click.echo(machine())
    wanted = sys.argv[1:] or ["one", "several", "sixis"]
    with tempfile.TemporaryDirectory() as folder:
        tables = Path(folder)
        if "one" in wanted:
            parts = (solving(), asking(tables), playing(tables), first_run())
            show(measured(parts), ROOT / "results" / "bench.csv")
        if "several" in wanted:
            show(measured([several_columns(tables)]), ROOT / "results" / "bench-columns.csv")
        if "sixis" in wanted:
            show(measured([sixis(tables)]), ROOT / "results" / "bench-sixis.csv")


if __name__ == "__main__":
    main()
