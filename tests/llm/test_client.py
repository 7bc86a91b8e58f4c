"""The client against a real server on this machine."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import scrubjay
from scrubjay.errors import ArgumentError, ModelReplyError
from scrubjay.llm import ChatModel, configured_model
from tests.llm.serving import Answer, completion, serving
from toys import Clock, WordHash

pytest.importorskip("openai", reason="needs scrubjay[llm]")

KEY = "sk-hidden-key-4711"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SCRUBJAY_LLM_MODEL", "SCRUBJAY_LLM_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SCRUBJAY_LLM_API_KEY", KEY)


def test_a_prompt_and_its_schema_reach_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Answer("hello"), Answer('{"a": 1}')) as server:
        monkeypatch.setenv("SCRUBJAY_LLM_MODEL", "m")
        monkeypatch.setenv("SCRUBJAY_LLM_BASE_URL", server.url)
        model = configured_model()
        assert model is not None
        assert model.complete("say hello") == "hello"
        assert model.complete("json", schema={"type": "object"}) == '{"a": 1}'
        first, second = server.requests
    assert first.path == "/v1/chat/completions"
    assert first.key == f"Bearer {KEY}"
    assert (first.body["model"], first.body["temperature"]) == ("m", 0)
    assert first.body["messages"] == [{"role": "user", "content": "say hello"}]
    assert second.body["response_format"]["json_schema"]["schema"] == {"type": "object"}


def test_without_a_name_there_is_no_model() -> None:
    assert configured_model() is None


def test_openais_key_goes_to_openai_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCRUBJAY_LLM_API_KEY")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(Answer("hello")) as server:
        assert ChatModel("m", base_url=server.url).complete("x") == "hello"
        assert KEY not in str(server.requests[0].key)


BODIES = {
    "empty text": Answer(""),
    "blank text": Answer(" \n "),
    "too long": Answer("x" * 100),
    "no content": Answer(body=completion(None)),
    "no choices": Answer(body=b'{"choices": []}'),
    "no completion": Answer(body=b"[1, 2]"),
    "no JSON": Answer(body=b"<html>"),
    "nothing": Answer(body=b""),
    "not UTF-8": Answer(body=b'{"choices": [{"message": {"content": "\xff"}}]}'),
    "deep": Answer(body=b'{"a":' * 5000),
    "two MiB": Answer(body=b'{"choices": [' + b" " * (2 << 20) + b"]}"),
    "compressed": Answer(body=gzip.compress(completion("hi")), headers={"content-encoding": "gzip"}),
    "denied": Answer("denied", status=401),
    "denied, with the key": Answer(body=f'{{"error": {{"message": "bad key {KEY}"}}}}'.encode(), status=401),
    "not found": Answer(body=b"", status=404),
    "refused thrice": Answer(body=b'{"error": "no"}', status=400),
    "a redirect": Answer(body=b"", status=307, headers={"location": "http://127.0.0.1:1/v1/chat/completions"}),
    "broken off": Answer(body=completion("hello")[:40], length=4000),
    "an endless error": Answer(body=b"x" * (4 << 20), status=403),
}


@pytest.mark.parametrize("name", BODIES)
def test_an_unusable_answer_is_refused_without_the_key_in_the_message(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(BODIES[name]) as server:
        model = ChatModel("m", base_url=server.url, retries=0)
        with pytest.raises(ModelReplyError) as caught:
            model.complete("secret prompt", max_bytes=50)
        assert len(server.requests) <= 3
    shown = "".join((str(caught.value), repr(caught.value), repr(model), caplog.text))
    assert KEY not in shown
    assert "secret prompt" not in shown
    assert caught.value.__cause__ is None


def test_a_redirect_is_not_followed() -> None:
    with serving(Answer("stolen")) as elsewhere:
        there = {"location": f"{elsewhere.url}/chat/completions"}
        for status in (301, 302, 303, 307, 308):
            with serving(Answer(body=b"", status=status, headers=there)) as server, pytest.raises(ModelReplyError):
                ChatModel("m", base_url=server.url, retries=0).complete("x")
        assert elsewhere.requests == []


def test_a_busy_server_is_asked_again_after_as_long_as_it_says() -> None:
    busy = Answer(body=b"{}", status=429, headers={"retry-after": "0.3"})
    with serving(busy, busy, Answer(body=b"", status=503), Answer("at last")) as server:
        assert ChatModel("m", base_url=server.url).complete("x") == "at last"
        times = [request.at for request in server.requests]
    assert len(times) == 4
    assert times[1] - times[0] >= 0.25
    assert times[2] - times[1] >= 0.25


def test_a_server_that_asks_for_an_hour_is_not_waited_for() -> None:
    with serving(Answer(body=b"{}", status=429, headers={"retry-after": "3600"})) as server:
        with pytest.raises(ModelReplyError, match="429"):
            ChatModel("m", base_url=server.url).complete("x")
        assert len(server.requests) == 1


@pytest.mark.parametrize("slow", [Answer("hi", wait=30.0), Answer("hi", drip=0.1)], ids=["silent", "dripping"])
def test_a_slow_server_is_given_up(slow: Answer) -> None:
    with serving(slow) as server, pytest.raises(ModelReplyError):
        ChatModel("m", base_url=server.url, timeout=0.3, retries=0).complete("x")


def test_a_server_without_response_formats_or_temperature_is_asked_without() -> None:
    no = Answer(body=b'{"error": {"message": "unsupported"}}', status=400)
    with serving(no, no, Answer("plain")) as server:
        model = ChatModel("m", base_url=server.url)
        assert model.complete("x", schema={"type": "object"}) == "plain"
        assert model.complete("x", schema={"type": "object"}) == "plain"
        asked = [(("response_format" in r.body), ("temperature" in r.body)) for r in server.requests]
    assert asked == [(True, True), (False, True), (False, False), (False, False)]


def test_threads_share_a_model() -> None:
    with serving(Answer("hello")) as server:
        model = ChatModel("m", base_url=server.url)
        said: list[str] = []
        threads = [threading.Thread(target=lambda: said.append(model.complete("x"))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert said == ["hello"] * 8


def test_bug_14_a_child_of_fork_has_connections_of_its_own() -> None:
    with serving(Answer("hello")) as server:
        model = ChatModel("m", base_url=server.url)
        assert model.complete("x") == "hello"
        child = os.fork()
        if child == 0:
            os._exit(0 if model.complete("x") == "hello" else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert model.complete("x") == "hello"


@pytest.mark.parametrize(
    "given", [{"name": ""}, {"base_url": "file:///etc/passwd"}, {"timeout": 0.0}, {"timeout": float("nan")}]
)
def test_bad_arguments_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(ArgumentError):
        ChatModel(**{"name": "m", **given})  # type: ignore[arg-type]


def test_a_model_is_not_pickled() -> None:
    with pytest.raises(TypeError):
        pickle.dumps(ChatModel("m"))


def test_bug_15_a_model_that_is_busy_three_times_loses_no_text() -> None:
    busy = Answer(body=b"{}", status=429, headers={"retry-after-ms": "10"})
    good = Answer('{"items": [{"item": 1, "label": "ephemeral", "pi": 0.9, "tau_sec": 7200}]}')
    with (
        serving(busy, busy, busy, good) as server,
        scrubjay.open(
            ":memory:", embedder=WordHash(), clock=Clock(), model=ChatModel("m", base_url=server.url)
        ) as store,
    ):
        unit = store.add("The build is red.")
        assert len(server.requests) == 4
        assert [u.text for u in store.list()] == ["The build is red."]
        assert not unit.perishability.degraded
        assert unit.perishability.said is not None
        assert unit.perishability.said.label == "ephemeral"
        assert [entry.event for entry in store.history(unit.id)] == ["learned"]


def test_bug_15_a_model_that_stays_busy_loses_no_text() -> None:
    with serving(Answer(body=b"{}", status=429, headers={"retry-after": "3600"})) as server:
        model = ChatModel("m", base_url=server.url)
        with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(), model=model) as store:
            unit = store.add("The build is red.")
            assert unit.perishability.degraded
            assert store.stats().degraded == 1
            assert store.stats().model_refusals == {"no_reply": 1}
            server.answers[:] = [Answer('{"label": "ephemeral", "pi": 0.9, "tau_sec": 7200}')]
            assert store.reclassify().mended == 1
            assert store.stats().degraded == 0
            assert len(store) == 1


def test_the_command_line_hears_the_model_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("typer", reason="needs scrubjay[cli]")
    opinion = '{"label": "ephemeral", "pi": 0.9, "tau_sec": 7200}'
    deltas = '{"delta_value": -0.5, "delta_pi": 0.1, "delta_tau": -0.3, "summary": "moved"}'
    with serving(Answer(opinion), Answer(deltas), Answer("nothing more")) as server:
        monkeypatch.setenv("SCRUBJAY_LLM_MODEL", "m")
        monkeypatch.setenv("SCRUBJAY_LLM_BASE_URL", server.url)

        def run(*arguments: str) -> dict[str, Any]:
            command = [sys.executable, "-m", "scrubjay", "--json", "--store", str(tmp_path / "s"), *arguments]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            assert KEY not in done.stdout + done.stderr
            return json.loads(done.stdout)

        added = run("add", "The retro is in room Heron.", "--when", "2023-01-01")
        assert added["perishability"]["said"]["label"] == "ephemeral"
        done = run("integrate", "The retro has moved to room Plover.", "--when", "2023-06-01")
        assert (done["model"], done["degraded"], done["summary"]) == ("m", False, "moved")
        assert run("undo", str(done["event"])) == {"restored": 1}
        assert len(server.requests) == 2
