// Exact top-k search: the answer is that of float64 brute force over the given data, always.
//
// A scan scores every candidate row approximately with a proved error bound (kernels/rank) and keeps the rows that may
// still be among the k best (rank/keeper.hpp); those alone are scored in float64. Threads take blocks of rows from a
// shared counter; since what is kept does not depend on who scanned it, neither does the result.
#pragma once

#include <cstdint>
#include <string>

#include "rank/problem.hpp"

namespace scrubjay::rank {

// rows, scores: queries x k, filled with -1 and -infinity beyond counts[q]. Needs k >= 1. Returns the plan that ran.
std::string search(const Problem& problem, std::int64_t k, int threads, std::int64_t* rows, double* scores,
                   std::int64_t* counts);

}  // namespace scrubjay::rank
