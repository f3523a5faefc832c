"""Batches on a Dask cluster: the same to the last digit as in one process, also when workers die in the middle."""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import dask
import pytest
from distributed import Client

from sim import Batch, Comparison, Histogram, Summary, compare, find_strategy, simulate
from sim.batch import Job
from sim.cluster import Cluster
from solver import InputError, RollwiseError, find_game

DEADLINE = 60.0
GAME = find_game("plain")
GAMES, PIECES = 40_000, 20
OWN = """
class FirstBox:
    def __init__(self, game): pass
    def keep(self, sheet, roll, rolls_left): return roll[-2:]
    def place(self, sheet, roll): return 0, sheet.placements(roll)[0].box

class Cheat(FirstBox):
    def keep(self, sheet, roll, rolls_left): return (7,)
"""
SCRIPT = """
import os, signal, sys, time
from sim.cluster import Cluster

def slowly(job):
    time.sleep(0.1)
    return os.getpid(), job

if __name__ == "__main__":
    try:
        with Cluster(workers=2) as runner:
            workers, given = set(), []
            for pid, job in runner(slowly, range(int(sys.argv[1]))):
                workers.add(pid)
                given.append(job)
                if len(given) == 8:
                    print(*workers, flush=True)
                    if sys.argv[2] == "kill":
                        os.kill(min(workers), signal.SIGKILL)
        print(given == list(range(len(given))), flush=True)
    except KeyboardInterrupt:
        sys.exit(130)
"""


def job_of(first: int) -> Job:
    return Job(GAME, ("greedy",), None, 0, (0,), first=first, games=10, rounds=1, recorded=False)


def wait_until(condition: Callable[[], Any]) -> Any:
    """What the condition gives once it holds."""
    end = time.monotonic() + DEADLINE
    while not (found := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)
    return found


class Remote:
    """A scheduler in a process of its own, and workers, one process each, which nobody starts again."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "scheduler.json"
        self._log = (folder / "log").open("w")
        self._numbers = count()
        self._workers: dict[int, subprocess.Popen[bytes]] = {}
        self.scheduler = self._run("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", ":0")
        self.address: str = wait_until(self._read)
        self.watcher = Client(self.address, set_as_default=False)

    def _run(self, command: str, *options: str) -> subprocess.Popen[bytes]:
        options = (*options, "--no-dashboard", "--scheduler-file", str(self._file))
        return subprocess.Popen([sys.executable, "-m", f"distributed.cli.{command}", *options], stderr=self._log)

    def _read(self) -> str | None:
        try:
            return str(json.loads(self._file.read_text())["address"])
        except (OSError, ValueError):
            return None

    def fill(self, size: int) -> dict[str, int]:
        """Have so many workers: their addresses and processes."""
        while len(self._workers) < size:
            worker = self._run("dask_worker", "--no-nanny", "--nthreads", "1", "--name", str(next(self._numbers)))
            self._workers[worker.pid] = worker
        wait_until(lambda: len(self.watcher.nthreads()) == size)
        found: dict[str, int] = self.watcher.run(os.getpid)
        return found

    def kill(self, address: str, pid: int) -> dict[str, Any]:
        """Kill a worker: what the scheduler noted about its end."""
        worker = self._workers.pop(pid)
        worker.kill()
        assert worker.wait() == -signal.SIGKILL
        wait_until(lambda: address not in self.watcher.nthreads())
        notes = [note for _, note in self.watcher.get_events(address) if note["action"] == "remove-worker"]
        assert len(notes) == 1 and not notes[0]["expected"]
        note: dict[str, Any] = notes[0]
        return note

    def close(self) -> None:
        self.watcher.close()
        for process in [*self._workers.values(), self.scheduler]:
            process.kill()
            process.wait()
        self._log.close()


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Remote]:
    remote = Remote(tmp_path_factory.mktemp("remote"))
    yield remote
    remote.close()


@pytest.fixture(scope="module")
def local() -> Iterator[Cluster]:
    """Two worker processes, and a scheduler that gives a job up as soon as one died of it."""
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), Cluster(workers=2) as runner:
        yield runner


@pytest.fixture(autouse=True)
def _many_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.batch._CLUSTER_PIECES", PIECES)


def counted(histogram: Histogram) -> tuple[int, list[int]]:
    return histogram.low, histogram.counts.tolist()


def facts(result: Summary | Comparison) -> list[Any]:
    """All that was counted."""
    if isinstance(result, Summary):
        return [counted(result.scores), result.tally.tolist(), result.number_bonuses.tolist()]
    players = [(counted(one.scores), one.wins, one.ties, one.firsts) for one in result.players]
    return [*players, *(counted(pair.margins) for pair in result.pairs)]


def play_one(batch: Batch, **options: Any) -> Summary:
    return simulate(batch, "greedy", **options)


def play_two(batch: Batch, **options: Any) -> Comparison:
    return compare(batch, ["greedy", "random"], same_dice=True, **options)


@pytest.mark.parametrize("play", [play_one, play_two])
def test_a_worker_killed_while_it_plays_changes_nothing(
    remote: Remote, play: Callable[..., Summary | Comparison]
) -> None:
    alone = play(Batch(game=GAME, games=GAMES, seed=5, threads=1))
    workers = remote.fill(2)
    kills: list[tuple[float, dict[str, Any]]] = []

    def held(address: str) -> set[str]:
        return set(remote.watcher.processing([address])[address])

    def progress(stage: str, share: float) -> None:
        if stage != "play" or share < 0.2 or kills:
            return
        for address, pid in workers.items():
            os.kill(pid, signal.SIGSTOP)  # It keeps the jobs that it has, but cannot finish them.
            if held(address) & held(address):
                kills.append((share, remote.kill(address, pid)))
                return
            os.kill(pid, signal.SIGCONT)

    with Cluster(scheduler=remote.address) as runner:
        together = play(Batch(game=GAME, games=GAMES, seed=5, runner=runner), progress=progress)
    (share, note), *_ = kills
    assert note["processing-tasks"], "the worker was not playing when it was killed"
    assert 0.2 <= share < 0.9, "the batch was not in its middle"
    assert facts(together) == facts(alone)


def test_results_lost_with_their_worker_are_computed_again(remote: Remote) -> None:
    alone = play_one(Batch(game=GAME, games=GAMES, seed=6, threads=1))
    workers = remote.fill(2)
    notes: list[dict[str, Any]] = []

    def holder() -> str | None:
        """The worker with most results, once all jobs on their way are played: three, one of the four was taken."""
        results = remote.watcher.has_what()
        playing = any(remote.watcher.processing().values())
        done = not playing and sum(map(len, results.values())) == 3
        return max(results, key=lambda address: len(results[address])) if done else None

    def progress(stage: str, share: float) -> None:
        if stage == "play" and share >= 0.2 and not notes:
            address = wait_until(holder)
            notes.append(remote.kill(address, workers[address]))

    with Cluster(scheduler=remote.address) as runner:
        together = play_one(Batch(game=GAME, games=GAMES, seed=6, runner=runner), progress=progress)
    assert len(notes[0]["lost-computed-tasks"]) >= 2
    assert facts(together) == facts(alone)


@pytest.mark.parametrize("play", [play_one, play_two])
def test_worker_processes_give_the_same_as_threads(local: Cluster, play: Callable[..., Summary | Comparison]) -> None:
    batch = {"game": GAME, "games": 10_001, "seed": 7, "rounds": 3}
    assert facts(play(Batch(**batch, runner=local))) == facts(play(Batch(**batch)))


def test_few_jobs_are_on_their_way_and_come_back_in_order(local: Cluster) -> None:
    taken = []

    def jobs() -> Iterator[Job]:
        for first in range(30):
            taken.append(first)
            yield job_of(first)

    given = []
    for first in local(lambda job: job.first, jobs()):
        assert len(taken) <= len(given) + 5
        given.append(first)
    assert given == taken == list(range(30))


def test_two_runs_at_once_do_not_mix(local: Cluster) -> None:
    def again(job: Job) -> float:
        return time.monotonic()

    one, two = (local(again, [job_of(0), job_of(0)]) for _ in range(2))
    assert len({next(one), next(two), *one, *two}) == 4


def test_a_job_that_dask_gave_up_is_handed_in_again(local: Cluster, tmp_path: Path) -> None:
    deaths = tmp_path / "deaths"

    def play(job: Job) -> int:
        with deaths.open("a") as file:
            file.write("x")
        if deaths.stat().st_size <= 2:
            os._exit(1)
        return job.first

    assert list(local(play, [job_of(3)])) == [3]
    assert deaths.stat().st_size == 3


def test_a_job_that_kills_every_worker_is_given_up(local: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.cluster._TRIES", 1)
    with pytest.raises(RollwiseError, match=r"^games 21 to 30: all workers that began them died"):
        list(local(lambda job: os._exit(1), [job_of(20)]))


def test_an_error_in_a_job_arrives_as_it_was_raised(local: Cluster) -> None:
    def play(job: Job) -> int:
        if job.first == 4:
            raise InputError("box: none is left.")
        return job.first

    results = local(play, map(job_of, range(20)))
    assert [next(results) for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(InputError, match=r"^box: none is left\.$"):
        next(results)
    assert list(local(play, [job_of(5)])) == [5]


def test_own_strategies_are_found_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_on_cluster.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    with Cluster(workers=1) as runner:
        batches = [Batch(game=GAME, games=40), Batch(game=GAME, games=40, runner=runner)]
        alone, together = (facts(simulate(batch, "own_on_cluster:FirstBox")) for batch in batches)
        assert together == alone
        sentences = []
        for batch in batches:
            with pytest.raises(InputError) as caught:
                simulate(batch, "own_on_cluster:Cheat")
            sentences.append(str(caught.value))
    assert "keep returned (7,)" in sentences[0]
    assert sentences[1] == sentences[0]


def test_a_strategy_that_cannot_be_sent(local: Cluster) -> None:
    with pytest.raises(InputError, match=r"^strategy Tabled cannot be sent to workers: name it by text"):
        simulate(Batch(game=GAME, games=100, runner=local), find_strategy("greedy", GAME))


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(("jobs", "end", "code"), [(30, "kill", 0), (10_000, "interrupt", 130)])
def test_nothing_is_said_and_nothing_left_behind(tmp_path: Path, jobs: int, end: str, code: int) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    process = subprocess.Popen(
        [sys.executable, str(script), str(jobs), end],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    workers = [int(pid) for pid in process.stdout.readline().split()]
    if end == "interrupt":
        os.killpg(process.pid, signal.SIGINT)  # As Ctrl-C does: to all processes of the terminal.
    out, errors = process.communicate(timeout=DEADLINE)
    assert (process.returncode, errors) == (code, "")
    assert out == ("True\n" if end == "kill" else "")
    assert len(workers) == 2
    for pid in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "scheduler and workers: neither is given, exactly one of the two is needed."),
        (
            {"scheduler": "tcp://localhost:8786", "workers": 2},
            "scheduler and workers: both are given, exactly one of the two is needed.",
        ),
        ({"workers": 0}, "workers is 0: from 1 to 1024 are allowed."),
    ],
)
def test_exactly_one_kind_of_cluster(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        Cluster(**given)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("server", ["nobody", "somebody else"])
def test_no_scheduler_there(monkeypatch: pytest.MonkeyPatch, server: str) -> None:
    monkeypatch.setattr("sim.cluster._PATIENCE", 0.5)
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        if server == "somebody else":
            mute.listen()
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(InputError) as caught, Cluster(scheduler=address):
            pass
    assert (
        str(caught.value) == f"scheduler: there is none at '{address}', an address such as tcp://host:8786 is needed."
    )


def test_a_worker_is_no_scheduler(remote: Remote) -> None:
    (address,) = [*remote.fill(2)][:1]
    with pytest.raises(InputError, match=f"^scheduler: there is none at '{address}'"), Cluster(scheduler=address):
        pass


def test_a_scheduler_that_cannot_import_what_is_played(
    remote: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here.py").write_text("def play(job): return job.first")
    monkeypatch.syspath_prepend(tmp_path)
    play = importlib.import_module("only_here").play
    remote.fill(2)
    with (
        pytest.raises(
            InputError, match=r"cannot import what is played, all need the same rollwise and modules as here\.$"
        ),
        Cluster(scheduler=remote.address) as runner,
    ):
        list(runner(play, [job_of(0)]))


def test_a_scheduler_without_workers(remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.cluster._PATIENCE", 0.5)
    for address, pid in remote.fill(2).items():
        remote.kill(address, pid)
    with (
        pytest.raises(InputError, match=r"has no workers, one or more are needed\.$"),
        Cluster(scheduler=remote.address),
    ):
        pass


def test_a_scheduler_that_is_lost(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def progress(stage: str, share: float) -> None:
        if stage == "play" and share >= 0.2:
            remote.scheduler.kill()

    with closing(Remote(tmp_path)) as remote:
        remote.fill(2)
        with (
            pytest.raises(RollwiseError, match=rf"^the scheduler at '{remote.address}' was lost"),
            Cluster(scheduler=remote.address) as runner,
        ):
            play_one(Batch(game=GAME, games=GAMES, runner=runner), progress=progress)
        assert not caplog.records


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install 'rollwise\[cluster\]'\.$"), Cluster(workers=1):
        pass


def test_a_closed_cluster() -> None:
    with Cluster(workers=1) as runner:
        (pid,) = runner(lambda job: os.getpid(), [job_of(0)])
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(InputError, match=r"^cluster: it is not open"):
        next(runner(lambda job: job.first, [job_of(0)]))
