"""Batches: the compiled player against plain Python, the same result from any pieces, and chance as it should be."""

from __future__ import annotations

import csv
import pickle
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, pairwise, product
from math import comb, exp, inf, lgamma, log, nan, sqrt
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sim.batch
from sim import (
    Batch,
    Comparison,
    Histogram,
    Strategy,
    Summary,
    Tabled,
    compare,
    exact_for,
    find_strategy,
    rate_interval,
    simulate,
)
from sim.batch import Job, make_key, play_job
from solver import (
    Advisor,
    Box,
    Figures,
    Game,
    InputError,
    NumberBonus,
    Roll,
    SetBonus,
    Sheet,
    Solution,
    Wild,
    exact_figures,
    find_game,
    solve_game,
)
from solver.policy import Policy
from solver.space import compile_space
from tests.advised import Advised
from tests.oracle import Dice, Moments, Oracle, OracleGame, least_put_back, sub_keeps, throws
from tests.paper import SMALL_GAMES, Paper, PaperSheet
from tests.test_oracle import everything_game, number_bonus_game, set_bonus_game
from tests.test_utility import SAFE, yahtzee_figures

SolutionOf = Callable[[str], Solution]
Ints = npt.NDArray[np.int64]
Result = TypeVar("Result")

EXAMPLES = Path(__file__).parent.parent / "examples"
YAHTZEE = find_game("yahtzee")
DICEGAME = find_game("dicegame")
TRIPLE = find_game("triple-yahtzee")
TINY = Game(name="tiny", title="Tiny", dice=1, rolls=1, boxes=(Box(name="chance"),))


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the tables of this run."""
    return tmp_path_factory.mktemp("tables")


def records_of(batch: Batch, strategy: str | Strategy) -> pd.DataFrame:
    records = simulate(batch, strategy, records=True).records
    assert records is not None
    return records


def box_labels(game: Game) -> list[tuple[int, str, str]]:
    """Column, box and label of every box, as the records name them."""
    several = len(game.columns) > 1
    columns = range(len(game.columns))
    return [(c, box.name, f"{c + 1}:{box.name}" if several else box.name) for c in columns for box in game.boxes]


# Statistics, without the help of the product.


def upper_gamma(shape: float, x: float) -> float:
    """The regularised upper incomplete gamma function: a series for small x, else Lentz's continued fraction."""
    if x <= 0.0:
        return 1.0
    front = exp(shape * log(x) - x - lgamma(shape))
    if x < shape + 1.0:
        term = total = 1.0 / shape
        while abs(term) > 1e-16 * abs(total):
            shape += 1.0
            term *= x / shape
            total += term
        return 1.0 - front * total
    b = x + 1.0 - shape
    c, d = 1e300, 1.0 / b
    value = d
    for i in range(1, 10_000):
        a = -i * (i - shape)
        b += 2.0
        d, c = 1.0 / (a * d + b), b + a / c
        value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return front * value


def chi_square_chance(observed: Sequence[float], chances: Sequence[float]) -> float:
    """The chance of counts as far from their chances as these, or farther; cells are merged to expect 10 each."""
    size = sum(observed)
    cells: list[list[float]] = [[0.0, 0.0]]
    for count, chance in zip(observed, chances, strict=True):
        if cells[-1][1] >= 10.0:
            cells.append([0.0, 0.0])
        cells[-1][0] += count
        cells[-1][1] += size * chance
    if cells[-1][1] < 10.0 and len(cells) > 1:
        last = cells.pop()
        cells[-1] = [cells[-1][0] + last[0], cells[-1][1] + last[1]]
    assert sum(expected for _, expected in cells) == pytest.approx(size)
    assert len(cells) > 1
    distance = sum((count - expected) ** 2 / expected for count, expected in cells)
    return upper_gamma((len(cells) - 1) / 2, distance / 2)


@pytest.mark.parametrize(
    ("freedom", "distance", "chance"),
    [(1, 3.841459, 0.05), (2, 13.815511, 0.001), (10, 18.307038, 0.05), (10, 2.558212, 0.99), (100, 149.449253, 0.001)],
)
def test_chi_square_chance_is_that_of_printed_tables(freedom: int, distance: float, chance: float) -> None:
    assert upper_gamma(freedom / 2, distance / 2) == pytest.approx(chance, rel=1e-6)


# The dice, from the description in `sim._play` and in whole numbers of any size.


def mixed(word: int) -> int:
    """The output function of SplitMix64."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
    return word ^ word >> 31


def word_at(key: int, sheet: int, place: int) -> int:
    step = 0x9E3779B97F4A7C15
    return mixed((mixed((key + (sheet + 1) * step) % 2**64) + (place + 1) * step) % 2**64)


def dice_at(key: int, sheet: int, place: int, *, dice: int, faces: int) -> list[int]:
    """The digits of the word as a fraction of 2**64, to the base of the faces."""
    word, found = word_at(key, sheet, place), []
    for _ in range(dice):
        digit, word = divmod(word * faces, 2**64)
        found.append(digit + 1)
    return found


def throw(key: int, sheet: int, place: int, *, dice: int, faces: int) -> list[int]:
    from sim import _play

    thrown = np.empty(dice, dtype=np.int64)
    _play.throw(np.uint64(key), sheet, place, faces, thrown)
    return [int(face) for face in thrown]


@settings(max_examples=200, deadline=None)
@given(
    key=st.integers(0, 2**64 - 1),
    sheet=st.integers(0, 10**15),
    place=st.integers(0, 1000),
    dice=st.integers(1, 8),
    faces=st.integers(2, 9),
)
def test_thrown_dice_are_digits_of_the_hash(key: int, sheet: int, place: int, dice: int, faces: int) -> None:
    found = throw(key, sheet, place, dice=dice, faces=faces)
    assert found == dice_at(key, sheet, place, dice=dice, faces=faces)


@pytest.mark.parametrize(("dice", "faces"), [(1, 2), (3, 4), (5, 6), (6, 6), (7, 6), (8, 6), (6, 9)])
def test_the_compiled_player_throws_the_same_dice(dice: int, faces: int) -> None:
    """A game of one roll without a choice: its only box shows all dice. So many dice that some are thrown singly."""
    chance = Game(name="chance", title="Chance", dice=dice, faces=faces, rolls=1, boxes=(Box(name="chance"),))
    totals = records_of(Batch(game=chance, games=300, seed=8), "greedy")["total"]
    key = make_key(8, 0)
    assert totals.to_list() == [sum(dice_at(key, sheet, 0, dice=dice, faces=faces)) for sheet in range(300)]


def test_first_rolls_come_as_often_as_they_should() -> None:
    key, size = make_key(2, 0), 60_000
    rolls = Counter(tuple(sorted(throw(key, sheet, 0, dice=5, faces=6))) for sheet in range(size))
    chances = {roll: ways / 6**5 for roll, ways in throws(6, 5).items()}
    assert chi_square_chance([rolls[roll] for roll in chances], list(chances.values())) > 1e-4


def test_every_die_shows_every_face_equally_often() -> None:
    """By its place in the throw, and together with the next die, the next throw, the next sheet and the next seed."""
    size = 30_000
    first = np.array([throw(make_key(3, 0), sheet, 0, dice=6, faces=6) for sheet in range(size)])
    again = np.array([throw(make_key(3, 0), sheet, 1, dice=6, faces=6) for sheet in range(size)])
    other = np.array([throw(make_key(4, 0), sheet, 0, dice=6, faces=6) for sheet in range(size)])
    stream = np.array([throw(make_key(3, 1), sheet, 0, dice=6, faces=6) for sheet in range(size)])
    for die in range(6):
        assert chi_square_chance(np.bincount(first[:, die], minlength=7)[1:].tolist(), [1 / 6] * 6) > 1e-4
    ones = first[:, 0]
    for one, two in (
        (ones, first[:, 1]),
        (first[:, 4], first[:, 5]),
        (ones, again[:, 0]),
        (ones[:-1], ones[1:]),
        (ones, other[:, 0]),
        (ones, stream[:, 0]),
    ):
        pairs = np.bincount((one - 1) * 6 + two - 1, minlength=36)
        assert chi_square_chance(pairs.tolist(), [1 / 36] * 36) > 1e-4


def test_totals_of_streams_and_seeds_have_nothing_in_common() -> None:
    """Correlations of independent totals are within four standard errors of zero."""
    size = 40_000
    job = Job(YAHTZEE, ("greedy", "greedy"), None, 5, (0, 1), first=0, games=size, rounds=1, recorded=False)
    zero, one = (played.totals.astype(float) for played in play_job(job))
    other_zero, other_one = (played.totals.astype(float) for played in play_job(replace(job, seed=6)))
    for left, right in (
        (zero, one),
        (zero, other_zero),
        (zero, other_one),
        (one, other_zero),
        (zero[1:], zero[:-1]),
        (zero[size // 2 :], zero[: size // 2]),
    ):
        assert abs(np.corrcoef(left, right)[0, 1]) < 4 / sqrt(len(left))
    assert abs(np.corrcoef(zero, zero)[0, 1]) > 0.99


def test_large_seeds_have_keys_of_their_own() -> None:
    seeds = [seed + (high << 32) for seed in (0, 5) for high in (0, 1, 2, 3)]
    keys = [make_key(seed, stream) for seed in seeds for stream in (0, 1, 2, 3, 1 << 32)]
    assert len(set(keys)) == len(keys)


class GreedyOnPaper:
    """The most points of this turn, exactly; ties by the rule of `solver.advisor`, among columns to the first."""

    def __init__(self, paper: Paper) -> None:
        self._paper = paper
        self._turn = lru_cache(maxsize=None)(self._play_turn)

    def keep(self, sheet: Sheet, roll: Roll, rolls_left: int) -> Roll:
        kept = self._turn(sheet.columns)[rolls_left]
        return least_put_back({keep: Moments(kept[keep], kept[keep]) for keep in sub_keeps(roll)}, roll)

    def place(self, sheet: Sheet, roll: Roll) -> tuple[int, str]:
        placements = self._paper.placements(sheet.columns, roll)
        most = max(placement.gain for placement in placements)
        first = next(placement for placement in placements if placement.gain == most)
        return first.column, self._paper.names[first.box]

    def _play_turn(self, sheet: PaperSheet) -> list[dict[Dice, Fraction]]:
        """What every keep is worth, by rolls left."""
        dice, faces, rolls = self._paper.game.dice, self._paper.game.faces, self._paper.game.rolls
        everything = throws(faces, dice)
        held = {roll: Fraction(max(p.gain for p in self._paper.placements(sheet, roll))) for roll in everything}
        by_rolls_left: list[dict[Dice, Fraction]] = [{}]
        for _ in range(rolls - 1):
            kept = {}
            for keep in {keep for roll in everything for keep in sub_keeps(roll)}:
                thrown = throws(faces, dice - len(keep))
                total = sum(ways * held[tuple(sorted(keep + more))] for more, ways in thrown.items())
                kept[keep] = Fraction(total, thrown.total())
            by_rolls_left.append(kept)
            held = {roll: max(kept[keep] for keep in sub_keeps(roll)) for roll in everything}
        return by_rolls_left


@pytest.mark.parametrize("columns", [(1,), (3,), (1, 1), (1, 2), (2, 1), (1, 2, 3), (2, 2, 1)], ids=str)
@pytest.mark.parametrize("name", SMALL_GAMES)
def test_compiled_greedy_is_greedy_on_paper(name: str, columns: tuple[int, ...]) -> None:
    """Game by game the same boxes, points and turns, whatever bonuses there are and however many columns."""
    oracle_game, game = SMALL_GAMES[name]()
    batch = Batch(game=replace(game, columns=columns), games=40, seed=12)
    plain = records_of(batch, GreedyOnPaper(Paper(oracle_game, columns)))
    pd.testing.assert_frame_equal(records_of(batch, "greedy"), plain)


@pytest.mark.parametrize("columns", [(1,), (1, 2), (1, 2, 3)], ids=str)
def test_greedy_on_paper_meets_repeats_and_jokers(columns: tuple[int, ...]) -> None:
    """The test above would say little of repeat bonuses if none were earned."""
    _, game = SMALL_GAMES["free-joker"]()
    records = records_of(Batch(game=replace(game, columns=columns), games=2000, seed=12), "greedy")
    assert (records["repeats"] > 0).mean() > 0.1


@pytest.mark.parametrize("name", ["yahtzee", "hasbro"])
def test_compiled_optimal_play_is_that_of_the_advisor(name: str, solution_of: SolutionOf) -> None:
    batch = Batch(game=find_game(name), games=64, seed=7)
    plain = records_of(batch, Advised(Advisor(solution_of(name))))
    pd.testing.assert_frame_equal(records_of(batch, Tabled(solution_of(name))), plain)


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("name", [*SMALL_GAMES, "set-bonus"])
def test_compiled_optimal_play_of_small_games_is_that_of_the_advisor(name: str, times: int) -> None:
    """In a column that counts twice as well."""
    _, game = (SMALL_GAMES | {"set-bonus": set_bonus_game})[name]()
    solution = solve_game(replace(game, columns=(times,)), threads=1)
    batch = Batch(game=solution.game, games=120, seed=7)
    pd.testing.assert_frame_equal(records_of(batch, Tabled(solution)), records_of(batch, Advised(Advisor(solution))))


class Asked:
    """Asks a tabled strategy about every sheet by itself, so that it is played in plain Python."""

    def __init__(self, strategy: Strategy) -> None:
        self.keep, self.place = strategy.keep, strategy.place


@pytest.mark.parametrize(
    ("name", "strategy"),
    [
        ("yahtzee", "heuristic"),
        ("yatzy", "greedy"),
        ("triple-yahtzee", "heuristic"),
        ("dicegame", "greedy"),
        ("dicegame", "sheet-advice"),
    ],
)
def test_compiled_play_writes_what_the_sheet_allows(name: str, strategy: str) -> None:
    """Played through `Sheet`, which is asked for the legal placements, points, bonuses and totals of every turn."""
    batch = Batch(game=find_game(name), games=12, seed=3)
    found = find_strategy(strategy, batch.game)
    assert isinstance(found, Tabled)
    compiled, plain = simulate(batch, found, records=True), simulate(batch, Asked(found), records=True)
    assert_same(compiled, plain)


BOXES = (
    Box(name="ones", number=1),
    Box(name="twos", number=2),
    Box(name="threes", number=3),
    Box(name="run", run=2, points=4),
    Box(name="apart", groups=(1, 1)),
    Box(name="with-one", includes=(1,), points=3),
    Box(name="chance"),
    Box(name="best-pair", groups=(2,), points="matched"),
)


@st.composite
def small_games(draw: st.DrawFn) -> Game:
    """Two or three dice with three faces, and any of the boxes, bonuses and columns."""
    dice = draw(st.integers(2, 3))
    chosen = draw(st.lists(st.sampled_from(BOXES), min_size=1, max_size=4, unique=True))
    wild = None
    if draw(st.booleans()):
        chosen.insert(draw(st.integers(0, len(chosen))), Box(name="alike", groups=(dice,), points=5))
        takes_joker = ("run", "apart", "with-one")
        chosen = [replace(box, joker=box.name in takes_joker and draw(st.booleans())) for box in chosen]
        wild = Wild(
            box="alike",
            joker=draw(st.sampled_from(("none", "free", "forced"))),
            repeat_bonus=draw(st.sampled_from((0, 9))),
            repeat_needs_points=draw(st.booleans()),
        )
    numbers = [box.number for box in chosen if box.number is not None]
    bonus = None
    if len(numbers) > 0 and draw(st.booleans()):
        bonus = NumberBonus(threshold=draw(st.integers(1, dice * sum(numbers))), points=6)
    in_sets = [box.name for box in chosen if box.number is None and box.name != "alike"]
    sets = draw(st.lists(st.sampled_from(in_sets), min_size=1, max_size=2, unique=True)) if in_sets else []
    return Game(
        name="any",
        title="Any",
        dice=dice,
        faces=3,
        rolls=draw(st.integers(1, 3)),
        boxes=tuple(chosen),
        number_bonus=bonus,
        set_bonuses=(SetBonus(name="set", boxes=tuple(sets), points=8),) if sets else (),
        wild=wild,
        columns=tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))),
    )


@settings(max_examples=120, deadline=None)
@given(game=small_games(), seed=st.integers(0, 2**63 - 1))
def test_compiled_play_of_any_game_by_any_tables(game: Game, seed: int) -> None:
    """Whatever the rules and however odd the tables, the compiled player and the sheet agree on every turn."""
    stages = 1 if seed % 2 else game.turns
    shape = (stages, len(game.columns), compile_space(game.column).states)
    strange = Tabled(Policy(game, np.random.default_rng(seed).normal(0.0, 4.0, shape)))
    batch = Batch(game=game, games=6, seed=seed)
    assert_same(simulate(batch, strange, records=True), simulate(batch, Asked(strange), records=True))


def assert_same(one: Summary, other: Summary) -> None:
    """Everything that was counted is the same."""
    assert one.scores.low == other.scores.low
    assert np.array_equal(one.scores.counts, other.scores.counts)
    assert np.array_equal(one.tally, other.tally)
    assert np.array_equal(one.number_bonuses, other.number_bonuses)
    if one.records is not None and other.records is not None:
        pd.testing.assert_frame_equal(one.records, other.records)


# Records.


def ordinary_points(game: Game) -> dict[str, set[int]]:
    """What each box holds after some roll that is not all dice alike."""
    counts = [
        [roll.count(face) for face in range(1, game.faces + 1)]
        for roll in throws(game.faces, game.dice)
        if len(set(roll)) > 1
    ]
    return {box.name: {box.score(of_roll) for of_roll in counts} for box in game.boxes}


def replay(game: Game, row: dict[str, int], ordinary: dict[str, set[int]]) -> None:
    """Fill a sheet turn by turn as a record says; every turn must be one that some roll allows.

    A record counts repeat bonuses but does not say where they were earned, so all ways to earn them are followed.
    """
    cells = sorted((row[f"turn:{label}"], c, name, row[label]) for c, name, label in box_labels(game))
    assert [turn for turn, *_ in cells] == list(range(1, game.turns + 1))
    sheet = Sheet.empty(game)
    earned: set[tuple[int, int]] = {(0, 0)}
    for _, column, box, points in cells:
        kinds = [
            placement
            for face in range(1, game.faces + 1)
            for placement in sheet.placements((face,) * game.dice)
            if (placement.column, placement.box, placement.points) == (column, box, points)
        ]
        bonuses = {placement.bonus for placement in kinds} | ({0} if points in ordinary[box] else set())
        assert bonuses, f"no roll brings {points} points to {column + 1}:{box} on '{sheet}'"
        times = game.columns[column]
        earned = {(n + (bonus > 0), paid + times * bonus) for n, paid in earned for bonus in bonuses}
        scores = list(sheet.columns[column])
        scores[game.box_index[box]] = points
        sheet = replace(sheet, columns=(*sheet.columns[:column], tuple(scores), *sheet.columns[column + 1 :]))
    assert sheet.is_full
    assert (row.get("repeats", 0), row["total"] - sheet.total) in earned
    several = len(game.columns) > 1
    for c in range(len(game.columns)):
        prefix = f"bonus:{c + 1}:" if several else "bonus:"
        found = sum(points for label, points in row.items() if label.startswith(prefix))
        assert found == sheet.bonuses(c)


RECORDED = [
    ("yahtzee", "optimal"),
    ("yatzy", "heuristic"),
    ("triple-yahtzee", "heuristic"),
    ("dicegame", "heuristic"),
    ("triple-yahtzee", "random"),
    ("dicegame", "sheet-advice"),
    pytest.param("sixzee", "greedy", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "strategy"), RECORDED)
def test_records_add_up(name: str, strategy: str, tables: Path) -> None:
    game = find_game(name)
    records = records_of(Batch(game=game, games=2000, seed=21, tables=tables), strategy)
    check_records(game, records, replayed=20)


@pytest.mark.parametrize("columns", [(1,), (2,), (1, 2), (1, 2, 3)], ids=str)
@pytest.mark.parametrize("strategy", ["greedy", "random"])
@pytest.mark.parametrize("name", SMALL_GAMES)
def test_records_of_small_games_add_up(name: str, strategy: str, columns: tuple[int, ...]) -> None:
    """Small games earn bonuses of every kind in a few games."""
    _, game = SMALL_GAMES[name]()
    several = replace(game, columns=columns)
    check_records(several, records_of(Batch(game=several, games=500, seed=21), strategy), replayed=30)


def check_records(game: Game, records: pd.DataFrame, *, replayed: int) -> None:
    """Every row adds up, and the first rows can be replayed."""
    labels = [label for _, _, label in box_labels(game)]
    turns = records[[f"turn:{label}" for label in labels]].to_numpy()
    assert np.array_equal(np.sort(turns, axis=1), np.broadcast_to(np.arange(1, game.turns + 1), turns.shape))
    assert records["game"].to_list() == list(range(1, len(records) + 1))
    several = len(game.columns) > 1
    total = np.zeros(len(records), dtype=np.int64)
    for c, times in enumerate(game.columns):
        own = [label for column, _, label in box_labels(game) if column == c]
        own += [name for name in records if name.startswith(f"bonus:{c + 1}:" if several else "bonus:")]
        total += times * records[own].to_numpy().astype(np.int64).sum(axis=1)
    repeat = game.wild.repeat_bonus if game.wild else 0
    repeats = records["repeats"].to_numpy().astype(np.int64) if repeat else np.zeros(len(records), dtype=np.int64)
    rest = records["total"].to_numpy() - total
    assert np.all(rest >= repeat * repeats * min(game.columns))
    assert np.all(rest <= repeat * repeats * max(game.columns))
    ordinary = ordinary_points(game)
    rows = pd.concat([records.head(replayed), records[repeats > 0].head(replayed)])
    for row in rows.to_dict("records"):
        replay(game, {str(label): int(number) for label, number in row.items()}, ordinary)


@pytest.mark.parametrize("name", ["yahtzee", "triple-yahtzee"])
def test_figures_are_those_of_the_records(name: str) -> None:
    """What was counted on the way, and what a table of all games gives."""
    game = find_game(name)
    summary = simulate(Batch(game=game, games=3000, seed=4), "heuristic", records=True)
    records, figures = summary.records, summary.figures
    assert records is not None
    assert [box.box for box in figures.boxes] == [label for _, _, label in box_labels(game)]
    for (c, _, label), box in zip(box_labels(game), figures.boxes, strict=True):
        assert box.mean == pytest.approx(game.columns[c] * records[label].mean(), abs=1e-9)
        assert box.zero == pytest.approx((records[label] == 0).mean(), abs=1e-12)
        by_turn = np.bincount(records[f"turn:{label}"], minlength=game.turns + 1)[1:]
        assert np.allclose(box.turns, by_turn / len(records), atol=1e-12)
    bonuses = {label: (records[f"bonus:{label}"] > 0).mean() for label in figures.bonus_chances}
    assert figures.bonus_chances == pytest.approx(bonuses, abs=1e-12)
    assert figures.repeats == pytest.approx(records["repeats"].mean(), abs=1e-12)
    assert figures.distribution.mean == pytest.approx(records["total"].mean(), abs=1e-9)
    assert summary.scores.sd == pytest.approx(records["total"].std(), rel=1e-12)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_file_holds_the_records(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written in several pieces."""
    monkeypatch.setattr(sim.batch, "JOB_RECORDS", 30)
    batch, path = Batch(game=YAHTZEE, games=100, seed=4), tmp_path / f"games.{ending}"
    records = simulate(batch, "greedy", records=True, out=path).records
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet, "jsonl": lambda path: pd.read_json(path, lines=True)}
    assert records is not None
    pd.testing.assert_frame_equal(read[ending](path), records, check_dtype=False)


# The same seed, the same games.


@pytest.mark.parametrize(("name", "strategy"), [("yahtzee", "greedy"), ("dicegame", "heuristic"), ("hasbro", "random")])
def test_the_pieces_of_a_batch_do_not_matter(name: str, strategy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads, the size of jobs, of pieces within a turn, and keys that several positions share."""
    batch = Batch(game=find_game(name), games=700, seed=99, threads=1)
    whole = simulate(batch, strategy, records=True)
    assert_same(whole, simulate(replace(batch, threads=3), strategy, records=True))
    assert_same(whole, simulate(batch, strategy))
    assert_same(whole, simulate(replace(batch, threads=2), strategy))
    monkeypatch.setattr(sim.batch, "JOB_RECORDS", 123)
    monkeypatch.setattr(sim.batch, "JOB_SHEETS", 57)
    assert_same(whole, simulate(replace(batch, threads=2), strategy, records=True))
    assert_same(whole, simulate(batch, strategy))
    monkeypatch.setattr(sim.batch, "_KEYS", 16)
    monkeypatch.setattr(sim.batch, "PIECE", 7)
    assert_same(whole, simulate(replace(batch, threads=2), strategy, records=True))


def test_the_pieces_of_a_plain_strategy_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = Batch(game=YAHTZEE, games=10, seed=99)
    strategy = Asked(find_strategy("heuristic", YAHTZEE))
    whole = simulate(batch, strategy, records=True)
    monkeypatch.setattr(sim.batch, "JOB_PLAIN", 3)
    assert_same(whole, simulate(batch, strategy, records=True))


def in_another_order(play: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
    """A runner that sends jobs away as bytes and plays the last one first."""
    sent = [pickle.dumps(job) for job in jobs]
    played = [play(pickle.loads(job)) for job in reversed(sent)]
    return reversed(played)


@pytest.mark.parametrize("rounds", [1, 3])
def test_another_runner_gives_the_same(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = Batch(game=YAHTZEE, games=200, seed=5, rounds=rounds)
    away = replace(batch, runner=in_another_order)
    assert_same(simulate(batch, "greedy", records=True), simulate(away, "greedy", records=True))
    monkeypatch.setattr(sim.batch, "JOB_SHEETS", 10)
    here, there = (compare(where, ["greedy", "random"]) for where in (batch, away))
    assert_same_matches(here, there)


def assert_same_matches(one: Comparison, other: Comparison) -> None:
    for left, right in zip(one.players, other.players, strict=True):
        assert (left.wins, left.ties, left.firsts) == (right.wins, right.ties, right.firsts)
        assert np.array_equal(left.scores.counts, right.scores.counts)
    for pair, same in zip(one.pairs, other.pairs, strict=True):
        assert pair.margins.low == same.margins.low
        assert np.array_equal(pair.margins.counts, same.margins.counts)
        assert pair.saved == same.saved


def test_a_game_does_not_depend_on_the_batch_it_is_in() -> None:
    few, many = (records_of(Batch(game=YAHTZEE, games=games, seed=31), "greedy") for games in (10, 1000))
    pd.testing.assert_frame_equal(many.head(10), few)


def test_other_seeds_give_other_games() -> None:
    totals = [records_of(Batch(game=YAHTZEE, games=200, seed=seed), "greedy")["total"] for seed in (0, 1, 2, 2**63 - 1)]
    assert all((one != other).mean() > 0.9 for one, other in combinations(totals, 2))


def test_a_game_of_several_rounds_is_the_sum_of_its_sheets() -> None:
    sheets = records_of(Batch(game=YAHTZEE, games=150, seed=17), "greedy")
    batch = Batch(game=YAHTZEE, games=50, seed=17, rounds=3)
    summary = simulate(batch, "greedy", records=True)
    assert summary.records is not None
    assert summary.records["game"].to_list() == [game for game in range(1, 51) for _ in range(3)]
    assert summary.records["round"].to_list() == [1, 2, 3] * 50
    pd.testing.assert_frame_equal(summary.records.drop(columns=["game", "round"]), sheets.drop(columns="game"))
    sums = sheets["total"].to_numpy().reshape(50, 3).sum(axis=1)
    assert summary.scores.size == 50
    assert summary.scores.mean == sums.mean()
    assert sorted(np.repeat(summary.scores.numbers, summary.scores.counts)) == sorted(sums)


# Random and sloppy play.


def test_random_keeps_each_die_with_chance_one_half() -> None:
    """What is left of the first roll, seen in the total after the second."""
    game = Game(name="keep", title="Keep", dice=3, faces=3, rolls=2, boxes=(Box(name="chance"),))
    size, key = 40_000, make_key(41, 0)
    totals = records_of(Batch(game=game, games=size, seed=41), "random")["total"]
    first = [tuple(sorted(dice_at(key, sheet, 0, dice=3, faces=3))) for sheet in range(size)]
    chances: dict[tuple[Dice, int], float] = defaultdict(float)
    for roll, again in product(product((1, 2, 3), repeat=3), repeat=2):
        for kept in product((True, False), repeat=3):
            total = sum(old if keep else new for old, new, keep in zip(roll, again, kept, strict=True))
            chances[tuple(sorted(roll)), total] += 1 / 27 / 27 / 8
    seen = Counter(zip(first, totals, strict=True))
    assert set(seen) <= set(chances)
    assert chi_square_chance([seen[cell] for cell in chances], list(chances.values())) > 1e-4


TWO_COLUMNS = (
    OracleGame(
        dice=2,
        faces=3,
        rolls=2,
        boxes={
            "twos": lambda dice: 2 * dice.count(2),
            "alike": lambda dice: 5 if dice[0] == dice[1] else 0,
            "run": lambda dice: 4 if abs(dice[0] - dice[1]) == 1 else 0,
        },
        numbers={"twos": 2},
        number_bonus=(4, 3),
        wild="alike",
        joker="forced",
        joker_points={"run": lambda dice: 4},
        repeat_bonus=9,
        repeat_needs_points=False,
    ),
    Game(
        name="two-columns",
        title="Two columns",
        dice=2,
        faces=3,
        rolls=2,
        boxes=(
            Box(name="twos", number=2),
            Box(name="alike", groups=(2,), points=5),
            Box(name="run", run=2, points=4, joker=True),
        ),
        number_bonus=NumberBonus(threshold=4, points=3),
        wild=Wild(box="alike", joker="forced", repeat_bonus=9, repeat_needs_points=False),
        columns=(1, 2),
    ),
)


def test_random_places_alike_everywhere_it_may() -> None:
    """All games of a small sheet with two columns and a forced joker, weighed by their chance. However many dice a
    random player keeps, the last roll is one like any other."""
    oracle_game, game = TWO_COLUMNS
    paper = Paper(oracle_game, game.columns)

    @cache
    def points_to_come(sheet: PaperSheet) -> dict[int, float]:
        if all(points is not None for column in sheet for points in column):
            return {0: 1.0}
        chances: dict[int, float] = defaultdict(float)
        for roll, ways in throws(3, 2).items():
            placements = paper.placements(sheet, roll)
            for place in placements:
                after = paper.fill(sheet, place.column, place.box, place.points)
                for points, chance in points_to_come(after).items():
                    chances[place.gain + points] += ways / 9 / len(placements) * chance
        return chances

    chances = points_to_come(paper.empty)
    check_scores(simulate(Batch(game=game, games=100_000, seed=6), "random").scores, chances)


@pytest.mark.parametrize("noise", [0.2, 0.7])
def test_sloppy_play_by_all_its_games(noise: float, tables: Path) -> None:
    """All games of a small sheet, each decision the oracle's or, with some chance, a random one."""
    oracle_game, game = number_bonus_game()
    oracle = Oracle(oracle_game)

    def last_rolls(sheet: tuple[tuple[int | None, ...], int]) -> dict[Dice, float]:
        chances = {roll: ways / 9 for roll, ways in throws(3, 2).items()}
        for rolls_left in (2, 1):
            after: dict[Dice, float] = defaultdict(float)
            for roll, chance in chances.items():
                chosen = oracle.chosen_keep(oracle.empty._replace(points=sheet[0]), roll, rolls_left)
                keeps = [(chosen, 1.0 - noise)]
                keeps += [(part, noise / 4) for part in ((), roll[:1], roll[1:], roll)]
                for keep, share in keeps:
                    for thrown, ways in throws(3, 2 - len(keep)).items():
                        after[tuple(sorted(keep + thrown))] += chance * share * ways / 3 ** (2 - len(keep))
            chances = after
        return chances

    @cache
    def finals(points: tuple[int | None, ...]) -> dict[int, float]:
        sheet = oracle.empty._replace(points=points)
        if not oracle.open_boxes(sheet):
            return {oracle.written_total(sheet): 1.0}
        scores: dict[int, float] = defaultdict(float)
        for roll, chance in last_rolls((points, 0)).items():
            placements, chosen = oracle.placements(sheet, roll), oracle.chosen_box(sheet, roll)
            for name, placed in placements.items():
                share = noise / len(placements) + (1.0 - noise) * (name == chosen)
                for score, final in finals(oracle.place(sheet, name, placed).points).items():
                    scores[score] += chance * share * final
        return scores

    batch = Batch(game=game, games=100_000, seed=14, tables=tables)
    check_scores(simulate(batch, f"sloppy:{noise}").scores, finals(oracle.empty.points))


def check_scores(scores: Histogram, chances: dict[int, float]) -> None:
    """Sampled scores against all their chances: the mean, and the whole distribution."""
    assert sum(chances.values()) == pytest.approx(1.0, abs=1e-12)
    mean = sum(score * chance for score, chance in chances.items())
    deviation = sqrt(sum((score - mean) ** 2 * chance for score, chance in chances.items()))
    assert abs(scores.mean - mean) < 4 * deviation / sqrt(scores.size)
    seen = {int(score): int(count) for score, count in zip(scores.numbers, scores.counts, strict=True) if count}
    assert set(seen) <= set(chances)
    order = sorted(chances)
    assert chi_square_chance([seen.get(score, 0) for score in order], [chances[score] for score in order]) > 1e-4


def test_sloppy_without_noise_is_optimal_and_with_nothing_else_is_random(tables: Path) -> None:
    batch = Batch(game=YAHTZEE, games=400, seed=8, tables=tables)
    optimal, random = (records_of(batch, strategy) for strategy in ("optimal", "random"))
    pd.testing.assert_frame_equal(records_of(batch, "sloppy:0"), optimal)
    pd.testing.assert_frame_equal(records_of(batch, "sloppy:1"), random)
    assert (optimal["total"] != random["total"]).mean() > 0.9


def test_the_mean_falls_with_sloppiness(tables: Path) -> None:
    """By more than four standard errors at every step."""
    batch = Batch(game=YAHTZEE, games=20_000, seed=8, tables=tables)
    scores = [simulate(batch, f"sloppy:{noise}").scores for noise in (0, 0.05, 0.2, 0.5, 1)]
    for better, worse in pairwise(scores):
        assert better.mean - worse.mean > 4 * sqrt(better.se**2 + worse.se**2)


# Matches.


def read_matches(path: Path, names: Sequence[str]) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """Who starts (from 0), the points of the players, and who has most, a row for each match."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    labels = [f"{player}:{name}" for player, name in enumerate(names, start=1)]
    assert [int(row["match"]) for row in rows] == list(range(1, len(rows) + 1))
    first = np.array([int(row["first"]) - 1 for row in rows])
    totals = np.array([[int(row[label]) for label in labels] for row in rows])
    most = np.array([[row[f"most:{label}"] == "True" for label in labels] for row in rows])
    return first, totals, most


@pytest.mark.parametrize("same_dice", [False, True])
@pytest.mark.parametrize(
    ("game", "names", "rounds"),
    [
        (YAHTZEE, ("greedy", "heuristic"), 1),
        (YAHTZEE, ("greedy", "heuristic", "greedy", "random"), 2),
        (TINY, ("greedy", "random", "heuristic"), 1),
        (DICEGAME, ("sheet-advice", "greedy"), 1),
    ],
    ids=["two", "four", "tiny", "dicegame"],
)
def test_matches_add_up(
    game: Game,
    names: tuple[str, ...],
    rounds: int,
    same_dice: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Wins, ties, margins and what the same dice save, from the totals of every match."""
    monkeypatch.setattr(sim.batch, "JOB_SHEETS", 400)
    batch = Batch(game=game, games=900, seed=55, rounds=rounds)
    found = compare(batch, names, same_dice=same_dice, out=tmp_path / "m.csv")
    first, totals, most = read_matches(tmp_path / "m.csv", names)
    top = totals == totals.max(axis=1, keepdims=True)
    assert np.array_equal(most, top)
    for player, figures in enumerate(found.players):
        won = top[:, player] & (top.sum(axis=1) == 1)
        assert figures.strategy == names[player]
        assert (figures.wins, figures.ties) == (won.sum(), top[:, player].sum() - won.sum())
        assert figures.wins + figures.ties + figures.losses == 900
        assert figures.firsts == (first == player).sum()
        assert figures.scores.mean == pytest.approx(totals[:, player].mean(), rel=1e-12)
    pairs = list(combinations(range(len(names)), 2))
    assert [(pair.one, pair.other) for pair in found.pairs] == [(names[a], names[b]) for a, b in pairs]
    for (a, b), pair in zip(pairs, found.pairs, strict=True):
        margin = totals[:, a] - totals[:, b]
        assert (pair.wins, pair.ties, pair.losses) == ((margin > 0).sum(), (margin == 0).sum(), (margin < 0).sum())
        assert pair.margins.mean == pytest.approx(margin.mean(), abs=1e-9)
        assert pair.margins.sd == pytest.approx(margin.std(ddof=1), rel=1e-12)
        if same_dice:
            apart = totals[:, a].var(ddof=1) + totals[:, b].var(ddof=1)
            assert pair.saved == pytest.approx(1.0 - margin.var(ddof=1) / apart, abs=1e-9)
        else:
            assert pair.saved is None


def test_every_player_plays_the_games_of_a_batch_of_its_own(tmp_path: Path) -> None:
    """With dice of its own each player has another stream, the first one that of `simulate`; with the same dice all
    have that one."""
    batch, names = Batch(game=YAHTZEE, games=300, seed=5), ("greedy", "heuristic", "random")
    alone = [records_of(batch, name)["total"].to_numpy() for name in names]
    compare(batch, names, same_dice=True, out=tmp_path / "same.csv")
    compare(batch, names, out=tmp_path / "own.csv")
    same, own = (read_matches(tmp_path / name, names)[1] for name in ("same.csv", "own.csv"))
    assert np.array_equal(same, np.array(alone).T)
    assert np.array_equal(own[:, 0], alone[0])
    assert all((own[:, player] != alone[player]).mean() > 0.9 for player in (1, 2))


def test_a_strategy_against_itself() -> None:
    batch = Batch(game=YAHTZEE, games=500, seed=5)
    (pair,) = compare(batch, ("greedy", "greedy"), same_dice=True).pairs
    assert (pair.wins, pair.ties, pair.losses, pair.saved) == (0, 500, 0, 1.0)
    (pair,) = compare(batch, ("greedy", "greedy")).pairs
    assert pair.ties < 50
    assert pair.saved is None


def test_the_same_dice_make_margins_smaller() -> None:
    batch = Batch(game=YAHTZEE, games=20_000, seed=5)
    (same,), (own,) = (compare(batch, ("greedy", "heuristic"), same_dice=flag).pairs for flag in (True, False))
    assert same.saved is not None
    assert 0.05 < same.saved < 0.95
    assert same.margins.sd**2 == pytest.approx(own.margins.sd**2 * (1.0 - same.saved), rel=0.05)
    assert abs(same.margins.mean - own.margins.mean) < 4 * sqrt(same.margins.se**2 + own.margins.se**2)


def start_roll(key: int, match: int, players: int) -> int:
    """Everybody rolls a die and the highest starts, tied players roll again; each player has an own word a round."""
    tied, place = list(range(players)), 0
    while len(tied) > 1:
        rolled = {player: word_at(key, match, place + player) * 6 >> 64 for player in tied}
        tied = [player for player in tied if rolled[player] == max(rolled.values())]
        place += players
    return tied[0]


@pytest.mark.parametrize("players", [2, 3, 5])
def test_start_rolls_are_fair_and_by_the_rule(players: int, tmp_path: Path) -> None:
    matches = 5000
    path = tmp_path / "matches.csv"
    found = compare(Batch(game=TINY, games=matches, seed=23), ["greedy"] * players, out=path)
    first, _, _ = read_matches(path, ["greedy"] * players)
    key = make_key(23, 1 << 32)
    assert first.tolist() == [start_roll(key, match, players) for match in range(matches)]
    deviation = sqrt(matches * (1 / players) * (1 - 1 / players))
    assert all(abs(figures.firsts - matches / players) < 5 * deviation for figures in found.players)
    assert sum(figures.firsts for figures in found.players) == matches


def test_more_strategies_than_a_table_has_places() -> None:
    """Dicegame is for two: then only pairs are matches, and everybody meets everybody."""
    batch = Batch(game=DICEGAME, games=50, seed=2)
    assert compare(batch, ("greedy", "random")).table
    three = compare(batch, ("greedy", "random", "sheet-advice"))
    assert not three.table
    assert len(three.pairs) == 3
    assert compare(Batch(game=YAHTZEE, games=50), ("greedy",) * 5).table


@pytest.mark.parametrize("strategies", [(), ("greedy",)])
def test_a_match_needs_two_strategies(strategies: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=f"^strategies: {len(strategies)} given, two or more are needed for a match.$"):
        compare(Batch(game=YAHTZEE, games=5), strategies)


def test_a_game_for_one_has_no_matches() -> None:
    alone = replace(YAHTZEE, max_players=1)
    with pytest.raises(InputError, match=r"^players of Yahtzee: 2 given, allowed is 1\.$"):
        compare(Batch(game=alone, games=5), ("greedy", "random"))


# Sampled beside exact.

SLOW = pytest.mark.slow
SAMPLES = [
    ("yahtzee", "optimal"),
    ("yahtzee", "greedy"),
    ("yahtzee", "safe"),
    pytest.param("yahtzee", "heuristic", marks=SLOW),
    pytest.param("yahtzee", "bold", marks=SLOW),
    pytest.param("yahtzee", "utility:-0.1", marks=SLOW),
    *(pytest.param(name, "optimal", marks=SLOW) for name in ("hasbro", "verhoeff", "plain", "yatzy")),
]


@pytest.mark.parametrize(("name", "strategy"), SAMPLES)
def test_sampled_figures_agree_with_exact_ones(name: str, strategy: str, tables: Path) -> None:
    game = find_game(name)
    found = find_strategy(strategy, game, tables=tables)
    assert isinstance(found, Tabled)
    exact = yahtzee_figures(SAFE)[1] if strategy == "safe" else exact_figures(found.policy)
    check_sample(game, records_of(Batch(game=game, games=200_000, seed=2025), found), exact)


def test_sampled_figures_of_a_small_game_agree_with_exact_ones() -> None:
    """With sets, a wild box, and a column that counts twice."""
    _, game = everything_game("forced", needs_points=False)()
    solution = solve_game(replace(game, columns=(2,)), threads=1)
    records = records_of(Batch(game=solution.game, games=200_000, seed=2025), Tabled(solution))
    check_sample(solution.game, records, exact_figures(solution.policy, threads=1))


def check_sample(game: Game, records: pd.DataFrame, exact: Figures) -> None:
    """Scores within four standard errors and by chi-square; boxes and bonuses within five standard errors."""
    size = len(records)
    chances = exact.distribution.chances
    check_scores(
        Histogram.of(records["total"].to_numpy()),
        {int(score): float(chances[score]) for score in np.flatnonzero(chances)},
    )

    def check_rate(count: int, chance: float, what: str) -> None:
        assert abs(count - size * chance) <= 5 * sqrt(size * chance * (1 - min(chance, 1.0))) + 1e-6, what

    (times,) = game.columns
    for box in exact.boxes:
        points = times * records[box.box].to_numpy().astype(np.int64)
        assert abs(points.mean() - box.mean) <= 5 * points.std() / sqrt(size) + 1e-9, box.box
        check_rate(int((points == 0).sum()), box.zero, box.box)
        for turn, chance in enumerate(box.turns, start=1):
            check_rate(int((records[f"turn:{box.box}"] == turn).sum()), float(chance), f"{box.box} on turn {turn}")
    for name, chance in exact.bonus_chances.items():
        check_rate(int((records[f"bonus:{name}"] > 0).sum()), chance, name)
    if game.wild is not None and game.wild.repeat_bonus:
        repeats = records["repeats"].to_numpy().astype(np.int64)
        assert repeats.sum() > 100
        assert abs(repeats.mean() - exact.repeats) <= 5 * repeats.std() / sqrt(size)
    else:
        assert exact.repeats == 0.0


def test_where_exact_figures_are_out_of_reach(tables: Path) -> None:
    """Several columns, chance decisions, and plain Python; rounds are no obstacle."""
    _, game = number_bonus_game()
    batch = Batch(game=game, games=10, tables=tables)
    assert exact_for(replace(batch, game=replace(game, columns=(1, 2))), "greedy") is None
    assert exact_for(batch, "random") is None
    assert exact_for(batch, "sloppy:0.1") is None
    assert exact_for(batch, Asked(find_strategy("greedy", game))) is None
    one, three = exact_for(batch, "greedy"), exact_for(replace(batch, rounds=3), "greedy")
    assert one is not None and three is not None
    assert three.distribution.mean == pytest.approx(3 * one.distribution.mean, abs=1e-9)
    assert three.distribution.sd == pytest.approx(sqrt(3) * one.distribution.sd, abs=1e-9)


# Histograms and intervals.

NUMBERS = st.lists(st.integers(-2000, 2000), min_size=1, max_size=60)


@settings(max_examples=200, deadline=None)
@given(numbers=NUMBERS, percent=st.one_of(st.integers(0, 100), st.floats(0.0, 100.0)))
def test_a_histogram_counts_what_numpy_does(numbers: list[int], percent: float) -> None:
    values = np.array(numbers)
    found = Histogram.of(values)
    assert found.size == len(numbers)
    assert found.mean == pytest.approx(values.mean(), abs=1e-9)
    assert Counter(dict(zip(found.numbers.tolist(), found.counts.tolist(), strict=True))) + Counter() == Counter(
        numbers
    )
    if len(numbers) > 1:
        assert found.sd == pytest.approx(values.std(ddof=1), rel=1e-9, abs=1e-9)
        assert found.se == pytest.approx(values.std(ddof=1) / sqrt(len(numbers)), rel=1e-9, abs=1e-9)
    else:
        assert np.isnan(found.sd)
    needed = Fraction(percent) * len(numbers) / 100 - Fraction(1, 100_000)
    lowest = min(number for number in numbers if sum(other <= number for other in numbers) >= needed)
    assert found.percentile(percent) == lowest


@settings(max_examples=100, deadline=None)
@given(parts=st.lists(NUMBERS, min_size=1, max_size=5), data=st.data())
def test_histograms_add_up_in_any_order(parts: list[list[int]], data: st.DataObject) -> None:
    whole = Histogram.of(np.array([number for part in parts for number in part]))
    for order in (parts, data.draw(st.permutations(parts))):
        merged = Histogram.of(np.array(order[0]))
        for part in order[1:]:
            merged = merged + Histogram.of(np.array(part))
        assert merged.low == whole.low
        assert np.array_equal(merged.counts, whole.counts)


def test_percentiles_of_a_hundred_numbers() -> None:
    """The lowest number that at least so many percent do not exceed."""
    hundred = Histogram.of(np.arange(1, 101))
    assert [hundred.percentile(percent) for percent in (0, 1, 1.5, 50, 99, 100)] == [1, 1, 2, 50, 99, 100]
    apart = Histogram.of(np.array([10, 10, 20, 40]))
    assert [apart.percentile(percent) for percent in (0, 50, 50.1, 75, 76, 100)] == [10, 10, 20, 20, 40, 40]


def test_a_histogram_of_large_counts_is_exact() -> None:
    """A million million games with a deviation of one half: nothing cancels."""
    large = Histogram(10**9, np.array([5 * 10**11, 5 * 10**11]))
    assert large.mean == 10**9 + 0.5
    assert large.sd == pytest.approx(0.5, rel=1e-11)


def test_chances_of_a_histogram_start_at_zero() -> None:
    assert Histogram.of(np.array([2, 2, 4, 5])).chances().tolist() == [0.0, 0.0, 0.5, 0.0, 0.25, 0.25]


@pytest.mark.parametrize(
    ("count", "size", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_rate_interval_is_that_of_newcombe(count: int, size: int, low: float, high: float) -> None:
    """The score method without correction in table I of Newcombe (1998); and the same from the other end."""
    assert rate_interval(count, size) == pytest.approx((low, high), abs=5e-5)
    assert rate_interval(size - count, size) == pytest.approx((1.0 - high, 1.0 - low), abs=5e-5)


@pytest.mark.parametrize("size", [20, 100, 400])
def test_rate_interval_covers_the_rate_as_often_as_it_says(size: int) -> None:
    """Over all rates 95 percent on average, and nowhere much less."""
    intervals = [rate_interval(count, size) for count in range(size + 1)]
    coverage = []
    for rate in np.linspace(0.005, 0.995, 199):
        chances = [comb(size, count) * rate**count * (1 - rate) ** (size - count) for count in range(size + 1)]
        coverage.append(sum(c for c, (low, high) in zip(chances, intervals, strict=True) if low <= rate <= high))
    assert 0.945 < np.mean(coverage) < 0.96
    assert min(coverage) > 0.83


# What is refused.


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"games": 0}, "games is 0: from 1 to 1,000,000,000,000 are allowed."),
        ({"games": -5}, "games is -5: from 1 to 1,000,000,000,000 are allowed."),
        ({"games": 10**13}, "games is 10000000000000: from 1 to 1,000,000,000,000 are allowed."),
        ({"games": nan}, "games is nan: a whole number is needed."),
        ({"games": inf}, "games is inf: a whole number is needed."),
        ({"seed": -1}, "seed is -1: from 0 to 9,223,372,036,854,775,807 are allowed."),
        ({"seed": 2**63}, "seed is 9223372036854775808: from 0 to 9,223,372,036,854,775,807 are allowed."),
        ({"seed": nan}, "seed is nan: a whole number is needed."),
        ({"rounds": 0}, "rounds of Yahtzee: 0 given, allowed are 1 to 6."),
        ({"rounds": 7}, "rounds of Yahtzee: 7 given, allowed are 1 to 6."),
        ({"rounds": 2, "game": DICEGAME}, "rounds of Dicegame: 2 given, allowed is 1."),
        ({"threads": 0}, "threads is 0: at least 1 is needed."),
    ],
)
def test_a_batch_refuses(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        Batch(**{"game": YAHTZEE, "games": 10} | given)  # type: ignore[arg-type]
    assert str(error.value) == message


@pytest.mark.parametrize("given", [{"rounds": nan}, {"games": 2.5}, {"seed": 0.5}, {"games": "10"}], ids=str)
def test_a_batch_refuses_what_is_no_whole_number(given: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Batch(**{"game": YAHTZEE, "games": 10} | given)  # type: ignore[arg-type]


@pytest.mark.parametrize("strategy", ["safe", "bold", "utility:0.01"])
def test_utility_refuses_several_columns(strategy: str, tables: Path) -> None:
    with pytest.raises(InputError, match="dicegame has 3 columns, utility is solved for games with one: strategies"):
        simulate(Batch(game=DICEGAME, games=5, tables=tables), strategy)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("optimum", "unknown strategy 'optimum': did you mean 'optimal'? allowed are optimal, learned,"),
        ("", "unknown strategy '': allowed are"),
        ("sloppy", "strategy 'sloppy': a chance from 0 to 1 is needed after the colon."),
        ("sloppy:1.5", "strategy 'sloppy:1.5': a chance from 0 to 1 is needed after the colon."),
        ("sloppy:nan", "strategy 'sloppy:nan': a chance from 0 to 1 is needed after the colon."),
        ("sheet-advice", "sheet-advice speaks of a second and a third column, yahtzee has 1:"),
    ],
)
def test_an_unknown_strategy_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        simulate(Batch(game=YAHTZEE, games=5), text)
    assert str(error.value).startswith(message)


# Strategies of one's own.


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in; modules found there are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    monkeypatch.setattr(sim.batch, "_found", {})
    return tmp_path


def test_the_example_strategy(own_folder: Path) -> None:
    """It keeps all sixes, so that the box for them is filled well; the file is found in the current folder."""
    (own_folder / "my_strategy.py").write_text((EXAMPLES / "my_strategy.py").read_text(encoding="utf-8"))
    for game in (YAHTZEE, TRIPLE):
        batch = Batch(game=game, games=20, seed=3)
        records = records_of(batch, "my_strategy:Sixes")
        check_records(game, records, replayed=5)
        pd.testing.assert_frame_equal(records_of(replace(batch, threads=2), "my_strategy:Sixes"), records)
    comparison = compare(Batch(game=YAHTZEE, games=40, seed=3), ("my_strategy:Sixes", "greedy"), same_dice=True)
    assert [figures.strategy for figures in comparison.players] == ["my_strategy:Sixes", "greedy"]
    assert comparison.pairs[0].losses > comparison.pairs[0].wins


BEGINNING = """
class Own:
    def __init__(self, game):
        self.game = game
"""
KEEP = """
    def keep(self, sheet, roll, rolls_left):
        return roll
"""
PLACE = """
    def place(self, sheet, roll):
        placement = sheet.placements(roll)[0]
        return placement.column, placement.box
"""


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1", "strategy 'bad:Own': module 'bad' has no 'Own'."),
        ("class Own: pass", "strategy 'bad:Own': Own(game) failed, TypeError: Own() takes no arguments."),
        ("Own = 3", "strategy 'bad:Own': Own(game) failed, TypeError: 'int' object is not callable."),
        (BEGINNING + PLACE, "strategy 'bad:Own': Own has no method 'keep'."),
        (BEGINNING + KEEP, "strategy 'bad:Own': Own has no method 'place'."),
        (BEGINNING + KEEP + "    place = 3", "strategy 'bad:Own': Own has no method 'place'."),
        ("import nothing_like_it", "strategy 'bad:Own': importing 'bad' failed, ModuleNotFoundError: "),
        ("1 / 0", "strategy 'bad:Own': importing 'bad' failed, ZeroDivisionError: division by zero."),
        ("class Own(", "strategy 'bad:Own': importing 'bad' failed, SyntaxError: "),
        ("raise KeyError", "strategy 'bad:Own': importing 'bad' failed, KeyError."),
    ],
)
def test_a_class_that_cannot_play_is_refused(source: str, message: str, own_folder: Path) -> None:
    (own_folder / "bad.py").write_text(source)
    with pytest.raises(InputError) as error:
        simulate(Batch(game=YAHTZEE, games=5), "bad:Own")
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("module", ["nowhere", "nowhere.at.all"])
def test_a_module_that_does_not_exist_is_refused(module: str, own_folder: Path) -> None:
    with pytest.raises(InputError) as error:
        simulate(Batch(game=YAHTZEE, games=5), f"{module}:Own")
    wanted = f"strategy '{module}:Own': there is no module '{module}' in this folder or on PYTHONPATH."
    assert str(error.value) == wanted


class Scripted:
    """Answers whatever it is told to; an exception is raised."""

    def __init__(self, *, keep: object = None, place: object = None) -> None:
        self._keep, self._place = keep, place

    def keep(self, sheet: Sheet, roll: Roll, rolls_left: int) -> Roll:
        return self._answer(self._keep, roll)  # type: ignore[return-value]

    def place(self, sheet: Sheet, roll: Roll) -> tuple[int, str]:
        first = sheet.placements(roll)[0]
        return self._answer(self._place, (first.column, first.box))  # type: ignore[return-value]

    @staticmethod
    def _answer(told: object, otherwise: object) -> object:
        if isinstance(told, BaseException):
            raise told
        return otherwise if told is None else told


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        (Scripted(keep=(7,)), "2 rolls left, sheet empty: keep returned (7,), only dice of the roll can be kept."),
        (Scripted(keep=(1,) * 6), "2 rolls left, sheet empty: keep returned (1, 1, 1, 1, 1, 1), only dice of the"),
        (Scripted(keep="all"), "2 rolls left, sheet empty: keep returned 'all', only dice of the roll can be kept."),
        (Scripted(keep=nan), "2 rolls left, sheet empty: keep returned nan, only dice of the roll can be kept."),
        (Scripted(keep=KeyError("six")), "2 rolls left, sheet empty: it raised KeyError: 'six'."),
        (Scripted(place=(0, "sevens")), "no rolls left, sheet empty: place returned (0, 'sevens'), allowed are (0,"),
        (Scripted(place=(1, "ones")), "no rolls left, sheet empty: place returned (1, 'ones'), allowed are (0, 'on"),
        (Scripted(place=(0, "ones")), "no rolls left, sheet 'ones="),
        (Scripted(place="ones"), "no rolls left, sheet empty: place returned 'ones', allowed are (0, 'ones'), "),
        (Scripted(place=ValueError()), "no rolls left, sheet empty: it raised ValueError."),
    ],
)
def test_an_illegal_move_is_refused(strategy: Scripted, message: str) -> None:
    """With the roll, the rolls left and the sheet, so that it can be played again."""
    for play in (simulate, lambda batch, own: compare(batch, (own, "greedy"))):
        with pytest.raises(InputError) as error:
            play(Batch(game=YAHTZEE, games=5, seed=1), strategy)
        assert str(error.value).startswith("strategy Scripted, roll ")
        assert message in str(error.value)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "strategy",
    [Scripted(keep=np.array([1, 2])), Scripted(keep={1}), Scripted(keep=[[1]]), Scripted(place=np.array([0, 1]))],
    ids=["array", "set", "lists", "place"],
)
def test_an_answer_of_a_strange_kind_is_refused(strategy: Scripted) -> None:
    with pytest.raises(InputError, match=r"^strategy Scripted, roll "):
        simulate(Batch(game=YAHTZEE, games=5, seed=1), strategy)


def test_an_object_without_the_methods_is_refused() -> None:
    with pytest.raises(InputError):
        simulate(Batch(game=YAHTZEE, games=5), object())  # type: ignore[arg-type]


def test_an_exception_of_several_lines_is_told_in_one() -> None:
    with pytest.raises(InputError) as error:
        simulate(Batch(game=YAHTZEE, games=5), Scripted(keep=ValueError("one\ntwo")))
    assert "\n" not in str(error.value)


def test_keeping_all_dice_ends_the_rolling() -> None:
    """It is not asked again in that turn."""
    asked = []

    class Content(Scripted):
        def keep(self, sheet: Sheet, roll: Roll, rolls_left: int) -> Roll:
            asked.append(rolls_left)
            return roll

    simulate(Batch(game=YAHTZEE, games=2), Content())
    assert asked == [2] * 26


def raises_late() -> Iterator[int]:
    yield 1
    raise ValueError("boom")


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        (Scripted(keep=raises_late()), "only dice of the roll can be kept"),
        (Scripted(keep=Unspeakable()), "keep returned a Unspeakable, only dice of the roll can be kept"),
        (Scripted(keep=SystemExit("bye")), "it raised SystemExit: bye"),
    ],
)
def test_an_answer_that_cannot_even_be_looked_at_is_refused(strategy: Scripted, message: str) -> None:
    with pytest.raises(InputError, match=message):
        simulate(Batch(game=YAHTZEE, games=5), strategy)


def test_a_strategy_made_for_another_game_is_refused() -> None:
    strategy = find_strategy("greedy", find_game("dicegame"))
    with pytest.raises(InputError, match=r"the strategy was made for dicegame, the batch plays yahtzee\."):
        simulate(Batch(game=YAHTZEE, games=5), strategy)


def test_records_of_columns_tell_where_a_repeat_bonus_was_paid() -> None:
    """Total = sum over columns of the multiplier times boxes, bonuses and repeat bonuses."""
    game = find_game("triple-yahtzee")
    records = simulate(Batch(game=game, games=3000, seed=3), "heuristic", records=True).records
    assert records is not None
    assert records["repeats"].sum() > 0
    total = np.zeros(len(records), dtype=np.int64)
    for c, times in enumerate(game.columns, start=1):
        boxes = records[[f"{c}:{box.name}" for box in game.boxes]].sum(axis=1)
        total += times * (boxes + records[f"bonus:{c}:numbers"] + 100 * records[f"{c}:repeats"])
    assert (total == records["total"]).all()
