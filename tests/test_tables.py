"""Stored tables: whatever happens, nothing wrong is ever read, and the message says what to do."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solver import (
    Box,
    RollwiseError,
    Solution,
    TableMissingError,
    TableRefusedError,
    TableStore,
    find_game,
    solve_game,
    stored,
    tables,
)

PLAIN = find_game("plain")

SOLVE = """
import sys
from pathlib import Path
from solver import TableStore, find_game
TableStore(Path(sys.argv[1])).solve(find_game("plain"), force="force" in sys.argv, waiting=lambda: print("waiting"))
print("solved")
"""


@pytest.fixture
def store(tmp_path: Path, solution_of: Callable[[str], Solution]) -> TableStore:
    """A store that holds the table of `plain`."""
    made = TableStore(tmp_path / "tables")
    made.save(solution_of("plain"))
    return made


def array_of(store: TableStore) -> Path:
    (path,) = store.path(PLAIN).glob("*.npy")
    return path


def manifest_of(store: TableStore) -> Path:
    return store.path(PLAIN) / "manifest.json"


def start_solve(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SOLVE, str(folder), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_what_is_saved_is_loaded(store: TableStore, solution_of: Callable[[str], Solution]) -> None:
    loaded, solved = store.load(PLAIN), solution_of("plain")
    assert isinstance(loaded.values, np.memmap)
    assert np.array_equal(loaded.values, solved.values)
    assert (loaded.value, loaded.sd) == (solved.value, solved.sd)
    loaded.values[0] = -1.0
    assert np.array_equal(store.load(PLAIN).values, solved.values), "what is changed in memory never reaches the file"


def test_a_missing_table_is_told(tmp_path: Path) -> None:
    with pytest.raises(TableMissingError, match="plain is not solved yet: solve it with 'rollwise solve'"):
        TableStore(tmp_path).load(PLAIN)


def test_solve_uses_a_good_table(store: TableStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "solve_game", lambda *_, **__: pytest.fail("solved again"))
    assert store.solve(PLAIN).value == store.load(PLAIN).value


@pytest.mark.parametrize("place", [0.0, 0.3, 0.999])
def test_a_flipped_byte_of_the_array_is_refused(store: TableStore, place: float) -> None:
    flip_byte(array_of(store), place)
    assert_refused(store, "its array is damaged")


def test_every_flipped_byte_of_the_manifest_is_refused_or_changes_nothing(store: TableStore) -> None:
    """A byte may be white space; then the table is still the same."""
    good, expected = manifest_of(store).read_bytes(), store.load(PLAIN)
    for place in range(len(good)):
        manifest_of(store).write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        try:
            loaded = store.load(PLAIN)
        except TableRefusedError:
            continue
        assert (loaded.value, loaded.sd, loaded.seconds) == (expected.value, expected.sd, expected.seconds)
        assert np.array_equal(loaded.values, expected.values)


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_a_truncated_array_is_refused(store: TableStore, share: float) -> None:
    path = array_of(store)
    os.truncate(path, int(path.stat().st_size * share))
    assert_refused(store, "its array is damaged")


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_truncated_manifest_is_refused(store: TableStore, share: float) -> None:
    path = manifest_of(store)
    os.truncate(path, int(path.stat().st_size * share))
    assert_refused(store, "its manifest is damaged")


def test_a_missing_array_is_refused(store: TableStore) -> None:
    array_of(store).unlink()
    assert_refused(store, "its array is missing")


def test_a_table_made_for_other_rules_is_refused_and_replaced_on_request(store: TableStore) -> None:
    other = replace(PLAIN, rolls=2)
    with pytest.raises(TableRefusedError, match="it was made for other rules: make it anew with 'rollwise solve'"):
        store.load(other)
    with pytest.raises(TableRefusedError):
        store.solve(other)
    solved = store.solve(other, rebuild=True)
    assert solved.value == solve_game(other).value
    with pytest.raises(TableRefusedError):
        store.load(PLAIN)
    assert len(list(store.path(PLAIN).iterdir())) == 2


def test_a_table_of_another_format_is_refused(store: TableStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "FORMAT", tables.FORMAT + 1)
    assert_refused(store, "it has format 2 and this version reads 3")


def test_an_edited_manifest_is_refused(store: TableStore) -> None:
    manifest = json.loads(manifest_of(store).read_text())
    manifest["value"] += 1.0
    manifest_of(store).write_text(json.dumps(manifest))
    assert_refused(store, "its manifest is damaged")


def test_a_damaged_table_is_replaced_on_request(store: TableStore) -> None:
    flip_byte(array_of(store), 0.5)
    expected = solve_game(PLAIN)
    assert store.solve(PLAIN, rebuild=True).value == expected.value
    assert np.array_equal(store.load(PLAIN).values, expected.values)


def test_a_killed_solve_leaves_the_old_table_or_a_whole_new_one(store: TableStore) -> None:
    """Killed at moments spread over start, solve, write and end; then everything still holds."""
    expected = store.load(PLAIN)
    began = time.monotonic()
    assert start_solve(store.folder, "force").wait(timeout=120) == 0
    duration = time.monotonic() - began
    rng = random.Random(5)
    killed = 0
    for attempt in range(12):
        process = start_solve(store.folder, "force")
        time.sleep(duration * (attempt + rng.random()) / 12)
        process.send_signal(signal.SIGKILL)
        killed += process.wait(timeout=60) == -signal.SIGKILL
        process.communicate()
        loaded = store.load(PLAIN)
        assert loaded.value == expected.value
        assert np.array_equal(loaded.values, expected.values)
    assert killed >= 6
    store.solve(PLAIN, force=True)
    assert len(list(store.path(PLAIN).iterdir())) == 2


def test_killed_between_array_and_manifest(store: TableStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst moment: the new array is in place, the manifest still names the old one."""
    old = store.load(PLAIN)

    def die(*_: object) -> str:
        raise SystemExit

    monkeypatch.setattr(stored, "_checksum", die)
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)
    with pytest.raises(SystemExit):
        store.save(replace(old, values=np.array(old.values) + 1.0))
    monkeypatch.undo()
    assert len(list(store.path(PLAIN).glob("*.npy"))) == 2
    assert np.array_equal(store.load(PLAIN).values, old.values)
    store.save(old)
    assert len(list(store.path(PLAIN).glob("*.npy"))) == 1


def test_a_full_disk_is_told_and_the_old_table_stays(store: TableStore) -> None:
    """The operating system refuses to write more than 100 kB to a file."""
    old = store.load(PLAIN)

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
        with pytest.raises(RollwiseError, match=r"cannot write to .*; make room or choose another folder"):
            store.save(replace(old, values=np.array(old.values) + 1.0))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert np.array_equal(store.load(PLAIN).values, old.values)
    assert len(list(store.path(PLAIN).iterdir())) == 2


def test_too_little_room_is_told_before_solving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 1000}))
    monkeypatch.setattr(tables, "solve_game", lambda *_, **__: pytest.fail("solved without room to store"))
    with pytest.raises(RollwiseError, match=r"needs 2 MiB and '.*' has 0 MiB left"):
        TableStore(tmp_path).solve(PLAIN)


def test_two_solves_at_once_solve_only_once(tmp_path: Path) -> None:
    """Whoever comes second waits and takes the table of the first."""
    store = TableStore(tmp_path)
    with store.lock(PLAIN):
        both = [start_solve(tmp_path), start_solve(tmp_path)]
        assert all(process.stdout and process.stdout.readline() == "waiting\n" for process in both)
    results = [process.communicate(timeout=120) for process in both]
    assert [out for out, _ in results] == ["solved\n", "solved\n"], results
    assert store.load(PLAIN).value == pytest.approx(245.87077451411164, abs=1e-9)
    assert len(list(store.path(PLAIN).iterdir())) == 2


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RollwiseError, match="cannot write to"):
        TableStore(tmp_path / "file").solve(PLAIN)


def test_a_table_that_cannot_be_read_is_refused(store: TableStore) -> None:
    """A folder where the array should be: `load` refuses it by name, and solving makes it anew."""
    path = array_of(store)
    path.unlink()
    path.mkdir()
    assert_refused(store, "its array cannot be read")
    path.rmdir()
    assert store.solve(PLAIN, rebuild=True).value == solve_game(PLAIN).value


def test_a_good_table_needs_no_lock(store: TableStore) -> None:
    """Someone who solves anew at this moment does not keep others from asking."""
    with store.lock(PLAIN):
        assert store.solve(PLAIN).value == store.load(PLAIN).value


def test_what_is_not_ours_stays(store: TableStore) -> None:
    (store.path(PLAIN) / "notes").mkdir()
    store.solve(PLAIN, force=True)
    assert (store.path(PLAIN) / "notes").is_dir()


def test_a_game_that_cannot_be_solved_leaves_nothing(tmp_path: Path) -> None:
    sixzee = find_game("sixzee")
    huge = replace(sixzee, boxes=sixzee.boxes + tuple(Box(name=f"more-{place}") for place in range(6)))
    with pytest.raises(RollwiseError, match="states: at most 500,000,000 can be solved exactly"):
        TableStore(tmp_path / "tables").solve(huge)
    assert not (tmp_path / "tables").exists()


def test_the_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLWISE_TABLES", str(tmp_path))
    assert TableStore().folder == tmp_path


def flip_byte(path: Path, place: float) -> None:
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= 0x10
    path.write_bytes(data)


def assert_refused(store: TableStore, reason: str) -> None:
    message = f"cannot be used, {reason}: make it anew with 'rollwise solve'"
    with pytest.raises(TableRefusedError, match=message):
        store.load(PLAIN)
    with pytest.raises(TableRefusedError, match=message):
        store.solve(PLAIN)
