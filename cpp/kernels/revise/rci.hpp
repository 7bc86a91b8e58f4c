// Retroactive contextual integration: what evidence of affinity a does to a memory, in place.
//
//   V   <- max(0, V + a dV)                             dV = eta_V delta_V
//   pi  <- clip(pi + a dpi, min(pi, floor), 1)          dpi = eta_pi delta_pi
//   tau <- clip(tau max(0.1, 1 + a dtau), low, high)    dtau = eta_tau delta_tau
//   u   <- w + eta_w a (n - w);  w <- u / |u|           kept as it was where |u| < 1e-6 or is not finite
//
// Source: "Caching for the Future", eqs. 9-12 (0.1 as in eq. 11 and the proof, where eq. 17 prints 1); the floor keeps pi in
// its domain. Units: tau in seconds. Bounds: |V' - V| <= |dV| + 1 ulp, |pi' - pi| <= |dpi| + 1 ulp, tau' in [low, high]. A
// NaN stays NaN. Order: that of dot_row, so a log of rows and affinities replays to the same bits on every ISA.
#pragma once

#include "kernels/revise/gate.hpp"

namespace scrubjay::SJ_ISA {

// True where the vector moved, false where it was kept.
SJ_INLINE bool rci_fuse(float* w, const float* vector, long n, float step) {
  constexpr long BLOCK = 64;
  const f32 l = set(step);
  f32 squares[4] = {set(0.0f), set(0.0f), set(0.0f), set(0.0f)};
  for (long i = 0; i < n; i += 16) {
    const long rest = n - i < 16 ? n - i : 16;
    const f32 old = load(w + i, rest), u = fma(l, sub(load(vector + i, rest), old), old);
    squares[i % BLOCK / 16] = fma(u, u, squares[i % BLOCK / 16]);
  }
  const float norm = __builtin_sqrtf(sum(add(add(squares[0], squares[1]), add(squares[2], squares[3]))));
  if (!(norm >= 1e-6f && norm <= __FLT_MAX__)) return false;
  const f32 length = set(norm);
  for (long i = 0; i < n; i += 16) {
    const long rest = n - i < 16 ? n - i : 16;
    const f32 old = load(w + i, rest), u = fma(l, sub(load(vector + i, rest), old), old);
    store(w + i, div(u, length), rest);
  }
  return true;
}

SJ_INLINE bool rci_row(const RciStep& step, Matrix<float> what, float* value, float* pi, float* tau, std::int64_t i, float a) {
  const float v = __builtin_fmaf(a, step.value, value[i]);
  value[i] = v < 0.0f ? 0.0f : v;
  const float floor = pi[i] < step.pi_floor ? pi[i] : step.pi_floor;
  const float p = __builtin_fmaf(a, step.pi, pi[i]);
  pi[i] = p < floor ? floor : p > 1.0f ? 1.0f : p;
  const float ratio = __builtin_fmaf(a, step.tau, 1.0f);
  const float t = tau[i] * (ratio < 0.1f ? 0.1f : ratio);
  tau[i] = t < step.tau_low ? step.tau_low : t > step.tau_high ? step.tau_high : t;
  return rci_fuse(what.data + i * what.stride, step.vector, what.cols, step.what * a);
}

// Applies the affinities to `rows`, in that order. kept[0 .. returned) are the positions in rows whose vector stayed.
static std::int64_t rci_apply(const RciStep& step, Matrix<float> what, float* value, float* pi, float* tau,
                              Column<const std::int64_t> rows, const float* affinities, std::int64_t* kept) {
  std::int64_t stayed = 0;
  for (std::int64_t r = 0; r < rows.size; ++r)
    if (!rci_row(step, what, value, pi, tau, rows.data[r], affinities[r])) kept[stayed++] = r;
  return stayed;
}

// Gate and change in one pass over places [begin, end): as rci_gate, then rci_apply, but each row is read from memory once.
static RciFound rci(const RciStep& step, Matrix<float> what, float* value, float* pi, float* tau, float theta, Bitmap among,
                    const std::int64_t* pick, std::int64_t begin, std::int64_t end, std::int64_t* rows, float* affinities,
                    std::int64_t* kept) {
  RciFound found{0, 0};
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t row = pick == nullptr ? i : pick[i];
    if (!is_set(among, row)) continue;
    const float a = affinity_of(dot_row(what.data + row * what.stride, step.vector, what.cols), theta);
    if (!(a > 0.0f)) continue;
    if (!rci_row(step, what, value, pi, tau, row, a)) kept[found.kept++] = found.rows;
    rows[found.rows] = row;
    affinities[found.rows++] = a;
  }
  return found;
}

}  // namespace scrubjay::SJ_ISA
