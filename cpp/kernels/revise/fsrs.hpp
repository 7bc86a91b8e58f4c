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
// A signal in [0, 1] stands for a real grade: thresholds[k] is grade k + 1, straight lines between; S' and D' at a real grade lie
// on the straight line between their values at the two neighbouring grades, so they move without a jump, and S' never
// falls as the signal rises (w15 <= 1 <= w16).
//
// Units: S, t, I in days. Domain: S = 0 or S >= .001, D in [1, 10], t finite (below 0 counts as 0), G in 1..4.
// Source: FSRS-6 and FSRS-5 (open-spaced-repetition). Relative error against exact arithmetic: float64 1e-13, float32 1e-5.
// NaN or a value out of its domain spoils its own row only; bind/ refuses it. Outputs may be inputs of the same index.
#pragma once

#include "kernels/revise/fsrs_law.hpp"

namespace scrubjay::SJ_ISA {

template <class T>
using FsrsTable = T[FsrsTables<T>::SIZE];

// Grades of a block: the whole grade `k`, how far on towards the next one, and which rows are at or above Again but below Hard.
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

// 1 - R.
template <class T>
SJ_INLINE Block<T> forgotten(const FsrsConstants<T>& c, Block<T> s, Block<T> days) {
  const Block<T> x = log2p1(div(mul(days, fill<T>(c.factor)), s));
  return sub(fill<T>(0.0), exp2m1(mul(fill<T>(c.curve), x)));
}

// S' after a day or more: a lapse where `lapsed`, a success elsewhere. Both are e^a (e^b - 1), with their own a and b.
template <class T>
SJ_INLINE Block<T> after_days(const FsrsConstants<T>& c, Block<T> s, Block<T> d, Block<T> lost, Block<T> gain,
                              Block<T> log_s, Flags<T> lapsed) {
  Block<T> a = fma(fill<T>(c.success_power), log_s, fill<T>(c.success_bias));
  Block<T> b = mul(fill<T>(c.success_rate), lost);
  if (any(lapsed)) {
    const Block<T> of_d = fma(fill<T>(c.lapse_difficulty), log2_normal(d), fill<T>(c.lapse_bias));
    a = select(lapsed, fma(fill<T>(c.lapse_rate), lost, of_d), a);
    b = select(lapsed, mul(fill<T>(c.lapse_power), log2p1(s)), b);
  }
  const Block<T> product = mul(exp2(a), exp2m1(b));
  const Block<T> success = fma(mul(s, mul(sub(fill<T>(11.0), d), gain)), product, s);
  return select(lapsed, min(product, mul(s, fill<T>(c.lapse_share))), success);
}

template <class T, bool REAL>
SJ_INLINE Block<T> same_day(const FsrsConstants<T>& c, Block<T> s, Block<T> log_s, const Grades<T>& g) {
  const Block<T> one = fill<T>(1.0), shrink = exp2(mul(fill<T>(c.same_day_power), log_s));
  const Block<T> here = mul(pick(c.at.same_day, g.k), shrink);
  Block<T> ratio = select(g.again, here, max(here, one));
  if constexpr (REAL) ratio = along<T>(g.part, ratio, max(mul(pick(c.next.same_day, g.k), shrink), one));
  return mul(s, ratio);
}

template <class T>
struct Memory {
  Block<T> stability, difficulty;
};

template <class T, bool REAL>
SJ_INLINE Memory<T> fsrs_block(const FsrsConstants<T>& c, const FsrsLaw& law, Block<T> s, Block<T> d, Block<T> t,
                               const Grades<T>& g) {
  const Block<T> zero = fill<T>(0.0), one = fill<T>(1.0);
  const Block<T> days = max(zero, t);
  const Flags<T> first = eq(s, zero), same = lt(days, fill<T>(law.same_day));
  const Flags<T> lapsed = unless(g.again, either(first, same));
  const Block<T> log_s = log2_normal(s), lost = forgotten<T>(c, s, days);

  const Block<T> gain = at_grade<T, REAL>(c.at.gain, c.next.gain, g);
  Block<T> later = after_days<T>(c, s, d, lost, gain, log_s, lapsed);
  if constexpr (REAL) {
    // Between Again and Hard both branches are needed.
    const Flags<T> between = both(lapsed, lt(zero, g.part));
    if (any(between)) {
      const Block<T> hard = after_days<T>(c, s, d, lost, fill<T>(c.at.gain[2]), log_s, lt(one, zero));
      later = select(between, along<T>(g.part, later, hard), later);
    }
  }
  if (any(same)) later = select(same, same_day<T, REAL>(c, s, log_s, g), later);

  const Block<T> moved = fma(at_grade<T, REAL>(c.at.slope, c.next.slope, g), sub(fill<T>(10.0), d), d);
  const Block<T> reverted = fma(fill<T>(c.kept), moved, fill<T>(c.reversion));
  const Block<T> first_s = at_grade<T, REAL>(c.at.first_stability, c.next.first_stability, g);
  const Block<T> first_d = at_grade<T, REAL>(c.at.first_difficulty, c.next.first_difficulty, g);
  const Block<T> bounded = min(fill<T>(10.0), max(one, reverted));
  return {min(fill<T>(law.most), max(fill<T>(0.001), select(first, first_s, later))), select(first, first_d, bounded)};
}

template <class T>
SJ_INLINE Block<T> interval_block(const FsrsConstants<T>& c, const FsrsLaw& law, Block<T> stability) {
  return min(fill<T>(law.longest), max(fill<T>(1.0), nearest(mul(stability, fill<T>(c.rate)))));
}

// `grades(i, part)` reads the grades of a block.
template <class T, bool REAL, class Read>
SJ_INLINE void fsrs_rows(const FsrsConstants<T>& c, const FsrsLaw& law, Column<const T> s, const T* d, const T* t, Read grades,
                         T* new_s, T* new_d, T* interval) {
  sweep<T>(s.size, [&](std::int64_t i, auto part) {
    const Memory<T> after =
        fsrs_block<T, REAL>(c, law, load(s.data + i, part), load(d + i, part), load(t + i, part), grades(i, part));
    store(new_s + i, after.stability, part);
    store(new_d + i, after.difficulty, part);
    if (interval != nullptr) store(interval + i, interval_block<T>(c, law, after.stability), part);
  });
}

template <class T>
static void fsrs_review(const FsrsLaw& law, Column<const T> s, const T* d, const T* t, const unsigned char* grade, T* new_s,
                        T* new_d, T* interval) {
  FsrsConstants<T> c;
  fsrs_constants(law, c);
  const auto read = [&](std::int64_t i, auto part) {
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
    store(out + i, select(eq(stability, zero), zero, sub(one, forgotten<T>(c, stability, days))), part);
  });
}

}  // namespace scrubjay::SJ_ISA
