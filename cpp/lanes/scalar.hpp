// The words of lanes/README.md in plain C++: what runs where nothing wider does, and what the wide ones must equal.
#pragma once

#include "kernels.hpp"

#define SJ_INLINE [[gnu::always_inline]] static inline

namespace scrubjay::SJ_ISA {

struct f32 {
  float v[16];
};
struct f64 {
  double v[8];
};
struct i32 {
  int v[16];
};
struct mask {
  bool v[16];
};
struct mask64 {
  bool v[8];
};

#define SJ_EACH(n) for (int i = 0; i < (n); ++i)

SJ_INLINE f32 load(const float* p) {
  f32 r;
  SJ_EACH(16) r.v[i] = p[i];
  return r;
}
SJ_INLINE f32 load(const float* p, long n) {
  f32 r;
  SJ_EACH(16) r.v[i] = i < n ? p[i] : 0.0f;
  return r;
}
SJ_INLINE void store(float* p, f32 x) { SJ_EACH(16) p[i] = x.v[i]; }
SJ_INLINE void store(float* p, f32 x, long n) { SJ_EACH(n) p[i] = x.v[i]; }
SJ_INLINE f64 load(const double* p) {
  f64 r;
  SJ_EACH(8) r.v[i] = p[i];
  return r;
}
SJ_INLINE f64 load(const double* p, long n) {
  f64 r;
  SJ_EACH(8) r.v[i] = i < n ? p[i] : 0.0;
  return r;
}
SJ_INLINE void store(double* p, f64 x) { SJ_EACH(8) p[i] = x.v[i]; }
SJ_INLINE void store(double* p, f64 x, long n) { SJ_EACH(n) p[i] = x.v[i]; }

SJ_INLINE f32 set(float v) {
  f32 r;
  SJ_EACH(16) r.v[i] = v;
  return r;
}
SJ_INLINE f64 set64(double v) {
  f64 r;
  SJ_EACH(8) r.v[i] = v;
  return r;
}
SJ_INLINE i32 seti(int v) {
  i32 r;
  SJ_EACH(16) r.v[i] = v;
  return r;
}

#define SJ_UNARY(word, expr32, expr64)  \
  SJ_INLINE f32 word(f32 a) {           \
    SJ_EACH(16) a.v[i] = expr32(a.v[i]); \
    return a;                           \
  }                                     \
  SJ_INLINE f64 word(f64 a) {           \
    SJ_EACH(8) a.v[i] = expr64(a.v[i]);  \
    return a;                           \
  }
#define SJ_BINARY(word, expr)                    \
  SJ_INLINE f32 word(f32 x, f32 y) {             \
    SJ_EACH(16) {                                \
      const float a = x.v[i], b = y.v[i];        \
      x.v[i] = (expr);                           \
    }                                            \
    return x;                                    \
  }                                              \
  SJ_INLINE f64 word(f64 x, f64 y) {             \
    SJ_EACH(8) {                                 \
      const double a = x.v[i], b = y.v[i];       \
      x.v[i] = (expr);                           \
    }                                            \
    return x;                                    \
  }
#define SJ_COMPARE(word, op)                                 \
  SJ_INLINE mask word(f32 a, f32 b) {                        \
    mask r;                                                  \
    SJ_EACH(16) r.v[i] = a.v[i] op b.v[i];                   \
    return r;                                                \
  }                                                          \
  SJ_INLINE mask64 word(f64 a, f64 b) {                      \
    mask64 r;                                                \
    SJ_EACH(8) r.v[i] = a.v[i] op b.v[i];                    \
    return r;                                                \
  }

SJ_BINARY(add, a + b)
SJ_BINARY(sub, a - b)
SJ_BINARY(mul, a * b)
SJ_BINARY(div, a / b)
SJ_BINARY(min, a < b ? a : b)
SJ_BINARY(max, a > b ? a : b)
SJ_UNARY(abs, __builtin_fabsf, __builtin_fabs)
SJ_UNARY(sqrt, __builtin_sqrtf, __builtin_sqrt)
SJ_COMPARE(lt, <)
SJ_COMPARE(le, <=)

SJ_INLINE f32 fma(f32 a, f32 b, f32 c) {
  SJ_EACH(16) a.v[i] = __builtin_fmaf(a.v[i], b.v[i], c.v[i]);
  return a;
}
SJ_INLINE f64 fma(f64 a, f64 b, f64 c) {
  SJ_EACH(8) a.v[i] = __builtin_fma(a.v[i], b.v[i], c.v[i]);
  return a;
}
SJ_INLINE f32 select(mask m, f32 a, f32 b) {
  SJ_EACH(16) a.v[i] = m.v[i] ? a.v[i] : b.v[i];
  return a;
}
SJ_INLINE f64 select(mask64 m, f64 a, f64 b) {
  SJ_EACH(8) a.v[i] = m.v[i] ? a.v[i] : b.v[i];
  return a;
}
SJ_INLINE mask both(mask a, mask b) {
  SJ_EACH(16) a.v[i] = a.v[i] && b.v[i];
  return a;
}
SJ_INLINE bool any(mask m) {
  bool r = false;
  SJ_EACH(16) r |= m.v[i];
  return r;
}

SJ_INLINE f32 nearest(f32 x) {
  SJ_EACH(16) x.v[i] = __builtin_nearbyintf(x.v[i]);
  return x;
}
SJ_INLINE f32 pow2(f32 n) {
  SJ_EACH(16) {
    const unsigned bits = static_cast<unsigned>(static_cast<int>(n.v[i]) + 127) << 23;
    __builtin_memcpy(&n.v[i], &bits, sizeof bits);
  }
  return n;
}

SJ_INLINE f64 low(f32 x) {
  f64 r;
  SJ_EACH(8) r.v[i] = x.v[i];
  return r;
}
SJ_INLINE f64 high(f32 x) {
  f64 r;
  SJ_EACH(8) r.v[i] = x.v[i + 8];
  return r;
}
SJ_INLINE f32 join(f64 lo, f64 hi) {
  f32 r;
  SJ_EACH(8) r.v[i] = static_cast<float>(lo.v[i]);
  SJ_EACH(8) r.v[i + 8] = static_cast<float>(hi.v[i]);
  return r;
}

SJ_INLINE float sum(f32 x) {
  for (int width = 8; width > 0; width /= 2) SJ_EACH(width) x.v[i] = x.v[i] + x.v[i + width];
  return x.v[0];
}

#undef SJ_UNARY
#undef SJ_BINARY
#undef SJ_COMPARE

}  // namespace scrubjay::SJ_ISA
