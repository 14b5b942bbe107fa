"""Scripts that the writer makes: they compile, leak nothing, follow the protocol, repeat."""

import ast
import json
import random
import runpy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle import leakage
from proveout.apps.mle.experts import blocks
from proveout.apps.mle.experts.cards import ALL, CARDS
from proveout.apps.mle.experts.edits import EDITS, REFITTED
from proveout.apps.mle.experts.features import ALL_STEPS
from proveout.apps.mle.experts.joining import bound, joined
from proveout.apps.mle.experts.ranking import (
    FEWEST_FIRST,
    first_cards,
    first_recipe,
    first_scripts,
    rank_cards,
)
from proveout.apps.mle.experts.recipe import Blend, Recipe, ensemble, merge
from proveout.apps.mle.experts.steering import written
from proveout.apps.mle.experts.writer import write_script
from proveout.apps.mle.problem import Column, ColumnKind, Problem
from proveout.apps.mle.tables.metrics import METRICS

ROWS, TEST_ROWS, FOLDS = 160, 50, 3
AWKWARD = ('say "hi"', "it's [odd] {x}", "back\\slash", "two\nlines", "ümlaut, €")


def column(name: str, kind: ColumnKind, unique: int = 40, words: float = 1.0) -> Column:
    return Column(name=name, kind=kind, unique=unique, words=words, missing=0.05)


MIXED = tuple(
    [
        column(AWKWARD[0], "number"),
        column(AWKWARD[1], "number"),
        column("lat", "number"),
        column("lon", "number"),
        column(AWKWARD[2], "category", 4),
        column(AWKWARD[3], "category", 30),
        column("cabin", "category", 100),
        column("flag", "boolean", 2),
        column("when", "date"),
        column(AWKWARD[4], "text", 150, 6.0),
    ]
)


def table(rows: int, seed: int) -> pd.DataFrame:
    """Every kind of column, with gaps; some names occur only once."""
    chance = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "id": [f"{seed}{number // 3:04d}_{number % 3:02d}" for number in range(rows)],
            AWKWARD[0]: chance.gamma(2.0, 50.0, rows),
            AWKWARD[1]: chance.gamma(2.0, 70.0, rows),
            "lat": chance.uniform(40, 41, rows),
            "lon": chance.uniform(-74, -73, rows),
            AWKWARD[2]: chance.choice(["a", "b'", 'c"', "d"], rows),
            AWKWARD[3]: chance.choice([f"n{number}" for number in range(30)], rows),
            "cabin": [f"{chance.choice(list('ABC'))}/{chance.integers(99)}/P" for _ in range(rows)],
            "flag": chance.choice(["True", "False"], rows),
            "when": pd.Timestamp(2020, 1, 1)
            + pd.to_timedelta(chance.integers(900, size=rows), "D"),
            AWKWARD[4]: [
                " ".join(chance.choice(["red", "blue", "far", "near", "well", "ill"], 6))
                for _ in range(rows)
            ],
        }
    )
    for name in frame.columns[1:]:
        frame.loc[chance.random(rows) < 0.05, name] = np.nan if name != "when" else pd.NaT
    return frame


def signal(frame: pd.DataFrame) -> np.ndarray:
    words = frame[AWKWARD[4]].fillna("").str.count("red")
    value = frame[AWKWARD[0]].fillna(100) / 50 + words + (frame[AWKWARD[2]] == "a")
    return np.asarray(value, dtype="float64")


def mixed_problem(kind: str, metric: str, **more: object) -> Problem:
    labels = {"binary": ("no", "yes"), "multiclass": ("1", "2", "3")}.get(kind, ())
    targets = ("first", "second") if kind == "regression" else ("answer",)
    form = "value"
    answers: tuple[str, ...] = targets
    if metric in ("auc", "logloss"):
        form = "probability" if kind == "binary" else "wide"
        answers = targets if kind == "binary" else labels
    known: dict[str, object] = {
        "name": "mixed",
        "kind": kind,
        "metric": metric,
        "direction": METRICS[metric].direction,
        "targets": targets,
        "labels": labels,
        "id_column": "id",
        "submission_columns": ("id", *answers),
        "submission": form,
        "columns": MIXED,
        "rows": ROWS,
        "test_rows": TEST_ROWS,
    }
    return Problem.model_validate({**known, **more})


def put_mixed(folder: Path, problem: Problem) -> pd.DataFrame:
    """Writes `input/`; gives the training table back."""
    train, test = table(ROWS, 1), table(TEST_ROWS, 2)
    value = signal(train)
    if problem.kind == "regression":
        train["first"], train["second"] = value, 100 - value**2
    else:
        cuts = np.quantile(value, np.linspace(0, 1, len(problem.labels) + 1)[1:-1])
        train["answer"] = np.array(problem.labels)[np.searchsorted(cuts, value)]
    fold = np.arange(ROWS) // 3 % FOLDS
    if problem.time:
        order = train["when"].fillna(pd.Timestamp(2020, 1, 1)).rank(method="first").to_numpy()
        fold = np.clip((order - 1) // (ROWS / 4), 0, 3).astype(int) - 1
    folder.joinpath("input").mkdir()
    train.to_csv(folder / "input/train.csv", index=False)
    test.to_csv(folder / "input/test.csv", index=False)
    pd.DataFrame({"fold": fold}).to_csv(folder / "input/folds.csv", index=False)
    return train


def small(recipe: Recipe) -> Recipe:
    """So few trees and nets that a run takes no time."""
    quick = {"rounds": 12, "iterations": 12, "max_iter": 12, "trees": 12, "nets": 1}
    return recipe.with_members(
        [
            member.with_parameters(**{n: v for n, v in quick.items() if n in member.parameters})
            for member in recipe.members
        ]
    )


def run(source: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, np.ndarray]:
    folder.joinpath("script.py").write_text(source, encoding="utf-8")
    monkeypatch.chdir(folder)
    runpy.run_path("script.py", run_name="__main__")
    with np.load("final/predictions.npz", allow_pickle=False) as held:
        return {name: held[name] for name in held.files}


def check_protocol(
    problem: Problem, train: pd.DataFrame, made: dict[str, np.ndarray], printed: str
) -> None:
    fold = pd.read_csv("input/folds.csv")["fold"].to_numpy()
    width = len(problem.labels) or len(problem.targets)
    assert sorted(made["rows"]) == list(np.flatnonzero(fold >= 0))
    assert made["predictions"].shape == (len(made["rows"]), width)
    assert made["test"].shape == (TEST_ROWS, width)
    assert np.isfinite(made["predictions"]).all()
    assert np.isfinite(made["test"]).all()
    if problem.labels:
        assert np.allclose(made["predictions"].sum(axis=1), 1, atol=1e-3)
        truth = train["answer"].map({label: at for at, label in enumerate(problem.labels)})
        wanted = truth.to_numpy()[made["rows"]]
    else:
        wanted = train[list(problem.targets)].to_numpy()[made["rows"]]
    decisions = made.get("decisions")
    scores = []
    for number in range(fold.max() + 1):
        held = fold[made["rows"]] == number
        chosen = None if decisions is None else decisions[held]
        metric = METRICS[problem.metric]
        scores.append(metric.score(problem, wanted[held], made["predictions"][held], chosen))
    lines = [line for line in printed.splitlines() if "Final Validation Performance:" in line]
    assert len(lines) == 1
    assert float(lines[0].rpartition(":")[2]) == pytest.approx(np.mean(scores), rel=1e-4)
    answer = pd.read_csv("final/submission.csv", dtype={"id": "str"})
    assert tuple(answer.columns) == problem.submission_columns
    assert list(answer["id"]) == list(pd.read_csv("input/test.csv", dtype={"id": "str"})["id"])
    assert not answer.isna().any().any()


CASES: dict[str, tuple[Callable[[], Problem], list[str]]] = {
    "binary auc": (lambda: mixed_problem("binary", "auc"), ["lightgbm", "linear", "text_bayes"]),
    "binary f1 in groups": (
        lambda: mixed_problem("binary", "f1", groups="id|_"),
        ["extra_trees", "catboost"],
    ),
    "three classes": (
        lambda: mixed_problem("multiclass", "logloss"),
        ["xgboost", "discriminant", "text_ratio", "text_pieces", "support_vectors", "likeness"],
    ),
    "ordered classes": (
        lambda: mixed_problem("multiclass", "qwk"),
        ["random_forest", "neighbours", "lightgbm_ordered", "catboost_ordered"],
    ),
    "two numbers": (
        lambda: mixed_problem("regression", "rmse"),
        ["lightgbm", "histogram_boosting", "net", "likeness", "text_linear", "dummy"],
    ),
    "later rows": (
        lambda: mixed_problem("regression", "mae", time="when", years=2.5),
        ["lightgbm", "linear", "extra_trees"],
    ),
    "later classes": (lambda: mixed_problem("binary", "accuracy", time="when"), ["linear"]),
}


@pytest.mark.parametrize("case", CASES)
def test_scripts_follow_the_protocol(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make, cards = CASES[case]
    problem = make()
    recipe = small(merge([first_recipe(problem, card) for card in cards]))
    # Everything that fits, also what first recipes leave out.
    every = tuple(step.name for step in ALL_STEPS if step.fits(problem))
    whole = recipe.members[0].model_copy(update={"steps": every})
    recipe = recipe.with_members([whole, *recipe.members[1:]])
    train = put_mixed(tmp_path, problem)
    made = run(write_script(problem, recipe), tmp_path, monkeypatch)
    check_protocol(problem, train, made, capsys.readouterr().out)


def test_a_script_says_the_same_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = mixed_problem("binary", "auc")
    recipe = small(merge([first_recipe(problem, card) for card in ("lightgbm", "extra_trees")]))
    source = write_script(problem, recipe)
    assert source == write_script(problem, recipe)
    put_mixed(tmp_path, problem)
    first, second = (run(source, tmp_path, monkeypatch) for _ in range(2))
    assert np.array_equal(first["predictions"], second["predictions"])
    assert np.array_equal(first["test"], second["test"])


def test_boosting_can_end_with_all_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = mixed_problem("binary", "auc")
    recipe = small(merge([first_recipe(problem, card) for card in REFITTED]))
    again = [member.with_parameters(refit=True) for member in recipe.members]
    train = put_mixed(tmp_path, problem)
    before = run(write_script(problem, recipe), tmp_path, monkeypatch)
    capsys.readouterr()
    after = run(write_script(problem, recipe.with_members(again)), tmp_path, monkeypatch)
    check_protocol(problem, train, after, capsys.readouterr().out)
    assert not np.array_equal(before["predictions"], after["predictions"])


@pytest.mark.parametrize("blend", ["rank", "geometric", "stack"])
def test_blends_keep_to_the_protocol(
    blend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = mixed_problem("binary", "auc")
    recipes = [small(first_recipe(problem, card)) for card in ("linear", "text_bayes")]
    recipe = ensemble(recipes, [0.7, 0.3]).model_copy(update={"blend": blend})
    train = put_mixed(tmp_path, problem)
    made = run(write_script(problem, recipe), tmp_path, monkeypatch)
    check_protocol(problem, train, made, capsys.readouterr().out)


@pytest.mark.parametrize(
    ("kind", "metric", "blend"),
    [("binary", "auc", "rank"), ("binary", "logloss", "stack"), ("regression", "mae", "stack")],
)
def test_whole_scripts_are_bound_into_one(
    kind: str,
    metric: str,
    blend: Blend,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    problem = mixed_problem(kind, metric)
    recipes = [small(first_recipe(problem, card)) for card in ("linear", "extra_trees")]
    sources = [write_script(problem, recipe) for recipe in recipes]
    train = put_mixed(tmp_path, problem)
    made = run(bound(problem, sources, [0.7, 0.3], blend), tmp_path, monkeypatch)
    check_protocol(problem, train, made, capsys.readouterr().out)


@pytest.mark.parametrize(
    ("kind", "metric", "blend"),
    [
        ("binary", "mcc", "mean"),
        ("binary", "accuracy", "stack"),
        ("multiclass", "macro_f1", "mean"),
        ("multiclass", "qwk", "stack"),
    ],
)
def test_whole_scripts_are_bound_with_a_rule_of_their_own(
    kind: str,
    metric: str,
    blend: Blend,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    problem = mixed_problem(kind, metric)
    recipes = [small(first_recipe(problem, card)) for card in ("linear", "extra_trees")]
    sources = [write_script(problem, recipe) for recipe in recipes]
    train = put_mixed(tmp_path, problem)
    whole = bound(problem, sources, [0.7, 0.3], blend, decide=True)
    assert not leakage.examine(whole).leaks
    made = run(whole, tmp_path, monkeypatch)
    check_protocol(problem, train, made, capsys.readouterr().out)
    answer = pd.read_csv("final/submission.csv", dtype=str)["answer"]
    assert list(answer) == [problem.labels[at] for at in made["test_decisions"]]


@pytest.mark.parametrize("decide", [True, False])
def test_recipes_are_joined_with_the_rule_that_is_asked_for(decide: bool) -> None:
    """Members that decide do not make a blend decide that was chosen without."""
    problem = mixed_problem("binary", "mcc")
    sources = [written(problem, first_recipe(problem, card)) for card in ("linear", "extra_trees")]
    whole = joined(problem, sources, [0.5, 0.5], seconds=9.0, decide=decide)
    assert ("nested_decisions(" in whole) == decide
    alone = joined(problem, sources[:1], [1.0], seconds=9.0, decide=decide)
    assert "nested_decisions(" in alone


@pytest.mark.parametrize(
    ("metric", "measure"), [("rmse", ""), ("rmsle", ', "log"'), ("mape", ', "relative"')]
)
def test_scripts_stack_in_the_measure_of_the_metric(metric: str, measure: str) -> None:
    problem = mixed_problem("regression", metric)
    recipes = [first_recipe(problem, card) for card in ("linear", "extra_trees")]
    recipe = ensemble(recipes, [0.7, 0.3]).model_copy(update={"blend": "stack"})
    source = write_script(problem, recipe)
    assert f"stacked(found, tests, truth, fold, False{measure})" in source
    assert not leakage.examine(source).leaks


FORMS = ("log", "root", "level", "level ratio", "weekday ratio")


def test_other_forms_of_the_target_are_turned_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = mixed_problem("regression", "mae", time="when", years=2.5)
    first = small(first_recipe(problem, "linear"))
    first = first.with_first(first.members[0].having(drop=("topics", "neighbours", "calendar")))
    members = [first.members[0].model_copy(update={"form": form}) for form in FORMS]
    members[0] = members[0].model_copy(update={"weigh": ("recent", "repeats")})
    train = put_mixed(tmp_path, problem)
    made = run(write_script(problem, first.with_members(members)), tmp_path, monkeypatch)
    check_protocol(problem, train, made, capsys.readouterr().out)
    assert abs(made["test"][:, 0].mean() - train["first"].mean()) < train["first"].std()


@pytest.mark.parametrize("case", ["binary f1 in groups", "later rows"])
def test_every_card_that_fits_gives_a_script_without_leaks(case: str) -> None:
    problem = CASES[case][0]()
    for card in rank_cards(problem, 300.0):
        source = write_script(problem, first_recipe(problem, card))
        tree = ast.parse(source)
        imported = [
            node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))
        ]
        assert not any("proveout" in ast.unparse(node) for node in imported)
        marks = [line for line in source.splitlines() if line.startswith("# == ")]
        assert marks[:2] == ["# == load ==", "# == features =="]
        assert marks[-2:] == ["# == validate ==", "# == predict =="]
        assert any(mark.startswith("# == model:") for mark in marks)
        assert leakage.examine(source).leaks == ()


def test_cards_that_do_not_fit_are_not_ranked() -> None:
    table_only = mixed_problem("regression", "rmse", columns=MIXED[:4])
    names = {card.name for card in rank_cards(table_only, 300.0)}
    assert "lightgbm" in names
    assert not any(name.startswith("text") for name in names)
    assert "discriminant" not in names
    text_only = mixed_problem("multiclass", "logloss", columns=MIXED[-1:])
    best = rank_cards(text_only, 300.0)[0]
    assert best.text
    assert all(card.cost(text_only) > 0 for card in ALL)


def test_little_time_means_fewer_trees_then_fewer_rows() -> None:
    large = mixed_problem("binary", "auc").model_copy(update={"rows": 2_000_000})
    plenty, hurried = (first_recipe(large, "lightgbm", seconds=s) for s in (1e6, 20.0))
    assert plenty.most_rows == 0
    assert 0 < hurried.most_rows < large.rows
    assert int(str(hurried.members[0].parameters["rounds"])) < int(
        str(plenty.members[0].parameters["rounds"])
    )


LATER = {"long": 14.0, "short": 0.9}


@pytest.mark.parametrize("history", LATER)
def test_some_first_scripts_take_time_the_other_way(history: str) -> None:
    """Whether levels and lags help is for the folds to say; little history makes them unlikely."""
    told = {"time": "when", "years": LATER[history], "columns": MIXED[:-1]}
    problem = mixed_problem("regression", "rmse", **told)
    cards = rank_cards(problem, 300.0)[:FEWEST_FIRST]
    scripts = first_scripts(problem, cards, 60.0, 8)
    recipes = [recipe for _, recipe in scripts]
    assert len({name for name, _ in scripts}) == len(scripts) == len(cards) + 2
    # The first card takes all ways.
    assert {recipe.members[0].card for recipe in recipes[:3]} == {cards[0].name}
    assert first_scripts(problem, cards, 60.0, 3) == scripts[:3]
    assert recipes.pop(2).members[0].form == "guess"
    follow = [recipe for recipe in recipes if "lags" in recipe.members[0].steps]
    plain = [recipe for recipe in recipes if recipe not in follow]
    assert {recipe.members[0].form for recipe in follow} == {"level ratio"}
    assert {recipe.members[0].form for recipe in plain} == {"plain"}
    assert not any("calendar" in recipe.members[0].steps for recipe in plain)
    more, fewer = (follow, plain) if history == "long" else (plain, follow)
    assert len(more) > len(fewer) > 0
    assert recipes[0] in more


def test_time_can_be_followed_or_forgotten_by_one_edit() -> None:
    problem = mixed_problem("regression", "rmse", time="when", years=14.0)
    by_name = {edit.name: edit for edit in EDITS}
    follow, forget = by_name["follow time"], by_name["forget time"]
    series, plain = (first_recipe(problem, "linear", series=wanted) for wanted in (True, False))
    chance = random.Random(0)
    assert not follow.applies(problem, series)
    assert not forget.applies(problem, plain)
    assert forget.apply(problem, series, chance).members[0].form == "plain"
    assert set(forget.apply(problem, series, chance).members[0].steps) == {*plain.members[0].steps}
    assert set(follow.apply(problem, plain, chance).members[0].steps) == {*series.members[0].steps}
    assert not follow.applies(mixed_problem("binary", "auc", time="when"), plain)


def test_columns_of_series_cost_time() -> None:
    plain = mixed_problem("regression", "rmse").model_copy(update={"rows": 100_000})
    ordered = plain.model_copy(update={"time": "when"})
    assert CARDS["lightgbm"].cost(ordered) > CARDS["lightgbm"].cost(plain) + 5.0


def test_few_models_begin_where_time_is_short_for_many() -> None:
    large = mixed_problem("binary", "auc").model_copy(update={"rows": 2_000_000})
    assert len(first_cards(large, 8, 1e6)) == 8
    assert len(first_cards(large, 8, 60.0)) == FEWEST_FIRST
    assert len(first_cards(large, 2, 60.0)) == 2


def test_recipes_survive_json_and_join_by_members() -> None:
    problem = mixed_problem("binary", "auc")
    first, second = (first_recipe(problem, card) for card in ("lightgbm", "linear"))
    assert Recipe.model_validate_json(first.model_dump_json()) == first
    both = merge([first, second, first])
    assert [member.card for member in both.members] == ["lightgbm", "linear"]
    weighed = ensemble([first, both], [0.5, 0.5])
    assert {m.card: m.weight for m in weighed.members} == {"lightgbm": 0.75, "linear": 0.25}
    alone = ensemble([first, second], [0.0, 2.0])
    assert [member.card for member in alone.members] == ["linear"]
    with pytest.raises(ValueError, match="positive weight"):
        ensemble([first, second], [0.0, 0.0])
    assert json.loads(weighed.model_dump_json())["members"]


@pytest.mark.parametrize("case", CASES)
def test_edits_that_apply_make_other_scripts_that_compile(case: str) -> None:
    problem = CASES[case][0]()
    for card in ("lightgbm", "linear"):
        recipe = first_recipe(problem, card)
        for edit in EDITS:
            if edit.applies(problem, recipe):
                made = edit.apply(problem, recipe, random.Random(1))
                assert made != recipe, edit.name
                ast.parse(write_script(problem, made))


def test_edits_stay_away_where_they_make_no_sense() -> None:
    problem = mixed_problem("binary", "auc")
    recipe = first_recipe(problem, "linear")
    applying = {edit.name for edit in EDITS if edit.applies(problem, recipe)}
    assert not any(name.startswith("learn ") for name in applying)
    assert "decide" not in applying
    assert "weigh recent" not in applying
    assert "slower learning" not in applying
    assert len({edit.name for edit in EDITS}) == len(EDITS)
    assert set(CARDS) == {card.name for card in ALL}


def test_a_search_for_settings_stays_within_its_fold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = mixed_problem("binary", "logloss")
    first = small(first_recipe(problem, "lightgbm"))
    search = next(edit for edit in EDITS if edit.name == "search settings")
    made = search.apply(problem, first, random.Random(0))
    assert not search.applies(problem, made)
    brief = made.with_first(made.members[0].model_copy(update={"tune_seconds": 1.0}))
    source = write_script(problem, brief)
    # The whole of the time: how many searches share it is known when the script runs.
    assert "seconds=1)" in source
    assert leakage.examine(source).leaks == ()
    train = put_mixed(tmp_path, problem)
    check_protocol(problem, train, run(source, tmp_path, monkeypatch), capsys.readouterr().out)


def test_no_name_is_given_twice_among_the_blocks() -> None:
    """A script has one space for all of them: the later would take the place of the first."""
    texts = (path.read_text(encoding="utf-8") for path in Path(blocks.__path__[0]).glob("*.py"))
    kinds = (ast.FunctionDef, ast.ClassDef)
    names = [it.name for text in texts for it in ast.parse(text).body if isinstance(it, kinds)]
    assert len(names) == len(set(names)) > 100
