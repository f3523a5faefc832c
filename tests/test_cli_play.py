"""The commands that play: simulate, compare, strategies, and the charts and distributions of strategies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from sim import STRATEGIES, Batch, simulate
from solver import find_game, solve_game
from tests.test_cli import ROOT, answer, assert_refused, run

SMALL = str(ROOT / "tests" / "small-rules.toml")
"""A game that is solved and known exactly in a moment."""
INTERRUPTED = "interrupted; files and tables that were stored before are untouched."
PLAY = ["simulate", SMALL, "--games", "2000", "--seed", "5"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def value() -> float:
    """The exact mean of optimal play."""
    return solve_game(find_game(SMALL)).value


def test_simulate_answers_what_python_answers(folder: Path) -> None:
    facts = answer(*PLAY, "--strategy", "greedy", folder=folder)
    assert set(facts) == {
        "variant", "strategy", "games", "rounds", "seed", "seconds", "method", "mean", "sd", "se", "percentiles",
        "bonuses", "repeats", "boxes", "exact", "out",
    }  # fmt: skip
    summary = simulate(Batch(game=find_game(SMALL), games=2000, seed=5), "greedy")
    assert (facts["mean"], facts["sd"], facts["se"]) == (summary.scores.mean, summary.scores.sd, summary.scores.se)
    assert facts["method"] == "sampled"
    assert abs(facts["mean"] - facts["exact"]["mean"]) < 4 * facts["se"]
    assert [box["box"] for box in facts["boxes"]] == [box.name for box in find_game(SMALL).boxes]
    assert facts["boxes"][0]["mean"] == summary.figures.boxes[0].mean


def test_simulate_for_people(folder: Path, value: float) -> None:
    shown = run(*PLAY, folder=folder).stdout
    assert shown.startswith("Small, optimal: 2,000 games, seed 5")
    assert f"exact mean {value:.4f}" in shown
    assert "standard errors apart" in shown
    assert "sampled: end at or below" in shown
    assert "exact: end at or below" in shown
    long = run(*PLAY, "--rounds", "3", folder=folder).stdout
    assert "2,000 games of 3 rounds" in long
    assert f"exact mean {3 * value:.4f}" in long
    assert "exact" not in run(*PLAY, "--no-exact", folder=folder).stdout


def test_one_game_has_no_deviation(folder: Path) -> None:
    """Nothing that a single game cannot tell is shown as a number."""
    for words in (["simulate", SMALL], ["distribution", SMALL], ["compare", SMALL, "--no-exact"]):
        who = ["--strategies", "random,greedy"] if words[0] == "compare" else ["--strategy", "random"]
        shown = run(*words, *who, "--games", "1", folder=folder).stdout
        assert "nan" not in shown
        assert "1 games" not in shown
        json.loads(run(*words, *who, "--games", "1", "--json", folder=folder).stdout, parse_constant=pytest.fail)


def test_simulate_columns(folder: Path) -> None:
    facts = answer("simulate", "triple-yahtzee", "--strategy", "heuristic", "--games", "300", folder=folder)
    assert facts["exact"] is None
    assert len(facts["boxes"]) == 39
    assert set(facts["bonuses"]) == {"1:numbers", "2:numbers", "3:numbers"}
    assert facts["mean"] > 1600


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_simulate_writes_every_game(ending: str, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / f"games.{ending}"
    facts = answer(*PLAY, "--strategy", "greedy", "--no-exact", "--rounds", "2", "--out", str(out), folder=folder)
    read = {"parquet": pd.read_parquet, "csv": pd.read_csv, "jsonl": lambda path: pd.read_json(path, lines=True)}
    records = read[ending](out)
    assert len(records) == 4000
    assert facts["out"] == str(out)
    assert records.groupby("game")["total"].sum().mean() == pytest.approx(facts["mean"])
    expected = simulate(Batch(game=find_game(SMALL), games=2000, seed=5, rounds=2), "greedy", records=True).records
    assert expected is not None
    pd.testing.assert_frame_equal(records, expected, check_dtype=False)
    assert list(tmp_path.iterdir()) == [out]


def test_compare(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "matches.csv"
    words = [
        "compare",
        SMALL,
        "--strategies",
        "optimal,greedy,random",
        "--games",
        "1000",
        "--same-dice",
        "--no-exact",
    ]
    facts = answer(*words, "--out", str(out), folder=folder)
    assert set(facts) == {
        "variant", "games", "rounds", "seed", "seconds", "same_dice", "table", "method", "players", "pairs", "out",
    }  # fmt: skip
    assert [player["strategy"] for player in facts["players"]] == ["optimal", "greedy", "random"]
    assert sum(player["firsts"] for player in facts["players"]) == 1000
    for side in facts["players"] + facts["pairs"]:
        assert side["win"]["rate"] + side["tie"]["rate"] + side["loss"]["rate"] == pytest.approx(1.0)
        assert side["win"]["interval"][0] <= side["win"]["rate"] <= side["win"]["interval"][1]
    assert facts["pairs"][0]["variance_saved"] > 0.2
    matches = pd.read_csv(out)
    assert matches["1:optimal"].mean() == pytest.approx(facts["players"][0]["mean"])
    won = (matches["1:optimal"] > matches[["2:greedy", "3:random"]].max(axis=1)).mean()
    assert won == pytest.approx(facts["players"][0]["win"]["rate"])
    shown = run(*words, folder=folder).stdout
    assert "variance saved" in shown
    assert "optimal - greedy" in shown


def test_compare_stands_beside_exact_chances(folder: Path, value: float) -> None:
    words = ["compare", SMALL, "--strategies", "optimal,greedy", "--games", "4000"]
    facts = answer(*words, folder=folder)
    for side in (facts["players"][0], facts["pairs"][0]):
        for name in ("win", "loss"):
            error = (side["exact"][name] * (1 - side["exact"][name]) / 4000) ** 0.5
            assert abs(side[name]["rate"] - side["exact"][name]) < 4 * error
    assert facts["players"][0]["exact"]["mean"] == pytest.approx(value)
    shown = run(*words, folder=folder).stdout
    assert "Exact, without sampling:" in shown
    assert "exact wins / ties / losses" in shown
    without = answer(*words, "--no-exact", folder=folder)
    assert without["players"][0]["exact"] is without["pairs"][0]["exact"] is None


def test_compare_players_with_one_strategy(folder: Path) -> None:
    facts = answer("compare", SMALL, "--strategies", "greedy", "--players", "3", "--games", "300", folder=folder)
    assert len(facts["players"]) == 3
    means = {player["mean"] for player in facts["players"]}
    assert len(means) == 3, "each player has dice of their own"
    assert facts["pairs"][0]["variance_saved"] is None


def test_compare_more_strategies_than_seats(folder: Path) -> None:
    words = ["compare", "dicegame", "--strategies", "heuristic,sheet-advice,greedy", "--games", "300"]
    facts = answer(*words, folder=folder)
    assert (facts["table"], facts["players"][0]["win"], facts["players"][0]["firsts"]) == (False, None, None)
    heuristic, advice, greedy = (player["mean"] for player in facts["players"])
    assert heuristic > advice > greedy
    assert "At most 2 play at one table" in run(*words, folder=folder).stdout


def test_strategies_are_listed() -> None:
    assert [row["strategy"] for row in answer("strategies") if row["game"] == "sheet"] == list(STRATEGIES)
    shown = run("strategies").stdout
    assert all(name in shown for name in STRATEGIES)


def test_distribution_is_sampled_where_it_must_be(folder: Path) -> None:
    facts = answer("distribution", SMALL, "--strategy", "sloppy:0.1", "--games", "500", folder=folder)
    assert (facts["method"], facts["games"]) == ("sampled", 500)
    assert facts["se"] == pytest.approx(facts["sd"] / 500**0.5)
    shown = run("distribution", SMALL, "--strategy", "random", "--games", "500", folder=folder).stdout
    assert "(sampled, 500 games, seed 0)" in shown
    assert "95 percent" in shown


@pytest.mark.parametrize(
    "kind",
    ["boxes", "comparison", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("distribution", "timeline"))],
)
def test_charts_of_columns(kind: str, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "chart.svg"
    several = kind in ("distribution", "comparison")
    words = ["chart", kind, "dicegame", "--games", "60", "--out", str(out)]
    done = run(*words, "--strategies", "heuristic,greedy" if several else "heuristic", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Dicegame" in out.read_text()


SIMULATE = ["simulate", SMALL, "--games"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["simulate", SMALL, "--strategy", "optimla"], "unknown strategy 'optimla': did you mean 'optimal'?"),
        ([*SIMULATE, "0"], "games is 0: from 1 to"),
        ([*SIMULATE, "-3"], "games is -3: from 1 to"),
        ([*SIMULATE, "many"], "'many' is not a valid integer"),
        ([*SIMULATE, "9", "--seed", "-1"], "seed is -1: from 0 to"),
        ([*SIMULATE, "9", "--rounds", "0"], "rounds of Small: 0 given"),
        (["simulate", "sixzee", "--strategy", "greedy", "--rounds", "1001"], "rounds is 1001: from 1 to 1,000 are"),
        (["chart", "opening", SMALL, "--rounds", "2", "--out", "x.png"], "is about one sheet: leave --rounds out"),
        ([*SIMULATE, "9", "--threads", "0"], "threads is 0: at least 1 is needed"),
        ([*SIMULATE, "9", "--out", "nowhere/games.csv"], "the folder 'nowhere' does not exist"),
        (
            [*SIMULATE, "9", "--out", "games.xlsx"],
            "a record format: allowed are .parquet, .csv, .jsonl",
        ),
        ([*SIMULATE, "9", "--strategy", "sloppy:1.5"], "a chance from 0 to 1 is needed"),
        ([*SIMULATE, "9", "--strategy", "sloppy:nan"], "a chance from 0 to 1 is needed"),
        ([*SIMULATE, "9", "--strategy", "utility:9"], "a theta from -0.2 to 0.2 is needed"),
        ([*SIMULATE, "9", "--strategy", "sheet-advice"], "speaks of a second and a third column, small-rules has 1"),
        ([*SIMULATE, "9", "--strategy", "nowhere:Mine"], "there is no module 'nowhere'"),
        ([*SIMULATE, "9", "--strategy", "json:Mine"], "module 'json' has no 'Mine'"),
        ([*SIMULATE, "9", "--workers", "0"], "workers is 0"),
        (["simulate", "dicegame", "--games", "9", "--strategy", "bold"], "utility is solved for games with one"),
        ([*SIMULATE, "9", "--strategy", "learned"], "small-rules is solved exactly: the strategy is called 'optimal'"),
        ([*SIMULATE, "9", "--strategy", "column-by-column"], "for sheets with several columns, small-rules has one"),
        (["compare", SMALL, "--strategies", "greedy"], "two or more are needed"),
        (["compare", SMALL, "--strategies", "greedy,random", "--players", "3"], "one for each is needed"),
        (["compare", "dicegame", "--strategies", "greedy", "--players", "3"], "players of Dicegame: 3 given"),
        (["compare", SMALL, "--strategies", "greedy,randon"], "did you mean 'random'?"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(words: list[str], message: str, folder: Path) -> None:
    assert_refused(run(*words, folder=folder), message)


def test_a_bad_move_leaves_the_old_file(folder: Path, tmp_path: Path) -> None:
    """A strategy of one's own that breaks the rules in the middle of a batch."""
    (tmp_path / "bad.py").write_text(
        "class Bad:\n"
        "    def __init__(self, game): self.asked = 0\n"
        "    def keep(self, sheet, roll, rolls_left): return roll\n"
        "    def place(self, sheet, roll):\n"
        "        self.asked += 1\n"
        "        return 0, 'nowhere' if self.asked > 500 else sheet.placements(roll)[0].box\n"
    )
    out = tmp_path / "games.csv"
    out.write_text("old")
    words = ["simulate", SMALL, "--games", "200", "--strategy", "bad:Bad", "--out", str(out)]
    done = subprocess.run(
        [sys.executable, "-c", "from cli.main import main; main()", *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"ROLLWISE_TABLES": str(folder), "PYTHONPATH": str(ROOT)},
    )
    assert_refused(done, "place returned (0, 'nowhere'), allowed are ")
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__") == ["bad.py", "games.csv"]


def test_interrupting_a_batch_is_one_sentence_and_writes_nothing(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "games.csv"
    code = (
        "import _thread, threading; threading.Timer(4.0, _thread.interrupt_main).start()\n"
        "from cli.main import main; main()"
    )
    words = ["simulate", SMALL, "--games", "1000000000", "--tables", str(folder), "--out", str(out)]
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.strip() == f"Error: {INTERRUPTED}"
    assert list(tmp_path.iterdir()) == []


def test_the_example_of_a_strategy_of_ones_own(folder: Path) -> None:
    words = ["simulate", "plain", "--games", "50", "--strategy", "my_strategy:Sixes", "--no-exact", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", "from cli.main import main; main()", *words],
        capture_output=True,
        text=True,
        cwd=ROOT / "examples",
        env=os.environ | {"ROLLWISE_TABLES": str(folder)},
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["strategy"] == "my_strategy:Sixes"
    sixes = next(box for box in facts["boxes"] if box["box"] == "sixes")
    assert sixes["mean"] > 8


def test_a_polite_kill_leaves_nothing_half_written(folder: Path, tmp_path: Path) -> None:
    words = ["simulate", SMALL, "--strategy", "random", "--games", "1000000000", "--out", str(tmp_path / "games.csv")]
    process = subprocess.Popen(
        [sys.executable, "-c", "from cli.main import main; main()", *words, "--tables", str(folder)],
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    deadline = time.monotonic() + 60
    while not any(path.stat().st_size for path in tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.terminate()
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told.strip()) == (130, f"Error: {INTERRUPTED}")
    assert list(tmp_path.iterdir()) == []


def test_what_a_strategy_prints_is_not_the_answer(folder: Path, tmp_path: Path) -> None:
    source = (
        (ROOT / "examples" / "my_strategy.py")
        .read_text()
        .replace("        return tuple(", "        print(7)\n        return tuple(")
    )
    (tmp_path / "loud.py").write_text(source)
    words = ["simulate", SMALL, "--games", "3", "--strategy", "loud:Sixes", "--json", "--tables", str(folder)]
    done = subprocess.run(
        [sys.executable, "-c", "from cli.main import main; main()", *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert json.loads(done.stdout)["games"] == 3
    assert "7" in done.stderr
