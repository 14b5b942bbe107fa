"""Which metric a description means, among those that it speaks of or paraphrases."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle import intake
from proveout.apps.mle.intake.errors import IntakeError
from proveout.apps.mle.intake.judged import judged_by
from proveout.apps.mle.tables.metrics import METRICS
from tests.mle_tables import rows, write_task

BALANCED = "balanced_accuracy"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The winner had an accuracy of 91 %. Submissions are evaluated by log loss.", ["logloss"]),
        ("We measure the pinball loss. Baseline: MAE 3.", ["pinball loss"]),
        ("## Evaluation\nPinball loss; MAE is told, too.\n", ["pinball loss"]),
        ("RMSE or MAE", ["rmse", "mae"]),
        ("Features with a Pearson correlation were removed. Metric: R2", ["r2"]),
        ("**Metric:** `mean_absolute_error`", ["mae"]),
        ("Evaluation\n----------\nThe Brier score.", ["brier"]),
        ("1. Fit a model.\n2. It is scored with Cohen's kappa.", ["kappa"]),
        ("Nothing.", []),
    ],
)
def test_sentences_about_the_evaluation_count_first(text: str, found: list[str]) -> None:
    assert list(judged_by(text).names) == found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Because neither the AUC nor the log loss punishes it, we go by Cohen's kappa.", "kappa"),
        ("You are not judged by accuracy but by balanced accuracy.", "balanced_accuracy"),
        ("Instead of RMSE we use the mean absolute error.", "mae"),
        ("Ranking: MAE rather than RMSE, as a few values are huge.", "mae"),
        ("Unlike MAE and RMSE, MAPE does not depend on the currency; it decides.", "mape"),
        ("Accuracy would be misleading with so few frauds; submissions are ranked by AUC.", "auc"),
        ("With 2 % positives accuracy is useless. The metric is average precision.", "ap"),
        ("Accuracy alone says little, so entries are scored on macro-averaged F1.", "macro_f1"),
        ("Entries are ranked by RMSE. The MAE is also shown, for information only.", "rmse"),
        ("Entries are ranked by RMSLE; ties are broken by MAE.", "rmsle"),
        ("Our baseline reaches an RMSE of 4.2. We judge by R².", "r2"),
        ("A constant guess has 83 % accuracy! The score is the F1 of the class `late`.", "f1"),
        ("Earlier studies evaluated their models by accuracy. Here, log loss is used.", "logloss"),
        ("Last year entries were ranked by MAE. This year the criterion is RMSE.", "rmse"),
        ("The GPS has an accuracy of 5 m. Predictions are scored by RMSE.", "rmse"),
        ("We measured the accuracy of the scale twice. Metric: MAE.", "mae"),
        ("- `accuracy`: accuracy of the fix, metres\n- `y`: target\n\nScored by MAE.", "mae"),
        ("`mcc` is the merchant category code. Scored with the area under the ROC curve.", "auc"),
        ("## Evaluation\nAccuracy is not of interest. Kappa with quadratic weights is.", "qwk"),
        ("## Scoring\nOne could think of accuracy, F1 or AUC.\nWe use log loss.", "logloss"),
        ("Minimise the RMSE (not to be confused with the RMSLE).", "rmse"),
        ("The better your model, the higher the accuracy. The leaderboard uses F1.", "f1"),
        ("Evaluation metric: weighted F1, which is fairer than accuracy.", "weighted_f1"),
        ("Log loss decides. Accuracy plays no role.", "logloss"),
        ("We could have taken the MSE; the median absolute error is used.", "medae"),
        ("Submissions aren't ranked by accuracy: the Brier score counts.", "brier"),
        ("Income Gini coefficients are in `gini`. Evaluated with MAPE.", "mape"),
        ("Some prefer MAE. Evaluation uses sMAPE, i.e. the symmetric one.", "smape"),
        ("MCC is used, accuracy being deceptive.", "mcc"),
        ("Metric: F1 of the class `bad`.", "f1"),
        ("Scoring: $R^2$, not the RMSE", "r2"),
        ("score = np.sqrt(mean_squared_error(y, p))", "rmse"),
        ("The RMSE is computed on the log of the price.", "rmsle"),
        ("Evaluation is done via RMSE on log-free prices.", "rmse"),
        ("Forecasts are scored with symmetric MAPE.", "smape"),
        ("Evaluation: `f1_score(y, p, average='weighted')`", "weighted_f1"),
        ("The measure used to rank entries is RMSE.", "rmse"),
        ("Primary metric: AUC. Secondary metric: accuracy.", "auc"),
        ("Accuracy of the forecast is measured as MAPE.", "mape"),
        ("RMSE is dominated by outliers, hence MAE.", "mae"),
        ("Metric: MAE. Hint: models trained with MSE do worse.", "mae"),
        ("We compute F1 for each class separately and average them.", "macro_f1"),
        (
            "For scoring we compute the F1 score of each kind and take the plain (unweighted) "
            "average over the kinds.",
            "macro_f1",
        ),
        ("The score is the F1 of every species, averaged.", "macro_f1"),
        ("Ranked by the F1 score per type, of which the mean counts.", "macro_f1"),
        ("The metric is the F1 score, averaged over the possible statuses.", "macro_f1"),
        ("Ranked by the mean of the F1 scores of all six groups.", "macro_f1"),
        ("Ranked by the average F1 over the kinds.", "macro_f1"),
        ("We average the F1 of each kind, weighted by how many there are.", "weighted_f1"),
        ("Scored by the F1 of each kind, averaged with weights by frequency.", "weighted_f1"),
        ("Scored by the average F1 of three runs.", "f1"),
        ("The score is the mean absolute error in per cent of the true weight.", "mape"),
        ("To improve the accuracy of its clocks a firm asks you. Scored by MAE.", "mae"),
    ],
)
def test_metrics_that_are_set_aside_do_not_count(text: str, name: str) -> None:
    assert judged_by(text).names == (name,)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Scoring is easy: we average the absolute errors over all houses.", "mae"),
        ("Your score is the mean of |predicted - actual| over all rows.", "mae"),
        ("Score = mean(abs(y - p))", "mae"),
        (r"We score by $\frac{1}{n} \sum_{i=1}^{n} |y_i - \hat{y}_i|$.", "mae"),
        ("Submissions are compared by how far they are off on average, in minutes.", "mae"),
        ("The score: sqrt(mean((p - a)^2)).", "rmse"),
        ("score = np.sqrt(np.mean((y_true - y_pred) ** 2))", "rmse"),
        ("score = np.mean(y == p)", "accuracy"),
        ("Scored on the average of the true positive rate and the true negative rate.", BALANCED),
        ("All classes weigh the same, so the average per-class recall is the score.", BALANCED),
        ("The score is the average number of days by which you are off.", "mae"),
        ("The metric is the root of the average squared difference.", "rmse"),
        ("We square the errors, average them and take the root.", "rmse"),
        ("The score is the average of the squared differences.", "mse"),
        ("Submissions are scored as mean((y_hat - y)**2); lower is better.", "mse"),
        ("Scoring:\n\n    sqrt(1/n * sum((log(p + 1) - log(a + 1))^2))", "rmsle"),
        ("The score is the root of the mean of (ln(1 + p) - ln(1 + a)) squared.", "rmsle"),
        ("We compare the logarithms: root of the mean squared difference of the logs.", "rmsle"),
        ("The score is mean(|p - a| / |a|).", "mape"),
        ("Score: by how many per cent you are off, averaged over the shops.", "mape"),
        ("We look at the average percentage by which the prediction misses.", "mape"),
        ("We look at how many litres a guess is off, up or down, on average over all cars.", "mae"),
        (
            "Shops differ in size: the error is the square root of the mean squared difference of "
            "log(1 + sales).",
            "rmsle",
        ),
        ("We take each error as a share of the actual price and average these.", "mape"),
        ("The metric is the mean of 2 * |f - a| / (|a| + |f|).", "smape"),
        (
            "The absolute difference is divided by the mean of both numbers to give a score.",
            "smape",
        ),
        ("The median of the absolute differences is your score.", "medae"),
        ("Your score is the share of the variance that your numbers explain.", "r2"),
        ("Your score: the percentage of wines that you name correctly.", "accuracy"),
        ("We count how many of the labels are right.", "accuracy"),
        ("Score: one point for every correct answer.", "accuracy"),
        ("## How you are judged\n\nShare of test rows that are classified correctly.", "accuracy"),
        (
            "The score is the probability that a random defaulter gets a higher number than "
            "a random other customer.",
            "auc",
        ),
        (
            "From all pairs of a sick and a healthy animal we take the share in which the sick "
            "one has the higher value: that is the score.",
            "auc",
        ),
        ("We score how often a random buyer is ranked above a random visitor.", "auc"),
        ("The score is the harmonic mean of precision and recall.", "f1"),
        ("Score = 2 * precision * recall / (precision + recall)", "f1"),
        ("The score is the average of sensitivity and specificity.", "balanced_accuracy"),
        ("The score is the mean of the recalls of all classes.", "balanced_accuracy"),
        (
            "Your score: minus the logarithm of the probability you gave to what happened.",
            "logloss",
        ),
        ("Score = -mean(y*log(p) + (1-y)*log(1-p))", "logloss"),
        ("The score: the mean squared difference between probability and outcome.", "brier"),
        (
            "The score is the agreement with the jury, where the penalty for a wrong grade grows "
            "with the square of the distance.",
            "qwk",
        ),
        ("The score is the agreement beyond chance.", "kappa"),
        (
            "Accuracy would be useless. The score is the harmonic mean of recall and precision.",
            "f1",
        ),
        ("The clinic hopes for accuracy. Your score: the mean of |p - a|.", "mae"),
    ],
)
def test_what_is_computed_says_which_metric_it_is(text: str, name: str) -> None:
    judged = judged_by(text)
    assert (judged.names, judged.sure) == ((name,), False)
    assert judged.sentence


@pytest.mark.parametrize(
    "text",
    [
        "The accuracy of the sensor is 0.5 degrees.",
        "In 40 % of the cases the answer was wrong; 12 percent of the firms failed.",
        "Pupils were asked for the share of correct answers they expected.",
        "Accuracy would be of no use here.",
        "Entries are ranked by recall. The baseline has an accuracy of 0.9.",
        "The score is the largest absolute error.",
        "For each class we take the share of right answers, and the worst is your score.",
        "The score is the share of forecasts that are correct within 10 %.",
        "Scored by mean(|log(p) - log(a)|).",
        "Score: the absolute errors, divided by the sum of all sales.",
        "Evaluated by the mean of accuracy and F1.",
        "Our metric is the average of the RMSE of `a` and the accuracy of the flag `b`.",
        "Submissions are scored by 0.5 * AUC + 0.5 * F1.",
        "Score = mean(|p - a|^3)",
        "Score = 1 - mean(|p - a|) / mean(a)",
        "We use the average of the absolute errors, weighted by `w`.",
        "The exam score is the share of correct answers.",
        "Each pair of products is compared; the share of the larger value is the score.",
        "Ranked by linearly weighted kappa.",
        "Scored by the relative absolute error.",
        "Scored by the root mean squared percentage error.",
        "You are judged by a mixture of MAE for `a` and RMSE for `b`.",
        "Two components explain 90 % of the variance. Predict `y`.",
        "Married pairs, the man mostly taller and with the larger share of the income.",
        "The error in the third digit comes from the scanner.",
        "The error is mostly human.",
        "We look at how many of the guests are off on average.",
        "Not only the accuracy but also the log loss decides.",
    ],
)
def test_rather_none_than_a_wrong_one(text: str) -> None:
    found = judged_by(text).names
    assert len(found) != 1 or found[0] not in METRICS


def numbers(folder: Path, text: str) -> intake.Inspection:
    train, test = rows(90), rows(30, 1).assign(id=range(30))
    train["y"] = np.random.default_rng(0).random(90)
    return intake.look(
        write_task(folder, train, test, text, pd.DataFrame({"id": range(30), "y": 0.5}))
    )


def read(looked: intake.Inspection) -> list[tuple[str, str]]:
    return [(it.severity, it.message) for it in looked.findings if it.code.endswith("metric_read")]


def test_what_was_read_between_the_lines_is_told_with_its_sentence(tmp_path: Path) -> None:
    looked = numbers(tmp_path, "Predict y. Your score is the average of the absolute differences.")
    assert looked.problem.metric == "mae"
    [(severity, message)] = read(looked)
    assert severity == "warning"
    assert "Your score is the average of the absolute differences." in message


def test_a_choice_between_names_is_told_and_a_plain_name_is_not(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    [(severity, message)] = read(numbers(tmp_path / "a", "Ranked by MAE rather than RMSE."))
    assert severity == "info"
    assert "mae" in message
    assert "not rmse" in message
    (tmp_path / "b").mkdir()
    assert not read(numbers(tmp_path / "b", "Predict y. Entries are ranked by MAE."))


def test_other_words_must_suit_the_target(tmp_path: Path) -> None:
    with pytest.raises(IntakeError) as caught:
        numbers(tmp_path, "Predict y. Your score is the share of correct answers.")
    assert caught.value.code == "mle.intake.ask_metric"
    assert 'metric = "rmse"' in (caught.value.hint or "")


def test_what_the_text_sets_aside_is_not_suggested(tmp_path: Path) -> None:
    with pytest.raises(IntakeError) as caught:
        numbers(tmp_path, "Predict y. RMSE would be misleading.")
    assert 'metric = "mae"' in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("text", "columns", "metric"),
    [
        (
            "Both `kappa` and lambda were measured. Metric: area under the ROC curve.",
            "kappa",
            "auc",
        ),
        (
            "kappa: serum value\n\n## Evaluation\n\nAnswers are ranked by AUC.",
            "kappa lambda",
            "auc",
        ),
        ("The gauge has an `accuracy`. Scored by accuracy.", "accuracy", "accuracy"),
        ("Metric: RMSE. The column `mae` is an old forecast's error.", "mae size", "rmse"),
        ("Metric: MAE.", "maer size", "mae"),
    ],
)
def test_a_column_that_is_called_like_a_metric_is_none(
    text: str, columns: str, metric: str
) -> None:
    assert judged_by(text, columns.split()).names == (metric,)


def kinds(folder: Path, text: str, count: int, toml: str = "") -> intake.Inspection:
    train, test = rows(120), rows(30, 1)
    train["kind"] = np.random.default_rng(0).choice(["ant", "bee", "cat", "dog"][:count], 120)
    return intake.look(write_task(folder, train, test, text, toml=toml))


@pytest.mark.parametrize(
    ("text", "count", "toml", "metric"),
    [
        ("Predict `kind`. Scored by F1.", 4, "", "macro_f1"),
        ("Predict `kind`.", 3, 'metric = "f1"\n', "macro_f1"),
        ("Predict `kind`.", 3, 'metric = "F1"\nkind = "multiclass"\n', "macro_f1"),
        ("Predict `kind`. Scored by F1.", 2, "", "f1"),
        ("Predict `kind`. Scored by weighted F1.", 4, "", "weighted_f1"),
        ("Predict `kind`. Scored by F1.", 4, 'metric = "micro_f1"\n', "micro_f1"),
    ],
)
def test_f1_of_more_than_two_classes_is_their_mean(
    tmp_path: Path, text: str, count: int, toml: str, metric: str
) -> None:
    looked = kinds(tmp_path, text, count, toml)
    assert looked.problem.metric == metric
    told = [
        (it.severity, f"the target has {count} classes" in it.message, "metric =" in it.hint)
        for it in looked.findings
        if it.code == "mle.data.metric_read"
    ]
    assert told == ([("warning", True, True)] if metric == "macro_f1" else [])
