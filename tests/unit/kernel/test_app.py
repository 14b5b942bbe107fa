"""An app names its parts; a name is loaded when it is used."""

import pytest

from proveout.kernel.app import App
from proveout.kernel.errors import PrerequisiteError

APP = App(name="words", summary="s", task="tests.words:WordTask", flow="tests.missing:run")


def test_a_part_is_loaded_by_its_dotted_name() -> None:
    assert APP.load(APP.task).__name__ == "WordTask"


def test_a_missing_library_names_the_extra_to_install() -> None:
    with pytest.raises(PrerequisiteError) as caught:
        APP.load("no_such_library.part:name")
    assert caught.value.hint == "pip install 'proveout[words]'"
    heavy = App(name="words", summary="s", task="", flow="", extra="heavy")
    with pytest.raises(PrerequisiteError, match=r"proveout\[heavy\]"):
        heavy.load("no_such_library:name")


def test_a_missing_part_of_the_product_is_not_blamed_on_the_machine() -> None:
    with pytest.raises(ModuleNotFoundError):
        APP.load("proveout.no_such_module:name")
