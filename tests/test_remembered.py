"""What is remembered of texts: within its bytes, and gone where its memory is."""

from __future__ import annotations

import threading

import scrubjay
from scrubjay.remembered import Remembered, forget_all, remembered
from scrubjay.slots.competition import said
from scrubjay.slots.statements import statement
from toys import Clock, WordHash


def counted(room: int, longest: int | None = None) -> tuple[Remembered[tuple[str, ...]], list[str]]:
    made: list[str] = []

    @remembered(room=room, longest=longest)
    def parts(text: str) -> tuple[str, ...]:
        made.append(text)
        return (text,)

    return parts, made


def test_it_stays_within_its_bytes_whatever_is_asked() -> None:
    parts, made = counted(20_000)
    for i in range(2000):
        assert parts(f"text {i}") == (f"text {i}",)
        assert parts("asked again and again") == ("asked again and again",)
        assert parts.nbytes <= 20_000
    assert 10 < len(parts) < 60
    assert made.count("asked again and again") == 1
    assert parts("x" * 30_000) == ("x" * 30_000,)
    assert parts.nbytes <= 20_000
    parts.drop(f"text {i}" for i in range(2000))
    assert len(parts) == 1
    parts.drop(["asked again and again", "unknown"])
    assert (len(parts), parts.nbytes) == (0, 0)


def test_texts_of_one_beginning_are_one() -> None:
    parts, made = counted(10_000, longest=3)
    assert parts("abcd") == parts("abce") == ("abc",)
    assert made == ["abc"]
    parts.drop(["abcx"])
    assert len(parts) == 0


def test_threads_share_it() -> None:
    parts, _ = counted(8000)
    wrong: list[str] = []

    def ask(seed: int) -> None:
        for i in range(300):
            text = str((seed * i) % 40)
            if parts(text) != (text,):
                wrong.append(text)
            if i % 7 == seed:
                parts.drop([text])

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert parts.nbytes <= 8000
    parts.drop(map(str, range(40)))
    assert (len(parts), parts.nbytes) == (0, 0)


def known(text: str) -> bool:
    before = len(statement) + len(said)
    for some in (statement, said):
        some.drop([text])
    return len(statement) + len(said) < before


def test_what_is_deleted_or_purged_is_not_remembered() -> None:
    forget_all()
    texts = [f"The red kite number {i} nests at the mill." for i in range(6)]
    with scrubjay.open(":memory:", embedder=WordHash(32), clock=Clock()) as store:
        ids = [memory.id for memory in store.add_many(texts)]
        store.search("where does the kite nest")
        assert known(texts[5])
        store.search("where does the kite nest")
        store.delete([ids[0]])
        assert not known(texts[0])
        assert known(texts[1])
        store.search("where does the kite nest")
        store.delete([ids[2]], purge=True)
        assert not any(known(text) for text in texts)
        store.search("where does the kite nest")
        store.delete_all((), root=True, purge=False)
        assert not any(known(text) for text in texts)
