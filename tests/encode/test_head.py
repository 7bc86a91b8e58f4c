"""The trained head: bounds, monotone curves, the fallback to the prior, and its file."""

from __future__ import annotations

import math
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from scrubjay.encode.curves import (
    ANCHORS,
    BOUNDS,
    DAY,
    DICTIONARY,
    components,
    label_of,
    mixture_of,
    pi_tau,
    survival,
    weibull,
)
from scrubjay.encode.features import NAMES, features
from scrubjay.encode.head import FILES, TEXT_ONLY, Parts, PerishabilityHead, neighbours
from scrubjay.encode.minilm import MiniLMEncoder
from scrubjay.encode.universal import UniversalEncoder
from scrubjay.errors import ArgumentError, CorruptionError, DimensionError, MissingExtraError
from scrubjay.memory import LABELS, MAX_HORIZON, MIN_HORIZON, MIN_PERISHABILITY, Opinion, Origin
from scrubjay.protocols import PerishabilityModel

TEXTS = [
    "The latest patch release of Orbis 3.4 is 3.4.12.",
    "Lena lives in Hamburg.",
    "Water boils at 100 degrees at sea level.",
    "I'm at the airport.",
    "",
    "🙂 会议今天在三号房间。",
    "x" * 5000,
]
AGES = np.concatenate([[-5.0, 0.0], np.geomspace(1.0, 1e11, 80)])


@pytest.fixture(scope="module", params=[*FILES, "an-embedder-without-a-head"])
def head(request: pytest.FixtureRequest) -> PerishabilityHead:
    return PerishabilityHead.load(request.param)


def unit(head: PerishabilityHead, n: int, seed: int = 0) -> NDArray[np.float32]:
    d = head.weights.basis.shape[0] or 8
    rows = np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def near(head: PerishabilityHead, n: int) -> NDArray[np.float32]:
    """Vectors that are prototypes: as familiar as can be."""
    if not head.embedder:
        return unit(head, n)
    rows = head.weights.prototypes[:n, : head.weights.basis.shape[1]] @ head.weights.basis.T
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_fits_the_protocol(head: PerishabilityHead) -> None:
    assert isinstance(head, PerishabilityModel)


def test_curves_start_at_one_and_never_rise(head: PerishabilityHead) -> None:
    curves = head.curve(near(head, len(TEXTS)), TEXTS)
    p = curves.at(np.tile(AGES, (len(TEXTS), 1)))
    assert np.all(p[:, :2] == pytest.approx(1.0, abs=1e-6))
    assert np.all(np.diff(p, axis=1) <= 1e-12)
    assert np.all((p >= 0.0) & (p <= 1.0))
    assert p[:, -1].max() < 0.995
    assert p.min() < 0.3


def test_interval_holds_the_probability_and_has_width(head: PerishabilityHead) -> None:
    curves = head.curve(near(head, len(TEXTS)), TEXTS)
    ages = np.tile([DAY, 365 * DAY], (len(TEXTS), 1))
    low, high = curves.interval(ages)
    p = curves.at(ages)
    assert np.all((low >= 0.0) & (low <= p) & (p <= high) & (high <= 1.0))
    assert np.all(high[:, 1] - low[:, 1] > 1e-4)


def test_batch_does_not_matter(head: PerishabilityHead) -> None:
    vectors = unit(head, len(TEXTS))
    together = head.curve(vectors, TEXTS).mixture
    alone = np.concatenate([head.curve(vectors[i : i + 1], [t]).mixture for i, t in enumerate(TEXTS)])
    np.testing.assert_allclose(together, alone, atol=2e-6)
    again = np.tile(vectors, (900, 1))
    many = head.curve(again, TEXTS * 900).mixture
    np.testing.assert_allclose(many[-len(TEXTS) :], together, atol=2e-6)


def test_tells_what_expires_from_what_does_not(head: PerishabilityHead) -> None:
    texts = ["The build is running right now.", "I'm at the airport.", "Lena was born in 1988.", "Water is a liquid."]
    vectors = unit(head, 4)
    if head.embedder:
        embedder = {"use-multilingual-v3": UniversalEncoder, "minilm-l6-v2-int8": MiniLMEncoder}[head.embedder]()
        try:
            vectors = embedder.embed(texts)
        except MissingExtraError as error:
            pytest.skip(str(error))
    p = head.p_valid(vectors, texts, 365 * DAY)
    assert p[:2].mean() + 0.15 < p[2:].mean()
    if head.embedder:
        assert p[:2].max() + 0.2 < p[2:].min()


@pytest.mark.parametrize("name", FILES)
def test_unfamiliar_text_tends_to_the_prior(name: str) -> None:
    head = PerishabilityHead.load(name)
    known = near(head, 32)
    strange = unit(head, 32)
    strange -= strange @ head.weights.basis @ head.weights.basis.T
    texts = ["Lena lives in Hamburg."] * 32
    far = head.curve(strange, texts)
    assert far.familiarity.max() < 0.01 < 0.95 < head.curve(known, texts).familiarity.min()
    assert np.abs(far.mixture - head.weights.prior).sum(axis=1).max() < 0.02
    assert np.median(head.curve(-known, texts).familiarity) < 0.3
    year = np.full(32, 365 * DAY)
    wide, tight = (np.subtract(*c.interval(year)[::-1]) for c in (far, head.curve(known, texts)))
    assert wide.mean() > 1.7 * tight.mean()


def test_classify_stays_in_its_domain_and_agrees_with_the_curve(head: PerishabilityHead) -> None:
    vectors = near(head, len(TEXTS))
    values = head.classify(TEXTS, [None] * len(TEXTS), vectors, np.zeros_like(vectors))
    p_curve = head.p_valid(vectors, TEXTS, np.tile([DAY, 30 * DAY, 365 * DAY], (len(TEXTS), 1)))
    for value, row in zip(values, p_curve, strict=True):
        assert value.label in LABELS
        assert value.origin is Origin.HEAD
        assert not value.degraded
        assert MIN_PERISHABILITY <= value.pi <= 1.0
        assert MIN_HORIZON <= value.tau <= MAX_HORIZON
        assert value.shape > 0
        assert value.label == label_of(value.pi)
        ages = np.array([DAY, 30 * DAY, 365 * DAY])
        kept = np.exp(-((np.float32(value.pi) * ages / np.float32(value.tau)) ** np.float32(value.shape)))
        assert np.abs(kept - row).mean() < 0.2


def test_refuses_what_it_cannot_read() -> None:
    head = PerishabilityHead.load("use-multilingual-v3")
    vectors = unit(head, 2)
    with pytest.raises(ArgumentError, match="what, texts"):
        head.curve(vectors, ["one"])
    with pytest.raises(DimensionError, match="512"):
        head.curve(vectors[:, :384], ["one", "two"])
    with pytest.raises(ArgumentError, match="NaN"):
        head.p_valid(vectors, ["one", "two"], [1.0, math.nan])
    with pytest.raises(ArgumentError, match="equally long"):
        head.classify(["one"], [None, None], vectors[:1], vectors[:1])
    assert head.classify([], [], vectors[:0], vectors[:0]) == []


@pytest.mark.parametrize("file", [*FILES.values(), TEXT_ONLY])
def test_file_is_small_and_holds_no_objects(file: str) -> None:
    entry = resources.files("scrubjay") / "data" / "heads" / file
    assert 10_000 < len(entry.read_bytes()) < 1_000_000
    with resources.as_file(entry) as path, np.load(path, allow_pickle=False) as arrays:
        assert all(arrays[key].dtype.kind in "fiuU" for key in arrays.files)


def test_neighbours_count_without_jumps() -> None:
    """The shares of the near prototypes sum to 1, and a small move of the cosines moves them little, whichever of two
    is the nearest."""
    rng = np.random.default_rng(2)
    cosine = np.clip(rng.normal(0.3, 0.2, (40, 60)), -1, 1).astype(np.float32)
    memory = rng.dirichlet(np.ones(5), 60).astype(np.float32)

    def answers(c: NDArray[np.float32], sharpness: float) -> NDArray[np.float32]:
        place, near, start, nearest = neighbours(c, sharpness)
        assert np.array_equal(nearest, c.max(axis=1))
        assert np.add.reduceat(near, start) == pytest.approx(np.ones(len(c)), abs=1e-5)
        assert (near >= -1e-6).all()
        none = np.zeros((len(c), 1, 1), np.float32)
        return Parts(none, place, near, start, nearest, nearest, nearest, nearest, none).remembered(memory)

    moved = cosine + rng.normal(0, 1e-4, cosine.shape).astype(np.float32)
    assert np.abs(answers(cosine, 25.0) - answers(moved, 25.0)).max() < 0.02
    assert np.array_equal(answers(cosine, 0.0), memory[cosine.argmax(axis=1)])
    place, near, start, _ = neighbours(cosine[:0], 25.0)
    assert place.size == near.size == start.size == 0


def test_a_head_of_fewer_features_is_still_read(tmp_path: Path) -> None:
    """What a store has fitted stays readable when features are added: they say nothing to it."""
    entry = resources.files("scrubjay") / "data" / "heads" / TEXT_ONLY
    with resources.as_file(entry) as path, np.load(path, allow_pickle=False) as file:
        arrays = {key: file[key] for key in file.files}
    kept = [i for i, name in enumerate(arrays["features"].tolist()) if name not in ("begins", "weather")]
    arrays |= {
        "features": arrays["features"][kept],
        "feature": arrays["feature"][kept],
        "prototypes": arrays["prototypes"][:, kept],
        "recall": arrays["recall"][:3],
        "memory": np.sqrt(arrays["memory"] / 255.0).astype(np.float16),
    }
    with open(tmp_path / "old.npz", "wb") as out:
        np.savez(out, allow_pickle=False, **arrays)
    old = PerishabilityHead.read(tmp_path / "old.npz")
    texts = ["Lena lives in Hamburg.", "The rain is heavy."]
    p = old.p_valid(np.zeros((2, 0), np.float32), texts, DAY)
    assert np.all((p > 0.0) & (p <= 1.0))
    assert old.weights.recall.tolist()[3] == 0.0
    assert not old.weights.feature[[NAMES.index("begins"), NAMES.index("weather")]].any()
    arrays["features"] = np.append(arrays["features"][1:], "phase_of_the_moon")
    with open(tmp_path / "odd.npz", "wb") as out:
        np.savez(out, allow_pickle=False, **arrays)
    with pytest.raises(CorruptionError, match="other features"):
        PerishabilityHead.read(tmp_path / "odd.npz")


def remembering(head: PerishabilityHead) -> PerishabilityHead:
    """The head with a memory that counts as far as a text is not novel."""
    recall = np.append(head.weights.recall[:4], np.float32(0.0))
    weights = head.weights._replace(recall=recall, faint=np.append(recall[:2], np.array([1.0, 0.0], np.float32)))
    return PerishabilityHead(weights, embedder=head.embedder, name=head.name)


def test_a_head_without_trust_trusts_all_of_its_memory(head: PerishabilityHead, tmp_path: Path) -> None:
    head = remembering(head)
    head.write(tmp_path / "head.npz")
    with np.load(tmp_path / "head.npz", allow_pickle=False) as file:
        arrays = {key: file[key] for key in file.files if key != "trust"}
    with open(tmp_path / "old.npz", "wb") as out:
        np.savez(out, allow_pickle=False, **arrays)
    head, old = (PerishabilityHead.read(tmp_path / name) for name in ("head.npz", "old.npz"))
    vectors = near(head, len(TEXTS))
    assert old.weights.trust.tolist() == [1.0]
    parts, before = head.parts(vectors, TEXTS), old.parts(vectors, TEXTS)
    assert np.all(parts.recalled <= before.recalled + 1e-6)
    np.testing.assert_allclose(parts.novelty, before.novelty, atol=1e-6)
    np.testing.assert_allclose(before.recalled, head.weights.recall[2] * (1.0 - before.novelty), atol=1e-5)


def test_what_is_not_trusted_leaves_the_answer_to_the_network(head: PerishabilityHead) -> None:
    head = remembering(head)
    vectors, count = near(head, len(TEXTS)), len(head.weights.prototypes)
    for trust in (0.0, 0.25, 1.0):
        weights = head.weights._replace(trust=np.full(count, trust, np.float32))
        some = PerishabilityHead(weights, embedder=head.embedder, name="some")
        parts, whole = some.parts(vectors, TEXTS), some.curve(vectors, TEXTS)
        np.testing.assert_allclose(parts.recalled, trust * head.weights.recall[2] * (1.0 - parts.novelty), atol=1e-5)
        np.testing.assert_allclose(whole.mixture.sum(axis=1), 1.0, atol=1e-4)
        remembered = parts.remembered(head.weights.memory).sum(axis=1)
        np.testing.assert_allclose(remembered, 1.0 if trust else 0.0, atol=1e-4)


def test_a_damaged_or_foreign_file_is_refused(tmp_path: object) -> None:
    entry = resources.files("scrubjay") / "data" / "heads" / TEXT_ONLY
    path = tmp_path / "head.npz"  # type: ignore[operator]
    path.write_bytes(entry.read_bytes()[:5000])
    with pytest.raises(CorruptionError):
        PerishabilityHead.read(path)
    np.savez(path, input=np.zeros(3), format=np.int32(1))
    with pytest.raises(CorruptionError, match="train it again"):
        PerishabilityHead.read(path)
    np.savez(path, input=np.array([object()]), allow_pickle=True)
    with pytest.raises(CorruptionError):
        PerishabilityHead.read(path)


# ---- curves ----------------------------------------------------------------------------------------------------------


def test_weibull_finds_a_curve_that_is_one() -> None:
    ages = np.geomspace(60, 1e9, 400)
    rng = np.random.default_rng(1)
    for scale, shape in ((2 * DAY, 1.0), (40 * DAY, 0.7), (900 * DAY, 2.0)):
        truth = np.exp(-((ages / scale) ** shape))
        parts = components(ages)
        w = np.full(DICTIONARY.size, 1.0 / DICTIONARY.size)
        edges = np.append(0.0, np.sqrt(DICTIONARY[:-2] * DICTIONARY[1:-1]))
        fall = np.exp(-((edges / scale) ** shape))
        w[:-2], w[-2], w[-1] = fall[:-1] - fall[1:], fall[-1], 0.0
        assert np.abs(parts @ w - truth).max() < 0.15
        found = weibull(np.vstack([w, rng.dirichlet(np.ones(w.size))]))
        assert found.scale[0] == pytest.approx(scale, rel=0.35)
        assert found.shape[0] == pytest.approx(shape, rel=0.25)


@pytest.mark.parametrize("never", [0.2, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("scale", [2 * DAY, 300 * DAY, 9000 * DAY])
def test_what_partly_lasts_has_the_nearest_weibull(never: float, scale: float) -> None:
    """Against every scale and shape of a grid: also where the best scale lies beyond the longest."""
    w = np.zeros(DICTIONARY.size)
    w[np.abs(DICTIONARY - scale).argmin()], w[-1] = 1.0 - never, never
    ages = np.geomspace(MIN_HORIZON, MAX_HORIZON / MIN_PERISHABILITY, 40)
    truth = survival(w[None, :], ages[None, :])[0]
    log_age, scales = np.log(ages), np.log(np.geomspace(ages[0], ages[-1], 60))
    shapes = np.geomspace(1 / 16, 16, 60)
    risk = np.exp(np.clip(shapes[:, None, None] * (log_age - scales[:, None]), -50, 5))
    best = ((np.exp(-risk) - truth) ** 2).mean(axis=2).min()
    found = weibull(w[None, :])
    kept = np.exp(-np.exp(np.clip(found.shape * (log_age - np.log(found.scale)), -50, 5)))
    assert ((kept - truth) ** 2).mean() < 1.3 * best + 0.002


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=DICTIONARY.size, max_size=DICTIONARY.size).filter(lambda w: sum(w) > 0.1))
def test_any_mixture_is_a_survival_curve(raw: list[float]) -> None:
    w = np.asarray(raw)[None, :] / sum(raw)
    p = survival(w, AGES[None, :])
    assert np.all(np.diff(p) <= 1e-12)
    assert p[0, 0] == pytest.approx(1.0)
    scale, shape = weibull(w)
    assert MIN_HORIZON <= scale[0] <= MAX_HORIZON / MIN_PERISHABILITY
    assert 0 < shape[0] <= 16


@given(st.floats(1.0, 1e12))
def test_pi_and_tau_give_the_scale_back(scale: float) -> None:
    pi, tau = pi_tau(scale)
    assert MIN_PERISHABILITY <= pi <= 1.0
    assert MIN_HORIZON <= tau <= MAX_HORIZON
    inside = min(max(scale, ANCHORS[0][0]), ANCHORS[-1][0])
    assert tau / pi == pytest.approx(inside, rel=1e-6)


def test_longer_horizons_are_less_perishable() -> None:
    pi, tau = pi_tau(np.geomspace(60, 3e10, 500))
    assert np.all(np.diff(pi) < 0)
    assert np.all(np.diff(tau) >= 0)
    for a, p in ANCHORS:
        assert pi_tau(a)[0] == pytest.approx(p)
    assert [label_of(bound) for bound, _ in BOUNDS] == [label for _, label in BOUNDS]


# ---- features --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "on", "off"),
    [
        ("The newest build is 3.4.12-rc1.", "latest version present", "date year_number past"),
        ("Support ends on 2027-05-31.", "support until date", "version question"),
        ("Was she born in 1988?", "past birth year_number question", "version clock"),
        ("The meeting is at 14:20, room 4", "meeting clock office integer", "date"),
        ("He no longer works there", "negation ended work", "question"),
        ("It costs €39 or 12%", "money money_sign percent", "clock"),
        ("Remember to call the plumber", "imperative", "past"),
        ("The newest build is 3.0", "first_of_line version_parts latest", "patch_level minor_level"),
        ("The newest build is 3.12.7", "patch_level minor_level version_parts", "first_of_line"),
        ("Noted on 12.03.2024 at 10:30", "date clock", "version_parts patch_level"),
        ("Tom is left-handed", "lifelong", "craving"),
        ("Tom is hungry", "craving", "lifelong"),
        ("Tom went home and sold the car", "happened", "schooled defines"),
        ("Tom has an MBA", "schooled perfect", "happened"),
        ("A haiku denotes a poem", "defines", "happened past"),
        ("L\u2019équipe, don\u2019t!", "negation exclaim", "integer"),
    ],
)
def test_features_see_what_they_name(text: str, on: str, off: str) -> None:
    row = dict(zip(NAMES, features([text])[0], strict=True))
    assert {name for name in on.split() if row[name] > 0} == set(on.split())
    assert not {name for name in off.split() if row[name] > 0}


@pytest.mark.parametrize(
    "greeting", ["Good morning! ", "FYI: ", "btw ", "Hi there! ", "So, hey, ", "Note to self: ", "PS. "]
)
def test_a_greeting_says_nothing(greeting: str) -> None:
    plain, greeted = features(["Tom is at the station.", f"{greeting}Tom is at the station."])
    assert np.array_equal(plain, greeted)
    assert features([greeting.strip()]).any()
    other = "Morning runs keep Tom awake."
    assert features([other])[0, NAMES.index("day")] == 1.0


@pytest.mark.parametrize(
    "parting",
    [
        " Thanks!",
        " Thank you, Maya.",
        " FYI",
        " Hope that helps :)",
        " Please keep that in mind.",
        " Just so you know.",
    ],
)
def test_a_parting_says_nothing(parting: str) -> None:
    plain, parted = features(["Tom is at the station.", f"Tom is at the station.{parting}"])
    assert np.array_equal(plain, parted)
    assert features([parting.strip()]).any()
    assert features(["Tom said thanks."])[0, NAMES.index("second_person")] == 1.0


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=80), max_size=8))
def test_features_take_any_text(texts: list[str]) -> None:
    x = features(texts)
    assert x.shape == (len(texts), len(NAMES))
    assert x.dtype == np.float32
    assert np.all((x >= 0.0) & (x <= 1.0))
    for i, text in enumerate(texts):
        assert np.array_equal(features([text])[0], x[i])


# ---- context and a model's opinion -----------------------------------------------------------------------------------


def test_a_context_and_a_models_label_are_more_inputs(head: PerishabilityHead) -> None:
    vectors = near(head, 2)
    texts = ["The code is 4471.", "The code is 4471."]
    alone = head.curve(vectors, texts)
    with_context = head.curve(vectors, texts, where=vectors[::-1].copy(), contexts=["today's session, right now", None])
    year = np.full(2, 365 * DAY)
    assert with_context.at(year)[0] != pytest.approx(alone.at(year)[0], abs=1e-6)
    assert with_context.at(year)[1] == alone.at(year)[1]
    assert np.abs(with_context.mixture - alone.mixture).sum() < 0.31
    said = Opinion(label="ephemeral", pi=0.9, tau=7200.0)
    given = head.curve(vectors, texts, given=[said, None])
    assert given.at(year)[0] == pytest.approx(0.5 * alone.at(year)[0], abs=0.01)
    assert given.at(year)[1] == alone.at(year)[1]
    assert np.all(given.mixture.sum(axis=1) == pytest.approx(1.0, abs=1e-5))


def test_a_context_of_another_embedder_is_left_out() -> None:
    head = PerishabilityHead.load("use-multilingual-v3")
    vectors = near(head, 1)
    other = np.ones((1, 7), np.float32)
    assert np.array_equal(
        head.curve(vectors, ["a"], where=other, contexts=["c"]).mixture, head.curve(vectors, ["a"]).mixture
    )


@pytest.mark.parametrize(("scale", "shape"), [(3600.0, 1.0), (40 * DAY, 0.7), (800 * DAY, 2.5), (1e12, 1.0)])
def test_a_weibull_curve_as_a_mixture_is_near_to_it(scale: float, shape: float) -> None:
    ages = np.geomspace(600.0, 30000 * DAY, 200)
    w = mixture_of(scale, shape)
    assert w.sum() == pytest.approx(1.0, abs=1e-5)
    assert np.abs(survival(w, ages[None, :])[0] - np.exp(-((ages / scale) ** shape))).mean() < 0.02


def test_an_unfamiliar_text_is_told_by_its_features_more_than_by_its_vector(head: PerishabilityHead) -> None:
    if not head.embedder:
        pytest.skip("it reads the text alone")
    texts, far, close = TEXTS[:3], unit(head, 3), near(head, 3)
    least = 0.25
    alone, rectified = np.array([2.0, 0.01, 0.9, 45.0, 0.0], np.float32), np.ones(1, np.float32)
    w = head.weights._replace(recall=alone, rectified=rectified)  # the network alone
    faint = PerishabilityHead(w._replace(faint=np.array([2.0, 0.01, least, 0.0], np.float32)), embedder="e", name="n")
    whole = PerishabilityHead(w._replace(faint=np.array([-2.0, 0.01, least, 0.0], np.float32)), embedder="e", name="n")
    never = PerishabilityHead(w._replace(faint=np.array([2.0, 0.01, 1.0, 0.0], np.float32)), embedder="e", name="n")
    for rows in (far, close):
        hidden = [one.parts(rows, texts).hidden for one in (faint, whole)]
        said = (np.asarray(rows) @ w.input).reshape(hidden[0].shape)
        seen = (hidden[0] > 0.0) & (hidden[1] > 0.0)
        assert seen.any()
        assert np.allclose((hidden[1] - hidden[0])[seen], (1.0 - least) * said[seen], atol=2e-3)
        assert np.array_equal(never.curve(rows, texts).mixture, whole.curve(rows, texts).mixture)
        # by trust alone: not at all where nothing near is trusted, as before where all is
        for trust, other in ((0.0, whole), (1.0, faint)):
            every = np.full(len(w.prototypes), trust, np.float32)
            v = w._replace(faint=np.array([2.0, 0.01, least, 1.0], np.float32), trust=every)
            trusted = PerishabilityHead(v, embedder="e", name="n").parts(rows, texts)
            assert np.allclose(trusted.hidden, other.parts(rows, texts).hidden, atol=1e-5)


def test_a_file_of_format_1_is_read_as_it_was(head: PerishabilityHead, tmp_path: Path) -> None:
    """What a store fitted before keeps its hidden layer of tanh, its arrays in half precision, its one scale."""
    weights = head.weights._replace(rectified=np.ones(1, np.float32))
    PerishabilityHead(weights, embedder=head.embedder, name=head.name).write(tmp_path / "new.npz")
    new = PerishabilityHead.read(tmp_path / "new.npz")
    with np.load(tmp_path / "new.npz") as file:
        arrays = {key: file[key] for key in file.files if not key.endswith("_scale") and key != "rectified"}
        arrays["prototype_scale"] = file["prototypes_scale"]
    halves = {field: getattr(new.weights, field).astype(np.float16) for field in ("basis", "input", "feature")}
    np.savez(tmp_path / "old.npz", **(arrays | halves | {"format": np.int32(1)}))
    old = PerishabilityHead.read(tmp_path / "old.npz")
    assert (old.weights.rectified.tolist(), new.weights.rectified.tolist()) == ([0.0], [1.0])
    np.testing.assert_array_equal(old.weights.prototypes, new.weights.prototypes)
    vectors = near(head, len(TEXTS))
    before, after = old.parts(vectors, TEXTS).hidden, new.parts(vectors, TEXTS).hidden
    np.testing.assert_allclose(np.maximum(before, 0.0), np.tanh(after), atol=0.02)
    assert before.min() < 0.0 <= after.min()


def test_a_file_from_before_vectors_grew_faint_is_read_as_it_was(head: PerishabilityHead, tmp_path: Path) -> None:
    head.write(tmp_path / "new.npz")
    with np.load(tmp_path / "new.npz") as file:
        np.savez(tmp_path / "old.npz", **{key: file[key] for key in file.files if key != "faint"})
    assert PerishabilityHead.read(tmp_path / "old.npz").weights.faint.tolist() == [
        *head.weights.recall[:2].tolist(),
        1.0,
        0.0,
    ]
    assert PerishabilityHead.read(tmp_path / "new.npz").weights.faint.tolist() == head.weights.faint.tolist()


def test_a_time_expression_brings_its_memory_nearer(head: PerishabilityHead) -> None:
    w, texts, rows = head.weights, ["Lena is in Hamburg this week.", "Lena is in Hamburg."], unit(head, 2)
    plain, timed = (
        PerishabilityHead(
            w._replace(recall=np.append(w.recall[:4], np.float32(more)), trust=np.ones(1, np.float32)),
            embedder=head.embedder,
            name="n",
        ).parts(rows, texts)
        for more in (0.0, 0.1)
    )
    assert timed.recalled[0] > plain.recalled[0]
    assert timed.recalled[1] == plain.recalled[1]


def test_beside_what_is_trusted_a_text_counts_as_less_near(head: PerishabilityHead) -> None:
    w, rows = head.weights, unit(head, len(TEXTS))
    for trust in (0.0, 1.0):
        every = w._replace(trust=np.full(len(w.prototypes), trust, np.float32))
        less, plain = (
            PerishabilityHead(every._replace(familiar=np.array(law, np.float32)), embedder=head.embedder, name="n")
            for law in ((0.3, 0.1, 0.05), (0.3 + 0.05 * trust, 0.1, 0.0))
        )
        assert np.allclose(less.parts(rows, TEXTS).share, plain.parts(rows, TEXTS).share, atol=1e-5)


def with_members_for_facts(head: PerishabilityHead, factual: float, tilt: float = 0.0) -> PerishabilityHead:
    """The head with two members for facts that say the same of every text, tilted towards the shortest span."""
    count, k = len(head.weights.prototypes), DICTIONARY.size
    said = np.linspace(-2.0, 0.0, k, dtype=np.float32)
    weights = head.weights._replace(
        plain_feature=np.zeros((len(NAMES), 8), np.float32),
        plain_bias=np.ones(8, np.float32),
        plain_output=np.zeros((2, 4, k), np.float32),
        plain_output_bias=np.stack([said, said]),
        factual=np.full(count, factual, np.float32),
        tilt=np.full((count, 1), tilt, np.float32),
        tilts=np.eye(1, k, dtype=np.float32),
        known=np.array([-2.0, 0.05], np.float32),
    )
    return PerishabilityHead(weights, embedder=head.embedder, name="facts")


def without_members_for_facts(head: PerishabilityHead) -> PerishabilityHead:
    weights = head.weights._replace(plain_output=np.zeros((0, 0, DICTIONARY.size), np.float32))
    return PerishabilityHead(weights, embedder=head.embedder, name="none")


def test_beside_facts_the_members_for_them_answer_and_elsewhere_the_network(head: PerishabilityHead) -> None:
    vectors = near(head, len(TEXTS))
    said = np.exp(np.linspace(-2.0, 0.0, DICTIONARY.size))
    known, none = with_members_for_facts(head, 1.0), without_members_for_facts(head)
    share = none.parts(vectors, TEXTS).share[:, None]
    truth = share * said / said.sum() + (1.0 - share) * head.weights.prior
    found = known.curve(vectors, TEXTS)
    np.testing.assert_allclose(found.mixture, truth, atol=1e-5)
    np.testing.assert_allclose(found.members, np.broadcast_to(said / said.sum(), found.members.shape), atol=1e-5)
    other = with_members_for_facts(head, 0.0).curve(vectors, TEXTS).mixture
    np.testing.assert_allclose(other, none.curve(vectors, TEXTS).mixture, atol=1e-6)


def test_what_facts_near_a_text_show_tilts_its_answer(head: PerishabilityHead) -> None:
    vectors = near(head, len(TEXTS))
    plain, tilted = (with_members_for_facts(head, 1.0, tilt).curve(vectors, TEXTS).mixture for tilt in (0.0, 3.0))
    odds = [m[:, 0] / m[:, 1] for m in (plain, tilted)]
    known = with_members_for_facts(head, 1.0).parts(vectors, TEXTS).share > 0.999
    assert known.any() or not head.embedder
    np.testing.assert_allclose((odds[1] / odds[0])[known], np.exp(3.0), rtol=0.1)


def test_a_file_keeps_the_members_for_facts_and_one_from_before_them_is_read(
    head: PerishabilityHead, tmp_path: Path
) -> None:
    vectors = near(head, len(TEXTS))
    some = with_members_for_facts(head, 0.5, 1.0)
    some.write(tmp_path / "head.npz")
    again = PerishabilityHead.read(tmp_path / "head.npz")
    ages = np.tile(AGES, (len(TEXTS), 1))
    found = [h.curve(vectors, TEXTS).at(ages) for h in (some, again)]
    np.testing.assert_allclose(found[0], found[1], atol=5e-3)
    with np.load(tmp_path / "head.npz", allow_pickle=False) as file:
        arrays = {key: file[key] for key in file.files}
    later = ("plain_feature", "plain_bias", "plain_output", "plain_output_bias", "factual", "tilt", "tilts", "known")
    arrays = {key: rows for key, rows in arrays.items() if key.removesuffix("_scale") not in later}
    arrays["format"] = np.asarray(2, np.int32)
    with open(tmp_path / "old.npz", "wb") as out:
        np.savez(out, allow_pickle=False, **arrays)
    old = PerishabilityHead.read(tmp_path / "old.npz")
    assert not old.parts(vectors, TEXTS).apart.any()
    truth = without_members_for_facts(again).curve(vectors, TEXTS).mixture
    np.testing.assert_allclose(old.curve(vectors, TEXTS).mixture, truth, atol=1e-6)
