// One FSRS review of every row: (S, D, t, G) -> (S', D'), and the next interval where asked for
//
// R  = (1 + factor t / S)^curve
// S' = success  S (1 + e^w8 (11 - D) S^-w9 (e^(w10 (1 - R)) - 1) gain(G)),  gain = w15, 1, w16 for Hard, Good, Easy
//      lapse    min(w11 D^-w12 ((S + 1)^w13 - 1) e^(w14 (1 - R)), S e^-(w17 w18))
//      same day S e^(w17 (G - 3 + w18)) S^-w19, never falling for G >= 2       (t < law.same_day)
//      first    w[G - 1]                                                       (S = 0: never reviewed)
// D' = w7 D0(4) + (1 - w7) (D - w6 (G - 3) (10 - D) / 9) within [1, 10];  first: D0(G) = w4 - e^(w5 (G - 1)) + 1
// I  = S' / factor (wanted^(1 / curve) - 1), to the nearest whole, within [1, longest]
//
// A signal in [0, 1] stands for a real grade: thresholds[k] is grade k + 1, straight lines between; S' and D' at a real
// grade lie on the straight line between their values at the two neighbouring grades, taken before the bounds of S and
// D are, so they move without a jump, and S' never falls as the signal rises (w15 <= 1 <= w16).
//
// Units: S, t, I in days. Domain: S = 0 or S >= .001, D in [1, 10], t finite (below 0 counts as 0), G in 1..4.
// Source: FSRS-6 and FSRS-5 (open-spaced-repetition). Relative error against exact arithmetic: float64 1e-13, float32
// 1e-5. NaN or a value out of its domain spoils its own row only; bind/ refuses it. Outputs may be inputs of the same
// index.
#pragma once

#include "kernels/revise/fsrs_law.hpp"

namespace scrubjay::SJ_ISA {

template <class T>
using FsrsTable = T[FsrsTables<T>::SIZE];

// Grades of a block: the whole grade `k`, how far on towards the next one, and which rows are at or above Again but
// below Hard.
template <class T>
struct Grades {
  Index<T> k;
  Block<T> part;
  Flags<T> again;
};

// The straight line from `here` to `next`; `here` itself, to the bit, where part is 0.
template <class T>
SJ_INLINE Block<T> along(Block<T> part, Block<T> here, Block<T> next) {
  return fma(part, sub(next, here), here);
}

template <class T, bool REAL>
SJ_INLINE Block<T> at_grade(const FsrsTable<T>& at, const FsrsTable<T>& next, const Grades<T>& g) {
  if constexpr (REAL) return along<T>(g.part, pick(at, g.k), pick(next, g.k));
  return pick(at, g.k);
}

// log2(1 + factor t / S), from which R = 2^(curve x).
template <class T>
SJ_INLINE Block<T> fading(const FsrsConstants<T>& c, Block<T> s, Block<T> days) {
  return log2p1(div(mul(days, fill<T>(c.factor)), s));
}

// 1 - R.
template <class T>
SJ_INLINE Block<T> forgotten(const FsrsConstants<T>& c, Block<T> faded) {
  return sub(fill<T>(0.0), exp2m1(mul(fill<T>(c.curve), faded)));
}

// What a review is to each row; neither: a success after a day or more.
template <class T>
struct Kind {
  Flags<T> lapse, same;
};

template <class T>
SJ_INLINE Kind<T> kind_of(const FsrsLaw& law, Block<T> s, Block<T> days, Flags<T> again) {
  const Flags<T> same = lt(days, fill<T>(law.same_day));
  return {unless(again, either(eq(s, fill<T>(0.0)), same)), same};
}

// Every kind of S' is made of 2^a and 2^b - 1, with its own a and b.
template <class T>
struct Powers {
  Block<T> a, b;
};

template <class T>
SJ_INLINE Powers<T> powers_of(const FsrsConstants<T>& c, Block<T> s, Block<T> d, Block<T> lost, Kind<T> kind) {
  // log2(1 + s) for a lapse, log2(s) otherwise; what 1 + s rounds away is added back.
  const Block<T> zero = fill<T>(0.0), base = select(kind.lapse, fill<T>(1.0), zero), u = add(base, s);
  const Block<T> log_u = fma(sub(s, sub(u, base)), fill<T>(LOG2E), log2_normal(u));
  const Block<T> by = select(kind.same, fill<T>(c.same_day_power), fill<T>(c.success_power));
  const Block<T> a = fma(by, log_u, select(kind.same, zero, fill<T>(c.success_bias)));
  const Block<T> b = mul(fill<T>(c.success_rate), lost);
  if (!any(kind.lapse)) return {a, b};
  const Block<T> of_d = fma(fill<T>(c.lapse_difficulty), log2_normal(d), fill<T>(c.lapse_bias));
  return {select(kind.lapse, fma(fill<T>(c.lapse_rate), lost, of_d), a),
          select(kind.lapse, mul(fill<T>(c.lapse_power), log_u), b)};
}

template <class T, bool REAL>
SJ_INLINE Block<T> stability_of(const FsrsConstants<T>& c, Block<T> s, Block<T> d, Block<T> gain, const Grades<T>& g,
                                Kind<T> kind, Powers<T> powers) {
  const Block<T> one = fill<T>(1.0), grown = exp2_near(powers.a), product = mul(grown, exp2m1(powers.b));
  const Block<T> success = fma(mul(s, mul(sub(fill<T>(11.0), d), gain)), product, s);
  const Block<T> here = mul(pick(c.at.same_day, g.k), grown);
  Block<T> ratio = select(g.again, here, max(here, one));
  if constexpr (REAL) ratio = along<T>(g.part, ratio, max(mul(pick(c.next.same_day, g.k), grown), one));
  const Block<T> kept = select(kind.same, mul(s, ratio), success);
  return select(kind.lapse, min(product, mul(s, fill<T>(c.lapse_share))), kept);
}

template <class T, bool REAL>
SJ_INLINE Block<T> difficulty_of(const FsrsConstants<T>& c, Block<T> d, const Grades<T>& g) {
  const Block<T> moved = fma(at_grade<T, REAL>(c.at.slope, c.next.slope, g), sub(fill<T>(10.0), d), d);
  return min(fill<T>(10.0), max(fill<T>(1.0), fma(fill<T>(c.kept), moved, fill<T>(c.reversion))));
}

template <class T>
SJ_INLINE Block<T> interval_block(const FsrsConstants<T>& c, const FsrsLaw& law, Block<T> stability) {
  return min(fill<T>(law.longest), max(fill<T>(1.0), nearest(mul(stability, fill<T>(c.rate)))));
}

// Rows that a pass takes at a time: their columns stay in the first cache, and the next ones are fetched meanwhile.
static constexpr std::int64_t FSRS_ROWS = 256;

// `grades(i, part)` reads the grades of a block. The law is one long chain of dependent operations; in short passes
// over a few rows the CPU works on many blocks at once.
template <class T, bool REAL, class Read>
SJ_INLINE void fsrs_rows(const FsrsConstants<T>& c, const FsrsLaw& law, Column<const T> all_s, const T* all_d, const T* all_t,
                         Read grades, T* all_new_s, T* all_new_d, T* interval) {
  T lost[FSRS_ROWS], a[FSRS_ROWS], b[FSRS_ROWS], hard_a[REAL ? FSRS_ROWS : 1], hard_b[REAL ? FSRS_ROWS : 1];
  const Block<T> zero = fill<T>(0.0);
  const Flags<T> never = lt(zero, zero);
  for (std::int64_t from = 0; from < all_s.size; from += FSRS_ROWS) {
    const std::int64_t rows = all_s.size - from < FSRS_ROWS ? all_s.size - from : FSRS_ROWS;
    const T *s = all_s.data + from, *d = all_d + from, *t = all_t + from;
    T *new_s = all_new_s + from, *new_d = all_new_d + from;
    bool mixed = false;
    sweep<T>(rows, [&](std::int64_t i, auto part) {
      store(lost + i, fading<T>(c, load(s + i, part), max(zero, load(t + i, part))), part);
    });
    sweep<T>(rows, [&](std::int64_t i, auto part) {
      prefetch(s + FSRS_ROWS + i);
      store(lost + i, forgotten<T>(c, load(lost + i, part)), part);
    });
    sweep<T>(rows, [&](std::int64_t i, auto part) {
      prefetch(t + FSRS_ROWS + i);
      prefetch_write(new_s + FSRS_ROWS + i);
      const Grades<T> g = grades(from + i, part);
      const Block<T> stability = load(s + i, part), loss = load(lost + i, part), difficulty = load(d + i, part);
      const Kind<T> kind = kind_of<T>(law, stability, max(zero, load(t + i, part)), g.again);
      const Powers<T> p = powers_of<T>(c, stability, difficulty, loss, kind);
      store(a + i, p.a, part);
      store(b + i, p.b, part);
      if constexpr (REAL) mixed = mixed || any(both(kind.lapse, lt(zero, g.part)));
    });
    // Between Again and Hard a real grade needs both branches.
    if constexpr (REAL)
      if (mixed)
        sweep<T>(rows, [&](std::int64_t i, auto part) {
          const Block<T> stability = load(s + i, part);
          const Kind<T> kind = kind_of<T>(law, stability, max(zero, load(t + i, part)), never);
          const Powers<T> p = powers_of<T>(c, stability, load(d + i, part), load(lost + i, part), kind);
          store(hard_a + i, p.a, part);
          store(hard_b + i, p.b, part);
        });
    sweep<T>(rows, [&](std::int64_t i, auto part) {
      prefetch(d + FSRS_ROWS + i);
      prefetch_write(new_d + FSRS_ROWS + i);
      const Grades<T> g = grades(from + i, part);
      const Block<T> stability = load(s + i, part), difficulty = load(d + i, part);
      const Kind<T> kind = kind_of<T>(law, stability, max(zero, load(t + i, part)), g.again);
      const Block<T> gain = at_grade<T, REAL>(c.at.gain, c.next.gain, g);
      Block<T> after = stability_of<T, REAL>(c, stability, difficulty, gain, g, kind, {load(a + i, part), load(b + i, part)});
      Block<T> harder = difficulty_of<T, REAL>(c, difficulty, g);
      if constexpr (REAL)
        if (mixed) {
          const Powers<T> p{load(hard_a + i, part), load(hard_b + i, part)};
          const Block<T> hard = stability_of<T, REAL>(c, stability, difficulty, fill<T>(c.at.gain[2]), g, {never, kind.same}, p);
          after = select(both(kind.lapse, lt(zero, g.part)), along<T>(g.part, after, hard), after);
        }
      const Flags<T> first = eq(stability, zero);
      if (any(first)) {
        after = select(first, at_grade<T, REAL>(c.at.first_stability, c.next.first_stability, g), after);
        harder = select(first, at_grade<T, REAL>(c.at.first_difficulty, c.next.first_difficulty, g), harder);
      }
      after = min(fill<T>(law.most), max(fill<T>(0.001), after));
      store(new_s + i, after, part);
      store(new_d + i, harder, part);
      if (interval != nullptr) store(interval + from + i, interval_block<T>(c, law, after), part);
    });
  }
}

template <class T>
static void fsrs_review(const FsrsLaw& law, Column<const T> s, const T* d, const T* t, const unsigned char* grade, T* new_s,
                        T* new_d, T* interval) {
  FsrsConstants<T> c;
  fsrs_constants(law, c);
  const auto read = [&](std::int64_t i, auto part) {
    prefetch(grade + i + FSRS_ROWS);
    const Index<T> k = load_bytes<T>(grade + i, part);
    return Grades<T>{k, fill<T>(0.0), le(pick(c.at.number, k), fill<T>(1.0))};
  };
  fsrs_rows<T, false>(c, law, s, d, t, read, new_s, new_d, interval);
}

template <class T>
static void fsrs_signal(const FsrsLaw& law, Column<const T> s, const T* d, const T* t, const T* signal, T* new_s, T* new_d,
                        T* interval) {
  FsrsConstants<T> c;
  fsrs_constants(law, c);
  FsrsTable<T> from = {}, width = {};
  for (int k = 1; k <= 4; ++k) from[k] = static_cast<T>(law.thresholds[k - 1]);
  for (int k = 1; k <= 4; ++k) width[k] = k < 4 ? from[k + 1] - from[k] : T(1);
  const auto read = [&](std::int64_t i, auto part) {
    prefetch(signal + i + FSRS_ROWS);
    const Block<T> x = load(signal + i, part), zero = fill<T>(0.0), one = fill<T>(1.0);
    Block<T> grade = one;
    for (int k = 2; k <= 4; ++k) grade = add(grade, select(le(fill<T>(from[k]), x), one, zero));
    // Added to a power of two that leaves no fraction bits, a whole number stands in the low bits.
    const Index<T> k = bits(add(grade, fill<T>(sizeof(T) == 4 ? 0x1p23 : 0x1p52)));
    const Block<T> on = div(sub(x, pick(from, k)), pick(width, k));
    return Grades<T>{k, select(lt(grade, fill<T>(4.0)), min(one, max(zero, on)), zero), lt(grade, fill<T>(2.0))};
  };
  fsrs_rows<T, true>(c, law, s, d, t, read, new_s, new_d, interval);
}

template <class T>
static void fsrs_interval(const FsrsLaw& law, Column<const T> s, T* out) {
  FsrsConstants<T> c;
  fsrs_constants(law, c);
  sweep<T>(s.size, [&](std::int64_t i, auto part) { store(out + i, interval_block<T>(c, law, load(s.data + i, part)), part); });
}

// R of every row; 0 where S = 0.
template <class T>
static void fsrs_retrievability(const FsrsLaw& law, Column<const T> s, const T* t, T* out) {
  FsrsConstants<T> c;
  fsrs_constants(law, c);
  const Block<T> zero = fill<T>(0.0), one = fill<T>(1.0);
  sweep<T>(s.size, [&](std::int64_t i, auto part) {
    const Block<T> stability = load(s.data + i, part), days = max(zero, load(t + i, part));
    store(out + i, select(eq(stability, zero), zero, sub(one, forgotten<T>(c, fading<T>(c, stability, days)))), part);
  });
}

}  // namespace scrubjay::SJ_ISA
