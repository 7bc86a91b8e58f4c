// The affinity gate: which rows new evidence reaches, and how strongly.
//
// rho = row . vector clamped to [-1, 1]; rho <= theta: not reached; else a = (rho - theta) / (1 - theta) in (0, 1].
// Source: "Caching for the Future", section 3.5 step 1. Domain: unit rows, theta in [-1, 1). A row with NaN is not reached.
// The product runs in dot_row's fixed order, so the gate opens for the same rows on every ISA.
#pragma once

#include "kernels/similarity/dot.hpp"

namespace scrubjay::SJ_ISA {

// The affinity for a product, 0 where the gate stays shut.
SJ_INLINE float affinity_of(float dot, float theta) {
  const float rho = dot > 1.0f ? 1.0f : dot < -1.0f ? -1.0f : dot;
  if (!(rho > theta)) return 0.0f;
  const float a = (rho - theta) / (1.0f - theta);
  return a > 1.0f ? 1.0f : a;
}

SJ_INLINE bool is_set(Bitmap map, std::int64_t i) {
  const std::int64_t at = map.offset + i;
  return map.bits == nullptr || (map.bits[at / 8] >> (at % 8) & 1) != 0;
}

// The places [begin, end) whose row `among` allows and the gate lets through: rows ascending, with their affinities. Place i
// is row pick[i]; pick null: row i. Returns how many.
static std::int64_t rci_gate(Matrix<const float> what, const float* vector, float theta, Bitmap among, const std::int64_t* pick,
                             std::int64_t begin, std::int64_t end, std::int64_t* rows, float* affinities) {
  std::int64_t found = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t row = pick == nullptr ? i : pick[i];
    if (!is_set(among, row)) continue;
    const float a = affinity_of(dot_row(what.data + row * what.stride, vector, what.cols), theta);
    if (a > 0.0f) {
      rows[found] = row;
      affinities[found++] = a;
    }
  }
  return found;
}

}  // namespace scrubjay::SJ_ISA
