"""The configured model, against a small server on this machine."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from scrubjay.errors import ModelReplyError
from scrubjay.evaluate.models import configured_model

pytest.importorskip("openai", reason="needs scrubjay[llm]")


@pytest.fixture
def server(monkeypatch):
    seen, replies = [], []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            seen.append((self.path, self.headers["authorization"], body))
            status, text = replies.pop(0)
            choices = [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]
            data = json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": choices})
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(data.encode())

        def log_message(self, *_):
            pass

    http = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("SCRUBJAY_LLM_MODEL", "m")
    monkeypatch.setenv("SCRUBJAY_LLM_BASE_URL", f"http://127.0.0.1:{http.server_port}/v1")
    monkeypatch.setenv("SCRUBJAY_LLM_API_KEY", "hidden-key")
    yield seen, replies
    http.shutdown()
    thread.join()
    http.server_close()


def test_a_prompt_and_its_schema_reach_the_endpoint(server):
    seen, replies = server
    replies += [(200, "hello"), (200, '{"a": 1}')]
    model = configured_model()
    assert model is not None
    assert model.complete("say hello") == "hello"
    assert model.complete("json", schema={"type": "object"}) == '{"a": 1}'
    path, key, body = seen[0]
    assert path == "/v1/chat/completions"
    assert key == "Bearer hidden-key"
    assert (body["model"], body["temperature"], body["messages"][0]["content"]) == ("m", 0, "say hello")
    assert seen[1][2]["response_format"]["json_schema"]["schema"] == {"type": "object"}


@pytest.mark.parametrize(("status", "text"), [(200, ""), (200, "x" * 100), (401, "denied")])
def test_an_unusable_reply_is_refused_without_the_key_in_the_message(server, status, text):
    _, replies = server
    replies += [(status, text)]
    model = configured_model()
    assert model is not None
    with pytest.raises(ModelReplyError) as caught:
        model.complete("x", max_bytes=50)
    assert "hidden-key" not in str(caught.value) + repr(model)


def test_without_a_name_there_is_no_model(monkeypatch):
    monkeypatch.delenv("SCRUBJAY_LLM_MODEL", raising=False)
    assert configured_model() is None
