"""Several columns: exact endgames, prices and their bound, learning, checkpoints, and advice."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim import Batch, Tabled, simulate
from solver import (
    Advisor,
    ColumnSolution,
    Game,
    InputError,
    RollwiseError,
    Sheet,
    TableRefusedError,
    TableStore,
    Training,
    count_states,
    find_game,
    method_for,
    solve_endgame,
    solve_game,
    stored,
)
from solver.checkpoints import Checkpoints
from solver.endgame import Endgame, book_layout, fill_book, list_states, policy_value
from solver.joint import make_joint, row_groups
from solver.learn import BATCH, Learner, learn_game
from solver.policy import Policy, Source
from solver.prices import Columns, can_be_priced, tighten_bound, turn_values
from solver.space import compile_space
from tests.paper import SMALL_GAMES, Paper, PaperOracle


@pytest.fixture(autouse=True)
def few_games_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A training ends with fresh games; for tests some are enough."""
    monkeypatch.setattr("solver.learn.CHECK", 4)


EXAMPLES = Path(__file__).parent.parent / "examples" / "columns"


def small(name: str, columns: tuple[int, ...]) -> Game:
    """A small game with several columns."""
    return replace(SMALL_GAMES[name]()[1], columns=columns)


def start_of(game: Game) -> tuple[int, ...]:
    return (compile_space(game.column).start,) * len(game.columns)


def position_of(game: Game, sheet: Sheet) -> tuple[int, ...]:
    return Policy(game, np.empty((1, 1, 1))).position(sheet)


def earned(sheet: Sheet) -> int:
    """Number bonuses on the sheet, which values count too."""
    bonus = sheet.game.number_bonus
    assert bonus is not None
    there = [sheet.number_total(c) >= bonus.threshold for c in range(len(sheet.columns))]
    return sum(times * bonus.points for times, reached in zip(sheet.game.columns, there, strict=True) if reached)


def late_sheet(game: Game, open_boxes: int, rng: random.Random) -> Sheet:
    """A sheet filled at random until so many boxes are open."""
    sheet = Sheet.empty(game)
    while game.turns - sheet.turn > open_boxes:
        roll = tuple(sorted(rng.randint(1, game.faces) for _ in range(game.dice)))
        sheet = sheet.after(rng.choice(sheet.placements(roll)))
    return sheet


# Exact endgames.


@pytest.mark.parametrize("columns", [(1, 2), (2, 1, 3)], ids=str)
@pytest.mark.parametrize("name", SMALL_GAMES)
def test_endgames_are_those_of_the_oracle(name: str, columns: tuple[int, ...]) -> None:
    game, rng = small(name, columns), random.Random(f"{name}{columns}")
    oracle = PaperOracle(Paper(SMALL_GAMES[name]()[0], columns))
    book = fill_book(game, book_layout(game, most=20_000), threads=1)
    policy = Policy(game, np.zeros((1, len(columns), compile_space(game.column).states)), book=book)
    for _ in range(4):
        sheet = late_sheet(game, 4, rng)
        position = position_of(game, sheet)
        expected = float(oracle.value(sheet.columns)) + earned(sheet)
        assert solve_endgame(game, position, threads=1).value(position) == pytest.approx(expected, abs=1e-9)
        nearly = late_sheet(game, min(book.boxes, 4), rng)
        expected = float(oracle.value(nearly.columns)) + earned(nearly)
        assert policy.worth([position_of(game, nearly)])[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("times", [1, 3])
def test_one_column_is_the_game_that_is_solved(times: int) -> None:
    game = replace(SMALL_GAMES["everything-free"]()[1], columns=(times,))
    assert solve_endgame(game).value(start_of(game)) == pytest.approx(solve_game(game).value, abs=1e-9)


def test_a_book_that_holds_everything_is_the_nest_from_the_empty_sheet() -> None:
    game = small("number-bonus", (1, 2))
    nest = solve_endgame(game)
    book = fill_book(game, book_layout(game))
    assert book.boxes == game.turns and len(book.values) == nest.positions
    policy = Policy(game, np.empty((1, 2, compile_space(game.column).states)), book=book)
    rng = np.random.default_rng(3)
    for _ in range(300):
        position = tuple(int(rng.choice(states)) for states in nest.states)
        assert policy.worth([position])[0] == pytest.approx(nest.value(position), abs=1e-12)


def test_every_state_that_can_follow_is_listed() -> None:
    """From the empty column all states follow, from a full one only itself."""
    for name in SMALL_GAMES:
        space = compile_space(SMALL_GAMES[name]()[1].column)
        assert list_states(space, space.start).tolist() == list(range(space.states))
        assert list_states(space, space.states - 1).tolist() == [space.states - 1]


def test_too_many_positions_are_refused() -> None:
    with pytest.raises(InputError, match=r"positions can follow, at most 1,000,000 are solved exactly"):
        solve_endgame(find_game("dicegame"), most=1_000_000)


def test_what_a_policy_makes_of_an_endgame() -> None:
    """The policy of the exact values loses nothing, no other one gains, and play agrees within its error."""
    game = small("free-joker", (1, 2))
    nest = solve_endgame(game)
    best = nest.value(start_of(game))
    assert policy_value(nest, learned_small("free-joker", (1, 2)).policy) == pytest.approx(best, abs=1e-6)
    zero = Policy(game, np.zeros((1, 2, compile_space(game.column).states)))
    worth = policy_value(nest, zero)
    assert worth < best - 1.0
    played = simulate(Batch(game=game, games=100_000, seed=4), Tabled(zero)).scores
    assert abs(played.mean - worth) < 4.5 * played.se


@cache
def learned_small(name: str, columns: tuple[int, ...]) -> ColumnSolution:
    """A small game by its book: exact."""
    return learn_game(small(name, columns), Training(games=BATCH), threads=1)


# Prices and the bound.


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(sorted(SMALL_GAMES)),
    columns=st.sampled_from([(1, 2), (3, 1), (2,)]),
    scale=st.sampled_from([0.0, 1.0, 4.0, 20.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_bound_holds_for_any_prices_whatever(name: str, columns: tuple[int, ...], scale: float, seed: int) -> None:
    game = small(name, columns)
    exact = small_value(name, columns)
    relaxed = Columns(game, relaxed=True, threads=1)
    prices = np.random.default_rng(seed).normal(0.0, 1.0, (game.turns, len(relaxed.plan.chance))) * scale
    relaxed.solve(prices)
    turns, ends = turn_values(relaxed.space.dice, game.rolls, prices)
    assert float(turns.sum()) + relaxed.start_value() >= exact - 1e-9
    assert ends.sum(axis=1) == pytest.approx(1.0)
    assert (ends * prices).sum(axis=1) == pytest.approx(turns, abs=1e-9), "what a turn ends with is worth its value"


@cache
def small_value(name: str, columns: tuple[int, ...]) -> float:
    game = small(name, columns)
    return solve_endgame(game).value(start_of(game))


def test_a_single_column_at_no_price_is_bounded_by_its_own_value() -> None:
    """With one column there is nothing to share: it may never pass, and the bound is exact."""
    game = SMALL_GAMES["everything-free"]()[1]
    columns = Columns(game, relaxed=True, threads=1)
    columns.solve(np.zeros((game.turns, len(columns.plan.chance))))
    assert columns.start_value() == pytest.approx(solve_game(game).value, abs=1e-9)


def test_bound_and_learning_on_a_reduced_game() -> None:
    """The bound holds and comes down; learned play, without a book to lean on, is within 0.2 percent of perfect."""
    check_reduced(replace(find_game(str(EXAMPLES / "jokers.toml")), columns=(1, 2)), batches=30)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["jokers", "lower-section", "two-columns", "four-numbers"])
def test_bound_and_learning_on_the_reduced_games_of_the_results(name: str) -> None:
    check_reduced(find_game(str(EXAMPLES / f"{name}.toml")), batches=100)


def check_reduced(game: Game, *, batches: int) -> None:
    nest = solve_endgame(game)
    exact = nest.value(start_of(game))
    bound = tighten_bound(game, steps=14)
    assert exact <= bound.value <= min(value for _, value in bound.curve) + 1e-9
    assert len(bound.curve) == 14 and bound.value < bound.curve[0][1]
    solution = learn_game(game, Training(games=batches * BATCH), book_positions=1)
    assert solution.method == "learned"
    assert abs(solution.mean - exact) < 0.002 * exact + 4.0 * solution.se
    assert policy_value(nest, solution.policy) > 0.998 * exact


def test_one_column_needs_no_bound() -> None:
    with pytest.raises(InputError, match="yahtzee has one column: it is solved exactly and needs no bound"):
        tighten_bound(find_game("yahtzee"), seconds=1.0)


def test_a_bound_goes_on_from_the_one_before(tmp_path: Path) -> None:
    game, store = small("free-joker", (1, 2)), TableStore(tmp_path)
    assert store.load_bound(game) is None
    first = store.tighten_bound(game, seconds=0.2)
    second = store.tighten_bound(game, seconds=0.2)
    assert second.value <= first.value and second.curve[: len(first.curve)] == first.curve
    again = store.load_bound(game)
    assert again is not None and (again.value, again.curve) == (second.value, second.curve)
    assert np.array_equal(again.prices, second.prices)
    other = replace(game, rolls=2)
    with pytest.raises(TableRefusedError, match=r"the bound of .* it was made for other rules: begin anew"):
        store.load_bound(other)


def test_a_game_too_large_for_prices_is_learned_without() -> None:
    sixzee = replace(find_game("sixzee"), columns=(1, 2))
    assert not can_be_priced(sixzee)
    with pytest.raises(InputError, match="sixzee is too large for a bound"):
        tighten_bound(sixzee, seconds=1.0)


# Joint tables.


@pytest.mark.parametrize("columns", [(1, 2), (1, 2, 3), (1,) * 6], ids=str)
def test_joint_tables_have_a_place_for_every_position(columns: tuple[int, ...]) -> None:
    """Groups hold every row, stay small, and the steps of a placement lead to the place of the position after it."""
    game = replace(find_game("triple-yahtzee"), columns=columns)
    groups = row_groups(game)
    assert {row for group in groups for row in group} == set(range(13))
    assert all(len(group) * len(columns) <= 21 for group in groups)
    few = [group[:2] for group in groups]
    joint = make_joint(game, few)
    rng = np.random.default_rng(1)

    def place(g: int, masks: list[int]) -> int:
        bits = sum(int(joint.bits[g, mask]) << c * int(joint.rows[g]) for c, mask in enumerate(masks))
        outside = int(joint.open_outside[g, masks].sum())
        return int(joint.start[g]) + bits * int(joint.alive[g] * joint.outside[g]) + outside

    for _ in range(200):
        masks = rng.integers(0, 1 << 13, len(columns)).tolist()
        column, box = int(rng.integers(len(columns))), int(rng.integers(13))
        if masks[column] >> box & 1:
            continue
        after = list(masks)
        after[column] |= 1 << box
        for g in range(len(few)):
            step = int(joint.step[g, box])
            moved = step << column * int(joint.rows[g]) if step >= 0 else step
            assert place(g, masks) + moved == place(g, after) < len(joint.table)


# Learning.


def trained(game: Game, *, threads: int, batches: int = 3) -> Learner:
    learner = Learner(game, seed=7, threads=threads, book_positions=1)
    learner.start()
    for _ in range(batches):
        learner.batch()
    return learner


def test_the_same_seed_gives_the_same_tables_whatever_the_threads() -> None:
    game = replace(find_game(str(EXAMPLES / "jokers.toml")), columns=(1, 2))
    one, again, two = trained(game, threads=1), trained(game, threads=1), trained(game, threads=2)
    for other in (again, two):
        assert np.array_equal(one.tables.view(np.int32), other.tables.view(np.int32))
        assert np.array_equal(one.joint.table.view(np.int32), other.joint.table.view(np.int32))
    assert np.any(one.joint.table != 0.0)


def test_an_interrupted_training_ends_with_the_same_table(tmp_path: Path) -> None:
    game = replace(find_game(str(EXAMPLES / "jokers.toml")), columns=(1, 2))
    training = Training(games=6 * BATCH, seed=3)
    whole = learn_game(game, training, book_positions=1)
    checkpoints, calls = Checkpoints(tmp_path), 0

    def interrupt(stage: str, share: float, note: str = "") -> None:
        nonlocal calls
        calls += stage == "train"
        if calls == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn_game(game, training, book_positions=1, checkpoints=checkpoints, progress=interrupt)
    done: list[str] = []
    resumed = learn_game(
        game, training, book_positions=1, checkpoints=checkpoints, progress=lambda stage, *_: done.append(stage)
    )
    assert "prices" not in done and done.count("train") == 2
    assert np.array_equal(resumed.tables, whole.tables)
    assert np.array_equal(resumed.joint, whole.joint)
    assert (resumed.value, resumed.mean, resumed.games) == (whole.value, whole.mean, whole.games)


def test_an_interruption_within_a_batch_loses_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted in the middle of playing a batch: that batch is played again from its beginning."""
    game = replace(find_game(str(EXAMPLES / "jokers.toml")), columns=(1, 2))
    training, checkpoints = Training(games=3 * BATCH), Checkpoints(tmp_path)
    whole = learn_game(game, training, book_positions=1)
    source, calls = Policy.source, 0

    def interrupt(policy: Policy, turn: int) -> Source:
        nonlocal calls
        calls += 1
        if calls == 2 * game.turns + 5:
            raise KeyboardInterrupt
        return source(policy, turn)

    monkeypatch.setattr(Policy, "source", interrupt)
    with pytest.raises(KeyboardInterrupt):
        learn_game(game, training, book_positions=1, checkpoints=checkpoints)
    monkeypatch.undo()
    assert checkpoints.goal(game) == training
    resumed = learn_game(game, training, book_positions=1, checkpoints=checkpoints)
    assert np.array_equal(resumed.tables, whole.tables) and resumed.value == whole.value


def kept_training(tmp_path: Path) -> tuple[Learner, Checkpoints]:
    """A training with two checkpoints, after two and after three batches."""
    learner, checkpoints = trained(small("number-bonus", (1, 2)), threads=1, batches=2), Checkpoints(tmp_path)
    checkpoints.save(learner)
    learner.batch()
    checkpoints.save(learner)
    return learner, checkpoints


def fresh(learner: Learner) -> Learner:
    return Learner(learner.game, seed=learner.seed, threads=1, book_positions=1)


@pytest.mark.parametrize("damage", ["cut", "flipped", "missing", "manifest"])
def test_a_checkpoint_cut_in_the_middle_is_refused_and_the_one_before_it_used(tmp_path: Path, damage: str) -> None:
    learner, checkpoints = kept_training(tmp_path)
    found = fresh(learner)
    assert checkpoints.load(found) and found.batches == 3 and checkpoints.refused == []
    assert np.array_equal(found.tables, learner.tables)
    newest = max(tmp_path.iterdir(), key=lambda slot: stored.load_facts(slot)["batches"])
    array = next(newest.glob("tables-*.npy"))
    if damage == "cut":
        os.truncate(array, array.stat().st_size // 2)
    elif damage == "flipped":
        data = bytearray(array.read_bytes())
        data[len(data) // 2] ^= 1
        array.write_bytes(data)
    elif damage == "missing":
        array.unlink()
    else:
        os.truncate(newest / "manifest.json", 40)
    found = fresh(learner)
    assert checkpoints.load(found) and found.batches == 2
    (reason,) = checkpoints.refused
    assert reason.startswith(f"the checkpoint in '{newest}' cannot be used, its ")
    found.batch()
    assert np.array_equal(found.tables, learner.tables), "and training goes on as it did before"


def test_a_checkpoint_of_another_game_or_seed_is_not_used(tmp_path: Path) -> None:
    learner, checkpoints = kept_training(tmp_path)
    assert not checkpoints.load(Learner(learner.game, seed=8, threads=1, book_positions=1))
    other = replace(learner.game, rolls=2)
    assert not checkpoints.load(Learner(other, seed=7, threads=1, book_positions=1))


def test_a_training_is_stored_trained_further_and_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the store, as the command does it; the game is small, so the book is kept from holding all of it."""
    game, store = small("everything-free", (1, 2)), TableStore(tmp_path)
    monkeypatch.setattr("solver.tables.learn_game", lambda *a, **k: learn_game(*a, **k, book_positions=500))
    first = store.solve(game, training=Training(games=2 * BATCH))
    assert isinstance(first, ColumnSolution) and first.games == 2 * BATCH and first.method == "learned"
    assert store.solve(game) is not first and store.solve(game).value == first.value
    more = store.solve(game, training=Training(games=BATCH))
    assert isinstance(more, ColumnSolution) and more.games == 3 * BATCH
    assert not list(tmp_path.glob("*--training*"))
    sampled = simulate(Batch(game=game, games=20_000, seed=2, tables=tmp_path), "optimal").scores
    assert abs(sampled.mean - more.mean) < 4.5 * (sampled.se**2 + more.se**2) ** 0.5


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"games": 5, "minutes": 1.0}, "games and minutes are both given"),
        ({"games": 0}, "games is 0: from 1"),
        ({"minutes": 0.0}, "minutes is 0: more than 0"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_a_training_that_makes_no_sense_is_refused(facts: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Training(**facts)  # type: ignore[arg-type]


def test_training_is_for_several_columns(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="yahtzee has one column: it is solved exactly"):
        TableStore(tmp_path).solve(find_game("yahtzee"), training=Training(games=1))
    with pytest.raises(InputError, match="dicegame has 3 columns: utility is solved for games with one"):
        TableStore(tmp_path).solve(find_game("dicegame"), theta=0.01)
    assert not list(tmp_path.iterdir())


def test_how_games_are_solved() -> None:
    assert method_for(find_game("sixzee")) == "exact"
    assert method_for(find_game("dicegame")) == method_for(find_game("triple-yahtzee")) == "learned"
    for path in EXAMPLES.glob("*.toml"):
        game = find_game(str(path))
        assert method_for(game) == "exact" and count_states(game) < 10**7


# Advice.


def check_advice(advisor: Advisor, nest: Endgame, sheet: Sheet, rng: random.Random) -> None:
    """Every placement of a roll is worth its gain and the exact value of the sheet after it."""
    game = sheet.game
    roll = tuple(sorted(rng.randint(1, game.faces) for _ in range(game.dice)))
    advice = advisor.advise(sheet, roll, rolls_left=0)
    assert advice.method == "exact"
    expected = {}
    for place in sheet.placements(roll):
        after = sheet.after(place)
        worth = after.total - sheet.total + nest.value(position_of(game, after)) - earned(after)
        expected[f"{place.column + 1}:{place.box}"] = worth
    assert {option.box: option.value for option in advice.options} == pytest.approx(expected, abs=1e-9)
    assert advice.value == pytest.approx(max(expected.values()), abs=1e-9)
    assert [option.loss for option in advice.options] == sorted(option.loss for option in advice.options)


@pytest.mark.parametrize("name", ["forced-joker", pytest.param("everything-forced", marks=pytest.mark.slow)])
def test_advice_is_exact_by_the_book(name: str) -> None:
    solution = learned_small(name, (1, 2))
    assert solution.method == "exact"
    game, advisor, rng = solution.game, Advisor(solution), random.Random(name)
    nest = solve_endgame(game)
    assert solution.value == pytest.approx(nest.value(start_of(game)), abs=1e-9)
    assert advisor.expect() == pytest.approx(solution.value, abs=1e-9)
    assert abs(solution.mean - solution.value) < 4.5 * solution.se
    for _ in range(30):
        check_advice(advisor, nest, late_sheet(game, rng.randint(1, game.turns), rng), rng)


def rough(game: Game) -> ColumnSolution:
    """Tables that know nothing, for what must not depend on them."""
    states = compile_space(game.column).states
    tables = np.zeros((game.turns, len(game.columns), states), dtype=np.float32)
    book = fill_book(game, book_layout(game, most=1), threads=1).values
    joint = np.zeros(len(make_joint(game).table), dtype=np.float16)
    return ColumnSolution(game, tables, joint, book, 0.0, 0.0, 1.0, 1, 0, 0.0, 0, "learned")


def test_late_positions_of_the_real_game_are_solved_on_the_spot() -> None:
    """Whatever the tables say. The value of a turn is the mean over its first rolls."""
    advisor = Advisor(rough(find_game("triple-yahtzee")))
    game, rng = advisor.game, random.Random(2)
    for opened in (1, 2, 4, 6):
        sheet = late_sheet(game, opened, rng)
        nest = solve_endgame(game, position_of(game, sheet))
        check_advice(advisor, nest, sheet, rng)
        exact = nest.value(position_of(game, sheet)) - earned(sheet)
        assert advisor.expect(sheet) == pytest.approx(exact, abs=1e-9)
    advice = advisor.advise("", "33356", rolls_left=2)
    assert advice.method == "learned"


def test_the_sheets_420_points() -> None:
    """All yahtzee boxes scored, high straight of the third column open: 40 and 100, three times."""
    advisor = Advisor(rough(find_game("triple-yahtzee")))
    full = late_sheet(advisor.game, 0, random.Random(1))
    columns = [list(column) for column in full.columns]
    index = advisor.game.box_index
    for column in columns:
        column[index["yahtzee"]] = 50
    columns[2][index["high-straight"]] = None
    sheet = Sheet(advisor.game, tuple(tuple(column) for column in columns))
    advice = advisor.advise(sheet, "44444", rolls_left=0)
    assert (advice.best.box, advice.best.points, advice.best.bonus) == ("3:high-straight", 40, 300)
    assert advice.value == pytest.approx(420.0)


@settings(max_examples=12, deadline=None)
@given(name=st.sampled_from(sorted(SMALL_GAMES)), seed=st.integers(0, 2**32 - 1))
def test_python_and_kernel_read_the_tables_alike(name: str, seed: int) -> None:
    """Random tables of every kind: the advisor's placement is the compiled player's."""
    game, rng = small(name, (1, 2)), np.random.default_rng(seed)
    states = compile_space(game.column).states
    tables = rng.normal(0.0, 5.0, (game.turns, 2, states)).astype(np.float32)
    joint = rng.normal(0.0, 5.0, make_joint(game).table.shape).astype(np.float16)
    book = fill_book(game, book_layout(game, most=400), threads=1).values
    advisor = Advisor(ColumnSolution(game, tables, joint, book, 0.0, 0.0, 1.0, 1, 0, 0.0, 0, "learned"))
    player = Tabled(advisor.solution)
    for opened in (game.turns, game.turns - 3, game.turns - 6):
        sheet = late_sheet(game, opened, random.Random(seed))
        if advisor.advise(sheet, (1,) * game.dice, rolls_left=0).method == "exact":
            continue  # Solved on the spot: the tables are not asked.
        for roll in ((1, 3), (2, 2), (1, 1)):
            column, box = player.place(sheet, roll)
            assert advisor.advise(sheet, roll, rolls_left=0).best.box == f"{column + 1}:{box}"


# Learned tables from disk.


def test_a_learned_table_is_refused_like_any_other(tmp_path: Path) -> None:
    store, solution = TableStore(tmp_path), learned_small("number-bonus", (1, 2))
    store.save(solution)
    loaded = store.load(solution.game)
    assert isinstance(loaded, ColumnSolution)
    assert np.array_equal(loaded.tables, solution.tables) and loaded.mean == solution.mean
    array = next(store.path(solution.game).glob("book-*.npy"))
    os.truncate(array, array.stat().st_size - 8)
    with pytest.raises(TableRefusedError, match="its array is damaged: make it anew with 'rollwise solve'"):
        store.load(solution.game)


def test_no_room_for_a_training_is_told_before_it_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 1000}))
    monkeypatch.setattr("solver.tables.learn_game", lambda *_, **__: pytest.fail("trained without room"))
    with pytest.raises(RollwiseError, match=r"the training of dicegame needs [\d,]+ MiB"):
        TableStore(tmp_path).solve(find_game("dicegame"))
