// The menu: one function pointer and one line per kernel. Each ISA fills one menu (isa/menu.hpp); bind/ calls through
// dispatch's active one. Preconditions (sizes agree, pointers valid, values in their domain) are checked in bind/.
#pragma once

#include "columns.hpp"

namespace scrubjay {

struct Kernels {
  const char* name;

  // probe/read.hpp: the sum of all values; probe/peak.hpp: multiply-adds done
  float (*probe_read)(Column<const float> values);
  double (*probe_peak)(int kind, std::int64_t rounds);

  // similarity/dot.hpp: out[i] = rows[i] . query
  void (*dot)(Matrix<const float> rows, const float* query, float* out);

  // decay/utility.hpp: out[i] = value[i] exp(-(pi[i] age[i] / tau[i])), age = max(0, now - when)
  void (*utility)(Column<const float> value, const float* pi, const float* tau, const double* when, double now, float* out);
};

}  // namespace scrubjay
