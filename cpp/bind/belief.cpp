// Belief: Beta evidence, its update and what is read from it.
#include <limits>

#include "bind/elementwise.hpp"
#include "bind/families.hpp"
#include "bind/unlocked.hpp"
#include "dispatch.hpp"

namespace scrubjay::bind {
namespace {

template <class T>
struct Menu;
template <>
struct Menu<float> {
  static auto update() { return dispatch::active().beta_update32; }
  static auto moments() { return dispatch::active().beta_moments32; }
};
template <>
struct Menu<double> {
  static auto update() { return dispatch::active().beta_update64; }
  static auto moments() { return dispatch::active().beta_moments64; }
};

// The arrays of `moments=`: (mean, variance, bonus), each of them an array to fill or None.
template <class T>
struct Wanted {
  std::vector<Inout<T>> arrays;
  Moments<T> to{nullptr, nullptr, nullptr};
  std::vector<Extent> extents;

  Moments<T> from(std::int64_t row) const {
    const auto at = [row](T* column) { return column == nullptr ? nullptr : column + row; };
    return {at(to.mean), at(to.variance), at(to.bonus)};
  }

  Wanted(const py::object& moments, std::int64_t n) {
    const char* const names[3] = {"moments[0]", "moments[1]", "moments[2]"};
    T** const targets[3] = {&to.mean, &to.variance, &to.bonus};
    const auto given = parts(moments, "moments", 3);
    for (std::size_t i = 0; i < 3; ++i) {
      if (given[i].is_none()) continue;
      arrays.push_back(result<T>(given[i], names[i], n));
      *targets[i] = arrays.back().data();
      extents.push_back(extent_of(names[i], arrays.back()));
    }
  }
};

template <class T>
py::tuple update(py::handle a_in, py::handle b_in, py::handle signal_in, py::handle weight_in, double keep,
                 const py::object& out, const py::object& moments, int threads_in) {
  const int threads = take_threads(threads_in);
  const auto a = take<T>(a_in, "a", 1);
  const auto b = take<T>(b_in, "b", 1);
  const auto signal = take<T>(signal_in, "signal", 1);
  same_size(b.size(), a.size(), "b", "a");
  same_size(signal.size(), a.size(), "signal", "a");
  const double most = std::numeric_limits<T>::max();
  const bool constant = PyFloat_Check(weight_in.ptr()) || PyLong_Check(weight_in.ptr());
  const double one_weight = constant ? weight_in.cast<double>() : 0.0;
  const auto weight = constant ? signal : take<T>(weight_in, "weight", 1);
  same_size(weight.size(), a.size(), "weight", "a");
  if (constant && !(one_weight >= 0.0 && one_weight <= most))
    bad_value("weight must be finite and at least 0, got " + std::to_string(one_weight));
  if (!(keep > 0.0 && keep <= 1.0)) bad_value("keep must be in (0, 1], got " + std::to_string(keep));

  const auto given = parts(out, "out", 2);
  auto new_a = result<T>(given[0], "out[0]", a.size());
  auto new_b = result<T>(given[1], "out[1]", a.size());
  Wanted<T> wanted(moments, a.size());
  std::vector<Extent> written = wanted.extents;
  written.push_back(extent_of("out[0]", new_a));
  written.push_back(extent_of("out[1]", new_b));
  refuse_shift(written, {extent_of("a", a), extent_of("b", b), extent_of("signal", signal), extent_of("weight", weight)});
  within("signal", signal.column(), 0.0, 1.0);
  if (!constant) within("weight", weight.column(), 0.0, most);
  T* const to_a = new_a.data();
  T* const to_b = new_b.data();
  {
    const Unlocked unlocked;
    const auto kernel = Menu<T>::update();
    over_rows(a.size(), 6 * sizeof(T), threads, [&](std::int64_t begin, std::int64_t count) {
      kernel({a.data() + begin, count}, b.data() + begin, signal.data() + begin,
             constant ? nullptr : weight.data() + begin, static_cast<T>(one_weight), static_cast<T>(keep), to_a + begin,
             to_b + begin, wanted.from(begin));
    });
  }
  return py::make_tuple(new_a.owner, new_b.owner);
}

py::tuple beta_update(py::handle a, py::handle b, py::handle signal, py::handle weight, double keep, const py::object& out,
                      const py::object& moments, int threads) {
  return wide(a) ? update<double>(a, b, signal, weight, keep, out, moments, threads)
                 : update<float>(a, b, signal, weight, keep, out, moments, threads);
}

template <class T>
py::tuple moments_of(py::handle a_in, py::handle b_in, const py::object& out, int threads_in) {
  const int threads = take_threads(threads_in);
  const auto a = take<T>(a_in, "a", 1);
  const auto b = take<T>(b_in, "b", 1);
  same_size(b.size(), a.size(), "b", "a");
  const py::object fresh = out.is_none()
      ? py::object(py::make_tuple(py::array_t<T>(a.size()), py::array_t<T>(a.size()), py::array_t<T>(a.size())))
      : out;
  Wanted<T> wanted(fresh, a.size());
  refuse_shift(wanted.extents, {extent_of("a", a), extent_of("b", b)});
  {
    const Unlocked unlocked;
    const auto kernel = Menu<T>::moments();
    over_rows(a.size(), 5 * sizeof(T), threads, [&](std::int64_t begin, std::int64_t count) {
      kernel({a.data() + begin, count}, b.data() + begin, wanted.from(begin));
    });
  }
  return py::reinterpret_borrow<py::tuple>(fresh);
}

py::tuple beta_moments(py::handle a, py::handle b, const py::object& out, int threads) {
  return wide(a) ? moments_of<double>(a, b, out, threads) : moments_of<float>(a, b, out, threads);
}

}  // namespace

void add_belief(py::module_& module) {
  const auto none = py::none();
  module.def("beta_update", &beta_update, py::arg("a"), py::arg("b"), py::arg("signal"), py::arg("weight"), py::kw_only(),
             py::arg("keep") = 1.0, py::arg("out") = none, py::arg("moments") = none, py::arg("threads") = 0);
  module.def("beta_moments", &beta_moments, py::arg("a"), py::arg("b"), py::kw_only(), py::arg("out") = none,
             py::arg("threads") = 0);
}

}  // namespace scrubjay::bind
