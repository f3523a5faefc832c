"""Run the notebooks and store what they show, or check that they still show what is stored.

    python notebooks/run.py                   # runs all and rewrites them
    python notebooks/run.py --check           # runs all, writes nothing, fails if a text or a table differs
    python notebooks/run.py --check 1-*.ipynb # the same for some

Pictures are not compared: they are made of the same figures, and their bytes depend on the version of matplotlib.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

FOLDER = Path(__file__).resolve().parent
KERNEL = "python3"
TIMEOUT = 600
"""Seconds for a single cell."""

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": KERNEL},
    "language_info": {"name": "python"},
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the notebooks and store what they show.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail if a text or a table differs")
    parser.add_argument("notebooks", nargs="*", type=Path, help="which ones; all unless stated")
    asked = parser.parse_args()
    failed = 0
    for path in asked.notebooks or sorted(FOLDER.glob("*.ipynb")):
        began = time.perf_counter()
        stored = nbformat.read(path, as_version=4)
        try:
            shown = run(stored)
        except CellExecutionError as error:
            print(f"{path.name}: {error}", file=sys.stderr)
            failed += 1
            continue
        differences = list(differing(stored, shown)) if asked.check else []
        if not asked.check:
            nbformat.write(shown, path)
        for difference in differences:
            print(f"{path.name}: {difference}", file=sys.stderr)
        failed += bool(differences)
        told = "checked" if asked.check else "written"
        print(f"{path.name}: {told}, {time.perf_counter() - began:.0f} s", flush=True)
    return 1 if failed else 0


def run(notebook: NotebookNode) -> NotebookNode:
    """The notebook as it is after running all its cells, without the time of day."""
    shown = deepcopy(notebook)
    NotebookClient(shown, timeout=TIMEOUT, kernel_name=KERNEL, extra_arguments=["--log-level=ERROR"]).execute()
    shown.metadata = nbformat.from_dict(METADATA)
    for cell in shown.cells:
        cell.metadata.pop("execution", None)
    return shown


def differing(stored: NotebookNode, shown: NotebookNode) -> Iterator[str]:
    """A sentence for each cell that shows something else than what is stored."""
    for number, (before, after) in enumerate(zip(stored.cells, shown.cells, strict=True), start=1):
        if texts(before) != texts(after):
            is_now = "\n".join(texts(after)) or "nothing"
            yield f"cell {number} shows something else than what is stored; now it is\n{is_now}"


def texts(cell: NotebookNode) -> list[str]:
    """What a cell shows in words and tables."""
    found = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            found.append(output.text)
        for kind in ("text/plain", "text/html"):
            if kind in output.get("data", {}):
                found.append(output.data[kind])
    return found


if __name__ == "__main__":
    sys.exit(main())
