"""For each rule that reading can find: a program that breaks it, and its honest twin.

The reference page shows them; a test makes sure that each is judged as the page says.
"""

from collections.abc import Mapping
from typing import NamedTuple

HEAD = """\
import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import TimeSeriesSplit, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

data = pd.read_csv("data.csv")
"""
"""Every example begins with these lines."""


class Example(NamedTuple):
    leaking: str
    honest: str


SPLIT = """\
X, y = data.drop(columns="sold"), data["sold"]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
"""
FITTED = """\
model = LogisticRegression().fit(X_train, y_train)
print(model.score(X_test, y_test))
"""
SCALED = """\
scaler = StandardScaler().fit(X_train)
model = LogisticRegression().fit(scaler.transform(X_train), y_train)
print(model.score(scaler.transform(X_test), y_test))
"""

EXAMPLES: Mapping[str, Example] = {
    "leak.fit_before_split": Example(
        leaking="""\
X, y = data.drop(columns="sold"), data["sold"]
X = StandardScaler().fit_transform(X)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
"""
        + FITTED,
        honest=SPLIT + SCALED,
    ),
    "leak.statistic_before_split": Example(
        leaking="""\
data["age"] = data["age"].fillna(data["age"].mean())
"""
        + SPLIT
        + FITTED,
        honest=SPLIT
        + """\
age = X_train["age"].mean()
X_train = X_train.fillna({"age": age})
X_test = X_test.fillna({"age": age})
"""
        + FITTED,
    ),
    "leak.train_test_concat": Example(
        leaking="""\
later = pd.read_csv("test.csv")
both = pd.concat([data.drop(columns="sold"), later])
scaler = StandardScaler().fit(both)
model = LogisticRegression().fit(scaler.transform(data.drop(columns="sold")), data["sold"])
print(model.predict(scaler.transform(later)))
""",
        honest="""\
later = pd.read_csv("test.csv")
scaler = StandardScaler().fit(data.drop(columns="sold"))
model = LogisticRegression().fit(scaler.transform(data.drop(columns="sold")), data["sold"])
print(model.predict(scaler.transform(later)))
""",
    ),
    "leak.fit_on_test": Example(
        leaking=SPLIT
        + """\
scaler = StandardScaler()
model = LogisticRegression().fit(scaler.fit_transform(X_train), y_train)
print(model.score(scaler.fit_transform(X_test), y_test))
""",
        honest=SPLIT
        + """\
scaler = StandardScaler()
model = LogisticRegression().fit(scaler.fit_transform(X_train), y_train)
print(model.score(scaler.transform(X_test), y_test))
""",
    ),
    "leak.target_as_feature": Example(
        leaking="""\
data["is_sold"] = data["sold"] == 1
"""
        + SPLIT
        + FITTED,
        honest=SPLIT + FITTED,
    ),
    "leak.target_statistic_outside_fold": Example(
        leaking="""\
data["street_rate"] = data.groupby("street")["sold"].transform("mean")
"""
        + SPLIT
        + FITTED,
        honest=SPLIT
        + """\
rates = y_train.groupby(X_train["street"]).mean()
X_train = X_train.assign(street=X_train["street"].map(rates))
X_test = X_test.assign(street=X_test["street"].map(rates).fillna(y_train.mean()))
"""
        + FITTED,
    ),
    "leak.resample_before_split": Example(
        leaking="""\
rare = data[data["sold"] == 1]
data = pd.concat([data, rare, rare])
"""
        + SPLIT
        + FITTED,
        honest="""\
train, test = train_test_split(data, random_state=0)
rare = train[train["sold"] == 1]
train = pd.concat([train, rare, rare])
model = LogisticRegression().fit(train.drop(columns="sold"), train["sold"])
print(model.score(test.drop(columns="sold"), test["sold"]))
""",
    ),
    "leak.overlap": Example(
        leaking=SPLIT
        + """\
model = LogisticRegression().fit(X, y)
print(model.score(X_test, y_test))
""",
        honest=SPLIT + FITTED,
    ),
    "leak.score_on_training_rows": Example(
        leaking="""\
X, y = data.drop(columns="sold"), data["sold"]
model = LogisticRegression().fit(X, y)
print(model.score(X, y))
""",
        honest="""\
X, y = data.drop(columns="sold"), data["sold"]
print(cross_val_score(LogisticRegression(), X, y).mean())
""",
    ),
    "leak.tuned_on_test": Example(
        leaking=SPLIT
        + """\
best = 0.0
for depth in range(2, 9):
    model = RandomForestClassifier(max_depth=depth).fit(X_train, y_train)
    best = max(best, model.score(X_test, y_test))
print(best)
""",
        honest=SPLIT
        + """\
scores = {}
for depth in range(2, 9):
    model = RandomForestClassifier(max_depth=depth)
    scores[depth] = cross_val_score(model, X_train, y_train).mean()
model = RandomForestClassifier(max_depth=max(scores, key=scores.get)).fit(X_train, y_train)
print(model.score(X_test, y_test))
""",
    ),
    "leak.threshold_on_all_rows": Example(
        leaking=SPLIT
        + """\
model = LogisticRegression().fit(X_train, y_train)
chances = model.predict_proba(X_test)[:, 1]
limits = np.linspace(0.1, 0.9, 17)
best = max(limits, key=lambda limit: f1_score(y_test, chances > limit))
print(f1_score(y_test, chances > best))
""",
        honest=SPLIT
        + """\
X_fit, X_valid, y_fit, y_valid = train_test_split(X_train, y_train, random_state=1)
model = LogisticRegression().fit(X_fit, y_fit)
chances = model.predict_proba(X_valid)[:, 1]
limits = np.linspace(0.1, 0.9, 17)
best = max(limits, key=lambda limit: f1_score(y_valid, chances > limit))
print(f1_score(y_test, model.predict_proba(X_test)[:, 1] > best))
""",
    ),
    "leak.selection_on_all_rows": Example(
        leaking="""\
X, y = data.drop(columns="sold"), data["sold"]
X = SelectKBest(k=5).fit_transform(X, y)
print(cross_val_score(LogisticRegression(), X, y).mean())
""",
        honest="""\
X, y = data.drop(columns="sold"), data["sold"]
print(cross_val_score(make_pipeline(SelectKBest(k=5), LogisticRegression()), X, y).mean())
""",
    ),
    "leak.shuffled_time_or_groups": Example(
        leaking="""\
data = data.sort_values("date")
X, y = data.drop(columns=["sold", "date"]), data["sold"]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
"""
        + FITTED,
        honest="""\
data = data.sort_values("date")
X, y = data.drop(columns=["sold", "date"]), data["sold"]
print(cross_val_score(LogisticRegression(), X, y, cv=TimeSeriesSplit()).mean())
""",
    ),
    "leak.future_value": Example(
        leaking="""\
data = data.sort_values("date")
data["next_price"] = data["price"].shift(-1)
X, y = data.drop(columns=["sold", "date"]), data["sold"]
print(cross_val_score(LogisticRegression(), X, y, cv=TimeSeriesSplit()).mean())
""",
        honest="""\
data = data.sort_values("date")
data["last_price"] = data["price"].shift(1)
X, y = data.drop(columns=["sold", "date"]), data["sold"]
print(cross_val_score(LogisticRegression(), X, y, cv=TimeSeriesSplit()).mean())
""",
    ),
    "leak.encoder_before_split": Example(
        leaking="""\
X, y = data.drop(columns="sold"), data["sold"]
X = OneHotEncoder(handle_unknown="ignore").fit_transform(X)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
"""
        + FITTED,
        honest=SPLIT
        + """\
encoder = OneHotEncoder(handle_unknown="ignore").fit(X_train)
model = LogisticRegression().fit(encoder.transform(X_train), y_train)
print(model.score(encoder.transform(X_test), y_test))
""",
    ),
}
