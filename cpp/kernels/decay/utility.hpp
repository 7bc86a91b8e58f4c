// out[i] = value[i] exp(-(pi[i] age[i] / tau[i])^shape[i]), age[i] = max(0, now - when[i]); shape null: 1
//
// Units: when, now, tau in seconds. Domain: value >= 0, pi in [0, 1], tau > 0, shape > 0. Source: "Caching for the
// Future", eq. 3; shape is that of a Weibull curve, and a row of shape 1 has the bits of the law without it.
// Error: |out - exact| <= 3 2^-24 value without shape, 8 2^-24 value with it. The age is taken in float64 (float32
// seconds since 1970 have steps of 128 s), the rest in float32; every step is monotone, so without shape out never
// rises with age or pi, never falls with tau, and never exceeds value.
// Zero and NaN: age 0 or pi 0 gives value; value 0 gives 0; a row with NaN gives NaN, in that row only. out may be an
// input.
#pragma once

namespace scrubjay::SJ_ISA {

// The exponent pi age / tau of 16 rows.
SJ_INLINE f32 perished(f32 pi, f32 tau, f64 when_low, f64 when_high, f64 now) {
  const f32 age = max(set(0.0f), join(sub(now, when_low), sub(now, when_high)));
  return div(mul(pi, age), tau);
}

SJ_INLINE f32 utility_block(f32 value, f32 pi, f32 tau, f64 when_low, f64 when_high, f64 now) {
  return mul(value, exp_minus(perished(pi, tau, when_low, when_high, now)));
}

static void utility(Column<const float> value, const float* pi, const float* tau, const double* when, double now,
                    float* out) {
  const f64 at = set64(now);
  sweep<float>(value.size, [&](std::int64_t i, auto part) {
    const Pair64 seen = load_pair(when + i, part);
    const f32 u = utility_block(load(value.data + i, part), load(pi + i, part), load(tau + i, part), seen.low, seen.high, at);
    store(out + i, u, part);
  });
}

static void utility_shaped(Column<const float> value, const float* pi, const float* tau, const double* when,
                           const float* shape, double now, float* out) {
  const f64 at = set64(now);
  sweep<float>(value.size, [&](std::int64_t i, auto part) {
    const Pair64 seen = load_pair(when + i, part);
    const f32 k = load(shape + i, part);
    const f32 x = perished(load(pi + i, part), load(tau + i, part), seen.low, seen.high, at);
    const f32 bent = select(eq(k, set(1.0f)), x, power(x, k));
    store(out + i, mul(load(value.data + i, part), exp_minus(bent)), part);
  });
}

}  // namespace scrubjay::SJ_ISA
