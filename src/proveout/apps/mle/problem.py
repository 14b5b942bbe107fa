"""What a task folder asks for, as code could tell; and how scripts and harness meet in files."""

from typing import Literal

from proveout.kernel.types import Frozen

Kind = Literal["binary", "multiclass", "regression"]
Direction = Literal["maximize", "minimize"]
Scheme = Literal["shuffled", "stratified", "grouped", "time"]
ColumnKind = Literal["number", "category", "text", "date", "boolean", "id", "constant"]
SubmissionForm = Literal["value", "probability", "wide"]
Look = Literal["", "clock", "amount"]
"""What numbers may stand for besides themselves: a time of day written as HHMM; a bill or a count,
never negative, often nought, with a long tail."""

TRAIN_FILE = "train.csv"
TEST_FILE = "test.csv"
FOLDS_FILE = "folds.csv"
PREDICTIONS_FILE = "final/predictions.npz"
SUBMISSION_FILE = "final/submission.csv"
SCORE_PHRASE = "Final Validation Performance:"


def as_it_stands(column: str) -> str:
    """Where scripts find the text of a test file's column, whatever else is made of it."""
    return f"{column} (as it stands)"


class Column(Frozen):
    """One column as it stands in the training and the test file."""

    name: str
    kind: ColumnKind
    missing: float = 0.0
    """Share of training rows without a value."""
    missing_test: float = 0.0
    unique: int = 0
    """Different values in training."""
    words: float = 0.0
    """Words per value, for text."""
    code: bool = False
    """Whether whole numbers are names rather than amounts; the kind is `number` all the same."""
    look: Look = ""


class Dropped(Frozen):
    """A feature column that must not be used, and why."""

    column: str
    code: str
    """The finding's code: `mle.data.collapsed_at_test`, `mle.data.constant`, …"""
    reason: str


class Table(Frozen):
    """A further file with facts about rows, joined by a key."""

    file: str
    key: str
    columns: tuple[str, ...]


class Problem(Frozen):
    """A supervised task on tables. `task.toml` is this, written down."""

    name: str
    kind: Kind
    metric: str
    """A name of `metrics.METRICS`, or `custom`."""
    direction: Direction
    targets: tuple[str, ...]
    """Columns of the training file; more than one only for regression."""
    labels: tuple[str, ...] = ()
    """Classes as the training file spells them, in the order of prediction columns."""
    id_column: str = ""
    """Empty if rows have no name: then their order counts."""
    key_tells: bool = False
    """Whether prefix and number of rows' names predict the target, for test rows, too."""
    submission_columns: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()
    """Those that name a row together and are taken over from the test file: `person` and `year`."""
    submission: SubmissionForm = "value"
    """`value`: a number or a label; `probability`: of the second label; `wide`: one per label."""
    train_files: tuple[str, ...] = (TRAIN_FILE,)
    test_file: str = TEST_FILE
    sample_file: str = ""
    columns: tuple[Column, ...] = ()
    """Feature columns only."""
    groups: str = ""
    """Rows of one value belong together: never on both sides of a split."""
    time: str = ""
    """Rows are ordered by this column, and test rows come later."""
    years: float = 0.0
    """That training rows span, if they are ordered by time and it tells years."""
    repeats: bool = True
    """Whether training rows may be copies of others, answers included."""
    dropped: tuple[Dropped, ...] = ()
    tables: tuple[Table, ...] = ()
    custom_metric: str = ""
    """`file.py:function`, `(y_true, y_pred) -> float`, for the metric `custom`."""
    rows: int = 0
    test_rows: int = 0

    @property
    def answer_columns(self) -> tuple[str, ...]:
        """What a submission says, without the columns that name its rows."""
        naming = {self.id_column, *self.copied}
        return tuple(name for name in self.submission_columns if name not in naming)

    @property
    def features(self) -> tuple[Column, ...]:
        """Columns that a model may use."""
        barred = {item.column for item in self.dropped}
        return tuple(column for column in self.columns if column.name not in barred)
