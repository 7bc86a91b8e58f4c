// x . y in float64: what decides between rows that float32 cannot tell apart. x of float32, bfloat16, or codes u for u - 128.
//
// Units: none. Products of two float32 are exact in float64, so only the additions round.
// Error: at most (n / 8 + 4) 2^-53 sum |x y|. Order: 8 lanes, then a fixed tree: the same bits on every ISA.
#pragma once

namespace scrubjay::SJ_ISA {

// `block(i, n)` gives n values of x from i on (16 or fewer, then zeros).
template <class Part>
SJ_INLINE double dot64_of(Part block, const float* y, std::int64_t n) {
  f64 a = set64(0.0), b = a;
  for (std::int64_t i = 0; i < n; i += 16) {
    const bool whole = i + 16 <= n;
    const f32 u = block(i, whole ? 16 : n - i), v = whole ? load(y + i) : load(y + i, n - i);
    a = fma(low(u), low(v), a);
    b = fma(high(u), high(v), b);
  }
  double lane[8];
  store(lane, add(a, b));
  for (int width = 4; width > 0; width /= 2)
    for (int j = 0; j < width; ++j) lane[j] += lane[j + width];
  return lane[0];
}

static double dot64(const float* x, const float* y, std::int64_t n) {
  return dot64_of([x](std::int64_t i, long many) { return many == 16 ? load(x + i) : load(x + i, many); }, y, n);
}

static double dot64_bf16(const std::uint16_t* x, const float* y, std::int64_t n) {
  return dot64_of([x](std::int64_t i, long many) { return many == 16 ? halves(x + i) : halves(x + i, many); }, y, n);
}

static double dot64_u8(const std::uint8_t* x, const float* y, std::int64_t n) {
  return dot64_of(
      [x](std::int64_t i, long many) {
        const auto* p = x + i;
        return real32(sub(many == 16 ? load32(p) : load_bytes<float>(p, many), seti(128)));
      },
      y, n);
}

}  // namespace scrubjay::SJ_ISA
