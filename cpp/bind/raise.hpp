// Errors at the border: each names the argument, the value and the remedy, and is of scrubjay's own tree.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace scrubjay::bind {

// Raises scrubjay.errors.NAME with `message`.
[[noreturn]] inline void raise(const char* name, const std::string& message) {
  const auto type = pybind11::module_::import("scrubjay.errors").attr(name);
  PyErr_SetString(type.ptr(), message.c_str());
  throw pybind11::error_already_set();
}

[[noreturn]] inline void bad_value(const std::string& message) { raise("ArgumentError", message); }
[[noreturn]] inline void bad_type(const std::string& message) { raise("ArgumentTypeError", message); }

}  // namespace scrubjay::bind
