"""Counts of whole numbers: what all statistics of a batch are made of, so that they do not depend on its pieces."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np
import numpy.typing as npt

Longs = npt.NDArray[np.int64]

Z95 = 1.959963984540054
"""Standard errors to either side that hold 95 percent of a normal distribution."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each whole number from `low` on occurred."""

    low: int
    counts: Longs

    @classmethod
    def of(cls, numbers: npt.NDArray[np.integer]) -> Histogram:
        low = int(numbers.min())
        return cls(low, np.bincount((numbers - low).astype(np.int64)).astype(np.int64))

    def __add__(self, other: Histogram) -> Histogram:
        low = min(self.low, other.low)
        high = max(self.low + len(self.counts), other.low + len(other.counts))
        counts = np.zeros(high - low, dtype=np.int64)
        for part in (self, other):
            counts[part.low - low : part.low - low + len(part.counts)] += part.counts
        return Histogram(low, counts)

    @property
    def size(self) -> int:
        return int(self.counts.sum())

    @property
    def numbers(self) -> Longs:
        return np.arange(self.low, self.low + len(self.counts))

    @property
    def mean(self) -> float:
        return self._sum(1) / self.size

    @property
    def sd(self) -> float:
        """The standard deviation, estimated from the sample; nan for a single number."""
        if self.size < 2:
            return nan
        squares = self._sum(2) * self.size - self._sum(1) ** 2
        return sqrt(squares / (self.size * (self.size - 1)))

    @property
    def se(self) -> float:
        """The standard error of the mean."""
        return self.sd / sqrt(self.size)

    def percentile(self, percent: float) -> int:
        """The lowest number that at least this many percent do not exceed."""
        return self.low + int(np.searchsorted(np.cumsum(self.counts), self.size * percent / 100.0 - 1e-6))

    def chances(self) -> npt.NDArray[np.float64]:
        """The share of each number from 0 on; for numbers that are never negative."""
        share = np.zeros(self.low + len(self.counts))
        share[self.low :] = self.counts / self.size
        return share

    def _sum(self, power: int) -> int:
        """An exact sum of powers: whole numbers of any size."""
        return sum(int(count) * int(number) ** power for number, count in zip(self.numbers, self.counts, strict=True))


def rate_interval(count: int, size: int) -> tuple[float, float]:
    """Wilson's 95 percent interval of a rate."""
    rate, square = count / size, Z95 * Z95 / size
    middle = (rate + square / 2.0) / (1.0 + square)
    reach = Z95 * sqrt(rate * (1.0 - rate) / size + square / (4.0 * size)) / (1.0 + square)
    return (middle - reach if count else 0.0), (middle + reach if count < size else 1.0)
