// update:  a'[i] = keep a[i] + s[i] w[i],  b'[i] = keep b[i] + (1 - s[i]) w[i];  w null: `constant`
// moments: mean = a / (a + b),  variance = a b / ((a + b)^2 (a + b + 1)),  bonus = sqrt(variance)
//
// Units: a, b, w are counts of evidence. Domain: a, b >= 0, s in [0, 1], w >= 0, keep in (0, 1] (1 forgets nothing).
// Source: the Beta evidence of the survey's section 6 (usefulness, its variance, the exploration bonus).
// Error: update 2 ulp, moments 4 ulp. Zero and NaN: no evidence at all (a = b = 0) has mean 1/2, variance 1/4, the
// limit of a symmetric Beta; w = 0 and keep = 1 change nothing, bit for bit; a row with NaN gives NaN, in that row
// only. An output may be an input of the same index; outputs of moments that are null are not computed.
#pragma once

namespace scrubjay::SJ_ISA {

template <class T>
SJ_INLINE void moments_block(Block<T> a, Block<T> b, const Moments<T>& out, std::int64_t i, auto part) {
  const Block<T> one = fill<T>(1.0), zero = fill<T>(0.0);
  const Block<T> n = add(a, b);
  const Flags<T> none = eq(n, zero);
  const Block<T> mean = select(none, fill<T>(0.5), div(a, n));
  if (out.mean != nullptr) store(out.mean + i, mean, part);
  if (out.variance == nullptr && out.bonus == nullptr) return;
  const Block<T> v = select(none, fill<T>(0.25), div(mul(mean, b), mul(n, add(n, one))));
  if (out.variance != nullptr) store(out.variance + i, v, part);
  if (out.bonus != nullptr) store(out.bonus + i, sqrt(v), part);
}

template <class T>
static void beta_update(Column<const T> a, const T* b, const T* signal, const T* weight, T constant, T keep, T* out_a,
                        T* out_b, Moments<T> moments) {
  const Block<T> one = fill<T>(1.0), kept = fill<T>(keep), same = fill<T>(constant);
  const bool wanted = moments.mean != nullptr || moments.variance != nullptr || moments.bonus != nullptr;
  sweep<T>(a.size, [&](std::int64_t i, auto part) {
    const Block<T> s = load(signal + i, part);
    const Block<T> w = weight == nullptr ? same : load(weight + i, part);
    const Block<T> new_a = fma(s, w, mul(kept, load(a.data + i, part)));
    const Block<T> new_b = fma(sub(one, s), w, mul(kept, load(b + i, part)));
    store(out_a + i, new_a, part);
    store(out_b + i, new_b, part);
    if (wanted) moments_block<T>(new_a, new_b, moments, i, part);
  });
}

template <class T>
static void beta_moments(Column<const T> a, const T* b, Moments<T> moments) {
  sweep<T>(a.size, [&](std::int64_t i, auto part) {
    moments_block<T>(load(a.data + i, part), load(b + i, part), moments, i, part);
  });
}

}  // namespace scrubjay::SJ_ISA
