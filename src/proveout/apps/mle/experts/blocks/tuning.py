"""A bounded search for better options, within the training rows of a fold."""

import time
from typing import Any

import numpy as np
import optuna

from proveout.apps.mle.experts.blocks.part import Part, seen, some_of
from proveout.apps.mle.experts.blocks.settings import LABELS
from proveout.apps.mle.experts.blocks.validate import Member
from proveout.apps.mle.experts.blocks.views import with_fitted


def inner_part(part: Part) -> Part:
    """The rows that tell when to stop become rows to predict; others take their place."""
    learn = ~part.stop
    days = [part.times[0][learn], part.times[0][part.stop]]
    return Part(
        fit=part.fit[learn],
        y=part.y[learn],
        others=[part.fit[part.stop]],
        times=days,
        steps=part.steps,
        weight=part.weight[learn],
        stop=some_of(int(learn.sum()), 0.12, part.seed),
        keys=part.keys[learn],
        seed=part.seed,
    )


def inner_loss(y: np.ndarray, given: np.ndarray) -> float:
    """Log loss, or absolute error: what most metrics agree with."""
    if LABELS:
        return float(-np.mean(np.log(np.clip(given[np.arange(len(y)), y.astype(int)], 1e-9, 1.0))))
    return float(np.mean(np.abs(y - given[:, 0])))


def tuned(
    part: Part,
    member: Member,
    searches: int,
    search: dict[str, tuple[float, float]],
    seconds: float,
) -> dict[str, Any]:
    """The member's options, or better ones nearby; so many searches have `seconds` together."""
    share = seconds / searches
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    inner = inner_part(part)
    seen(inner, with_fitted)
    inner.deadline = time.monotonic() + share

    def loss(trial: optuna.Trial) -> float:
        options = dict(member.options)
        for name, (low, high) in search.items():
            if isinstance(options[name], int):
                options[name] = trial.suggest_int(name, int(low), int(high), log=True)
            else:
                options[name] = trial.suggest_float(name, low, high, log=True)
        return inner_loss(part.y[part.stop], member.fit(inner, options)[0])

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=part.seed))
    study.enqueue_trial({name: member.options[name] for name in search})
    study.optimize(loss, n_trials=25, timeout=share)
    return {**member.options, **study.best_params}
