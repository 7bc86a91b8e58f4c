// Arrow's C data interface, taken from PyCapsules: the structs are a fixed ABI, so nothing of Arrow is linked.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>

#include "columns.hpp"

namespace scrubjay::bind {

namespace py = pybind11;

// What an array holds, before its dtype is compared with the wanted one.
struct View {
  py::array values;         // its base keeps foreign memory alive
  Bitmap valid{nullptr, 0};  // rows that are not null; bits == nullptr: all of them
  py::object valid_owner;
};

// Has the PyCapsule interface.
bool is_arrow(py::handle given);

// The numbers of an Arrow array or stream (one axis, or FixedSizeList rows), without a copy unless a stream has several
// chunks. Bad capsules, types other than numbers, and nulls inside a row that is not null are an ArgumentTypeError.
View from_arrow(py::handle given, const char* argument);

// One bit a row, least significant first.
struct Bits {
  py::array_t<std::uint8_t> packed;
  std::int64_t size;
  Bitmap map() const { return {packed.data(), 0}; }
};

// An Arrow boolean array, null counting as false.
Bits bits_from_arrow(py::handle given, const char* argument);

}  // namespace scrubjay::bind
