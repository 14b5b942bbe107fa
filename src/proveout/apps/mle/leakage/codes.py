"""The rules: stable codes, what each means, how bad it is, what to do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Harm = Literal["high", "medium", "low"]
Confidence = Literal["certain", "likely", "suspect"]


@dataclass(frozen=True, slots=True)
class Rule:
    says: str
    hint: str
    harm: Harm


RULES: Mapping[str, Rule] = {
    "leak.fit_before_split": Rule(
        "a transformer was fitted on rows that are evaluated later",
        "split first; fit on the training rows and only transform the others",
        "medium",
    ),
    "leak.statistic_before_split": Rule(
        "a statistic over rows that are evaluated later reaches the features",
        "compute the statistic from the training rows and apply it to the others",
        "medium",
    ),
    "leak.train_test_concat": Rule(
        "something was learnt from training and test rows together",
        "learn it from the training rows alone, then apply it to the test rows",
        "medium",
    ),
    "leak.fit_on_test": Rule(
        "something was learnt from the evaluated rows themselves",
        "fit on the training rows; only transform or predict the evaluated rows",
        "medium",
    ),
    "leak.target_as_feature": Rule(
        "the target, or a column computed from it, is among the features",
        "drop the target and everything computed from it before fitting",
        "high",
    ),
    "leak.target_statistic_outside_fold": Rule(
        "a statistic of the target over evaluated rows reaches the features",
        "compute target statistics inside each fold, from its training rows only",
        "high",
    ),
    "leak.resample_before_split": Rule(
        "rows were repeated or synthesised before the split, so copies lie on both sides",
        "split first; resample only the training rows",
        "high",
    ),
    "leak.overlap": Rule(
        "rows that the model was trained on are among the evaluated rows",
        "train and evaluate on rows that one split separates",
        "high",
    ),
    "leak.score_on_training_rows": Rule(
        "the only score is taken on the rows that the model was trained on",
        "hold out rows, or cross-validate",
        "high",
    ),
    "leak.tuned_on_test": Rule(
        "the best of several was chosen by the score on the rows that are reported",
        "choose on a validation part or by cross-validation; score the held-out rows once",
        "high",
    ),
    "leak.threshold_on_all_rows": Rule(
        "a threshold was chosen by the score on the rows that are reported",
        "choose the threshold on other rows than those that are scored with it",
        "medium",
    ),
    "leak.selection_on_all_rows": Rule(
        "features were selected by looking at rows that are evaluated later",
        "select inside the pipeline, or from the training rows only",
        "high",
    ),
    "leak.shuffled_time_or_groups": Rule(
        "rows that belong together, in time or by group, are spread over both sides of the split",
        "split by time (TimeSeriesSplit, shuffle=False) or by group (GroupKFold)",
        "medium",
    ),
    "leak.future_value": Rule(
        "a feature of a row is computed from later rows",
        "use only values that are known at the time of the row",
        "high",
    ),
    "leak.survives_shuffled_labels": Rule(
        "predictions still follow the labels after all labels were shuffled",
        "look for the target among the features, and for rows on both sides of the split",
        "high",
    ),
    "leak.single_feature_oracle": Rule(
        "one column alone predicts the target, so it may be filled in after the outcome",
        "drop the column, or make sure that it is known when a prediction is made",
        "high",
    ),
    "leak.repeated_rows": Rule(
        "rows that are scored have copies among the training rows",
        "remove repeated rows, or keep copies on one side with a group split",
        "medium",
    ),
    "leak.encoder_before_split": Rule(
        "an encoder saw all rows; it learns which values exist, rarely more",
        "harmless in most cases; fit it on the training rows to be exact",
        "low",
    ),
    "leak.unreadable": Rule(
        "the program could not be read, so nothing is known about it",
        "make it valid Python",
        "low",
    ),
}

FINDINGS: Mapping[str, str] = {f"mle.{code}": rule.says for code, rule in RULES.items()}
