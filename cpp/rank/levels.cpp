#include "rank/levels.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/codes/turn.hpp"

namespace scrubjay::rank {
namespace {

double norm_of(const std::vector<double>& x) {
  double squares = 0.0;
  for (const double v : x) squares += v * v;
  return std::sqrt(squares) * (1.0 + 0x1p-40);
}

// Takes one level off `left`.
Levels::One take(std::vector<double>& left, std::int64_t width) {
  double most = 0.0;
  for (const double v : left) most = std::max(most, std::fabs(v));
  Levels::One level;
  level.codes.assign(static_cast<std::size_t>(width), 0);
  level.scale = static_cast<float>(most / 127.0);
  if (!(level.scale > 0.0f)) return level;
  const double scale = level.scale;
  for (std::size_t j = 0; j < left.size(); ++j) {
    // Adding and taking off 1.5 2^52 rounds to a whole number.
    const double whole = left[j] / scale + 0x1.8p52 - 0x1.8p52, code = whole < -127.0 ? -127.0 : whole > 127.0 ? 127.0 : whole;
    level.codes[j] = static_cast<std::int8_t>(code);
    level.sum += static_cast<std::int32_t>(code);
    left[j] -= code * scale;
  }
  return level;
}

}  // namespace

Levels::Levels(std::vector<double> left, std::int64_t width, int levels, double off) {
  norm = norm_of(left);
  first = take(left, width);
  off_first = norm_of(left) + off * norm;
  if (levels > 1) second = take(left, width);
  off_both = norm_of(left) + off * norm;
}

Levels Levels::turned(const std::vector<float>& query, std::int64_t width, int levels) {
  const std::vector<double> given(query.begin(), query.end());
  std::vector<double> out(static_cast<std::size_t>(width));
  turning::turn(given.data(), static_cast<std::int64_t>(given.size()), out.data(), width);
  return {std::move(out), width, levels, 0x1p-48};
}

}  // namespace scrubjay::rank
