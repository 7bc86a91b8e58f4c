// The menu: one function pointer and one line per kernel. Each ISA fills one menu (isa/menu.hpp); bind/ calls through
// dispatch's active one. Preconditions (sizes agree, pointers valid, values in their domain) are checked in bind/.
#pragma once

#include "columns.hpp"

namespace scrubjay {

// What reach() looks at, for one block of rows: squared norms (or null), the factor columns, and a fused decay (or nulls).
struct Reach {
  const float* what;
  const float* where;
  const float* const* columns;
  int count;
  const float *value, *pi, *tau, *utility;
};

struct Kernels {
  const char* name;

  // probe/read.hpp: the sum of all values; probe/peak.hpp: multiply-adds done
  float (*probe_read)(Column<const float> values);
  double (*probe_peak)(int kind, std::int64_t rounds);

  // similarity/dot.hpp: out[i] = rows[i] . query
  void (*dot)(Matrix<const float> rows, const float* query, float* out);

  // similarity/dot64.hpp: x . y over n values, in float64
  double (*dot64)(const float* x, const float* y, std::int64_t n);

  // similarity/scan.hpp: sums[i] (+)= rows[pick[i]] . query, norms[i] = |rows[pick[i]]|^2; pick and norms may be null
  void (*scan)(Matrix<const float> rows, const std::int64_t* pick, const float* query, bool accumulate, float* sums,
               float* norms);

  // rank/factors.hpp: sums[i] += sum over f of weights[f] columns[f][i]
  void (*blend)(const float* const* columns, const float* weights, int count, std::int64_t rows, float* sums);

  // rank/factors.hpp: out[i] = the largest magnitude that row i brings to a score, -infinity where none is certain
  std::int64_t (*reach)(const Reach& in, std::int64_t rows, float* out);

  // rank/sift.hpp: the i with sums[i] + error reach[i] >= floor, ascending; returns how many
  std::int64_t (*sift)(std::int64_t rows, const float* sums, const float* reach, float error, float floor,
                       std::int32_t* out);

  // decay/utility.hpp: out[i] = value[i] exp(-(pi[i] age[i] / tau[i])), age = max(0, now - when)
  void (*utility)(Column<const float> value, const float* pi, const float* tau, const double* when, double now, float* out);
};

}  // namespace scrubjay
