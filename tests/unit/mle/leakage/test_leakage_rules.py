"""Single rules and constructs, each in as few lines as show it."""

import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proveout.apps.mle.leakage import examine

START = """
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_score, train_test_split
from sklearn.preprocessing import StandardScaler
df = pd.read_csv("rows.csv")
"""
END = """
a, b, c, d = train_test_split(X, y, random_state=0)
print(LogisticRegression().fit(a, c).score(b, d))
"""


def codes(middle: str, end: str = END) -> set[str]:
    return set(examine(START + middle + end).codes)


FIT, STATISTIC = {"leak.fit_before_split"}, {"leak.statistic_before_split"}


@pytest.mark.parametrize(
    ("middle", "wanted"),
    [
        ("y = df.pop('y'); X = StandardScaler().fit_transform(df)", FIT),
        ("y = df.pop('y'); s = StandardScaler(); s.fit(df); X = s.transform(df)", FIT),
        ("y = df.pop('y'); X = [StandardScaler()][0].fit_transform(df)", FIT),
        ("y = df.pop('y'); X = {'s': StandardScaler()}['s'].fit_transform(df)", FIT),
        ("y = df.pop('y'); f = lambda t: StandardScaler().fit_transform(t); X = f(df)", FIT),
        ("y = df.pop('y'); X = df.pipe(lambda t: (t - t.mean()) / t.std())", STATISTIC),
        ("y = df.pop('y'); X = df.apply(lambda c: c - c.mean())", STATISTIC),
        ("y = df.pop('y'); X = df.apply(lambda r: r - r.mean(), axis=1)", set()),
        ("y = df.pop('y'); X = df.assign(n=df['a'] / df['a'].max())", STATISTIC),
        ("y = df.pop('y'); X = df[df['a'] > 0]", set()),
        ("y = df.pop('y'); X = df.fillna(method='ffill')", set()),
        ("y = df.pop('y'); df['a'].fillna(df['a'].mean(), inplace=True); X = df", STATISTIC),
        ("y = df.pop('y'); df['a'] = 1; m = df['a'].mean(); print(m); X = df", set()),
        ("y = df.pop('y'); X = df.drop(columns=['a']); df['a'] = df['a'].rank()", set()),
        ("y = df.pop('y'); df['a'] = df['a'].rank(); X = df[['b']]", set()),
        ("y = (df['v'] > df['v'].median()).astype(int); X = df[['a', 'b']]", set()),
        ("y = df['y']; X = df", {"leak.target_as_feature"}),
        ("y = df['y']; X = df[[c for c in df.columns if c != 'y']]", set()),
        ("y = df['y']; X = df.loc[:, df.columns != 'y']", set()),
        ("y = df['y']; X = df.iloc[:, :-1]", set()),
    ],
)
def test_what_reaches_the_features(middle: str, wanted: set[str]) -> None:
    assert codes(middle) == wanted


WINDOWS = """
values = StandardScaler().fit_transform(df.values)
n = int(len(values) * 0.8)
train, test = values[0:n, :], values[n - 60:, :]
def windows(part):
    x, y = [], []
    for i in range(60, len(part)):
        x.append(part[i - 60:i, 0])
        y.append(part[i, 0])
    return np.array(x), np.array(y)
a, c = windows(train)
b, d = windows(test)
model = Sequential()
model.fit(a, c)
print(np.sqrt(np.mean((model.predict(b) - d) ** 2)))
"""
RANDOM_SPLIT = """
from torch.utils.data import TensorDataset, random_split
mean = df.mean()
whole = TensorDataset(torch.tensor(((df - mean) / 2).values))
train, test = random_split(whole, [80, 20])
"""
OLD_FOLDS = """
y = df.pop('y').values
X = StandardScaler().fit_transform(df)
for tr, te in KFold(len(X), n_folds=3):
    print(LogisticRegression().fit(X[tr], y[tr]).score(X[te], y[te]))
"""
ONE_SPLITTER_TWICE = """
kf = KFold(5, shuffle=True, random_state=1)
X, y = df[['a']].values, df['y'].values
models = [LogisticRegression().fit(X[tr], y[tr]) for tr, va in kf.split(X)]
for m, (tr, va) in zip(models, kf.split(X)):
    print(m.score(X[va], y[va]))
"""
ALIGNED = """
y = df.pop('y')
a, b, c, d = train_test_split(df, y, random_state=0)
a, b = pd.get_dummies(a), pd.get_dummies(b)
a, b = a.align(b, join='left', axis=1)
print(LogisticRegression().fit(a, c).score(b, d))
"""
OWN_SPLIT = """
from mine import divide
y = df.pop('y')
X = StandardScaler().fit_transform(df)
a, b = divide(X)
c, d = divide(y)
print(LogisticRegression().fit(a, c).score(b, d))
"""
INNER_SCORE = """
y = df.pop('y')
a, b, c, d = train_test_split(df, y, random_state=0)
s = StandardScaler().fit(a)
a, b = s.transform(a), s.transform(b)
print(cross_val_score(LogisticRegression(), a, c).mean())
print(LogisticRegression().fit(a, c).score(b, d))
"""
WINDOWED_SLICES = """
X, y = df[['a']].values, df['y'].values
m = LogisticRegression().fit(X[0:n], y[0:n])
print(m.score(X[n:k], y[n:k]))
print(m.score(X[k:], y[k:]))
"""


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        (WINDOWS, FIT),
        (RANDOM_SPLIT, STATISTIC),
        (OLD_FOLDS, FIT),
        (ONE_SPLITTER_TWICE, set()),
        (ALIGNED, set()),
        (OWN_SPLIT, FIT),
        (INNER_SCORE, set()),
        (WINDOWED_SLICES, set()),
        (WINDOWED_SLICES.replace("X[n:k], y[n:k]", "X[:k], y[:k]"), {"leak.overlap"}),
    ],
)
def test_ways_to_divide_rows(program: str, wanted: set[str]) -> None:
    assert codes(program, end="") == wanted


STRIDES = """
X, y = df[['a']], df['y']
order = np.random.permutation(X.index.values)
for i in range(5):
    held = X.loc[order[i::5], :]
    rest = X[~X.index.isin(held.index)]
    m = LogisticRegression().fit(rest, y.loc[rest.index])
    print(m.score(held, y.loc[held.index]))
"""
INHERITED = """
class Bounded(LogisticRegression):
    def predict_proba(self, rows):
        return self.decision_function(rows)
y = df.pop('y')
a, b, c, d = train_test_split(StandardScaler().fit_transform(df), y)
m = Bounded(C=2)
m.fit(a, c)
print(roc_auc_score(d, m.predict_proba(b)))
"""
SEVERAL_INPUTS = """
y = df.pop('y')
a, b, c, d = train_test_split(StandardScaler().fit_transform(df), y)
m = Model(inputs, outputs)
m.fit([a, a], c)
print(m.evaluate([b, b], d))
"""
MADE_WITH_ROWS = """
import statsmodels.api as sm
y = df.pop('y')
a, b, c, d = train_test_split(StandardScaler().fit_transform(df), y)
m = sm.OLS(c, a).fit()
print(r2_score(d, m.predict(b)))
"""
TEXTS = """
from sklearn.feature_extraction.text import CountVectorizer
texts = []
for i in range(len(df)):
    texts.append(df['text'][i].lower())
X = CountVectorizer().fit_transform(texts).toarray()
a, b, c, d = train_test_split(X, df['y'], random_state=0)
print(LogisticRegression().fit(a, c).score(b, d))
"""
RESAMPLED_TEST = """
from imblearn.over_sampling import SMOTE
y = df.pop('y')
a, b, c, d = train_test_split(df, y, random_state=0)
b, d = SMOTE().fit_resample(b, d)
print(LogisticRegression().fit(a, c).score(b, d))
"""


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        (STRIDES, set()),
        (STRIDES.replace("[~X.index.isin(held.index)]", ""), {"leak.overlap"}),
        (INHERITED, FIT),
        (INHERITED.replace("StandardScaler().fit_transform(df)", "df"), set()),
        (SEVERAL_INPUTS, FIT),
        (SEVERAL_INPUTS.replace("[b, b], d", "[a, a], c"), {"leak.score_on_training_rows"}),
        (MADE_WITH_ROWS, FIT),
        (MADE_WITH_ROWS.replace("predict(b)", "predict(a)"), {"leak.score_on_training_rows"}),
        (TEXTS, FIT),
        (RESAMPLED_TEST, {"leak.fit_on_test"}),
    ],
)
def test_models_and_rows_in_other_dress(program: str, wanted: set[str]) -> None:
    assert codes(program, end="") == wanted


@pytest.mark.parametrize("view", ["loc", "ix"])
def test_old_ways_to_take_columns(view: str) -> None:
    middle = (
        "df['a'] = StandardScaler().fit_transform(df[['a']])\n"
        f"y = df['y']; X = df.{view}[:, df.columns != 'y']"
    )
    assert codes(middle) == FIT


@pytest.mark.parametrize(
    "middle",
    [
        "from sklearn.compose import ColumnTransformer\n"
        "from sklearn.preprocessing import OneHotEncoder\n"
        "y = df.pop('y')\n"
        "X = ColumnTransformer([('e', OneHotEncoder(), [3])]).fit_transform(df)",
        "import patsy\ny = df['y']\nX = patsy.dmatrix('~ C(town)', df)",
        "y = df.pop('y'); X = df.apply(lambda c: c.astype('category').cat.codes)",
    ],
)
def test_nothing_but_categories_is_no_leak(middle: str) -> None:
    assert codes(middle) == set()


def test_predictions_are_not_taken_for_the_whole_table() -> None:
    middle = (
        "y = df['y']\nfirst = LogisticRegression()\n"
        "from sklearn.model_selection import cross_val_predict\n"
        "X = cross_val_predict(first, df.drop('y', axis=1), y).reshape(-1, 1)"
    )
    assert codes(middle) == set()


@pytest.mark.parametrize(
    "where",
    [
        "'in/test.csv'",
        "os.path.join('in', 'test.csv')",
        "Path('in') / 'test.csv'",
        "f'{d}/test.csv'",
    ],
)
def test_a_file_of_rows_to_predict_is_known_by_its_name(where: str) -> None:
    middle = f"""
import os
from pathlib import Path
where = {where}
test = pd.read_csv(where)
both = pd.concat([df.drop('y', axis=1), test])
both = both.fillna(both.mean())
m = LogisticRegression().fit(both[:len(df)], df['y'])
m.predict(both[len(df):])
"""
    assert codes(middle, end="") == {"leak.train_test_concat"}


def test_branches_are_joined() -> None:
    middle = "y = df.pop('y')\nX = df\nif len(df) > 10:\n    X = StandardScaler().fit_transform(df)"
    assert codes(middle) == FIT


def test_an_early_return_does_not_hide_the_rest() -> None:
    middle = (
        "def ready(t, scale=True):\n"
        "    if not scale:\n"
        "        return t\n"
        "    return StandardScaler().fit_transform(t)\n"
        "y = df.pop('y'); X = ready(df)"
    )
    assert codes(middle) == FIT


def test_functions_are_followed_and_recursion_ends() -> None:
    middle = "def f(t):\n    return f(t)\ny = df.pop('y'); X = f(df)"
    assert codes(middle) == set()


def test_encoders_are_notes_not_leaks() -> None:
    found = examine(START + "y = df.pop('y'); X = pd.get_dummies(df)" + END)
    assert not found.leaks
    assert [leak.code for leak in found.notes] == ["leak.encoder_before_split"]
    assert found.notes[0].harm == "low"


def test_the_path_leads_from_the_statistic_to_the_score() -> None:
    found = examine(START + "y = df.pop('y')\nX = StandardScaler().fit_transform(df)" + END)
    (leak,) = found.leaks
    assert leak.confidence == "certain"
    assert leak.block == "X = StandardScaler().fit_transform(df)"
    lines = [step.line for step in leak.path]
    assert lines == sorted(lines)
    assert lines[0] == leak.line
    assert "scored" in leak.path[-1].what
    assert "rows.csv: all rows" in leak.rows


@pytest.mark.parametrize(
    ("comment", "ignored"),
    [
        ("  # proveout: ignore[fit_before_split] only a demonstration", True),
        ("  # proveout: ignore[leak.fit_before_split] why", True),
        ("  # proveout: ignore", True),
        ("  # proveout: ignore[overlap] another rule", False),
        ("  # ignore", False),
    ],
)
def test_a_comment_sets_a_finding_aside(comment: str, *, ignored: bool) -> None:
    line = "X = StandardScaler().fit_transform(df)" + comment
    found = examine(START + "y = df.pop('y')\n" + line + END)
    assert bool(found.leaks) is not ignored
    assert bool(found.ignored) is ignored


def test_a_comment_above_counts_too_but_code_above_does_not() -> None:
    fit = "X = StandardScaler().fit_transform(df)"
    above = f"y = df.pop('y')\n# proveout: ignore[fit_before_split] shown to pupils\n{fit}"
    beside = f"y = df.pop('y')  # proveout: ignore[fit_before_split]\n{fit}"
    assert codes(above) == set()
    assert codes(beside) == FIT


def test_silence_without_a_model_is_not_an_acquittal() -> None:
    assert examine("x = 1\n").unsure == ("no training was seen",)
    assert examine(START + "m = LogisticRegression().fit(df[['a']], df['y'])\n").unsure


@pytest.mark.parametrize("text", ["def (", "x = 'open", "\x00", "if True:\npass", "return = 3"])
def test_what_is_no_program_is_said_to_be_none(text: str) -> None:
    found = examine(text)
    assert found.unreadable
    assert [leak.code for leak in found.findings] == ["leak.unreadable"]
    assert not found.leaks


@pytest.mark.parametrize("text", ["{", '{"cells": 3, "nbformat": 4}', "[]", '{"nbformat": 4}'])
def test_a_broken_notebook_is_told(text: str) -> None:
    assert examine(text, filename="some.ipynb").unreadable


def test_deep_nesting_is_survived() -> None:
    assert examine("x = " + "(" * 80 + "1" + ")" * 80).unsure
    assert examine("x = " + "-" * 5000 + "1").unsure


def test_windows_line_ends_and_wide_characters_keep_blocks_exact() -> None:
    source = (
        START + "y = df.pop('y')\nX = StandardScaler().fit_transform(df)  # größer 漢" + END
    ).replace("\n", "\r\n")
    (leak,) = examine(source).leaks
    assert leak.block == "X = StandardScaler().fit_transform(df)  # größer 漢"


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=400))
def test_arbitrary_text_never_raises(text: str) -> None:
    examine(text)
    examine(text, filename="a.ipynb")


PARTS = st.sampled_from(
    [
        "df = pd.read_csv('a.csv')",
        "df = df.copy()",
        "df['a'] = df['a'].fillna(df['a'].mean())",
        "df[df['a'] > 1] = 3",
        "df.loc[m, 'a'] = df['b']",
        "m = df['a'] == k",
        "X, *rest = df.values",
        "X = df[:n]; y = df[n:]",
        "X, Z, y, w = train_test_split(df, df['a'])",
        "(X, y), z = f(df), 3",
        "model = LogisticRegression().fit(X, y)",
        "p = model.predict(Z)[:, 1]",
        "best = max(f1_score(w, p > t) for t in grid)",
        "for tr, va in KFold(3).split(X): X[tr] = StandardScaler().fit_transform(X[va])",
        "for k in range(3): df = df[folds != k]",
        "while df: df = df.drop(df.index)",
        "class A(B):\n    def fit(self, X): self.m = X.mean(); return self",
        "a = A().fit(df).transform(df)",
        "both = pd.concat([df, X, *rest])",
        "d = {'x': X, **d}; d['x'] += 1; del d['x']",
        "X = [g(r) for r in X if r]; y = {k: v for k, v in d.items()}",
        "with open(f) as (g, h): X = g",
        "match X:\n    case [a, *b]: y = b\n    case {'k': v}: y = v",
        "try:\n    X = 1\nexcept E as e:\n    X = 2\nfinally:\n    X = 3",
        "X = lambda *a, **k: (a, k); X(*rest, **d)",
        "import sklearn.preprocessing as sp; X = sp.scale(X)",
        "from a import *",
        "X = Y = df.groupby('g')['a'].transform(lambda s: s - s.mean())",
        "X = df.query('a == @k').eval('b')",
        "X = np.c_[X, y]; X @= y; X: int = 3; (X := 4)",
        "def f(x, /, y=1, *z, q, **r): yield x; return f(y)",
        "SMOTE().fit_resample(X, y)[0][0]",
        "return_value = await_ = None; global_ = not m",
        "X = X if X else (yield_ for yield_ in X)",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PARTS, max_size=14))
def test_any_program_of_these_parts_is_examined(parts: list[str]) -> None:
    """And every finding is exact, whatever the parts make together."""
    source = "\n".join(parts)
    found = examine(source)
    for leak in found.findings:
        assert leak.block in source


def test_the_standard_library_is_examined_without_a_word() -> None:
    """No program of it trains a model, so nothing may be found in it."""
    root = Path(sysconfig.get_paths()["stdlib"])
    for folder in ("json", "email", "asyncio", "collections"):
        for path in sorted((root / folder).glob("*.py")):
            assert not examine(path.read_text(encoding="utf-8"), filename=path.name).leaks


def test_the_first_few_of_the_columns_that_correlate_are_a_selection() -> None:
    source = """
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
flats = pd.read_csv("flats.csv")
near = flats.corr()["price"].abs().sort_values(ascending=False).index[1:11]
X, y = flats[near], flats["price"]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=1)
print(LinearRegression().fit(X_train, y_train).score(X_test, y_test))
"""
    assert [leak.code for leak in examine(source).findings] == ["leak.selection_on_all_rows"]
