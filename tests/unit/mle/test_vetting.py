"""Scripts are read for leaks once, each as it is: a number may make the difference."""

from proveout.apps.mle import leakage
from proveout.apps.mle.vetting import examined

DIVIDED = """import pandas as pd
from sklearn.linear_model import Ridge

ROWS = {"end": 100, "begin": 100}
frame = pd.read_csv("input/train.csv")
old, new = frame.iloc[: ROWS["end"]], frame.iloc[ROWS["begin"] :]
model = Ridge().fit(old[["a"]], old["y"])
print(model.score(new[["a"]], new["y"]))
"""


def test_a_number_of_a_setting_can_be_the_leak() -> None:
    assert examined(DIVIDED).leaks == ()
    overlapping = DIVIDED.replace('"begin": 100', '"begin": 50')
    assert examined(overlapping).codes == {"leak.overlap"}
    assert examined(overlapping) == leakage.examine(overlapping)


def test_a_script_is_read_once() -> None:
    assert examined(DIVIDED) is examined(DIVIDED)
