"""Solved deals on disk: a folder each, the values of all statuses in 16 bits, checked before they are used.

One file holds, status after status, V(m, k) for all saved dice m and the saves k that are ever needed; small arrays and
the manifest beside it (`solver.stored`) say where each status begins, how its numbers are to be read, and its checksum.
A deal of eight cards takes 2 to 4 GiB, so the checksum of a status is compared when the status is read.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from solver import stored
from solver.sixis.deal import Deal
from solver.sixis.exact import Opening, PackedStatus, advanced_value, solve_deal
from solver.sixis.round import advanced_saves
from solver.solve import Progress
from solver.tables import TableMissingError, TableRefusedError, default_folder

FORMAT = 1
_FILE = "values-{}.bin"
_ROOM = 600_000
"""Bytes that a status may take, on average; to refuse a disk that would be full before the end."""


@dataclass(frozen=True, eq=False)
class SolvedDeal:
    """A solved deal, its cards in canonical order. Arrays are indexed by the number of the status."""

    deal: Deal
    opening: npt.NDArray[np.float64]
    saves: npt.NDArray[np.uint16]
    """The needed saves of all statuses; those of one are `saves[start : start + count]` of its number."""
    start: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]
    low: npt.NDArray[np.float64]
    unit: npt.NDArray[np.float64]
    checksum: npt.NDArray[np.uint32]
    values: npt.NDArray[np.uint16]
    """`values[keeps * start + m * count + i]` times unit plus low is V(m, i-th save)."""
    residual: float
    seconds: float
    sweeps: int
    folder: Path

    @property
    def value(self) -> float:
        """The first player's expected margin, nothing saved."""
        return float(self.opening[0])

    @property
    def advanced(self) -> float:
        """The same with the advanced start."""
        return advanced_value(self.deal.deck.mathematics, self.opening, advanced_saves(1))

    @property
    def statuses(self) -> int:
        return len(self.low)

    @property
    def states(self) -> int:
        """Positions that were solved: statuses times pairs of saved dice."""
        return self.statuses * self.keeps**2

    @property
    def keeps(self) -> int:
        return len(self.deal.deck.mathematics.keeps)

    @cached_property
    def error(self) -> float:
        """The most that rounding to 16 bits changes a value."""
        return float(self.unit.max()) / 2.0

    def status(self, number: int) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.float64]]:
        """The needed saves of a status, and V[m, save]; refused if it is damaged."""
        start, end = self.start[number], self.start[number] + self.count[number]
        found = self.values[self.keeps * start : self.keeps * end].reshape(self.keeps, end - start)
        if zlib.crc32(np.ascontiguousarray(found).data) != self.checksum[number]:
            raise _refused(self.folder, "a status of it is damaged")
        return self.saves[start:end], self.low[number] + self.unit[number] * found

    def check(self) -> None:
        """Refuse the table if any status is damaged."""
        for number in range(self.statuses):
            self.status(number)


class DealStore:
    """The solved deals of one folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    def path(self, deal: Deal) -> Path:
        """The folder of a deal's table."""
        return self.folder / f"sixis--{deal.fingerprint[:16]}"

    def size(self, deal: Deal) -> int:
        """Bytes that a deal takes on disk, 0 if it is not solved."""
        return _size(self.path(deal))

    def solved(self) -> list[int]:
        """The bytes of every deal that is stored."""
        return [_size(found.parent) for found in self.folder.glob("sixis--*/manifest.json")]

    def load(self, deal: Deal) -> SolvedDeal:
        """The stored deal, memory-mapped; refused unless it was made for these cards by this version."""
        folder = self.path(deal)
        try:
            facts, arrays = stored.load(folder)
            if (facts["format"], facts["fingerprint"]) != (FORMAT, deal.fingerprint):
                raise _refused(folder, "it was made by another version or for other cards")
            canonical = deal.canonical
            keeps = len(deal.deck.mathematics.keeps)
            values = np.memmap(folder / facts["values"], dtype=np.uint16, mode="r")
            count = arrays["count"]
            if len(count) != 3 ** len(deal.cards) or len(values) != keeps * int(count.sum()):
                raise _refused(folder, "its array has the wrong size")
            names = ("opening", "saves", "start", "count", "low", "unit", "checksum")
            named: dict[str, Any] = {name: arrays[name] for name in names}
            named |= {name: facts[name] for name in ("residual", "seconds", "sweeps")}
            return SolvedDeal(deal=canonical, values=values, folder=folder, **named)
        except stored.MissingError:
            raise TableMissingError("these cards are not solved yet: solve them with 'rollwise solve sixis'.") from None
        except stored.DamagedError as error:
            raise _refused(folder, str(error)) from None
        except (KeyError, OSError, ValueError) as error:
            if isinstance(error, TableRefusedError):
                raise
            raise _refused(folder, "its array is missing") from None

    def solve(
        self,
        deal: Deal,
        *,
        force: bool = False,
        rebuild: bool = False,
        threads: int | None = None,
        progress: Progress | None = None,
        waiting: Callable[[], None] | None = None,
    ) -> SolvedDeal:
        """Load a deal, or solve and store it; one that is refused is replaced only with `rebuild`."""
        found = None if force else self._load_if_good(deal, rebuild=rebuild)
        if found is not None:
            return found
        with stored.locked(self.path(deal), waiting):
            found = None if force else self._load_if_good(deal, rebuild=rebuild)
            return found or self._solve(deal, threads, progress)

    def _solve(self, deal: Deal, threads: int | None, progress: Progress | None) -> SolvedDeal:
        folder, statuses = self.path(deal), 3 ** len(deal.cards)
        temporary = folder / "values.tmp"
        began = time.perf_counter()
        try:
            stored.require_room(folder, _ROOM * statuses, "the table of these cards")
            with stored.told(folder), temporary.open("wb") as file:
                index = _Index(statuses, file)
                opening = solve_deal(deal.canonical, threads=threads, progress=progress, keep=index.add)
                file.flush()
                os.fsync(file.fileno())
            with stored.told(folder):
                values = folder / _FILE.format(index.name)
                os.replace(temporary, values)
        finally:
            temporary.unlink(missing_ok=True)
            with suppress(OSError):
                folder.rmdir()  # If there is nothing in it, as after an interruption.
        facts: dict[str, Any] = {"format": FORMAT, "fingerprint": deal.fingerprint, "cards": str(deal.canonical)}
        facts |= {"values": values.name, "residual": opening.residual, "sweeps": opening.sweeps, "method": "exact"}
        facts |= {"seconds": round(time.perf_counter() - began, 3), "value": opening.value}
        stored.save(folder, facts, index.arrays(opening))
        for stale in folder.glob(_FILE.format("*")):
            if stale.name != values.name:
                stale.unlink(missing_ok=True)
        return self.load(deal)

    def _load_if_good(self, deal: Deal, *, rebuild: bool) -> SolvedDeal | None:
        try:
            return self.load(deal)
        except TableMissingError:
            return None
        except TableRefusedError:
            if not rebuild:
                raise
            return None


class _Index:
    """Where the statuses lie in the file, which fills in the order in which they are solved."""

    def __init__(self, statuses: int, file: BinaryIO) -> None:
        self._file = file
        self._saves: list[npt.NDArray[np.uint16]] = []
        self._filled = 0
        self._start, self._count = np.zeros(statuses, np.int64), np.zeros(statuses, np.int64)
        self._low, self._unit = np.zeros(statuses), np.zeros(statuses)
        self._checksum = np.zeros(statuses, np.uint32)

    def add(self, packed: PackedStatus) -> None:
        """Write a status."""
        number, count = packed.number, len(packed.saves)
        self._file.write(packed.values.data)
        self._saves.append(packed.saves)
        self._start[number], self._count[number] = self._filled, count
        self._low[number], self._unit[number] = packed.low, packed.unit
        self._checksum[number] = zlib.crc32(packed.values.data)
        self._filled += count

    @property
    def name(self) -> str:
        """A name that no other content has."""
        return f"{zlib.crc32(self._checksum.data):08x}"

    def arrays(self, opening: Opening) -> dict[str, stored.Array]:
        """The small arrays beside the values."""
        return {
            "opening": opening.values,
            "saves": np.concatenate(self._saves),
            "start": self._start,
            "count": self._count,
            "low": self._low,
            "unit": self._unit,
            "checksum": self._checksum,
        }


def _size(folder: Path) -> int:
    try:
        return sum(file.stat().st_size for file in folder.iterdir())
    except OSError:
        return 0


def _refused(folder: Path, reason: str) -> TableRefusedError:
    remedy = "make it anew with 'rollwise solve sixis --force'"
    return TableRefusedError(f"the solved deal in '{folder}' cannot be used, {reason}: {remedy}.")
