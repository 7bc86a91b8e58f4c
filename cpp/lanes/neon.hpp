// The words of lanes/README.md for AArch64: a block is four registers.
#pragma once

#include <arm_neon.h>

#include "kernels.hpp"

#define SJ_INLINE [[gnu::always_inline]] static inline

namespace scrubjay::SJ_ISA {

struct f32 {
  float32x4_t v[4];
};
struct f64 {
  float64x2_t v[4];
};
struct i32 {
  int32x4_t v[4];
};
struct i64 {
  int64x2_t v[4];
};
struct mask {
  uint32x4_t v[4];
};
struct mask64 {
  uint64x2_t v[4];
};

// A function of one, two or three blocks, register by register.
#define SJ_ONE(f, a) {{f((a).v[0]), f((a).v[1]), f((a).v[2]), f((a).v[3])}}
#define SJ_TWO(f, a, b) {{f((a).v[0], (b).v[0]), f((a).v[1], (b).v[1]), f((a).v[2], (b).v[2]), f((a).v[3], (b).v[3])}}
#define SJ_THREE(f, a, b, c)                                                                         \
  {{f((a).v[0], (b).v[0], (c).v[0]), f((a).v[1], (b).v[1], (c).v[1]), f((a).v[2], (b).v[2], (c).v[2]), \
    f((a).v[3], (b).v[3], (c).v[3])}}

SJ_INLINE f32 load(const float* p) {
  return {{vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8), vld1q_f32(p + 12)}};
}
SJ_INLINE void store(float* p, f32 x) {
  for (int i = 0; i < 4; ++i) vst1q_f32(p + 4 * i, x.v[i]);
}
SJ_INLINE f32 load(const float* p, long n) {
  float whole[16] = {};
  for (long i = 0; i < n; ++i) whole[i] = p[i];
  return load(whole);
}
SJ_INLINE void store(float* p, f32 x, long n) {
  float whole[16];
  store(whole, x);
  for (long i = 0; i < n; ++i) p[i] = whole[i];
}
SJ_INLINE f64 load(const double* p) {
  return {{vld1q_f64(p), vld1q_f64(p + 2), vld1q_f64(p + 4), vld1q_f64(p + 6)}};
}
SJ_INLINE void store(double* p, f64 x) {
  for (int i = 0; i < 4; ++i) vst1q_f64(p + 2 * i, x.v[i]);
}
SJ_INLINE f64 load(const double* p, long n) {
  double whole[8] = {};
  for (long i = 0; i < n; ++i) whole[i] = p[i];
  return load(whole);
}
SJ_INLINE void store(double* p, f64 x, long n) {
  double whole[8];
  store(whole, x);
  for (long i = 0; i < n; ++i) p[i] = whole[i];
}

SJ_INLINE f32 set(float v) {
  const auto x = vdupq_n_f32(v);
  return {{x, x, x, x}};
}
SJ_INLINE f64 set64(double v) {
  const auto x = vdupq_n_f64(v);
  return {{x, x, x, x}};
}
SJ_INLINE i32 seti(int v) {
  const auto x = vdupq_n_s32(v);
  return {{x, x, x, x}};
}
SJ_INLINE i64 seti64(long long v) {
  const auto x = vdupq_n_s64(v);
  return {{x, x, x, x}};
}

SJ_INLINE mask lt(f32 a, f32 b) { return SJ_TWO(vcltq_f32, a, b); }
SJ_INLINE mask le(f32 a, f32 b) { return SJ_TWO(vcleq_f32, a, b); }
SJ_INLINE mask eq(f32 a, f32 b) { return SJ_TWO(vceqq_f32, a, b); }
SJ_INLINE f32 select(mask m, f32 a, f32 b) { return SJ_THREE(vbslq_f32, m, a, b); }
SJ_INLINE mask both(mask a, mask b) { return SJ_TWO(vandq_u32, a, b); }
SJ_INLINE mask either(mask a, mask b) { return SJ_TWO(vorrq_u32, a, b); }
SJ_INLINE mask unless(mask a, mask b) { return SJ_TWO(vbicq_u32, a, b); }
SJ_INLINE bool any(mask m) {
  return vmaxvq_u32(vorrq_u32(vorrq_u32(m.v[0], m.v[1]), vorrq_u32(m.v[2], m.v[3]))) != 0;
}
SJ_INLINE mask64 lt(f64 a, f64 b) { return SJ_TWO(vcltq_f64, a, b); }
SJ_INLINE mask64 le(f64 a, f64 b) { return SJ_TWO(vcleq_f64, a, b); }
SJ_INLINE mask64 eq(f64 a, f64 b) { return SJ_TWO(vceqq_f64, a, b); }
SJ_INLINE f64 select(mask64 m, f64 a, f64 b) { return SJ_THREE(vbslq_f64, m, a, b); }
SJ_INLINE mask64 both(mask64 a, mask64 b) { return SJ_TWO(vandq_u64, a, b); }
SJ_INLINE mask64 either(mask64 a, mask64 b) { return SJ_TWO(vorrq_u64, a, b); }
SJ_INLINE mask64 unless(mask64 a, mask64 b) { return SJ_TWO(vbicq_u64, a, b); }
SJ_INLINE bool any(mask64 m) {
  return vmaxvq_u32(vreinterpretq_u32_u64(vorrq_u64(vorrq_u64(m.v[0], m.v[1]), vorrq_u64(m.v[2], m.v[3])))) != 0;
}

SJ_INLINE f32 add(f32 a, f32 b) { return SJ_TWO(vaddq_f32, a, b); }
SJ_INLINE f32 sub(f32 a, f32 b) { return SJ_TWO(vsubq_f32, a, b); }
SJ_INLINE f32 mul(f32 a, f32 b) { return SJ_TWO(vmulq_f32, a, b); }
SJ_INLINE f32 div(f32 a, f32 b) { return SJ_TWO(vdivq_f32, a, b); }
SJ_INLINE f32 fma(f32 a, f32 b, f32 c) { return SJ_THREE(vfmaq_f32, c, a, b); }
SJ_INLINE f32 min(f32 a, f32 b) { return select(lt(a, b), a, b); }
SJ_INLINE f32 max(f32 a, f32 b) { return select(lt(b, a), a, b); }
SJ_INLINE f32 abs(f32 a) { return SJ_ONE(vabsq_f32, a); }
SJ_INLINE f32 sqrt(f32 a) { return SJ_ONE(vsqrtq_f32, a); }
SJ_INLINE f64 add(f64 a, f64 b) { return SJ_TWO(vaddq_f64, a, b); }
SJ_INLINE f64 sub(f64 a, f64 b) { return SJ_TWO(vsubq_f64, a, b); }
SJ_INLINE f64 mul(f64 a, f64 b) { return SJ_TWO(vmulq_f64, a, b); }
SJ_INLINE f64 div(f64 a, f64 b) { return SJ_TWO(vdivq_f64, a, b); }
SJ_INLINE f64 fma(f64 a, f64 b, f64 c) { return SJ_THREE(vfmaq_f64, c, a, b); }
SJ_INLINE f64 min(f64 a, f64 b) { return select(lt(a, b), a, b); }
SJ_INLINE f64 max(f64 a, f64 b) { return select(lt(b, a), a, b); }
SJ_INLINE f64 abs(f64 a) { return SJ_ONE(vabsq_f64, a); }
SJ_INLINE f64 sqrt(f64 a) { return SJ_ONE(vsqrtq_f64, a); }
SJ_INLINE f32 nearest(f32 x) { return SJ_ONE(vrndnq_f32, x); }
SJ_INLINE f64 nearest(f64 x) { return SJ_ONE(vrndnq_f64, x); }

SJ_INLINE i32 bits(f32 x) { return SJ_ONE(vreinterpretq_s32_f32, x); }
SJ_INLINE f32 real(i32 x) { return SJ_ONE(vreinterpretq_f32_s32, x); }
SJ_INLINE i64 bits(f64 x) { return SJ_ONE(vreinterpretq_s64_f64, x); }
SJ_INLINE f64 real(i64 x) { return SJ_ONE(vreinterpretq_f64_s64, x); }
SJ_INLINE i32 add(i32 a, i32 b) { return SJ_TWO(vaddq_s32, a, b); }
SJ_INLINE i32 sub(i32 a, i32 b) { return SJ_TWO(vsubq_s32, a, b); }
SJ_INLINE i32 andi(i32 a, i32 b) { return SJ_TWO(vandq_s32, a, b); }
SJ_INLINE i32 ori(i32 a, i32 b) { return SJ_TWO(vorrq_s32, a, b); }
SJ_INLINE i64 add(i64 a, i64 b) { return SJ_TWO(vaddq_s64, a, b); }
SJ_INLINE i64 sub(i64 a, i64 b) { return SJ_TWO(vsubq_s64, a, b); }
SJ_INLINE i64 andi(i64 a, i64 b) { return SJ_TWO(vandq_s64, a, b); }
SJ_INLINE i64 ori(i64 a, i64 b) { return SJ_TWO(vorrq_s64, a, b); }
template <int k>
SJ_INLINE int32x4_t shl4(int32x4_t x) { return vshlq_n_s32(x, k); }
template <int k>
SJ_INLINE int32x4_t shr4(int32x4_t x) { return vreinterpretq_s32_u32(vshrq_n_u32(vreinterpretq_u32_s32(x), k)); }
template <int k>
SJ_INLINE int64x2_t shl2(int64x2_t x) { return vshlq_n_s64(x, k); }
template <int k>
SJ_INLINE int64x2_t shr2(int64x2_t x) { return vreinterpretq_s64_u64(vshrq_n_u64(vreinterpretq_u64_s64(x), k)); }
template <int k>
SJ_INLINE i32 shl(i32 x) { return SJ_ONE(shl4<k>, x); }
template <int k>
SJ_INLINE i32 shr(i32 x) { return SJ_ONE(shr4<k>, x); }
template <int k>
SJ_INLINE i64 shl(i64 x) { return SJ_ONE(shl2<k>, x); }
template <int k>
SJ_INLINE i64 shr(i64 x) { return SJ_ONE(shr2<k>, x); }

SJ_INLINE float32x4_t two_to(int32x4_t e) {
  return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(e, vdupq_n_s32(127)), 23));
}
SJ_INLINE float64x2_t two_to(int64x2_t e) {
  return vreinterpretq_f64_s64(vshlq_n_s64(vaddq_s64(e, vdupq_n_s64(1023)), 52));
}
// x 2^floor(n) by two powers: the first product is exact, so the second rounds once.
SJ_INLINE float32x4_t scale4(float32x4_t x, float32x4_t n) {
  const int32x4_t e = vcvtmq_s32_f32(n), half = vshrq_n_s32(e, 1);
  return vmulq_f32(vmulq_f32(x, two_to(half)), two_to(vsubq_s32(e, half)));
}
SJ_INLINE float64x2_t scale2(float64x2_t x, float64x2_t n) {
  const int64x2_t e = vcvtmq_s64_f64(n), half = vshrq_n_s64(e, 1);
  return vmulq_f64(vmulq_f64(x, two_to(half)), two_to(vsubq_s64(e, half)));
}
SJ_INLINE float32x4_t pow2_4(float32x4_t n) { return two_to(vcvtnq_s32_f32(n)); }
SJ_INLINE f32 pow2(f32 n) { return SJ_ONE(pow2_4, n); }
SJ_INLINE f32 scale(f32 x, f32 n) { return SJ_TWO(scale4, x, n); }
SJ_INLINE f64 scale(f64 x, f64 n) { return SJ_TWO(scale2, x, n); }

SJ_INLINE float32x4_t pick4(const float* table, int32x4_t index) {
  const int32x4_t at = vandq_s32(index, vdupq_n_s32(15));
  float r[4] = {table[vgetq_lane_s32(at, 0)], table[vgetq_lane_s32(at, 1)], table[vgetq_lane_s32(at, 2)],
                table[vgetq_lane_s32(at, 3)]};
  return vld1q_f32(r);
}
SJ_INLINE float64x2_t pick2(const double* table, int64x2_t index, long long last) {
  const int64x2_t at = vandq_s64(index, vdupq_n_s64(last));
  double r[2] = {table[vgetq_lane_s64(at, 0)], table[vgetq_lane_s64(at, 1)]};
  return vld1q_f64(r);
}
SJ_INLINE f32 pick(const float (&table)[16], i32 index) {
  const int32x4_t(&k)[4] = index.v;
  return {{pick4(table, k[0]), pick4(table, k[1]), pick4(table, k[2]), pick4(table, k[3])}};
}
template <int n>
SJ_INLINE f64 pick(const double (&table)[n], i64 index) {
  const int64x2_t(&k)[4] = index.v;
  return {{pick2(table, k[0], n - 1), pick2(table, k[1], n - 1), pick2(table, k[2], n - 1), pick2(table, k[3], n - 1)}};
}
SJ_INLINE i32 load32(const unsigned char* p) {
  int whole[16];
  for (int i = 0; i < 16; ++i) whole[i] = p[i];
  return {{vld1q_s32(whole), vld1q_s32(whole + 4), vld1q_s32(whole + 8), vld1q_s32(whole + 12)}};
}
SJ_INLINE i64 load64(const unsigned char* p) {
  std::int64_t whole[8];
  for (int i = 0; i < 8; ++i) whole[i] = p[i];
  return {{vld1q_s64(whole), vld1q_s64(whole + 2), vld1q_s64(whole + 4), vld1q_s64(whole + 6)}};
}

SJ_INLINE f64 low(f32 x) {
  return {{vcvt_f64_f32(vget_low_f32(x.v[0])), vcvt_high_f64_f32(x.v[0]), vcvt_f64_f32(vget_low_f32(x.v[1])),
           vcvt_high_f64_f32(x.v[1])}};
}
SJ_INLINE f64 high(f32 x) {
  return {{vcvt_f64_f32(vget_low_f32(x.v[2])), vcvt_high_f64_f32(x.v[2]), vcvt_f64_f32(vget_low_f32(x.v[3])),
           vcvt_high_f64_f32(x.v[3])}};
}
SJ_INLINE float32x4_t narrow(float64x2_t a, float64x2_t b) { return vcvt_high_f32_f64(vcvt_f32_f64(a), b); }
SJ_INLINE f32 join(f64 lo, f64 hi) {
  return {{narrow(lo.v[0], lo.v[1]), narrow(lo.v[2], lo.v[3]), narrow(hi.v[0], hi.v[1]), narrow(hi.v[2], hi.v[3])}};
}

SJ_INLINE float sum(f32 x) {
  const float32x4_t a = vaddq_f32(vaddq_f32(x.v[0], x.v[2]), vaddq_f32(x.v[1], x.v[3]));
  const float32x2_t b = vadd_f32(vget_low_f32(a), vget_high_f32(a));
  return vget_lane_f32(b, 0) + vget_lane_f32(b, 1);
}

#undef SJ_ONE
#undef SJ_TWO
#undef SJ_THREE

}  // namespace scrubjay::SJ_ISA

#include "lanes/block.hpp"
