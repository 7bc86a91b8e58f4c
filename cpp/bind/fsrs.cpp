// FSRS: a checked law, and reviews of whole columns by it.
#include <pybind11/stl.h>

#include <cmath>
#include <limits>

#include "bind/elementwise.hpp"
#include "bind/families.hpp"
#include "bind/unlocked.hpp"
#include "dispatch.hpp"

namespace scrubjay::bind {
namespace {

// The ranges of the 21 weights (of FSRS-5: the first 19).
constexpr double LOWEST[21] = {.001, .001, .001, .001, 1, .001, .001, .001, 0, 0, .001, .001, .001, .001, 0, 0, 1, 0, 0, 0, .1};
constexpr double HIGHEST[21] = {100, 100, 100, 100, 10, 4, 4, .75, 4.5, .8, 3.5, 5, .25, .9, 4, 1, 6, 2, 2, .8, .8};

template <class T>
struct Menu;
template <>
struct Menu<float> {
  static auto review() { return dispatch::active().fsrs_review32; }
  static auto signal() { return dispatch::active().fsrs_signal32; }
  static auto interval() { return dispatch::active().fsrs_interval32; }
  static auto retrievability() { return dispatch::active().fsrs_retrievability32; }
};
template <>
struct Menu<double> {
  static auto review() { return dispatch::active().fsrs_review64; }
  static auto signal() { return dispatch::active().fsrs_signal64; }
  static auto interval() { return dispatch::active().fsrs_interval64; }
  static auto retrievability() { return dispatch::active().fsrs_retrievability64; }
};

void range(double value, double low, double high, const std::string& name) {
  if (!(value >= low && value <= high))
    bad_value(name + " must be in [" + std::string(py::str(py::float_(low))) + ", " + std::string(py::str(py::float_(high))) +
              "], got " + std::string(py::str(py::float_(value))));
}

FsrsLaw law_of(const std::vector<double>& weights, const std::vector<double>& thresholds, double wanted, double same_day,
               double most, double longest) {
  if (weights.size() != 21 && weights.size() != 19)
    bad_value("weights must be 21 numbers (FSRS-6) or 19 (FSRS-5), got " + std::to_string(weights.size()));
  FsrsLaw law{};
  law.version = weights.size() == 21 ? 6 : 5;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    range(weights[i], LOWEST[i], HIGHEST[i], "weights[" + std::to_string(i) + "]");
    law.weights[i] = weights[i];
  }
  if (thresholds.size() != 4) bad_value("thresholds must be 4 numbers, got " + std::to_string(thresholds.size()));
  for (std::size_t i = 0; i < 4; ++i) {
    if (!std::isfinite(thresholds[i]) || (i > 0 && !(thresholds[i] > thresholds[i - 1])))
      bad_value("thresholds must rise strictly from Again to Easy");
    law.thresholds[i] = thresholds[i];
  }
  const double infinite = std::numeric_limits<double>::infinity();
  range(wanted, 0.01, 0.999, "wanted");
  range(same_day, 0.0, 1e6, "same_day");
  range(most, 1.0, infinite, "most");
  range(longest, 1.0, 1e9, "longest");
  law.wanted = wanted;
  law.same_day = same_day;
  law.most = most;
  law.longest = longest;
  return law;
}

// Difficulty is read only where there is a stability.
template <class T>
void check_state(const Array<T>& stability, const Array<T>& difficulty, const Array<T>& elapsed) {
  const double most = std::numeric_limits<T>::max();
  same_size(difficulty.size(), stability.size(), "difficulty", "stability");
  same_size(elapsed.size(), stability.size(), "elapsed", "stability");
  within("stability", stability.column(), 0.0, most);
  within("elapsed", elapsed.column(), -most, most);
  const T* const d = difficulty.data();
  std::int64_t done = 0;
  while (done < difficulty.size()) {
    const Column<const T> rest{d + done, difficulty.size() - done};
    const std::int64_t at = [&] {
      if constexpr (sizeof(T) == 4) return dispatch::active().outside32(rest, 1.0f, 10.0f);
      else return dispatch::active().outside64(rest, 1.0, 10.0);
    }();
    if (at < 0) break;
    done += at;
    if (stability.data()[done] > T(0)) not_within("difficulty", done, static_cast<double>(d[done]), 1.0, 10.0);
    ++done;
  }
}

// Whole-number grades of any integer dtype, as bytes in 1..4.
py::array_t<std::uint8_t> take_grades(py::handle grade_in, std::int64_t n) {
  py::object any = py::reinterpret_borrow<py::object>(grade_in);
  if (py::isinstance<py::array>(any)) {
    const auto given = py::reinterpret_borrow<py::array>(any);
    const char kind = given.dtype().kind();
    if ((kind == 'i' || kind == 'u') && given.itemsize() > 1 && given.ndim() == 1) {
      const auto numpy = py::module_::import("numpy");
      any = numpy.attr("clip")(given, 0, 5).attr("astype")("uint8");
    } else if (kind == 'i' && given.itemsize() == 1 && given.ndim() == 1) {
      any = given.attr("view")("uint8");
    }
  }
  const auto grades = take<std::uint8_t>(any, "grade", 1);
  same_size(grades.size(), n, "grade", "stability");
  const std::uint8_t* const g = grades.data();
  unsigned bad = 0;
  for (std::int64_t i = 0; i < n; ++i) bad |= static_cast<std::uint8_t>(g[i] - 1) > 3;
  if (bad)
    for (std::int64_t i = 0; i < n; ++i)
      if (static_cast<std::uint8_t>(g[i] - 1) > 3)
        bad_value("grade[" + std::to_string(i) + "] is " +
                  std::string(py::str(py::reinterpret_borrow<py::object>(grade_in).attr("__getitem__")(i))) +
                  ": it must be 1 (Again), 2 (Hard), 3 (Good) or 4 (Easy)");
  return py::reinterpret_borrow<py::array_t<std::uint8_t>>(grades.owner);
}

template <class T, class Run>
py::tuple reviewed(const Array<T>& s, const Array<T>& d, const Array<T>& t, Extent grade, bool interval,
                   const py::object& out, int threads_in, Run run) {
  const int threads = take_threads(threads_in);
  const std::size_t count = interval ? 3 : 2;
  const auto given = parts(out, "out", count);
  auto new_s = result<T>(given[0], "out[0]", s.size());
  auto new_d = result<T>(given[1], "out[1]", s.size());
  std::vector<Extent> written{extent_of("out[0]", new_s), extent_of("out[1]", new_d)};
  Inout<T> next = interval ? result<T>(given[2], "out[2]", s.size()) : new_s;
  if (interval) written.push_back(extent_of("out[2]", next));
  refuse_shift(written, {extent_of("stability", s), extent_of("difficulty", d), extent_of("elapsed", t), grade});
  T* const to_s = new_s.data();
  T* const to_d = new_d.data();
  T* const to_interval = interval ? next.data() : nullptr;
  {
    const Unlocked unlocked;
    over_rows(s.size(), 5 * sizeof(T), threads, [&](std::int64_t begin, std::int64_t count) {
      run(begin, count, to_s + begin, to_d + begin, to_interval == nullptr ? nullptr : to_interval + begin);
    });
  }
  if (interval) return py::make_tuple(new_s.owner, new_d.owner, next.owner);
  return py::make_tuple(new_s.owner, new_d.owner);
}

template <class T>
py::tuple review_as(const FsrsLaw& law, py::handle s_in, py::handle d_in, py::handle t_in, py::handle grade_in, bool interval,
                    const py::object& out, int threads) {
  const auto s = take<T>(s_in, "stability", 1);
  const auto d = take<T>(d_in, "difficulty", 1);
  const auto t = take<T>(t_in, "elapsed", 1);
  check_state(s, d, t);
  const auto grade = take_grades(grade_in, s.size());
  const Extent read{"grade", grade.data(), s.size()};
  const auto kernel = Menu<T>::review();
  const auto run = [&](std::int64_t i, std::int64_t rows, T* new_s, T* new_d, T* next) {
    kernel(law, {s.data() + i, rows}, d.data() + i, t.data() + i, grade.data() + i, new_s, new_d, next);
  };
  return reviewed<T>(s, d, t, read, interval, out, threads, run);
}

template <class T>
py::tuple signal_as(const FsrsLaw& law, py::handle s_in, py::handle d_in, py::handle t_in, py::handle signal_in,
                    bool interval, const py::object& out, int threads) {
  const auto s = take<T>(s_in, "stability", 1);
  const auto d = take<T>(d_in, "difficulty", 1);
  const auto t = take<T>(t_in, "elapsed", 1);
  check_state(s, d, t);
  const auto signal = take<T>(signal_in, "signal", 1);
  same_size(signal.size(), s.size(), "signal", "stability");
  within("signal", signal.column(), static_cast<T>(law.thresholds[0]), static_cast<T>(law.thresholds[3]));
  const auto kernel = Menu<T>::signal();
  const auto run = [&](std::int64_t i, std::int64_t rows, T* new_s, T* new_d, T* next) {
    kernel(law, {s.data() + i, rows}, d.data() + i, t.data() + i, signal.data() + i, new_s, new_d, next);
  };
  return reviewed<T>(s, d, t, extent_of("signal", signal), interval, out, threads, run);
}

py::tuple review(const FsrsLaw& law, py::handle s, py::handle d, py::handle t, py::handle grade, bool interval,
                 const py::object& out, int threads) {
  return wide(s) ? review_as<double>(law, s, d, t, grade, interval, out, threads)
                 : review_as<float>(law, s, d, t, grade, interval, out, threads);
}

py::tuple signal(const FsrsLaw& law, py::handle s, py::handle d, py::handle t, py::handle by, bool interval,
                 const py::object& out, int threads) {
  return wide(s) ? signal_as<double>(law, s, d, t, by, interval, out, threads)
                 : signal_as<float>(law, s, d, t, by, interval, out, threads);
}

template <class T>
py::array interval_as(const FsrsLaw& law, py::handle s_in, const py::object& out, int threads_in) {
  const int threads = take_threads(threads_in);
  const auto s = take<T>(s_in, "stability", 1);
  auto days = result<T>(out, "out", s.size());
  refuse_shift({extent_of("out", days)}, {extent_of("stability", s)});
  T* const to = days.data();
  {
    const Unlocked unlocked;
    const auto kernel = Menu<T>::interval();
    over_rows(s.size(), 2 * sizeof(T), threads, [&](std::int64_t begin, std::int64_t count) {
      kernel(law, {s.data() + begin, count}, to + begin);
    });
  }
  return days.owner;
}

py::array interval(const FsrsLaw& law, py::handle s, const py::object& out, int threads) {
  return wide(s) ? interval_as<double>(law, s, out, threads) : interval_as<float>(law, s, out, threads);
}

template <class T>
py::array retrievability_as(const FsrsLaw& law, py::handle s_in, py::handle t_in, const py::object& out, int threads_in) {
  const int threads = take_threads(threads_in);
  const auto s = take<T>(s_in, "stability", 1);
  const auto t = take<T>(t_in, "elapsed", 1);
  same_size(t.size(), s.size(), "elapsed", "stability");
  auto r = result<T>(out, "out", s.size());
  refuse_shift({extent_of("out", r)}, {extent_of("stability", s), extent_of("elapsed", t)});
  T* const to = r.data();
  {
    const Unlocked unlocked;
    const auto kernel = Menu<T>::retrievability();
    over_rows(s.size(), 3 * sizeof(T), threads, [&](std::int64_t begin, std::int64_t count) {
      kernel(law, {s.data() + begin, count}, t.data() + begin, to + begin);
    });
  }
  return r.owner;
}

py::array retrievability(const FsrsLaw& law, py::handle s, py::handle t, const py::object& out, int threads) {
  return wide(s) ? retrievability_as<double>(law, s, t, out, threads) : retrievability_as<float>(law, s, t, out, threads);
}

}  // namespace

void add_fsrs(py::module_& module) {
  const auto none = py::none();
  py::class_<FsrsLaw>(module, "FsrsLaw")
      .def(py::init(&law_of), py::arg("weights"), py::kw_only(), py::arg("thresholds"), py::arg("wanted"),
           py::arg("same_day"), py::arg("most"), py::arg("longest"))
      .def_readonly("version", &FsrsLaw::version);
  module.def("fsrs_review", &review, py::arg("law"), py::arg("stability"), py::arg("difficulty"), py::arg("elapsed"),
             py::arg("grade"), py::kw_only(), py::arg("interval") = false, py::arg("out") = none, py::arg("threads") = 0);
  module.def("fsrs_signal", &signal, py::arg("law"), py::arg("stability"), py::arg("difficulty"), py::arg("elapsed"),
             py::arg("signal"), py::kw_only(), py::arg("interval") = false, py::arg("out") = none, py::arg("threads") = 0);
  module.def("fsrs_interval", &interval, py::arg("law"), py::arg("stability"), py::kw_only(), py::arg("out") = none, py::arg("threads") = 0);
  module.def("fsrs_retrievability", &retrievability, py::arg("law"), py::arg("stability"), py::arg("elapsed"),
             py::kw_only(), py::arg("out") = none, py::arg("threads") = 0);
}

}  // namespace scrubjay::bind
