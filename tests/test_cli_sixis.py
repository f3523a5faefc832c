"""The commands of Sixis: what they answer, in which form, and how they refuse."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.test_cli import answer, run

CARDS = "one, pair / low, odd"
SMALL = ("--deck", "tests/small-deck.toml")
THREE = "double-ones, low / high, two-pair / run-1-2-3, double-sixes"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one small deal, solved by the command."""
    made = tmp_path_factory.mktemp("tables")
    assert run("solve", "sixis", "--cards", CARDS, *SMALL, folder=made).returncode == 0
    return made


def test_solve_says_what_it_solved(folder: Path) -> None:
    facts = answer("solve", "sixis", "--cards", CARDS, *SMALL, folder=folder)
    assert set(facts) == {
        "variant", "cards", "value", "total", "advanced_start", "states", "statuses", "sweeps", "residual",
        "stored_error", "seconds", "method", "solved_now", "table", "bytes",
    }  # fmt: skip
    assert (facts["variant"], facts["method"], facts["solved_now"]) == ("sixis", "exact", False)
    assert (facts["statuses"], facts["states"]) == (81, 81 * 20**2)
    assert facts["value"] == facts["total"] > facts["advanced_start"]
    assert facts["residual"] < 1e-4
    assert Path(facts["table"]).is_dir()
    again = answer("solve", "sixis", "--cards", CARDS, *SMALL, "--force", "--threads", "1", folder=folder)
    assert again["solved_now"] and again["value"] == facts["value"]


def test_solve_for_people(folder: Path) -> None:
    done = run("solve", "sixis", "--cards", "odd, low / pair, one", *SMALL, folder=folder)
    assert "The first player wins by" in done.stdout and "Solved before" in done.stdout
    assert "residual below" in done.stdout


def test_a_damaged_table_is_refused_and_made_anew_with_force(folder: Path) -> None:
    (path,) = folder.glob("sixis--*/values-*.bin")
    data = bytearray(path.read_bytes())
    path.write_bytes(bytes(255 - byte for byte in data))
    words = ("advise", "sixis", "--cards", CARDS, *SMALL, "--dice", "112")
    done = run(*words, folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--force" in done.stderr and "Traceback" not in done.stderr
    assert run("solve", "sixis", "--cards", CARDS, *SMALL, "--force", folder=folder).returncode == 0
    assert run(*words, folder=folder).returncode == 0


def test_advise_begin(folder: Path) -> None:
    facts = answer("advise", "sixis", "--cards", CARDS, *SMALL, "--saved", "11", folder=folder)
    assert (facts["step"], facts["method"], facts["seat"]) == ("begin", "exact", 1)
    assert [option["option"] for option in facts["options"]].count("roll all dice") == 1
    kept = next(option for option in facts["options"] if option["action"] == "keep")
    assert (kept["option"], kept["keep"]) == ("keep 1 1, roll 1", "11")
    assert facts["value"] == facts["options"][0]["value"] and facts["options"][0]["loss"] == 0.0
    bare = "one:gone, pair:gone / low, odd"
    ended = answer("advise", "sixis", "--cards", bare, *SMALL, folder=folder)
    assert "end the round" in [option["option"] for option in ended["options"]]


def test_advise_act_and_save(folder: Path) -> None:
    words = ("advise", "sixis", "--cards", "one, pair:red / low:gone, odd", *SMALL, "--dice", "1,3,3")
    facts = answer(*words, "--other-saved", "13", folder=folder)
    acts = {option["option"]: option for option in facts["options"]}
    assert set(acts) == {
        "leave all cards", "take one (blue) for 5", "flip one", "take pair (red) for 25", "take odd (blue) for 6",
        "flip odd",
    }  # fmt: skip
    taken = acts["take pair (red) for 25"]
    assert (taken["action"], taken["card"], taken["points"]) == ("take", "pair", 25)
    assert acts["leave all cards"]["action"] == "leave"
    assert (facts["cards"], facts["saved"]) == ("one, pair:red / low:gone, odd", ["", "13"])
    saves = answer(*words, "--step", "save", folder=folder)
    assert {option["keep"] for option in saves["options"]} == {"", "1", "3", "13", "33", "133"}
    shown = run(*words, folder=folder).stdout
    assert shown.startswith("Sixis, two players, dice 1 3 3 (exact, values to within")
    assert "Best: " in shown and "expected margin" in shown


def test_advise_three_players_and_teams_by_the_learned_player() -> None:
    facts = answer("advise", "sixis", "--cards", THREE, "--seat", "3", "--dice", "111266", "--other-saved", "66/")
    assert (facts["players"], facts["seat"], facts["method"]) == (3, 3, "learned")
    names = {option.get("card") for option in facts["options"]}
    assert names == {None, "two-pair", "double-sixes"}
    assert facts["stored_error"] is None
    shown = run("advise", "sixis", "--deal", "1", "--players", "4", "--teams", "--dice", "123456").stdout
    assert shown.startswith("Sixis, seat 1 of 4, teams, dice 1 2 3 4 5 6 (by the learned player)\nCards: ")
    assert "margin, estimated" in shown and "go by their order" in shown


def test_simulate_says_who_wins(folder: Path) -> None:
    facts = answer(
        "simulate", "sixis", "--players", "3", "--strategies", "patient,greedy,greedy", "--games", "3000",
        "--deals", "2", "--rounds", "3", "--seed", "7",
    )  # fmt: skip
    assert [seat["strategy"] for seat in facts["seats"]] == ["patient", "greedy", "greedy"]
    assert sum(seat["win"] for seat in facts["seats"]) == pytest.approx(1.0)
    assert facts["rounds_played"] == 9000 and facts["seed"] == 7
    assert sum(facts["endings"].values()) == pytest.approx(1.0)
    assert {"mean", "sd", "se", "percentiles", "win_low", "win_high"} <= set(facts["seats"][0])
    assert "margin" not in facts
    exact = answer("solve", "sixis", "--cards", CARDS, *SMALL, folder=folder)["value"]
    words = ("simulate", "sixis", "--cards", CARDS, *SMALL, "--strategies", "optimal", "--games", "20000")
    margin = answer(*words, folder=folder)["margin"]
    assert abs(margin["mean"] - exact) < 4.0 * margin["se"]


def test_simulate_to_a_total_and_in_teams() -> None:
    few = ("--games", "300", "--deals", "2")
    assert answer("simulate", "sixis", "--to", *few)["to"] == 600
    facts = answer("simulate", "sixis", "--to", "250", *few)
    assert (facts["to"], facts["rounds"]) == (250, None)
    teams = answer("simulate", "sixis", "--players", "4", "--teams", "--advanced-start", *few)
    wins = [seat["win"] for seat in teams["seats"]]
    assert wins[0] == wins[2] and wins[0] + wins[1] == pytest.approx(1.0)
    shown = run("simulate", "sixis", *few).stdout
    assert "wins, ties shared" in shown and "a round lasts" in shown and "of rounds end because" in shown


def test_simulate_with_the_learned_player() -> None:
    words = ("--strategies", "learned,greedy,greedy", "--players", "3", "--games", "2000", "--deals", "1")
    facts = answer("simulate", "sixis", *words)
    assert facts["seats"][0]["win"] > 0.5


@pytest.mark.parametrize("kind", ["saves", "worth"])
def test_charts_of_a_solved_deal(kind: str, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "chart.svg"
    facts = answer("chart", kind, "sixis", "--cards", CARDS, *SMALL, "--out", str(out), folder=folder)
    assert (facts["variant"], facts["chart"], facts["bytes"]) == ("sixis", kind, out.stat().st_size)
    text = out.read_text(encoding="utf-8")
    assert "Sixis" in text and "pair" in text and "xact" in text


def test_charts_by_the_learned_player(tmp_path: Path) -> None:
    out = tmp_path / "start.svg"
    words = ("--players", "3", "--games", "2000", "--deals", "1", "--strategy", "patient", "--out", str(out))
    assert run("chart", "start", "sixis", *words).returncode == 0
    assert "advanced start" in out.read_text(encoding="utf-8")
    assert run("chart", "worth", "sixis", "--deal", "1", "--players", "3", "--out", str(out)).returncode == 0
    assert "the learned player's own estimates" in out.read_text(encoding="utf-8")


def test_variants_lists_sixis(folder: Path) -> None:
    rows: Any = answer("variants", folder=folder)
    (row,) = (row for row in rows if row["variant"] == "sixis")
    assert row["solved"] and row["table"] == "1 deal" and row["bytes"] > 0
    assert (row["dice"], row["boxes"], row["states"]) == (6, 17, 3**8 * 924**2)


GONE = "low:gone / high:gone / two-pair"
TWO = "double-ones, low / high, two-pair"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("solve sixis", "either --cards or --deal is needed"),
        (f"solve sixis --cards {TWO!r} --deal 1", "not both"),
        ("solve sixis --cards 'double-one, low / high'", "did you mean 'double-ones'"),
        ("solve sixis --cards 'low, low / high'", "'low' is given twice"),
        ("solve sixis --cards 'low'", "1 group given"),
        ("solve sixis --cards 'low / '", "group 2 has 0 cards, allowed are 1 to 4"),
        ("solve sixis --cards 'low:green / high'", "unknown side 'green'"),
        ("solve sixis --cards 'low:red / high'", "a round begins with all cards blue"),
        (f"solve sixis --cards {THREE!r}", "3 groups given, 2 players need 2"),
        ("solve sixis --deal -1", "a seed is a whole number from 0 on"),
        ("solve sixis --deal 1 --deck nowhere.toml", "cannot read the deck 'nowhere.toml'"),
        ("solve sixis --deal 1 --deck tests/small-rules.toml", "in 'tests/small-rules.toml'"),
        (f"advise sixis --cards {TWO!r} --dice 11126", "5 dice given, the game is played with 6"),
        (f"advise sixis --cards {TWO!r} --dice 111267", "'7' is not a face"),
        (f"advise sixis --cards {TWO!r} --dice 111266 --saved 55", "saved dice 55 do not fit the roll 111266"),
        (f"advise sixis --cards {TWO!r} --saved 1111111", "7 dice given, at most 6 can be saved"),
        (f"advise sixis --cards {TWO!r} --saved 9", "'9' is not a face"),
        (f"advise sixis --cards {TWO!r} --step acted --dice 111266", "unknown step 'acted'"),
        (f"advise sixis --cards {TWO!r} --step act", "step 'act' needs the dice"),
        (f"advise sixis --cards {TWO!r} --step begin --dice 111266", "comes before the roll"),
        (f"advise sixis --cards {TWO!r} --seat 3", "seat: 3 given, 2 players sit in seats 1 to 2"),
        (f"advise sixis --cards {THREE!r} --teams", "teams: 3 players given, four play in teams"),
        (f"advise sixis --cards {THREE!r} --learned", "--learned is for two players"),
        (f"advise sixis --cards {THREE!r} --other-saved 55", "1 given, 2 are needed"),
        ("advise sixis --deal 1 --players 5", "players: 5 given, Sixis is for 2 to 4"),
        ("simulate sixis --players 1", "players: 1 given"),
        ("simulate sixis --players 5", "players: 5 given"),
        ("simulate sixis --players 3 --teams", "teams: 3 players given"),
        ("simulate sixis --rounds 2", "a match is 1, 3 or 5 rounds"),
        ("simulate sixis --strategies optimal", "'optimal' plays a solved deal of two"),
        ("simulate sixis --strategies best", "unknown strategy 'best'"),
        ("simulate sixis --strategies ''", "strategies: 0 given"),
        ("simulate sixis --deal 1 --deals 3", "--deals is for random deals"),
        ("simulate sixis --games 0", "games: 0 given"),
        ("chart opening sixis --out /tmp/x.png", "unknown chart of Sixis 'opening'"),
        ("chart saves sixis --out /tmp/x.png", "--cards or --deal is needed"),
        ("chart start sixis --deal 1 --out /tmp/x.png", "the chart 'start' is about random deals"),
        ("chart start sixis --deals 0 --out /tmp/x.png", "deals: 0 given"),
        ("chart start sixis --strategy optimal --out /tmp/x.png", "allowed are learned, patient, greedy"),
        ("chart start sixis --seed -1 --out /tmp/x.png", "seed: -1 given"),
        ("chart worth sixis --out /tmp/x.png", "--cards or --deal is needed"),
        ("chart worth sixis --deal 1 --games 5 --out /tmp/x.png", "--games belongs to the chart 'start'"),
        ("chart worth sixis --cards 'low:red / high' --out /tmp/x.png", "is about whole rounds"),
        ("chart saves sixis --cards 'low / high' --other-saved 7 --out /tmp/x.png", "'7' is not a face"),
        ("chart saves sixis --cards 'low:gone / high:gone' --out /tmp/x.png", "no card is left in reach"),
        ("advise sixis --deal 1 --players 0", "players: 0 given"),
        ("advise sixis --deal 1 --step ''", "unknown step ''"),
        (f"advise sixis --cards {GONE!r} --seat 2 --dice 111111", "the round is over when seat 2 is to move"),
        ("chart worth sixis --out /tmp/x.txt", "/tmp/x.txt"),
        ("compare sixis --strategies optimal,greedy", "sixis has cards and no sheet"),
        ("distribution sixis", "sixis has cards and no sheet"),
    ],
)
def test_bad_input_is_one_sentence(words: str, message: str, tmp_path: Path) -> None:
    import shlex

    done = run(*shlex.split(words), folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.startswith("Error: ") and done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_sixis_as_the_value_of_an_option_is_no_game(tmp_path: Path) -> None:
    words = ("solve", "plain", "--tables", "sixis")
    done = json.loads(run_in(tmp_path, *words, "--json"))
    assert done["variant"] == "plain"


def run_in(folder: Path, *words: str) -> str:
    import subprocess
    import sys

    root = Path(__file__).parent.parent
    code = f"import sys; sys.path.insert(0, {str(root)!r}); from cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, cwd=folder, env=os.environ, check=True
    )
    return done.stdout
