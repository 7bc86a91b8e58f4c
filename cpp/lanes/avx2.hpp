// The words of lanes/README.md for AVX2 with FMA: a block is two registers.
#pragma once

#include <immintrin.h>

#include "kernels.hpp"

#define SJ_INLINE [[gnu::always_inline]] static inline

namespace scrubjay::SJ_ISA {

struct f32 {
  __m256 lo, hi;
};
struct f64 {
  __m256d lo, hi;
};
struct i32 {
  __m256i lo, hi;
};
struct mask {
  __m256 lo, hi;
};
struct mask64 {
  __m256d lo, hi;
};

SJ_INLINE __m256i first8(long n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
SJ_INLINE __m256i first4(long n) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}

SJ_INLINE f32 load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
SJ_INLINE f32 load(const float* p, long n) {
  return {_mm256_maskload_ps(p, first8(n)), n > 8 ? _mm256_maskload_ps(p + 8, first8(n - 8)) : _mm256_setzero_ps()};
}
SJ_INLINE void store(float* p, f32 x) {
  _mm256_storeu_ps(p, x.lo);
  _mm256_storeu_ps(p + 8, x.hi);
}
SJ_INLINE void store(float* p, f32 x, long n) {
  _mm256_maskstore_ps(p, first8(n), x.lo);
  if (n > 8) _mm256_maskstore_ps(p + 8, first8(n - 8), x.hi);
}
SJ_INLINE f64 load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
SJ_INLINE f64 load(const double* p, long n) {
  return {_mm256_maskload_pd(p, first4(n)), n > 4 ? _mm256_maskload_pd(p + 4, first4(n - 4)) : _mm256_setzero_pd()};
}
SJ_INLINE void store(double* p, f64 x) {
  _mm256_storeu_pd(p, x.lo);
  _mm256_storeu_pd(p + 4, x.hi);
}
SJ_INLINE void store(double* p, f64 x, long n) {
  _mm256_maskstore_pd(p, first4(n), x.lo);
  if (n > 4) _mm256_maskstore_pd(p + 4, first4(n - 4), x.hi);
}

SJ_INLINE f32 set(float v) { return {_mm256_set1_ps(v), _mm256_set1_ps(v)}; }
SJ_INLINE f64 set64(double v) { return {_mm256_set1_pd(v), _mm256_set1_pd(v)}; }
SJ_INLINE i32 seti(int v) { return {_mm256_set1_epi32(v), _mm256_set1_epi32(v)}; }

SJ_INLINE f32 add(f32 a, f32 b) { return {_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)}; }
SJ_INLINE f32 sub(f32 a, f32 b) { return {_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)}; }
SJ_INLINE f32 mul(f32 a, f32 b) { return {_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)}; }
SJ_INLINE f32 div(f32 a, f32 b) { return {_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)}; }
SJ_INLINE f32 fma(f32 a, f32 b, f32 c) {
  return {_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi)};
}
SJ_INLINE f32 min(f32 a, f32 b) { return {_mm256_min_ps(a.lo, b.lo), _mm256_min_ps(a.hi, b.hi)}; }
SJ_INLINE f32 max(f32 a, f32 b) { return {_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)}; }
SJ_INLINE f32 abs(f32 a) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  return {_mm256_andnot_ps(sign, a.lo), _mm256_andnot_ps(sign, a.hi)};
}
SJ_INLINE f32 sqrt(f32 a) { return {_mm256_sqrt_ps(a.lo), _mm256_sqrt_ps(a.hi)}; }
SJ_INLINE f64 add(f64 a, f64 b) { return {_mm256_add_pd(a.lo, b.lo), _mm256_add_pd(a.hi, b.hi)}; }
SJ_INLINE f64 sub(f64 a, f64 b) { return {_mm256_sub_pd(a.lo, b.lo), _mm256_sub_pd(a.hi, b.hi)}; }
SJ_INLINE f64 mul(f64 a, f64 b) { return {_mm256_mul_pd(a.lo, b.lo), _mm256_mul_pd(a.hi, b.hi)}; }
SJ_INLINE f64 div(f64 a, f64 b) { return {_mm256_div_pd(a.lo, b.lo), _mm256_div_pd(a.hi, b.hi)}; }
SJ_INLINE f64 fma(f64 a, f64 b, f64 c) {
  return {_mm256_fmadd_pd(a.lo, b.lo, c.lo), _mm256_fmadd_pd(a.hi, b.hi, c.hi)};
}
SJ_INLINE f64 min(f64 a, f64 b) { return {_mm256_min_pd(a.lo, b.lo), _mm256_min_pd(a.hi, b.hi)}; }
SJ_INLINE f64 max(f64 a, f64 b) { return {_mm256_max_pd(a.lo, b.lo), _mm256_max_pd(a.hi, b.hi)}; }
SJ_INLINE f64 abs(f64 a) {
  const __m256d sign = _mm256_set1_pd(-0.0);
  return {_mm256_andnot_pd(sign, a.lo), _mm256_andnot_pd(sign, a.hi)};
}
SJ_INLINE f64 sqrt(f64 a) { return {_mm256_sqrt_pd(a.lo), _mm256_sqrt_pd(a.hi)}; }

SJ_INLINE mask lt(f32 a, f32 b) {
  return {_mm256_cmp_ps(a.lo, b.lo, _CMP_LT_OQ), _mm256_cmp_ps(a.hi, b.hi, _CMP_LT_OQ)};
}
SJ_INLINE mask le(f32 a, f32 b) {
  return {_mm256_cmp_ps(a.lo, b.lo, _CMP_LE_OQ), _mm256_cmp_ps(a.hi, b.hi, _CMP_LE_OQ)};
}
SJ_INLINE f32 select(mask m, f32 a, f32 b) {
  return {_mm256_blendv_ps(b.lo, a.lo, m.lo), _mm256_blendv_ps(b.hi, a.hi, m.hi)};
}
SJ_INLINE mask both(mask a, mask b) { return {_mm256_and_ps(a.lo, b.lo), _mm256_and_ps(a.hi, b.hi)}; }
SJ_INLINE bool any(mask m) { return _mm256_movemask_ps(_mm256_or_ps(m.lo, m.hi)) != 0; }
SJ_INLINE mask64 lt(f64 a, f64 b) {
  return {_mm256_cmp_pd(a.lo, b.lo, _CMP_LT_OQ), _mm256_cmp_pd(a.hi, b.hi, _CMP_LT_OQ)};
}
SJ_INLINE mask64 le(f64 a, f64 b) {
  return {_mm256_cmp_pd(a.lo, b.lo, _CMP_LE_OQ), _mm256_cmp_pd(a.hi, b.hi, _CMP_LE_OQ)};
}
SJ_INLINE f64 select(mask64 m, f64 a, f64 b) {
  return {_mm256_blendv_pd(b.lo, a.lo, m.lo), _mm256_blendv_pd(b.hi, a.hi, m.hi)};
}

SJ_INLINE f32 nearest(f32 x) {
  return {_mm256_round_ps(x.lo, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC),
          _mm256_round_ps(x.hi, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
SJ_INLINE f32 pow2(f32 n) {
  const __m256i bias = _mm256_set1_epi32(127);
  return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n.lo), bias), 23)),
          _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n.hi), bias), 23))};
}

SJ_INLINE f64 low(f32 x) {
  return {_mm256_cvtps_pd(_mm256_castps256_ps128(x.lo)), _mm256_cvtps_pd(_mm256_extractf128_ps(x.lo, 1))};
}
SJ_INLINE f64 high(f32 x) {
  return {_mm256_cvtps_pd(_mm256_castps256_ps128(x.hi)), _mm256_cvtps_pd(_mm256_extractf128_ps(x.hi, 1))};
}
SJ_INLINE f32 join(f64 lo, f64 hi) {
  return {_mm256_set_m128(_mm256_cvtpd_ps(lo.hi), _mm256_cvtpd_ps(lo.lo)),
          _mm256_set_m128(_mm256_cvtpd_ps(hi.hi), _mm256_cvtpd_ps(hi.lo))};
}

SJ_INLINE float sum(f32 x) {
  const __m256 a = _mm256_add_ps(x.lo, x.hi);
  const __m128 b = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  const __m128 c = _mm_add_ps(b, _mm_movehl_ps(b, b));
  return _mm_cvtss_f32(_mm_add_ss(c, _mm_movehdup_ps(c)));
}

}  // namespace scrubjay::SJ_ISA
