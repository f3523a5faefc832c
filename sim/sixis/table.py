"""A deal as the arrays that the compiled player reads, and the seats with their ways to play."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dice import Dice, parts_of_rolls
from solver.sixis.deal import Deal
from solver.sixis.exact import lattice
from solver.sixis.model import FORESEEN, Model
from solver.sixis.round import ADVANCED_SAVES
from solver.sixis.tables import SolvedDeal
from solver.sixis.ways import View, Way

TABLED, SOLVED, MODELLED = 0, 1, 2
"""What a seat plays by: decisions for every status, the solved deal, or a model that sees the others' dice."""
_MEMORY = 1 << 15
"""Positions with unforeseen dice that a thread remembers, 7.4 KB each."""


class TableArrays(NamedTuple):
    """Dice, cards and seats. `power[seat, card]` is what one step of a card adds to the seat's status."""

    faces: int
    first_roll: int
    more: npt.NDArray[np.int32]
    fewer: npt.NDArray[np.int32]
    fewer_start: npt.NDArray[np.int32]
    size: npt.NDArray[np.int64]
    parts: npt.NDArray[np.int32]
    part_start: npt.NDArray[np.int64]
    points: npt.NDArray[np.int64]
    matches: npt.NDArray[np.bool_]
    sixis: npt.NDArray[np.bool_]
    sixis_points: int
    group: npt.NDArray[np.int64]
    reach: npt.NDArray[np.int64]
    reach_count: npt.NDArray[np.int64]
    power: npt.NDArray[np.int64]
    gone: npt.NDArray[np.int64]
    limits: npt.NDArray[np.int64]


class WayArrays(NamedTuple):
    """What each seat plays by; the decisions as in `solver.sixis._ways.decide`, 2 in `throws` to end the round."""

    kind: npt.NDArray[np.int64]
    thrifty: npt.NDArray[np.bool_]
    throws: npt.NDArray[np.uint8]
    acts: npt.NDArray[np.uint8]
    saves: npt.NDArray[np.uint16]
    first: npt.NDArray[np.float64]


class SolvedArrays(NamedTuple):
    """A solved deal, `power` by the places of the deal that is played."""

    keeps: int
    power: npt.NDArray[np.int64]
    place: npt.NDArray[np.int16]
    start: npt.NDArray[np.int64]
    held: npt.NDArray[np.int64]
    low: npt.NDArray[np.float64]
    unit: npt.NDArray[np.float64]
    values: npt.NDArray[np.uint16]
    opening: npt.NDArray[np.float64]


class Memory(NamedTuple):
    """What a thread has computed for dice that a solved deal does not hold; row 0 is for what no longer fits."""

    slot: npt.NDArray[np.int32]
    rows: npt.NDArray[np.float64]
    used: npt.NDArray[np.int64]
    worth: npt.NDArray[np.float64]


class ModelArrays(NamedTuple):
    """The models of the seats that play by one, [seat, ...]; `values` is shared by seats with the same `which`."""

    which: npt.NDArray[np.int64]
    values: npt.NDArray[np.float32]
    points: npt.NDArray[np.float64]
    chance: npt.NDArray[np.float64]
    sixis_chance: npt.NDArray[np.float64]
    acts: npt.NDArray[np.float64]
    ends: npt.NDArray[np.float64]
    elsewhere: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    stages: npt.NDArray[np.int64]
    may_end: npt.NDArray[np.bool_]


class Room(NamedTuple):
    """What a thread foresees in."""

    saved: npt.NDArray[np.int64]
    found: npt.NDArray[np.int64]
    odds: npt.NDArray[np.float64]
    spare_found: npt.NDArray[np.int64]
    spare_odds: npt.NDArray[np.float64]


class Counts(NamedTuple):
    """What the others did on their turns, as every seat saw it: [viewer, turns after, cards left in reach, ...].

    Of a card in reach of both: how often it was `seen`, its side `matched` by the dice, and what was done (`did`:
    flipped, taken blue, taken red). Points taken `elsewhere` are those of goal cards out of the viewer's reach.
    `visits` counts the statuses in which a seat's turns began, [seat, status].
    """

    turns: npt.NDArray[np.int64]
    sixis: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    elsewhere: npt.NDArray[np.int64]
    seen: npt.NDArray[np.int64]
    matched: npt.NDArray[np.int64]
    did: npt.NDArray[np.int64]
    visits: npt.NDArray[np.int64]

    @classmethod
    def nothing(cls, deal: Deal) -> Counts:
        """Counters, all zero."""
        cards = max(len(deal.reach(seat)) for seat in range(deal.players))
        shape = (deal.players, deal.players - 1, cards + 1)
        shapes = [(*shape, *more) for more in ((), (), (), (), (cards, 2), (cards, 2), (cards, 3))]
        return cls(*(np.zeros(size, np.int64) for size in (*shapes, (deal.players, 3**cards))))

    def plus(self, other: Counts) -> Counts:
        """Both together."""
        return Counts(*(mine + others for mine, others in zip(self, other, strict=True)))


@dataclass(frozen=True, eq=False)
class Seat:
    """Who sits where: a way, a model with its way, or the solved deal.

    A thrifty player ends the round when allowed and ahead.
    """

    way: Way | None
    thrifty: bool = False
    model: Model | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """A deal with its seats."""

    deal: Deal
    seats: tuple[Seat, ...]
    solved: SolvedDeal | None = None

    @cached_property
    def dice(self) -> Dice:
        return self.deal.deck.mathematics

    @cached_property
    def arrays(self) -> TableArrays:
        """Dice, cards and seats for the kernel."""
        deal, dice = self.deal, self.dice
        plan = lattice(dice)
        views = [View(deal, seat) for seat in range(deal.players)]
        most = max(view.cards for view in views)
        reach = np.zeros((deal.players, most), np.int64)
        power = np.zeros((deal.players, len(deal.cards)), np.int64)
        for seat, view in enumerate(views):
            reach[seat, : view.cards] = view.places
            power[seat, list(view.places)] = 3 ** np.arange(view.cards)
        parts, part_start = parts_of_rolls(dice)
        sides = [card.sides for card in deal.cards]
        group = [number for number, places in enumerate(deal.places) for _ in places]
        return TableArrays(
            faces=plan.faces,
            first_roll=plan.first_roll,
            more=plan.more,
            fewer=plan.fewer,
            fewer_start=plan.fewer_start,
            size=np.array([len(keep) for keep in dice.keeps]),
            parts=parts,
            part_start=part_start,
            points=np.array([[side.points for side in pair] for pair in sides]),
            matches=np.array([[deal.deck.matching(side) for side in pair] for pair in sides]),
            sixis=views[0].sixis,
            sixis_points=deal.deck.sixis.points,
            group=np.array(group),
            reach=reach,
            reach_count=np.array([view.cards for view in views]),
            power=power,
            gone=2 * power.sum(axis=1),
            limits=np.array(ADVANCED_SAVES),
        )

    @cached_property
    def ways(self) -> WayArrays:
        """The seats for the kernel; a seat that plays by the solved deal has empty tables."""
        ways = [seat.way for seat in self.seats]
        keeps, rolls = len(self.dice.keeps), len(self.dice.rolls)
        statuses = max((way.view.statuses for way in ways if way is not None), default=1)
        throws = np.zeros((len(ways), statuses, keeps), np.uint8)
        acts = np.zeros((len(ways), statuses, rolls), np.uint8)
        saves = np.zeros((len(ways), statuses, rolls), np.uint16)
        first = np.zeros((len(ways), keeps))
        for seat, way in enumerate(ways):
            if way is not None:
                count = way.view.statuses
                throws[seat, :count], acts[seat, :count], saves[seat, :count] = way.throws, way.acts, way.saves
                first[seat] = way.first
        kind = np.array(
            [SOLVED if seat.way is None else TABLED if seat.model is None else MODELLED for seat in self.seats]
        )
        thrifty = np.array([seat.thrifty for seat in self.seats])
        return WayArrays(kind, thrifty, throws, acts, saves, first)

    @cached_property
    def solution(self) -> SolvedArrays:
        """The solved deal for the kernel; an empty one if nobody plays by it."""
        solved, keeps, cards = self.solved, len(self.dice.keeps), len(self.deal.cards)
        if solved is None:
            none, nothing = np.zeros(1, np.int64), np.zeros(1)
            power = np.zeros(cards, np.int64)
            return SolvedArrays(
                keeps, power, np.zeros((1, 1), np.int16), none, none, nothing, nothing, np.zeros(1, np.uint16), nothing
            )
        order = [card.name for card in solved.deal.cards]
        power = np.array([3 ** order.index(card.name) for card in self.deal.cards])
        place = np.full((solved.statuses, keeps), -1, np.int16)
        for number in range(solved.statuses):
            start, count = solved.start[number], solved.count[number]
            place[number, solved.saves[start : start + count]] = np.arange(count)
        facts = (np.array(solved.start), np.array(solved.count), np.array(solved.low), np.array(solved.unit))
        return SolvedArrays(keeps, power, place, *facts, np.asarray(solved.values), np.array(solved.opening))

    def memory(self) -> Memory:
        """A fresh memory for a thread."""
        keeps = len(self.dice.keeps)
        by_solution = self.solved is not None and any(seat.way is not None for seat in self.seats)
        statuses, rows = (3 ** len(self.deal.cards), _MEMORY) if by_solution else (1, 2)
        used = np.zeros(1, np.int64)
        return Memory(np.full(statuses * keeps, -1, np.int32), np.empty((rows, keeps)), used, np.empty(keeps))

    @cached_property
    def modelled(self) -> ModelArrays:
        """The models for the kernel; empty ones if nobody plays by one."""
        models = [seat.model for seat in self.seats]
        own = list({id(model): model for model in models if model is not None}.values())
        players, keeps = len(models), len(self.dice.keeps)
        cards = max((model.view.cards for model in own), default=1)
        statuses = max((model.view.statuses for model in own), default=1)
        stages = cards + 1
        arrays = ModelArrays(
            np.zeros(players, np.int64),
            np.zeros((max(len(own), 1), statuses, keeps), np.float32),
            np.zeros((players, cards, 2)),
            np.zeros((players, cards, 2, keeps)),
            np.zeros((players, keeps)),
            np.zeros((players, players - 1, stages, cards, 3)),
            np.zeros((players, players - 1, stages)),
            np.zeros((players, players - 1, stages)),
            np.zeros((players, players - 1)),
            np.zeros((players, statuses), np.int64),
            np.zeros((players, statuses), np.bool_),
        )
        for which, one in enumerate(own):
            arrays.values[which, : one.view.statuses] = one.values
        for seat, model in enumerate(models):
            if model is not None:
                view, chances = model.view, model.chances
                arrays.which[seat] = next(i for i, one in enumerate(own) if one is model)
                arrays.points[seat, : view.cards] = view.points
                arrays.chance[seat, : view.cards] = model.chance
                arrays.sixis_chance[seat] = model.sixis_chance
                arrays.may_end[seat, : view.statuses] = model.may_end
                arrays.acts[seat] = chances.acts[:, :stages, :cards]
                arrays.ends[seat], arrays.elsewhere[seat] = chances.ends[:, :stages], chances.elsewhere[:, :stages]
                arrays.weights[seat] = model.weights
                arrays.stages[seat, : view.statuses] = view.stages
        return arrays

    def room(self) -> Room:
        """A fresh room for a thread."""
        found, odds = np.empty(FORESEEN, np.int64), np.empty(FORESEEN)
        return Room(np.empty(self.deal.players - 1, np.int64), found, odds, found.copy(), odds.copy())
