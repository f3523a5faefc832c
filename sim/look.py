"""The look of all charts: colours that the colour-blind can tell apart, fonts, and how a figure is saved."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solver import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")

INK = "#222222"
FAINT = "#8a8a8a"
LINE = "#d0d0d0"
PAPER = "#ffffff"
MAIN = "#0072b2"

_STYLE: dict[Any, Any] = {
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "svg.hashsalt": "rollwise",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}


@contextmanager
def style() -> Iterator[None]:
    """Everything drawn inside has the look; no window is ever opened."""
    import matplotlib

    matplotlib.use("Agg")
    with matplotlib.rc_context(_STYLE):
        yield


def check_out(path: Path) -> None:
    """Refuse a picture that could not be saved, before it is drawn."""
    if path.suffix.lstrip(".").lower() not in FORMATS:
        allowed = ", ".join(f".{ending}" for ending in FORMATS)
        raise InputError(f"'{path}' does not end in a picture format: allowed are {allowed}.")
    if not path.parent.is_dir():
        raise InputError(f"the folder '{path.parent}' does not exist: make it first or choose another.")
    if path.is_dir():
        raise InputError(f"'{path}' is a folder: name a file.")


def save(figure: Figure, path: Path) -> None:
    """Write a figure; a picture that was there before stays until the new one is complete."""
    check_out(path)
    ending = path.suffix.lstrip(".").lower()
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[ending]
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=f".{ending}")
        os.close(handle)
        temporary = Path(name)
        try:
            with style():
                figure.savefig(temporary, format=ending, dpi=160, metadata=undated)
            temporary.chmod(0o644)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error.strerror or error}.") from None
