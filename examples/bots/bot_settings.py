"""Settings of a bot: from variables BOT_…, secrets in files, or the TOML file that BOT_CONFIG
names.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from limits import parse
from pydantic import (
    AnyHttpUrl,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

CONFIG_VARIABLE = "BOT_CONFIG"
_SECRETS = (
    os.environ.get("CREDENTIALS_DIRECTORY", ""),
    "/run/secrets",
)  # of systemd, of containers


class WrongSetup(Exception):
    """A bot cannot run until its owner changes something; the message is one line that says
    what.
    """


class Scope(BaseModel):
    """The rules that questions in a place are about: a game, or one edition of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    game: str | None = None
    edition: str | None = None

    @property
    def where(self) -> dict[str, str]:
        """The fields of a question for this scope."""
        return {
            name: value for name, value in (("game", self.game), ("edition", self.edition)) if value
        }


class BotSettings(BaseSettings):
    """All settings of both bots. A variable ``BOT_…`` overrides a secret in a file, which overrides
    the TOML file.
    """

    model_config = SettingsConfigDict(
        env_prefix="BOT_",
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        str_strip_whitespace=True,
    )

    regula: AnyHttpUrl = AnyHttpUrl("http://127.0.0.1:8080")
    """Address of the service."""
    regula_key: SecretStr = SecretStr("")
    """Its API key, if it wants one."""
    game: str | None = None
    """The game asked about where `places` say nothing else."""
    edition: str | None = None
    """The same for one edition."""
    places: dict[str, Scope] = {}
    """Rules by the id of a server, a channel, a thread, a chat."""
    feedback: bool = False
    """Whether answers have buttons that say whether this was it."""
    user_limit: str = "10/minute"
    """Questions of one user."""
    patience: Annotated[float, Field(gt=0, le=60)] = 15.0
    """Seconds that one question may take."""
    follow_up: Annotated[float, Field(ge=0, le=86400)] = 600.0
    """Seconds that questions stay context of the next; 0: never."""
    discord_token: SecretStr = SecretStr("")
    telegram_token: SecretStr = SecretStr("")
    telegram_api: AnyHttpUrl = AnyHttpUrl("https://api.telegram.org")
    """Another Bot API server."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @field_validator("user_limit")
    @classmethod
    def _limit(cls, value: str) -> str:
        parse(value)  # raises for an invalid address
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read variables before secrets before the TOML file."""
        return (
            env_settings,
            file_secret_settings,
            TomlConfigSettingsSource(settings_cls, os.environ.get(CONFIG_VARIABLE) or None),
        )

    def scope(self, places: Iterable[str], game: str | None = None) -> Scope:
        """Return the scope of the first of ``places`` that has one, else the bot's. A named
        ``game`` takes precedence.
        """
        own = next(
            (self.places[place] for place in places if place in self.places),
            Scope(game=self.game, edition=self.edition),
        )
        return own if game in (None, "", own.game) else Scope(game=game)


def load_settings() -> BotSettings:
    """Return the settings. Raises `WrongSetup` for an invalid one."""
    config = os.environ.get(CONFIG_VARIABLE)
    if config and not Path(config).is_file():
        raise WrongSetup(f"{CONFIG_VARIABLE}: there is no file {config}")
    try:
        return BotSettings(
            _secrets_dir=next(
                (folder for folder in _SECRETS if folder and Path(folder).is_dir()), None
            )
        )
    except ValidationError as fault:
        first = fault.errors(include_input=False, include_url=False)[0]  # an input may be a token
        name = ".".join(map(str, first["loc"])) or "settings"
        raise WrongSetup(
            f"{name}: {first['msg']} (BOT_{name.upper()}, or {name} in the file of "
            f"{CONFIG_VARIABLE})"
        ) from None
    except ValueError as fault:
        raise WrongSetup(f"{CONFIG_VARIABLE}: {config} is no TOML ({fault})") from None


def needed_token(token: SecretStr, variable: str) -> str:
    """Return a token. Raises `WrongSetup` where it is missing."""
    if not (value := token.get_secret_value().strip()):
        raise WrongSetup(
            f"{variable} is not set; examples/README.md says where the token comes from"
        )
    return value
