// The one door for arrays. What comes in is viewed without a copy where dtype and layout fit, and its owner is kept;
// what does not fit is converted only where no bit can be lost, and refused by name otherwise.
//
// In: NumPy arrays, anything with Arrow's PyCapsule interface or the buffer protocol, and objects with __array__ (a CPU
// tensor). Lists, text, masked values, Arrow nulls (unless asked for), bool, complex, object and time dtypes are refused.
// Converted by copy: byte order, alignment, strides (other than those of take_matrix), and numbers of the same kind into a
// wider type (float16 to float32, int32 to int64).
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <initializer_list>
#include <string>

#include "bind/arrow.hpp"
#include "bind/raise.hpp"
#include "columns.hpp"

namespace scrubjay::bind {

namespace py = pybind11;

template <class T>
struct Name;
#define SJ_NAMED(type, text)                       \
  template <>                                      \
  struct Name<type> {                              \
    static constexpr const char* value = text;     \
  };
SJ_NAMED(float, "float32")
SJ_NAMED(double, "float64")
SJ_NAMED(std::int8_t, "int8")
SJ_NAMED(std::uint8_t, "uint8")
SJ_NAMED(std::uint16_t, "uint16")
SJ_NAMED(std::int32_t, "int32")
SJ_NAMED(std::int64_t, "int64")
#undef SJ_NAMED

// refused: a null is an error. kept: valid() tells which rows are not null; what stands under a null is unspecified.
enum class Nulls { refused, kept };

// The untyped halves of the functions below, in buffers.cpp. rank 0: one or two axes; strided: rows may stand apart.
View view(py::handle given, const char* argument, const py::dtype& wanted, const char* name, int rank, bool strided, Nulls nulls);
py::array writable(py::handle given, const char* argument, const py::dtype& wanted, const char* name, int rank);

// A contiguous array of T of one or two axes, kept alive as long as this value.
template <class T>
struct Array {
  py::array owner;
  py::object valid_owner;
  Bitmap bits;

  const T* data() const { return static_cast<const T*>(owner.data()); }
  std::int64_t size() const { return static_cast<std::int64_t>(owner.size()); }
  std::int64_t extent(int axis) const { return static_cast<std::int64_t>(owner.shape(axis)); }
  Bitmap valid() const { return bits; }
  Column<const T> column() const { return {data(), size()}; }
  Matrix<const T> matrix() const { return {data(), extent(0), extent(1), extent(1)}; }
};

// Rows of contiguous values of T that may stand apart: no copy of a slice of columns or of every n-th row.
template <class T>
struct Rows {
  py::array owner;
  py::object valid_owner;
  Bitmap bits;

  std::int64_t extent(int axis) const { return static_cast<std::int64_t>(owner.shape(axis)); }
  Bitmap valid() const { return bits; }
  bool single() const { return owner.ndim() == 1; }
  Matrix<const T> matrix() const {
    if (single()) return {static_cast<const T*>(owner.data()), 1, extent(0), extent(0)};
    const bool apart = extent(0) > 1 && extent(1) > 0;
    const auto item = static_cast<std::int64_t>(sizeof(T));
    return {static_cast<const T*>(owner.data()), extent(0), extent(1), apart ? owner.strides(0) / item : extent(1)};
  }
};

// `given` as an array of T of `rank` axes (1 or 2), or an ArgumentTypeError naming `argument`, what it is and the remedy.
template <class T>
Array<T> take(py::handle given, const char* argument, int rank, Nulls nulls = Nulls::refused) {
  View seen = view(given, argument, py::dtype::of<T>(), Name<T>::value, rank, false, nulls);
  return {std::move(seen.values), std::move(seen.valid_owner), seen.valid};
}
template <class T>
Rows<T> take_matrix(py::handle given, const char* argument, Nulls nulls = Nulls::refused) {
  View seen = view(given, argument, py::dtype::of<T>(), Name<T>::value, 2, true, nulls);
  return {std::move(seen.values), std::move(seen.valid_owner), seen.valid};
}

// One row (one axis) or several.
template <class T>
Rows<T> take_row_or_rows(py::handle given, const char* argument) {
  View seen = view(given, argument, py::dtype::of<T>(), Name<T>::value, 0, true, Nulls::refused);
  return {std::move(seen.values), std::move(seen.valid_owner), seen.valid};
}

// An array that a kernel changes in place.
template <class T>
struct Inout {
  py::array owner;
  T* data() { return static_cast<T*>(owner.mutable_data()); }
  std::int64_t size() const { return static_cast<std::int64_t>(owner.size()); }
  std::int64_t extent(int axis) const { return static_cast<std::int64_t>(owner.shape(axis)); }
  Column<T> column() { return {data(), size()}; }
  Matrix<T> matrix() { return {data(), extent(0), extent(1), extent(1)}; }
};

// `given` as a writable, C-contiguous, aligned array of exactly T: never converted, for a copy would swallow the change.
template <class T>
Inout<T> take_inout(py::handle given, const char* argument, int rank) {
  return {writable(given, argument, py::dtype::of<T>(), Name<T>::value, rank)};
}

// Row numbers in [0, limit) as int32, from int32 or int64; refused by argument, position and value.
Array<std::int32_t> take_index(py::handle given, const char* argument, std::int64_t limit);

// Every value finite, or an ArgumentError that names the first that is not.
template <class T>
void require_finite(Matrix<const T> rows, const char* argument) {
  for (std::int64_t i = 0; i < rows.rows; ++i)
    for (std::int64_t j = 0; j < rows.cols; ++j)
      if (const T x = rows.data[i * rows.stride + j]; !(x - x == T(0)))
        bad_value(std::string(argument) + " must be finite, got " + std::to_string(x) + " at position " +
                  (rows.rows > 1 ? std::to_string(i) + ", " : "") + std::to_string(j));
}
template <class T>
void require_finite(Column<const T> values, const char* argument) {
  require_finite(Matrix<const T>{values.data, 1, values.size, values.size}, argument);
}

// One bool a row, `rows` of them (NumPy or buffer bool, or Arrow bool with null as false), packed.
Bits take_bits(py::handle given, const char* argument, std::int64_t rows);

// Memory of one argument, for `refuse_overlap`.
struct Extent {
  const char* argument;
  const void* data;
  std::int64_t bytes;
};
template <class T>
Extent extent_of(const char* argument, const Array<T>& array) {
  return {argument, array.data(), array.size() * static_cast<std::int64_t>(sizeof(T))};
}
template <class T>
Extent extent_of(const char* argument, Inout<T>& array) {
  return {argument, array.data(), array.size() * static_cast<std::int64_t>(sizeof(T))};
}

// What is written in place may share memory neither with another written argument nor with one that is read.
void refuse_overlap(std::initializer_list<Extent> written, std::initializer_list<Extent> read);

inline void same_size(std::int64_t got, std::int64_t wanted, const char* argument, const char* other) {
  if (got != wanted)
    bad_value(std::string(argument) + " has " + std::to_string(got) + " values but " + other + " has " +
              std::to_string(wanted));
}

}  // namespace scrubjay::bind
