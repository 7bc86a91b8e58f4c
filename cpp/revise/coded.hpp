// The affinity gate by codes: which rows the float gate must look at, and codes that follow the rows that moved.
//
// A row passes the gate where fl(row . vector) > theta. With the bound of kernels/codes/sieve.hpp and of dot_row,
//   fl(row . vector) <= sums + slack + error norm,   error = |q - p| + (cols / 64 + 32) 2^-24 |q|
// (32 covers the roundings of sums, slack and bound), so a row whose right side stays below theta cannot pass. What remains
// is judged by the float gate itself: the rows and bits are those of the plain scan, whatever the vectors are.
#pragma once

#include "kernels.hpp"
#include "rank/levels.hpp"

namespace scrubjay::revise {

// Codes that change with their rows.
struct CodeColumns {
  Matrix<std::uint8_t> high, low;
  float* meta[4];  // scale, fine, coarse, norm
  Codes view() const {
    return {{high.data, high.rows, high.cols, high.stride}, {low.data, low.rows, low.cols, low.stride}, meta[0], meta[1], meta[2], meta[3]};
  }
};

class Coded {
 public:
  // Rows that are looked at at once.
  static constexpr std::int64_t PIECE = 2048;

  // `usable` is false for a vector so long that float32 might overflow: then every row must be looked at.
  Coded(const Codes& codes, Column<const float> vector, float theta);
  bool usable() const { return usable_; }

  // Rows of [begin, end), at most PIECE, that the gate may let through, ascending, into pick. Returns how many.
  std::int64_t candidates(std::int64_t begin, std::int64_t end, std::int64_t* pick) const;

 private:
  Codes codes_;
  rank::Levels levels_;
  float theta_, error_high_, error_both_;
  bool usable_;
};

// Makes the codes of rows[begin], ..., rows[begin + count - 1]; rows == nullptr: of rows begin, ..., begin + count - 1.
void encode(const CodeColumns& codes, Matrix<const float> what, const std::int64_t* rows, std::int64_t begin, std::int64_t count);

}  // namespace scrubjay::revise
