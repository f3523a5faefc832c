"""The command line: what it answers, in which form, and how it refuses."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from cli.main import rollwise
from cli.reference import reference
from solver import Solution, TableStore, find_game, variant_names
from tests.conftest import HOUSE_RULES

ROOT = Path(__file__).parent.parent
COMMANDS = rollwise.list_commands(click.Context(rollwise))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, solution_of: Callable[[str], Solution]) -> Path:
    """Tables of `yahtzee` and `plain`."""
    made = tmp_path_factory.mktemp("tables")
    for name in ("yahtzee", "plain"):
        TableStore(made).save(solution_of(name))
    return made


def run(*words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"ROLLWISE_TABLES": str(folder or "/nowhere"), "COLUMNS": "120"}
    return subprocess.run(
        [sys.executable, "-c", "from cli.main import main; main()", *words],
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
    )


def answer(*words: str, folder: Path | None = None) -> Any:
    """The JSON of a command, which must be all it prints."""
    done = run(*words, "--json", folder=folder)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout)


def test_advise_ranks_keeps(folder: Path) -> None:
    facts = answer("advise", "yahtzee", "--dice", "3,3,3,5,6", "--rolls-left", "2", folder=folder)
    assert set(facts) == {"variant", "dice", "rolls_left", "sheet", "value", "total", "method", "options"}
    assert (facts["variant"], facts["method"], len(facts["options"])) == ("yahtzee", "exact", 16)
    assert set(facts["options"][0]) == {"keep", "improve", "value", "total", "loss"}
    assert (facts["options"][0]["keep"], facts["options"][0]["loss"]) == ("333", 0.0)
    assert facts["options"][0]["value"] == facts["value"] == facts["total"]


def test_advise_ranks_boxes(folder: Path) -> None:
    words = ["--dice", "44444", "--rolls-left", "0", "--sheet", "yahtzee=50 fours=12", "--top", "2"]
    facts = answer("advise", "yahtzee", *words, folder=folder)
    assert [set(option) for option in facts["options"]] == [{"box", "points", "bonus", "value", "total", "loss"}] * 2
    assert facts["options"][0]["box"] == "high-straight"
    assert facts["total"] == pytest.approx(facts["value"] + 62)


def test_advise_for_people(folder: Path) -> None:
    done = run("advise", "yahtzee", "--dice", "33356", "--rolls-left", "2", folder=folder)
    assert "Best: keep 3 3 3, roll 2 dice." in done.stdout
    assert re.search(r"^keep 3 3 3 +259\.524 +0\.000 +44\.4 %$", done.stdout, re.MULTILINE)
    assert "and 6 more (--top 16 shows all)" in done.stdout
    done = run("advise", "yahtzee", "--dice", "33356", "--rolls-left", "0", folder=folder)
    assert "Best: score threes." in done.stdout


def test_solve_house_rules_and_then_use_them(tmp_path: Path) -> None:
    first = answer("solve", str(HOUSE_RULES), "--threads", "1", folder=tmp_path)
    assert set(first) == {
        "variant", "value", "total", "sd", "states", "seconds", "method", "solved_now", "table", "bytes",
    }  # fmt: skip
    assert (first["variant"], first["method"], first["solved_now"]) == ("house-rules", "exact", True)
    assert Path(first["table"]).is_dir()
    assert first["bytes"] == sum(file.stat().st_size for file in Path(first["table"]).iterdir())
    again = answer("solve", str(HOUSE_RULES), folder=tmp_path)
    assert again == first | {"solved_now": False}
    assert answer("solve", str(HOUSE_RULES), "--force", folder=tmp_path)["solved_now"]
    advice = answer("advise", str(HOUSE_RULES), "--dice", "11666", "--rolls-left", "0", folder=tmp_path)
    assert any(option["box"] == "lucky-seven" and option["points"] == 7 for option in advice["options"])


def test_advise_solves_when_there_is_no_table(tmp_path: Path) -> None:
    facts = answer("advise", "plain", "--dice", "12345", "--rolls-left", "2", "--tables", str(tmp_path))
    assert facts["options"][0]["keep"] == "12345"
    assert (tmp_path / "plain" / "manifest.json").exists()


def test_variants(folder: Path) -> None:
    rows = {row["variant"]: row for row in answer("variants", folder=folder)}
    assert tuple(rows) == (*variant_names(), "sixis")
    assert rows["yahtzee"]["solved"]
    assert not rows["hasbro"]["solved"]
    assert (rows["sixzee"]["dice"], rows["sixzee"]["boxes"], rows["sixzee"]["states"]) == (6, 17, 29_503_488)
    assert rows["dicegame"]["method"] == "learned"
    assert rows["yahtzee"]["bytes"] > 2_000_000
    shown = run("variants", folder=folder).stdout
    assert all(name in shown for name in variant_names())


def test_a_damaged_table_is_refused_by_advise_and_replaced_by_solve(
    tmp_path: Path, solution_of: Callable[[str], Solution]
) -> None:
    TableStore(tmp_path).save(solution_of("plain"))
    (array,) = (tmp_path / "plain").glob("*.npy")
    os.truncate(array, 1000)
    done = run("advise", "plain", "--dice", "12345", "--rolls-left", "0", folder=tmp_path)
    assert_refused(done, "cannot be used, its array is damaged: make it anew with 'rollwise solve'")
    rows = {row["variant"]: row for row in answer("variants", folder=tmp_path)}
    assert (rows["plain"]["solved"], rows["plain"]["table"]) == (False, "damaged or outdated")
    assert answer("solve", "plain", folder=tmp_path)["solved_now"]


def test_score_of_columns() -> None:
    words = ["--sheet", "1:yahtzee=50 2:yahtzee=50 3:yahtzee=50 1:fours=8 2:fours=8 3:fours=8", "--dice", "44444"]
    facts = answer("score", "triple-yahtzee", *words)
    best = facts["options"][0]
    assert (best["column"], best["box"], best["points"], best["bonus"], best["gain"]) == (
        3, "high-straight", 40, 100, 420,
    )  # fmt: skip
    assert facts["total"] == 58 * 6
    assert "high-straight" in run("score", "triple-yahtzee", *words).stdout


def test_chart_is_drawn_where_it_was_asked_for(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "opening.svg"
    facts = answer("chart", "opening", "yahtzee", "--out", str(out), folder=folder)
    assert facts == {"variant": "yahtzee", "chart": "opening", "out": str(out), "bytes": out.stat().st_size}
    assert "what to keep after the first roll" in out.read_text()
    words = ["chart", "decision", "yahtzee", "--sheet", "ones=3", "--rolls-left", "1", "--out", str(out)]
    assert "the best decision for every roll" in run(*words, folder=folder).stdout
    assert "what to keep with 1 roll left" in out.read_text()


def test_distribution(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.csv"
    facts = answer("distribution", "plain", "--out", str(out), folder=folder)
    assert set(facts) == {
        "variant", "strategy", "rounds", "method", "games", "seed", "mean", "sd", "percentiles", "bonuses", "repeats",
        "boxes", "se", "chances", "out",
    }  # fmt: skip
    assert facts["mean"] == pytest.approx(245.87077451411164, abs=1e-9)
    assert (facts["method"], facts["repeats"], len(facts["boxes"])) == ("exact", 0.0, 13)
    assert out.read_text().startswith("score,chance,at_most,at_least\n")
    shown = run("distribution", "plain", folder=folder).stdout
    assert "mean 245.8708, standard deviation 39.8208" in shown


ADVISE = ["advise", "yahtzee", "--rolls-left", "0", "--dice"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["advise", "yahtze", "--dice", "1", "--rolls-left", "0"], "unknown variant 'yahtze': did you mean 'yahtzee'?"),
        ([*ADVISE, "12347"], "'7' is not a face, a die shows 1 to 6"),
        ([*ADVISE, "1234"], "4 dice given, the game is played with 5"),
        ([*ADVISE, "12345", "--sheet", "ones=7"], "ones=7 cannot be: allowed are 0 to 5"),
        ([*ADVISE, "12345", "--sheet", "ones=1 ones=1"], "box 'ones' is given twice"),
        ([*ADVISE, "12345", "--sheet", "1s=1"], "unknown box '1s'"),
        ([*ADVISE, "12345", "--top", "0"], "0 is not in the range x>=1"),
        ([*ADVISE, "12345", "--tops", "0"], "No such option"),
        (["advise", "yahtzee", "--dice", "12345", "--rolls-left", "3"], "from 0 to 2 are allowed"),
        (["advise", "hasbro", "--dice", "12345", "--rolls-left", "3"], "from 0 to 2 are allowed"),
        (["advise", "yahtzee", "--dice", "12345", "--rolls-left", "two"], "'two' is not a valid integer"),
        (["advise", "yahtzee", "--dice", "12345"], "Missing option '--rolls-left'"),
        (["advise"], "Missing argument 'VARIANT'"),
        (["advise", "nowhere.toml", "--dice", "12345", "--rolls-left", "0"], "cannot read the rules file"),
        (["advise", "dicegame", "--dice", "12345", "--rolls-left", "0", "--sheet", "ones=3"], "needs its column"),
        (["solve", "triple-yahtzee", "--games", "0"], "games is 0: from 1 to"),
        (["solve", "triple-yahtzee", "--minutes", "0"], "minutes is 0: more than 0"),
        (["solve", "triple-yahtzee", "--games", "9", "--minutes", "1"], "games and minutes are both given"),
        (["solve", "yahtzee", "--minutes", "1"], "yahtzee has one column: it is solved exactly"),
        (["bound", "yahtzee"], "yahtzee has one column: it is solved exactly and needs no bound"),
        (["bound", "dicegame", "--minutes", "-1"], "minutes is -1: from 0 to 10,000"),
        (["solve", "yahtzee", "--threads", "0"], "0 is not in the range x>=1"),
        (["score", "dicegame", "--sheet", "ones=3"], "needs its column in front"),
        (["chart", "opning", "yahtzee", "--out", "x.png"], "unknown chart 'opning': did you mean 'opening'?"),
        (["chart", "opening", "yahtzee", "--out", "x.bmp"], "does not end in a picture format"),
        (["chart", "opening", "yahtzee", "--out", "nowhere/x.png"], "the folder 'nowhere' does not exist"),
        (["chart", "opening", "yahtzee", "--out", "x.png", "--sheet", "ones=3"], "belong to the chart 'decision'"),
        (["chart", "decision", "hasbro", "--out", "x.png", "--sheet", "ones=7"], "ones=7 cannot be"),
        (
            ["chart", "boxes", "yahtzee", "--strategies", "safe,bold", "--out", "x.png"],
            "the chart 'boxes' shows one",
        ),
        (["chart", "opening", "yahtzee", "--strategies", "safe", "--out", "x.png"], "is about optimal play"),
        (
            ["chart", "boxes", "yahtzee", "--same-dice", "--out", "x.png"],
            "belongs to the chart 'comparison'",
        ),
        (["distribution", "dicegame", "--strategy", "safe"], "utility is solved for games with one"),
        (["distribution", "yahtzee", "--strategy", "gready"], "unknown strategy 'gready': did you mean 'greedy'?"),
        (["distribution", "yahtzee", "--out", "x.parquet"], "does not end in a table format: allowed are .csv"),
        (["advize"], "unknown command 'advize': did you mean 'advise'?"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(words: list[str], message: str, folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    assert_refused(run(*words, folder=folder), message)
    assert [path for path in sorted(folder.rglob("*")) if path.suffix != ".lock"] == [
        path for path in before if path.suffix != ".lock"
    ]


def assert_refused(done: subprocess.CompletedProcess[str], message: str) -> None:
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example_that_can_be_read(name: str) -> None:
    shown = run(name, "--help").stdout
    assert f"Example: rollwise {name}" in shown
    assert "--json" in shown


def test_help_needs_no_heavy_import() -> None:
    code = "import sys; sys.argv = ['rollwise', '--help']\nfrom cli.main import main\ntry: main()\nfinally: "
    code += "print([name for name in ('numpy', 'numba', 'pandas', 'matplotlib') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.endswith("[]\n")


def test_advise_needs_no_compiler(folder: Path) -> None:
    """With a table there, asking imports neither numba nor pandas."""
    words = ["rollwise", "advise", "plain", "--dice", "12345", "--rolls-left", "0", "--tables", str(folder)]
    code = f"import sys; sys.argv = {words!r}\nfrom cli.main import main\ntry: main()\nfinally: "
    code += "print([name for name in ('numba', 'pandas', 'matplotlib') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.endswith("[]\n"), done.stderr


def test_no_command_shows_the_help() -> None:
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run("--help").stdout


def test_an_answer_that_cannot_be_written(folder: Path) -> None:
    code = "from cli.main import main; main()"
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code, "variants"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=os.environ | {"ROLLWISE_TABLES": str(folder)},
        )
    assert (done.returncode, done.stderr) == (1, "Error: cannot write the answer: No space left on device.\n")


def readme_commands() -> list[list[str]]:
    """Every `rollwise ...` line of the README, without its comment."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    found = [shlex.split(line.removeprefix("$ "), comments=True) for line in lines if "rollwise " in line[:11]]
    return [words[1:] for words in found if words[0] == "rollwise"]


def is_learned(words: list[str]) -> bool:
    """Whether a command needs a learned table."""
    return bool({"triple-yahtzee", "dicegame"} & set(words)) and words[0] != "score"


def is_long(words: list[str]) -> bool:
    return "sixzee" in words or is_learned(words) or words[:2] in (["compare", "yahtzee"], ["chart", "distribution"])


def learned_tables(folder: Path) -> None:
    """Tables of the column games from few games, so that commands which need them are quick."""
    for name in ("triple-yahtzee", "dicegame"):
        if not TableStore(folder).size(find_game(name)):
            assert run("solve", name, "--games", "4096", folder=folder).returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, id=" ".join(words), marks=[pytest.mark.slow] if is_long(words) else [])
        for words in readme_commands()
    ],
)
def test_commands_of_the_readme(words: list[str], folder: Path) -> None:
    if is_learned(words):
        learned_tables(folder)
        words = ["0.1" if word == "30" else word for word in words]  # Minutes for a bound.
    done = run(*words, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")


def test_command_reference_is_current() -> None:
    stored = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert stored == reference(), "docs/commands.md is out of date: run 'make reference'"


def test_interrupting_a_solve_is_one_sentence(tmp_path: Path) -> None:
    """Control-C in the middle of Sixzee: no traceback, exit code 130, and no table half written."""
    code = (
        "import _thread, threading; threading.Timer(3.0, _thread.interrupt_main).start()\n"
        "from cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "solve", "sixzee", "--tables", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.strip().endswith("Error: interrupted; files and tables that were stored before are untouched.")
    assert not (tmp_path / find_game("sixzee").name).exists()
