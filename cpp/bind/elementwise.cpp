#include "bind/elementwise.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>

#include "dispatch.hpp"

namespace scrubjay::bind {
namespace {

std::string number(double value) {
  std::ostringstream text;
  text.precision(9);
  text << value;
  return text.str();
}

bool overlap(const Extent& a, const Extent& b) {
  const auto first = reinterpret_cast<std::uintptr_t>(a.data), second = reinterpret_cast<std::uintptr_t>(b.data);
  return a.bytes > 0 && b.bytes > 0 && first < second + static_cast<std::uintptr_t>(b.bytes) &&
         second < first + static_cast<std::uintptr_t>(a.bytes);
}

}  // namespace

bool wide(py::handle array) {
  if (py::isinstance<py::array>(array)) {
    const py::dtype dtype = py::reinterpret_borrow<py::array>(array).dtype();
    return dtype.kind() == 'f' && dtype.itemsize() == 8;
  }
  for (const char* name : {"dtype", "type"})
    if (py::hasattr(array, name)) {
      const std::string type = py::str(array.attr(name).attr("__str__")());
      return type == "float64" || type == "double" || type == "Float64";
    }
  return PyObject_CheckBuffer(array.ptr()) &&
         std::string(py::str(py::memoryview(py::reinterpret_borrow<py::object>(array)).attr("format"))) == "d";
}

std::vector<py::object> parts(const py::object& out, const char* argument, std::size_t count) {
  std::vector<py::object> all(count, py::none());
  if (out.is_none()) return all;
  if (!py::isinstance<py::tuple>(out) || py::len(out) != count)
    bad_type(std::string(argument) + " must be a tuple of " + std::to_string(count) + " arrays, got " +
             std::string(py::str(py::type::handle_of(out).attr("__name__"))));
  const auto given = py::reinterpret_borrow<py::tuple>(out);
  for (std::size_t i = 0; i < count; ++i) all[i] = given[i];
  return all;
}

void refuse_shift(const std::vector<Extent>& written, const std::vector<Extent>& read) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    const Extent& a = written[i];
    for (std::size_t j = i + 1; j < written.size(); ++j)
      if (overlap(a, written[j]))
        bad_value(std::string(a.argument) + " shares memory with " + written[j].argument + ": pass two arrays");
    for (const Extent& b : read)
      if (overlap(a, b) && (a.data != b.data || a.bytes != b.bytes))
        bad_value(std::string(a.argument) + " overlaps " + b.argument +
                  " without being the same array: pass that array itself or a copy");
  }
}

void not_within(const char* argument, std::int64_t row, double value, double low, double high) {
  const bool bounded = high < std::numeric_limits<float>::max();
  bad_value(std::string(argument) + "[" + std::to_string(row) + "] is " + number(value) + ": it must be " +
            (bounded ? "in [" + number(low) + ", " + number(high) + "]"
                     : low >= 0 ? "finite and at least " + number(low) : std::string("finite")));
}

void within(const char* argument, Column<const float> values, double low, double high) {
  const std::int64_t at = dispatch::active().outside32(values, static_cast<float>(low), static_cast<float>(high));
  if (at >= 0) not_within(argument, at, values.data[at], low, high);
}

void within(const char* argument, Column<const double> values, double low, double high) {
  const std::int64_t at = dispatch::active().outside64(values, low, high);
  if (at >= 0) not_within(argument, at, values.data[at], low, high);
}

void finite(double value, const char* argument, const char* unit) {
  if (!std::isfinite(value)) bad_value(std::string(argument) + " must be finite " + unit + ", got " + number(value));
}

}  // namespace scrubjay::bind
