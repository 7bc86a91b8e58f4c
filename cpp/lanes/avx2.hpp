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
struct i64 {
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
SJ_INLINE mask eq(f32 a, f32 b) {
  return {_mm256_cmp_ps(a.lo, b.lo, _CMP_EQ_OQ), _mm256_cmp_ps(a.hi, b.hi, _CMP_EQ_OQ)};
}
SJ_INLINE mask both(mask a, mask b) { return {_mm256_and_ps(a.lo, b.lo), _mm256_and_ps(a.hi, b.hi)}; }
SJ_INLINE mask either(mask a, mask b) { return {_mm256_or_ps(a.lo, b.lo), _mm256_or_ps(a.hi, b.hi)}; }
SJ_INLINE mask unless(mask a, mask b) { return {_mm256_andnot_ps(b.lo, a.lo), _mm256_andnot_ps(b.hi, a.hi)}; }
SJ_INLINE bool any(mask m) { return _mm256_movemask_ps(_mm256_or_ps(m.lo, m.hi)) != 0; }
SJ_INLINE mask64 lt(f64 a, f64 b) {
  return {_mm256_cmp_pd(a.lo, b.lo, _CMP_LT_OQ), _mm256_cmp_pd(a.hi, b.hi, _CMP_LT_OQ)};
}
SJ_INLINE mask64 le(f64 a, f64 b) {
  return {_mm256_cmp_pd(a.lo, b.lo, _CMP_LE_OQ), _mm256_cmp_pd(a.hi, b.hi, _CMP_LE_OQ)};
}
SJ_INLINE mask64 eq(f64 a, f64 b) {
  return {_mm256_cmp_pd(a.lo, b.lo, _CMP_EQ_OQ), _mm256_cmp_pd(a.hi, b.hi, _CMP_EQ_OQ)};
}
SJ_INLINE f64 select(mask64 m, f64 a, f64 b) {
  return {_mm256_blendv_pd(b.lo, a.lo, m.lo), _mm256_blendv_pd(b.hi, a.hi, m.hi)};
}
SJ_INLINE mask64 both(mask64 a, mask64 b) { return {_mm256_and_pd(a.lo, b.lo), _mm256_and_pd(a.hi, b.hi)}; }
SJ_INLINE mask64 either(mask64 a, mask64 b) { return {_mm256_or_pd(a.lo, b.lo), _mm256_or_pd(a.hi, b.hi)}; }
SJ_INLINE mask64 unless(mask64 a, mask64 b) { return {_mm256_andnot_pd(b.lo, a.lo), _mm256_andnot_pd(b.hi, a.hi)}; }
SJ_INLINE bool any(mask64 m) { return _mm256_movemask_pd(_mm256_or_pd(m.lo, m.hi)) != 0; }

SJ_INLINE f32 nearest(f32 x) {
  return {_mm256_round_ps(x.lo, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC),
          _mm256_round_ps(x.hi, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
SJ_INLINE f64 nearest(f64 x) {
  return {_mm256_round_pd(x.lo, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC),
          _mm256_round_pd(x.hi, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
SJ_INLINE f32 pow2(f32 n) {
  const __m256i bias = _mm256_set1_epi32(127);
  return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n.lo), bias), 23)),
          _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n.hi), bias), 23))};
}

SJ_INLINE i64 seti64(long long v) { return {_mm256_set1_epi64x(v), _mm256_set1_epi64x(v)}; }
SJ_INLINE i32 bits(f32 x) { return {_mm256_castps_si256(x.lo), _mm256_castps_si256(x.hi)}; }
SJ_INLINE f32 real(i32 x) { return {_mm256_castsi256_ps(x.lo), _mm256_castsi256_ps(x.hi)}; }
SJ_INLINE i64 bits(f64 x) { return {_mm256_castpd_si256(x.lo), _mm256_castpd_si256(x.hi)}; }
SJ_INLINE f64 real(i64 x) { return {_mm256_castsi256_pd(x.lo), _mm256_castsi256_pd(x.hi)}; }
SJ_INLINE i32 add(i32 a, i32 b) { return {_mm256_add_epi32(a.lo, b.lo), _mm256_add_epi32(a.hi, b.hi)}; }
SJ_INLINE i32 sub(i32 a, i32 b) { return {_mm256_sub_epi32(a.lo, b.lo), _mm256_sub_epi32(a.hi, b.hi)}; }
SJ_INLINE i32 andi(i32 a, i32 b) { return {_mm256_and_si256(a.lo, b.lo), _mm256_and_si256(a.hi, b.hi)}; }
SJ_INLINE i32 ori(i32 a, i32 b) { return {_mm256_or_si256(a.lo, b.lo), _mm256_or_si256(a.hi, b.hi)}; }
SJ_INLINE i64 add(i64 a, i64 b) { return {_mm256_add_epi64(a.lo, b.lo), _mm256_add_epi64(a.hi, b.hi)}; }
SJ_INLINE i64 sub(i64 a, i64 b) { return {_mm256_sub_epi64(a.lo, b.lo), _mm256_sub_epi64(a.hi, b.hi)}; }
SJ_INLINE i64 andi(i64 a, i64 b) { return {_mm256_and_si256(a.lo, b.lo), _mm256_and_si256(a.hi, b.hi)}; }
SJ_INLINE i64 ori(i64 a, i64 b) { return {_mm256_or_si256(a.lo, b.lo), _mm256_or_si256(a.hi, b.hi)}; }
template <int k>
SJ_INLINE i32 shl(i32 x) { return {_mm256_slli_epi32(x.lo, k), _mm256_slli_epi32(x.hi, k)}; }
template <int k>
SJ_INLINE i32 shr(i32 x) { return {_mm256_srli_epi32(x.lo, k), _mm256_srli_epi32(x.hi, k)}; }
template <int k>
SJ_INLINE i64 shl(i64 x) { return {_mm256_slli_epi64(x.lo, k), _mm256_slli_epi64(x.hi, k)}; }
template <int k>
SJ_INLINE i64 shr(i64 x) { return {_mm256_srli_epi64(x.lo, k), _mm256_srli_epi64(x.hi, k)}; }

// 2^e for whole e in [-126, 127] (float) and [-1022, 1023] (double), and x 2^floor(n) by two of them: the first product
// is exact, so the second rounds once.
SJ_INLINE __m256 two_to(__m256i e) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(e, _mm256_set1_epi32(127)), 23));
}
SJ_INLINE __m256d two_to(__m256d e) {
  // The magic constant leaves e + 1023 in the low bits of the sum, from where a shift moves it to the exponent.
  return _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_castpd_si256(_mm256_add_pd(e, _mm256_set1_pd(0x1.8p52 + 1023))), 52));
}
SJ_INLINE __m256 scale8(__m256 x, __m256 n) {
  const __m256i e = _mm256_cvtps_epi32(_mm256_floor_ps(n)), half = _mm256_srai_epi32(e, 1);
  return _mm256_mul_ps(_mm256_mul_ps(x, two_to(half)), two_to(_mm256_sub_epi32(e, half)));
}
SJ_INLINE __m256d scale4(__m256d x, __m256d n) {
  const __m256d e = _mm256_floor_pd(n), half = _mm256_floor_pd(_mm256_mul_pd(e, _mm256_set1_pd(0.5)));
  return _mm256_mul_pd(_mm256_mul_pd(x, two_to(half)), two_to(_mm256_sub_pd(e, half)));
}
SJ_INLINE f32 scale(f32 x, f32 n) { return {scale8(x.lo, n.lo), scale8(x.hi, n.hi)}; }
SJ_INLINE f64 scale(f64 x, f64 n) { return {scale4(x.lo, n.lo), scale4(x.hi, n.hi)}; }

SJ_INLINE __m256 pick8(const float* table, __m256i index) {
  const __m256 a = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), index);
  const __m256 b = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + 8), index);
  return _mm256_blendv_ps(a, b, _mm256_castsi256_ps(_mm256_slli_epi32(index, 28)));
}
// Four doubles a register: lane j of `pair` names the two halves of table[index % 4].
SJ_INLINE __m256d pick4(const double* table, __m256i pair) {
  return _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_loadu_ps(reinterpret_cast<const float*>(table)), pair));
}
SJ_INLINE __m256d pick8(const double* table, __m256i pair, __m256i index) {
  return _mm256_blendv_pd(pick4(table, pair), pick4(table + 4, pair), _mm256_castsi256_pd(_mm256_slli_epi64(index, 61)));
}
SJ_INLINE __m256i pairs(__m256i index) {
  const __m256i even = _mm256_add_epi64(index, index);
  return _mm256_blend_epi32(even, _mm256_slli_epi64(_mm256_or_si256(even, _mm256_set1_epi64x(1)), 32), 0xaa);
}
SJ_INLINE __m256d pick16(const double* table, __m256i index) {
  const __m256i pair = pairs(index);
  return _mm256_blendv_pd(pick8(table, pair, index), pick8(table + 8, pair, index),
                          _mm256_castsi256_pd(_mm256_slli_epi64(index, 60)));
}
SJ_INLINE f32 pick(const float (&table)[16], i32 index) { return {pick8(table, index.lo), pick8(table, index.hi)}; }
SJ_INLINE f64 pick(const double (&table)[8], i64 index) {
  return {pick8(table, pairs(index.lo), index.lo), pick8(table, pairs(index.hi), index.hi)};
}
SJ_INLINE f64 pick(const double (&table)[16], i64 index) {
  return {pick16(table, index.lo), pick16(table, index.hi)};
}
SJ_INLINE i32 load32(const unsigned char* p) {
  const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return {_mm256_cvtepu8_epi32(all), _mm256_cvtepu8_epi32(_mm_srli_si128(all, 8))};
}
SJ_INLINE i64 load64(const unsigned char* p) {
  const __m128i all = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return {_mm256_cvtepu8_epi64(all), _mm256_cvtepu8_epi64(_mm_srli_si128(all, 4))};
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

#include "lanes/block.hpp"
