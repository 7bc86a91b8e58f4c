// Decay: laws of time over columns.
#include <cmath>

#include "bind/buffers.hpp"
#include "bind/families.hpp"
#include "dispatch.hpp"

namespace scrubjay::bind {
namespace {

py::array_t<float> utility(py::handle value_in, py::handle pi_in, py::handle tau_in, py::handle when_in, double now) {
  const auto value = take<float>(value_in, "value", 1);
  const auto pi = take<float>(pi_in, "pi", 1);
  const auto tau = take<float>(tau_in, "tau", 1);
  const auto when = take<double>(when_in, "when", 1);
  same_size(pi.size(), value.size(), "pi", "value");
  same_size(tau.size(), value.size(), "tau", "value");
  same_size(when.size(), value.size(), "when", "value");
  if (!std::isfinite(now)) bad_value("now must be finite seconds since the epoch, got " + std::to_string(now));
  py::array_t<float> out(value.size());
  float* result = out.mutable_data();
  {
    const py::gil_scoped_release unlocked;
    dispatch::active().utility(value.column(), pi.data(), tau.data(), when.data(), now, result);
  }
  return out;
}

}  // namespace

void add_decay(py::module_& module) {
  module.def("utility", &utility, py::arg("value"), py::arg("pi"), py::arg("tau"), py::arg("when"), py::arg("now"));
}

}  // namespace scrubjay::bind
