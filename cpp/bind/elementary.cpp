// Elementary functions whose bits are the same on every ISA, for laws that change state.
#include "bind/elementwise.hpp"
#include "bind/families.hpp"
#include "bind/unlocked.hpp"
#include "dispatch.hpp"

namespace scrubjay::bind {
namespace {

template <class T, class Kernel>
py::array unary(py::handle x_in, const py::object& out, int threads_in, Kernel kernel) {
  const int threads = take_threads(threads_in);
  const auto x = take<T>(x_in, "x", 1);
  auto y = result<T>(out, "out", x.size());
  refuse_shift({extent_of("out", y)}, {extent_of("x", x)});
  T* to = y.data();
  {
    const Unlocked unlocked;
    over_rows(x.size(), 2 * sizeof(T), threads, [&](std::int64_t begin, std::int64_t count) {
      kernel({x.data() + begin, count}, to + begin);
    });
  }
  return y.owner;
}

py::array exp(py::handle x, const py::object& out, int threads) {
  const Kernels& menu = dispatch::active();
  return wide(x) ? unary<double>(x, out, threads, menu.exp64) : unary<float>(x, out, threads, menu.exp32);
}

py::array log(py::handle x, const py::object& out, int threads) {
  const Kernels& menu = dispatch::active();
  return wide(x) ? unary<double>(x, out, threads, menu.log64) : unary<float>(x, out, threads, menu.log32);
}

py::array power(py::handle x_in, py::handle y_in, const py::object& out, int threads_in) {
  const int threads = take_threads(threads_in);
  const auto x = take<double>(x_in, "x", 1);
  const auto y = take<double>(y_in, "y", 1);
  same_size(y.size(), x.size(), "y", "x");
  auto z = result<double>(out, "out", x.size());
  refuse_shift({extent_of("out", z)}, {extent_of("x", x), extent_of("y", y)});
  double* to = z.data();
  {
    const Unlocked unlocked;
    const Kernels& menu = dispatch::active();
    over_rows(x.size(), 24, threads, [&](std::int64_t begin, std::int64_t count) {
      menu.power64({x.data() + begin, count}, y.data() + begin, to + begin);
    });
  }
  return z.owner;
}

}  // namespace

void add_elementary(py::module_& module) {
  const auto none = py::none();
  module.def("exp", &exp, py::arg("x"), py::kw_only(), py::arg("out") = none, py::arg("threads") = 0);
  module.def("log", &log, py::arg("x"), py::kw_only(), py::arg("out") = none, py::arg("threads") = 0);
  module.def("power", &power, py::arg("x"), py::arg("y"), py::kw_only(), py::arg("out") = none, py::arg("threads") = 0);
}

}  // namespace scrubjay::bind
