// x . y in float64: what decides between rows that float32 cannot tell apart.
//
// Units: none. Products of two float32 are exact in float64, so only the additions round.
// Error: at most (n / 8 + 4) 2^-53 sum |x y|. Order: 8 lanes, then a fixed tree: the same bits on every ISA.
#pragma once

namespace scrubjay::SJ_ISA {

static double dot64(const float* x, const float* y, std::int64_t n) {
  f64 a = set64(0.0), b = a;
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const f32 u = load(x + i), v = load(y + i);
    a = fma(low(u), low(v), a);
    b = fma(high(u), high(v), b);
  }
  if (i < n) {
    const f32 u = load(x + i, n - i), v = load(y + i, n - i);
    a = fma(low(u), low(v), a);
    b = fma(high(u), high(v), b);
  }
  double lane[8];
  store(lane, add(a, b));
  for (int width = 4; width > 0; width /= 2)
    for (int j = 0; j < width; ++j) lane[j] += lane[j + width];
  return lane[0];
}

}  // namespace scrubjay::SJ_ISA
