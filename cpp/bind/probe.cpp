// Probe: what this machine can do at most, for the benchmarks' percent of limit.
#include "bind/buffers.hpp"
#include "bind/families.hpp"
#include "bind/unlocked.hpp"
#include "dispatch.hpp"

namespace scrubjay::bind {
namespace {

float read(py::handle values_in) {
  const auto values = take<float>(values_in, "values", 1);
  const Unlocked unlocked;
  return dispatch::active().probe_read(values.column());
}

double peak(const std::string& kind, std::int64_t rounds) {
  const int number = kind == "float32" ? 0 : kind == "bfloat16" ? 1 : kind == "int8" ? 2 : -1;
  if (number < 0) bad_value("kind must be float32, bfloat16 or int8, got '" + kind + "'");
  if (rounds < 0 || rounds > (std::int64_t{1} << 40)) bad_value("rounds must be in [0, 2^40], got " + std::to_string(rounds));
  const Unlocked unlocked;
  return dispatch::active().probe_peak(number, rounds);
}

}  // namespace

void add_probe(py::module_& module) {
  module.def("probe_read", &read, py::arg("values"));
  module.def("probe_peak", &peak, py::arg("kind"), py::arg("rounds"));
}

}  // namespace scrubjay::bind
