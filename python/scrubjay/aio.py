"""The store for asyncio: `scrubjay.aopen` and `AsyncMemoryStore`, the same verbs as coroutines.

Every verb runs in a thread of the store's own, so that neither the disk nor an embedder nor a language model keeps the
event loop from its other work. A verb that is cancelled before its turn never begins; one that has begun runs to its
end, whole, whoever still waits for it: a cancelled `add` has stored its memory or has not, never half of it.

>>> import asyncio
>>> async def main() -> str:
...     async with aopen(":memory:") as store:
...         await store.add("Ada is allergic to peanuts", namespace="ada")
...         hits = await store.search("what must Ada not eat?", namespace="ada")
...         return hits[0].memory.text
>>> asyncio.run(main())
'Ada is allergic to peanuts'
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import copy_context
from functools import partial, wraps
from types import TracebackType
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from scrubjay.errors import StoreClosedError
from scrubjay.facets.reembed import reembed
from scrubjay.memorystore import MemoryStore, open
from scrubjay.recall.weighting import WeightHead
from scrubjay.verbs.reembed import Reembedded

WRITERS: Final = 16
"""Writing verbs of one store that run at a time (chosen): so many adds may share one commit."""
READERS: Final = 4
"""Looking verbs that run at a time (chosen), in threads of their own: no model that a writer waits for delays them."""
LOOKING: Final = frozenset(
    {
        "binding", "due", "forgotten", "get", "history", "list", "neighbors", "prepare", "search", "search_many",
        "stats", "taxonomy", "validity",
    }
)  # fmt: skip
"""The verbs that only look."""

P = ParamSpec("P")
R = TypeVar("R")


def _twin(
    verb: Callable[Concatenate[MemoryStore, P], R],
) -> Callable[Concatenate[AsyncMemoryStore, P], Coroutine[Any, Any, R]]:
    @wraps(verb)
    async def call(self: AsyncMemoryStore, /, *args: P.args, **kwargs: P.kwargs) -> R:
        # by its name: a handle that is bound to a namespace has its own
        return await self._run(partial(getattr(self._store, verb.__name__), *args, **kwargs), verb.__name__)

    return call


class AsyncMemoryStore:
    """An open store whose verbs are coroutines. Made by `scrubjay.aopen`; an async with block or `close` ends it.

    Tasks and event loops may share one. A verb's arguments and answers are those of `scrubjay.MemoryStore`; a
    `progress` function is called in the verb's thread.
    """

    def __init__(self, store: MemoryStore, *, within: AsyncMemoryStore | None = None) -> None:
        self._store = store
        self._owns = within is None
        self._writers: ThreadPoolExecutor
        self._readers: ThreadPoolExecutor
        if within is not None:
            self._writers, self._readers = within._writers, within._readers
        else:
            self._writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="scrubjay-write")
            self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="scrubjay-read")

    @wraps(MemoryStore.bound)
    def bound(self, namespace: str | Sequence[str]) -> AsyncMemoryStore:
        return AsyncMemoryStore(self._store.bound(namespace), within=self)

    add = _twin(MemoryStore.add)
    add_many = _twin(MemoryStore.add_many)
    update = _twin(MemoryStore.update)
    delete = _twin(MemoryStore.delete)
    delete_all = _twin(MemoryStore.delete_all)
    search = _twin(MemoryStore.search)
    search_many = _twin(MemoryStore.search_many)
    get = _twin(MemoryStore.get)
    list = _twin(MemoryStore.list)
    history = _twin(MemoryStore.history)
    stats = _twin(MemoryStore.stats)
    verify = _twin(MemoryStore.verify)
    integrate = _twin(MemoryStore.integrate)
    undo = _twin(MemoryStore.undo)
    reclassify = _twin(MemoryStore.reclassify)
    validity = _twin(MemoryStore.validity)
    fit_weights = _twin(MemoryStore.fit_weights)
    fit_perishability = _twin(MemoryStore.fit_perishability)
    unfit_perishability = _twin(MemoryStore.unfit_perishability)
    outcome = _twin(MemoryStore.outcome)
    rate = _twin(MemoryStore.rate)
    rescore = _twin(MemoryStore.rescore)
    due = _twin(MemoryStore.due)
    define_frame = _twin(MemoryStore.define_frame)
    begin_session = _twin(MemoryStore.begin_session)
    end_session = _twin(MemoryStore.end_session)
    prepare = _twin(MemoryStore.prepare)
    consolidate = _twin(MemoryStore.consolidate)
    restore = _twin(MemoryStore.restore)
    forgotten = _twin(MemoryStore.forgotten)
    binding = _twin(MemoryStore.binding)
    taxonomy = _twin(MemoryStore.taxonomy)
    set_taxonomy = _twin(MemoryStore.set_taxonomy)
    link = _twin(MemoryStore.link)
    unlink = _twin(MemoryStore.unlink)
    neighbors = _twin(MemoryStore.neighbors)
    observe = _twin(MemoryStore.observe)
    fit_fsrs = _twin(MemoryStore.fit_fsrs)
    export_peer = _twin(MemoryStore.export_peer)
    merge_peer = _twin(MemoryStore.merge_peer)
    rebuild = _twin(MemoryStore.rebuild)
    compact = _twin(MemoryStore.compact)
    _replayed = _twin(MemoryStore.replay)

    @wraps(MemoryStore.replay)
    async def replay(self, *args: Any, **kwargs: Any) -> AsyncMemoryStore:
        return AsyncMemoryStore(await self._replayed(*args, **kwargs))

    @wraps(MemoryStore.configure)
    async def configure(self, **parameters: Any) -> None:
        await self._run(partial(self._store.configure, **parameters), "configure")

    @asynccontextmanager
    async def session(self) -> AsyncIterator[None]:
        """`begin_session` and `end_session` around an async with block."""
        await self.begin_session()
        try:
            yield
        finally:
            await self.end_session()

    @property
    def weighting(self) -> WeightHead | None:
        """The head by which this handle moves the rule's weights, as `scrubjay.MemoryStore.weighting`; may be set."""
        return self._store.weighting

    @weighting.setter
    def weighting(self, head: WeightHead | None) -> None:
        self._store.weighting = head

    async def close(self) -> None:
        """Release everything, after the verbs that have begun; what was acknowledged is kept. May be called again."""
        if not self._owns:
            return
        for pool in (self._writers, self._readers):
            pool.shutdown(wait=False)
        await _finished(self._end)

    @property
    def closed(self) -> bool:
        """True after `close`."""
        return self._store.closed

    async def __aenter__(self) -> AsyncMemoryStore:
        self._store.__enter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _end(self) -> None:
        for pool in (self._writers, self._readers):
            pool.shutdown(wait=True)
        self._store.close()

    def __repr__(self) -> str:
        return f"<Async{repr(self._store)[1:]}"

    def __reduce__(self) -> Any:
        raise TypeError("an AsyncMemoryStore cannot be pickled: open the store again where it is needed")

    async def _run(self, call: Callable[[], R], name: str) -> R:
        pool = self._readers if name in LOOKING else self._writers
        try:
            begun: Future[R] = pool.submit(copy_context().run, call)
        except RuntimeError:
            raise StoreClosedError("the store is closed: open it again") from None
        return await asyncio.wrap_future(begun)


def _complete(store: type[AsyncMemoryStore]) -> None:
    """Give the twin every public verb of the store that it does not have yet."""
    for name in dir(MemoryStore):
        verb = getattr(MemoryStore, name)
        if not name.startswith("_") and callable(verb) and not hasattr(store, name):
            setattr(store, name, _twin(verb))


_complete(AsyncMemoryStore)


class Opening:
    """A store that is about to be opened: await it, or enter it with `async with`."""

    def __init__(self, call: Callable[[], MemoryStore]) -> None:
        self._call = call
        self._opened: AsyncMemoryStore | None = None

    def __await__(self) -> Generator[Any, None, AsyncMemoryStore]:
        return self._open().__await__()

    async def __aenter__(self) -> AsyncMemoryStore:
        self._opened = await self._open()
        return self._opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._opened is not None:
            await self._opened.close()

    async def _open(self) -> AsyncMemoryStore:
        pool = ThreadPoolExecutor(1, thread_name_prefix="scrubjay-open")
        begun = pool.submit(copy_context().run, self._call)
        try:
            return AsyncMemoryStore(await asyncio.wrap_future(begun))
        except BaseException:
            # nobody will have the store: what is opened all the same is closed where it was opened
            begun.add_done_callback(_close_unclaimed)
            raise
        finally:
            pool.shutdown(wait=False)


def _close_unclaimed(begun: Future[MemoryStore]) -> None:
    if not begun.cancelled() and begun.exception() is None:
        begun.result().close()


async def _finished(call: Callable[[], R]) -> R:
    """Run a call in a thread of its own to its end, even where the waiting task is cancelled meanwhile."""
    pool = ThreadPoolExecutor(1, thread_name_prefix="scrubjay-close")
    try:
        return await asyncio.shield(asyncio.wrap_future(pool.submit(call)))
    finally:
        pool.shutdown(wait=False)


def _opening(function: Callable[P, MemoryStore]) -> Callable[P, Opening]:
    def aopen(*args: P.args, **kwargs: P.kwargs) -> Opening:
        """Open a store for asyncio: `store = await aopen(path)`, or `async with aopen(path) as store`.

        Takes what `scrubjay.open` takes, and raises the same when it is awaited.
        """
        return Opening(partial(function, *args, **kwargs))

    return aopen


aopen = _opening(open)


@wraps(reembed)
async def areembed(*args: Any, **kwargs: Any) -> Reembedded:
    return await _finished(partial(reembed, *args, **kwargs))
