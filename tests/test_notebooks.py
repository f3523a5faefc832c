"""The notebooks: executed as stored, nothing but calls, every number of the text shown by a cell, and still true."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
QUICKEST = FOLDER / "1-how-good-is-optimal-play.ipynb"

IMPORTS = {"solver", "solver.sixis", "sim", "sim.sixis", "pandas", "numpy", "dataclasses", "pathlib", "IPython.display"}
LOGIC = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.If,
    ast.Match,
    ast.With,
    ast.Try,
)
MAX_BYTES = 400_000

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def code_cells(path: Path) -> list[NotebookNode]:
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def syntax(cell: NotebookNode) -> ast.Module:
    """The code of a cell, without the lines that speak to the notebook itself."""
    return ast.parse("\n".join(line for line in cell.source.splitlines() if not line.startswith("%")))


def shown(path: Path) -> str:
    """All texts and tables that the cells of a notebook show."""
    outputs = [output for cell in code_cells(path) for output in cell.outputs]
    return "\n".join(output.data["text/plain"] for output in outputs)


def run(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the notebooks from a folder that has nothing to do with them, with no game solved yet."""
    return subprocess.run(
        [sys.executable, FOLDER / "run.py", *arguments],
        cwd=folder,
        env=os.environ | {"ROLLWISE_TABLES": str(folder / "tables")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_there_are_four() -> None:
    assert len(NOTEBOOKS) == 4
    assert QUICKEST in NOTEBOOKS


@each_notebook
def test_stored_as_executed(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert {output.output_type for output in outputs} <= {"execute_result", "display_data"}
    pictures = [output for output in outputs if "Figure" in output.data["text/plain"]]
    assert pictures
    assert all("image/png" in output.data for output in pictures)


@each_notebook
def test_stored_without_noise(path: Path) -> None:
    notebook = read(path)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    assert all(cell.metadata == {} for cell in notebook.cells)
    assert path.stat().st_size < MAX_BYTES


@each_notebook
def test_no_logic_of_its_own(path: Path) -> None:
    for cell in code_cells(path):
        found = [type(node).__name__ for node in ast.walk(syntax(cell)) if isinstance(node, LOGIC)]
        assert found == [], cell.id


@each_notebook
def test_imports(path: Path) -> None:
    nodes = [node for cell in code_cells(path) for node in ast.walk(syntax(cell))]
    names = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    assert names <= IMPORTS
    assert {"solver", "sim"} <= {name.partition(".")[0] for name in names}


@each_notebook
def test_numbers_in_the_text_are_shown(path: Path) -> None:
    """Numbers with a decimal point, rounded as a cell shows them; those in code spans are settings."""
    decimal = re.compile(r"\d+\.\d+")
    known = set(decimal.findall(shown(path)))
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            stated = set(decimal.findall(re.sub(r"`[^`]*`", "", cell.source)))
            assert stated <= known, cell.id


def test_the_quickest_still_shows_the_same(tmp_path: Path) -> None:
    found = run("--check", QUICKEST, folder=tmp_path)
    assert found.returncode == 0, found.stderr


def test_check_fails_where_something_differs(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell("1 + 1")]
    notebook.cells[0].outputs = [
        nbformat.v4.new_output("execute_result", {"text/plain": "3"}, execution_count=1),
    ]
    nbformat.write(notebook, tmp_path / "wrong.ipynb")
    before = (tmp_path / "wrong.ipynb").read_bytes()
    found = run("--check", "wrong.ipynb", folder=tmp_path)
    assert found.returncode == 1
    assert "cell 1" in found.stderr
    assert (tmp_path / "wrong.ipynb").read_bytes() == before
    assert run("wrong.ipynb", folder=tmp_path).returncode == 0
    assert run("--check", "wrong.ipynb", folder=tmp_path).returncode == 0


def test_check_fails_where_a_cell_raises(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell("1 / 0")]
    nbformat.write(notebook, tmp_path / "raises.ipynb")
    found = run("--check", "raises.ipynb", folder=tmp_path)
    assert found.returncode == 1
    assert "ZeroDivisionError" in found.stderr


@pytest.mark.slow
def test_all_still_show_the_same(tmp_path: Path) -> None:
    found = run("--check", folder=tmp_path)
    assert found.returncode == 0, found.stderr
