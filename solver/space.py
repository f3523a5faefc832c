"""The state space of a single-column game, compiled to flat arrays.

What the future needs to know of a sheet is which boxes are filled and a little memory:

- the *number total*, as far as the number bonus still depends on it: two totals are one lane when no points the
  open number boxes can add tell them apart (so a bonus out of reach, or safe, needs one lane);
- for each *set bonus* begun but not finished: whether no box of it holds a zero;
- for the *wild* box, if filled and a repeat bonus exists: whether it holds points.

A state is a `mask` of filled boxes and a `lane`. The yes-or-no facts of a mask form a `word`, bit s for set s and
the last bit for the wild box; only the bits in `active[mask]` exist, squeezed together. With L number lanes:

    values[offset[mask] + squeeze(word, active[mask]) * L + number lane]

The value of a state is the expected points to come *plus the number bonus once it is reached*: the bonus is paid
at the end, so that a number box only shifts the lane.

A roll leads, box by box, to an *outcome* (points, repeat bonus or not), and an outcome leads to a *successor*
(box, points added to the number total, scored or not). Rows of `outcome_of` are the rolls in the ordinary regime,
then for each further regime one row for all dice alike of each face.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dice import Dice, make_dice
from solver.errors import InputError
from solver.rules import Game
from solver.scoring import Regime, outcome

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Column = tuple[int | None, ...]

MAX_STATES = 500_000_000
TIE = 1e-9
"""Two options closer than this are equally good."""


class Plan(NamedTuple):
    """Everything the kernels read. Masks are bits in box order."""

    boxes: int
    rolls: int
    faces: int
    first_roll: int
    more: Ints
    fewer: Ints
    fewer_start: Ints
    chance: Floats
    outcome_of: Ints  # [row, box], -1 where the rules forbid the placement
    worthwhile: Ints  # the outcomes of a row that a zero elsewhere does not replace, row after row
    worthwhile_start: Ints  # [row]
    free: npt.NDArray[np.bool_]  # [row], whether any open box may be chosen
    outcome_box: Ints
    outcome_successor: Ints
    outcome_points: Floats
    outcome_repeat: Floats
    successor_box: Ints
    successor_shift: Ints
    successor_scored: Ints
    zero_successor: Ints  # [box], -1 if the box cannot hold a zero
    kind_roll: Ints  # [face - 1], the roll of all dice alike
    kind_row: Ints  # [mask, face - 1], its row of outcome_of given the filled boxes
    wild_mask: int
    set_mask: Longs
    set_points: Floats
    wild_bit: int  # the bit of the word that remembers the wild box; 0 if nothing must be remembered
    active: Ints  # [mask]
    number_index: Ints  # [mask], the filled number boxes squeezed together
    lane_count: Ints  # [number index]
    lane_total: Ints  # [number index, lane], a total that stands for the lane
    lane_of_total: Ints  # [number index, capped total], -1 if it cannot occur
    threshold: int
    offset: Longs  # [mask]
    states: int


@dataclass(frozen=True, eq=False)
class Space:
    """A compiled game: the arrays and the number of states they index."""

    game: Game
    dice: Dice
    plan: Plan
    states: int

    @property
    def start(self) -> int:
        """The index of the empty sheet."""
        return int(self.plan.offset[0])

    def final_values(self) -> Floats:
        """The values of the full sheet: the number bonus where it was reached."""
        plan, bonus = self.plan, self.game.number_bonus
        reached = plan.lane_total[-1, : plan.lane_count[-1]] >= plan.threshold
        by_lane = (bonus.points * self.game.columns[0] if bonus else 0) * reached.astype(np.float64)
        return np.tile(by_lane, 1 << int(plan.active[-1]).bit_count())

    def describe(self, scores: Column) -> tuple[int, int, int]:
        """Mask, word and number total of a column, as `index` takes them."""
        game = self.game
        mask = sum(1 << box for box, points in enumerate(scores) if points is not None)
        word = 0
        for s, bonus in enumerate(game.set_bonuses):
            if all(scores[game.box_index[name]] != 0 for name in bonus.boxes):
                word |= 1 << s
        if game.wild is not None and scores[game.box_index[game.wild.box]]:
            word |= self.plan.wild_bit
        numbers = (points for box, points in zip(game.boxes, scores, strict=True) if box.number is not None)
        return mask, word, sum(points or 0 for points in numbers)

    def index(self, mask: int, word: int, number_total: int) -> int:
        """Where the value of a state is stored."""
        plan = self.plan
        number = int(plan.number_index[mask])
        lane = int(plan.lane_of_total[number, min(number_total, plan.threshold)])
        position = squeeze(word, int(plan.active[mask]))
        return int(plan.offset[mask]) + position * int(plan.lane_count[number]) + lane

    def layout(self, first: int = 0, last: int | None = None) -> tuple[Ints, Ints, Ints]:
        """Mask, word and number total (one that stands for its lane) of the states from `first` up to `last`."""
        return self.describe_states(np.arange(first, self.states if last is None else last))

    def describe_states(self, states: npt.NDArray[np.integer]) -> tuple[Ints, Ints, Ints]:
        """The same for any states, in their shape."""
        plan = self.plan
        mask = (np.searchsorted(plan.offset, states, side="right") - 1).astype(np.int32)
        number, active = plan.number_index[mask], plan.active[mask]
        packed, lane = np.divmod((states - plan.offset[mask]).astype(np.int32), plan.lane_count[number])
        word = np.zeros_like(mask)
        for bit in range(int(plan.active.max()).bit_length()):
            place = np.bitwise_count(active & (1 << bit) - 1)
            word |= np.where(active >> bit & 1, packed >> place & 1, 0).astype(np.int32) << bit
        return mask, word, plan.lane_total[number, lane]

    def follow(self, state: int) -> list[tuple[int, float]]:
        """For each successor the state after it, -1 if its box is filled, and what a completed set pays."""
        plan = self.plan
        (mask,), (word,), (total,) = (found.tolist() for found in self.layout(state, state + 1))
        found = []
        for box, scored, shift in zip(plan.successor_box, plan.successor_scored, plan.successor_shift, strict=True):
            bit = 1 << int(box)
            if mask & bit:
                found.append((-1, 0.0))
                continue
            after, word_after, paid = mask | bit, word, 0.0
            for s, set_mask in enumerate(map(int, plan.set_mask)):
                if set_mask & bit:
                    unbroken = int(scored) & (word >> s if mask & set_mask else 1)
                    word_after = word & ~(1 << s) | unbroken << s
                    if after & set_mask == set_mask:
                        paid = float(plan.set_points[s]) * unbroken
            if bit == plan.wild_mask and scored:
                word_after |= plan.wild_bit
            found.append((self.index(after, word_after, total + int(shift)), paid))
        return found

    def masks_by_layer(self) -> list[npt.NDArray[np.int64]]:
        """All masks, grouped by the number of filled boxes."""
        filled = _bit_count(np.arange(1 << self.plan.boxes))
        return [np.flatnonzero(filled == count) for count in range(self.plan.boxes + 1)]


def squeeze(word: int, active: int) -> int:
    """The bits of `word` at the places of `active`, moved together."""
    result = place = 0
    for bit in range(active.bit_length()):
        if active >> bit & 1:
            result |= (word >> bit & 1) << place
            place += 1
    return result


def count_states(game: Game) -> int:
    """The number of states of a game with any number of columns, without listing them."""
    columns = len(game.columns)
    lanes, _ = _number_lanes(game)
    in_sets = 0
    states = int(sum(len(totals) for totals in lanes)) ** columns
    for bonus in game.set_bonuses:
        size = len(bonus.boxes)
        in_sets += size
        states *= (2 + 2 * (2**size - 2)) ** columns
    if _remembers_wild(game):
        states *= 1 + 2 * (2**columns - 1)
        in_sets += 1
    singles = len(game.boxes) - len(game.number_boxes) - in_sets
    return int(states * 2 ** (singles * columns))


@cache
def compile_space(game: Game) -> Space:
    """Lay out the states of a single-column game."""
    if len(game.columns) > 1:
        raise InputError(
            f"{game.name} has {len(game.columns)} columns: its states cannot be listed, those of a column can."
        )
    states = count_states(game)
    if states > MAX_STATES:
        raise InputError(f"{game.name} has {states:,} states: at most {MAX_STATES:,} can be solved exactly.")
    dice = make_dice(game.dice, game.faces)
    boxes = len(game.boxes)
    bits = {box.name: 1 << index for index, box in enumerate(game.boxes)}
    masks = np.arange(1 << boxes, dtype=np.int64)

    number_index = np.zeros(1 << boxes, dtype=np.int32)
    for place, box in enumerate(game.number_boxes):
        number_index |= ((masks & bits[box.name]) != 0).astype(np.int32) << place
    set_masks = [sum(bits[name] for name in bonus.boxes) for bonus in game.set_bonuses]
    wild_mask = bits[game.wild.box] if game.wild else 0
    wild_bit = 1 << len(set_masks) if _remembers_wild(game) else 0
    active = np.where(masks & wild_mask, wild_bit, 0).astype(np.int32)
    for place, set_mask in enumerate(set_masks):
        begun = masks & set_mask
        active |= ((begun != 0) & (begun != set_mask)).astype(np.int32) << place

    totals_of, lane_of_total = _number_lanes(game)
    lane_count = np.array([len(totals) for totals in totals_of], dtype=np.int32)
    lane_total = np.zeros((len(totals_of), lane_count.max()), dtype=np.int32)
    for index, totals in enumerate(totals_of):
        lane_total[index, : len(totals)] = totals
    sizes = lane_count[number_index].astype(np.int64) << _bit_count(active)
    offset = np.concatenate(([0], np.cumsum(sizes)))
    assert offset[-1] == states

    faces = range(1, game.faces + 1)
    plan = Plan(
        boxes=boxes,
        rolls=game.rolls,
        faces=game.faces,
        first_roll=dice.first_roll,
        more=dice.more.ravel(),
        fewer=dice.fewer,
        fewer_start=dice.fewer_start,
        chance=dice.chance,
        kind_roll=np.array([dice.kind_roll(face) for face in faces], dtype=np.int32),
        kind_row=_kind_rows(game, dice, masks),
        wild_mask=wild_mask,
        set_mask=np.array(set_masks, dtype=np.int64),
        set_points=np.array([bonus.points * game.columns[0] for bonus in game.set_bonuses], dtype=np.float64),
        wild_bit=wild_bit,
        active=active,
        number_index=number_index,
        lane_count=lane_count,
        lane_total=lane_total,
        lane_of_total=lane_of_total,
        threshold=game.number_bonus.threshold if game.number_bonus else 0,
        offset=offset[:-1].copy(),
        states=states,
        **_outcomes(game, dice),
    )
    return Space(game, dice, plan, states)


def _remembers_wild(game: Game) -> bool:
    return game.wild is not None and game.wild.repeat_bonus > 0


def _kind_rows(game: Game, dice: Dice, masks: Longs) -> Ints:
    """`Sheet.regime` for all masks at once, as rows of `outcome_of`."""
    bits = [1 << index for index in range(len(game.boxes))]
    others = sum(bit for bit, box in zip(bits, game.boxes, strict=True) if box.number is None)
    wild_open = (masks & bits[game.box_index[game.wild.box]] == 0) if game.wild else np.ones(len(masks), dtype=bool)
    rows = np.empty((len(masks), dice.faces), dtype=np.int32)
    for face in range(1, dice.faces + 1):
        number = sum(bit for bit, box in zip(bits, game.boxes, strict=True) if box.number == face)
        regime = np.where(masks & others != others, Regime.JOKER, Regime.NUMBERS_ONLY)
        regime = np.where(masks & number != number, Regime.NUMBER_OPEN, regime)
        further = len(dice.rolls) + (regime - 1) * dice.faces + face - 1
        rows[:, face - 1] = np.where(wild_open, dice.kind_roll(face), further)
    return rows


def _outcomes(game: Game, dice: Dice) -> dict[str, Any]:
    """The outcome of every row and box, each distinct outcome and successor listed once."""
    rows = [(dice.counts(roll), Regime.ORDINARY) for roll in dice.rolls]
    for regime in list(Regime)[1:]:
        rows += [(dice.counts((face,) * dice.dice), regime) for face in range(1, dice.faces + 1)]
    outcomes: dict[tuple[int, int, bool], int] = {}
    successors: dict[tuple[int, int, bool], int] = {}
    outcome_successor: list[int] = []
    outcome_of = np.full((len(rows), len(game.boxes)), -1, dtype=np.int32)
    for row, (counts, regime) in enumerate(rows):
        for b, box in enumerate(game.boxes):
            found = outcome(game, box, counts, regime)
            if found is None:
                continue
            shift = found.points if box.number is not None and game.number_bonus else 0
            successor = successors.setdefault((b, shift, found.points > 0), len(successors))
            key = (b, found.points, found.repeat)
            if key not in outcomes:
                outcomes[key] = len(outcomes)
                outcome_successor.append(successor)
            outcome_of[row, b] = outcomes[key]
    times = game.columns[0]
    repeat_bonus = game.wild.repeat_bonus * times if game.wild else 0
    free = np.all(outcome_of >= 0, axis=1)
    plain_zero = np.array([points == 0 and not repeat for _, points, repeat in outcomes])
    worthwhile = (outcome_of >= 0) & ~(free[:, None] & plain_zero[outcome_of])
    return {
        "outcome_of": outcome_of,
        "worthwhile": outcome_of[worthwhile],
        "worthwhile_start": np.concatenate(([0], np.cumsum(worthwhile.sum(axis=1)))).astype(np.int32),
        "free": free,
        "outcome_box": np.array([b for b, _, _ in outcomes], dtype=np.int32),
        "outcome_successor": np.array(outcome_successor, dtype=np.int32),
        "outcome_points": np.array([points * times for _, points, _ in outcomes], dtype=np.float64),
        "outcome_repeat": np.array([repeat_bonus * repeat for _, _, repeat in outcomes], dtype=np.float64),
        "successor_box": np.array([b for b, _, _ in successors], dtype=np.int32),
        "successor_shift": np.array([shift for _, shift, _ in successors], dtype=np.int32),
        "successor_scored": np.array([scored for _, _, scored in successors], dtype=np.int32),
        "zero_successor": np.array([successors.get((b, 0, False), -1) for b in range(len(game.boxes))], dtype=np.int32),
    }


def _number_lanes(game: Game) -> tuple[list[list[int]], Ints]:
    """For each set of filled number boxes, one total for each lane, and the lane of every total that can occur."""
    numbers = [box.number or 0 for box in game.number_boxes]
    threshold = game.number_bonus.threshold if game.number_bonus else 0
    full = (1 << len(numbers)) - 1
    sums: list[set[int]] = [{0}]
    for mask in range(1, full + 1):
        top = mask.bit_length() - 1
        steps = range(0, numbers[top] * game.dice + 1, numbers[top])
        sums.append({total + step for total in sums[mask & ~(1 << top)] for step in steps})
    lane_of_total = np.full((full + 1, threshold + 1), -1, dtype=np.int32)
    totals_of: list[list[int]] = []
    for mask in range(full + 1):
        needs: list[int | None] = []
        totals: list[int] = []
        for total in sorted({min(total, threshold) for total in sums[mask]}):
            enough = [more for more in sums[full & ~mask] if total + more >= threshold]
            need = min(enough) if enough else None
            if not needs or needs[-1] != need:
                needs.append(need)
                totals.append(total)
            lane_of_total[mask, total] = len(totals) - 1
        totals_of.append(totals)
    return totals_of, lane_of_total


def _bit_count(words: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    counted: npt.NDArray[np.int64] = np.bitwise_count(words).astype(np.int64)
    return counted
