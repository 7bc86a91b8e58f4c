// A query as sums of 8-bit codes: q = s1 c1 + s2 c2 + remainder, c1 and c2 whole numbers from -127 to 127.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels.hpp"

namespace scrubjay::rank {

struct Levels {
  struct One {
    std::vector<std::int8_t> codes;
    float scale = 0.0f;
    std::int32_t sum = 0;
  };
  One first, second;
  double off_first = 0.0, off_both = 0.0;  // norms of what is left after one and after two levels
  double norm = 0.0;

  // `width` codes a level, zeros beyond the query; `levels` is 1 or 2.
  Levels(const std::vector<float>& query, std::int64_t width, int levels) : Levels({query.begin(), query.end()}, width, levels, 0.0) {}

  // Of the query turned as rows are for their codes (kernels/codes/turn.hpp); `width` is a multiple of 128.
  static Levels turned(const std::vector<float>& query, std::int64_t width, int levels);

  // For kernels; points into this value.
  Leveled view() const {
    return {{first.codes.data(), first.scale, first.sum}, {second.codes.data(), second.scale, second.sum}, static_cast<float>(norm * (1.0 + 0x1p-20))};
  }

 private:
  // `off`: how far the vector is from what it is meant to be, in units of its norm.
  Levels(std::vector<double> left, std::int64_t width, int levels, double off);
};

}  // namespace scrubjay::rank
