// Mapped files: a Region and its bytes.
#include "mapped.hpp"

#include <pybind11/numpy.h>

#include <system_error>

#include "bind/families.hpp"
#include "bind/unlocked.hpp"

namespace scrubjay::bind {
namespace {

namespace py = pybind11;
using mapped::Region;

[[noreturn]] void raise(const std::system_error& error) {
  errno = error.code().value();
  PyErr_SetFromErrno(PyExc_OSError);
  throw py::error_already_set();
}

}  // namespace

void add_mapped(py::module_& module) {
  py::class_<Region>(module, "Region")
      .def(py::init([](int file, std::int64_t offset, std::int64_t size, std::int64_t capacity) {
             if (offset < 0 || size < 0 || capacity < size) throw py::value_error("offset and size must be >= 0, capacity >= size");
             try {
               return std::make_unique<Region>(file, offset, size, capacity);
             } catch (const std::system_error& error) {
               raise(error);
             }
           }),
           py::arg("file"), py::arg("offset"), py::arg("size"), py::arg("capacity"))
      .def("bytes",
           [](py::object self) {
             const auto& region = self.cast<const Region&>();
             return py::array(py::dtype::of<std::uint8_t>(), {static_cast<py::ssize_t>(region.capacity())}, {1}, region.data(), self);
           })
      .def("let_write",
           [](Region& self) {
             try {
               self.let_write();
             } catch (const std::system_error& error) {
               raise(error);
             }
           })
      .def_property_readonly("lost", &Region::lost)
      .def_property_readonly("size", &Region::size)
      .def("resident", &Region::resident, py::call_guard<Unlocked>());
  module.def("arm", [] {
    try {
      mapped::arm();
    } catch (const std::system_error& error) {
      raise(error);
    }
  });
}

}  // namespace scrubjay::bind
