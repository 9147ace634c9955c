# make demo   install, load the demo, serve it on http://127.0.0.1:8000
# make test   install, run the tests (SQLite always; PostgreSQL and Chromium where they are found)
# make check  formatting, lint, types, import directions, migrations, deployment settings
# make bench  measurements, as ratios

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' && echo $$p && break; done)
BIN := .venv/bin
export PLUMBLINE_LOCAL ?= 1

.PHONY: demo test check bench pictures

demo: .venv/.runtime
	$(BIN)/python manage.py migrate --verbosity 0
	$(BIN)/python manage.py collectstatic --noinput --verbosity 0
	$(BIN)/python manage.py load_demo
	$(BIN)/python manage.py serve

test: .venv/.dev
	$(BIN)/python -m tests.run

check: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	PYTHONPATH=. $(BIN)/mypy config evalsets labelling scoring
	$(BIN)/djlint --lint --quiet templates
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run
	PLUMBLINE_LOCAL=0 PLUMBLINE_HOSTS=plumbline.example.org PLUMBLINE_SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(60))') \
		$(BIN)/python manage.py check --deploy --fail-level WARNING

bench: .venv/.dev
	for file in benchmarks/[a-z]*.py; do echo "== $$file"; $(BIN)/python -m benchmarks.$$(basename $$file .py) || exit 1; done

pictures: .venv/.dev
	$(BIN)/python docs/take_pictures.py

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Plumbline takes Python 3.11 or newer; none was found."; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.runtime: .venv/bin/python constraints.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	touch $@

.venv/.dev: .venv/.runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@
