"""Rules as data: a scoresheet game is one frozen, validated value.

A `Game` says how many dice are rolled, which boxes a column of the sheet has, and which bonuses are paid.
Everything below this module (state space, kernels, advisor) reads these facts and never asks which game it is.

A box is matched by a roll when every condition it states holds:

- `groups`: equal dice that must be found side by side, `(3, 2)` for a full house; `distinct` tells whether
  two groups must show different numbers;
- `run`: that many consecutive numbers;
- `includes`: these numbers must all be there.

A box that states nothing is always matched (chance). A matched box scores `points`: a fixed number, `"all"`
dice added up, or the `"matched"` dice of its groups only. A box with a `number` scores the dice showing it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Literal

from solver.errors import InputError

Points = int | Literal["all", "matched"]
JokerRule = Literal["none", "free", "forced"]

MAX_DICE = 8
MAX_FACES = 9
MAX_BOXES = 24
MAX_ROLLS = 6
MAX_COLUMNS = 6
MAX_SETS = 6
MAX_POINTS = 10_000

MAX_NAME = 60

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise InputError(message)


def _require_whole(value: object, low: int, high: int, field: str) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    _require(
        whole and low <= value <= high,  # type: ignore[operator]
        f"{field} is {value!r}: a whole number from {low} to {high} is needed.",
    )


def is_name(value: object) -> bool:
    """Whether a game, a box or a set may be called so."""
    return isinstance(value, str) and len(value) <= MAX_NAME and _NAME.fullmatch(value) is not None


def _require_name(value: object, field: str) -> None:
    _require(
        is_name(value),
        f"{field} is {value!r}: lower-case letters, digits and single hyphens are needed, {MAX_NAME} at most.",
    )


def _require_tuple(value: object, field: str) -> None:
    _require(isinstance(value, tuple), f"{field} is {value!r}: a tuple is needed.")


def _require_flag(value: object, field: str) -> None:
    _require(isinstance(value, bool), f"{field} is {value!r}: true or false is needed.")


@dataclass(frozen=True, kw_only=True)
class Box:
    """One scoring space of a column: when a roll matches it and what it then scores."""

    name: str
    number: int | None = None
    groups: tuple[int, ...] = ()
    distinct: bool = True
    run: int | None = None
    includes: tuple[int, ...] = ()
    points: Points = "all"
    joker: bool = False

    def __post_init__(self) -> None:
        _require_name(self.name, "box name")
        where = f"box '{self.name}':"
        _require_flag(self.distinct, f"{where} distinct")
        _require_flag(self.joker, f"{where} joker")
        _require_tuple(self.groups, f"{where} groups")
        _require_tuple(self.includes, f"{where} includes")
        if not isinstance(self.points, str):
            _require_whole(self.points, 1, MAX_POINTS, f"{where} points")
        _require(
            isinstance(self.points, int) or self.points in ("all", "matched"),
            f"{where} points is {self.points!r}: a whole number, 'all' or 'matched' is needed.",
        )
        for size in self.groups:
            _require_whole(size, 1, MAX_DICE, f"{where} an entry of groups")
        for face in self.includes:
            _require_whole(face, 1, MAX_FACES, f"{where} an entry of includes")
        if self.run is not None:
            _require_whole(self.run, 2, MAX_FACES, f"{where} run")
        if self.number is not None:
            _require_whole(self.number, 1, MAX_FACES, f"{where} number")
            others = (self.groups, self.distinct, self.run, self.includes, self.points, self.joker)
            _require(
                others == ((), True, None, (), "all", False),
                f"{where} a box with a number takes no other field than its name.",
            )
        if self.points == "matched":
            only_groups = bool(self.groups) and self.run is None and not self.includes
            _require(only_groups, f"{where} points 'matched' needs groups and nothing else.")
            _require(
                not self.joker, f"{where} points 'matched' and joker exclude each other: no dice of a joker match."
            )

    def score(self, counts: Sequence[int]) -> int:
        """Points of a roll in this box, `counts[f]` dice showing face f + 1; 0 if it does not match."""
        if self.number is not None:
            return self.number * counts[self.number - 1] if self.number <= len(counts) else 0
        matched = self._matched_total(counts)
        if matched is None:
            return 0
        return matched if self.points == "matched" else self.joker_score(counts)

    def joker_score(self, counts: Sequence[int]) -> int:
        """Points of a roll that is taken as a match whatever it shows."""
        return self.points if isinstance(self.points, int) else dice_total(counts)

    def _matched_total(self, counts: Sequence[int]) -> int | None:
        """The largest total of dice filling the groups, or None when a condition fails."""
        if any(face > len(counts) or counts[face - 1] == 0 for face in self.includes):
            return None
        if self.run is not None and longest_run(counts) < self.run:
            return None
        return _fill_groups(tuple(counts), tuple(sorted(self.groups)), self.distinct)


@lru_cache(maxsize=1 << 16)
def _fill_groups(counts: tuple[int, ...], groups: tuple[int, ...], distinct: bool) -> int | None:
    """The largest total of dice that fill all groups, or None. The highest face takes its share first."""
    if not groups:
        return 0
    if not counts:
        return None
    face, most = len(counts), 1 if distinct else len(groups)
    best: int | None = None
    for taken in {part for size in range(most + 1) for part in combinations(groups, size)}:
        if sum(taken) > counts[-1]:
            continue
        left = list(groups)
        for size in taken:
            left.remove(size)
        rest = _fill_groups(counts[:-1], tuple(left), distinct)
        if rest is not None:
            best = max(best or 0, rest + face * sum(taken))
    return best


@dataclass(frozen=True, kw_only=True)
class NumberBonus:
    """Paid once the number boxes of a column hold at least `threshold` points (before the multiplier)."""

    threshold: int
    points: int

    def __post_init__(self) -> None:
        _require_whole(self.threshold, 1, 1000, "number_bonus: threshold")
        _require_whole(self.points, 1, MAX_POINTS, "number_bonus: points")


@dataclass(frozen=True, kw_only=True)
class SetBonus:
    """Paid when every box of the set is filled with more than zero points."""

    name: str
    boxes: tuple[str, ...]
    points: int

    def __post_init__(self) -> None:
        _require_name(self.name, "set_bonuses: name")
        _require(self.name != "numbers", "set_bonuses: name 'numbers' is taken: it means the number bonus.")
        _require_whole(self.points, 1, MAX_POINTS, f"set bonus '{self.name}': points")
        _require_tuple(self.boxes, f"set bonus '{self.name}': boxes")
        _require(bool(self.boxes), f"set bonus '{self.name}': boxes is empty: name at least one box.")
        for box in self.boxes:
            _require_name(box, f"set bonus '{self.name}': an entry of boxes")


@dataclass(frozen=True, kw_only=True)
class Wild:
    """What a further roll of all dice alike may do once the box made for it is filled.

    The joker: when the wild box and the number box of the roll are filled (in every column), boxes marked
    `joker` take the roll as a match. `free` leaves the choice of box open. `forced` demands the number box
    while it is open, then any other box as a joker, and only then a zero in a number box.

    The repeat bonus: paid when every wild box holds more than zero points; with `repeat_needs_points` only
    if the roll scores where it is placed.
    """

    box: str
    joker: JokerRule = "free"
    repeat_bonus: int = 0
    repeat_needs_points: bool = True

    def __post_init__(self) -> None:
        _require_name(self.box, "wild: box")
        _require(
            self.joker in ("none", "free", "forced"),
            f"wild: joker is {self.joker!r}: 'none', 'free' or 'forced' is needed.",
        )
        _require_whole(self.repeat_bonus, 0, MAX_POINTS, "wild: repeat_bonus")
        _require_flag(self.repeat_needs_points, "wild: repeat_needs_points")


@dataclass(frozen=True, kw_only=True)
class Game:
    """A scoresheet game. `columns` holds one multiplier for each column of the sheet."""

    name: str
    title: str
    boxes: tuple[Box, ...]
    summary: str = ""
    dice: int = 5
    faces: int = 6
    rolls: int = 3
    number_bonus: NumberBonus | None = None
    set_bonuses: tuple[SetBonus, ...] = ()
    wild: Wild | None = None
    columns: tuple[int, ...] = (1,)
    max_rounds: int | None = None
    max_players: int | None = None

    def __post_init__(self) -> None:
        _require_name(self.name, "name")
        _require(
            isinstance(self.title, str) and bool(self.title.strip()), f"title is {self.title!r}: a text is needed."
        )
        _require(isinstance(self.summary, str), f"summary is {self.summary!r}: a text is needed.")
        _require_whole(self.dice, 1, MAX_DICE, "dice")
        _require_whole(self.faces, 2, MAX_FACES, "faces")
        _require_whole(self.rolls, 1, MAX_ROLLS, "rolls")
        if self.max_rounds is not None:
            _require_whole(self.max_rounds, 1, 1000, "max_rounds")
        if self.max_players is not None:
            _require_whole(self.max_players, 1, 1000, "max_players")
        for field in ("boxes", "set_bonuses", "columns"):
            _require_tuple(getattr(self, field), field)
        _require(
            1 <= len(self.boxes) <= MAX_BOXES,
            f"boxes has {len(self.boxes)} entries: from 1 to {MAX_BOXES} are allowed.",
        )
        _require(
            1 <= len(self.columns) <= MAX_COLUMNS,
            f"columns has {len(self.columns)} entries: from 1 to {MAX_COLUMNS} are allowed.",
        )
        for multiplier in self.columns:
            _require_whole(multiplier, 1, 100, "an entry of columns")
        self._validate_boxes()
        self._validate_number_bonus()
        self._validate_sets()
        self._validate_wild()

    def _validate_boxes(self) -> None:
        names = [box.name for box in self.boxes]
        for name in names:
            _require(names.count(name) == 1, f"box '{name}' is there twice: every box needs a name of its own.")
            _require(name != "bonus", "box name 'bonus' is taken: on a sheet it means repeat bonuses earned.")
        numbers = [box.number for box in self.number_boxes]
        for box in self.boxes:
            where = f"box '{box.name}':"
            for face in (box.number or 1, *box.includes):
                _require(face <= self.faces, f"{where} the number {face} is not on a die with {self.faces} faces.")
            if box.number is not None:
                _require(numbers.count(box.number) == 1, f"{where} another box has the number {box.number} too.")
            _require(
                sum(box.groups) <= self.dice,
                f"{where} groups needs {sum(box.groups)} dice, the game has {self.dice}.",
            )
            _require(
                any(box.score(counts) for counts in self._all_counts()),
                f"{where} no roll of {self.dice} dice with {self.faces} faces can match it.",
            )
            _require(
                not box.joker or self.wild is not None,
                f"{where} joker is set but the game has no [wild] table to say when a roll is a joker.",
            )

    def _all_counts(self) -> Iterator[tuple[int, ...]]:
        """Every roll, as the number of dice showing each face."""
        faces = range(1, self.faces + 1)
        for roll in combinations_with_replacement(faces, self.dice):
            yield tuple(roll.count(face) for face in faces)

    def _validate_number_bonus(self) -> None:
        if self.number_bonus is None:
            return
        most = self.dice * sum(box.number or 0 for box in self.number_boxes)
        _require(
            self.number_bonus.threshold <= most,
            f"number_bonus: threshold is {self.number_bonus.threshold}: the number boxes hold at most {most} points "
            "(number_bonus = false leaves the bonus out).",
        )

    def _validate_sets(self) -> None:
        _require(
            len(self.set_bonuses) <= MAX_SETS,
            f"set_bonuses has {len(self.set_bonuses)} entries: at most {MAX_SETS} are allowed.",
        )
        seen: set[str] = set()
        names = [bonus.name for bonus in self.set_bonuses]
        for bonus in self.set_bonuses:
            where = f"set bonus '{bonus.name}':"
            _require(names.count(bonus.name) == 1, f"{where} another set bonus has that name too.")
            for name in bonus.boxes:
                _require(name in self.box_index, f"{where} there is no box '{name}'.")
                _require(name not in seen, f"{where} box '{name}' is in a set already.")
                box = self.boxes[self.box_index[name]]
                _require(box.number is None, f"{where} box '{name}' is a number box: those have the number bonus.")
                seen.add(name)

    def _validate_wild(self) -> None:
        if self.wild is None:
            return
        name = self.wild.box
        _require(name in self.box_index, f"wild: box is '{name}': there is no such box.")
        box = self.boxes[self.box_index[name]]
        _require(
            box.groups == (self.dice,) and not box.joker and box.run is None and not box.includes,
            f"wild: box '{name}' must be the one for all {self.dice} dice alike: groups = [{self.dice}], nothing else.",
        )
        _require(
            all(name not in bonus.boxes for bonus in self.set_bonuses),
            f"wild: box '{name}' cannot be part of a set bonus.",
        )

    @cached_property
    def box_index(self) -> dict[str, int]:
        return {box.name: index for index, box in enumerate(self.boxes)}

    @cached_property
    def number_boxes(self) -> tuple[Box, ...]:
        return tuple(box for box in self.boxes if box.number is not None)

    @cached_property
    def column(self) -> Game:
        """One column by itself, counting once."""
        return self if self.columns == (1,) else replace(self, columns=(1,))

    @property
    def turns(self) -> int:
        """Turns a player has in one round: one for each box of each column."""
        return len(self.boxes) * len(self.columns)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of every fact that can change a value; titles and match lengths cannot."""
        facts = asdict(self)
        for label in ("name", "title", "summary", "max_rounds", "max_players"):
            del facts[label]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def dice_total(counts: Sequence[int]) -> int:
    """All dice added up."""
    return sum(face * count for face, count in enumerate(counts, start=1))


def longest_run(counts: Sequence[int]) -> int:
    """How many consecutive numbers the dice show at best."""
    best = length = 0
    for count in counts:
        length = length + 1 if count else 0
        best = max(best, length)
    return best
