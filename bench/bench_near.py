"""Searches of a namespace whose memories are statements of a few forms: settings of users, tickets, orders, tool logs.

    python bench/bench_near.py [--n 10000] [--asked 60] [--kind preferences ...] [--json FILE]

The best candidates of such a question are hundreds of near texts, each of which might state the slot of any other. CPU
of the process, in ms: the search of a new handle's first questions ("first": texts that nobody has read yet), of
questions asked again ("again"), of one after each write ("written"), beside the same questions without competition
("alone", `scoring="paper"`) in the same run. `--json` keeps the hits, to be compared with another version's.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import scrubjay
from scrubjay.encode.universal import UniversalEncoder
from scrubjay.remembered import forget_all

NOW = 1.7e9
LIKES = ("dark mode", "light mode", "short answers", "metric units", "e-mail over chat", "weekly digests", "French")
CITIES = ("Graz", "Lyon", "Porto", "Leeds", "Turin", "Ghent", "Malmö", "Bern", "Brno", "Cork")
TOOLS = ("web_search", "read_file", "run_tests", "send_mail", "sql_query", "git_push", "lint", "deploy")
SERVERS = ("web", "db", "cache", "mail", "build", "file", "proxy", "auth")
STATES = ("open", "closed", "blocked", "in review", "waiting for the customer")
UP = ("up", "down", "slow", "overloaded", "in maintenance", "back online")
NAMES = ("Ana", "Bo", "Cy", "Dilan", "Eva", "Finn", "Gus", "Hana", "Ivo", "June", "Kim", "Lea", "Milo", "Nora")
HABITS = (
    "works at {firm}", "lives in {city}", "moved to {city}", "no longer works at {firm}", "likes {thing}",
    "is allergic to {thing}", "joined {firm}", "has two children", "switched to {thing}", "prefers {thing}",
)  # fmt: skip
FIRMS = ("Spotify", "Zalando", "Bosch", "Airbus", "Lidl", "Nokia")
THINGS = ("tea", "nuts", "Emacs", "cats", "chess", "Slack", "oat milk")

Made = Callable[[random.Random], str]
KINDS: dict[str, tuple[Made, Made]] = {
    "preferences": (
        lambda r: f"User {r.randrange(10**4)} prefers {r.choice(LIKES)}.",
        lambda r: f"What does user {r.randrange(10**4)} prefer?",
    ),
    "tickets": (
        lambda r: f"Ticket {r.randrange(10**4)} is {r.choice(STATES)}.",
        lambda r: f"Is ticket {r.randrange(10**4)} open?",
    ),
    "orders": (
        lambda r: f"Order {r.choice('ABCDEF')}-{r.randrange(2000)} was shipped to {r.choice(CITIES)}.",
        lambda r: f"Where was order {r.choice('ABCDEF')}-{r.randrange(2000)} shipped to?",
    ),
    "tools": (
        lambda r: (
            f"Tool {r.choice(TOOLS)} returned {r.randrange(50)} results in {r.randrange(900)} ms "
            f"at {r.randrange(24)}:{r.randrange(60):02d}."
        ),
        lambda r: f"How many results did {r.choice(TOOLS)} return?",
    ),
    "sensors": (
        lambda r: f"Sensor {r.choice('KLMN')}-{r.randrange(500)} reads {r.randrange(150, 300) / 10} degrees.",
        lambda r: f"What does sensor {r.choice('KLMN')}-{r.randrange(500)} read?",
    ),
    "servers": (
        lambda r: (
            f"The {r.choice(SERVERS)} server {r.randrange(40)} is {r.choice(UP)} since "
            f"{r.randrange(24)}:{r.randrange(60):02d}."
        ),
        lambda r: f"Is the {r.choice(SERVERS)} server {r.randrange(40)} up?",
    ),
    "mixed": (
        lambda r: (
            f"{r.choice(NAMES)} {r.choice(NAMES)[0]}{r.randrange(900)} "
            + r.choice(HABITS).format(firm=r.choice(FIRMS), city=r.choice(CITIES), thing=r.choice(THINGS))
            + "."
        ),
        lambda r: f"Where does {r.choice(NAMES)} {r.choice(NAMES)[0]}{r.randrange(900)} live?",
    ),
}


def spent(call: Callable[[], object]) -> float:
    """ms of CPU of one call."""
    start = time.process_time()
    call()
    return 1e3 * (time.process_time() - start)


def told(times: Sequence[float]) -> str:
    return "/".join(f"{value:7.1f}" for value in np.percentile(times, (50, 95, 99)))


def run(kind: str, n: int, asked: int, encoder: UniversalEncoder) -> dict[str, object]:
    say, ask = KINDS[kind]
    rng = random.Random(7)
    texts = [say(rng) for _ in range(n)]
    questions = [ask(rng) for _ in range(asked)]
    with tempfile.TemporaryDirectory() as folder:
        with scrubjay.open(Path(folder) / "near", embedder=encoder) as store:
            units = [{"text": text, "when": NOW + 60 * i} for i, text in enumerate(texts)]
            adds = spent(lambda: [store.add_many(units[at : at + 5000]) for at in range(0, n, 5000)])
        forget_all()
        with scrubjay.open(Path(folder) / "near", embedder=encoder) as store:
            now = NOW + 60 * n

            def search(question: str, scoring: str = "competitive") -> scrubjay.Hits:
                return store.search(question, now=now, scoring=scoring)  # type: ignore[arg-type]

            for question in questions:
                search(question, "paper")
            alone = [spent(lambda q=q: search(q, "paper")) for q in questions]
            first = [spent(lambda q=q: search(q)) for q in questions]
            again = [spent(lambda q=q: search(q)) for q in questions]
            hits = [search(question) for question in questions]
            written = []
            for i, question in enumerate(questions):
                store.add(say(rng), when=now + i)
                written.append(spent(lambda q=question: search(q)))
            each = [[(h.memory.text, float(h.score).hex(), float(h.valid).hex()) for h in some] for some in hits]
    digest = hashlib.sha256(json.dumps(each).encode()).hexdigest()[:12]
    ratio = np.percentile(again, 95) / np.percentile(alone, 95)
    print(
        f"{kind:12} n={n:<7} alone {told(alone)}  again {told(again)} ({ratio:5.1f} x)  first {told(first)}"
        f"  written {told(written)}  adds/s {1e3 * n / adds:7.0f}  hits {digest}",
        flush=True,
    )
    return {"kind": kind, "n": n, "alone": alone, "again": again, "first": first, "written": written, "hits": each}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--asked", type=int, default=60)
    parser.add_argument("--kind", nargs="*", choices=tuple(KINDS), default=list(KINDS))
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    encoder = UniversalEncoder()
    print("ms of CPU: p50/p95/p99")
    rows = [run(kind, given.n, given.asked, encoder) for kind in given.kind]
    if given.json is not None:
        given.json.write_text(json.dumps(rows), "utf-8")


if __name__ == "__main__":
    main()
