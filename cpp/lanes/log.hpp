// Logarithms and powers in lanes, from fused multiply-adds alone, so that every ISA gives the same bits.
//
// x = 2^k z with z in [43/64, 43/32); c from a table of 16 reciprocals with few bits, so that r = z c - 1 is (nearly)
// exact and |r| <= 1/30; log x = k log 2 - log c + a minimax polynomial in r. The table's cell around 1 has c = 1: no
// cancellation there; its neighbours, where there is some, have a c of so few bits that r is exact.
#pragma once

namespace scrubjay::SJ_ISA {

alignas(64) static constexpr float RECIPROCALS32[16] = {
    0x1.74p+0f, 0x1.64p+0f, 0x1.55p+0f, 0x1.48p+0f, 0x1.3bp+0f, 0x1.2fp+0f, 0x1.25p+0f, 0x1.1ap+0f,
    0x1.11p+0f, 0x1.08p+0f, 0x1.00p+0f, 0x1.e0p-1f, 0x1.c8p-1f, 0x1.b0p-1f, 0x1.9ap-1f, 0x1.86p-1f};
alignas(64) static constexpr double RECIPROCALS64[16] = {
    0x1.74p+0, 0x1.64p+0, 0x1.55p+0, 0x1.48p+0, 0x1.3bp+0, 0x1.2fp+0, 0x1.25p+0, 0x1.1ap+0,
    0x1.11p+0, 0x1.08p+0, 0x1.00p+0, 0x1.e0p-1, 0x1.c8p-1, 0x1.b0p-1, 0x1.9ap-1, 0x1.86p-1};
// -log2(c), the same as a multiple of 2^-41 and the rest; -ln(c) as a multiple of 2^-16 and the rest.
alignas(64) static constexpr double LOG2S64[16] = {
    -0x1.140c9faa1e544p-1, -0x1.e726aa1e754d2p-2, -0x1.a78e146f7bef4p-2, -0x1.6e221cd9d0cdep-2,
    -0x1.32639636b2836p-2, -0x1.f205339208f27p-3, -0x1.8edcae8352b6cp-3, -0x1.1dcd197552b7bp-3,
    -0x1.7beee96b8a281p-4, -0x1.6bad3758efd87p-5, 0x0.0p+0,              0x1.7d60496cfbb4cp-4,
    0x1.563dc29ffacb2p-3,  0x1.f5fd8a9063e35p-3,  0x1.48365e695d797p-2,  0x1.921800924dd3bp-2};
alignas(64) static constexpr double LOG2S_HIGH[16] = {
    -0x1.140c9faa1ep-1, -0x1.e726aa1e76p-2, -0x1.a78e146f7cp-2, -0x1.6e221cd9dp-2,
    -0x1.32639636b2p-2, -0x1.f205339208p-3, -0x1.8edcae8354p-3, -0x1.1dcd197554p-3,
    -0x1.7beee96b88p-4, -0x1.6bad3758fp-5,  0x0.0p+0,           0x1.7d60496cf8p-4,
    0x1.563dc29ffcp-3,  0x1.f5fd8a9064p-3,  0x1.48365e695ep-2,  0x1.921800924ep-2};
alignas(64) static constexpr double LOG2S_LOW[16] = {
    -0x1.50e785694a8c6p-43, 0x1.65be75cc3da17p-43,  0x1.0bad7dfa568f7p-46,  -0x1.9bcaf1aa4168ap-43,
    -0x1.06b35c7c781dbp-43, -0x1.e4e8eea54ce63p-44, 0x1.4944a32bde66bp-43,  0x1.484a15babcf88p-43,
    -0x1.1409e20d7191bp-43, 0x1.3c6764fc87b4ap-48,  0x0.0p+0,               0x1.da6339da288fcp-43,
    -0x1.34df378df21adp-43, -0x1.cb6f70109b0f1p-47, -0x1.0d2abacfc0489p-43, -0x1.62404772a151dp-45};
alignas(64) static constexpr float LOG2S32[16] = {
    -0x1.140ca0p-1f, -0x1.e726aap-2f, -0x1.a78e14p-2f, -0x1.6e221cp-2f, -0x1.326396p-2f, -0x1.f20534p-3f,
    -0x1.8edcaep-3f, -0x1.1dcd1ap-3f, -0x1.7beeeap-4f, -0x1.6bad38p-5f, 0x0.0p+0f,       0x1.7d604ap-4f,
    0x1.563dc2p-3f,  0x1.f5fd8ap-3f,  0x1.48365ep-2f,  0x1.9218p-2f};
alignas(64) static constexpr float LOGS_HIGH[16] = {
    -0x1.7ebp-2f, -0x1.51acp-2f, -0x1.2598p-2f, -0x1.fb9p-3f, -0x1.a8cp-3f,  -0x1.593p-3f,  -0x1.1478p-3f, -0x1.8c3p-4f,
    -0x1.076p-4f, -0x1.f84p-6f,  0x0.0p+0f,     0x1.086p-4f,  0x1.da7p-4f,   0x1.5bf8p-3f,  0x1.c7p-3f,    0x1.16b4p-2f};
alignas(64) static constexpr float LOGS_LOW[16] = {
    0x1.f11f54p-20f,  0x1.278d20p-18f, 0x1.fef208p-18f, -0x1.86d5e4p-19f, 0x1.30377ep-19f, -0x1.c6ccc2p-18f,
    -0x1.6119d0p-21f, -0x1.1758c6p-18f, 0x1.9f299cp-18f, 0x1.64f188p-18f,  0x0.0p+0f,       -0x1.9d2988p-18f,
    0x1.3b1c22p-19f,  -0x1.fca55ep-18f, -0x1.0e43fcp-21f, 0x1.ccbad0p-18f};

// x = 2^k z for normal x > 0, and the table cell of z in the low bits of `cell`.
struct Split32 {
  f32 z, k;
  i32 cell;
};
struct Split64 {
  f64 z, k;
  i64 cell;
};
SJ_INLINE Split32 split(f32 x) {
  const i32 t = add(bits(x), seti(0x40000000 - 0x3f2c0000));
  const f32 k = sub(real(ori(shr<23>(t), seti(0x4b000000))), set(0x1p23f + 128.0f));
  return {real(add(andi(t, seti(0x7fffff)), seti(0x3f2c0000))), k, shr<19>(t)};
}
SJ_INLINE Split64 split(f64 x) {
  const i64 t = add(bits(x), seti64(0x4000000000000000 - 0x3fe5800000000000));
  const f64 k = sub(real(ori(shr<52>(t), seti64(0x4330000000000000))), set64(0x1p52 + 1024.0));
  return {real(add(andi(t, seti64(0xfffffffffffff)), seti64(0x3fe5800000000000))), k, shr<48>(t)};
}

// log2 of a normal x > 0, within 2 ulp: the core of the powers, without the special cases.
SJ_INLINE f32 log2_normal(f32 x) {
  const Split32 s = split(x);
  const f32 r = fma(s.z, pick(RECIPROCALS32, s.cell), set(-1.0f));
  f32 p = set(0x1.290e34p-2f);
  p = fma(p, r, set(-0x1.71a5c8p-2f));
  p = fma(p, r, set(0x1.ec7054p-2f));
  p = fma(p, r, set(-0x1.715474p-1f));
  p = fma(p, r, set(0x1.715476p+0f));
  return fma(p, r, add(s.k, pick(LOG2S32, s.cell)));
}
SJ_INLINE f64 log2_normal(f64 x) {
  const Split64 s = split(x);
  const f64 r = fma(s.z, pick(RECIPROCALS64, s.cell), set64(-1.0));
  // In pairs, for a short chain of dependent operations; the first terms one by one, for their last bits.
  const f64 r2 = mul(r, r), r4 = mul(r2, r2);
  const f64 p12 = fma(set64(0x1.ec709dc39f2b3p-2), r, set64(-0x1.71547652b82cbp-1));
  const f64 p34 = fma(set64(0x1.2776c527bfabfp-2), r, set64(-0x1.71547653fb252p-2));
  const f64 p56 = fma(set64(0x1.a615f969bce92p-3), r, set64(-0x1.ec707b5b3132ep-3));
  const f64 p78 = fma(set64(0x1.4bad7c570ca99p-3), r, set64(-0x1.7202dbfcff7b6p-3));
  const f64 rest = fma(fma(p78, r2, p56), r4, fma(p34, r2, p12));
  const f64 p = fma(rest, r, set64(0x1.71547652b82fep+0));
  return fma(p, r, add(s.k, pick(LOG2S64, s.cell)));
}

// log2(1 + x) for x >= 0 without cancellation near 0: what 1 + x rounds away is added back (the slope there is log2 e).
SJ_INLINE f32 log2p1(f32 x) {
  const f32 one = set(1.0f), u = add(one, x);
  return fma(sub(x, sub(u, one)), set(0x1.715476p+0f), log2_normal(u));
}
SJ_INLINE f64 log2p1(f64 x) {
  const f64 one = set64(1.0), u = add(one, x);
  return fma(sub(x, sub(u, one)), set64(0x1.71547652b82fep+0), log2_normal(u));
}

// The rules at the edges: log 0 = -inf, log inf = inf, NaN below 0 and for NaN.
SJ_INLINE f32 log_edges(f32 x, f32 y) {
  const f32 zero = set(0.0f), infinite = set(__builtin_inff());
  y = select(eq(x, infinite), x, y);
  y = select(eq(x, zero), sub(zero, infinite), y);
  return select(le(zero, x), y, set(__builtin_nanf("")));
}
SJ_INLINE f64 log_edges(f64 x, f64 y) {
  const f64 zero = set64(0.0), infinite = set64(__builtin_inf());
  y = select(eq(x, infinite), x, y);
  y = select(eq(x, zero), sub(zero, infinite), y);
  return select(le(zero, x), y, set64(__builtin_nan("")));
}

// ln x in float32, within 1 ulp and monotone over all x >= 0 (tests/kernels/test_exp.py).
SJ_INLINE f32 log(f32 x) {
  const mask tiny = lt(x, set(0x1p-126f));
  const Split32 s = split(select(tiny, mul(x, set(0x1p24f)), x));
  const f32 k = select(tiny, sub(s.k, set(24.0f)), s.k);
  const f32 r = fma(s.z, pick(RECIPROCALS32, s.cell), set(-1.0f));
  f32 p = set(0x1.9b9f3ap-3f);
  p = fma(p, r, set(-0x1.00377ep-2f));
  p = fma(p, r, set(0x1.55552ep-2f));
  p = fma(p, r, set(-0x1.fffffcp-2f));
  // `high` is exact: k (a multiple of 2^-16) + (a multiple of 2^-16), below 128.
  const f32 high = fma(k, set(0x1.62e4p-1f), pick(LOGS_HIGH, s.cell));
  const f32 low = fma(k, set(0x1.7f7d1cp-20f), pick(LOGS_LOW, s.cell));
  // high + r without loss: |high| > |r| unless high is 0.
  const f32 whole = add(high, r), lost = sub(r, sub(whole, high));
  return log_edges(x, add(whole, add(lost, fma(mul(r, r), p, low))));
}

// log2 x, within 2 ulp, and ln x in float64, within 3 ulp, over all x >= 0.
SJ_INLINE f32 log2(f32 x) {
  const mask tiny = lt(x, set(0x1p-126f));
  const f32 y = log2_normal(select(tiny, mul(x, set(0x1p24f)), x));
  return log_edges(x, select(tiny, sub(y, set(24.0f)), y));
}
SJ_INLINE f64 log2(f64 x) {
  const mask64 tiny = lt(x, set64(0x1p-1022));
  const f64 y = log2_normal(select(tiny, mul(x, set64(0x1p54)), x));
  return log_edges(x, select(tiny, sub(y, set64(54.0)), y));
}
SJ_INLINE f64 log(f64 x) { return mul(log2(x), set64(0x1.62e42fefa39efp-1)); }

// log2 of a normal x > 0 in two parts, to 2^-62 of its value: for powers to the last bits.
struct Two64 {
  f64 high, low;
};
SJ_INLINE Two64 log2_parts(f64 x) {
  const Split64 s = split(x);
  const f64 r = fma(s.z, pick(RECIPROCALS64, s.cell), set64(-1.0)), r2 = mul(r, r), r4 = mul(r2, r2);
  const f64 p12 = fma(set64(0x1.ec709dc39f2b3p-2), r, set64(-0x1.71547652b82cbp-1));
  const f64 p34 = fma(set64(0x1.2776c527bfabfp-2), r, set64(-0x1.71547653fb252p-2));
  const f64 p56 = fma(set64(0x1.a615f969bce92p-3), r, set64(-0x1.ec707b5b3132ep-3));
  const f64 p78 = fma(set64(0x1.4bad7c570ca99p-3), r, set64(-0x1.7202dbfcff7b6p-3));
  const f64 rest = fma(fma(p78, r2, p56), r4, fma(p34, r2, p12));
  // r log2 e in two parts; k and the table's high part add up exactly; their sum is above r log2 e unless it is 0.
  const f64 log2e = set64(0x1.71547652b82fep+0), first = mul(r, log2e);
  const f64 first_low = fma(r, set64(0x1.777d0ffda0d24p-56), fma(r, log2e, sub(set64(0.0), first)));
  const f64 whole = add(s.k, pick(LOG2S_HIGH, s.cell)), high = add(whole, first);
  const f64 lost = sub(first, sub(high, whole));
  return {high, add(lost, fma(rest, r2, add(first_low, pick(LOG2S_LOW, s.cell))))};
}

// x^y for x >= 0 and finite y. float32: relative error at most (2 + |y log2 x|) ulp; float64: 2 ulp.
// 0^y is 0, 1, infinity by the sign of y, and the other way round for infinity.
SJ_INLINE f32 power(f32 x, f32 y) { return select(eq(y, set(0.0f)), set(1.0f), exp2(mul(y, log2(x)))); }
SJ_INLINE f64 power(f64 x, f64 y) {
  const f64 zero = set64(0.0), one = set64(1.0), infinite = set64(__builtin_inf());
  const mask64 tiny = lt(x, set64(0x1p-1022));
  const Two64 log = log2_parts(select(tiny, mul(x, set64(0x1p54)), x));
  const f64 high = select(tiny, sub(log.high, set64(54.0)), log.high);
  const f64 most = min(set64(1100.0), max(set64(-1200.0), mul(y, high)));
  const f64 low = fma(y, log.low, fma(y, high, sub(zero, most)));
  // Beyond 2^1100 and 2^-1200 the rest says nothing, and may be NaN.
  const f64 tail = select(lt(abs(low), one), low, zero), shifted = in_eighths(most);
  f64 z = joined(exp2_parts(shifted, add(past_eighths(most, shifted), tail)));
  const mask64 up = lt(zero, y);
  z = select(eq(x, zero), select(up, zero, infinite), z);
  z = select(eq(x, infinite), select(up, infinite, zero), z);
  z = select(both(le(zero, x), eq(y, y)), z, set64(__builtin_nan("")));
  return select(both(eq(y, zero), eq(x, x)), one, z);
}

}  // namespace scrubjay::SJ_ISA
