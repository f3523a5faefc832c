# Every target sets up .venv by itself, and again only when pyproject.toml or constraints.txt changed.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: run test test-slow results results-columns results-sixis notebooks bench lint golden reference clean

run: .venv/installed
	@$(BIN)/rollwise solve yahtzee
	@echo
	@$(BIN)/rollwise advise yahtzee --dice 33356 --rolls-left 2
	@echo
	@echo "Try next:"
	@echo "  $(BIN)/rollwise advise yahtzee --dice 33356 --rolls-left 0 --sheet 'threes=9 yahtzee=50'"
	@echo "  $(BIN)/rollwise solve sixzee          (about a minute)"
	@echo "  $(BIN)/rollwise solve examples/house-rules.toml"
	@echo "  $(BIN)/rollwise simulate yahtzee --strategy greedy"
	@echo "  $(BIN)/rollwise variants"

test: .venv/installed-for-tests
	$(BIN)/python -m pytest -q -n 2 --dist worksteal

test-slow: .venv/installed-for-tests
	$(BIN)/python -m pytest -q -m slow

results: .venv/installed
	$(BIN)/python results/make.py

results-columns: .venv/installed
	$(BIN)/rollwise solve triple-yahtzee --minutes 20
	$(BIN)/rollwise solve dicegame --minutes 20
	$(BIN)/rollwise bound triple-yahtzee --minutes 30
	$(BIN)/rollwise bound dicegame --minutes 30
	$(BIN)/python results/columns.py

results-sixis: .venv/installed
	$(BIN)/python results/sixis.py

notebooks: .venv/installed-for-tests
	$(BIN)/python notebooks/run.py

bench: .venv/installed-for-tests
	$(BIN)/python -m bench

lint: .venv/installed-for-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

reference: .venv/installed
	$(BIN)/python -m cli.reference > docs/commands.md

golden: .venv/installed-for-tests
	$(BIN)/python -m tests.golden

clean:
	rm -rf .venv build *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml constraints.txt | .venv/bin/python
	@echo "Installing into .venv (once) ..."
	@$(PIP) --editable '.[parquet]'
	@touch $@

.venv/installed-for-tests: pyproject.toml constraints.txt | .venv/bin/python
	@echo "Installing into .venv (once, with what the tests need) ..."
	@$(PIP) --editable '.[test]'
	@touch $@ .venv/installed
