// Multiply-adds and nothing else, by which the machine's instruction peak is measured: 12 chains in registers.
//
// kind: 0 float32 fused multiply-add, 1 bfloat16 pair dot (two multiply-adds a lane), 2 int8 quad dot (four). Returns the
// number of multiply-adds done, 0 where this instruction set has no such instruction.
#pragma once

namespace scrubjay::SJ_ISA {

static double probe_peak(int kind, std::int64_t rounds) {
  constexpr int CHAINS = 12;
  float sink = 0.0f;
  double per_lane = 0.0;
  if (kind == 0) {
    f32 x[CHAINS];
    for (int c = 0; c < CHAINS; ++c) x[c] = set(0.5f + 0.01f * static_cast<float>(c));
    const f32 scale = set(0.999f), shift = set(0.001f);
    for (std::int64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
      for (int c = 0; c < CHAINS; ++c) x[c] = fma(x[c], scale, shift);
    }
    for (int c = 0; c < CHAINS; ++c) sink += sum(x[c]);
    per_lane = 1.0;
  }
#ifdef SJ_HAS_BF16
  if (kind == 1) {
    f32 x[CHAINS];
    for (int c = 0; c < CHAINS; ++c) x[c] = set(static_cast<float>(c));
    __m512bh a = (__m512bh)_mm512_set1_epi32(0x3f803f80), b = (__m512bh)_mm512_set1_epi32(0x3c003c00);
    for (std::int64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
      for (int c = 0; c < CHAINS; ++c) x[c] = _mm512_dpbf16_ps(x[c], a, b);
    }
    for (int c = 0; c < CHAINS; ++c) sink += sum(x[c]);
    per_lane = 2.0;
  }
#endif
#ifdef SJ_HAS_VNNI
  if (kind == 2) {
    i32 x[CHAINS];
    for (int c = 0; c < CHAINS; ++c) x[c] = seti(c);
    const i32 a = seti(0x01010101), b = seti(0x02010201);
    for (std::int64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
      for (int c = 0; c < CHAINS; ++c) x[c] = _mm512_dpbusd_epi32(x[c], a, b);
    }
    for (int c = 0; c < CHAINS; ++c) sink += static_cast<float>(_mm512_reduce_add_epi32(x[c]));
    per_lane = 4.0;
  }
#endif
  asm volatile("" : : "g"(&sink) : "memory");
  return per_lane * 16.0 * CHAINS * static_cast<double>(rounds);
}

}  // namespace scrubjay::SJ_ISA
