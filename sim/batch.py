"""Many games at once: by layers, turn by turn, games in the same position sharing one evaluation of the turn.

A batch is cut into jobs, which threads or the workers of a cluster take. A job needs nothing but its own description,
and all it counts are whole numbers; so the same seed gives the same result to the last digit, whatever the number of
threads, the size of the jobs or the machines.

Sheets count from 0. Game g of R rounds plays the sheets g * R to g * R + R - 1, and the dice of a sheet depend only on
the key (made of the seed and the player's stream) and its number.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from sim.match import Strategy, require_rounds
from sim.objects import play_object
from sim.played import Played
from sim.strategies import Tabled, find_strategy, strategy_name
from solver import Game, InputError
from solver.dice import Dice
from solver.policy import COMPLETES, PIECE, REPEAT, Decider
from solver.solve import Progress, thread_count

Ints = npt.NDArray[np.int32]
Result = TypeVar("Result")

JOB_SHEETS = 1 << 21
"""Sheets a job plays at most. Larger jobs share more evaluations, smaller ones need less memory."""
JOB_RECORDS = 1 << 17
"""The same when every game is recorded."""
JOB_PLAIN = 64
"""The same when a strategy in plain Python takes part."""

_CLUSTER_PIECES = 64

_KEYS = 1 << 22
_APART = 1 << 12
_JUMPS = 50_000
MAX_SEED = 2**63 - 1
MAX_GAMES = 10**12
MAX_ROUNDS = 1000


class _StoppedError(Exception):
    """Raised inside a job that is no longer wanted."""


class Watch:
    """Counts the turns that threads have played, and tells them when to stop."""

    def __init__(self) -> None:
        self.turns = 0
        self._lock = Lock()
        self._stopped = False

    def tick(self, turns: int) -> None:
        """So many more turns are played."""
        if self._stopped:
            raise _StoppedError
        with self._lock:
            self.turns += turns

    def stop(self) -> None:
        self._stopped = True


@dataclass(frozen=True)
class Job:
    """Some games of a batch, played by one strategy after the other."""

    game: Game
    strategies: tuple[str | Strategy, ...]
    tables: Path | None
    seed: int
    streams: tuple[int, ...]
    """The stream of each strategy's dice: same number, same dice."""
    first: int
    games: int
    rounds: int
    recorded: bool
    watch: Watch | None = None
    """Only for jobs that stay in this process."""


class Runner(Protocol):
    """Whatever runs jobs: calls the function on each and gives the results back in the order of the jobs."""

    def __call__(self, play: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]: ...


@dataclass(frozen=True, kw_only=True)
class Batch:
    """What to play: how many games of how many rounds, from which seed."""

    game: Game
    games: int
    seed: int = 0
    rounds: int = 1
    tables: Path | None = None
    threads: int | None = None
    runner: Runner | None = None
    """None for threads of this process."""

    def __post_init__(self) -> None:
        for name, low, high in (("games", 1, MAX_GAMES), ("seed", 0, MAX_SEED), ("rounds", 1, MAX_ROUNDS)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise InputError(f"{name} is {value!r}: a whole number is needed.")
            if name == "rounds":
                require_rounds(self.game, value)
            if not low <= value <= high:
                raise InputError(f"{name} is {value}: from {low} to {high:,} are allowed.")
        thread_count(self.threads)

    def run(
        self,
        play: Callable[[Job], Result],
        strategies: tuple[str | Strategy, ...],
        *,
        streams: tuple[int, ...],
        recorded: bool = False,
        progress: Progress | None = None,
    ) -> Iterator[Result]:
        """The results of all jobs, in order; `Job` explains streams and what is recorded."""
        report = progress or (lambda stage, share: None)
        report("compile", 0.0)
        plain = not all(isinstance(found, Tabled) for found in self.prepare(strategies, progress=progress))
        whole = Job(
            self.game,
            strategies,
            self.tables,
            self.seed,
            streams,
            first=0,
            games=self.games,
            rounds=self.rounds,
            recorded=recorded,
        )
        threads = 1 if plain else thread_count(self.threads)
        most = JOB_PLAIN if plain else JOB_RECORDS if recorded else JOB_SHEETS
        pieces = threads if self.runner is None else _CLUSTER_PIECES
        size = max(1, min(most // self.rounds, -(-self.games // pieces)))
        jobs = (
            replace(whole, first=first, games=min(size, self.games - first)) for first in range(0, self.games, size)
        )
        report("play", 0.0)
        if self.runner is None:
            turns = self.games * self.rounds * self.game.turns * len(strategies)
            yield from _run_threads(play, jobs, threads, lambda played: report("play", played / turns))
        else:
            done = 0
            for result in self.runner(play, jobs):
                done += min(size, self.games - done)
                yield result
                report("play", done / self.games)
        report("play", 1.0)

    def prepare(self, strategies: tuple[str | Strategy, ...], *, progress: Progress | None = None) -> list[Strategy]:
        """The strategies, found by name; solves what must be solved."""
        found = [_strategy(self.game, strategy, self.tables, progress) for strategy in strategies]
        for strategy in found:
            if isinstance(strategy, Tabled) and strategy.policy.game != self.game:
                made_for = strategy.policy.game.name
                raise InputError(f"the strategy was made for {made_for}, the batch plays {self.game.name}.")
        return found


def _run_threads(
    play: Callable[[Job], Result], jobs: Iterable[Job], threads: int, report: Callable[[int], None]
) -> Iterator[Result]:
    """Run jobs in threads of this process, a few at a time, so that memory does not grow with the batch."""
    watch = Watch()
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for job in jobs:
                waiting.append(pool.submit(play, replace(job, watch=watch)))
                if len(waiting) > threads:
                    yield _wait(waiting.popleft(), watch, report)
            while waiting:
                yield _wait(waiting.popleft(), watch, report)
        finally:
            watch.stop()
            pool.shutdown(cancel_futures=True)


def _wait(job: Future[Result], watch: Watch, report: Callable[[int], None]) -> Result:
    """The result of a job, with reports while it is played."""
    while True:
        report(watch.turns)
        try:
            return job.result(timeout=0.2)
        except TimeoutError:
            if job.done():
                raise


def make_key(seed: int, stream: int) -> int:
    """The key of a stream of dice; streams of one seed, and those of different seeds, have nothing in common."""
    words = (seed % 2**32, stream % 2**32, seed >> 32, stream >> 32)  # Always four, or two pairs could look alike.
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0])


def play_job(job: Job) -> list[Played]:
    """Play a job: what each strategy did."""
    found = [_strategy(job.game, strategy, job.tables, None) for strategy in job.strategies]
    names = [strategy_name(job.game, strategy) for strategy in job.strategies]
    keys = [make_key(job.seed, stream) for stream in job.streams]
    first, sheets = job.first * job.rounds, job.games * job.rounds
    played = []
    for strategy, name, key in zip(found, names, keys, strict=True):
        if isinstance(strategy, Tabled):
            played.append(play_tabled(strategy, key, first, sheets, recorded=job.recorded, watch=job.watch))
        else:
            with _one_at_a_time, redirect_stdout(sys.stderr):
                tick = job.watch.tick if job.watch else None
                played.append(play_object(strategy, name, job.game, key, first, sheets, tick=tick))
    return played


_one_at_a_time = Lock()
"""A user's strategy may not expect to be asked by several threads of a worker; what it prints is not the answer."""
_found: dict[tuple[Game, str, Path | None], Strategy] = {}


def _strategy(game: Game, strategy: str | Strategy, tables: Path | None, progress: Progress | None) -> Strategy:
    """A strategy by name, found once a process."""
    if not isinstance(strategy, str):
        return strategy
    key = (game, strategy, tables)
    if key not in _found:
        _found[key] = find_strategy(strategy, game, tables=tables, progress=progress)
    return _found[key]


def play_tabled(
    strategy: Tabled, key: int, first: int, sheets: int, *, recorded: bool, watch: Watch | None = None
) -> Played:
    """Play sheets with the compiled player."""
    from sim import _play  # Imported late, like all that needs numba.

    policy, space = strategy.policy, strategy.policy.space
    if len(policy.game.columns) > 1 and not strategy.noise:
        return _play_apart(strategy, key, first, sheets, recorded=recorded, watch=watch)
    plan = space.plan
    columns, turns, choices = len(policy.game.columns), policy.game.turns, strategy.choices
    decider, dice = Decider(policy), _dice_tables(space.dice)
    states, ids = np.full((columns, sheets), space.start, dtype=np.int32), np.arange(sheets, dtype=np.int32)
    totals = np.zeros(sheets, dtype=np.int32)
    spare = (np.empty_like(states), np.empty_like(ids), np.empty_like(totals))
    places = np.empty(min(_KEYS, 1 << int(space.states).bit_length()), dtype=np.int32)
    group_start = np.empty(sheets + 1, dtype=np.int64)
    tally = np.zeros((turns, 3, choices), dtype=np.int64)
    codes = np.empty((sheets if recorded else 0, turns), dtype=np.uint16)
    table = (*dice, plan.outcome_of, plan.kind_roll)
    for turn in range(turns):
        groups = _play.arrange(states, ids, totals, *spare, places, group_start)
        (states, ids, totals), spare = spare, (states, ids, totals)
        for group in range(0, groups, PIECE):
            starts = group_start[group : min(group + PIECE, groups) + 1]
            decisions = decider.decide(np.ascontiguousarray(states[:, starts[:-1]].T))
            _play.play_turn(
                table,
                np.uint64(key),
                first,
                turn,
                strategy.noise,
                tuple(decisions),
                starts,
                ids,
                states,
                totals,
                tally[turn],
                codes,
            )
            if watch is not None:
                watch.tick(int(starts[-1] - starts[0]))
    final = space.final_values().astype(np.int32)
    ended = states - int(plan.offset[-1])
    earned = final[ended]
    totals += (earned * np.array(policy.game.columns, dtype=np.int32)[:, None]).sum(axis=0, dtype=np.int32)
    in_order = np.empty_like(totals)
    in_order[ids] = totals
    return Played(in_order, tally, np.count_nonzero(earned, axis=1).astype(np.int64), codes)


def _play_apart(strategy: Tabled, key: int, first: int, sheets: int, *, recorded: bool, watch: Watch | None) -> Played:
    """The same where hardly two games are ever in the same position: each one is played for itself, and only the
    decisions that its own dice ask for are made."""
    from sim import _play
    from solver import _positions

    policy, game, plan = strategy.policy, strategy.policy.game, strategy.policy.space.plan
    times, work = np.array(game.columns, dtype=np.float64), _positions.make_work(plan, len(game.columns))
    states = np.full((sheets, len(times)), policy.space.start, dtype=np.int32)
    totals = np.zeros(sheets, dtype=np.int32)
    tally = np.zeros((game.turns, 3, strategy.choices), dtype=np.int64)
    codes = np.empty((sheets if recorded else 0, game.turns), dtype=np.uint16)
    no_price = np.empty(0)
    for turn in range(game.turns):
        source = policy.source(turn)
        for start in range(0, sheets, _APART):
            p = slice(start, min(start + _APART, sheets))
            size = p.stop - p.start
            throws = np.empty((size, plan.rolls, game.dice), dtype=np.uint8)
            _play.throw_turn(np.uint64(key), first + start, turn, plan.faces, throws)
            values, gains, events = np.empty(size), np.empty(size), np.empty(size, dtype=np.uint8)
            rolls, choices = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
            outputs = (values, rolls, choices, gains, events)
            _positions.play_positions(plan, times, source, no_price, states[p], throws, *outputs, work)
            totals[p] += gains.astype(np.int32)
            for kind, chosen in enumerate((choices, choices[events & REPEAT != 0], choices[events & COMPLETES != 0])):
                tally[turn, kind] += np.bincount(chosen, minlength=strategy.choices)
            if recorded:
                codes[p, turn] = 2 * choices + (events & REPEAT)
            if watch is not None:
                watch.tick(size)
    earned = policy.space.final_values().astype(np.int32)[states - int(plan.offset[-1])]
    totals += (earned * np.array(game.columns, dtype=np.int32)).sum(axis=1, dtype=np.int32)
    return Played(totals, tally, np.count_nonzero(earned, axis=0).astype(np.int64), codes)


@lru_cache(maxsize=16)
def _dice_tables(dice: Dice) -> tuple[Ints, int, npt.NDArray[np.int16], Ints, npt.NDArray[np.uint64], Ints]:
    """The lattice of keeps; all throws of the missing dice for keeps that miss few enough; and the dice of rolls."""
    most = 0
    while dice.faces ** (most + 1) <= _JUMPS:
        most += 1
    start = np.zeros(len(dice.keeps), dtype=np.int32)
    count = np.zeros(len(dice.keeps), dtype=np.uint64)
    throws: list[Ints] = []
    length = 0
    for row, keep in enumerate(dice.keeps):
        missing = dice.dice - len(keep)
        if missing <= most:
            reached = np.array([row], dtype=np.int32)
            for _ in range(missing):
                reached = dice.more[reached].ravel()
            start[row], count[row] = length, len(reached)
            throws.append(reached)
            length += len(reached)
    faces_of_roll = np.array(dice.rolls, dtype=np.int32) - 1
    return dice.more.ravel(), dice.faces, np.concatenate(throws).astype(np.int16), start, count, faces_of_roll
