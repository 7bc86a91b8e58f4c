"""What a store takes it gives back: memory, files and threads; and every way of ending one ends soon."""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import scrubjay
from scrubjay import MemoryStore, Perishability, errors
from toys import Clock, WordHash

STABLE = Perishability(label="factual", pi=0.1, tau=9 * 86400.0)
PATIENCE = 60.0
"""Seconds after which what should end is taken to hang; a busy machine is slow."""
PROC = Path("/proc/self")
linux = pytest.mark.skipif(not (PROC / "statm").exists(), reason="needs /proc to see a process's memory")


def opened(path: Path | str) -> MemoryStore:
    return scrubjay.open(path, embedder=WordHash(16), clock=Clock(1.7e9), durability="normal")


def resident() -> int:
    return int((PROC / "statm").read_text().split()[1]) * resource.getpagesize()


def mixed(store: MemoryStore, n: int) -> None:
    """So many verbs on a store of a bounded size: what is added is deleted, and history is summed up."""
    held = [unit.id for unit in store.list(limit=64)]
    for i in range(n):
        kind = i % 8
        if kind == 0:
            held.append(store.add(f"tea {i % 977} room {i % 31}", key=f"k{i % 997}", perishability=STABLE).id)
            held = list(dict.fromkeys(held))
        elif kind == 1:
            store.outcome(held[-1:], 0.5)
        elif kind == 2 and len(held) > 32:
            store.delete(held.pop(0))
        elif kind == 3:
            store.get(held[-1])
        elif kind == 4:
            store.list(limit=5)
        else:
            # most of the work of a search is what competes; each of its laws is asked
            store.search(f"tea {i % 97}", k=3, scoring="competitive" if kind == 5 else "paper")


def growth(folder: Path, warm: int, n: int) -> int:
    with opened(folder / "s") as store:
        mixed(store, warm)
        store.compact()
        gc.collect()
        before = resident()
        mixed(store, n)
        gc.collect()
        return resident() - before


@linux
def test_four_thousand_verbs_do_not_grow_the_process(tmp_path: Path) -> None:
    assert growth(tmp_path, 2000, 4000) < 5 << 20


@linux
@pytest.mark.torture
@pytest.mark.timeout(0)
def test_a_million_verbs_do_not_grow_the_process(tmp_path: Path) -> None:
    assert growth(tmp_path, 20_000, 1_000_000) < 5 << 20


@linux
def test_a_closed_store_holds_no_file_and_no_thread(tmp_path: Path) -> None:
    opened(tmp_path / "s").close()
    files, threads = len(os.listdir(PROC / "fd")), threading.active_count()
    for _ in range(50):
        with opened(tmp_path / "s") as store:
            store.add("tea")
            store.search("tea")
    gc.collect()
    assert len(os.listdir(PROC / "fd")) == files
    assert threading.active_count() == threads


@linux
@pytest.mark.torture
@pytest.mark.timeout(0)
def test_two_thousand_openings_leave_nothing(tmp_path: Path) -> None:
    for _ in range(100):
        opened(tmp_path / "s").close()
    files, before = len(os.listdir(PROC / "fd")), resident()
    for _ in range(2000):
        with opened(tmp_path / "s") as store:
            store.search("tea")
    gc.collect()
    assert len(os.listdir(PROC / "fd")) == files
    assert resident() - before < 5 << 20


@pytest.mark.parametrize("where", ["folder", "memory"])
def test_closing_from_another_thread_amid_verbs_ends_soon(tmp_path: Path, where: str) -> None:
    store = opened(tmp_path / "s" if where == "folder" else ":memory:")
    store.add_many([f"tea {i}" for i in range(50)])
    raised: list[BaseException] = []
    begun = threading.Barrier(5)

    def busy(verb: int) -> None:
        begun.wait(PATIENCE)
        try:
            for i in range(10**6):
                if verb % 2:
                    store.add(f"room {verb} {i}", perishability=STABLE)
                else:
                    store.search("tea")
        except errors.StoreClosedError:
            return
        except BaseException as error:  # noqa: BLE001 - shown by the test, whatever it is
            raised.append(error)

    threads = [threading.Thread(target=busy, args=(i,), daemon=True) for i in range(4)]
    for thread in threads:
        thread.start()
    begun.wait(PATIENCE)
    time.sleep(0.2)
    closers = [threading.Thread(target=store.close, daemon=True) for _ in range(2)]
    for thread in (*closers, *threads):
        if thread in closers:
            thread.start()
    for thread in (*closers, *threads):
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert raised == []
    assert store.closed


ENDINGS = {
    "an open store at the end of the interpreter": "store.add('tea'); keep = store",
    "an open store at the end, and a thread that works": (
        "import threading\n"
        "def work():\n"
        "    while True: store.add('tea'); store.search('tea')\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "import time; time.sleep(0.3)"
    ),
    "a thread that works in a kernel": (
        "import threading, numpy as np\n"
        "store.add('tea'); rows = np.ones((20_000, 64), np.float32)\n"
        "def work():\n"
        "    while True: scrubjay.kernels.dot(rows, rows[0])\n"
        "import scrubjay.kernels\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "import time; time.sleep(0.1)"
    ),
    "the last reference dropped in a worker": (
        "import threading, gc\n"
        "held = [store]; del store\n"
        "held[0].add('tea')\n"
        "thread = threading.Thread(target=lambda: (held.clear(), gc.collect()))\n"
        "thread.start(); thread.join(60); assert not thread.is_alive()"
    ),
    "closed at exit": "import atexit; atexit.register(store.close); store.add('tea')",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_ending_ends_soon_and_loses_nothing(tmp_path: Path, ending: str) -> None:
    program = (
        "import sys, time, scrubjay\n"
        "from toys import WordHash\n"
        f"store = scrubjay.open({str(tmp_path / 's')!r}, embedder=WordHash(16))\n"
        f"{ENDINGS[ending]}\n"
        "print('said', time.time(), flush=True)\n"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=120)
    ended = time.time()
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert ended - float(done.stdout.split()[1]) < PATIENCE
    with opened(tmp_path / "s") as store:
        assert "tea" in [unit.text for unit in store.list()]
        assert store.verify().ok


@pytest.mark.parametrize("jump", [-40 * 365 * 86400.0, 0.0, 40 * 365 * 86400.0, 7e9])
def test_a_clock_that_jumps_loses_nothing(tmp_path: Path, jump: float) -> None:
    clock = Clock(1.7e9)
    with scrubjay.open(tmp_path / "s", embedder=WordHash(16), clock=clock) as store:
        ids = [store.add(f"tea {i}").id for i in range(3)]
        store.outcome(ids, 1.0)
        clock.now += jump
        ids += [store.add(f"room {i}").id for i in range(3)]
        store.outcome(ids, 0.5)
        store.integrate("tea 1 is gone")
        clock.now -= 2 * jump
        ids.append(store.add("after").id)
        for hit in store.search("tea", k=10):
            assert 0.0 <= hit.valid <= 1.0
        assert ids == sorted(ids)
        assert store.rebuild().same
        assert store.verify().ok
        state = store._engine.state()
    with scrubjay.open(tmp_path / "s", embedder=WordHash(16), clock=clock) as store:
        assert store._engine.state() == state
