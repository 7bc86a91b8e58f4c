// Decay: laws of time over columns.
#include "bind/elementwise.hpp"
#include "bind/families.hpp"
#include "bind/unlocked.hpp"
#include "dispatch.hpp"

namespace scrubjay::bind {
namespace {

py::array utility(py::handle value_in, py::handle pi_in, py::handle tau_in, py::handle when_in, double now,
                  const py::object& shape_in, const py::object& out, int threads_in) {
  const int threads = take_threads(threads_in);
  const auto value = take<float>(value_in, "value", 1);
  const auto pi = take<float>(pi_in, "pi", 1);
  const auto tau = take<float>(tau_in, "tau", 1);
  const auto when = take<double>(when_in, "when", 1);
  same_size(pi.size(), value.size(), "pi", "value");
  same_size(tau.size(), value.size(), "tau", "value");
  same_size(when.size(), value.size(), "when", "value");
  finite(now, "now", "seconds since the epoch");
  auto u = result<float>(out, "out", value.size());
  std::vector<Extent> read{extent_of("value", value), extent_of("pi", pi), extent_of("tau", tau), extent_of("when", when)};
  const bool shaped = !shape_in.is_none();
  const auto shape = shaped ? take<float>(shape_in, "shape", 1) : value;
  same_size(shape.size(), value.size(), "shape", "value");
  if (shaped) read.push_back(extent_of("shape", shape));
  refuse_shift({extent_of("out", u)}, read);
  float* to = u.data();
  {
    const Unlocked unlocked;
    const Kernels& menu = dispatch::active();
    over_rows(value.size(), 24, threads, [&](std::int64_t begin, std::int64_t count) {
      const Column<const float> v{value.data() + begin, count};
      const float *p = pi.data() + begin, *h = tau.data() + begin;
      if (shaped)
        menu.utility_shaped(v, p, h, when.data() + begin, shape.data() + begin, now, to + begin);
      else
        menu.utility(v, p, h, when.data() + begin, now, to + begin);
    });
  }
  return u.owner;
}

py::array retrievability(py::handle stability_in, py::handle last_in, double now, double curve, double day,
                         const py::object& out, int threads_in) {
  const int threads = take_threads(threads_in);
  const auto stability = take<float>(stability_in, "stability", 1);
  const auto last = take<double>(last_in, "last", 1);
  same_size(last.size(), stability.size(), "last", "stability");
  finite(now, "now", "seconds since the epoch");
  if (!(curve >= -10.0 && curve <= -0.01)) bad_value("curve must be in [-10, -0.01], got " + std::to_string(curve));
  if (!(day > 0.0 && day <= 1e9)) bad_value("day must be in (0, 1e9] seconds, got " + std::to_string(day));
  auto r = result<float>(out, "out", stability.size());
  refuse_shift({extent_of("out", r)}, {extent_of("stability", stability), extent_of("last", last)});
  float* to = r.data();
  {
    const Unlocked unlocked;
    const Kernels& menu = dispatch::active();
    const double base = 0.9, exponent = 1.0 / curve;
    double reached = 0.0;
    menu.power64({&base, 1}, &exponent, &reached);
    over_rows(stability.size(), 16, threads, [&](std::int64_t begin, std::int64_t count) {
      menu.retrievability({stability.data() + begin, count}, last.data() + begin, now, day, reached - 1.0, curve, to + begin);
    });
  }
  return r.owner;
}

}  // namespace

void add_decay(py::module_& module) {
  const auto none = py::none();
  module.def("utility", &utility, py::arg("value"), py::arg("pi"), py::arg("tau"), py::arg("when"), py::arg("now"),
             py::kw_only(), py::arg("shape") = none, py::arg("out") = none, py::arg("threads") = 0);
  module.def("retrievability", &retrievability, py::arg("stability"), py::arg("last"), py::arg("now"), py::kw_only(),
             py::arg("curve"), py::arg("day") = 86400.0, py::arg("out") = none, py::arg("threads") = 0);
}

}  // namespace scrubjay::bind
