// out[i] = (1 + factor age[i] / stability[i])^curve, age[i] = max(0, now - last[i]) / day
//
// Units: last and now in seconds, day = seconds in the unit of stability (86400: days). Domain: stability > 0, curve <
// 0, factor > 0. Source: FSRS's forgetting curve; factor = .9^(1/curve) - 1 makes out = .9 at age = stability.
// Error: at most 4e-7, absolute. Zero and NaN: age 0 gives 1; stability 0 (never reviewed) gives 0; a row with NaN
// gives NaN.
#pragma once

namespace scrubjay::SJ_ISA {

static void retrievability(Column<const float> stability, const double* last, double now, double day, double factor,
                           double curve, float* out) {
  const f64 at = set64(now), rate = set64(factor / day);
  const f32 power = set(static_cast<float>(curve)), zero = set(0.0f);
  sweep<float>(stability.size, [&](std::int64_t i, auto part) {
    const f32 s = load(stability.data + i, part);
    const Pair64 seen = load_pair(last + i, part);
    const f32 faded = max(zero, join(mul(sub(at, seen.low), rate), mul(sub(at, seen.high), rate)));
    const f32 r = exp2(mul(power, log2p1(div(faded, s))));
    store(out + i, select(le(s, zero), zero, r), part);
  });
}

}  // namespace scrubjay::SJ_ISA
