// The rows of lists about centres whose product with a query is largest, as far as it pays to look.
//
// By Cauchy and Schwarz no row x of a list with the centre c has more than q.c + |q| |x - c|, and in many dimensions few
// come near that. Lists are read by falling q.c + reach |q| apart, where apart is the usual |x - c|, until the next one
// promises less than the m-th best row so far. A list whose rows are infinitely far apart is always read.
#pragma once

#include <cstdint>
#include <vector>

#include "columns.hpp"

namespace scrubjay::near {

// Rows of codes in lists. List l has the rows [ends[l - 1], ends[l]), from 0 for the first, and heads[l], next[heads[l]], ...
// as long as they fall and are not negative.
struct Lists {
  Matrix<const std::uint8_t> rows, centres;
  const float* apart;  // of each list
  const std::int32_t *ends, *heads, *next;
};

struct Found {
  float product;
  std::int32_t row;
};

// At most m rows, the largest product first, then the lowest row; `read` counts those that were looked at.
std::vector<Found> nearest(const Lists& lists, const std::int8_t* query, float reach, std::int64_t m, std::int64_t& read);

}  // namespace scrubjay::near
