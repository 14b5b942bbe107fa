"""Scripts are read for leaks once: versions that differ in their settings share a reading."""

from proveout.apps.mle import leakage
from proveout.apps.mle.vetting import examined, typical

LEAKY = """import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

RIDGE = {"alpha": 2.5}
frame = pd.read_csv("input/train.csv")
x = StandardScaler().fit_transform(frame[["a", "b"]])
x_fit, x_held, y_fit, y_held = train_test_split(x, frame["y"])
model = Ridge(**RIDGE).fit(x_fit, y_fit)
print(model.score(x_held, y_held))
"""


def test_numbers_of_settings_do_not_matter() -> None:
    one = 'LIGHTGBM = {"rounds": 2000, "learning_rate": 0.04, "seed": 1}\nx = 3\n# {"a": 1}\n'
    other = 'LIGHTGBM = {"rounds": 500, "learning_rate": 0.125, "seed": 1}\nx = 3\n# {"a": 2}\n'
    assert typical(one) == typical(other)


def test_all_else_does() -> None:
    source = 'LIGHTGBM = {"rounds": 20}\nlater = frame.shift(2)\n'
    for change in (
        ("shift(2)", "shift(3)"),
        ('"rounds": 20', '"rounds": -20'),
        ('"rounds": 20', '"rounds": 1'),
        ('"rounds": 20', '"leaves": 20'),
        ('{"rounds": 20}', '{"rounds": f(20)}'),
    ):
        assert typical(source) != typical(source.replace(*change)), change


def test_a_leak_is_told_with_the_lines_as_they_are() -> None:
    report = examined(LEAKY)
    assert report.leaks
    assert report.as_findings() == leakage.examine(LEAKY).as_findings()
    assert examined(LEAKY.replace("2.5", "7.25")).leaks
