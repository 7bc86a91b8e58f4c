// What the elementwise families share: results into the caller's arrays or new ones, float32 or float64, ranges.
#pragma once

#include <string>
#include <vector>

#include "bind/buffers.hpp"
#include "bind/threads.hpp"

namespace scrubjay::bind {

// Whether an array holds float64: then the float64 kernel runs, otherwise the float32 one.
bool wide(py::handle array);

// `out` when the caller gave one of n values, otherwise a new array.
template <class T>
Inout<T> result(const py::object& out, const char* argument, std::int64_t n) {
  if (out.is_none()) return {py::array_t<T>(n)};
  Inout<T> given = take_inout<T>(out, argument, 1);
  same_size(given.size(), n, argument, "the input");
  return given;
}

// The parts of `out`: None or a tuple of `count` arrays (or None), all of them named `argument`.
std::vector<py::object> parts(const py::object& out, const char* argument, std::size_t count);

// An output may be one of the inputs itself, row upon row; any other shared memory is refused.
void refuse_shift(const std::vector<Extent>& written, const std::vector<Extent>& read);

// Raises ArgumentError for the first value that is not in [low, high]; NaN never is.
void within(const char* argument, Column<const float> values, double low, double high);
void within(const char* argument, Column<const double> values, double low, double high);
[[noreturn]] void not_within(const char* argument, std::int64_t row, double value, double low, double high);

// Calls work(begin, count) for pieces of the rows, which the threads share. A row never sees another one, so the bits
// do not depend on how they are cut. Without the GIL.
template <class Work>
void over_rows(std::int64_t rows, std::int64_t bytes_a_row, int threads, const Work& work) {
  constexpr std::int64_t piece = 32768;
  if (threads == 1 || rows <= piece) return work(std::int64_t{0}, rows);
  in_pieces((rows + piece - 1) / piece, rows * bytes_a_row, threads, [&](std::int64_t number) {
    const std::int64_t begin = number * piece;
    work(begin, std::min(piece, rows - begin));
  });
}

// A finite number.
void finite(double value, const char* argument, const char* unit);

}  // namespace scrubjay::bind
