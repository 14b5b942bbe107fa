"""Settings: what wins, where it came from, and what is said about mistakes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from proveout import settings as configuration
from proveout.kernel.errors import UnknownName, UsageError
from proveout.settings import Loaded, Settings, load
from proveout.testing.workspaces import own_environment


@pytest.fixture(autouse=True)
def environment(tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    with own_environment(tmp_path / "home") as patch:
        yield patch


def origins(loaded: Loaded) -> dict[str, str]:
    return {name: origin for name, _, origin in loaded.rows() if origin != "default"}


def test_without_sources_everything_is_a_default(tmp_path: Path) -> None:
    loaded = load(folder=tmp_path)
    assert loaded.settings == Settings()
    assert origins(loaded) == {}


def test_later_sources_win(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    user = tmp_path / "user.toml"
    pyproject, project = tmp_path / "pyproject.toml", tmp_path / "proveout.toml"
    lines = ["rounds = {0}", "calls = {0}", "tokens = {0}", "cost_usd = {0}", "seconds = {0}"]
    user.write_text("\n".join(["[budget]", *lines]).format(1))
    pyproject.write_text("\n".join(["[tool.proveout.budget]", *lines[1:]]).format(2))
    project.write_text("\n".join(["[budget]", *lines[2:]]).format(3))
    environment.setenv("PROVEOUT_CONFIG", str(user))
    environment.setenv("PROVEOUT_BUDGET__COST_USD", "4")
    environment.setenv("PROVEOUT_BUDGET__SECONDS", "4")
    loaded = load({"budget.seconds": 5, "budget.rounds": None}, tmp_path)
    assert loaded.settings.budget.model_dump() == {
        "rounds": 1,
        "calls": 2,
        "tokens": 3,
        "cost_usd": 4,
        "seconds": 5,
    }
    assert origins(loaded) == {
        "budget.rounds": str(user),
        "budget.calls": str(pyproject),
        "budget.tokens": str(project),
        "budget.cost_usd": "environment",
        "budget.seconds": "flag",
    }


def test_the_users_file_is_looked_for_where_configuration_belongs(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environment.delenv("PROVEOUT_CONFIG")
    environment.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config" / "proveout" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[engine]\nworkers = 7")
    assert load(folder=tmp_path).settings.engine.workers == 7
    environment.delenv("XDG_CONFIG_HOME")
    environment.setenv("HOME", str(tmp_path / "user"))
    path = tmp_path / "user" / ".config" / "proveout" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[engine]\nworkers = 8")
    assert load(folder=tmp_path).settings.engine.workers == 8


def test_the_data_folder_is_where_data_belongs(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert configuration.home() == tmp_path / "home"
    environment.delenv("PROVEOUT_HOME")
    environment.setenv("XDG_DATA_HOME", "/data")
    assert configuration.home() == Path("/data/proveout")
    environment.delenv("XDG_DATA_HOME")
    environment.setenv("HOME", "/home/ann")
    assert configuration.home() == Path("/home/ann/.local/share/proveout")


def test_a_name_may_hold_a_dot(tmp_path: Path) -> None:
    """Models are called `gpt-4.1`; that is a name, not a table in a table."""
    project = tmp_path / "proveout.toml"
    project.write_text('[model.prices]\n"gpt-4.1" = [2, 8]\n[model.roles]\n"a.b/c.d" = "offline"')
    loaded = load({"model.name": "offline"}, tmp_path)
    assert loaded.settings.model.prices == {"gpt-4.1": (2.0, 8.0)}
    assert loaded.settings.model.roles == {"a.b/c.d": "offline"}
    assert origins(loaded)["model.prices.gpt-4.1"] == str(project)


def test_tables_of_two_sources_are_joined(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.proveout.model.roles]\na = "x"\nb = "x"')
    (tmp_path / "proveout.toml").write_text('[model.roles]\nb = "y"')
    assert load(folder=tmp_path).settings.model.roles == {"a": "x", "b": "y"}


def test_a_variable_may_hold_a_whole_table(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    environment.setenv("PROVEOUT_MODEL__ROLES", '{"pattern/describe": "offline"}')
    environment.setenv("PROVEOUT_ENGINE", '{"workers": 3}')
    settings = load(folder=tmp_path).settings
    assert settings.model.roles == {"pattern/describe": "offline"}
    assert settings.engine.workers == 3


def test_an_apps_own_section_is_kept(tmp_path: Path) -> None:
    (tmp_path / "proveout.toml").write_text("[apps.mle]\nfolds = 5\n[apps.mle.deep]\nlayers = 2")
    loaded = load(folder=tmp_path)
    assert loaded.settings.apps == {"mle": {"folds": 5, "deep": {"layers": 2}}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[model]\nnam = 'x'", "did you mean 'model.name'"),
        ("[budget]\nruonds = 3", "did you mean 'budget.rounds'"),
        ("[jornal]\npath = 'x'", "did you mean 'journal.path'"),
        ("zzz = 1", "known: "),
    ],
)
def test_an_unknown_name_is_guessed_and_its_file_named(
    tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "proveout.toml").write_text(text)
    with pytest.raises(UnknownName) as caught:
        load(folder=tmp_path)
    assert words in str(caught.value)
    assert str(tmp_path / "proveout.toml") in caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "model = 'offline'",
        "[budget]\nrounds = 'many'",
        "[budget]\nrounds = 1.5",
        "[budget]\ncost_usd = nan",
        "[engine]\nworkers = 0",
        "[model.prices]\nx = [1]",
        "[model.prices]\nx = 'cheap'",
        "[model]\nroles = 'all'",
        "[experience]\nscope = 'everything'",
    ],
)
def test_a_wrong_value_is_named_with_its_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "proveout.toml").write_text(text)
    for flags in ({}, {"model.name": "offline", "budget.rounds": 3}):
        if "rounds" in text and flags:
            continue
        with pytest.raises(UsageError) as caught:
            load(flags, tmp_path)
        assert str(tmp_path / "proveout.toml") in caught.value.message


def test_a_right_flag_covers_a_wrong_value(tmp_path: Path) -> None:
    (tmp_path / "proveout.toml").write_text("[budget]\nrounds = -1")
    assert load({"budget.rounds": 3}, tmp_path).settings.budget.rounds == 3


def test_a_folder_in_the_files_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "proveout.toml").mkdir()
    with pytest.raises(UsageError, match=r"proveout\.toml cannot be read"):
        load(folder=tmp_path)


def test_a_variable_that_is_no_setting_is_refused(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environment.setenv("PROVEOUT_JOURNL__PATH", "x")
    with pytest.raises(UnknownName, match="did you mean 'PROVEOUT_JOURNAL'"):
        load(folder=tmp_path)


def test_half_characters_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"model\.name is not text"):
        load({"model.name": "offline\udcff"}, tmp_path)


def test_variables_that_look_like_secrets_are_secrets(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("ANY_API_KEY", "0123456789")
    environment.setenv("my_password", "abcdefgh-longer")
    environment.setenv("SHORT_TOKEN", "true")
    environment.setenv("HARMLESS", "0123456789abcdef")
    found = configuration.secrets()
    assert {"0123456789", "abcdefgh-longer"} <= set(found)
    assert {"true", "0123456789abcdef"}.isdisjoint(found)
    assert list(found) == sorted(found, key=len, reverse=True), "the longer one is replaced first"


def test_passwords_in_addresses_are_secrets() -> None:
    address = "https://ann:pa55word@host/v1"
    settings = Settings.model_validate({"model": {"base_url": address}})
    assert "pa55word" in configuration.secrets(settings)
    assert "pa55word" not in str(Loaded(settings, {}).rows())


def test_settings_are_frozen_and_read_no_variables_by_themselves(
    environment: pytest.MonkeyPatch,
) -> None:
    environment.setenv("PROVEOUT_ENGINE__WORKERS", "9")
    settings = Settings()
    assert settings.engine.workers == 2
    with pytest.raises(ValueError, match="frozen"):
        settings.engine = settings.engine  # type: ignore[misc]
