"""Many rounds of one deal, in threads: the same rounds for the same seed, whatever the threads."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from sim.sixis.table import Counts, Table
from solver.solve import thread_count

ENDINGS = ("sixis", "ended", "empty", "waiting")
"""How a round ends: the Sixis card is taken, a player ends it, no card is in the mover's reach, all wait for ever.

The last one also if a round has taken 5,000 turns."""
_PIECE = 1 << 12
_COUNTED = 1 << 10

Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rounds:
    """What was played: points of [round, seat], turns, and how each round ended (an index of `ENDINGS`)."""

    scores: Longs
    turns: Longs
    endings: Longs


def round_key(*numbers: int) -> int:
    """A 64-bit key for the dice of some rounds."""
    text = ",".join(map(str, ("sixis", *numbers))).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "little")


def play_rounds(
    table: Table, numbers: Longs, *, key: int, advanced: bool = False, threads: int | None = None
) -> Rounds:
    """Play the rounds with these numbers."""
    from sim.sixis import _rounds

    count, players = len(numbers), table.deal.players
    scores, turns = np.zeros((count, players), np.int64), np.zeros(count, np.int64)
    endings = np.zeros(count, np.int64)
    workers = max(1, min(thread_count(threads), -(-count // _PIECE)))
    arrays = (table.arrays, table.ways, table.solution, table.modelled)
    counts = Counts.nothing(table.deal)

    def work(worker: int) -> None:
        memory, room = table.memory(), table.room()
        for first in range(worker * _PIECE, count, workers * _PIECE):
            part = slice(first, first + _PIECE)
            outputs = (scores[part], turns[part], endings[part])
            _rounds.play_rounds(*arrays, memory, room, counts, False, advanced, np.uint64(key), numbers[part], *outputs)

    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(work, range(workers)):
            pass
    return Rounds(scores, turns, endings)


def count_rounds(table: Table, rounds: int, *, key: int, threads: int | None = None) -> Counts:
    """Play some rounds and count what the players did to each other's cards."""
    from sim.sixis import _rounds

    parts = [np.arange(first, min(first + _COUNTED, rounds)) for first in range(0, rounds, _COUNTED)]
    arrays = (table.arrays, table.ways, table.solution, table.modelled)

    def work(numbers: Longs) -> Counts:
        counts, count = Counts.nothing(table.deal), len(numbers)
        shapes = ((count, table.deal.players), (count,), (count,))
        outputs = [np.zeros(shape, np.int64) for shape in shapes]
        room = (table.memory(), table.room())
        _rounds.play_rounds(*arrays, *room, counts, True, False, np.uint64(key), numbers, *outputs)
        return counts

    with ThreadPoolExecutor(thread_count(threads)) as pool:
        return reduce(Counts.plus, pool.map(work, parts), Counts.nothing(table.deal))
