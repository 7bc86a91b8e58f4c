"""Pre-tokens: what is written one way is found by the other, in every script, and no text is too strange."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.store.tokens import MAX_TOKEN, names, query_words, tokens


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("他用了一个成语", "成语"),
        ("しりとりで遊ぶ", "しりとり"),
        ("설비는 새 것이다", "설비"),
        ("ภาษาไทยง่าย", "ไทย"),
        ("a multi-agent system", "multi-agent"),
        ("a multi-agent system", "agent"),
        ("reads 3 GB/s", "GB/s"),
        ("I don't know", "dont"),
        ("I don’t know", "don't"),
        ("Maya's room", "maya"),
        ("mail ada.b@corp.example now", "ada.b@corp.example"),
        ("call getUserName()", "user name"),
        ("call get_user_name()", "user"),
        ("written in C++", "C++"),
        ("host 192.168.0.1:80", "192.168.0.1:80"),
        ("Straße in ZÜRICH", "strasse zurich"),
        ("naïve café", "NAIVE CAFE"),
        ("ＡＢＣ１２３", "abc123"),
        ("ｶﾞﾗｽ", "ガラス"),
        ("हिन्दी में", "हिन्दी"),
        ("كِتَاب", "كتاب"),
        ("the reviews were moved", "review moving"),
        ("a 🦊 ran by", "🦊"),
        ("O'Brien drinks l'eau", "o'brien eau"),
    ],
)
def test_bug_12_a_text_holds_the_words_of_the_query(text: str, query: str) -> None:
    wanted = set(tokens(query))
    assert wanted
    assert wanted <= set(tokens(text))


def test_words_with_signs_are_not_only_their_parts() -> None:
    assert "multi-agent" in tokens("multi-agent")
    assert "multi-agent" not in tokens("agent multi")
    assert set(tokens("C#")).isdisjoint(set(tokens("C++")) - {"c"})


def test_function_words_are_left_out_unless_there_is_nothing_else() -> None:
    assert query_words("What is the room of the review?") == ["room", "review"]
    assert query_words("who is it") == ["who", "is", "it"]
    assert query_words("What happened in May, said Will") == ["happen", "may", "said", "will"]


@given(st.text())
def test_any_text_gives_clean_tokens(text: str) -> None:
    found = tokens(text)
    assert all(word and not any(c.isspace() or c in "\0\"'" for c in word) for word in found)
    assert all(len(word) <= MAX_TOKEN + 2 for word in found)
    assert tokens(text) == found


@given(st.text(max_size=40), st.text(max_size=40))
def test_tokens_of_a_whole_are_those_of_its_lines(a: str, b: str) -> None:
    assert tokens(f"{a}\n{b}") == tokens(a) + tokens(b)


@pytest.mark.parametrize("unit", ["a-", "_", "é'", "成", "a'", "word ", "--", "x", "+#", "\u0301"])
def test_bug_13_a_megabyte_of_anything_is_linear(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()
    tokens(text)
    assert time.process_time() - started < 20.0


def test_names_are_capitals_that_begin_no_sentence():
    assert names("What is Hana's taste in design?") == {"hana"}
    assert names("Hana's taste?") == {"hana"}
    assert names("What's new? Where is it, I wonder.") == frozenset()
    assert names("Is Zoë in Bern? Nobody knows.") == set(tokens("Zoë Bern"))
    assert names("") == names("where is everybody") == frozenset()
