"""mle keeps the contract of apps, on a small task of its own."""

import pytest

from proveout.apps.mle import APP
from proveout.apps.mle.samples import write_task
from proveout.testing.app_contract import AppContract


class TestMle(AppContract):
    app = APP
    rounds = 60

    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def _written(cls, tmp_path_factory: pytest.TempPathFactory) -> None:
        """Tasks are folders, so the files come first."""
        folder = tmp_path_factory.mktemp("boats")
        data = write_task(folder / "task", rows=240, test_rows=60)
        cls.tasks = (
            {"folder": str(data), "out": str(folder / "out"), "smoke": True, "card": "linear"},
        )
        broken = folder / "broken.py"
        broken.write_text(
            "import pandas as pd\nrows = pd.read_csv('input/train.csv')\nrows.no_such()\n"
        )
        cls.hopeless = {
            "folder": str(data),
            "out": str(folder / "hopeless"),
            "card": str(broken),
            "models": 1,
        }
