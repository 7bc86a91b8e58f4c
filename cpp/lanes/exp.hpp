// exp, 2^x and 2^x - 1 in lanes, from fused multiply-adds alone, so that every ISA gives the same bits.
//
// x = n ln 2 + r (2^x: x = n + r, in float64 n in eighths with a table of the eighth roots of 2); a minimax polynomial
// in r; the exponent by scale(), which rounds once even into the subnormals. NaN gives NaN.
#pragma once

namespace scrubjay::SJ_ISA {

// e^x in float32, within 1 ulp and monotone over all x (tests/kernels/test_exp.py); 0 below -104, infinity above 88.73.
// n is chosen so that e^r is in [3/4, 3/2]: then neither r nor e^r - 1 has a last bit of weight beside the result's.
// The last steps are r + r^2 q and 1 + s: each rounds something that rises with x.
SJ_INLINE f32 exp(f32 x) {
  const f32 magic = set(0x1.8p23f);
  const f32 kept = min(set(89.0f), max(set(-104.0f), x));
  const f32 n = sub(add(fma(kept, set(0x1.715476p+0f), set(-0x1.5c01a4p-4f)), magic), magic);
  f32 r = fma(n, set(-0x1.62e4p-1f), kept);
  r = fma(n, set(-0x1.7f7d1cp-20f), r);
  f32 q = set(0x1.80114ep-10f);
  q = fma(q, r, set(0x1.11f21ep-7f));
  q = fma(q, r, set(0x1.554398p-5f));
  q = fma(q, r, set(0x1.5554d6p-3f));
  q = fma(q, r, set(0x1.000006p-1f));
  return scale(add(set(1.0f), fma(mul(r, r), q, r)), n);
}

// e^-x for x >= 0, with the bits of exp(-x) and fewer operations: the same steps with the signs turned.
SJ_INLINE f32 exp_minus(f32 x) {
  const f32 magic = set(0x1.8p23f);
  const f32 kept = min(set(104.0f), x);
  const f32 n = sub(add(fma(kept, set(-0x1.715476p+0f), set(-0x1.5c01a4p-4f)), magic), magic);
  f32 r = fma(n, set(0x1.62e4p-1f), kept);
  r = fma(n, set(0x1.7f7d1cp-20f), r);
  f32 q = set(-0x1.80114ep-10f);
  q = fma(q, r, set(0x1.11f21ep-7f));
  q = fma(q, r, set(-0x1.554398p-5f));
  q = fma(q, r, set(0x1.5554d6p-3f));
  q = fma(q, r, set(-0x1.000006p-1f));
  return scale(sub(set(1.0f), fma(mul(r, r), q, r)), n);
}

// What 2^x is made of: 2^x = root (1 + excess) 2^floor(exponent). |x| <= 200 (float32), 1900 (float64).
struct Parts32 {
  f32 excess, exponent;
};
struct Parts64 {
  f64 excess, exponent, root;
};

SJ_INLINE Parts32 exp2_parts(f32 x) {
  const f32 magic = set(0x1.8p23f);
  const f32 n = sub(add(x, magic), magic), r = sub(x, n);
  f32 p = set(0x1.41fbc8p-13f);
  p = fma(p, r, set(0x1.5f3e52p-10f));
  p = fma(p, r, set(0x1.3b2d4cp-7f));
  p = fma(p, r, set(0x1.c6aee8p-5f));
  p = fma(p, r, set(0x1.ebfbdcp-3f));
  p = fma(p, r, set(0x1.62e430p-1f));
  return {mul(p, r), n};
}

alignas(64) static constexpr double ROOTS[8] = {
    0x1.0000000000000p+0, 0x1.172b83c7d517bp+0, 0x1.306fe0a31b715p+0, 0x1.4bfdad5362a27p+0,
    0x1.6a09e667f3bcdp+0, 0x1.8ace5422aa0dbp+0, 0x1.ae89f995ad3adp+0, 0x1.d5818dcfba487p+0};

// x nearly a whole number of eighths: `shifted` holds that number in its low bits, `r` is the rest.
SJ_INLINE Parts64 exp2_parts(f64 shifted, f64 r) {
  // In pairs, for a short chain of dependent operations.
  const f64 r2 = mul(r, r);
  const f64 p12 = fma(set64(0x1.c6b08d70495efp-5), r, set64(0x1.ebfbdff82c797p-3));
  const f64 p34 = fma(set64(0x1.5d87fea145a30p-10), r, set64(0x1.3b2ab6ef4d48fp-7));
  const f64 p56 = fma(set64(0x1.ffc45ed88fe0ap-17), r, set64(0x1.430e65c52defap-13));
  const f64 p = fma(fma(fma(p56, r2, p34), r2, p12), r, set64(0x1.62e42fefa39efp-1));
  return {mul(p, r), mul(sub(shifted, set64(0x1.8p52)), set64(0.125)), pick(ROOTS, bits(shifted))};
}
SJ_INLINE f64 in_eighths(f64 x) { return fma(x, set64(8.0), set64(0x1.8p52)); }
SJ_INLINE f64 past_eighths(f64 x, f64 shifted) { return fma(sub(shifted, set64(0x1.8p52)), set64(-0.125), x); }
SJ_INLINE Parts64 exp2_parts(f64 x) {
  const f64 shifted = in_eighths(x);
  return exp2_parts(shifted, past_eighths(x, shifted));
}

SJ_INLINE f32 joined(Parts32 p) { return scale(add(set(1.0f), p.excess), p.exponent); }
SJ_INLINE f64 joined(Parts64 p) { return scale(fma(p.root, p.excess, p.root), p.exponent); }

// 2^x within 2 ulp, for |x| <= 200 (float32) or 1900 (float64): the core of the powers.
SJ_INLINE f32 exp2_near(f32 x) { return joined(exp2_parts(x)); }
SJ_INLINE f64 exp2_near(f64 x) { return joined(exp2_parts(x)); }

// 2^x within 2 ulp, for all x.
SJ_INLINE f32 exp2(f32 x) { return exp2_near(min(set(130.0f), max(set(-160.0f), x))); }
SJ_INLINE f64 exp2(f64 x) { return exp2_near(min(set64(1100.0), max(set64(-1200.0), x))); }

// 2^x - 1 without cancellation near 0, for x in [-200, 100] (float32) or [-1900, 1000] (float64).
SJ_INLINE f32 exp2m1(f32 x) {
  const Parts32 p = exp2_parts(x);
  const f32 one = set(1.0f), power = scale(one, p.exponent);
  return fma(power, p.excess, sub(power, one));
}
SJ_INLINE f64 exp2m1(f64 x) {
  const Parts64 p = exp2_parts(x);
  const f64 power = scale(p.root, p.exponent);
  return fma(power, p.excess, sub(power, set64(1.0)));
}

// e^x in float64, within 2 ulp; 0 below -745.2, infinity above 709.8. The product x log2 e is taken in two parts.
SJ_INLINE f64 exp(f64 x) {
  const f64 log2e = set64(0x1.71547652b82fep+0);
  const f64 kept = min(set64(750.0), max(set64(-800.0), x));
  const f64 y = mul(kept, log2e), shifted = in_eighths(y);
  const f64 tail = fma(kept, set64(0x1.777d0ffda0d24p-56), fma(kept, log2e, sub(set64(0.0), y)));
  return joined(exp2_parts(shifted, add(past_eighths(y, shifted), tail)));
}

}  // namespace scrubjay::SJ_ISA
