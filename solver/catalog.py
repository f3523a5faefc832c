"""Finding a game: the shipped variants, or a user's own TOML file with the same fields.

A file states the fields of `solver.rules.Game`; with `base = "yahtzee"` it states only what differs from that
variant, and `number_bonus = false` or `wild = false` leaves out what the variant has. Its name is the file's name
unless it gives one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from solver.errors import InputError, unknown
from solver.rules import Box, Game, NumberBonus, SetBonus, Wild, is_name

_FOLDER = Path(__file__).parent / "variants"
_ORDER = (
    "yahtzee",
    "sixzee",
    "triple-yahtzee",
    "dicegame",
    "hasbro",
    "verhoeff",
    "plain",
    "yatzy",
)
SIXIS = "sixis"
"""The game with cards, which is described and solved in `solver.sixis`."""
_PARTS: dict[str, type[Box | NumberBonus | SetBonus | Wild]] = {
    "boxes": Box,
    "number_bonus": NumberBonus,
    "set_bonuses": SetBonus,
    "wild": Wild,
}
_LISTS_OF_TABLES = ("boxes", "set_bonuses")

T = TypeVar("T")


@cache
def variant_names() -> tuple[str, ...]:
    """The shipped variants, the games of the rule sheets first."""
    found = sorted(path.stem for path in _FOLDER.glob("*.toml"))
    return tuple(sorted(found, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER)))


def find_game(name: str) -> Game:
    """The game called `name`: a variant, or the path of a TOML file."""
    if name.endswith(".toml"):
        return load_game(Path(name))
    return _variant(name)


def load_game(path: Path) -> Game:
    """Read a house-rules file; whatever is wrong with it is told with the file and the field."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read the rules file '{path}': {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"'{path}' is not valid TOML: {error}.") from None
    try:
        if "name" not in table and not is_name(path.stem):
            raise InputError("the file's name cannot name the game: state one, as in name = 'my-rules'.")
        game = _game({"name": path.stem} | table)
    except InputError as error:
        raise InputError(f"in '{path}': {error}") from None
    if game.name in variant_names() and path.parent != _FOLDER:
        raise InputError(f"in '{path}': name '{game.name}' is taken by a shipped variant: state another name.")
    return game


@cache
def _variant(name: str) -> Game:
    if name == SIXIS:
        raise InputError(
            "sixis has cards and no sheet: it goes with the commands 'solve', 'advise', 'simulate' and 'chart', "
            "as in 'rollwise solve sixis --help'."
        )
    if name not in variant_names():
        raise unknown("variant", name, (*variant_names(), SIXIS, "a path ending in .toml"))
    return load_game(_FOLDER / f"{name}.toml")


def _game(table: dict[str, Any]) -> Game:
    base = table.pop("base", None)
    if base is not None:
        if not isinstance(base, str) or base not in variant_names():
            raise unknown("base", str(base), variant_names())
        parent = _variant(base)
        inherited = {field.name: getattr(parent, field.name) for field in fields(Game) if field.name != "name"}
    else:
        inherited = {}
    stated: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _PARTS:
            stated[key] = value
        elif key in _LISTS_OF_TABLES:
            if not isinstance(value, list):
                raise InputError(f"{key} is {value!r}: a list of tables is needed.")
            stated[key] = tuple(_part(key, entry, f"{key}[{i}]") for i, entry in enumerate(value, start=1))
        elif value is False:
            stated[key] = None
        else:
            stated[key] = _part(key, value, key)
    return _build(Game, inherited | stated, "")


def _part(key: str, value: object, where: str) -> Box | NumberBonus | SetBonus | Wild:
    if not isinstance(value, Mapping):
        raise InputError(f"{where} is {value!r}: a table of fields is needed.")
    return _build(_PARTS[key], dict(value), f"{where}: ")


def _build(kind: type[T], values: dict[str, Any], where: str) -> T:
    known: dict[str, Field[Any]] = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    for key, value in values.items():
        if key not in known:
            raise InputError(f"{where}{unknown('field', key, known)}")
        if str(known[key].type).startswith("tuple"):
            if not isinstance(value, list | tuple):
                raise InputError(f"{where}{key} is {value!r}: a list is needed.")
            values[key] = tuple(value)
    for field in known.values():
        if field.default is MISSING and field.name not in values:
            raise InputError(f"{where}{field.name} is missing.")
    return kind(**values)
