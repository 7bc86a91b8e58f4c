// The part of the linear score that is not a similarity, and the bound that makes float32 good enough to discard a row.
//
// blend:  sums[i] += sum over f of weights[f] columns[f][i]
// reach:  the largest of |row|, |context|, |column value|, at least 2^-60: every term of the score of row i is at most
//         reach[i] times a number that depends on the query alone, and so is the rounding error of the float32 score.
//         A row for which that is not certain gets reach -infinity: it holds NaN or infinity, its reach exceeds 2^60, or
//         its decay is out of domain (pi < 0, tau <= 0, shape not in [1/64, 64], |utility| > |value|). Returns how many such rows there are.
// Source: the composite score of "Caching for the Future", eq. 5, over the eight factors of the channels.
#pragma once

namespace scrubjay::SJ_ISA {

SJ_INLINE f32 part(const float* p, std::int64_t i, std::int64_t rest) {
  return rest < 16 ? load(p + i, rest) : load(p + i);
}

static void blend(const float* const* columns, const float* weights, int count, std::int64_t rows, float* sums) {
  for (std::int64_t i = 0; i < rows; i += 16) {
    const std::int64_t rest = rows - i;
    f32 total = part(sums, i, rest);
    for (int f = 0; f < count; ++f) total = fma(set(weights[f]), part(columns[f], i, rest), total);
    if (rest < 16)
      store(sums + i, total, rest);
    else
      store(sums + i, total);
  }
}

static std::int64_t reach(const Reach& in, std::int64_t rows, float* out) {
  const f32 zero = set(0.0f), slack = set(1.0f + 0x1p-10f), limit = set(0x1p60f), never = set(-__builtin_inff());
  std::int64_t strange = 0;
  for (std::int64_t i = 0; i < rows; i += 16) {
    const std::int64_t rest = rows - i;
    f32 most = set(0x1p-60f), poison = zero;
    for (int v = 0; v < 2; ++v)
      if (const float* norms = v == 0 ? in.what : in.where; norms != nullptr) {
        const f32 squared = part(norms, i, rest);
        most = max(most, sqrt(fma(squared, slack, set(0x1p-126f))));
        poison = fma(squared, zero, poison);
      }
    for (int f = 0; f < in.count; ++f) {
      const f32 x = part(in.columns[f], i, rest);
      most = max(most, abs(x));
      poison = fma(x, zero, poison);
    }
    mask certain = both(le(zero, poison), le(most, limit));
    if (in.value) {
      const f32 value = abs(part(in.value, i, rest));
      most = max(most, value);
      certain = both(certain, both(le(abs(part(in.utility, i, rest)), mul(value, slack)), le(most, limit)));
      certain = both(certain, both(le(zero, part(in.pi, i, rest)), lt(zero, part(in.tau, i, rest))));
      if (in.shape) {
        const f32 shape = part(in.shape, i, rest);
        certain = both(certain, both(le(set(0x1p-6f), shape), le(shape, set(64.0f))));
      }
    }
    float lane[16];
    store(lane, select(certain, most, never));
    for (int j = 0; j < 16 && j < rest; ++j) {
      out[i + j] = lane[j];
      strange += !(lane[j] > 0.0f);
    }
  }
  return strange;
}

}  // namespace scrubjay::SJ_ISA
