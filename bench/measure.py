"""Single measurements, each run in a process of its own: `python -m bench.measure FUNCTION ARGUMENTS` prints JSON."""

from __future__ import annotations

import json
import random
import resource
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from solver import Advisor, Sheet, find_game, solve_game
from solver.solve import load_kernels, solve_values
from solver.space import Space, compile_space


def solve(name: str, repeat: str) -> dict[str, float]:
    """Median seconds for the values and for values and deviation, after compilation."""
    game = find_game(name)
    space = compile_space(game)
    load_kernels()
    values, both = [], []
    for _ in range(int(repeat)):
        began = time.perf_counter()
        solve_values(game)
        values.append(time.perf_counter() - began)
        both.append(solve_game(game).seconds)
    return {
        "values": statistics.median(values),
        "both": statistics.median(both),
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "table": 8 * space.states / 2**30,
        "operations": useful_operations(space),
    }


def useful_operations(space: Space) -> float:
    """Additions and comparisons that the equations of a turn need, over all states.

    A re-roll adds `faces` numbers for each incomplete keep and compares each keep with those of one die less. The
    last roll compares the options of every roll, the first one is a weighted sum over rolls.
    """
    plan = space.plan
    reroll = len(plan.more) + len(plan.fewer)
    rolls = len(plan.chance)
    per_state = (plan.rolls - 1) * reroll + 2 * rolls
    sizes = np.diff(np.append(plan.offset, space.states))
    rows = plan.outcome_of[:rolls]
    scoring = np.array([np.count_nonzero(plan.outcome_points[rows[:, box]] > 0) for box in range(plan.boxes)])
    masks = np.arange(1 << plan.boxes)
    options = sum(scoring[box] * sizes[(masks >> box & 1) == 0].sum() for box in range(plan.boxes))
    return float(per_state * space.states + options + rolls * space.states)


def row_rate() -> dict[str, float]:
    """Operations a second of the solver's own row sums on two threads when everything is in the first-level cache."""
    from concurrent.futures import ThreadPoolExecutor

    from numba import njit

    from solver import _lanes

    sum_rows = _lanes.sum_rows
    edges = np.arange(6, dtype=np.int32)

    @njit(nogil=True)
    def spin(rows, edges, count):  # type: ignore[no-untyped-def]
        for _ in range(count):
            for row in range(6, 16):
                sum_rows(rows, row, rows, edges, 0, 6, 1.0 / 6.0)

    spaces = [_lanes.workspace(16) for _ in range(2)]
    spin(spaces[0], edges, 1)
    count, best = 400_000, 0.0
    for _ in range(3):
        began = time.perf_counter()
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda rows: spin(rows, edges, count), spaces))
        best = max(best, 2 * count * 10 * 6 * _lanes.LANES / (time.perf_counter() - began))
    return {"best": best}


def peer(name: str, repeat: str) -> dict[str, float]:
    """Median seconds of the yatzy-solver package for the values of all states."""
    import yatzy_solver

    times = []
    for _ in range(int(repeat)):
        began = time.perf_counter()
        yatzy_solver.Solver.build(yatzy_solver.Variant(name))
        times.append(time.perf_counter() - began)
    return {"seconds": statistics.median(times)}


def simulate_games(name: str, games: str, tables: str) -> dict[str, float]:
    """Games a second of optimal play, after compilation and solving, and the memory at its highest."""
    from sim import Batch, simulate

    batch = Batch(game=find_game(name), games=int(games), seed=1, tables=Path(tables))
    simulate(replace(batch, games=100), "optimal")
    summary = simulate(batch, "optimal")
    return {
        "rate": summary.games / summary.seconds,
        "seconds": summary.seconds,
        "mean": summary.scores.mean,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def learned_games(name: str, games: str, tables: str) -> dict[str, float]:
    """Games a second by a learned table, and learned from; memory at its highest and the size of the table."""
    from sim import Batch, simulate
    from solver import TableStore
    from solver.learn import Learner

    game, store = find_game(name), TableStore(Path(tables))
    batch = Batch(game=game, games=int(games), seed=1, tables=Path(tables))
    simulate(replace(batch, games=100), "learned")
    summary = simulate(batch, "learned")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    learner = Learner(game)
    learner.adopt(store.load(game))  # type: ignore[arg-type]
    learner.batch()
    began = time.perf_counter()
    for _ in range(5):
        learner.batch()
    trained = 5 * learner.games / 6 / (time.perf_counter() - began)
    rate = summary.games / summary.seconds
    return {"rate": rate, "memory": memory, "table": store.size(game) / 2**20, "trained": trained}


def solve_deal(seed: str, tables: str) -> dict[str, float]:
    """Seconds for a deal of Sixis for two, after compilation, with the memory at its highest and the table."""
    from solver.sixis.deal import deal_cards, read_cards
    from solver.sixis.tables import DealStore

    store, deal = DealStore(Path(tables)), deal_cards(int(seed))
    store.solve(read_cards("low / high")[0])
    began = time.perf_counter()
    store.solve(deal, force=True)
    seconds = time.perf_counter() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"seconds": seconds, "memory": memory, "table": store.size(deal) / 2**30}


def sixis_rounds(strategy: str, players: str, games: str, tables: str) -> dict[str, float]:
    """Rounds of Sixis a second on one deal, all seats by one strategy, after learning or loading."""
    from sim.sixis.matches import Contest, play_contest
    from solver.sixis.deal import deal_cards

    deal = deal_cards(1, players=int(players))
    contest = Contest(strategies=(strategy,), players=int(players), deal=deal, games=2_000, tables=Path(tables))
    play_contest(contest)
    outcome = play_contest(replace(contest, games=int(games)))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"rate": outcome.rounds / outcome.playing, "memory": memory}


def peer_games(name: str, games: str) -> dict[str, float]:
    """Games a second of the yatzy-solver package, optimal play, after solving."""
    import yatzy_solver

    solver = yatzy_solver.Solver.build(yatzy_solver.Variant(name))
    began = time.perf_counter()
    solver.simulate(int(games), seed=1)
    return {"rate": int(games) / (time.perf_counter() - began)}


def questions(name: str, tables: str) -> dict[str, float]:
    """Milliseconds for a question about a position never asked about before."""
    advisor = Advisor.load(name, tables=Path(tables))
    game, rng = advisor.game, random.Random(1)
    positions = []
    for _ in range(400):
        sheet = Sheet.empty(game)
        for _ in range(rng.randrange(game.turns)):
            roll = tuple(sorted(rng.randint(1, game.faces) for _ in range(game.dice)))
            sheet = sheet.after(rng.choice(sheet.placements(roll)))
        positions.append((str(sheet), tuple(rng.randint(1, game.faces) for _ in range(game.dice)), rng.randrange(3)))
    latest = max(positions, key=lambda position: len(position[0]))
    for sheet_text, dice, _ in (positions[0], latest):  # What is compiled or loaded once: tables, and endgames.
        advisor.advise(sheet_text, dice, rolls_left=2)
    times = []
    for sheet_text, dice, rolls_left in positions:
        began = time.perf_counter()
        advisor.advise(sheet_text, dice, rolls_left=rolls_left)
        times.append(time.perf_counter() - began)
    return {"milliseconds": 1000 * statistics.median(times), "slowest": 1000 * max(times)}


if __name__ == "__main__":
    functions = (solve, peer, simulate_games, learned_games, solve_deal, sixis_rounds, peer_games, questions, row_rate)
    function = {function.__name__: function for function in functions}[sys.argv[1]]
    print(json.dumps(function(*sys.argv[2:])))
