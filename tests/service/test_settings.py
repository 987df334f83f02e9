import json
import re
import tomllib
from pathlib import Path

import pytest

from service.ops.settings import (
    CONFIG_VARIABLE,
    SettingError,
    Settings,
    load,
    locations,
    setting_values,
)
from service.ops.settings_listing import as_lines, as_list, as_template

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch, tmp_path):
    for name in Settings.model_fields:
        monkeypatch.delenv(f"REGULA_{name.upper()}", raising=False)
    monkeypatch.delenv(CONFIG_VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)


def test_the_command_line_goes_before_a_variable_before_the_file_before_the_default(
    monkeypatch, tmp_path
):
    (tmp_path / "regula.toml").write_text('port = 7001\nthreads = 7\nhost = "::1"\n')
    monkeypatch.setenv("REGULA_PORT", "7002")
    monkeypatch.setenv("REGULA_HOST", "0.0.0.0")
    settings = load({"host": "localhost", "port": None})
    assert (settings.host, settings.port, settings.threads, settings.workers) == (
        "localhost",
        7002,
        7,
        2,
    )
    sources = {t.name: t.source for t in setting_values({"host": "localhost"})}
    assert (sources["host"], sources["port"], sources["threads"], sources["workers"]) == (
        *("command line", "REGULA_PORT", "regula.toml"),
        "default",
    )


def test_a_variable_names_the_file(monkeypatch, tmp_path):
    (tmp_path / "elsewhere.toml").write_text(
        'cors_origins = ["https://chat.example"]\nrate_limit = "none"\n'
    )
    monkeypatch.setenv(CONFIG_VARIABLE, str(tmp_path / "elsewhere.toml"))
    assert (load().cors_origins, load().rate_limit) == (("https://chat.example",), "")
    monkeypatch.setenv("REGULA_CORS_ORIGINS", "https://a.example, https://b.example")
    assert load().cors_origins == ("https://a.example", "https://b.example")


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("prot = 80", "there is no setting 'prot'"),
        ("port = 0", "port cannot be 0"),
        ('port = "http"', "port cannot be 'http'"),
        ('rate_limit = "many"', "rate_limit cannot be 'many'"),
        ('metrics = "perhaps"', "metrics cannot be 'perhaps'"),
        ("port = ", "not TOML"),
    ],
)
def test_a_wrong_setting_is_one_line_that_names_file_and_setting(tmp_path, written, says):
    (tmp_path / "regula.toml").write_text(written)
    with pytest.raises(SettingError) as fault:
        load()
    assert says in str(fault.value)
    assert str(fault.value).startswith("regula.toml: ")
    assert "\n" not in str(fault.value)


def test_a_file_that_is_not_there_is_told(monkeypatch):
    monkeypatch.setenv(CONFIG_VARIABLE, "missing.toml")
    with pytest.raises(SettingError, match=r"missing\.toml: cannot be read"):
        load()


def test_a_folder_of_rulebooks_that_is_not_there_is_told(tmp_path):
    with pytest.raises(SettingError, match="no such folder"):
        locations(load({"rulebooks": tmp_path / "none"}))


def test_the_file_to_begin_with_says_every_setting_and_changes_none(tmp_path):
    template = as_template()
    (tmp_path / "regula.toml").write_text(template)
    assert load() == Settings()
    uncommented = re.sub(r"(?m)^# (?=[a-z_]+ = )", "", template)
    assert set(tomllib.loads(uncommented)) == set(Settings.model_fields)
    (tmp_path / "regula.toml").write_text(uncommented)
    assert load() == Settings()  # the defaults, said


def test_the_list_tells_meaning_value_and_default_of_each():
    for row in as_list({"port": 9000}):
        assert row["meaning"].endswith(".")
        assert f"{row['name']} = " in as_lines({"port": 9000})
        json.dumps(row)
    (port,) = [row for row in as_list({"port": 9000}) if row["name"] == "port"]
    assert (port["value"], port["default"], port["source"]) == (9000, 8080, "command line")


def test_the_docs_have_every_setting_with_its_default_and_meaning():
    page = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    row = re.compile(r"(?m)^\| `(?P<name>\w+)` \| (?P<default>.*?) \| (?P<meaning>.*?) \|$")
    rows = {m["name"]: (m["default"], m["meaning"]) for m in row.finditer(page)}
    said = {t["name"]: (default(t["default"]), t["meaning"]) for t in as_list()}
    assert rows == said


ADDRESSES = [
    "redis://someone:geheim@counts.example:6379/1",
    "redis://:geheim@counts.example:6379",
    "redis://geheim@counts.example",
    "rediss://someone:ge/he#im@geheim@counts.example",
    "redis+sentinel://someone:geheim@counts.example:26379,other.example:26379/name",
    "redis://counts.example:6379?db=1&password=geheim",
]


@pytest.mark.parametrize("form", [as_lines, lambda: json.dumps(as_list()), as_template])
@pytest.mark.parametrize("address", ADDRESSES)
def test_no_list_of_settings_shows_what_lets_in_somewhere(monkeypatch, address, form):
    monkeypatch.setenv("REGULA_RATE_STORAGE", address)
    monkeypatch.setenv("REGULA_STORE_TOKEN", "geheim")
    assert not re.search("geheim|ge/he", form())
    assert load().rate_storage == address
    if form is not as_template:
        assert "counts.example" in form()


@pytest.mark.parametrize(
    "written",
    [
        *(f'rate_storage = "{address.replace("redis", "rodis")}"' for address in ADDRESSES),
        'rate_storage = "someone:geheim@counts.example"',
        'rate_storage = ["redis://geheim@counts.example"]',
        'store = "milvus://someone:geheim@store.example"',
        'store_token = ["geheim"]',
        'public_url = "https://someone:geheim@regula.example"',
        'public_url = "someone:geheim@regula.example"',
        'cors_origins = ["https://someone:geheim@chat.example", 1]',
    ],
)
def test_no_complaint_of_a_setting_shows_what_lets_in_somewhere(tmp_path, written):
    (tmp_path / "regula.toml").write_text(written)
    with pytest.raises(SettingError) as fault:
        load()
    assert str(fault.value).startswith(f"regula.toml: {written.split()[0]} ")
    assert "geheim" not in str(fault.value)


def test_hosts_are_names_alone(monkeypatch):
    monkeypatch.setenv("REGULA_HOSTS", "Regula.example, [2001:DB8::1],192.0.2.7")
    assert load().hosts == ("regula.example", "2001:db8::1", "192.0.2.7")
    for wrong in ("https://regula.example", "regula.example:8080", "*", "regula.example/path"):
        monkeypatch.setenv("REGULA_HOSTS", wrong)
        with pytest.raises(SettingError, match="hosts cannot be"):
            load()


def default(value):
    return "" if value in (None, "", []) else f"`{json.dumps(value, ensure_ascii=False)}`"
