// The words of lanes/README.md for AVX-512.
#pragma once

#include <immintrin.h>

#include "kernels.hpp"

#define SJ_INLINE [[gnu::always_inline]] static inline

namespace scrubjay::SJ_ISA {

using f32 = __m512;
using f64 = __m512d;
using i32 = __m512i;
struct i64 {
  __m512i v;
};
using mask = __mmask16;
using mask64 = __mmask8;

SJ_INLINE mask first(long n) { return static_cast<mask>((1u << n) - 1u); }
SJ_INLINE mask64 first64(long n) { return static_cast<mask64>((1u << n) - 1u); }

SJ_INLINE f32 load(const float* p) { return _mm512_loadu_ps(p); }
SJ_INLINE f32 load(const float* p, long n) { return _mm512_maskz_loadu_ps(first(n), p); }
SJ_INLINE void store(float* p, f32 x) { _mm512_storeu_ps(p, x); }
SJ_INLINE void store(float* p, f32 x, long n) { _mm512_mask_storeu_ps(p, first(n), x); }
SJ_INLINE f64 load(const double* p) { return _mm512_loadu_pd(p); }
SJ_INLINE f64 load(const double* p, long n) { return _mm512_maskz_loadu_pd(first64(n), p); }
SJ_INLINE void store(double* p, f64 x) { _mm512_storeu_pd(p, x); }
SJ_INLINE void store(double* p, f64 x, long n) { _mm512_mask_storeu_pd(p, first64(n), x); }

SJ_INLINE f32 set(float v) { return _mm512_set1_ps(v); }
SJ_INLINE f64 set64(double v) { return _mm512_set1_pd(v); }
SJ_INLINE i32 seti(int v) { return _mm512_set1_epi32(v); }

SJ_INLINE f32 add(f32 a, f32 b) { return _mm512_add_ps(a, b); }
SJ_INLINE f32 sub(f32 a, f32 b) { return _mm512_sub_ps(a, b); }
SJ_INLINE f32 mul(f32 a, f32 b) { return _mm512_mul_ps(a, b); }
SJ_INLINE f32 div(f32 a, f32 b) { return _mm512_div_ps(a, b); }
SJ_INLINE f32 fma(f32 a, f32 b, f32 c) { return _mm512_fmadd_ps(a, b, c); }
SJ_INLINE f32 min(f32 a, f32 b) { return _mm512_min_ps(a, b); }
SJ_INLINE f32 max(f32 a, f32 b) { return _mm512_max_ps(a, b); }
SJ_INLINE f32 abs(f32 a) { return _mm512_abs_ps(a); }
SJ_INLINE f32 sqrt(f32 a) { return _mm512_sqrt_ps(a); }
SJ_INLINE f64 add(f64 a, f64 b) { return _mm512_add_pd(a, b); }
SJ_INLINE f64 sub(f64 a, f64 b) { return _mm512_sub_pd(a, b); }
SJ_INLINE f64 mul(f64 a, f64 b) { return _mm512_mul_pd(a, b); }
SJ_INLINE f64 div(f64 a, f64 b) { return _mm512_div_pd(a, b); }
SJ_INLINE f64 fma(f64 a, f64 b, f64 c) { return _mm512_fmadd_pd(a, b, c); }
SJ_INLINE f64 min(f64 a, f64 b) { return _mm512_min_pd(a, b); }
SJ_INLINE f64 max(f64 a, f64 b) { return _mm512_max_pd(a, b); }
SJ_INLINE f64 abs(f64 a) { return _mm512_abs_pd(a); }
SJ_INLINE f64 sqrt(f64 a) { return _mm512_sqrt_pd(a); }

SJ_INLINE mask lt(f32 a, f32 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
SJ_INLINE mask le(f32 a, f32 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
SJ_INLINE f32 select(mask m, f32 a, f32 b) { return _mm512_mask_blend_ps(m, b, a); }
SJ_INLINE mask eq(f32 a, f32 b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
SJ_INLINE mask both(mask a, mask b) { return static_cast<mask>(a & b); }
SJ_INLINE mask either(mask a, mask b) { return static_cast<mask>(a | b); }
SJ_INLINE mask unless(mask a, mask b) { return static_cast<mask>(a & ~b); }
SJ_INLINE bool any(mask m) { return m != 0; }
SJ_INLINE mask64 lt(f64 a, f64 b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
SJ_INLINE mask64 le(f64 a, f64 b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ); }
SJ_INLINE mask64 eq(f64 a, f64 b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
SJ_INLINE f64 select(mask64 m, f64 a, f64 b) { return _mm512_mask_blend_pd(m, b, a); }
SJ_INLINE mask64 both(mask64 a, mask64 b) { return static_cast<mask64>(a & b); }
SJ_INLINE mask64 either(mask64 a, mask64 b) { return static_cast<mask64>(a | b); }
SJ_INLINE mask64 unless(mask64 a, mask64 b) { return static_cast<mask64>(a & ~b); }
SJ_INLINE bool any(mask64 m) { return m != 0; }

SJ_INLINE f32 nearest(f32 x) { return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
SJ_INLINE f64 nearest(f64 x) { return _mm512_roundscale_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
SJ_INLINE f32 pow2(f32 n) {
  const i32 e = _mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127));
  return _mm512_castsi512_ps(_mm512_slli_epi32(e, 23));
}

SJ_INLINE f32 scale(f32 x, f32 n) { return _mm512_scalef_ps(x, n); }
SJ_INLINE f64 scale(f64 x, f64 n) { return _mm512_scalef_pd(x, n); }

SJ_INLINE i64 seti64(long long v) { return {_mm512_set1_epi64(v)}; }
SJ_INLINE i32 bits(f32 x) { return _mm512_castps_si512(x); }
SJ_INLINE f32 real(i32 x) { return _mm512_castsi512_ps(x); }
SJ_INLINE i64 bits(f64 x) { return {_mm512_castpd_si512(x)}; }
SJ_INLINE f64 real(i64 x) { return _mm512_castsi512_pd(x.v); }
SJ_INLINE i32 add(i32 a, i32 b) { return _mm512_add_epi32(a, b); }
SJ_INLINE i32 sub(i32 a, i32 b) { return _mm512_sub_epi32(a, b); }
SJ_INLINE i32 andi(i32 a, i32 b) { return _mm512_and_si512(a, b); }
SJ_INLINE i32 ori(i32 a, i32 b) { return _mm512_or_si512(a, b); }
SJ_INLINE i64 add(i64 a, i64 b) { return {_mm512_add_epi64(a.v, b.v)}; }
SJ_INLINE i64 sub(i64 a, i64 b) { return {_mm512_sub_epi64(a.v, b.v)}; }
SJ_INLINE i64 andi(i64 a, i64 b) { return {_mm512_and_si512(a.v, b.v)}; }
SJ_INLINE i64 ori(i64 a, i64 b) { return {_mm512_or_si512(a.v, b.v)}; }
template <int k>
SJ_INLINE i32 shl(i32 x) { return _mm512_slli_epi32(x, k); }
template <int k>
SJ_INLINE i32 shr(i32 x) { return _mm512_srli_epi32(x, k); }
template <int k>
SJ_INLINE i64 shl(i64 x) { return {_mm512_slli_epi64(x.v, k)}; }
template <int k>
SJ_INLINE i64 shr(i64 x) { return {_mm512_srli_epi64(x.v, k)}; }

SJ_INLINE f32 pick(const float (&table)[16], i32 index) { return _mm512_permutexvar_ps(index, _mm512_loadu_ps(table)); }
SJ_INLINE f64 pick(const double (&table)[8], i64 index) { return _mm512_permutexvar_pd(index.v, _mm512_loadu_pd(table)); }
SJ_INLINE f64 pick(const double (&table)[16], i64 index) {
  return _mm512_permutex2var_pd(_mm512_loadu_pd(table), index.v, _mm512_loadu_pd(table + 8));
}
SJ_INLINE i32 load32(const unsigned char* p) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
SJ_INLINE i64 load64(const unsigned char* p) {
  return {_mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
}

SJ_INLINE f64 low(f32 x) { return _mm512_cvtps_pd(_mm512_castps512_ps256(x)); }
SJ_INLINE f64 high(f32 x) { return _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1)); }
SJ_INLINE f32 join(f64 lo, f64 hi) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(lo)), _mm512_cvtpd_ps(hi), 1);
}

SJ_INLINE float sum(f32 x) {
  const __m256 a = _mm256_add_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1));
  const __m128 b = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  const __m128 c = _mm_add_ps(b, _mm_movehl_ps(b, b));
  return _mm_cvtss_f32(_mm_add_ss(c, _mm_movehdup_ps(c)));
}

}  // namespace scrubjay::SJ_ISA

#include "lanes/block.hpp"
