// out[i] = value[i] exp(-(pi[i] age[i] / tau[i])), age[i] = max(0, now - when[i])
//
// Units: when, now, tau in seconds. Domain: value >= 0, pi in (0, 1], tau > 0. The age is taken in float64 (float32 seconds
// since 1970 have steps of 128 s). A row with NaN gives NaN. Source: "Caching for the Future", eq. 3.
#pragma once

#include "kernels/decay/exp.hpp"

namespace scrubjay::SJ_ISA {

SJ_INLINE f32 utility_block(f32 value, f32 pi, f32 tau, f64 when_low, f64 when_high, f64 now) {
  const f64 zero = set64(0.0);
  const f64 low_age = max(zero, sub(now, when_low)), high_age = max(zero, sub(now, when_high));
  const f32 x = join(div(mul(low(pi), low_age), low(tau)), div(mul(high(pi), high_age), high(tau)));
  return mul(value, exp(sub(set(0.0f), x)));
}

static void utility(Column<const float> value, const float* pi, const float* tau, const double* when, double now,
                    float* out) {
  const f64 at = set64(now);
  std::int64_t i = 0;
  for (; i + 16 <= value.size; i += 16)
    store(out + i, utility_block(load(value.data + i), load(pi + i), load(tau + i), load(when + i), load(when + i + 8), at));
  const std::int64_t rest = value.size - i;
  if (rest == 0) return;
  const f64 when_low = load(when + i, rest < 8 ? rest : 8);
  const f64 when_high = rest > 8 ? load(when + i + 8, rest - 8) : set64(0.0);
  store(out + i, utility_block(load(value.data + i, rest), load(pi + i, rest), load(tau + i, rest), when_low, when_high, at),
        rest);
}

}  // namespace scrubjay::SJ_ISA
