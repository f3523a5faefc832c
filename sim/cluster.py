"""Jobs on the workers of a Dask cluster: processes of this machine, or of many.

A worker may die at any time. The scheduler gives its jobs to others, also those whose results went with it, and since
a job needs nothing but its own description, the batch loses nothing and changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from pickle import PicklingError
from types import TracebackType
from typing import Any

from sim.batch import Job, Result
from sim.strategies import strategy_name
from solver import InputError, RollwiseError

MAX_WORKERS = 1024

_PATIENCE = 5.0
"""Seconds to wait for a scheduler, and then for its first worker."""
_TRIES = 3
"""Times a job is handed in. Each time Dask gives it up once four workers (unless set otherwise) died of it."""
_LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application", "asyncio")


class Cluster:
    """Runs jobs on the workers of a running scheduler, or on as many worker processes of its own as asked for.

    In a script, worker processes need the usual `if __name__ == "__main__":` around what starts them.

    >>> with Cluster(workers=4) as runner:
    ...     summary = simulate(Batch(game=find_game("yahtzee"), games=10**8, runner=runner), "optimal")
    """

    def __init__(self, *, scheduler: str | None = None, workers: int | None = None) -> None:
        if (scheduler is None) == (workers is None):
            given = "neither is" if scheduler is None else "both are"
            raise InputError(f"scheduler and workers: {given} given, exactly one of the two is needed.")
        if workers is not None and not 1 <= workers <= MAX_WORKERS:
            raise InputError(f"workers is {workers}: from 1 to {MAX_WORKERS} are allowed.")
        self._scheduler = scheduler
        self._workers = workers
        self._open = ExitStack()
        self._client: Any = None

    def __enter__(self) -> Cluster:
        try:
            import distributed  # noqa: F401
        except ImportError:
            raise InputError("a cluster needs Dask, which is missing: pip install 'rollwise[cluster]'.") from None
        with ExitStack() as stack:
            stack.enter_context(_quiet())
            self._client = self._start(stack) if self._scheduler is None else _connect(stack, self._scheduler)
            self._open = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client = None
        self._open.close()

    def __call__(self, play: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
        if self._client is None:
            raise InputError("cluster: it is not open, jobs run inside 'with Cluster(...) as runner:' only.")
        waiting: deque[tuple[Job, Any]] = deque()
        with self._told():
            try:
                for job in jobs:
                    while len(waiting) >= self._most():
                        yield self._result(play, *waiting.popleft())
                    waiting.append((job, self._submit(play, job)))
                while waiting:
                    yield self._result(play, *waiting.popleft())
            finally:
                if waiting and self._client is not None:
                    self._client.cancel([future for _, future in waiting])

    def _start(self, stack: ExitStack) -> Any:
        from distributed import Client, LocalCluster

        with _uninterrupted():
            try:
                cluster = LocalCluster(
                    n_workers=self._workers,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                    scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # None would take port 8787 all the same.
                    memory_limit=0,  # No limit of Dask's: it would stop or kill workers.
                    silence_logs=logging.CRITICAL,
                )
            except RuntimeError:
                raise InputError(
                    f"workers: {self._workers} could not be started, a script needs "
                    "'if __name__ == \"__main__\":' around what starts them."
                ) from None
            stack.enter_context(cluster)
            return stack.enter_context(Client(cluster, set_as_default=False))

    def _most(self) -> int:
        """Jobs to have on their way: enough that no worker waits, few enough that memory does not grow."""
        threads: dict[str, int] = self._client.nthreads()
        return max(4, 2 * sum(threads.values()))

    def _submit(self, play: Callable[[Job], Result], job: Job) -> Any:
        try:
            return self._client.submit(play, job, pure=False)  # Not pure: every job has a key of its own.
        except (TypeError, PicklingError):
            objects = [
                strategy_name(job.game, strategy) for strategy in job.strategies if not isinstance(strategy, str)
            ]
            if not objects:
                raise
            raise InputError(
                f"strategy {objects[0]} cannot be sent to workers: name it by text, as greedy or my_module:MyStrategy."
            ) from None

    def _result(self, play: Callable[[Job], Result], job: Job, future: Any) -> Any:
        """The result of a job, which is handed in again if too many workers died of it."""
        from distributed import KilledWorker

        for _ in range(_TRIES - 1):
            try:
                return future.result()
            except KilledWorker:
                future = self._submit(play, job)
        try:
            return future.result()
        except KilledWorker:
            games = f"games {job.first + 1} to {job.first + job.games}"
            raise RollwiseError(f"{games}: all workers that began them died, perhaps for want of memory.") from None

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell in one sentence what goes wrong between here and the workers."""
        from distributed import CancelledError
        from distributed.comm import CommClosedError

        address = self._client.scheduler.address
        try:
            yield
        except (CancelledError, CommClosedError):
            raise RollwiseError(f"the scheduler at '{address}' was lost before all games were played.") from None
        except (ModuleNotFoundError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and "deserialization" not in str(error):
                raise
            raise InputError(
                f"scheduler: the one at '{address}' or its workers cannot import what is played, "
                "all need the same rollwise and modules as here."
            ) from None


def _connect(stack: ExitStack, address: str) -> Any:
    from distributed import Client

    with ThreadPoolExecutor(1) as aside:  # A notebook's own thread has a loop running.
        found = aside.submit(asyncio.run, _kind_of_server(address)).result()
    if found != "Scheduler":
        raise InputError(f"scheduler: there is none at '{address}', an address such as tcp://host:8786 is needed.")
    client = stack.enter_context(Client(address, timeout=_PATIENCE, set_as_default=False))
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError:
        raise InputError(f"scheduler: the one at '{address}' has no workers, one or more are needed.") from None
    return client


async def _kind_of_server(address: str) -> str | None:
    """What Dask calls whatever answers at an address; None if it is not Dask's, or nothing."""
    from distributed import Security
    from distributed.core import rpc

    async def ask() -> str:
        async with rpc(address, connection_args=Security().get_connection_args("client")) as server:
            return str((await server.identity())["type"])

    try:
        return await asyncio.wait_for(ask(), _PATIENCE)
    except Exception:  # The answer may be anything.
        return None


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's log off the screen."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits, and will not reach the processes started meanwhile: this one ends them in order."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # If it started later, that would let Ctrl-C through again.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
