// The rows that may still be among the best: i with sums[i] + slack[i] + error reach[i] >= floor, written to out in ascending
// order. slack may be null: 0.
//
// slack[i] + `error` reach[i] bounds how far the float32 sum is from the exact score, so no row of the true top k is lost while
// floor is a lower bound of the k-th best exact score. Rows of reach -infinity never pass. Returns how many were written.
#pragma once

namespace scrubjay::SJ_ISA {

static std::int64_t sift(std::int64_t rows, const float* sums, const float* slack, const float* reach, float error,
                         float floor, std::int32_t* out) {
  const f32 e = set(error), least = set(floor);
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < rows; i += 16) {
    const std::int64_t rest = rows - i;
    f32 upper = fma(e, part(reach, i, rest), part(sums, i, rest));
    if (slack) upper = add(upper, part(slack, i, rest));
    if (!any(le(least, upper))) continue;
    float lane[16];
    store(lane, upper);
    for (int j = 0; j < 16 && j < rest; ++j)
      if (lane[j] >= floor) out[found++] = static_cast<std::int32_t>(i + j);
  }
  return found;
}

}  // namespace scrubjay::SJ_ISA
