"""What may be stored as text, and when two texts are the same (bug rows 12, 13)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.encode.normal import (
    MAX_TEXT_BYTES,
    check_text,
    dedupe_digest,
    is_blank,
    key_digest,
    normal_form,
    ordinary_case,
    text_digest,
)
from scrubjay.errors import ArgumentError, ArgumentTypeError

storable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@given(storable)
def test_a_text_comes_back_untouched_or_is_blank(text: str) -> None:
    if is_blank(text):
        with pytest.raises(ArgumentError, match="blank"):
            check_text(text)
    assert check_text(text, allow_blank=True) == text


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b", "\u00a0\u3000", "\ufeff", "\x01\x7f", "\u202e \u2060"])
def test_bug_13_blank_texts_are_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="empty or blank"):
        check_text(text)


@pytest.mark.parametrize(
    "text", ["成语", "しりとり", "설비", "multi-agent", "GB/s", "don't", '"', "*", "0", "👍🏽", "\u0301"]
)
def test_bug_12_any_script_and_sign_is_text(text: str) -> None:
    assert check_text(text) == text


@pytest.mark.parametrize("text", [None, 1, b"bytes", ["a"], float("nan")])
def test_only_str_is_text(text: object) -> None:
    with pytest.raises(ArgumentTypeError, match="items"):
        check_text(text, argument="items")


def test_lone_surrogates_and_nul_are_refused_without_quoting_the_text() -> None:
    for text, word in (("secret \ud800", "U\\+D800 at character 7"), ("secret\0", "NUL at character 6")):
        with pytest.raises(ArgumentError, match=word) as caught:
            check_text(text)
        assert "secret" not in str(caught.value)


def test_bug_13_size_is_counted_in_bytes() -> None:
    assert check_text("a" * MAX_TEXT_BYTES)
    assert check_text("é" * (MAX_TEXT_BYTES // 2))
    for text in ("a" * (MAX_TEXT_BYTES + 1), "é" * (MAX_TEXT_BYTES // 2 + 1), "\U0001f600" * (MAX_TEXT_BYTES // 4 + 1)):
        with pytest.raises(ArgumentError, match="8,388,608 bytes"):
            check_text(text)


@given(storable, st.sampled_from(["NFC", "NFD"]))
def test_digest_knows_a_text_in_any_composition_and_spacing(text: str, form: str) -> None:
    other = "  " + unicodedata.normalize(form, text).replace(" ", " \n\u3000") + "\r\n"
    assert text_digest(other) == text_digest(text)
    assert normal_form(normal_form(text)) == normal_form(text)


@given(storable, storable)
def test_digest_is_that_of_the_normal_form(left: str, right: str) -> None:
    assert (text_digest(left) == text_digest(right)) == (normal_form(left) == normal_form(right))


def test_digest_tells_apart_what_differs() -> None:
    assert text_digest("US") != text_digest("us")
    assert text_digest("a b") != text_digest("ab")
    assert text_digest("x²") != text_digest("x2")
    assert len(text_digest("x")) == len(key_digest("x")) == 16
    assert text_digest("same") != key_digest("same")


def test_digests_are_stable() -> None:
    assert text_digest("the room is 4.12").hex() == "48454e58da39b1e876b22bb092882959"
    assert key_digest("room").hex() == "faa516ac57831b6c1bb9ed74adf04da8"


def test_a_key_outranks_the_text() -> None:
    assert dedupe_digest("one", key="k") == dedupe_digest("two", key="k") != dedupe_digest("one")
    with pytest.raises(ArgumentError, match="key"):
        dedupe_digest("one", key=" ")
    with pytest.raises(ArgumentError, match="4,096 bytes"):
        key_digest("k" * 4097)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("THE LIFT IS BROKEN", "The lift is broken"),
        ("OFFICE CLOSED", "Office closed"),
        ("SUP-221: WAITING FOR CUSTOMER REPLY", "SUP-221: waiting for customer reply"),
        ("STUCK ON THE A40. I'M LATE!", "Stuck on the A40. I'm late!"),
        ("HEUTE GESCHLOSSEN", "Heute geschlossen"),
        *((kept, kept) for kept in ("HTTP 503", "NASA JPL", "SQL", "API 服务器 停止", "Lift B2", "2026", "")),
    ],
)
def test_what_is_all_capitals_is_read_in_ordinary_case(text: str, read: str) -> None:
    assert ordinary_case(text) == read
    assert ordinary_case(read) == read
