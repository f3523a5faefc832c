"""Charts: what is drawn is what the advisor says, and a picture is written whole or not at all."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch

from sim import boxes_chart, decision_chart, distribution_chart, look, opening_chart, save, timeline_chart
from solver import Advisor, InputError, RollwiseError, Sheet, exact_figures, make_dice

AdvisorOf = Callable[[str], Advisor]

SHEET = "ones=3 twos=6 yahtzee=50 chance=22"


def test_opening_chart_fills_the_dice_to_keep(advisor_of: AdvisorOf) -> None:
    advisor = advisor_of("yahtzee")
    drawn = [patch for patch in opening_chart(advisor).axes[0].patches if isinstance(patch, FancyBboxPatch)]
    filled = [to_hex(patch.get_facecolor()) == look.MAIN for patch in drawn]
    rolls = sorted(make_dice(5, 6).rolls)
    assert len(filled) == 5 * len(rolls)
    for place, roll in enumerate(rolls):
        kept = Counter(face for face, dark in zip(roll, filled[5 * place : 5 * place + 5], strict=True) if dark)
        assert kept == Counter(advisor.advise("", roll, rolls_left=2).best.keep)


def test_decision_chart_names_the_box_of_every_final_roll(advisor_of: AdvisorOf) -> None:
    advisor = advisor_of("yahtzee")
    sheet = Sheet.parse(advisor.game, SHEET)
    shown = Counter(text.get_text() for text in decision_chart(advisor, sheet, rolls_left=0).axes[0].texts)
    boxes = Counter(advisor.advise(sheet, roll, rolls_left=0).best.box for roll in make_dice(5, 6).rolls)
    assert all(shown[str(box)] == count for box, count in boxes.items())
    assert f"On the sheet: {sheet}" in shown


def test_charts_of_exact_figures_show_them(advisor_of: AdvisorOf) -> None:
    advisor = advisor_of("plain")
    figures = exact_figures(advisor.solution.policy)
    bars = distribution_chart(figures).axes[0].patches
    shown = {round(bar.get_x() + 0.5): bar.get_height() for bar in bars}  # type: ignore[attr-defined]
    assert shown[250] == pytest.approx(100 * figures.distribution.chances[250])
    means, zeros, costs = boxes_chart(advisor, figures).axes
    assert [text.get_text() for text in means.texts] == [f"{box.mean:.1f}" for box in figures.boxes]
    assert [text.get_text() for text in zeros.texts] == [f"{100 * box.zero:.1f}" for box in figures.boxes]
    assert costs.texts[-1].get_text() == "never zero"
    cells = [text.get_text() for text in timeline_chart(figures).axes[0].texts]
    assert cells == [f"{100 * chance:.0f}" for box in figures.boxes for chance in box.turns]


@pytest.mark.parametrize("ending", look.FORMATS)
def test_the_same_chart_is_the_same_file(ending: str, tmp_path: Path, advisor_of: AdvisorOf) -> None:
    for name in ("one", "two"):
        save(opening_chart(advisor_of("plain")), tmp_path / f"{name}.{ending}")
    assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()
    assert len(os.listdir(tmp_path)) == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("chart.bmp", r"does not end in a picture format: allowed are \.png, \.svg, \.pdf"),
        ("chart", "does not end in a picture format"),
        ("nowhere/chart.png", "the folder '.*nowhere' does not exist"),
    ],
)
def test_a_picture_that_cannot_be_saved_is_refused(name: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        look.check_out(tmp_path / name)


def test_a_failed_write_leaves_the_old_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, advisor_of: AdvisorOf
) -> None:
    path = tmp_path / "chart.png"
    path.write_bytes(b"old")
    figure = opening_chart(advisor_of("plain"))

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(RollwiseError, match=r"cannot write '.*': No space left on device"):
        save(figure, path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["chart.png"]
