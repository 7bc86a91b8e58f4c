// exp(x) for float32 lanes, for x in [-104, 88]; below that 0, NaN for NaN.
//
// x = n ln 2 + r with |r| <= ln 2 / 2; a polynomial for exp(r), then the exponent in two steps so that subnormals round
// once. Written with fused multiply-adds, so the bits are equal on every ISA.
#pragma once

namespace scrubjay::SJ_ISA {

SJ_INLINE f32 exp(f32 x) {
  const f32 clipped = max(set(-104.0f), min(set(88.0f), x));
  const f32 n = nearest(mul(clipped, set(1.44269504f)));
  f32 r = fma(n, set(-0.693145752f), clipped);
  r = fma(n, set(-1.42860677e-6f), r);
  f32 p = set(1.98412698e-4f);
  p = fma(p, r, set(1.38888889e-3f));
  p = fma(p, r, set(8.33333333e-3f));
  p = fma(p, r, set(4.16666667e-2f));
  p = fma(p, r, set(1.66666667e-1f));
  p = fma(p, r, set(0.5f));
  p = fma(p, r, set(1.0f));
  p = fma(p, r, set(1.0f));
  const f32 half = nearest(mul(n, set(0.5f)));
  const f32 y = mul(mul(p, pow2(half)), pow2(sub(n, half)));
  return select(lt(x, set(-104.0f)), set(0.0f), select(le(x, x), y, x));
}

}  // namespace scrubjay::SJ_ISA
