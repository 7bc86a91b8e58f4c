// out[i] = L2(0.55 what[i] + 0.35 where[i] + 0.10 sigmoid(what[i] where[i])), then out[i][0] += ln(t[i] + 1) mod period
// and out[i][1] += ln(tau[i] + 1) mod period
//
// Units: t and tau in seconds. Domain: cols >= 2, t and tau >= 0 (below 0 counts as 0), period > 0; rows of any norm.
// Source: "Caching for the Future", eq. 2. The result has no unit norm after the last step: compare bindings by cosine.
// Error: 1e-6 a component against float64. Zero and NaN: a mix without a finite positive norm is left as it is, so NaN
// stays in its own row.
#pragma once

namespace scrubjay::SJ_ISA {

SJ_INLINE f32 binding_block(f32 what, f32 where) {
  const f32 one = set(1.0f);
  const f32 gate = div(one, add(one, exp(sub(set(0.0f), mul(what, where)))));
  return fma(set(0.55f), what, fma(set(0.35f), where, mul(set(0.10f), gate)));
}

// ln(x + 1) mod period, in the first lane of a float64 block.
SJ_INLINE float phase(double x, double period) {
  double lanes[8];
  store(lanes, log(add(max(set64(0.0), set64(x)), set64(1.0))));
  const double turns = lanes[0] / period;
  return static_cast<float>(lanes[0] - period * static_cast<double>(static_cast<std::int64_t>(turns < 1e15 ? turns : 0.0)));
}

static void binding(Matrix<const float> what, Matrix<const float> where, const double* when, const double* tau,
                    double period, float* out) {
  const long d = static_cast<long>(what.cols);
  for (std::int64_t row = 0; row < what.rows; ++row) {
    const float* a = what.data + row * what.stride;
    const float* b = where.data + row * where.stride;
    float* h = out + row * what.cols;
    f32 squares = set(0.0f);
    sweep<float>(d, [&](std::int64_t i, auto part) {
      store(h + i, binding_block(load(a + i, part), load(b + i, part)), part);
      const f32 mixed = load(h + i, part);
      squares = fma(mixed, mixed, squares);
    });
    const float norm = __builtin_sqrtf(sum(squares));
    if (norm > 0.0f && norm <= 3.4e38f)
      sweep<float>(d, [&](std::int64_t i, auto part) { store(h + i, div(load(h + i, part), set(norm)), part); });
    h[0] += phase(when[row], period);
    h[1] += phase(tau[row], period);
  }
}

}  // namespace scrubjay::SJ_ISA
