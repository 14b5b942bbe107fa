"""Flows that are easily lost: lags, thresholds, early stopping, models and settings by hand."""

import pytest

from proveout.apps.mle.leakage import examine

WATCHING = """
import lightgbm as lgb
import pandas as pd
from catboost import CatBoostClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, train_test_split
from xgboost import XGBClassifier
df = pd.read_csv("train.csv")
X, y = df.drop(columns="y"), df["y"]
A, B, ya, yb = train_test_split(X, y, random_state=0)
"""
SCORED = "\nprint(roc_auc_score(yb, m.predict_proba(B)[:, 1]))"


@pytest.mark.parametrize(
    "training",
    [
        "m = lgb.LGBMClassifier()\n"
        "m.fit(A, ya, eval_set=[(B, yb)], callbacks=[lgb.early_stopping(20)])",
        "m = XGBClassifier(early_stopping_rounds=5)\nm.fit(A, ya, eval_set=[(A, ya), (B, yb)])",
        "m = CatBoostClassifier()\nm.fit(A, ya, eval_set=(B, yb))",
    ],
)
def test_the_number_of_rounds_chosen_on_the_reported_rows_is_tuning(training: str) -> None:
    assert examine(WATCHING + training + SCORED).codes == {"leak.tuned_on_test"}


@pytest.mark.parametrize(
    ("training", "notes"),
    [
        ("m = XGBClassifier()\nm.fit(A, ya, eval_set=[(B, yb)])" + SCORED, 0),
        (
            "C, D, yc, yd = train_test_split(A, ya, random_state=1)\n"
            "m = XGBClassifier(early_stopping_rounds=5)\nm.fit(C, yc, eval_set=[(D, yd)])\n"
            "print(roc_auc_score(yd, m.predict_proba(D)[:, 1]))" + SCORED,
            0,
        ),
        (
            "for a, b in KFold(5).split(X):\n"
            "    m = XGBClassifier(early_stopping_rounds=5)\n"
            "    m.fit(X.iloc[a], y.iloc[a], eval_set=[(X.iloc[b], y.iloc[b])])\n"
            "    print(roc_auc_score(y.iloc[b], m.predict_proba(X.iloc[b])[:, 1]))",
            1,
        ),
    ],
)
def test_rounds_that_are_fixed_or_chosen_elsewhere_are_no_tuning(training: str, notes: int) -> None:
    report = examine(WATCHING + training)
    assert (report.codes, len(report.notes)) == (frozenset(), notes)


DAYS = """
import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import train_test_split
s = pd.read_csv("visits.csv", parse_dates=["date"]).sort_values(["patient", "date"])
"""
FITTED = """
A, B, ya, yb = train_test_split(X, y, random_state=0)
m = RandomForestRegressor().fit(A, ya)
print(mean_absolute_error(yb, m.predict(B)))
"""


@pytest.mark.parametrize(
    "lag",
    [
        's["l"] = s["crp"].shift(1)',
        's["l"] = s.groupby("patient")["crp"].diff().fillna(0)',
        'g = s.groupby("patient")\ns["l"] = g["crp"].shift(2)',
        's = s.assign(l=lambda d: d.groupby("patient")["crp"].shift(1).fillna(0))',
        's["l"] = s.groupby("patient")["crp"].transform(lambda v: v.shift(1).rolling(3).mean())',
    ],
)
def test_rows_that_hold_their_neighbours_values_must_not_be_shuffled(lag: str) -> None:
    taken = '\ny, X = s["dose"], s[["age", "l"]]\n'
    assert examine(DAYS + lag + taken + FITTED).codes == {"leak.shuffled_time_or_groups"}
    assert (
        examine(DAYS + lag + taken + FITTED.replace("random_state=0", "shuffle=False")).leaks == ()
    )


def test_a_count_along_sorted_rows_is_worth_a_note() -> None:
    count = 's["n"] = s.groupby("patient").cumcount()\ny, X = s["dose"], s[["age", "n"]]\n'
    report = examine(DAYS + count + FITTED)
    assert (report.codes, len(report.notes)) == (frozenset(), 1)


CURVE = """
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, precision_recall_curve, roc_curve
from sklearn.model_selection import train_test_split
d = pd.read_csv("train.csv")
A, B = train_test_split(d, random_state=0)
C, D = train_test_split(A, random_state=0)
m = LogisticRegression().fit(C[["a"]], C["y"])
p, q = m.predict_proba(B[["a"]])[:, 1], m.predict_proba(D[["a"]])[:, 1]
"""
YOUDEN = "fpr, tpr, at = roc_curve({y}, {p})\ncut = at[np.argmax(tpr - fpr)]\n"
BEST_F1 = (
    "pre, rec, at = precision_recall_curve({y}, {p})\n"
    "f = 2 * pre * rec / (pre + rec + 1e-9)\ncut = at[f[:-1].argmax()]\n"
)
APPLIED = 'print(f1_score(B["y"], (p >= cut).astype(int)))'


@pytest.mark.parametrize("chosen", [YOUDEN, BEST_F1])
def test_a_threshold_from_the_curve_of_the_scored_rows(chosen: str) -> None:
    on_test = chosen.format(y='B["y"]', p="p")
    assert examine(CURVE + on_test + APPLIED).codes == {"leak.threshold_on_all_rows"}
    assert examine(CURVE + chosen.format(y='D["y"]', p="q") + APPLIED).leaks == ()
    assert examine(CURVE + on_test + "print(cut)").leaks == ()


def test_a_quantile_of_predictions_knows_no_labels() -> None:
    assert examine(CURVE + "cut = np.quantile(p, 0.9)\n" + APPLIED).leaks == ()


BY_HAND = """
import numpy as np
raw = np.loadtxt("detector.csv", delimiter=",")
A, E = raw[:, :-1], raw[:, -1]
order = np.random.default_rng(0).permutation(len(E))
tr, te = order[:200], order[200:]
{scaled}
{solved}
print(np.std(E[te] - {asked}))
"""
OF_ALL = "Z = (A - A.mean(axis=0)) / A.std(axis=0)"
OF_TRAINING = "Z = (A - A[tr].mean(axis=0)) / A[tr].std(axis=0)"


@pytest.mark.parametrize(
    ("solved", "asked"),
    [
        ("w = np.linalg.solve(Z[tr].T @ Z[tr] + np.eye(3), Z[tr].T @ E[tr])", "Z[te] @ w"),
        ("w, *_ = np.linalg.lstsq(Z[tr], E[tr], rcond=None)", "np.dot(Z[te], w)"),
        ("w = np.polyfit(Z[tr], E[tr], 2)", "np.polyval(w, Z[te])"),
    ],
)
def test_least_squares_by_hand_are_a_model(solved: str, asked: str) -> None:
    leaky = BY_HAND.format(scaled=OF_ALL, solved=solved, asked=asked)
    clean = BY_HAND.format(scaled=OF_TRAINING, solved=solved, asked=asked)
    assert examine(leaky).codes == {"leak.statistic_before_split"}
    assert examine(clean).leaks == ()


def test_numeric_columns_hold_the_number_that_the_target_is_made_of() -> None:
    made = (
        'd["bad"] = (d["days"] >= 90).astype(int)\ny = d["bad"]\n'
        'X = d.select_dtypes("number").drop(columns=[{dropped}])\n'
        "A, B, ya, yb = train_test_split(X, y, random_state=0)\n"
        "print(LogisticRegression().fit(A, ya).score(B, yb))"
    )
    assert examine(CURVE + made.format(dropped='"bad"')).codes == {"leak.target_as_feature"}
    assert examine(CURVE + made.format(dropped='"bad", "days"')).leaks == ()


SETTINGS = """
import json
import pandas as pd
from dataclasses import dataclass, field
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler
SETTINGS = json.loads('{"file": "train.csv", "target": "y", "seeds": {"train": 1, "test": 2}}')

@dataclass
class Parts:
    settings: dict
    scaler: StandardScaler = field(default_factory=lambda: StandardScaler())

    def load(self):
        self.whole = pd.read_csv(self.settings["file"])
        self.train = self.whole.sample(frac=0.7, random_state=self.settings["seeds"]["train"])
        self.test = self.whole.drop(self.train.index)
        self.scaler.fit(self.whole[["a"]] if LEAKY else self.train[["a"]])
        return self

    def xy(self, part):
        frame = getattr(self, part)
        return self.scaler.transform(frame[["a"]]), frame[self.settings["target"]]

parts = Parts(SETTINGS).load()
model = Ridge().fit(*parts.xy("train"))
print(model.score(*parts.xy("test")))
"""


READ_LIKE_ATTRIBUTES = """
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split

class Log:
    names = ["minutes", "gap"]

    def __init__(self, path):
        self.rows = pd.read_csv(path).sort_values("hour")
        self.rows["gap"] = self.rows["hour"].diff().fillna(0)

    @property
    def X(self):
        return self.rows[self.names]

    @property
    def y(self):
        return self.rows["bought"]

log = Log("log.csv")
A, B, ya, yb = train_test_split(log.X, log.y, random_state=0)
print(Ridge().fit(A, ya).score(B, yb))
"""


def test_properties_and_constants_of_classes_are_followed() -> None:
    assert examine(READ_LIKE_ATTRIBUTES).codes == {"leak.shuffled_time_or_groups"}
    ordered = READ_LIKE_ATTRIBUTES.replace("random_state=0", "shuffle=False")
    assert examine(ordered).leaks == ()


@pytest.mark.parametrize(("table", "leaks"), [("test", False), ("train", True)])
def test_columns_of_a_table_to_predict_hold_no_target(table: str, *, leaks: bool) -> None:
    program = f"""
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
names = [c for c in {table}.columns if c != "id"]
print(cross_val_score(LogisticRegression(), train[names], train["y"]).mean())
"""
    assert bool(examine(program).leaks) is leaks


def test_settings_and_defaults_of_classes_are_followed() -> None:
    leaky = SETTINGS.replace('if LEAKY else self.train[["a"]]', "")
    clean = SETTINGS.replace('self.whole[["a"]] if LEAKY else ', "")
    assert examine(leaky).codes == {"leak.fit_before_split"}
    assert examine(clean).leaks == ()


COMPARED = """
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_score, train_test_split
df = pd.read_csv("train.csv")
A, B, ya, yb = train_test_split(df.drop(columns="y"), df["y"], random_state=0)
models = {"line": LogisticRegression(), "forest": RandomForestClassifier()}
results, rows = {}, []
for name, model in models.items():
    results[name] = SCORE
    rows.append({"model": name, "auc": results[name]})
"""
ON_TEST = "roc_auc_score(yb, model.fit(A, ya).predict_proba(B)[:, 1])"
BY_FOLDS = "cross_val_score(model, A, ya).mean()"


@pytest.mark.parametrize(
    "taken",
    [
        "print(pd.Series(results).idxmax())",
        "t = pd.Series(results).sort_values(ascending=False)\nprint(t.index[0], t.iloc[0])",
        't = pd.DataFrame(rows).sort_values("auc")\nbest = t.iloc[0]\nprint(best["model"])',
        't = pd.DataFrame(rows)\nprint(t.loc[t["auc"].idxmax()])',
    ],
)
def test_the_best_row_of_a_table_of_test_scores_is_a_choice(taken: str) -> None:
    assert examine(COMPARED.replace("SCORE", ON_TEST) + taken).codes == {"leak.tuned_on_test"}
    assert examine(COMPARED.replace("SCORE", BY_FOLDS) + taken).leaks == ()


def test_a_table_that_is_only_shown_chooses_nothing() -> None:
    shown = 'print(pd.DataFrame(rows).sort_values("auc").round(3))'
    assert examine(COMPARED.replace("SCORE", ON_TEST) + shown).leaks == ()
