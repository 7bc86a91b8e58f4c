// The words of lanes/README.md in generic vectors of 16 bytes: what runs where nothing wider does, and what the wide
// ones must equal. The compiler maps them to whatever the baseline has.
#pragma once

#include "kernels.hpp"

#define SJ_INLINE [[gnu::always_inline]] static inline

namespace scrubjay::SJ_ISA {

using float4 = float __attribute__((vector_size(16)));
using double2 = double __attribute__((vector_size(16)));
using int4 = int __attribute__((vector_size(16)));
using long2 = long long __attribute__((vector_size(16)));
using unsigned4 = unsigned __attribute__((vector_size(16)));
using unsigned2 = unsigned long long __attribute__((vector_size(16)));

struct f32 {
  float4 v[4];
};
struct f64 {
  double2 v[4];
};
struct i32 {
  int4 v[4];
};
struct i64 {
  long2 v[4];
};
struct mask {
  int4 v[4];
};
struct mask64 {
  long2 v[4];
};

template <class B, class T>
SJ_INLINE B load_block(const T* p) {
  B r;
  __builtin_memcpy(&r, p, sizeof r);
  return r;
}
template <class B, class T>
SJ_INLINE B load_some(const T* p, long n) {
  T whole[sizeof(B) / sizeof(T)] = {};
  for (long i = 0; i < n; ++i) whole[i] = p[i];
  return load_block<B>(whole);
}
template <class B, class T>
SJ_INLINE void store_some(T* p, B x, long n) {
  T whole[sizeof(B) / sizeof(T)];
  __builtin_memcpy(whole, &x, sizeof x);
  for (long i = 0; i < n; ++i) p[i] = whole[i];
}
template <class To, class From>
SJ_INLINE To recast(From x) {
  static_assert(sizeof(To) == sizeof(From));
  To r;
  __builtin_memcpy(&r, &x, sizeof r);
  return r;
}
SJ_INLINE f32 load(const float* p) { return load_block<f32>(p); }
SJ_INLINE f32 load(const float* p, long n) { return load_some<f32>(p, n); }
SJ_INLINE void store(float* p, f32 x) { __builtin_memcpy(p, &x, sizeof x); }
SJ_INLINE void store(float* p, f32 x, long n) { store_some(p, x, n); }
SJ_INLINE f64 load(const double* p) { return load_block<f64>(p); }
SJ_INLINE f64 load(const double* p, long n) { return load_some<f64>(p, n); }
SJ_INLINE void store(double* p, f64 x) { __builtin_memcpy(p, &x, sizeof x); }
SJ_INLINE void store(double* p, f64 x, long n) { store_some(p, x, n); }

SJ_INLINE f32 set(float v) {
  const float4 x = {v, v, v, v};
  return {{x, x, x, x}};
}
SJ_INLINE f64 set64(double v) {
  const double2 x = {v, v};
  return {{x, x, x, x}};
}
SJ_INLINE i32 seti(int v) {
  const int4 x = {v, v, v, v};
  return {{x, x, x, x}};
}
SJ_INLINE i64 seti64(long long v) {
  const long2 x = {v, v};
  return {{x, x, x, x}};
}

// A function of one or two blocks, register by register; a word that is an operator.
#define SJ_ONE(f, a) {{f((a).v[0]), f((a).v[1]), f((a).v[2]), f((a).v[3])}}
#define SJ_TWO(f, a, b) {{f((a).v[0], (b).v[0]), f((a).v[1], (b).v[1]), f((a).v[2], (b).v[2]), f((a).v[3], (b).v[3])}}
#define SJ_OPERATOR(word, block, out, op) \
  SJ_INLINE out word(block a, block b) {  \
    return {{a.v[0] op b.v[0], a.v[1] op b.v[1], a.v[2] op b.v[2], a.v[3] op b.v[3]}}; \
  }

#define SJ_REAL(block, flags)            \
  SJ_OPERATOR(add, block, block, +)      \
  SJ_OPERATOR(sub, block, block, -)      \
  SJ_OPERATOR(mul, block, block, *)      \
  SJ_OPERATOR(div, block, block, /)      \
  SJ_OPERATOR(lt, block, flags, <)       \
  SJ_OPERATOR(le, block, flags, <=)      \
  SJ_OPERATOR(eq, block, flags, ==)      \
  SJ_OPERATOR(both, flags, flags, &)     \
  SJ_OPERATOR(either, flags, flags, |)   \
  SJ_OPERATOR(unless, flags, flags, & ~) \
  SJ_INLINE block select(flags m, block a, block b) {                       \
    return {{m.v[0] ? a.v[0] : b.v[0], m.v[1] ? a.v[1] : b.v[1],            \
             m.v[2] ? a.v[2] : b.v[2], m.v[3] ? a.v[3] : b.v[3]}};          \
  }                                                                         \
  SJ_INLINE block min(block a, block b) { return select(lt(a, b), a, b); }  \
  SJ_INLINE block max(block a, block b) { return select(lt(b, a), a, b); }
SJ_REAL(f32, mask)
SJ_REAL(f64, mask64)

SJ_INLINE bool any(mask m) {
  const int4 all = m.v[0] | m.v[1] | m.v[2] | m.v[3];
  return (all[0] | all[1] | all[2] | all[3]) != 0;
}
SJ_INLINE bool any(mask64 m) {
  const long2 all = m.v[0] | m.v[1] | m.v[2] | m.v[3];
  return (all[0] | all[1]) != 0;
}

// Lane by lane and out of line: where the baseline lacks the instruction, each is a correctly rounded call to the C
// library.
#define SJ_EACH(word, T, n, expr)                          \
  [[gnu::noinline]] static void word##_each(T* a) {        \
    for (int i = 0; i < (n); ++i) a[i] = expr(a[i]);       \
  }
#define SJ_BY_LANE(word, block, T, n) \
  SJ_INLINE block word(block x) {     \
    T lanes[n];                       \
    store(lanes, x);                  \
    word##_each(lanes);               \
    return load(lanes);               \
  }
SJ_EACH(nearest, float, 16, __builtin_nearbyintf)
SJ_EACH(nearest, double, 8, __builtin_nearbyint)
SJ_EACH(sqrt, float, 16, __builtin_sqrtf)
SJ_EACH(sqrt, double, 8, __builtin_sqrt)
SJ_BY_LANE(nearest, f32, float, 16)
SJ_BY_LANE(nearest, f64, double, 8)
SJ_BY_LANE(sqrt, f32, float, 16)
SJ_BY_LANE(sqrt, f64, double, 8)

[[gnu::noinline]] static void fma_each(float* a, const float* b, const float* c) {
  for (int i = 0; i < 16; ++i) a[i] = __builtin_fmaf(a[i], b[i], c[i]);
}
[[gnu::noinline]] static void fma_each(double* a, const double* b, const double* c) {
  for (int i = 0; i < 8; ++i) a[i] = __builtin_fma(a[i], b[i], c[i]);
}
SJ_INLINE f32 fma(f32 a, f32 b, f32 c) {
  float x[16], y[16], z[16];
  store(x, a);
  store(y, b);
  store(z, c);
  fma_each(x, y, z);
  return load(x);
}
SJ_INLINE f64 fma(f64 a, f64 b, f64 c) {
  double x[8], y[8], z[8];
  store(x, a);
  store(y, b);
  store(z, c);
  fma_each(x, y, z);
  return load(x);
}

SJ_INLINE i32 bits(f32 x) { return recast<i32>(x); }
SJ_INLINE f32 real(i32 x) { return recast<f32>(x); }
SJ_INLINE i64 bits(f64 x) { return recast<i64>(x); }
SJ_INLINE f64 real(i64 x) { return recast<f64>(x); }

// Whole numbers wrap around, so they are unsigned while they are added and shifted.
SJ_INLINE int4 add4(int4 a, int4 b) { return recast<int4>(recast<unsigned4>(a) + recast<unsigned4>(b)); }
SJ_INLINE int4 sub4(int4 a, int4 b) { return recast<int4>(recast<unsigned4>(a) - recast<unsigned4>(b)); }
SJ_INLINE long2 add2(long2 a, long2 b) { return recast<long2>(recast<unsigned2>(a) + recast<unsigned2>(b)); }
SJ_INLINE long2 sub2(long2 a, long2 b) { return recast<long2>(recast<unsigned2>(a) - recast<unsigned2>(b)); }
template <int k>
SJ_INLINE int4 shl4(int4 x) { return recast<int4>(recast<unsigned4>(x) << k); }
template <int k>
SJ_INLINE int4 shr4(int4 x) { return recast<int4>(recast<unsigned4>(x) >> k); }
template <int k>
SJ_INLINE long2 shl2(long2 x) { return recast<long2>(recast<unsigned2>(x) << k); }
template <int k>
SJ_INLINE long2 shr2(long2 x) { return recast<long2>(recast<unsigned2>(x) >> k); }
SJ_INLINE i32 add(i32 a, i32 b) { return SJ_TWO(add4, a, b); }
SJ_INLINE i32 sub(i32 a, i32 b) { return SJ_TWO(sub4, a, b); }
SJ_INLINE i64 add(i64 a, i64 b) { return SJ_TWO(add2, a, b); }
SJ_INLINE i64 sub(i64 a, i64 b) { return SJ_TWO(sub2, a, b); }
SJ_OPERATOR(andi, i32, i32, &)
SJ_OPERATOR(ori, i32, i32, |)
SJ_OPERATOR(andi, i64, i64, &)
SJ_OPERATOR(ori, i64, i64, |)
template <int k>
SJ_INLINE i32 shl(i32 x) { return SJ_ONE(shl4<k>, x); }
template <int k>
SJ_INLINE i32 shr(i32 x) { return SJ_ONE(shr4<k>, x); }
template <int k>
SJ_INLINE i64 shl(i64 x) { return SJ_ONE(shl2<k>, x); }
template <int k>
SJ_INLINE i64 shr(i64 x) { return SJ_ONE(shr2<k>, x); }

SJ_INLINE f32 abs(f32 a) { return real(andi(bits(a), seti(0x7fffffff))); }
SJ_INLINE f64 abs(f64 a) { return real(andi(bits(a), seti64(0x7fffffffffffffff))); }

[[gnu::noinline]] static void pick_each(const float* table, int* index) {
  for (int i = 0; i < 16; ++i) __builtin_memcpy(index + i, table + (index[i] & 15), sizeof(float));
}
[[gnu::noinline]] static void pick_each(const double* table, long long last, long long* index) {
  for (int i = 0; i < 8; ++i) __builtin_memcpy(index + i, table + (index[i] & last), sizeof(double));
}
SJ_INLINE f32 pick(const float (&table)[16], i32 index) {
  int lanes[16];
  __builtin_memcpy(lanes, &index, sizeof lanes);
  pick_each(table, lanes);
  return load_block<f32>(lanes);
}
template <int n>
SJ_INLINE f64 pick(const double (&table)[n], i64 index) {
  long long lanes[8];
  __builtin_memcpy(lanes, &index, sizeof lanes);
  pick_each(table, n - 1, lanes);
  return load_block<f64>(lanes);
}
SJ_INLINE i32 load32(const unsigned char* p) {
  int lanes[16];
  for (int i = 0; i < 16; ++i) lanes[i] = p[i];
  return load_block<i32>(lanes);
}
SJ_INLINE i64 load64(const unsigned char* p) {
  long long lanes[8];
  for (int i = 0; i < 8; ++i) lanes[i] = p[i];
  return load_block<i64>(lanes);
}

SJ_INLINE f32 pow2(f32 n) {
  float lanes[16];
  store(lanes, n);
  for (int i = 0; i < 16; ++i) {
    const unsigned e = static_cast<unsigned>(static_cast<int>(lanes[i]) + 127) << 23;
    __builtin_memcpy(lanes + i, &e, sizeof e);
  }
  return load(lanes);
}

// The floor of a value in [-2000, 2000]; 0 outside of it and for NaN.
SJ_INLINE int whole(double n) {
  if (!(n >= -2000.0 && n <= 2000.0)) return 0;
  const int cut = static_cast<int>(n);
  return cut - (static_cast<double>(cut) > n);
}
// x 2^floor(n) by two powers: the first product is exact, so the second rounds once.
[[gnu::noinline]] static void scale_each(float* x, const float* n) {
  for (int i = 0; i < 16; ++i) {
    const int e = whole(n[i]), half = e >> 1;
    const int powers[2] = {(half + 127) << 23, (e - half + 127) << 23};
    float by[2];
    __builtin_memcpy(by, powers, sizeof by);
    x[i] = x[i] * by[0] * by[1];
  }
}
[[gnu::noinline]] static void scale_each(double* x, const double* n) {
  for (int i = 0; i < 8; ++i) {
    const long long e = whole(n[i]), half = e >> 1;
    const long long powers[2] = {(half + 1023) << 52, (e - half + 1023) << 52};
    double by[2];
    __builtin_memcpy(by, powers, sizeof by);
    x[i] = x[i] * by[0] * by[1];
  }
}
SJ_INLINE f32 scale(f32 x, f32 n) {
  float a[16], b[16];
  store(a, x);
  store(b, n);
  scale_each(a, b);
  return load(a);
}
SJ_INLINE f64 scale(f64 x, f64 n) {
  double a[8], b[8];
  store(a, x);
  store(b, n);
  scale_each(a, b);
  return load(a);
}

SJ_INLINE f64 widen(const float* p) {
  double lanes[8];
  for (int i = 0; i < 8; ++i) lanes[i] = p[i];
  return load(lanes);
}
SJ_INLINE f64 low(f32 x) {
  float lanes[16];
  store(lanes, x);
  return widen(lanes);
}
SJ_INLINE f64 high(f32 x) {
  float lanes[16];
  store(lanes, x);
  return widen(lanes + 8);
}
SJ_INLINE f32 join(f64 lo, f64 hi) {
  double wide[16];
  store(wide, lo);
  store(wide + 8, hi);
  float lanes[16];
  for (int i = 0; i < 16; ++i) lanes[i] = static_cast<float>(wide[i]);
  return load(lanes);
}

SJ_INLINE float sum(f32 x) {
  const float4 a = (x.v[0] + x.v[2]) + (x.v[1] + x.v[3]);
  return (a[0] + a[2]) + (a[1] + a[3]);
}

#undef SJ_ONE
#undef SJ_TWO
#undef SJ_OPERATOR
#undef SJ_REAL
#undef SJ_EACH
#undef SJ_BY_LANE

}  // namespace scrubjay::SJ_ISA

#include "lanes/block.hpp"
