"""Charts: what is drawn is what the advisor says, and a picture is written whole or not at all."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch

from sim import (
    Batch,
    Risk,
    boxes_chart,
    compare,
    comparison_chart,
    decision_chart,
    distribution_chart,
    frontier_chart,
    look,
    measure,
    opening_chart,
    save,
    simulate,
    timeline_chart,
)
from solver import Advisor, InputError, RollwiseError, Sheet, exact_figures, find_game, make_dice

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


def texts(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_charts_of_figures_show_them(advisor_of: AdvisorOf) -> None:
    advisor = advisor_of("plain")
    figures = exact_figures(advisor.solution.policy)
    chart = distribution_chart({"optimal": figures})
    shown = {round(bar.get_x() + 0.5): bar.get_height() for bar in chart.axes[0].patches}  # type: ignore[attr-defined]
    assert shown[250] == pytest.approx(100 * figures.distribution.chances[250])
    assert f"50 %: {figures.distribution.percentile(50)}" in texts(chart.axes[0])
    means, zeros, costs = boxes_chart(figures, strategy="optimal", advisor=advisor).axes
    assert texts(means) == [f"{box.mean:.1f}" for box in figures.boxes]
    assert texts(zeros) == [f"{100 * box.zero:.1f}" for box in figures.boxes]
    assert texts(costs)[-1] == "never zero"
    assert len(boxes_chart(figures, strategy="optimal", advisor=None).axes) == 2
    cells = texts(timeline_chart(figures, strategy="optimal").axes[0])
    assert cells == [f"{100 * chance:.0f}" for box in figures.boxes for chance in box.turns]


def test_several_strategies_are_laid_over_each_other() -> None:
    batch = Batch(game=find_game("plain"), games=2000, seed=1)
    named = {name: simulate(batch, name).figures for name in ("greedy", "random")}
    axes = distribution_chart(named).axes[0]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]  # type: ignore[union-attr]
    assert labels == [
        f"{name}: mean {figures.distribution.mean:.1f} ± {1.96 * figures.distribution.se:.2g}, "
        f"deviation {figures.distribution.sd:.1f} (sampled)"
        for name, figures in named.items()
    ]
    styles = {(line.get_color(), line.get_linestyle()) for line in axes.lines}
    assert len(styles) == 2
    for line, figures in zip(axes.lines, named.values(), strict=True):
        scores, percent = map(np.asarray, line.get_data())
        assert percent.sum() == pytest.approx(100.0, abs=0.3)
        assert (scores * percent).sum() / percent.sum() == pytest.approx(figures.distribution.mean, abs=1.0)
    with pytest.raises(InputError, match="at most 7 can be told apart"):
        distribution_chart({str(number): named["greedy"] for number in range(8)})


def test_comparison_chart_shows_means_and_wins() -> None:
    batch = Batch(game=find_game("plain"), games=2000, seed=1)
    found = compare(batch, ["greedy", "heuristic", "random"])
    scores, wins = comparison_chart(found).axes
    assert [label.get_text() for label in scores.get_yticklabels()] == ["greedy", "heuristic", "random"]
    assert [text.split(" ")[0] for text in texts(scores)] == [f"{player.scores.mean:.1f}" for player in found.players]
    assert texts(wins) == [f"{100 * (player.wins / 2000):.1f}" for player in found.players]


def test_comparison_chart_where_only_pairs_can_play() -> None:
    found = compare(Batch(game=find_game("dicegame"), games=50, seed=1), ["heuristic", "greedy", "random"])
    _, wins = comparison_chart(found).axes
    assert "head to head against\nheuristic" in wins.get_title(loc="left")
    assert texts(wins) == [f"{100 * (pair.losses / 50):.1f}" for pair in found.pairs[:2]]


def test_frontier_chart_names_its_thetas() -> None:
    points = [Risk(-0.035, 251.9, 54.6, 0.0), Risk(0.0, 254.5, 59.4, 0.0), Risk(0.01, 253.5, 61.4, 0.0)]
    axes = frontier_chart(find_game("yahtzee"), points, named={"safe": -0.035, "optimal": 0.0}).axes[0]
    assert texts(axes) == ["safe (-0.035)", "optimal (0)", "0.01"]


@pytest.mark.parametrize(("name", "method"), [("plain", "exact"), ("dicegame", "sampled")])
def test_figures_are_exact_where_they_can_be(name: str, method: str) -> None:
    batch = Batch(game=find_game(name), games=20, seed=1)
    assert measure(batch, "greedy").distribution.method == method


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
