#include "revise/coded.hpp"

#include <vector>

#include "dispatch.hpp"

namespace scrubjay::revise {
namespace {

float bound(double off, const rank::Levels& levels, std::int64_t cols) {
  const double rounding = (static_cast<double>(cols) / 64.0 + 32.0) * 0x1p-24 * levels.norm;
  return static_cast<float>(1.01 * (off + rounding) + 0x1p-75);
}

// A frame of its own for rows that are short: worker threads may have small stacks.
template <std::int64_t most>
[[gnu::noinline]] void encode_within(const CodeColumns& codes, Matrix<const float> what, const std::int64_t* rows, std::int64_t begin,
                                     std::int64_t count) {
  const Kernels& menu = dispatch::active();
  std::uint8_t row[most];
  float room[most];
  for (std::int64_t r = begin; r < begin + count; ++r) {
    const std::int64_t i = rows ? rows[r] : r;
    float* const meta[] = {codes.meta[0] + i, codes.meta[1] + i, codes.meta[2] + i, codes.meta[3] + i};
    menu.encode({what.data + i * what.stride, 1, what.cols, what.stride}, room, row, codes.high.cols * 2, meta);
    menu.split(row, codes.high.cols * 2, codes.high.data + i * codes.high.stride, codes.low.data + i * codes.low.stride);
  }
}

}  // namespace

Coded::Coded(const Codes& codes, Column<const float> vector, float theta)
    : codes_(codes), levels_(rank::Levels::turned({vector.data, vector.data + vector.size}, codes.high.cols * 2, 2)), theta_(theta - 0x1p-100f),
      error_high_(bound(levels_.off_first, levels_, vector.size)), error_both_(bound(levels_.off_both, levels_, vector.size)),
      usable_(levels_.norm < 0x1p60) {}

std::int64_t Coded::candidates(std::int64_t begin, std::int64_t end, std::int64_t* pick) const {
  const Kernels& menu = dispatch::active();
  const std::int64_t rows = end - begin;
  float sums[PIECE], slack[PIECE], norm[PIECE];
  std::int32_t at[PIECE];
  menu.scan_high(codes_, nullptr, begin, rows, levels_.view(), false, sums, slack);
  const std::int64_t some = menu.sift(rows, sums, slack, codes_.norm + begin, error_high_, theta_, at);
  for (std::int64_t i = 0; i < some; ++i) pick[i] = begin + at[i];
  if (some < 16) return some;
  menu.scan_both(codes_, pick, some, levels_.view(), false, sums, slack);
  for (std::int64_t i = 0; i < some; ++i) norm[i] = codes_.norm[pick[i]];
  const std::int64_t few = menu.sift(some, sums, slack, norm, error_both_, theta_, at);
  for (std::int64_t i = 0; i < few; ++i) pick[i] = pick[at[i]];
  return few;
}

void encode(const CodeColumns& codes, Matrix<const float> what, const std::int64_t* rows, std::int64_t begin, std::int64_t count) {
  (codes.high.cols <= 2048 ? encode_within<4096> : encode_within<32768>)(codes, what, rows, begin, count);
}

}  // namespace scrubjay::revise
