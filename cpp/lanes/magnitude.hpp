// farther(m, x): m with each lane raised to |x| where that is larger, NaN counting as larger than infinity: magnitudes are
// compared as the integers of their bits. farthest(m): the largest lane, as a float.
#pragma once

namespace scrubjay::SJ_ISA {

SJ_INLINE i32 farther(i32 m, f32 x) {
#if defined(__AVX512F__)
  return _mm512_max_epi32(m, _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff)));
#elif defined(__AVX2__)
  const __m256i mask = _mm256_set1_epi32(0x7fffffff);
  return {_mm256_max_epi32(m.lo, _mm256_and_si256(_mm256_castps_si256(x.lo), mask)),
          _mm256_max_epi32(m.hi, _mm256_and_si256(_mm256_castps_si256(x.hi), mask))};
#else
  float lane[16];
  int most[16], bits[16];
  store(lane, x);
  __builtin_memcpy(bits, lane, sizeof bits);
  __builtin_memcpy(most, &m, sizeof most);
  for (int i = 0; i < 16; ++i) most[i] = (bits[i] & 0x7fffffff) > most[i] ? bits[i] & 0x7fffffff : most[i];
  __builtin_memcpy(&m, most, sizeof most);
  return m;
#endif
}

SJ_INLINE float farthest(i32 m) {
  int lane[16], most = 0;
  __builtin_memcpy(lane, &m, sizeof lane);
  for (int i = 0; i < 16; ++i) most = lane[i] > most ? lane[i] : most;
  float x;
  __builtin_memcpy(&x, &most, sizeof x);
  return x;
}

}  // namespace scrubjay::SJ_ISA
