// Revise: what new evidence does to memories, in place: retroactive contextual integration (RCI).
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "bind/buffers.hpp"
#include "bind/families.hpp"
#include "bind/threads.hpp"
#include "bind/unlocked.hpp"
#include "bind/vectors.hpp"
#include "dispatch.hpp"
#include "revise/coded.hpp"

namespace scrubjay::bind {
namespace {

// x as a float that is not larger in magnitude: a bound on x then bounds what the kernel does.
float towards_zero(double x) {
  const float f = static_cast<float>(x);
  return std::fabs(static_cast<double>(f)) > std::fabs(x) ? std::nextafterf(f, 0.0f) : f;
}

float finite_step(double x, const char* argument) {
  if (!std::isfinite(static_cast<float>(x)))
    bad_value(std::string(argument) + " must be finite in float32, got " + std::to_string(x));
  return towards_zero(x);
}

float take_theta(double theta) {
  const float t = static_cast<float>(theta);
  if (!(t >= -1.0f && t < 1.0f)) bad_value("theta must be from -1 to below 1, got " + std::to_string(theta));
  return t;
}

Array<float> take_vector(py::handle given, std::int64_t cols) {
  auto vector = take<float>(given, "vector", 1);
  same_size(vector.size(), cols, "vector", "a row of what");
  require_finite(vector.column(), "vector");
  return vector;
}

// The columns that are changed, checked against each other and against memory that they share.
struct Columns {
  Inout<float> what, value, pi, tau;
  RciStep step{};
  std::int64_t rows() const { return what.extent(0); }
};

Columns take_columns(py::handle what, py::handle value, py::handle pi, py::handle tau, const Array<float>& vector) {
  Columns c{take_inout<float>(what, "what", 2), take_inout<float>(value, "value", 1), take_inout<float>(pi, "pi", 1),
            take_inout<float>(tau, "tau", 1)};
  same_size(c.value.size(), c.rows(), "value", "what");
  same_size(c.pi.size(), c.rows(), "pi", "what");
  same_size(c.tau.size(), c.rows(), "tau", "what");
  refuse_overlap({extent_of("what", c.what), extent_of("value", c.value), extent_of("pi", c.pi), extent_of("tau", c.tau)},
                 {extent_of("vector", vector)});
  c.step.vector = vector.data();
  return c;
}

void take_steps(RciStep& step, double value, double pi, double tau, double what, double pi_floor, double tau_low, double tau_high) {
  step.value = finite_step(value, "value_step");
  step.pi = finite_step(pi, "pi_step");
  step.tau = finite_step(tau, "tau_step");
  step.what = finite_step(what, "what_step");
  if (!(what >= 0.0 && what <= 1.0)) bad_value("what_step must be from 0 to 1, got " + std::to_string(what));
  if (!(pi_floor >= 0.0 && pi_floor <= 1.0)) bad_value("pi_floor must be from 0 to 1, got " + std::to_string(pi_floor));
  if (!(tau_low > 0.0 && tau_low <= tau_high && std::isfinite(static_cast<float>(tau_high))))
    bad_value("tau_low and tau_high must be finite with 0 < tau_low <= tau_high, got " + std::to_string(tau_low) + " and " +
              std::to_string(tau_high));
  step.pi_floor = static_cast<float>(pi_floor);
  step.tau_low = static_cast<float>(tau_low);
  step.tau_high = static_cast<float>(tau_high);
}

std::optional<Bits> take_among(py::handle among, std::int64_t rows) {
  if (among.is_none()) return std::nullopt;
  return take_bits(among, "among", rows);
}

constexpr std::int64_t PIECE = revise::Coded::PIECE;  // rows that one thread takes at a time

// The codes of `what` that a caller lends for a change: writable, of the shapes that codes() gives.
struct LentCodes {
  Inout<std::uint8_t> high, low;
  Inout<float> meta;
  revise::CodeColumns columns;
};

std::optional<LentCodes> take_codes(py::handle given, Columns& c) {
  if (given.is_none()) return std::nullopt;
  if (!py::isinstance<py::tuple>(given) || py::len(given) != 3) bad_type("codes must be the tuple (high, low, meta) from codes()");
  const auto parts = py::reinterpret_borrow<py::tuple>(given);
  LentCodes l{take_inout<std::uint8_t>(parts[0], "codes high", 2), take_inout<std::uint8_t>(parts[1], "codes low", 2),
              take_inout<float>(parts[2], "codes meta", 2), {}};
  const std::int64_t rows = c.rows(), width = (c.what.extent(1) + 127) / 128 * 64;
  const auto shape = [](std::int64_t got_rows, std::int64_t got, std::int64_t wanted_rows, std::int64_t wanted, const char* argument) {
    if (got_rows != wanted_rows || got != wanted)
      bad_value(std::string(argument) + " must have " + std::to_string(wanted_rows) + " rows of " + std::to_string(wanted) +
                " values, got " + std::to_string(got_rows) + " of " + std::to_string(got));
  };
  if (c.what.extent(1) > widest / 2) bad_value("codes can be given for rows of up to 32768 values, got " + std::to_string(c.what.extent(1)));
  shape(l.high.extent(0), l.high.extent(1), rows, width, "codes high");
  shape(l.low.extent(0), l.low.extent(1), rows, width, "codes low");
  shape(l.meta.extent(0), l.meta.extent(1), 4, rows, "codes meta");
  refuse_overlap({extent_of("codes high", l.high), extent_of("codes low", l.low), extent_of("codes meta", l.meta)},
                 {extent_of("what", c.what), extent_of("value", c.value), extent_of("pi", c.pi), extent_of("tau", c.tau)});
  float* const meta = l.meta.data();
  l.columns = {l.high.matrix(), l.low.matrix(), {meta, meta + rows, meta + 2 * rows, meta + 3 * rows}};
  return l;
}

// What was found, each piece in its own place: room for every row is made before anything changes, and pages that are
// never written cost nothing.
struct Found {
  explicit Found(std::int64_t n)
      : rows(new std::int64_t[static_cast<std::size_t>(n)]), kept(new std::int64_t[static_cast<std::size_t>(n)]),
        affinities(new float[static_cast<std::size_t>(n)]), counts(static_cast<std::size_t>((n + PIECE - 1) / PIECE)) {}
  std::unique_ptr<std::int64_t[]> rows, kept;
  std::unique_ptr<float[]> affinities;
  std::vector<RciFound> counts;
};

// Runs find(begin, end, rows, affinities, kept) over all rows.
template <class Find>
Found gathered(std::int64_t rows, std::int64_t bytes, int threads, const Find& find) {
  Found found(rows);
  in_pieces(static_cast<std::int64_t>(found.counts.size()), bytes, threads, [&](std::int64_t piece) {
    const std::int64_t begin = piece * PIECE, end = std::min(rows, begin + PIECE);
    std::int64_t *at = found.rows.get() + begin, *kept = found.kept.get() + begin;
    const RciFound n = find(begin, end, at, found.affinities.get() + begin, kept);
    for (std::int64_t i = 0; i < n.kept; ++i) kept[i] = at[kept[i]];
    found.counts[static_cast<std::size_t>(piece)] = n;
  });
  return found;
}

// The pieces of one part, one behind the other.
template <class T>
py::array_t<T> joined(const Found& found, const std::unique_ptr<T[]>& part, std::int64_t RciFound::*count) {
  std::int64_t size = 0;
  for (const RciFound& n : found.counts) size += n.*count;
  py::array_t<T> out(size);
  T* to = out.mutable_data();
  for (std::size_t piece = 0; piece < found.counts.size(); ++piece)
    to = std::copy_n(part.get() + static_cast<std::int64_t>(piece) * PIECE, found.counts[piece].*count, to);
  return out;
}

py::array_t<std::int64_t> rows_of(const Found& found) { return joined(found, found.rows, &RciFound::rows); }
py::array_t<float> affinities_of(const Found& found) { return joined(found, found.affinities, &RciFound::rows); }
py::array_t<std::int64_t> kept_of(const Found& found) { return joined(found, found.kept, &RciFound::kept); }

// Bytes that a pass reads at least.
std::int64_t bytes_read(Matrix<const float> what, bool coded) { return what.rows * what.cols * (coded ? 1 : 8) / 2; }

Matrix<const float> as_const(Matrix<float> m) { return {m.data, m.rows, m.cols, m.stride}; }

py::tuple gate(py::handle what_in, py::handle vector_in, double theta_in, py::handle among_in, py::handle codes_in,
               int threads_in) {
  const int threads = take_threads(threads_in);
  const auto what = take_matrix<float>(what_in, "what");
  const auto matrix = what.matrix();
  const auto vector = take_vector(vector_in, matrix.cols);
  const float theta = take_theta(theta_in);
  const auto among = take_among(among_in, matrix.rows);
  const Bitmap map = among ? among->map() : Bitmap{nullptr, 0};
  Vectors lent;
  lent.rows = {rank::Store::f32, matrix.data, matrix.rows, matrix.cols, matrix.stride, nullptr, nullptr};
  bind::take_codes(lent, codes_in, "codes");
  const bool coded = !codes_in.is_none() && matrix.rows > 0;
  const Found found = [&] {
    const Unlocked unlocked;
    const revise::Coded sieve(coded ? lent.codes : Codes{}, coded ? vector.column() : Column<const float>{nullptr, 0}, theta);
    const bool narrow = coded && sieve.usable();
    return gathered(matrix.rows, bytes_read(matrix, narrow), threads,
                    [&](std::int64_t begin, std::int64_t end, std::int64_t* rows, float* affinities, std::int64_t*) {
                      std::int64_t pick[PIECE];
                      const std::int64_t count = narrow ? sieve.candidates(begin, end, pick) : 0;
                      return RciFound{dispatch::active().rci_gate(matrix, vector.data(), theta, map, narrow ? pick : nullptr,
                                                                  narrow ? 0 : begin, narrow ? count : end, rows, affinities),
                                      0};
                    });
  }();
  return py::make_tuple(rows_of(found), affinities_of(found));
}

py::tuple integrate(py::handle what, py::handle value, py::handle pi, py::handle tau, py::handle vector_in, double theta_in,
                    double value_step, double pi_step, double tau_step, double what_step, double pi_floor, double tau_low,
                    double tau_high, py::handle among_in, py::handle codes_in, int threads_in) {
  const int threads = take_threads(threads_in);
  const auto vector = take<float>(vector_in, "vector", 1);
  Columns c = take_columns(what, value, pi, tau, vector);
  same_size(vector.size(), c.what.extent(1), "vector", "a row of what");
  require_finite(vector.column(), "vector");
  const float theta = take_theta(theta_in);
  take_steps(c.step, value_step, pi_step, tau_step, what_step, pi_floor, tau_low, tau_high);
  const auto among = take_among(among_in, c.rows());
  const Bitmap map = among ? among->map() : Bitmap{nullptr, 0};
  auto lent = take_codes(codes_in, c);
  const auto matrix = c.what.matrix();
  float *const v = c.value.data(), *const p = c.pi.data(), *const t = c.tau.data();
  const Found found = [&] {
    const Unlocked unlocked;
    const revise::Coded sieve(lent ? lent->columns.view() : Codes{}, lent ? vector.column() : Column<const float>{nullptr, 0}, theta);
    const bool narrow = lent && sieve.usable();
    return gathered(matrix.rows, bytes_read(as_const(matrix), narrow), threads,
                    [&](std::int64_t begin, std::int64_t end, std::int64_t* rows, float* affinities, std::int64_t* kept) {
                      std::int64_t pick[PIECE];
                      const std::int64_t count = narrow ? sieve.candidates(begin, end, pick) : 0;
                      const RciFound n = dispatch::active().rci(c.step, matrix, v, p, t, theta, map, narrow ? pick : nullptr,
                                                                narrow ? 0 : begin, narrow ? count : end, rows, affinities, kept);
                      if (lent) revise::encode(lent->columns, as_const(matrix), rows, 0, n.rows);
                      return n;
                    });
  }();
  return py::make_tuple(rows_of(found), affinities_of(found), kept_of(found));
}

py::array_t<std::int64_t> apply(py::handle what, py::handle value, py::handle pi, py::handle tau, py::handle vector_in,
                                py::handle rows_in, py::handle affinities_in, double value_step, double pi_step, double tau_step,
                                double what_step, double pi_floor, double tau_low, double tau_high, py::handle codes_in) {
  const auto vector = take<float>(vector_in, "vector", 1);
  Columns c = take_columns(what, value, pi, tau, vector);
  same_size(vector.size(), c.what.extent(1), "vector", "a row of what");
  require_finite(vector.column(), "vector");
  take_steps(c.step, value_step, pi_step, tau_step, what_step, pi_floor, tau_low, tau_high);
  const auto rows = take<std::int64_t>(rows_in, "rows", 1);
  const auto affinities = take<float>(affinities_in, "affinities", 1);
  same_size(affinities.size(), rows.size(), "affinities", "rows");
  refuse_overlap({extent_of("what", c.what), extent_of("value", c.value), extent_of("pi", c.pi), extent_of("tau", c.tau)},
                 {extent_of("rows", rows), extent_of("affinities", affinities)});
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    if (rows.data()[i] < 0 || rows.data()[i] >= c.rows())
      bad_value("rows must be row numbers below " + std::to_string(c.rows()) + ", got " + std::to_string(rows.data()[i]) +
                " at position " + std::to_string(i));
    if (!(affinities.data()[i] >= 0.0f && affinities.data()[i] <= 1.0f))
      bad_value("affinities must be from 0 to 1, got " + std::to_string(affinities.data()[i]) + " at position " + std::to_string(i));
  }
  auto lent = take_codes(codes_in, c);
  std::vector<std::int64_t> kept(static_cast<std::size_t>(rows.size()));
  std::int64_t stayed = 0;
  {
    const auto matrix = c.what.matrix();
    float *v = c.value.data(), *p = c.pi.data(), *t = c.tau.data();
    const Unlocked unlocked;
    stayed = dispatch::active().rci_apply(c.step, matrix, v, p, t, rows.column(), affinities.data(), kept.data());
    if (lent) revise::encode(lent->columns, as_const(matrix), rows.data(), 0, rows.size());
  }
  py::array_t<std::int64_t> out(stayed);
  for (std::int64_t i = 0; i < stayed; ++i) out.mutable_data()[i] = rows.data()[kept[static_cast<std::size_t>(i)]];
  return out;
}

}  // namespace

void add_revise(py::module_& module) {
  module.def("rci_gate", &gate, py::arg("what"), py::arg("vector"), py::kw_only(), py::arg("theta"), py::arg("among") = py::none(),
             py::arg("codes") = py::none(), py::arg("threads") = 0);
  module.def("rci", &integrate, py::arg("what"), py::arg("value"), py::arg("pi"), py::arg("tau"), py::arg("vector"), py::kw_only(),
             py::arg("theta"), py::arg("value_step"), py::arg("pi_step"), py::arg("tau_step"), py::arg("what_step"),
             py::arg("pi_floor"), py::arg("tau_low"), py::arg("tau_high"), py::arg("among") = py::none(), py::arg("codes") = py::none(),
             py::arg("threads") = 0);
  module.def("rci_apply", &apply, py::arg("what"), py::arg("value"), py::arg("pi"), py::arg("tau"), py::arg("vector"),
             py::arg("rows"), py::arg("affinities"), py::kw_only(), py::arg("value_step"), py::arg("pi_step"), py::arg("tau_step"),
             py::arg("what_step"), py::arg("pi_floor"), py::arg("tau_low"), py::arg("tau_high"), py::arg("codes") = py::none());
}

}  // namespace scrubjay::bind
