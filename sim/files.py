"""Writing results to files: checked before the work, and whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from solver import Distribution, InputError

if TYPE_CHECKING:
    import pandas as pd


def check_file(path: Path, endings: Sequence[str], kind: str) -> None:
    """Refuse a file that could not be written, before anything is computed."""
    if path.suffix.lstrip(".").lower() not in endings:
        allowed = ", ".join(f".{ending}" for ending in endings)
        raise InputError(f"'{path}' does not end in a {kind} format: allowed are {allowed}.")
    if not path.parent.is_dir():
        raise InputError(f"the folder '{path.parent}' does not exist: make it first or choose another.")
    if path.is_dir():
        raise InputError(f"'{path}' is a folder: name a file.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"'{path}' cannot be written: choose a file or folder of your own.")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place once everything is written."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=path.suffix)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            temporary.chmod(0o644)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error.strerror or error}.") from None


def check_scores_file(path: Path) -> None:
    check_file(path, ("csv",), "table")


def write_scores(distribution: Distribution, path: Path) -> None:
    """Every score with its chance, and the chances of that many points or fewer and or more."""
    with whole_file(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.write("score,chance,at_most,at_least\n")
        at_most = distribution.chances.cumsum()
        at_least = distribution.chances[::-1].cumsum()[::-1]
        for score, chance in enumerate(distribution.chances):
            if chance > 0.0:
                file.write(f"{score},{float(chance)!r},{float(at_most[score])!r},{float(at_least[score])!r}\n")


RECORDS = ("parquet", "csv", "jsonl")


def check_records_file(path: Path) -> None:
    """Refuse a file of records that could not be written, before anything is played."""
    check_file(path, RECORDS, "record")
    if path.suffix.lower() == ".parquet":
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise InputError(
                f"'{path}': parquet needs pyarrow, install it with pip install 'rollwise[parquet]' "
                "or choose a .csv or .jsonl file."
            ) from None


@contextmanager
def records_writer(path: Path) -> Iterator[Callable[[pd.DataFrame], None]]:
    """A function that adds tables to a file, which takes its place once all are written."""
    check_records_file(path)
    with whole_file(path) as temporary:
        match path.suffix.lower():
            case ".parquet":
                with _parquet_writer(temporary) as write:
                    yield write
            case ".csv":
                with temporary.open("w", encoding="utf-8", newline="") as file:
                    yield lambda frame: frame.to_csv(file, index=False, header=file.tell() == 0, lineterminator="\n")
            case _:
                with temporary.open("w", encoding="utf-8") as file:
                    yield lambda frame: frame.to_json(file, orient="records", lines=True)


@contextmanager
def _parquet_writer(path: Path) -> Iterator[Callable[[pd.DataFrame], None]]:
    import pyarrow
    from pyarrow import parquet

    with ExitStack() as stack:
        writer: list[parquet.ParquetWriter] = []

        def write(frame: pd.DataFrame) -> None:
            table = pyarrow.Table.from_pandas(frame, preserve_index=False)
            if not writer:
                writer.append(stack.enter_context(parquet.ParquetWriter(path, table.schema)))
            writer[0].write_table(table)

        yield write
