// The binding vector of an episodic memory unit.
#include <limits>

#include "bind/elementwise.hpp"
#include "bind/families.hpp"
#include "bind/unlocked.hpp"
#include "dispatch.hpp"

namespace scrubjay::bind {
namespace {

py::array binding(py::handle what_in, py::handle where_in, py::handle when_in, py::handle tau_in, double period,
                  const py::object& out, int threads_in) {
  const int threads = take_threads(threads_in);
  const auto what = take<float>(what_in, "what", 2);
  const auto where = take<float>(where_in, "where", 2);
  const auto when = take<double>(when_in, "when", 1);
  const auto tau = take<double>(tau_in, "tau", 1);
  const std::int64_t rows = what.extent(0), cols = what.extent(1);
  if (where.extent(0) != rows || where.extent(1) != cols)
    bad_value("where has " + std::to_string(where.extent(0)) + " rows of " + std::to_string(where.extent(1)) +
              " values but what has " + std::to_string(rows) + " of " + std::to_string(cols) +
              ": project one of them to the other's length first");
  if (cols < 2) bad_value("what must have rows of at least 2 values, got " + std::to_string(cols));
  same_size(when.size(), rows, "when", "what");
  same_size(tau.size(), rows, "tau", "what");
  const double most = std::numeric_limits<double>::max();
  within("when", when.column(), -most, most);
  within("tau", tau.column(), 0.0, most);
  if (!(period > 0.0 && period <= 1e6)) bad_value("period must be in (0, 1e6], got " + std::to_string(period));
  Inout<float> h = out.is_none() ? Inout<float>{py::array_t<float>(std::vector<py::ssize_t>{rows, cols})} : take_inout<float>(out, "out", 2);
  if (h.extent(0) != rows || h.extent(1) != cols)
    bad_value("out must have the shape of what, got " + std::to_string(h.extent(0)) + " rows of " +
              std::to_string(h.extent(1)));
  refuse_overlap({extent_of("out", h)},
                 {extent_of("what", what), extent_of("where", where), extent_of("when", when), extent_of("tau", tau)});
  float* to = h.data();
  const Matrix<const float> a = what.matrix(), b = where.matrix();
  {
    const Unlocked unlocked;
    const Kernels& menu = dispatch::active();
    const std::int64_t piece = 256;
    in_pieces((rows + piece - 1) / piece, rows * cols * 12, threads, [&](std::int64_t number) {
      const std::int64_t begin = number * piece, count = std::min(piece, rows - begin);
      menu.binding({a.data + begin * a.stride, count, cols, a.stride}, {b.data + begin * b.stride, count, cols, b.stride},
                   when.data() + begin, tau.data() + begin, period, to + begin * cols);
    });
  }
  return h.owner;
}

}  // namespace

void add_binding(py::module_& module) {
  module.def("binding", &binding, py::arg("what"), py::arg("where"), py::arg("when"), py::arg("tau"), py::kw_only(),
             py::arg("period") = 10.0, py::arg("out") = py::none(), py::arg("threads") = 0);
}

}  // namespace scrubjay::bind
