"""The verbs that bring memories over from other systems."""

from __future__ import annotations

import os
from collections.abc import Sequence

from scrubjay.encode.intake import check_flag, check_namespace, check_path, check_progress
from scrubjay.migrate.elfmem import read_elfmem
from scrubjay.migrate.mem0 import read_mem0
from scrubjay.protocols import Progress
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.migrate import Migration, migrate


class MigrationVerbs:
    """Imports that say what they mapped, guessed and dropped. Running one again adds nothing."""

    _engine: Engine

    def import_elfmem(
        self,
        path: str | os.PathLike[str],
        *,
        namespace: str | Sequence[str] = (),
        archived: bool = False,
        progress: Progress | None = None,
    ) -> Migration:
        """Add the blocks of an elfmem database (0.20.0), with evidence, stability, tags and edges.

        See `scrubjay.migrate.elfmem` for what becomes of each field. The database is only read.

        Args:
            path: the SQLite file.
            namespace: where they go.
            archived: bring archived blocks too.
            progress: called with (done, total).

        Raises:
            ArgumentError: no elfmem database; nothing was written.
            FileError: the file is not there or cannot be read.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     store.import_elfmem("nowhere.db")
            Traceback (most recent call last):
                ...
            scrubjay.errors.FileError: path 'nowhere.db': No such file or directory; name a file that is there and ...
        """
        scope, told = check_namespace(namespace), check_progress(progress)
        found = read_elfmem(check_path(path), archived=check_flag(archived, argument="archived"))
        return migrate(self._engine, found, "elfmem", scope, told)

    def import_mem0(
        self,
        path: str | os.PathLike[str],
        *,
        namespace: str | Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> Migration:
        """Add the memories of a mem0 export, the JSON of its `get_all`. See `scrubjay.migrate.mem0`.

        Args:
            path: the JSON file.
            namespace: where they go; None: each user's to the namespace of that name.
            progress: called with (done, total).

        Raises:
            ArgumentError: no mem0 export; nothing was written.
            FileError: the file is not there or cannot be read.

        Example:
            >>> import json, os, scrubjay, tempfile
            >>> with tempfile.TemporaryDirectory() as folder, scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     file = os.path.join(folder, "export.json")
            ...     with open(file, "w") as out:
            ...         json.dump({"results": [{"id": "1", "memory": "Likes tea", "user_id": "ada"}]}, out)
            ...     store.import_mem0(file).added, store.list(namespace="ada")[0].text
            (1, 'Likes tea')
        """
        scope = None if namespace is None else check_namespace(namespace)
        told = check_progress(progress)
        return migrate(self._engine, read_mem0(check_path(path), by_user=scope is None), "mem0", scope, told)
