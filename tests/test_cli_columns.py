"""The commands on sheets with several columns: solve, bound, advise, play and draw."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_cli import ROOT, answer, assert_refused, run

WIDE = str(ROOT / "tests" / "wide-columns.toml")
"""A game that has to be learned."""
TINY = """
title = "Tiny columns"
dice = 2
faces = 3
rolls = 2
columns = [1, 2]
boxes = [{ name = "ones", number = 1 }, { name = "run", run = 2, points = 4 }, { name = "chance" }]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables with the wide game learned from few games."""
    made = tmp_path_factory.mktemp("tables")
    facts = answer("solve", WIDE, "--games", "8192", folder=made)
    assert (facts["method"], facts["games"], facts["bound"]) == ("learned", 8192, None)
    assert facts["solved_now"] and facts["checked"] > 50_000
    assert abs(facts["value"] - facts["mean"]) < 0.05 * facts["mean"]
    return made


def test_a_learned_game_is_said_to_be_one(folder: Path) -> None:
    shown = run("solve", WIDE, folder=folder).stdout
    assert "(learned, measured over" in shown and "standard error" in shown
    assert "Learned from 8,192 games" in shown
    assert "--games or --minutes trains it further" in shown
    assert "How far from perfect that can be: rollwise bound" in shown


def test_bound_is_told_beside_the_mean(folder: Path) -> None:
    facts = answer("bound", WIDE, "--minutes", "0.02", folder=folder)
    assert facts["bound"] == min(step["bound"] for step in facts["curve"])
    assert facts["bound"] > facts["mean"]
    shown = run("bound", WIDE, "--minutes", "0", folder=folder).stdout
    assert "perfect play is proven to score at most" in shown and "percent above" in shown
    assert "Perfect play is proven" in run("solve", WIDE, folder=folder).stdout


def test_advice_says_how_it_is_known(folder: Path) -> None:
    early = answer("advise", WIDE, "--dice", "33", "--rolls-left", "0", folder=folder)
    assert early["method"] == "learned"
    assert early["options"][0]["loss"] == 0.0 and early["options"][0]["box"].startswith(("1:", "2:", "3:"))
    full = " ".join(f"{c}:{box}=0" for c in (1, 2, 3) for box in ("ones", "twos", "threes", "outer"))
    full += " 1:doubles=6 2:doubles=6 3:doubles=6 1:chance=4 2:chance=4"
    late = answer("advise", WIDE, "--dice", "33", "--rolls-left", "0", "--sheet", full, folder=folder)
    assert late["method"] == "exact"
    assert [(option["box"], option["value"]) for option in late["options"]] == [("3:chance", 24.0)]
    shown = run("advise", WIDE, "--dice", "33", "--rolls-left", "1", folder=folder).stdout
    assert "learned" in shown


def test_play_by_the_learned_table(folder: Path) -> None:
    facts = answer("simulate", WIDE, "--games", "4000", folder=folder)
    assert (facts["strategy"], facts["method"], facts["exact"]) == ("learned", "sampled", None)
    other = answer("simulate", WIDE, "--games", "4000", "--strategy", "learned", "--threads", "1", folder=folder)
    assert other["mean"] == facts["mean"]
    words = ["--strategies", "learned,column-by-column,greedy", "--games", "2000"]
    compared = answer("compare", WIDE, *words, folder=folder)
    means = {player["strategy"]: player["mean"] for player in compared["players"]}
    assert means["learned"] > means["greedy"] and means["learned"] > means["column-by-column"]


@pytest.mark.parametrize("kind", ["columns", "prices", "opening", "boxes", "distribution"])
def test_charts(kind: str, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "chart.svg"
    done = run("chart", kind, WIDE, "--games", "500", "--out", str(out), folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    text = out.read_text()
    assert "Wide columns" in text and ("learned" in text)


def test_a_small_game_is_solved_exactly(tmp_path: Path) -> None:
    rules = tmp_path / "tiny.toml"
    rules.write_text(TINY)
    facts = answer("solve", str(rules), folder=tmp_path)
    assert facts["method"] == "exact" and abs(facts["value"] - facts["mean"]) < 5 * facts["se"]
    assert "exact over" in run("solve", str(rules), folder=tmp_path).stdout
    assert answer("simulate", str(rules), "--games", "100", folder=tmp_path)["strategy"] == "optimal"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chart", "columns", "yahtzee", "--out", "x.png"], "for sheets with several columns, yahtzee has one"),
        (
            ["chart", "prices", WIDE, "--strategies", "random", "--out", "x.png"],
            "needs a strategy that plays by tables",
        ),
        (["advise", WIDE, "--dice", "33", "--rolls-left", "0", "--sheet", "4:ones=1"], "columns 1 to 3"),
        (["simulate", WIDE, "--games", "9", "--strategy", "safe"], "utility is solved for games with one"),
    ],
)
def test_bad_input(words: list[str], message: str, folder: Path) -> None:
    assert_refused(run(*words, folder=folder), message)
