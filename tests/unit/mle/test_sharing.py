"""Scripts that differ only in numbers are read once, unless the numbers have a say."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from proveout.apps.mle import leakage, vetting
from proveout.apps.mle.leakage.watching import examine_watching
from proveout.apps.mle.syntax import TOKEN, outline, shape
from proveout.apps.mle.vetting import KEPT_SHAPES, Memory

PROGRAMS = sorted((Path(__file__).parent / "leakage").glob("*/*.txt"))
WHOLE, FRACTIONS = ("0", "1", "2", "5", "7", "100", "1000"), ("0.0", "0.5", "1.0", "0.25", "1e-7")


def with_other_numbers(source: str, draw: random.Random) -> str:
    """The same program; some of its numbers are others."""

    def other(token: str) -> str:
        if not token[0].isdigit() or draw.random() < 0.5:
            return token
        return draw.choice(WHOLE if token.isdigit() else FRACTIONS)

    return TOKEN.sub(lambda found: other(found[0]), source)


class Counting(Memory):
    """How often a script had to be read."""

    def __init__(self) -> None:
        super().__init__()
        self.kept = 0

    def _keep(self, text: str, case: vetting.Case) -> None:
        self.kept += 1
        super()._keep(text, case)


def test_what_is_said_of_a_script_is_the_same_shared_or_not() -> None:
    draw, answered = random.Random(0), 0  # noqa: S311
    assert len(PROGRAMS) > 350
    for path in PROGRAMS:
        source, memory = path.read_text(), Counting()
        memory.examined(source)
        for number in range(4):
            changed = with_other_numbers(source, draw)
            kept = memory.kept
            assert memory.examined(changed) == leakage.examine(changed), (path.name, number)
            answered += memory.kept == kept and not leakage.examine(changed).findings
    assert answered > 300, "it has to be of use, too"


MODEL = """import pandas as pd
from sklearn.linear_model import Ridge
train = pd.read_csv("input/train.csv")  # {0}
OPTIONS = {{"alpha": {0}, "tol": {1}}}
model = Ridge(**OPTIONS, max_iter={2}).fit(train[["a", "b"]], train["y"])
"""


def test_settings_of_a_model_have_no_say() -> None:
    memory = Counting()
    for values in [(1, 0.5, 10), (7, 0.25, 10), (1000, 1e-9, 99)]:
        assert not memory.examined(MODEL.format(*values)).findings
    assert memory.kept == 1


@pytest.mark.parametrize(
    ("program", "values"),
    [
        ("x = pd.read_csv('train.csv').shift({0})", ("1", "2")),
        ("x = pd.read_csv('train.csv').iloc[:{0}]", ("100", "200")),
        ("x = pd.read_csv('train.csv').sample(frac={0})", ("1.0", "0.5")),
        ("x = pd.read_csv('train.csv')\ny = x[x['a'] > {0}]", ("1", "2")),
        ("x = pd.read_csv('train.csv').mean(axis={0})", ("1", "0")),
        ("x = [pd.read_csv('train.csv'), 5][{0}]", ("0", "1")),
    ],
)
def test_numbers_that_have_a_say_are_noticed(program: str, values: tuple[str, str]) -> None:
    source = "import pandas as pd\n" + program
    memory = Counting()
    for value in values:
        memory.examined(source.format(value))
    assert memory.kept == 2


def test_other_types_of_numbers_are_other_programs() -> None:
    assert shape("x = y[1]").text != shape("x = y[1.0]").text
    assert shape("x = y[1]").text == shape("x = y[20]").text


def numbers_of(source: str) -> list[str]:
    return [repr(token.value) for token in shape(source).numbers]


@pytest.mark.parametrize(
    ("source", "numbers"),
    [
        ("a1 = b2[3]", ["3"]),
        ("x = '4' + \"5\" + f'{6}' + '''7'''  # 8", []),
        ("x = 1.5e-3 + 2e5 + 0", ["0.0015", "200000.0", "0"]),
        # What is written in other ways stays as it is.
        ("x = 0x1f + 1_000 + 5j + .5 + 1. + 10000000000000000000", []),
        ("x = [1,2]\ny = '\\'3' + r'\\4'", ["1", "2"]),
        ("größe = [1]; y = 'ä', 2", ["1", "2"]),
        ("x = 1if y else 2", ["2"]),
        ("x = 'no end 1\ny = 2", ["1", "2"]),
    ],
)
def test_numbers_are_found_where_they_are(source: str, numbers: list[str]) -> None:
    assert numbers_of(source) == numbers


def test_numbers_stand_where_the_parser_says() -> None:
    source = 'name = "ä\\"1"; größe = [1,  # 2\n    3.5, """4\n5""", 6]\n'
    watched = examine_watching(source, shape(source).numbers)
    assert watched is not None
    wrong = tuple(token._replace(value=7) for token in shape(source).numbers)
    assert examine_watching(source, wrong) is None


@pytest.mark.parametrize("source", ["x = (1", "x = 1\x00", "x = 1\ry = 2", "", "'1'"])
def test_what_cannot_be_shared_is_read_by_itself(source: str) -> None:
    assert Memory().examined(source) == leakage.examine(source)


LEAKING = """import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
x = pd.read_csv("train.csv")
y = x.pop("target")
a, b, c, d = train_test_split(StandardScaler().fit_transform(x), y, random_state=1)
model = Ridge(alpha={0})
print(model.fit(a, c).score(b, d))
"""


def test_findings_are_never_shared() -> None:
    memory = Counting()
    for strength in (1, 2):
        source = LEAKING.format(strength)
        assert memory.examined(source) == leakage.examine(source)
        assert memory.examined(source).findings
    assert memory.kept == 0


def test_what_is_remembered_is_bounded() -> None:
    memory = Memory()
    for number in range(KEPT_SHAPES + 20):
        memory.examined(f"name_{number} = {number}")
    assert len(memory._cases) == KEPT_SHAPES


def texts() -> Iterator[tuple[str, bool, bool]]:
    yield "x = 1", True, True
    yield "Hello", True, False
    yield "I am sorry", False, False
    yield "x = 01", False, False
    yield "'''1'''", True, False
    yield "run(1)", True, True
    yield "((" * 4000, False, False


@pytest.mark.parametrize(("source", "parses", "acts"), list(texts()))
def test_the_outline_of_a_text(source: str, parses: bool, acts: bool) -> None:
    assert outline(source) == (parses, acts)
