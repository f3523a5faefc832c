"""The look of all charts: colours that the colour-blind can tell apart, fonts, and how a figure is saved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.files import check_file, whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")

INK = "#222222"
FAINT = "#8a8a8a"
LINE = "#d0d0d0"
PAPER = "#ffffff"
MAIN = "#0072b2"
SECOND = "#d55e00"
SERIES = (MAIN, SECOND, "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#222222")
"""Colours of things laid over each other (Okabe and Ito), told apart by line style too."""
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 3)))

WIDTH = 8.0
"""Inches, to fit a printed page."""

_STYLE: dict[Any, Any] = {
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9.5,
    "axes.axisbelow": True,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
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


def head(figure: Figure, text: str) -> None:
    """The title of a figure, smaller if it is long."""
    figure.suptitle(text, x=0.01, ha="left", weight="bold", fontsize=min(14.0, 14.0 * 64 / len(text)))


def player(strategy: str) -> str:
    """A strategy in the words of a title."""
    words = {"optimal": "optimal play", "learned": "learned play"}
    return words.get(strategy, f"the strategy {strategy}")


def check_out(path: Path) -> None:
    """Refuse a picture that could not be saved, before it is drawn."""
    check_file(path, FORMATS, "picture")


def save(figure: Figure, path: Path) -> None:
    """Write a figure; a picture that was there before stays until the new one is complete."""
    check_out(path)
    ending = path.suffix.lstrip(".").lower()
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[ending]
    with whole_file(path) as temporary, style():
        figure.savefig(temporary, format=ending, dpi=160, metadata=undated)
