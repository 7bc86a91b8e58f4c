"""A small HTTP server that speaks the chat completions protocol, and misbehaves on request."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """One answer of the server."""

    text: str = ""
    """The model's reply; the body is a chat completion around it."""
    status: int = 200
    headers: Mapping[str, str] = {}
    body: bytes | None = None
    """Sent in place of a chat completion."""
    length: int | None = None
    """Said to be the body's length, where that is a lie."""
    wait: float = 0.0
    """Seconds before it answers."""
    drip: float = 0.0
    """Seconds between single bytes."""


class Request(NamedTuple):
    path: str
    key: str | None
    body: dict[str, Any]
    at: float


class Server:
    """`answers` are used up in order, the last one stays; `requests` are what came."""

    def __init__(self, url: str, answers: list[Answer], requests: list[Request]) -> None:
        self.url, self.answers, self.requests = url, answers, requests


@contextmanager
def serving(*answers: Answer) -> Iterator[Server]:
    """A server on this machine, for as long as the block runs."""
    left, seen, turn = list(answers), [], threading.Lock()
    stop = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            given = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
            with turn:
                seen.append(Request(self.path, self.headers["authorization"], given, time.monotonic()))
                answer = left.pop(0) if len(left) > 1 else left[0]
            stop.wait(answer.wait)
            body = completion(answer.text) if answer.body is None else answer.body
            self.send_response(answer.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body) if answer.length is None else answer.length))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                if answer.drip:
                    for i in range(len(body)):
                        if stop.wait(answer.drip):
                            return
                        self.wfile.write(body[i : i + 1])
                        self.wfile.flush()
                else:
                    self.wfile.write(body)
            except OSError:
                pass
            if answer.length is not None:
                self.close_connection = True

        def do_GET(self) -> None:
            """A followed redirect of some kinds would come as one."""
            self.headers.add_header("content-length", "0")
            self.do_POST()

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=lambda: http.serve_forever(poll_interval=0.02), daemon=True)
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{http.server_port}/v1", left, seen)
    finally:
        stop.set()
        http.shutdown()
        thread.join()
        http.server_close()


def completion(text: str | None) -> bytes:
    choices = [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]
    made = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": choices}
    return json.dumps(made).encode()
