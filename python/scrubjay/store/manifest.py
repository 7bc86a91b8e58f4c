"""A snapshot's manifest: what it is of, and its files with sizes and SHA-256; itself under a checksum."""

from __future__ import annotations

import hashlib
import os
import re
from typing import Annotated, Final, Literal, Protocol, TypeAlias, TypedDict

import msgspec

from scrubjay.events import Configured, Session

FORMAT: Final = 7
MANIFEST: Final = "manifest.json"

FILE_NAME: Final = re.compile(
    r"(columns|contexts|links|passages|vectors)-(\d{1,19})-([0-9a-f]{16})\.(?:arrow|segment)(\.part)?"
)
"""Names of snapshot files: kind, event, random part."""

_MAX_MANIFEST: Final = 1 << 16

Natural: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Outcome: TypeAlias = Literal[
    "loaded", "absent", "damaged", "format", "foreign", "outdated", "ahead", "written", "older", "skipped"
]


class Status(msgspec.Struct, frozen=True):
    """What became of a snapshot: never silent, never fatal."""

    outcome: Outcome
    seq: int = 0
    """The event that it is the state of; 0 when none was used."""
    reason: str = ""

    @property
    def good(self) -> bool:
        """False where there was a snapshot and it could not be used."""
        return self.outcome not in ("damaged", "format", "foreign", "outdated", "ahead")


class Origin(TypedDict):
    """The head of a manifest: the store that files were made of, and as it was in which epoch."""

    uuid: str
    epoch: int
    embedder: str
    dim: int


class _Headed(Protocol):
    @property
    def uuid(self) -> str: ...
    @property
    def epoch(self) -> int: ...
    @property
    def embedder(self) -> str: ...
    @property
    def dim(self) -> int: ...


def origin(held: _Headed, epoch: int | None = None) -> Origin:
    """What a store, or a manifest of one, says of itself; `epoch` in the place of its own."""
    return Origin(uuid=held.uuid, epoch=held.epoch if epoch is None else epoch, embedder=held.embedder, dim=held.dim)


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of a snapshot."""

    name: str
    size: Natural
    sha256: str


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a snapshot is of."""

    format: int
    uuid: str
    epoch: Natural
    embedder: str
    dim: Natural
    seq: Natural
    crc: Natural
    """Checksum of event `seq` in the log: another history has another one."""
    rows: Natural
    contexts: Natural
    settings: Configured
    session: Session
    columns_file: File
    vectors_file: File
    """What, contexts and codes: `sha256` is of its header and checksums (see `scrubjay.store.segment`)."""
    links_file: File
    passages_file: File
    taxonomy: dict[str, tuple[float, float]]
    """What labels mean, where a user changed it: (pi, tau)."""
    head_seq: Natural = 0
    """The event that holds the fitted perishability head, 0 for the shipped one."""

    @property
    def files(self) -> tuple[File, ...]:
        """The files it is made of."""
        return self.columns_file, self.vectors_file, self.links_file, self.passages_file

    @property
    def names(self) -> set[str]:
        """Their names."""
        return {file.name for file in self.files}


class _Sealed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    body: msgspec.Raw
    sha256: str


class UnusableError(Exception):
    """Why a snapshot cannot be used."""

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(reason)
        self.status = Status(outcome, 0, reason)


def read_manifest(folder: str) -> Manifest | None:
    """The manifest, None when there is none."""
    try:
        with open(os.path.join(folder, MANIFEST), "rb") as file:
            data = file.read(_MAX_MANIFEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        if len(data) > _MAX_MANIFEST:
            raise UnusableError("damaged", "the manifest is too long")
        sealed = msgspec.json.decode(data, type=_Sealed)
        if hashlib.sha256(sealed.body).hexdigest() != sealed.sha256:
            raise UnusableError("damaged", "the manifest does not match its checksum")
        version = msgspec.json.decode(sealed.body)["format"]
        if version != FORMAT:
            raise UnusableError("format", f"the snapshot has format {version}, this version reads {FORMAT}")
        return msgspec.json.decode(sealed.body, type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError, KeyError, TypeError, RecursionError) as error:
        raise UnusableError("damaged", f"the manifest cannot be read: {error}") from error


def seal(manifest: Manifest) -> bytes:
    """The manifest file's bytes."""
    body = msgspec.json.encode(manifest)
    return msgspec.json.encode(_Sealed(msgspec.Raw(body), hashlib.sha256(body).hexdigest()))


def complete(folder: str, manifest: Manifest) -> bool:
    """True when the manifest's files are there in their sizes."""
    for file in manifest.files:
        try:
            if os.path.getsize(os.path.join(folder, file.name)) != file.size:
                return False
        except OSError:
            return False
    return True


def held_manifest(folder: str) -> Manifest | None:
    """The manifest, None when there is none that can be used."""
    try:
        return read_manifest(folder)
    except (UnusableError, OSError):
        return None
