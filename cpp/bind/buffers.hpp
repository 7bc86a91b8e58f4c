// The one door for arrays: what comes in is viewed without a copy where dtype and layout fit, and its owner is kept.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

#include "bind/raise.hpp"
#include "columns.hpp"

namespace scrubjay::bind {

namespace py = pybind11;

template <class T>
struct Name;
template <>
struct Name<float> {
  static constexpr const char* value = "float32";
};
template <>
struct Name<double> {
  static constexpr const char* value = "float64";
};
template <>
struct Name<std::int32_t> {
  static constexpr const char* value = "int32";
};
template <>
struct Name<std::int64_t> {
  static constexpr const char* value = "int64";
};

// An array of T, C-contiguous and native, kept alive as long as this value.
template <class T>
struct Array {
  py::array_t<T> owner;
  const T* data() const { return owner.data(); }
  std::int64_t size() const { return static_cast<std::int64_t>(owner.size()); }
  std::int64_t extent(int axis) const { return static_cast<std::int64_t>(owner.shape(axis)); }
  Column<const T> column() const { return {data(), size()}; }
  Matrix<const T> matrix() const { return {data(), extent(0), extent(1), extent(1)}; }
};

// `given` as an array of T of `rank` axes. Exact conversions only (byte order, strides, float16 to float32); anything
// that could lose a bit is an ArgumentTypeError naming `argument`.
template <class T>
Array<T> take(py::handle given, const char* argument, int rank) {
  const auto numpy = py::module_::import("numpy");
  if (py::isinstance<py::str>(given) || py::isinstance<py::bytes>(given))
    bad_type(std::string(argument) + " must be an array of " + Name<T>::value + ", got text");
  py::array any;
  try {
    any = py::array(numpy.attr("asarray")(given));
  } catch (const py::error_already_set& error) {
    bad_type(std::string(argument) + " must be an array of " + Name<T>::value + ": " + error.what());
  }
  const auto wanted = py::dtype::of<T>();
  if (!py::bool_(numpy.attr("can_cast")(any.dtype(), wanted, "safe")) || any.dtype().kind() == 'b')
    bad_type(std::string(argument) + " must be " + Name<T>::value + ", got " + std::string(py::str(any.dtype())) +
             ": convert it first, for example with .astype('" + Name<T>::value + "')");
  if (any.ndim() != rank)
    bad_value(std::string(argument) + " must have " + std::to_string(rank) + " axes, got " + std::to_string(any.ndim()));
  return {py::array_t<T>(numpy.attr("ascontiguousarray")(any, wanted))};
}

inline void same_size(std::int64_t got, std::int64_t wanted, const char* argument, const char* other) {
  if (got != wanted)
    bad_value(std::string(argument) + " has " + std::to_string(got) + " values but " + other + " has " +
              std::to_string(wanted));
}

}  // namespace scrubjay::bind
